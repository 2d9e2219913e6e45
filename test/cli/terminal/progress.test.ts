/** The progress of a run: also of one that is resumed, and of records that are retried. */
import { expect, test } from 'vitest';
import { createProgress } from '../../../src/cli/terminal/progress.js';
import { NO_ITEMS } from '../../../src/migration/ledger/items.js';
import { createMemoryLedger } from '../../../src/migration/ledger/memory.js';
import type { ThrottleStatus } from '../../../src/migration/throttle/throttle.js';
import { ledgerOf, record } from '../../migration/ledger/records.js';
import { account, openRehearsal } from '../../migration/rehearsal.js';

const PACE: ThrottleStatus = {
  state: 'running',
  reason: undefined,
  until: undefined,
  concurrency: { underWay: 0, most: 32 },
  process: { underWay: 0, limit: 4, least: 1, most: 32, why: 'growing' },
  failingSince: undefined,
  waiting: 0,
  rps: 0,
  rate: { records: 2, requests: 4 },
};

const error = (code: string) => ({ step: 'check', code, attr: '' }) as const;
const rejected = (number: string, ...codes: string[]) =>
  record(number, { outcome: 'rejected', errors: codes.map(error) });

const former = () =>
  ledgerOf([
    record('A-1', { done: 'process', outcome: 'created' }),
    rejected('A-2', 'required', 'required', 'null'),
    rejected('A-3', 'required'),
    record('A-4', { done: 'stage' }),
  ]);

test('a resumed run begins with the counts of the ledger, codes of rejected records included', async () => {
  const progress = await createProgress(await former(), 0);
  expect(progress.status(PACE, 1000)).toMatchObject({
    endedBefore: 3,
    ended: { created: 1, rejected: 2, alreadyImported: 0, skipped: 0, unknown: 0 },
    rejectedByCode: new Map([
      ['required', 2],
      ['null', 1],
    ]),
  });
  progress.event(rejected('A-4', 'null'), { type: 'stepRejected', step: 'process', errors: [error('null')] });
  progress.line({ as: 'rejected', code: 'invalid_json', attr: '' });
  expect(progress.status(PACE, 1000)).toMatchObject({
    endedBefore: 3,
    ended: { created: 1, rejected: 4 },
    rejectedByCode: new Map([
      ['required', 2],
      ['null', 2],
      ['invalid_json', 1],
    ]),
  });
});

test('a run that waits for its window shows the window with its time zone, and when it opens', async () => {
  const until = new Date('2026-01-15T19:00:00Z');
  const pace = { ...PACE, state: 'waiting' as const, reason: '20:00-06:00 (Europe/Berlin)', until };
  expect((await createProgress(createMemoryLedger(), 0)).status(pace, 0).standstill).toBe(
    'outside the time window 20:00-06:00 (Europe/Berlin) until 2026-01-15T19:00:00.000Z',
  );
});

test('a retried record is not counted twice', async () => {
  const progress = await createProgress(await former(), 0, { retryRejected: true });
  expect(progress.status(PACE, 0)).toMatchObject({ endedBefore: 1, ended: { rejected: 0 }, rejectedByCode: new Map() });
  progress.event(rejected('A-2', 'required'), { type: 'stepRejected', step: 'check', errors: [error('required')] });
  expect(progress.status(PACE, 0).ended).toMatchObject({ created: 1, rejected: 1 });
});

const place = { hash: 'h', contentHash: 'c', source: 'input', line: 1 };

test('a corrected record leaves the rejected and their codes, so that the second rejection is the only one', async () => {
  const progress = await createProgress(await former(), 0);
  const before = rejected('A-3', 'required');
  progress.event(record('A-3'), { type: 'lineChanged', ...place, contract: null }, before);
  expect(progress.status(PACE, 0)).toMatchObject({
    ended: { created: 1, rejected: 1 },
    rejectedByCode: new Map([
      ['required', 1],
      ['null', 1],
    ]),
  });
  progress.event(rejected('A-3', 'invalid'), { type: 'stepRejected', step: 'check', errors: [error('invalid')] });
  expect(progress.status(PACE, 0)).toMatchObject({
    ended: { created: 1, rejected: 2 },
    rejectedByCode: new Map([
      ['required', 1],
      ['null', 1],
      ['invalid', 1],
    ]),
  });
});

test('a record without an outcome whose line was corrected does not reduce the number of rejected', async () => {
  const progress = await createProgress(await former(), 0);
  const before = record('A-4', { done: 'stage' });
  progress.event(record('A-4'), { type: 'lineChanged', ...place, contract: null }, before);
  expect(progress.status(PACE, 0).ended).toMatchObject({ created: 1, rejected: 2 });
});

test('a created account that gets its missing items is counted once', async () => {
  const progress = await createProgress(await former(), 0);
  const before = record('A-1', { done: 'process', outcome: 'created' });
  progress.event(record('A-1', { done: 'process' }), { type: 'itemsRequested', ...place, items: NO_ITEMS }, before);
  expect(progress.status(PACE, 0).ended).toMatchObject({ created: 0, rejected: 2 });
  progress.event(record('A-1', { done: 'process', outcome: 'created' }), { type: 'ended' });
  expect(progress.status(PACE, 0).ended).toMatchObject({ created: 1, rejected: 2 });
});

test('of corrected lines the total is that of the run, not of the lines', async () => {
  const progress = await createProgress(await former(), 0, { retry: true });
  progress.count(1);
  expect(progress.status(PACE, 0)).toMatchObject({ total: 4, endedBefore: 3 });
});

test('in a second session the counts are those of the ledger, with any rejections of the first', async () => {
  const { run } = openRehearsal();
  const ledger = createMemoryLedger();
  const wrongLandline = { customers: [{ landline: 'x' }] };
  const numbers = ['A-1', 'A-2', 'A-3'];
  await run(
    numbers.map((number) => account(number, wrongLandline)),
    ledger,
  );
  const progress = await createProgress(ledger, 0);
  const second = [account('A-1', wrongLandline), account('A-2', { customers: [{ mobile: 'y' }] }), account('A-3')];
  await run(second, ledger, { onEvent: (...event) => progress.event(...event) });
  expect(progress.status(PACE, 0)).toMatchObject({
    ended: { created: 1, rejected: 2 },
    rejectedByCode: new Map([['invalid_phone_number', 2]]),
  });
});

test('a corrected line that had no record before adds its record to the total of a retry: never 4 of 3', async () => {
  const ledger = await ledgerOf(['A-1', 'A-2', 'A-3'].map((number) => record(number, { outcome: 'created' })));
  const progress = await createProgress(ledger, 0, { retry: true });
  progress.event(record('A-4', { version: 1 }), { type: 'stepStarted', step: 'stage' });
  expect(progress.status(PACE, 0).total).toBe(4);
  progress.event(record('A-4', { version: 5, outcome: 'created' }), { type: 'ended' });
  expect(progress.status(PACE, 0)).toMatchObject({ total: 4, ended: { created: 4 } });
});

test('a retry ends with the lines of the report, also those without a record: 5 of 5', async () => {
  const progress = await createProgress(await former(), 0, { retry: true });
  progress.end({ created: 3, alreadyImported: 0, rejected: 1, skipped: 1, unknown: 0, unfinished: 0 });
  const status = progress.status(PACE, 0);
  expect([endedIn(status), status.total]).toEqual([5, 5]);
});

test('if the ledger has records of other lines than the input, no share of the input is shown', async () => {
  const progress = await createProgress(await former(), 0);
  progress.count(3);
  expect(progress.status(PACE, 0).total).toBe(3);
  // The number of A-2 was corrected in the input: its record stays, and the line is another record.
  progress.event(record('A-9', { outcome: 'created' }), { type: 'ended' });
  expect(endedIn(progress.status(PACE, 0))).toBe(4);
  expect(progress.status(PACE, 0).total).toBeUndefined();
});

function endedIn({ ended }: ReturnType<Awaited<ReturnType<typeof createProgress>>['status']>): number {
  return Object.values(ended).reduce((sum, count) => sum + count, 0);
}
