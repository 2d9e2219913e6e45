/** Output whose reader has ended, and output for which there is no room. */
import { Writable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { runProgram } from '../../../src/cli/program.js';
import { openOutput } from '../../../src/cli/shared/output.js';
import { account, openFolder } from '../typed.js';

const { at, inputFile } = openFolder();

/** A stream of which every write fails; without a listener its error would end the process. */
const failing = (code: string, more: object = {}) =>
  Object.assign(
    new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })) }),
    more,
  );

test.each([
  ['EPIPE', {}],
  ['EOF', {}],
  ['EIO', { isTTY: true }],
])('a reader that has left is no failure (%s)', async (code, more) => {
  const output = openOutput(failing(code, more));
  output.write('a\n');
  output.write('b\n');
  expect(await output.failure()).toBeUndefined();
});

test.each(['ENOSPC', 'EIO'])('a disk that takes no more is one (%s)', async (code) => {
  const output = openOutput(failing(code));
  output.write('a\n');
  expect(await output.failure()).toMatchObject({ code });
});

test('a stream has one listener, for any number of commands', () => {
  const stream = new Writable();
  openOutput(stream);
  openOutput(stream);
  expect(stream.listenerCount('error')).toBe(1);
});

/** What a command comes to whose output, or progress, takes nothing. */
async function withFailing(name: 'stdout' | 'stderr', code: string, ...args: string[]) {
  const stream = failing(code);
  const before = Object.getOwnPropertyDescriptor(process, name) ?? {};
  Object.defineProperty(process, name, { ...before, get: () => stream });
  onTestFinished(() => void Object.defineProperty(process, name, before));
  const said: string[] = [];
  const other = { stdout: 'err', stderr: 'out' }[name];
  return { code: await runProgram(args, { [other]: (text: string) => void said.push(text) }), said: said.join('') };
}

test('a command continues to its end, and its code is unchanged', async () => {
  const path = inputFile('bad.jsonl', account('A-1', { customers: [{ landline: 'x' }] }));
  expect(await withFailing('stdout', 'EPIPE', 'check', path)).toEqual({ code: 3, said: '' });
});

test('a sample stops without a reader: a billion accounts end at once', async () => {
  expect(await withFailing('stdout', 'EPIPE', 'sample', '--accounts', '1000000000')).toEqual({ code: 0, said: '' });
});

test('no room for the outcome ends in one line and code 1, also of a run that has ended well', async () => {
  const path = inputFile('good.jsonl', account('A-1'));
  const { code, said } = await withFailing('stdout', 'ENOSPC', 'run', path, '--sandbox', '--run', at('full'));
  expect(code).toBe(1);
  expect(said).toBe(
    'data-import-sdk: standard output cannot be written (ENOSPC). Free disk space or redirect the output, then repeat the command.\n',
  );
});

test('a run whose progress output is closed continues to its end', async () => {
  const path = inputFile('unread.jsonl', account('A-1'));
  expect(await withFailing('stderr', 'EPIPE', 'run', path, '--sandbox', '--run', at('unread'))).toMatchObject({
    code: 0,
    said: expect.stringContaining('1 created'),
  });
});
