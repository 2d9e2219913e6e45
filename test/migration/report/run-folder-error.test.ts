/** What is said where a file of the run folder cannot be written or read. */
import { expect, test } from 'vitest';
import { cannotRead, cannotWrite } from '../../../src/migration/report/folder/run-folder-error.js';

test.each([
  ['ENOSPC', 'Free disk space'],
  ['EMFILE', 'Raise the limit of open files (ulimit -n)'],
  ['EBUSY', 'Close the program that has it open'],
  // A spreadsheet on Windows that shows ok.csv.
  ['EPERM', 'Close the program that has it open, or give this user the right to write it'],
  ['ENOTHING', 'Correct the cause'],
])('after %s: %s', (code, remedy) => {
  const { message } = cannotWrite('run/ok.csv', Object.assign(new Error('refused'), { code }));
  expect(message).toBe(`run/ok.csv cannot be written (${code}). ${remedy}, and repeat the command.`);
});

test.each([
  ['EACCES', 'Give this user the right to read it'],
  ['EPERM', 'Give this user the right to read it'],
  ['EIO', 'Check the disk'],
  ['ENOTHING', 'Correct the cause'],
])('a file that cannot be read, after %s: %s', (code, remedy) => {
  const { message, name } = cannotRead('run/run.json', Object.assign(new Error('refused'), { code }));
  expect([name, message]).toEqual([
    'RunFolderError',
    `run/run.json cannot be read (${code}). ${remedy}, and repeat the command.`,
  ]);
});
