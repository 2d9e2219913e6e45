/** `data-import-sdk worker`: its options, exit codes and output. A stub stands for the worker. */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { INERT_CONTEXT } from '../../../src/cli/commands.js';
import { runWorker } from '../../../src/cli/distributed/run-worker.js';
import { command as workerCommand } from '../../../src/cli/distributed/worker-command.js';
import type { RunEvent } from '../../../src/cli/monitoring/events/run-events.js';
import type { CommandContext, EndingSignal } from '../../../src/cli/shared/command-context.js';
import { exitCodeOfError } from '../../../src/cli/shared/error-causes.js';
import { CannotJoinError } from '../../../src/migration/distributed/cannot-join.js';
import type { WorkerWork } from '../../../src/migration/distributed/ledger/worker-rows.js';
import type { StartedWorker, WorkerOptions } from '../../../src/migration/distributed/worker/worker.js';
import type { WorkerStatus } from '../../../src/migration/distributed/worker/worker-status.js';
import { LedgerLockedError } from '../../../src/migration/ledger/locked-error.js';
import { LedgerDatabaseError } from '../../../src/migration/ledger/postgres/database-error.js';
import { fakeClock } from '../../migration/throttle/fake-clock.js';
import { run } from '../typed.js';

const DATABASE = 'postgres://importer:hunter2@db.example.com/import';
const UNREACHABLE = ['--database', DATABASE, '--base-url', 'http://127.0.0.1:9'];
const NEEDED = ['--database', DATABASE, '--base-url', 'https://api.example.com'];
const draining = (seconds: number) =>
  `Draining: no new call starts. Waits for the calls in flight, for up to ${seconds} s; Ctrl-C again, or another signal, aborts them.\n`;
const WORK: WorkerWork = { ended: 12, requests: 40, throttled: 3, takenOver: 1 };
const COUNTS = '12 records ended, 40 requests, 3 answered 429, 1 taken over';
const WORKING: WorkerStatus = {
  ...{ state: 'working', isReady: true, hasLease: true, lacks: [] },
  ...{ records: 5, work: WORK, pace: undefined },
};

/** A worker whose end the test decides, behind the command as it is typed, once that listens to signals or has ended. */
async function begun(...args: string[]) {
  vi.stubEnv('DATA_IMPORT_TOKEN', 'an-invented-token');
  onTestFinished(() => void vi.unstubAllEnvs());
  const said = { out: '', err: '', code: undefined as number | undefined, next: undefined as string | undefined };
  const reported: RunEvent[] = [];
  const commands: string[] = [];
  const listeners = new Set<(signal: EndingSignal) => void>();
  const clock = fakeClock();
  const state = { status: WORKING };
  let settle = { resolve: (_: Awaited<StartedWorker['finished']>) => {}, reject: (_: Error) => {} };
  let options: WorkerOptions | undefined;
  let ended = Promise.resolve();
  await new Promise<void>((onListening) => {
    const context: CommandContext = {
      ...INERT_CONTEXT,
      exit: (code) => void Object.assign(said, { code }),
      out: (text) => void Object.assign(said, { out: said.out + text }),
      err: (text) => void Object.assign(said, { err: said.err + text }),
      report: (event) => void reported.push(event),
      command: { verb: 'worker', parts: [{ flag: '--name', value: 'W1' }] },
      sent: (next) => void Object.assign(said, { next: next() }),
      onSignal(listener) {
        listeners.add(listener);
        onListening();
        return () => void listeners.delete(listener);
      },
    };
    const start = async (given: WorkerOptions): Promise<StartedWorker> => {
      options = given;
      const finished: StartedWorker['finished'] = new Promise((resolve, reject) => {
        settle = { resolve, reject };
      });
      const [drain, stop] = ['drain', 'stop'].map((command) => () => void commands.push(command)) as [
        () => void,
        () => void,
      ];
      return { status: () => state.status, drain, stop, finished };
    };
    const command = workerCommand(context, 'worker').action((flags) => runWorker(flags, context, { clock, start }));
    ended = command.parseAsync(args.length === 0 ? NEEDED : args, { from: 'user' }).then(
      () => {},
      (error: Error) =>
        void Object.assign(said, { err: `data-import-sdk: ${error.message}\n`, code: exitCodeOfError(error) }),
    );
    // A command that ends before it listens fails the test at once.
    void ended.then(onListening);
  });
  return {
    ...{ said, reported, commands, clock, state },
    /** Ends the worker; settles as the command. */
    end(how: 'over' | 'drained') {
      settle.resolve({ state: how, work: WORK });
      return ended;
    },
    fail(error: Error) {
      settle.reject(error);
      return ended;
    },
    options: () => options,
    signal: (signal: EndingSignal) => {
      for (const listener of listeners) listener(signal);
    },
    /** Nothing is left that listens or waits. */
    left: () => listeners.size + clock.timers(),
  };
}

/** Its client makes a call that nothing answers. */
async function callInVain(options: WorkerOptions | undefined): Promise<void> {
  await options?.client.imports.all('ACME').catch(() => {});
}

test('a connection to the service that fails is reported once, with host and cause', async () => {
  const { said, options, end } = await begun(...UNREACHABLE, '--max-retries', '1');
  await callInVain(options());
  await end('over');
  expect(said.err).toBe(
    'data-import-sdk: connection to 127.0.0.1:9 failed: ECONNREFUSED, nothing listens on this port.\n',
  );
});

test('before its first request for a record it has no command to give after an error, and then its own', async () => {
  const { said, options, end, state } = await begun(...UNREACHABLE, '--max-retries', '0');
  const { status } = state;
  // It checks the service.
  state.status = { ...status, state: 'waiting' };
  await callInVain(options());
  expect(said.next).toBeUndefined();
  state.status = { ...status, state: 'working' };
  await callInVain(options());
  expect(said.next).toBe('data-import-sdk worker --name W1');
  await end('over');
});

describe('its options', () => {
  test('are what the worker gets', async () => {
    const given = ['--database-schema', 'east', '--name', 'W1', '--concurrency', '8'];
    const [byDefault, { options, end }] = [await begun(), await begun(...NEEDED, ...given)];
    expect(byDefault.options()).toMatchObject({ concurrency: 32, schema: undefined, name: undefined });
    expect(options()).toMatchObject({
      ...{ address: 'https://api.example.com', database: DATABASE },
      ...{ schema: 'east', name: 'W1', concurrency: 8 },
    });
    await Promise.all([byDefault.end('over'), end('over')]);
  });

  test.each([
    [['--base-url', 'https://api.example.com'], 'no database: give --database (or DATA_IMPORT_DATABASE)'],
    [['--database', DATABASE], 'no service: give --base-url (or DATA_IMPORT_BASE_URL)'],
    [NEEDED, 'no token: give DATA_IMPORT_TOKEN'],
    [[...NEEDED, '--concurrency', '0'], 'Expected a whole number from 1 up.'],
    [[...NEEDED, '--concurrency', 'many'], 'Expected a whole number from 1 up.'],
    [[...NEEDED, '--drain-within', '0'], 'Expected a number above 0 in digits, such as 20 or 0.5.'],
    [[...NEEDED, '--health', 'all:of:it'], '--health: found all:of:it, expected a port such as 9464'],
    [[...NEEDED, '--health', '65536'], '--health: found 65536, expected a port such as 9464'],
    [[...NEEDED, '--sandbox'], "unknown option '--sandbox'"],
    [[...NEEDED, '--team', 'EAST'], "unknown option '--team'"],
  ])('%j is code 2', async (args, complaint) => {
    const { code, out, err } = await run('worker', ...args);
    expect([code, out, err]).toEqual([2, '', expect.stringContaining(complaint)]);
    expect(err).not.toContain('hunter2');
  });
});

describe('its end', () => {
  test('with the run is code 0', async () => {
    const { end, said, left } = await begun();
    await end('over');
    expect(said).toEqual({ code: 0, out: `The run is over: ${COUNTS}.\n`, err: '' });
    expect(left()).toBe(0);
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('by %s, drained, is code 0', async (name) => {
    const { signal, end, said, commands, left } = await begun();
    signal(name);
    expect(commands).toEqual(['drain']);
    await end('drained');
    expect(said).toEqual({
      code: 0,
      out: `Drained: ${COUNTS}. Other workers continue with the records that it had not begun to send.\n`,
      err: draining(30),
    });
    expect(left()).toBe(0);
  });

  test('calls in flight after --drain-within are aborted: code 143', async () => {
    const { signal, end, said, commands, clock } = await begun(...NEEDED, '--drain-within', '5');
    signal('SIGTERM');
    await clock.advance(4999);
    expect(commands).toEqual(['drain']);
    await clock.advance(1);
    expect(commands).toEqual(['drain', 'stop']);
    await end('drained');
    expect(said).toEqual({
      code: 143,
      out: `Aborted: ${COUNTS}. Other workers take over its records, and first ask the service whether its last requests took effect.\n`,
      err: `${draining(5)}Aborting calls in flight: they have not ended within 5 s.\n`,
    });
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)(
    'a second signal, %s, aborts: code %i, no call fails by that; a third one changes nothing',
    async (name, code) => {
      const { signal, end, said, commands, options } = await begun(...UNREACHABLE, '--max-retries', '0');
      signal('SIGTERM');
      signal(name);
      signal('SIGINT');
      expect(commands).toEqual(['drain', 'stop']);
      await callInVain(options());
      await end('drained');
      expect(said).toMatchObject({ code, err: `${draining(30)}Aborting calls in flight: a second signal.\n` });
    },
  );

  test('a run that ends while its worker is aborted counts as over; as one line of JSON', async () => {
    const { signal, end, said } = await begun(...NEEDED, '--json');
    signal('SIGINT');
    signal('SIGINT');
    await end('over');
    const out = '{"state":"over","ended":12,"requests":40,"throttled":3,"takenOver":1}\n';
    expect(said).toMatchObject({ code: 0, out });
  });

  test.each([
    [new CannotJoinError('distributed run: the run goes elsewhere.', 'settings'), 2],
    [new CannotJoinError('distributed run: the service does not take the token.', 'notAccepted'), 8],
    [new LedgerDatabaseError('ledger: cannot open it.'), 2],
    [new LedgerLockedError('ledger: a run of one machine has it.'), 11],
    [new Error('an unforeseen failure'), 1],
  ])('by an error: %s is code %i', async (error, code) => {
    const { fail, said, left } = await begun();
    await fail(error);
    expect(said).toEqual({ code, out: '', err: `data-import-sdk: ${error.message}\n` });
    expect(left()).toBe(0);
  });
});

describe('while it works', () => {
  test('is an event instead with --log-format json, as is its end', async () => {
    const { said, reported, clock, end } = await begun(...NEEDED, '--log-format', 'json');
    await clock.advance(30_000);
    await end('over');
    expect(said.err).toBe('');
    expect(reported).toEqual([
      { event: 'worker.progress', state: 'working', recordsInProgress: 5, work: WORK },
      { event: 'worker.ended', state: 'over', work: WORK },
    ]);
  });

  test('it prints every 30 seconds its progress, and why it sends nothing; nothing while it waits for a run, except its notes', async () => {
    const { options, end, said, state, clock } = await begun();
    const printed = async (status: Partial<WorkerStatus>) => {
      state.status = { ...WORKING, ...status };
      said.err = '';
      await clock.advance(29_999);
      const early = said.err;
      await clock.advance(1);
      return [early, said.err];
    };
    options()?.onNote?.('waiting for a run to begin');
    expect(said.err).toBe('data-import-sdk: waiting for a run to begin\n');
    expect(await printed({ state: 'waiting' })).toEqual(['', '']);
    const line = `working: ${COUNTS}, 5 in progress.`;
    expect(await printed({})).toEqual(['', `${line}\n`]);
    const pace = { state: 'paused', reason: 'lunch', process: { limit: 4 } } as WorkerStatus['pace'];
    expect(await printed({ pace })).toEqual(['', `${line} The run: paused (lunch).\n`]);
    const lost = { hasLease: false, lacks: ['the ledger is out of reach'] };
    expect(await printed(lost)).toEqual(['', `${line} It sends nothing: the ledger is out of reach.\n`]);
    await end('over');
  });
});
