/** `runMigration`, as code calls it: what it leaves in the folder, and that it leaves nothing on the client. */
import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { DataImportClient } from '../../src/client.js';
import {
  createMemoryLedger,
  inputFromRecords,
  type Migration,
  migrateRecord,
  openDistributedRun,
  openInput,
  openSqliteLedger,
  postgresLedger,
  runMigration,
  sampleRecords,
  startMigration,
  startWorker,
} from '../../src/migration/index.js';
import { readCsv } from '../../src/migration/input/csv/mapping/read-csv.js';
import type { Input, InputLine } from '../../src/migration/input/source.js';
import { parseRecord } from '../../src/migration/input/text/parse-record.js';
import { createSandbox, SANDBOX_SUPPLIER } from '../../src/sandbox/index.js';
import { newFolder } from '../helpers/folder.js';
import { account } from './rehearsal.js';

/** A sandbox, a client of it, and a run folder that is gone with the test. */
function scene(onUrl = (_: string) => {}) {
  const parent = newFolder('migration-');
  const sandbox = createSandbox();
  const fetch = (url: string, init: RequestInit) => {
    onUrl(url);
    return sandbox.fetch(new Request(url, init));
  };
  const client = new DataImportClient({ baseUrl: 'http://localhost:1', token: sandbox.token, fetch });
  return { client, folder: join(parent, 'run'), team: 'SANDBOX_TEAM', ledger: createMemoryLedger() };
}

test('a run reports its balance, and looks on the client no longer than it takes', async () => {
  const { client, folder, ...rest } = scene();
  const stop = vi.fn();
  const observe = vi.spyOn(client, 'on').mockReturnValue(stop);
  const input = inputFromRecords([account('A-1'), account('A-2')]);
  expect(await runMigration({ client, input, folder, ...rest })).toMatchObject({
    state: 'finished',
    reason: undefined,
    summary: { created: 2, balance: { isBalanced: true } },
  });
  expect(JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8'))).toMatchObject({ state: 'finished' });
  expect(observe).toHaveBeenCalledTimes(1);
  expect(stop).toHaveBeenCalledTimes(1);
});

describe('a closed client', () => {
  const CLOSED = 'the client is closed: create a new one';

  test('before a run: it is refused, and nothing is written', async () => {
    const options = scene();
    await options.client.close();
    const input = inputFromRecords([account('A-1')]);
    await expect(runMigration({ ...options, input })).rejects.toThrow(new Error(`runMigration: ${CLOSED}.`));
    expect(existsSync(options.folder)).toBe(false);
  });

  test.each(['check', 'stage', 'process'])('during a run, after %s: it halts at once and says so', async (step) => {
    const options = scene();
    const input = inputFromRecords(Array.from({ length: 50 }, (_, index) => account(`A-${index}`)));
    const failed: string[] = [];
    const { state, reason, summary } = await runMigration({
      ...{ ...options, input },
      onEvent: ({ number }, event) => {
        if (event.type === 'stepSucceeded' && event.step === step) void options.client.close();
        if (event.type === 'stepFailed' || event.type === 'noAnswer') failed.push(number);
      },
    });
    expect({ state, reason }).toEqual({ state: 'halted', reason: CLOSED });
    expect(summary.unknown).toBe(0);
    // As after an outage of the service, each call would otherwise be tried again for a minute.
    expect(failed).toEqual([...new Set(failed)]);
  });

  test.each(['before', 'after stage'])('%s: migrateRecord rejects, and the record has no intent', async (when) => {
    const { client, ledger, team } = scene();
    if (when === 'before') await client.close();
    const migrated = migrateRecord(account('A-1') as never, {
      ...{ client, ledger, team },
      onEvent: (_, event) => {
        if (event.type === 'stepSucceeded' && event.step === 'stage') void client.close();
      },
    });
    await expect(migrated).rejects.toThrow(new Error(`migrateRecord: ${CLOSED}.`));
    const known = await ledger.find({ supplier: SANDBOX_SUPPLIER, kind: 'account', number: 'A-1' });
    expect(known?.intent ?? null).toBe(null);
    expect(known?.done).toBe(when === 'before' ? undefined : 'stage');
  });
});

describe('a source that yields no further record', () => {
  /** Two accounts, and then no more. */
  function silentSource() {
    const asked = vi.fn();
    let read = 0;
    const end = vi.fn(() => new Promise<never>(() => {}));
    const iterator = {
      next() {
        if (read++ < 2) return Promise.resolve({ done: false as const, value: account(`A-${read}`) });
        asked();
        return new Promise<never>(() => {});
      },
      return: end,
      [Symbol.asyncIterator]: () => iterator,
    };
    return { input: inputFromRecords(iterator as never), asked, end };
  }

  const generated = () => {
    const asked = vi.fn();
    const generator = (async function* () {
      yield account('A-1');
      asked();
      await new Promise(() => {});
    })();
    return { input: inputFromRecords(generator as never), asked, end: undefined };
  };

  const WAYS: [string, (run: Migration, abort: () => void) => void, string][] = [
    ['drain', (run) => run.throttle.drain(), 'stopped'],
    ['abort', (_, abort) => abort(), 'stopped'],
    ['halt', (run) => run.throttle.halt('Enough.'), 'halted'],
  ];
  describe.each([
    ['an iterator', silentSource],
    ['a generator', generated],
  ])('%s', (_, source) => {
    test.each(WAYS)('%s ends the run, and nothing was sent', async (_name, stop, state) => {
      const options = scene();
      const aborting = new AbortController();
      const { input, asked, end } = source();
      const run = await startMigration({ ...options, input, signal: aborting.signal });
      await vi.waitFor(() => expect(asked).toHaveBeenCalled());
      stop(run, () => aborting.abort());
      const result = await run.finished;
      expect(result.state).toBe(state);
      expect(result.summary).toMatchObject({ created: 0, unfinished: 0 });
      if (end !== undefined) expect(end).toHaveBeenCalledTimes(1);
    });
  });

  test.each([
    ['ends', [], () => Promise.resolve({ done: true as const, value: undefined }), 'finished'],
    [
      'fails',
      [new Error('The export cannot be read.')],
      () => Promise.reject(new Error('The export cannot be read.')),
      undefined,
    ],
  ] as const)('of a source that %s `return` is not called, as by `for await`', async (_, errors, last, state) => {
    const end = vi.fn(async () => ({ done: true as const, value: undefined }));
    let read = 0;
    const next = () => (read++ === 0 ? Promise.resolve({ done: false as const, value: account('A-1') }) : last());
    const iterator = { next, return: end, [Symbol.asyncIterator]: () => iterator };
    const run = runMigration({ ...scene(), input: inputFromRecords(iterator as never) });
    const [error] = errors;
    if (error === undefined) expect(await run).toMatchObject({ state });
    else await expect(run).rejects.toThrow(error);
    expect(end).not.toHaveBeenCalled();
  });

  test('a function of the caller that throws meanwhile ends the run', async () => {
    const options = scene();
    const lines = (async function* () {
      yield { account: 'none' };
      await new Promise(() => {});
    })();
    const run = runMigration({
      ...{ ...options, input: inputFromRecords(lines as never) },
      onLine() {
        throw new Error('No.');
      },
    });
    await expect(run).rejects.toThrow('No.');
  });
});

test('a run that is drained while it reads its input is not finished, although no record is unfinished', async () => {
  const options = scene();
  let readings = 0;
  const drained = await startMigration({
    ...options,
    input: inputFromRecords(async function* () {
      readings++;
      yield account('A-1');
      // Before the run begins, it looks whether there is a record.
      if (readings === 2) drained.throttle.drain();
      yield account('A-2');
      yield account('A-3');
    }),
  });
  expect(await drained.finished).toMatchObject({ state: 'stopped', summary: { created: 0, unfinished: 0 } });

  const again = await runMigration({
    ...options,
    input: inputFromRecords(['A-1', 'A-2', 'A-3'].map((number) => account(number))),
  });
  expect(again).toMatchObject({ state: 'finished', summary: { created: 3, balance: { isBalanced: true } } });
});

test('numbers with half a character are refused before a ledger takes two of them for one', async () => {
  const { ledger: _, ...options } = scene();
  const input = inputFromRecords([account('A\ud800'), account('A\ud801'), account('A-3')]);
  const { summary } = await runMigration({ ...options, input });
  expect(summary.balance.text).toBe('1 created + 0 already imported + 2 rejected + 0 skipped + 0 unknown = 3');
  expect(summary.errors).toMatchObject([
    { step: 'read', code: 'invalid_unicode', attr: 'account.external_account_number', count: 2 },
  ]);
});

/** Makes inputs from these lines of two files; `before` is called before each line, so that it can end the run there. */
function brokenInput(...lines: string[]) {
  const items: InputLine[] = lines.map((text, index) =>
    problemOrRecord(index < 3 ? 'a.jsonl' : 'b.jsonl', (index % 3) + 1, text),
  );
  return (before?: (item: InputLine) => void): Input => ({
    async *[Symbol.asyncIterator]() {
      for (const item of items) {
        before?.(item);
        yield item;
      }
    },
  });
}

const problemOrRecord = (source: string, line: number, text: string): InputLine => ({
  source,
  line,
  text,
  hash: hash('sha256', text),
  read: () => parseRecord(text),
});

const placesIn = (folder: string, name: string): [string, number][] =>
  readFileSync(join(folder, name), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((entry) => JSON.parse(entry))
    .map(({ source, line }) => [source, line]);

test('a session that stops early keeps the findings of lines that it did not read, and replaces the others', async () => {
  const { ledger: _, ...options } = scene();
  const good = (number: string) => JSON.stringify(account(number));
  const lines = ['{', good('A-1'), '{{', '{{{', good('A-1'), '{'] as const;
  const first = await runMigration({ ...options, input: brokenInput(...lines)() });
  const text = '1 created + 0 already imported + 4 rejected + 1 skipped + 0 unknown = 6';
  expect(first.summary.balance.text).toBe(text);
  const places = [
    ['a.jsonl', 1],
    ['a.jsonl', 3],
    ['b.jsonl', 1],
    ['b.jsonl', 3],
  ];
  expect(placesIn(options.folder, 'rejected.jsonl')).toEqual(places);

  // Halted before a line was read.
  let halt = () => {};
  const halted = await startMigration({ ...options, input: brokenInput(...lines)(() => halt()) });
  halt = () => halted.throttle.halt('401');
  expect((await halted.finished).summary.balance.text).toBe(text);
  expect(placesIn(options.folder, 'rejected.jsonl').sort()).toEqual(places);
  expect(placesIn(options.folder, 'skipped.jsonl')).toEqual([['b.jsonl', 2]]);

  // A canary over an input of which a line that it reads was corrected.
  const corrected = brokenInput('{', good('A-1'), good('A-3'), '{{{', good('A-1'), '{')();
  const { summary } = await runMigration({ ...options, input: corrected, canary: 4 });
  expect(summary.balance.text).toBe('2 created + 0 already imported + 3 rejected + 1 skipped + 0 unknown = 6');
  expect(placesIn(options.folder, 'rejected.jsonl').sort()).toEqual([
    ['a.jsonl', 1],
    ['b.jsonl', 1],
    ['b.jsonl', 3],
  ]);
  expect(JSON.parse(readFileSync(join(options.folder, 'run.json'), 'utf8')).lines).toMatchObject({
    rejected: 3,
    skipped: 1,
  });
});

const full = () => {
  throw new Error('full');
};

test.each([
  ['an exception', full],
  ['a promise that rejects at once', async () => full()],
  ['a promise that rejects later', () => new Promise(setImmediate).then(full)],
])('%s in a callback ends the run, which the same options continue', async (_, callback) => {
  const records = [{ acount: {} }, ...Array.from({ length: 40 }, (_, index) => account(`A-${index}`))];
  for (const name of ['onEvent', 'onLine']) {
    const options = { ...scene(), input: inputFromRecords(records) };
    await expect(runMigration({ ...options, [name]: callback })).rejects.toThrow(new Error('full'));
    expect(JSON.parse(readFileSync(join(options.folder, 'run.json'), 'utf8'))).not.toMatchObject({ state: 'finished' });
    // What had begun has ended: no request is without an answer, for whose end the next session would wait.
    const { summary } = await runMigration(options);
    expect(summary.balance.text).toBe('40 created + 0 already imported + 1 rejected + 0 skipped + 0 unknown = 41');
  }
});

test('after an exception in a callback no further record is begun', async () => {
  let staged = 0;
  const options = scene((url) => {
    if (url.endsWith('/create-or-update/')) staged++;
  });
  const input = inputFromRecords(Array.from({ length: 500 }, (_, index) => account(`A-${index}`)));
  await expect(runMigration({ ...options, input, onEvent: full })).rejects.toThrow(new Error('full'));
  expect(staged).toBeLessThan(400);
});

test('a promise of continueWith is refused, and the folder stays usable', async () => {
  const options = { ...scene(), input: inputFromRecords([account('A-1')]) };
  await expect(runMigration({ ...options, continueWith: (async () => 'again') as never })).rejects.toThrow(
    new TypeError(
      'runMigration: continueWith: the result of the function: expected a value of type string, found a promise.',
    ),
  );
  expect(await runMigration(options)).toMatchObject({ state: 'finished' });
});

test('a run ends after the promises of its callbacks', async () => {
  const done: string[] = [];
  const onEvent = async ({ number }: { number: string }) => {
    await new Promise(setImmediate);
    done.push(number);
  };
  await runMigration({ ...scene(), input: inputFromRecords([account('A-1')]), onEvent });
  const count = done.length;
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  expect([count > 0, done.length]).toEqual([true, count]);
});

test('migrateRecord rejects if the promise of onEvent rejects, and continues with the next call', async () => {
  const { folder: _, ...options } = scene();
  const called = migrateRecord(account('A-1'), { ...options, onEvent: async () => full() });
  await expect(called).rejects.toThrow(new Error('full'));
  expect(await migrateRecord(account('A-1'), options)).toMatchObject({ state: 'complete' });
});

test.each([
  [
    { setAside: true, check_previously_added: false },
    new RangeError(
      'setAside: expected check_previously_added not to be false. The other transactions of a refused request are sent again, and the service would not skip those that it has stored.',
    ),
  ],
  [{ profile: { requierd: {} } }, new TypeError('profile: no rule requierd; did you mean required?')],
])('migrateRecord refuses %j as a run does', async (wrong, error) => {
  const { folder: _, ...options } = scene();
  await expect(migrateRecord(account('A-1'), { ...options, ...(wrong as object) })).rejects.toThrow(error);
});

test('inputFromRecords waits for the promise of its function', async () => {
  const input = inputFromRecords(async () => [account('A-1')]);
  expect((await runMigration({ ...scene(), input })).summary.created).toBe(1);
  await expect(runMigration({ ...scene(), input: inputFromRecords((() => 7) as never) })).rejects.toThrow(
    'inputFromRecords: the result of the function: expected records in an array, an iterable or an async iterable, found 7.',
  );
});

test.each([
  [{ transactionsAtOnce: 0 }, 'transactionsAtOnce: expected a whole number from 1 up, found 0.'],
  [{ transactionsAtOnce: 1.5 }, 'transactionsAtOnce: expected a whole number from 1 up, found 1.5.'],
  [{ canary: -1 }, 'canary: expected a whole number from 0 up, found -1.'],
  [{ dryRun: 0 }, 'dryRun: expected none, first, all, or a whole number from 1 up, found 0.'],
  [
    { setAside: true, check_previously_added: false },
    'setAside: expected check_previously_added not to be false. The other transactions of a refused request are sent again, and the service would not skip those that it has stored.',
  ],
])('%j is refused before anything is made', async (options, message) => {
  const { folder, ...rest } = scene();
  const starting = startMigration({ ...rest, folder, input: inputFromRecords([account('A-1')]), ...options });
  await expect(starting).rejects.toThrow(new RangeError(message));
  expect(existsSync(folder)).toBe(false);
});

test.each([
  [{ canery: 3 }, 'runMigration: no option canery; did you mean canary?'],
  [
    { checkPreviouslyAdded: false },
    'runMigration: no option checkPreviouslyAdded; did you mean check_previously_added?',
  ],
  [
    { check_previously_added: 'false' },
    'runMigration: check_previously_added: expected a value of type boolean, found string.',
  ],
  [{ resendAfter500: 'no' }, 'runMigration: resendAfter500: expected a value of type boolean, found string.'],
  [{ addToExisting: 'false' }, 'addToExisting: expected true, false or all.'],
  [{ team: undefined }, 'runMigration: team: expected a text that is not empty, found undefined.'],
  [{ team: '' }, 'runMigration: team: expected a text that is not empty, found an empty text.'],
  [
    { input: [account('A-1')] },
    'runMigration: input: expected the result of openInput or inputFromRecords, found a list.',
  ],
  [
    { client: { baseUrl: 'https://api.example.com' } },
    'runMigration: client: expected a DataImportClient, found object.',
  ],
  [{ signal: {} }, 'runMigration: signal: expected an AbortSignal, found object.'],
  [{ ledger: 'ledger.sqlite' }, 'runMigration: ledger: expected a ledger, found string.'],
  [{ onEvent: null }, 'runMigration: onEvent: expected a value of type function, found null.'],
  [{ continueWith: 7 }, 'runMigration: continueWith: expected a text, or a function that returns one, found 7.'],
  [{ serviceStartedAt: {} }, 'runMigration: serviceStartedAt: expected a valid Date, found object.'],
  [{ profile: Promise.resolve({}) }, 'runMigration: profile: expected a value of type object, found a promise.'],
  [{ profile: { requierd: {} } }, 'profile: no rule requierd; did you mean required?'],
  [{ throttle: { rsp: 5 } }, 'runMigration: throttle: no option rsp; did you mean rps?'],
  [
    { throttle: { process: { max: 5 } } },
    'runMigration: throttle.process: no option max; there are least, most, start.',
  ],
  [
    { throttle: { halt: { same: 3 } } },
    'runMigration: throttle.halt: min: expected a value of type number, found undefined.',
  ],
])('%j, as JavaScript may pass it, is refused before anything is made', async (options, message) => {
  const { folder, ...rest } = scene();
  const given = { ...rest, folder, input: inputFromRecords([account('A-1')]), ...(options as object) };
  await expect(startMigration(given)).rejects.toThrow(new TypeError(message));
  expect(existsSync(folder)).toBe(false);
});

const recordOptions = () => {
  const { folder: _, ...options } = scene();
  return options;
};
const NEVER = { address: 'https://api.example.com', database: 'postgres://x/y' };

test.each<[string, (misspelt: object) => unknown]>([
  ['migrateRecord', (more) => migrateRecord(account('A-1'), { ...recordOptions(), ...more })],
  ['openInput', (more) => openInput(['none.jsonl'], more)],
  ['sampleRecords', (more) => sampleRecords(more)],
  ['openSqliteLedger', (more) => openSqliteLedger('none.sqlite', more)],
  ['postgresLedger', (more) => postgresLedger({ connectionString: 'postgres://x/y', ...more })],
  ['openDistributedRun', (more) => openDistributedRun({ ...NEVER, ...more })],
  ['startWorker', (more) => startWorker({ ...NEVER, client: scene().client, ...more })],
  ['readCsv', (more) => readCsv('none.csv', more)],
])('%s refuses an option that it does not have', async (name, call) => {
  await expect((async () => call({ misspelt: 1 }))()).rejects.toThrow(`${name}: no option misspelt; `);
});

test('openInput refuses a path in place of a list', async () => {
  await expect(openInput('input.jsonl' as never)).rejects.toThrow(
    new TypeError('openInput: expected a list of paths.'),
  );
});
