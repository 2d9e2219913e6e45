/** How far a run is, as it is told: also of one that goes on, and of records that are tried again. */
import { expect, test } from 'vitest';
import type { PaceStatus } from '../../src/migration/pace/pace.js';
import { createProgress } from '../../src/migration/progress.js';
import { ledgerOf, record } from './ledger/records.js';

const PACE: PaceStatus = {
  state: 'running',
  reason: undefined,
  until: undefined,
  concurrency: { underWay: 0, most: 32 },
  process: { underWay: 0, limit: 4, least: 1, most: 32, why: 'growing' },
  waiting: 0,
  rps: 0,
  rate: { records: 2, requests: 4 },
};

const error = (code: string) => ({ step: 'check', code, attr: '' }) as const;
const rejected = (number: string, ...codes: string[]) => record(number, { end: 'rejected', errors: codes.map(error) });

const former = () =>
  ledgerOf([
    record('A-1', { done: 'process', end: 'created' }),
    rejected('A-2', 'required', 'required', 'null'),
    rejected('A-3', 'required'),
    record('A-4', { done: 'stage' }),
  ]);

test('a run that goes on begins with what the ledger holds, codes of what was rejected included', async () => {
  const progress = await createProgress(await former(), 0);
  expect(progress.status(PACE, 1000)).toMatchObject({
    endedBefore: 3,
    ended: { created: 1, rejected: 2, alreadyThere: 0, skipped: 0, unknown: 0 },
    rejectedByCode: new Map([
      ['required', 2],
      ['null', 1],
    ]),
  });
  progress.event(rejected('A-4', 'null'), { happens: 'refused', step: 'process', errors: [error('null')] });
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

test('what is tried again is not counted twice', async () => {
  const progress = await createProgress(await former(), 0, { retryRejected: true });
  expect(progress.status(PACE, 0)).toMatchObject({ endedBefore: 1, ended: { rejected: 0 }, rejectedByCode: new Map() });
  progress.event(rejected('A-2', 'required'), { happens: 'refused', step: 'check', errors: [error('required')] });
  expect(progress.status(PACE, 0).ended).toMatchObject({ created: 1, rejected: 1 });
});

test('a line that was mended leaves the rejected, and what an account lacks is added to one that was created', async () => {
  const progress = await createProgress(await former(), 0);
  const place = { hash: 'h', source: 'book', line: 1 };
  progress.event(record('A-3'), { happens: 'changed', ...place, contract: null });
  expect(progress.status(PACE, 0).ended).toMatchObject({ created: 1, rejected: 1 });
  progress.event(record('A-1', { done: 'process' }), { happens: 'again', ...place, steps: ['notes'] });
  expect(progress.status(PACE, 0).ended).toMatchObject({ created: 0, rejected: 1 });
  progress.event(record('A-1', { done: 'process', end: 'created' }), { happens: 'ended' });
  expect(progress.status(PACE, 0).ended).toMatchObject({ created: 1, rejected: 1 });
});
