/**
 * One answer of 32 MB and one input line of 16 MB or of 4 MiB (the longest that is read) that were made to harm, each met by a
 * separate process: one typed error or one rejected record, within 400 MB (V8 collects garbage later on a busy machine). With
 * HOSTILE_BOUNDS=1 within 300 MB and two seconds, and the event loop is not blocked for 200 ms: CPU times, and longer by as much as
 * the machine copies memory more slowly than one that has nothing else to do.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSandbox } from '../../src/sandbox/index.js';
import { newFolder } from '../helpers/folder.js';

const PROCESS = new URL('./hostile-input-process.mjs', import.meta.url).pathname;
const MEBIBYTE = 2 ** 20;

interface Measured {
  came: Record<string, unknown>;
  cpuMs: number;
  maxRssMb: number;
  blockedCpuMs: number;
  /** CPU time in which this machine, as busy as it is, joins and decodes 32 MB: some 40 ms on one that has nothing else to do. */
  unitMs: number;
}

/** The largest text of at most `bytes` bytes that repeats a part between a beginning and an end. */
function filled(bytes: number, beginning: string, part: string, end: string): string {
  const times = Math.floor((bytes - beginning.length - end.length - part.length) / (part.length + 1));
  return `${beginning}${`${part},`.repeat(times)}${part}${end}`;
}

function names(bytes: number, beginning: string, end: string): string {
  let text = beginning;
  for (let index = 0; text.length < bytes - 20; index++) text += `"x${index.toString(36)}":1,`;
  return `${text}"x":1${end}`;
}

async function measured(env: Record<string, string>, ...args: string[]): Promise<Measured> {
  const { stdout } = await promisify(execFile)(process.execPath, [PROCESS, ...args], {
    env: { ...process.env, ...env },
  });
  const found: Measured = JSON.parse(stdout);
  if (IS_TIMED) console.log(args[0], args[1], expect.getState().currentTestName, stdout.trim());
  return found;
}

function expectBounds({ cpuMs, maxRssMb, blockedCpuMs, unitMs }: Measured): void {
  expect(maxRssMb).toBeLessThan(400);
  if (!IS_TIMED) return;
  expect(maxRssMb).toBeLessThan(300);
  const slowness = Math.max(1, unitMs / 40);
  expect(cpuMs).toBeLessThan(2000 * slowness);
  expect(blockedCpuMs).toBeLessThan(200 * slowness);
}

/** Times are compared only on request: they depend on what else the machine does. */
const IS_TIMED = process.env['HOSTILE_BOUNDS'] === '1';

describe('an answer of 32 MB', () => {
  const SIZE = 32 * MEBIBYTE - 1;
  const ENTRY = '{"external_account_number":"A-1","service_account_number":null,"account_created_at":null}';
  const A_LIST = filled(SIZE, '[', '1', ']');
  const ITEM = '{"detail":"x","code":"invalid","attr":"customers.0.landline"}';

  it.each([
    ['of numbers', 'all', 200, A_LIST, 'ResponseMismatchError'],
    ['of lists', 'all', 200, filled(SIZE, '[', '[]', ']'), 'ResponseMismatchError'],
    ['of objects', 'all', 200, filled(SIZE, '[', '{}', ']'), 'ResponseMismatchError'],
    ['of texts', 'all', 200, filled(SIZE, '[', '"xxxxxxxxxxxxxxxxxxxxxx"', ']'), 'ResponseMismatchError'],
    ['of one text', 'all', 200, `"${'x'.repeat(SIZE - 2)}"`, 'ResponseMismatchError'],
    ['of escapes', 'all', 200, `"${'\\n'.repeat(SIZE / 2 - 2)}"`, 'ResponseMismatchError'],
    ['of entries, the last one wrong', 'all', 200, filled(SIZE, '[', ENTRY, ',1]'), 'ResponseMismatchError'],
    ['that never closes', 'all', 200, '['.repeat(SIZE), 'ResponseMismatchError'],
    ['in which lists never close', 'all', 200, filled(SIZE, '[', '[1]', ''), 'ResponseMismatchError'],
    [
      'of a field in an entry',
      'all',
      200,
      filled(SIZE, `[${ENTRY.slice(0, -1)},"x":[`, '[]', ']},1]'),
      'ResponseMismatchError',
    ],
    ['of fields', 'stage', 200, names(SIZE, '{', '}'), 'ResponseMismatchError'],
    ['of a field', 'validate', 200, filled(SIZE, '{"customers":[', '1', ']}'), 'ResponseMismatchError'],
    ['of numbers, with 400', 'stage', 400, A_LIST, 'ValidationError'],
    [
      'of errors',
      'stage',
      400,
      filled(SIZE, '{"detail":"x","code":"account_failed_validation","errors":[', ITEM, ']}'),
      'ValidationError',
    ],
    [
      'of an error, in a long detail',
      'stage',
      400,
      `{"detail":"${'x '.repeat(SIZE / 2 - 20)}","code":"x"}`,
      'ValidationError',
    ],
    [
      'of errors by field',
      'stage',
      400,
      names(SIZE, '{"customers":{', '}}').replaceAll(':1', ':["x"]').slice(0, SIZE),
      'ValidationError',
    ],
    ['of a page', 'stage', 500, `<html>${'<p>'.repeat(SIZE / 3 - 3)}`, 'ServerError'],
  ])('%s is one error', async (_, method, status, body, name) => {
    const bytes = Buffer.from(body);
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(status, { 'content-type': 'application/json' }).end(bytes);
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const found = await measured({}, 'answer', method, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    expect(found.came).toMatchObject({ name, isPrintedShort: true });
    expectBounds(found);
  });
});

describe('a line of 16 MB, or of the 4 MiB that are read,', () => {
  const SIZE = 4 * MEBIBYTE - 1;
  const IDS = '"import_supplier":"SANDBOX_SUPPLIER","external_account_number":"A-2"';
  const account = (number: string) =>
    `{"account":{"import_supplier":"SANDBOX_SUPPLIER","external_account_number":"${number}"}}\n`;
  /** As many values as a record may have. */
  const MOST = 98_000;

  it.each([
    ['that is longer', filled(16 * MEBIBYTE, `{"account":{${IDS},"customers":[`, '1', ']}}'), 'line_too_long'],
    ['of numbers', filled(SIZE, `{"account":{${IDS},"customers":[`, '1', ']}}'), 'too_many_values'],
    ['of lists', filled(SIZE, `{"account":{${IDS},"customers":[`, '[]', ']}}'), 'too_many_values'],
    ['of fields', names(SIZE, `{"account":{${IDS},`, '}}'), 'too_many_values'],
    [
      'of lists in lists',
      `{"account":{${IDS},"metadata":${'['.repeat(2_000_000)}${']'.repeat(2_000_000)}}}`,
      'too_deep',
    ],
    [
      'of lists in lists, short',
      `{"account":{${IDS},"metadata":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`,
      'too_deep',
    ],
    ['that does not close', '['.repeat(SIZE), 'too_deep'],
    ['of one text', `{"account":{${IDS},"statements":"${'x'.repeat(SIZE - 120)}"}}`, 'invalid_type'],
    [
      'of numbers in texts',
      filled(SIZE, `{"account":{${IDS},"customers":[`, `"${'x'.repeat(100)}"`, ']}}'),
      'invalid_type',
    ],
    [
      'of as many numbers as a record may have',
      filled(2 * MOST, `{"account":{${IDS},"customers":[`, '1', ']}}'),
      'invalid_type',
    ],
    ['of as many fields', names(MOST * 4.2, `{"account":{${IDS},`, '}}'), 'unknown_field'],
    ['of as many parts', names(MOST * 4.2, `{"account":{${IDS}},`, '}'), 'unknown_field'],
    ['of as many notes', filled(MOST * 1.5, `{"account":{${IDS}},"notes":[`, '{}', ']}'), 'required'],
    [
      'of as many instructions',
      filled(MOST * 1.5, `{"account":{${IDS}},"payment_instructions":[`, '{}', ']}'),
      'required',
    ],
  ])('%s is one rejected record', async (_, line, code) => {
    const sandbox = createSandbox();
    const server = await sandbox.listen();
    onTestFinished(() => server.close());
    const folder = newFolder('hostile-');
    const inputFile = join(folder, 'input.jsonl');
    writeFileSync(inputFile, `${account('A-1')}${line}\n${account('A-3')}`);
    const run = join(folder, 'run');
    const found = await measured({ DATA_IMPORT_TOKEN: sandbox.token }, 'line', server.url, inputFile, run);
    const { errors, ...counts } = found.came as { errors: [code: string][] };
    expect(counts).toEqual({ created: 2, rejected: 1 });
    expect(errors.map(([first]) => first)).toContain(code);
    // It has the text of a refused record, a digest of eight characters for each item, and little else of it.
    expect(statSync(join(run, 'ledger.sqlite')).size).toBeLessThan(200_000 + 1.1 * line.length + 8 * MOST);
    expectBounds(found);
  });
});
