/** `run --notify` and `run --notify-command`: when a notification is sent, and what a failed one changes. */

import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../helpers/patience.js';
import { account, openFolder, openService, refused, run, runIn, valueIn } from '../../typed.js';
import { openReceiver, type Received } from './receiver.js';

const { at, inputFile } = openFolder();
const BAD = (number: string) => account(number, { customers: [{ landline: 'x' }] });

const bodiesOf = (received: readonly Received[]) => received.map(({ body }) => JSON.parse(body));

describe('a notification is sent', () => {
  test('when the run has ended, with exit code, counts and what to do next', { tags: 'long' }, async () => {
    await openService();
    const { url, received } = await openReceiver();
    const path = inputFile('ended.jsonl', account('A-1'), BAD('A-2'));
    const { code, err } = await run('run', path, '--run', at('ended'), '--notify', url);
    expect([code, err]).toEqual([3, '']);
    expect(bodiesOf(received)).toEqual([
      {
        type: 'run.ended',
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        data: {
          ...{ command: 'run', host: expect.any(String), target: expect.any(String), folder: at('ended') },
          ...{ exitCode: 3, state: 'finished' },
          records: {
            ...{ total: 2, created: 1, alreadyImported: 0, rejected: 1, skipped: 0, unknown: 0 },
            ...{ unfinished: 0, notInInput: 0, incomplete: 0, changed: 0 },
          },
          next: [expect.stringMatching(/^Next \(1 rejected\)/), expect.stringMatching(/^To run again: /)],
        },
      },
    ]);
  });

  test('when the run halted, with the reason', async () => {
    await openService();
    const { url, received } = await openReceiver();
    const path = inputFile('halted.jsonl', BAD('A-1'), BAD('A-2'), BAD('A-3'));
    const args = ['run', path, '--run', at('halted'), '--halt', 'same=2', '--notify', url];
    expect((await run(...args)).code).toBe(6);
    expect(bodiesOf(received)).toMatchObject([
      { type: 'run.halted', data: { exitCode: 6, reason: expect.stringContaining('invalid_phone_number') } },
    ]);
  });

  test('when the service refuses the token at the checks before a session, as a halt', async () => {
    await openService();
    vi.stubEnv('DATA_IMPORT_TOKEN', 'wrong');
    const { url, received } = await openReceiver();
    const path = inputFile('refused.jsonl', account('A-1'));
    expect((await run('run', path, '--run', at('refused'), '--notify', url)).code).toBe(8);
    expect(bodiesOf(received)).toMatchObject([
      { type: 'run.halted', data: { exitCode: 8, error: expect.stringContaining('does not accept the token') } },
    ]);
  });

  test('when an error ended the command before a session', async () => {
    await openService();
    const { url, received } = await openReceiver();
    expect((await run('run', at('none.jsonl'), '--run', at('none'), '--notify', url)).code).toBe(2);
    expect(bodiesOf(received)).toMatchObject([
      { type: 'run.ended', data: { exitCode: 2, error: expect.stringContaining('none.jsonl') } },
    ]);
  });

  test('when a question waits for an answer', async () => {
    await openService();
    const { url, received } = await openReceiver();
    const path = inputFile('canary.jsonl', account('A-1'), account('A-2'));
    const ask = () => vi.waitFor(() => (received.length > 0 ? 'n' : expect.fail('no notification')), PATIENCE);
    await runIn({ ask }, 'run', path, '--run', at('canary'), '--canary', '1', '--notify', url);
    expect(bodiesOf(received)).toMatchObject([
      { type: 'run.waiting', data: { waitsFor: 'answer', reason: 'Continue with the whole input? [y/N]' } },
      { type: 'run.ended', data: { exitCode: 7 } },
    ]);
  });

  test('when a person paused the run, which then waits for resume', { tags: 'long' }, async () => {
    await openService({ faults: [{ match: {}, effect: { latencyMs: 5 } }] });
    const { url, received } = await openReceiver();
    const path = inputFile('paused.jsonl', ...Array.from({ length: 300 }, (_, index) => account(`A-${index + 1}`)));
    const ended = run('run', path, '--run', at('paused'), '--process-concurrency', '1', '--notify', url);
    await vi.waitFor(async () => expect((await run('pause', '--run', at('paused'))).code).toBe(0), PATIENCE);
    await vi.waitFor(() => expect(received).toHaveLength(1), PATIENCE);
    await run('resume', '--run', at('paused'));
    expect((await ended).code).toBe(0);
    expect(bodiesOf(received)).toMatchObject([
      { type: 'run.waiting', data: { waitsFor: 'resume', reason: 'by the operator' } },
      { type: 'run.ended', data: { exitCode: 0 } },
    ]);
  });

  test('by retry too, to the URL of the environment, and by a command', async () => {
    await openService();
    const { url, received } = await openReceiver();
    await run('run', inputFile('bad.jsonl', BAD('A-1')), '--run', at('retried'));
    vi.stubEnv('DATA_IMPORT_NOTIFY', url);
    const corrected = inputFile('corrected.jsonl', account('A-1'));
    const command = `cat > '${at('notified.json')}'`;
    expect((await run('retry', corrected, '--run', at('retried'), '--notify-command', command)).code).toBe(0);
    const [body] = bodiesOf(received);
    expect(body).toMatchObject({ type: 'run.ended', data: { command: 'retry', exitCode: 0 } });
    expect(valueIn(at('notified.json'))).toEqual(body);
  });
});

describe('a notification that fails', () => {
  test('is one line of warning, and changes neither result nor exit code', async () => {
    await openService();
    const { url, host } = await openReceiver(404);
    const path = inputFile('good.jsonl', account('A-1'));
    const flags = ['--notify', url, '--notify-command', 'exit 3'];
    const { code, out, err } = await run('run', path, '--run', at('good'), ...flags);
    expect(code).toBe(0);
    expect(out).toContain('1 created + 0 already imported');
    expect(err.split('\n').sort()).toEqual([
      '',
      'data-import-sdk: --notify-command: run.ended was not delivered: the command ended with exit code 3.',
      `data-import-sdk: --notify: run.ended was not delivered: ${host} answered 404.`,
    ]);
  });

  test('an invalid URL or secret ends the command with code 2 before a request', async () => {
    const sandbox = await openService();
    const path = inputFile('one.jsonl', account('A-1'));
    const args = ['run', path, '--run', at('one')];
    expect(await run(...args, '--notify', 'hooks.example.com')).toMatchObject({
      code: 2,
      err: 'data-import-sdk: --notify: expected an http or https URL without user and password.\n',
    });
    vi.stubEnv('DATA_IMPORT_NOTIFY_SECRET', 'too short');
    expect(await run(...args, '--notify', 'https://hooks.example.com')).toMatchObject(
      refused('DATA_IMPORT_NOTIFY_SECRET: expected whsec_'),
    );
    expect(sandbox.requests()).toEqual([]);
  });
});

describe('nothing secret', () => {
  test('is in a notification: no personal data, no number of an account, no token', async () => {
    const sandbox = await openService();
    const { url, received } = await openReceiver();
    const person = { customers: [{ given_name: 'Ottoline', family_name: 'Brumelle', landline: '0711 Q' }] };
    const path = inputFile(
      'persons.jsonl',
      { account: { ...account('NR-4711').account, ...person, 'Brumelle key': 'x' } },
      { ...account('NR-4712'), notes: [{ body: 'Brumelle prefers letters.' }] },
    );
    await run('run', path, '--run', at('persons'), '--notify', url);
    expect(received).toHaveLength(1);
    const { body = '' } = received[0] ?? {};
    expect(body).toContain('"rejected":1');
    expect(body).not.toMatch(/brumelle|ottoline|0711|NR-471\d/i);
    expect(body).not.toContain(sandbox.token);
  });

  test('of the URL is printed or stored: path and query are left out', async () => {
    await openService();
    const { url, host } = await openReceiver(404);
    const path = inputFile('stored.jsonl', account('A-1'), BAD('A-2'));
    const { out, err } = await run('run', path, '--run', at('stored'), '--notify', url);
    expect(out).toContain(` --notify 'http://${host}/***'\n`);
    for (const text of [out, err, ...textsIn(at('stored'))]) expect(text).not.toMatch(/path-secret|query-secret/);
    expect(await run('run', path, '--run', at('stored'), '--notify', `http://${host}/***`)).toMatchObject({
      code: 2,
      err: 'data-import-sdk: --notify: replace *** by the path of the URL, which printed commands leave out.\n',
    });
  });

  test('in a config file that no flag names runs a command', async () => {
    writeFileSync(at('others.json'), JSON.stringify({ notifyCommand: `touch '${at('touched')}'` }));
    const path = inputFile('config.jsonl', account('A-1'));
    expect((await run('run', path, '--sandbox', '--run', at('named'), '--config', at('others.json'))).code).toBe(0);
    expect(statSync(at('touched')).isFile()).toBe(true);
    const folder = at('folder');
    mkdirSync(folder);
    writeFileSync(join(folder, 'data-import.config.json'), JSON.stringify({ notifyCommand: 'exit 3' }));
    const before = process.cwd();
    process.chdir(folder);
    expect(
      await run('run', path, '--sandbox', '--run', at('unnamed')).finally(() => process.chdir(before)),
    ).toMatchObject(refused('notifyCommand: the code that it names is not run'));
  });
});

function textsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'));
}
