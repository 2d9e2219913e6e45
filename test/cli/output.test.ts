/** Output that nobody reads, and output for which there is no room. */
import { Writable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { openOutput } from '../../src/cli/output.js';
import { runProgram } from '../../src/cli/program.js';
import { account, openFolder } from './typed.js';

const { at, book } = openFolder();

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

test('a stream has one listener, however many commands write to it', () => {
  const stream = new Writable();
  openOutput(stream);
  openOutput(stream);
  expect(stream.listenerCount('error')).toBe(1);
});

/** What a command comes to whose standard output takes nothing. */
async function withOutput(code: string, ...args: string[]) {
  const stream = failing(code);
  const err: string[] = [];
  const before = Object.getOwnPropertyDescriptor(process, 'stdout') ?? {};
  Object.defineProperty(process, 'stdout', { ...before, get: () => stream });
  onTestFinished(() => void Object.defineProperty(process, 'stdout', before));
  return { code: await runProgram(args, { err: (text) => void err.push(text) }), err: err.join('') };
}

test('a command goes on to its end, and its code is what it would be', async () => {
  const path = book('bad.jsonl', account('A-1', { customers: [{ landline: 'x' }] }));
  expect(await withOutput('EPIPE', 'check', path)).toEqual({ code: 3, err: '' });
});

test('a sample is not made for nobody: a billion accounts end at once', async () => {
  expect(await withOutput('EPIPE', 'sample', '--accounts', '1000000000')).toEqual({ code: 0, err: '' });
});

test('no room for the outcome ends in one line and code 1, also of a run that has ended well', async () => {
  const path = book('good.jsonl', account('A-1'));
  const { code, err } = await withOutput('ENOSPC', 'run', path, '--sandbox', '--run', at('full'));
  expect(code).toBe(1);
  expect(err).toBe(
    'data-import: standard output cannot be written (ENOSPC). Make room, or send it elsewhere, and give the same command again.\n',
  );
});
