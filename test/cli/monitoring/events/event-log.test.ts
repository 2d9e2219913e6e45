/** `--log-format json`: one line of JSON for each event of `run` and `retry`. */

import { writeFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../helpers/patience.js';
import { account, openFolder, openService, refused, run, runIn, valuesOf } from '../../typed.js';

const { at, inputFile } = openFolder();

type Line = Record<string, unknown> & { event: string; level: string };

/** The lines of standard error. Fails for a line that is not JSON. */
const linesOf = (err: string): Line[] => valuesOf(err);

const BAD = account('A-2', { customers: [{ landline: 'x' }] });

describe('a run', () => {
  test('prints its events as lines of JSON, and its result as one line of JSON', async () => {
    await openService();
    const path = inputFile('input.jsonl', account('A-1'), BAD);
    const { code, out, err } = await run('run', path, '--run', at('logged'), '--log-format', 'json');
    expect(code).toBe(3);
    expect(JSON.parse(out)).toMatchObject({ state: 'finished', created: 1, rejected: 1 });
    const lines = linesOf(err);
    const counts = { created: 1, alreadyImported: 0, rejected: 1, skipped: 0, unknown: 0 };
    const records = { total: 2, ...counts, unfinished: 0, notInInput: 0, incomplete: 0, changed: 0 };
    const next = [
      expect.stringMatching(/^Next \(1 rejected\): correct the lines/),
      `To run again: data-import-sdk run ${path} --run ${at('logged')} --log-format json`,
    ];
    expect(lines).toEqual([
      {
        ...{ time: expect.any(String), level: 'info', event: 'started', command: 'run' },
        ...{ message: 'The command starts.', version: expect.any(String), pid: process.pid },
      },
      {
        ...{ time: expect.any(String), level: 'info', event: 'session.started', command: 'run' },
        ...{ message: expect.stringContaining('A session starts. Target: http://127.0.0.1:') },
        ...{ target: expect.stringContaining('http://127.0.0.1:'), folder: at('logged') },
      },
      {
        ...{ time: expect.any(String), level: 'info', event: 'progress', command: 'run' },
        message: '1 created, 0 already imported, 1 rejected, 0 skipped, 0 unknown.',
        ...{
          records: { total: 2, ...counts },
          rejectedByCode: { invalid_phone_number: 1 },
          processLimit: 2,
          failedCalls: 0,
        },
        ...{ recordsPerSecond: expect.any(Number), elapsedSeconds: expect.any(Number) },
      },
      {
        ...{ time: expect.any(String), level: 'info', event: 'session.ended', command: 'run' },
        message: 'The session ended: finished. 1 created, 0 already imported, 1 rejected, 0 skipped, 0 unknown.',
        ...{ state: 'finished', records, next },
      },
      {
        ...{ time: expect.any(String), level: 'warn', event: 'ended', command: 'run' },
        ...{ message: 'The command ends with exit code 3.', exitCode: 3, state: 'finished', records, next },
      },
    ]);
    for (const { time } of lines) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  test('prints an error that ends it, and its exit code', async () => {
    await openService();
    const { code, err } = await run('run', at('none.jsonl'), '--run', at('none'), '--log-format', 'json');
    expect(code).toBe(2);
    expect(linesOf(err)).toMatchObject([
      { event: 'started' },
      { level: 'warn', event: 'message', message: expect.stringContaining('none.jsonl') },
      { level: 'error', event: 'ended', exitCode: 2, error: expect.stringContaining('none.jsonl') },
    ]);
  });

  test('prints a pause, with its reason, and the end of it', { tags: 'long' }, async () => {
    await openService({ faults: [{ match: {}, effect: { latencyMs: 5 } }] });
    const path = inputFile('many.jsonl', ...Array.from({ length: 300 }, (_, index) => account(`A-${index + 1}`)));
    let text = '';
    const err = (more: string) => {
      text += more;
    };
    const args = ['run', path, '--run', at('paused'), '--process-concurrency', '1', '--log-format', 'json'];
    const ended = runIn({ err }, ...args);
    const prints = (part: string) => vi.waitFor(() => expect(text).toContain(part), PATIENCE);
    await prints('session.started');
    expect((await run('pause', '--run', at('paused'))).code).toBe(0);
    await prints('"to":"paused"');
    await run('resume', '--run', at('paused'));
    expect((await ended).code).toBe(0);
    expect(linesOf(text).filter(({ event }) => event === 'state.changed')).toMatchObject([
      { level: 'warn', from: 'running', to: 'paused', reason: 'by the operator' },
      { level: 'info', from: 'paused', to: 'running' },
    ]);
  });

  test('prints why it halted', async () => {
    await openService();
    const bad = Array.from({ length: 3 }, (_, index) => account(`A-${index}`, { customers: [{ landline: 'x' }] }));
    const path = inputFile('halting.jsonl', ...bad);
    const { code, err } = await run('run', path, '--run', at('halted'), '--halt', 'same=2', '--log-format', 'json');
    expect(code).toBe(6);
    const reason = expect.stringContaining('invalid_phone_number');
    expect(linesOf(err)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ event: 'state.changed', level: 'error', to: 'halted', reason }),
        expect.objectContaining({ event: 'session.ended', level: 'error', state: 'halted', reason }),
        expect.objectContaining({ event: 'ended', level: 'error', exitCode: 6, state: 'halted', reason }),
      ]),
    );
  });

  test('prints the question that waits for an answer', async () => {
    await openService();
    vi.stubEnv('DATA_IMPORT_BASE_URL', 'https://api.example.com');
    const path = inputFile('asked.jsonl', account('A-1'));
    const args = ['run', path, '--run', at('asked'), '--log-format', 'json'];
    const { code, err } = await runIn({ ask: async () => 'n' }, ...args);
    expect(code).toBe(7);
    expect(linesOf(err)).toEqual(
      expect.arrayContaining([expect.objectContaining({ event: 'question.asked', question: 'Send them? [y/N] ' })]),
    );
  });

  test('refuses another format', async () => {
    expect(await run('run', at('x'), '--sandbox', '--log-format', 'xml')).toMatchObject(
      refused('Allowed choices are text, json.'),
    );
  });
});

test('retry names itself in each line', async () => {
  await openService();
  await run('run', inputFile('rejected.jsonl', BAD), '--run', at('retried'));
  const corrected = inputFile('corrected.jsonl', account('A-2'));
  const { code, err } = await run('retry', corrected, '--run', at('retried'), '--log-format', 'json');
  expect(code).toBe(0);
  const lines = linesOf(err);
  expect(new Set(lines.map(({ command }) => command))).toEqual(new Set(['retry']));
  expect(lines.at(-1)).toMatchObject({ event: 'ended', level: 'info', exitCode: 0, records: { created: 1 } });
});

test('no personal data, no number of an account and no token are in the log', async () => {
  const sandbox = await openService();
  const PERSON = {
    customers: [{ given_name: 'Ottoline', family_name: 'Brumelle', email: 'brumelle@example.com', landline: '0711 Q' }],
    'Brumelle key': 'Brumelle value',
  };
  const path = inputFile(
    'persons.jsonl',
    { account: { ...account('NR-4711').account, ...PERSON } },
    { ...account('NR-4712'), notes: [{ body: 'Brumelle prefers letters.' }], transactions: [{ amount: 'Brumelle' }] },
    account('NR-4713', { business: { business_contract_identifier: 'Brumelle Ltd' } }),
  );
  writeFileSync(at('persons.csv'), 'Number,Name\nNR-4714,Brumelle\n');
  writeFileSync(at('map.mjs'), "export default (row) => { throw new Error('no ' + row.Name); };\n");
  const args = ['--run', at('persons'), '--log-format', 'json'];
  const first = await run('run', path, ...args);
  const second = await run('run', at('persons.csv'), '--map', at('map.mjs'), ...args);
  const third = await run('retry', at('persons/rejected.jsonl'), ...args);
  for (const { err } of [first, second, third]) {
    expect(linesOf(err).length).toBeGreaterThan(2);
    expect(err).not.toMatch(/brumelle|ottoline|0711/i);
    expect(err).not.toMatch(/NR-471\d/);
    expect(err).not.toContain(sandbox.token);
  }
  expect(first.err).toContain('"rejectedByCode":{');
});
