/** What is said where a file of the run folder cannot be written. */
import { expect, test } from 'vitest';
import { cannotWrite } from '../../../src/migration/report/folder-error.js';

test.each([
  ['ENOSPC', 'Make room on the disk'],
  ['EBUSY', 'Close the program that has it open'],
  // A spreadsheet on Windows that shows ok.csv.
  ['EPERM', 'Close the program that has it open, or give yourself the right to write it'],
  ['ENOTHING', 'Mend the cause'],
])('after %s: %s', (code, remedy) => {
  const { message } = cannotWrite('run/ok.csv', Object.assign(new Error('refused'), { code }));
  expect(message).toBe(`run/ok.csv cannot be written (${code}). ${remedy}, and give the same command again.`);
});
