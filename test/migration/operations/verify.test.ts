/** Compares a ledger with the lists of a service: of any length, interrupted, with duplicate entries, or missing (U4). */
import { join } from 'node:path';
import { DataImportClient, type DataImportClientOptions } from 'data-import-sdk';
import { createSandbox } from 'data-import-sdk/sandbox';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Ledger, LedgerRecord } from '../../../src/migration/ledger/ledger.js';
import { createMemoryLedger } from '../../../src/migration/ledger/memory.js';
import { openSqliteLedger } from '../../../src/migration/ledger/sqlite/sqlite-ledger.js';
import { compareWithService } from '../../../src/migration/operations/verify/compare-with-service.js';
import { type Comparison, verificationOf } from '../../../src/migration/operations/verify/comparison.js';
import { clientOf, errorOf } from '../../helpers/client-of.js';
import { seed } from '../../helpers/seed.js';
import { type ImportServiceOptions, startImportService } from '../../support/import-service.js';
import { emptyFolder, ledgerOf, record } from '../ledger/records.js';

const nothingThere = () => {
  const sandbox = createSandbox({ settings: { unmatchedList: 'not-found' } });
  return new DataImportClient({ baseUrl: 'http://127.0.0.1', token: sandbox.token, fetch: sandbox.fetch });
};

test('U4 a list that is not found is empty if the ledger has no created account either', async () => {
  const ledger = await ledgerOf([record('A-1', { outcome: 'rejected' }), record('A-2')]);
  expect(await compareWithService(ledger, nothingThere())).toMatchObject({
    same: 0,
    notImported: 2,
    differences: [],
  });
});

test('U4 a list that is not found is reported if the ledger has accounts in it: perhaps the address is wrong', async () => {
  const ledger = await ledgerOf([record('A-1', { outcome: 'created', serviceNumber: '0012' })]);
  await expect(compareWithService(ledger, nothingThere())).rejects.toMatchObject({
    name: 'NotFoundError',
    status: 404,
  });
});

const LIST = 'GET all-account-import-processes/SANDBOX_SUPPLIER/';
const created = (number: string, serviceNumber: string | null = `S-${number}`) =>
  record(number, { outcome: 'created', serviceNumber });
const entry = (number: string, service: string | null = `S-${number}`) => ({
  external_account_number: number,
  service_account_number: service,
  account_created_at: service === null ? null : '2026-01-15T09:00:00+00:00',
});
const numbers = (count: number) => Array.from({ length: count }, (_, index) => `A-${index}`);

async function open(list: ImportServiceOptions['list'] & object, options: Partial<DataImportClientOptions> = {}) {
  const service = await startImportService({ list });
  onTestFinished(() => service.close());
  return { service, client: clientOf(service, options) };
}

/** The fields of a comparison that these tests check. */
const said = ({ same, notImported, changed, differing, differences, byKind }: Comparison) => ({
  ...{ same, notImported, changed, differing },
  byKind: Object.fromEntries([...byKind].map(([kind, { count }]) => [kind, count])),
  differences: differences.map(({ sign, number, what }) => `${sign} ${number}: ${what}`).sort(),
});

test('a list larger than maxAnswerBytes is compared to its end (issue 19)', async () => {
  const { client } = await open(() => ({ entries: numbers(3000).map((number) => entry(number)) }), {
    advanced: { maxAnswerBytes: 1000 },
  });
  const ledger = await ledgerOf(numbers(2999).map((number) => created(number)));
  expect(said(await compareWithService(ledger, client))).toEqual({
    ...{ same: 2999, notImported: 0, changed: 0, differing: 1, byKind: { notInLedger: 1 } },
    differences: ['+ A-2999: imported, and not in the ledger'],
  });
});

describe('a list that is cut off', () => {
  // With one of each difference before the place where it breaks.
  const before = [entry('A-0'), entry('A-1', 'other'), entry('A-2', null), entry('A-3'), entry('X-1'), entry('X-1')];
  const list = [...before, ...numbers(1000).map((number) => entry(`B-${number}`)), entry('A-4')];
  const records = ['A-0', 'A-1', 'A-2', 'A-4', 'A-5'].map((number) => created(number));
  const whole = {
    ...{ same: 2, notImported: 0, changed: 0, differing: 1006 },
    byKind: { missing: 1, onlyStaged: 1, otherNumber: 1, notCreated: 1, notInLedger: 1001, listedTwice: 1 },
  };

  test.each([6, 900])(
    'after %i entries is read again from its beginning, and nothing counts twice',
    async (breakAfter) => {
      let reads = 0;
      const { client, service } = await open(() => (++reads < 3 ? { entries: list, breakAfter } : { entries: list }));
      const ledger = await ledgerOf([...records, record('A-3', { outcome: 'rejected' })]);
      const comparison = await compareWithService(ledger, client, { limit: 10 });
      expect(said(comparison)).toMatchObject(whole);
      expect(comparison.differences).toHaveLength(10);
      expect(new Set(comparison.differences.map(({ kind, number }) => `${kind} ${number}`)).size).toBe(10);
      expect(service.requests).toEqual([LIST, LIST, LIST, 'GET account-transfer-status/SANDBOX_SUPPLIER/A-5/']);
    },
  );

  test('each time is read maxRetries times, and never counts as complete', async () => {
    const { client, service } = await open(() => ({ entries: list, breakAfter: 900 }), { maxRetries: 2 });
    const ledger = await ledgerOf(records);
    expect(await errorOf(compareWithService(ledger, client))).toMatchObject({ name: 'ConnectionError' });
    expect(service.requests).toEqual([LIST, LIST, LIST]);
  });

  test('before it begins is read as often as the client reads it', async () => {
    const service = await startImportService({ fault: () => 'reset' });
    onTestFinished(() => service.close());
    const comparison = compareWithService(await ledgerOf(records), clientOf(service, { maxRetries: 2 }));
    expect(await errorOf(comparison)).toMatchObject({ name: 'ConnectionError' });
    expect(service.requests).toHaveLength(3);
  });
});

test('an account that is listed twice is a separate difference, with any content', async () => {
  const list = [
    ...[entry('A-0'), entry('A-0')],
    ...[entry('A-1'), entry('A-1', 'other')],
    ...[entry('A-2', 'other'), entry('A-2')],
    ...[entry('A-3', null), entry('A-3', null), entry('A-3')],
    ...[entry('X-1', null), entry('X-1')],
  ];
  const { client } = await open(() => ({ entries: list }));
  const ledger = await ledgerOf([
    created('A-0'),
    created('A-1'),
    created('A-2'),
    record('A-3', { outcome: 'rejected' }),
  ]);
  const comparison = await compareWithService(ledger, client);
  expect(said(comparison)).toEqual({
    ...{ same: 2, notImported: 1, changed: 0, differing: 7, byKind: { otherNumber: 1, listedTwice: 6 } },
    differences: [
      '! A-0: listed again, imported as S-A-0',
      '! A-1: listed again, imported as other',
      '! A-2: S-A-2 in the ledger, and other on the service',
      '! A-2: listed again, imported as S-A-2',
      '! A-3: listed again, imported as S-A-3',
      '! A-3: listed again, only staged',
      '! X-1: listed again, imported as S-X-1',
    ],
  });
  expect(verificationOf(comparison, 'now')).toMatchObject({
    compared: 4,
    differences: [{ count: 1 }, { what: 'More than once in the list of the service', count: 6 }],
  });
});

test('differences beyond the limit are counted and not kept', async () => {
  const { client } = await open(() => ({ entries: numbers(500).map((number) => entry(number)) }));
  const comparison = await compareWithService(await ledgerOf([record('A-1')]), client, { limit: 2 });
  expect(said(comparison)).toMatchObject({ differing: 500, byKind: { notCreated: 1, notInLedger: 499 } });
  expect(comparison.differences).toHaveLength(2);
  expect(verificationOf(comparison, 'now').differences).toMatchObject([
    { samples: ['…1'] },
    { samples: ['…0', '…2', '…3'] },
  ]);
});

test('what a run creates while the list is read is no difference', async () => {
  const ledger = await ledgerOf([record('A-1'), record('A-2')]);
  const { client } = await open(() => ({
    entries: (function* () {
      // The run creates both, the list was made up in between; A-3 is read by the run only then.
      void ledger.write({ ...created('A-1'), version: 2 });
      void ledger.write({ ...created('A-2'), version: 2 });
      void ledger.write(created('A-3'));
      yield entry('A-1');
    })(),
  }));
  expect(said(await compareWithService(ledger, client))).toMatchObject({ same: 1, changed: 2, differing: 0 });
});

describe.each([
  ['memory', async () => createMemoryLedger()],
  ['SQLite', async () => await openSqliteLedger(join(emptyFolder(), 'ledger.sqlite'), { thread: 'never' })],
])('in %s', (_, openLedger) => {
  test('each account is compared by its record and its entry, in any order', { tags: 'long' }, async () => {
    const ledgerRecord = fc.constantFrom<Partial<LedgerRecord>>(
      { outcome: 'created', serviceNumber: 'S-1' },
      { outcome: 'alreadyImported', serviceNumber: null },
      { outcome: 'rejected' },
      { outcome: 'unknown', serviceNumber: 'S-1' },
      {},
    );
    const account = fc.record({
      record: fc.option(ledgerRecord, { nil: undefined }),
      entry: fc.constantFrom(undefined, null, 'S-1', 'S-2'),
      order: fc.nat(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(account, { maxLength: 12 }), async (accounts) => {
        const named = accounts.map((one, index) => ({ ...one, number: `A-${index}` }));
        const ledger: Ledger = await openLedger();
        // One more, so that the supplier is known.
        await ledger.write(created('first'));
        for (const { number, record: more } of named) if (more !== undefined) await ledger.write(record(number, more));
        const listed = named.filter((one) => one.entry !== undefined).sort((a, b) => a.order - b.order);
        const entries = [entry('first'), ...listed.map((one) => entry(one.number, one.entry ?? null))];
        const fetch = async () => Response.json(entries);
        const client = new DataImportClient({ baseUrl: 'http://127.0.0.1', token: 'T', fetch });
        const comparison = said(await compareWithService(ledger, client));
        await ledger.close();
        const outcomes = named.map((one) => outcomeOf(one.record, one.entry));
        const count = (outcome: string) => outcomes.filter((one) => one === outcome).length;
        expect(comparison.same).toBe(1 + count('same'));
        expect(comparison.notImported).toBe(count('notImported'));
        for (const kind of ['missing', 'onlyStaged', 'otherNumber', 'notCreated', 'notInLedger']) {
          expect([kind, comparison.byKind[kind] ?? 0]).toEqual([kind, count(kind)]);
        }
        expect(comparison).toMatchObject({ changed: 0 });
      }),
      { seed, numRuns: 30 },
    );
  });
});

/** As the help of `verify` says it, account by account. */
function outcomeOf(ledger: Partial<LedgerRecord> | undefined, service: string | null | undefined): string {
  if (ledger === undefined) return service == null ? 'nothing' : 'notInLedger';
  if (ledger.serviceNumber === undefined && ledger.outcome !== 'alreadyImported') {
    return service == null ? 'notImported' : 'notCreated';
  }
  if (service === undefined) return 'missing';
  if (service === null) return 'onlyStaged';
  return ledger.serviceNumber === null || ledger.serviceNumber === service ? 'same' : 'otherNumber';
}

test('an empty service account number is that of an account which is only staged, if it has no date either', async () => {
  const staged = (number: string) => ({ ...entry(number, ''), account_created_at: null });
  const { client } = await open(() => ({ entries: [staged('A-1'), staged('X-1')] }));
  const comparison = await compareWithService(await ledgerOf([record('A-1', { outcome: 'rejected' })]), client);
  expect(said(comparison)).toMatchObject({ same: 0, notImported: 1, differing: 0 });
});

test('an entry with a date and without a number is of an account that exists', async () => {
  const { client } = await open(() => ({ entries: [entry('A-1', ''), entry('A-2', '')] }));
  const comparison = await compareWithService(await ledgerOf([created('A-1'), record('A-2')]), client);
  expect(said(comparison)).toMatchObject({
    ...{ same: 1, notImported: 0, differing: 1, byKind: { notCreated: 1 } },
    differences: ['+ A-2: imported, without a number, and open in the ledger'],
  });
});

test('a list with only external account numbers is completed by the status of each account', async () => {
  const statuses: Record<string, object> = {
    'A-1': { status: 'PENDING', service_account_number: 'S-A-1' },
    'A-2': { status: 'COMPLETED', service_account_number: 'S-9' },
    'A-3': { status: 'UNKNOWN', service_account_number: '' },
    'A-4': { status: 'COMPLETED' },
    'A-5': { status: 'UNKNOWN', service_account_number: 'S-A-5' },
  };
  const list = Object.keys(statuses).map((external_account_number) => ({ external_account_number }));
  const fetch = async (url: string) =>
    Response.json(url.includes('all-account') ? list : statuses[url.split('/').at(-2) ?? '']);
  const client = clientOf({ url: 'http://127.0.0.1' }, { fetch });
  const ledger = await ledgerOf(Object.keys(statuses).map((number) => created(number)));
  expect(said(await compareWithService(ledger, client))).toMatchObject({
    ...{ same: 3, differing: 2, byKind: { otherNumber: 1, onlyStaged: 1 } },
  });
});

test('two records under one number of the service are reported: an answer belonged to another request', async () => {
  const { client } = await open(() => ({ entries: [entry('A-1'), entry('A-2', 'S-A-1')] }));
  const business = (number: string) => ({ ...created(number, '17'), kind: 'business' as const });
  const ledger = await ledgerOf([created('A-1'), created('A-2', 'S-A-1'), business('B-1'), business('B-2')]);
  const comparison = await compareWithService(ledger, client);
  expect(said(comparison)).toMatchObject({
    byKind: { sharedNumber: 2 },
    differences: ['! A-2: S-A-1 in the ledger, as another account', '! B-2: 17 in the ledger, as another business'],
  });
  expect(verificationOf(comparison, '').compared).toBe(2);
});
