/** A signal before a session, and while a question is open: how the command ends, and what it reports. */

import { existsSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { CommandContext, EndingSignal } from '../../../src/cli/shared/command-context.js';
import { PATIENCE } from '../../helpers/patience.js';
import { openReceiver } from '../monitoring/notify/receiver.js';
import { account, openFolder, openService, run, runIn } from '../typed.js';

const { at, inputFile } = openFolder();

/** A command that can be sent signals. */
function signalled() {
  let listeners: ((signal: EndingSignal) => void)[] = [];
  const onSignal: CommandContext['onSignal'] = (listener) => {
    listeners.push(listener);
    return () => {
      listeners = listeners.filter((other) => other !== listener);
    };
  };
  const send = (signal: EndingSignal) => {
    for (const listener of listeners) listener(signal);
  };
  return { onSignal, send };
}

const endOf = (err: string) => JSON.parse(err.trim().split('\n').at(-1) ?? '');

/** A question that only the signal ends. */
const openQuestion =
  (signal: () => void): NonNullable<CommandContext['ask']> =>
  (_, options) =>
    new Promise((__, reject) => {
      options?.signal?.addEventListener('abort', () => reject(options.signal?.reason));
      signal();
    });

test.each([
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  '%s at the question before the first record: code %i, a notification, the last event, and no request',
  async (signal, code) => {
    const sandbox = await openService();
    const { url, received } = await openReceiver();
    const { onSignal, send } = signalled();
    const args = ['run', inputFile('first.jsonl', account('A-1')), '--run', at(`first-${signal}`)];
    const flags = ['--base-url', 'https://import.example.com', '--notify', url, '--log-format', 'json'];
    const ended = await runIn({ onSignal, ask: openQuestion(() => send(signal)) }, ...args, ...flags);
    const error = `${signal} ended the command. It can be repeated.`;
    expect([ended.code, ended.out]).toEqual([code, '']);
    expect(endOf(ended.err)).toMatchObject({ event: 'ended', exitCode: code, error });
    expect(received.map(({ body }) => JSON.parse(body))).toMatchObject([
      { type: 'run.waiting', data: { waitsFor: 'answer' } },
      { type: 'run.ended', data: { exitCode: code, error } },
    ]);
    expect(sandbox.requests()).toEqual([]);
    // The lock of the ledger is released.
    expect((await run(...args)).code).toBe(0);
  },
);

test('at the question after a canary: nothing is sent after it', async () => {
  const sandbox = await openService();
  const { onSignal, send } = signalled();
  const path = inputFile('three.jsonl', account('A-1'), account('A-2'), account('A-3'));
  const args = ['run', path, '--run', at('canary'), '--canary', '1'];
  let sent = 0;
  const ask = openQuestion(() => {
    sent = sandbox.requests().length;
    send('SIGTERM');
  });
  const { code, err } = await runIn({ onSignal, ask }, ...args);
  expect([code, err]).toEqual([143, 'data-import-sdk: SIGTERM ended the command. It can be repeated.\n']);
  expect(sandbox.requests()).toHaveLength(sent);
  expect((await run('run', path, '--run', at('canary'), '--canary', '0')).code).toBe(0);
});

test('during the checks before a run: the call is aborted, and no record is staged', async () => {
  const { onSignal, send } = signalled();
  await openService();
  const service = await openReceiver('silent', 'silent', 'silent');
  vi.stubEnv('DATA_IMPORT_BASE_URL', `http://${service.host}`);
  const ended = runIn(
    { onSignal },
    ...['run', inputFile('checks.jsonl', account('A-1')), '--run', at('checks'), '--log-format', 'json'],
  );
  await vi.waitFor(() => expect(service.received).toHaveLength(1), PATIENCE);
  send('SIGTERM');
  const { code, err } = await ended;
  expect([code, endOf(err).exitCode]).toEqual([143, 143]);
  expect(err).not.toContain('address');
  expect(service.received).toHaveLength(1);
});

test('while the input is counted: the rest is not read, and no question is asked', async () => {
  await openService();
  const { onSignal, send } = signalled();
  const asked: string[] = [];
  const ask = async (question: string) => {
    asked.push(question);
    return 'y';
  };
  let now = 0;
  // The count says that it takes long, and the signal follows.
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 2000));
  onTestFinished(() => void clock.mockRestore());
  const err = (text: string) => {
    if (text.startsWith('Counting')) send('SIGINT');
  };
  const path = inputFile('counted.jsonl', ...Array.from({ length: 50 }, (_, index) => account(`A-${index}`)));
  const flags = ['--base-url', 'https://import.example.com', '--run', at('counted')];
  expect((await runIn({ onSignal, ask, err }, 'run', path, ...flags)).code).toBe(130);
  expect(asked).toEqual([]);
});

test('while the ledger is opened: it is closed again, and the same command has its lock', async () => {
  await openService();
  const folder = at('opening');
  const { onSignal, send } = signalled();
  const args = ['run', inputFile('opening.jsonl', account('A-1')), '--run', folder];
  const ended = runIn({ onSignal }, ...args);
  // The ledger is opened after the folder.
  while (!existsSync(folder)) await nextTurn();
  send('SIGINT');
  expect((await ended).code).toBe(130);
  await vi.waitFor(async () => expect((await run(...args)).code).toBe(0), PATIENCE);
});
