/** One session of a run in its folder: the files at its start, while it runs, and after each kind of end. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openRunFolder } from '../../../src/migration/report/folder/run-folder.js';
import { beginSession } from '../../../src/migration/report/folder/session-log.js';
import { createLineTally } from '../../../src/migration/report/summary/line-counts.js';
import type { Sample } from '../../../src/migration/throttle/samples.js';
import { newFolder } from '../../helpers/folder.js';
import { PATIENCE } from '../../helpers/patience.js';
import { record } from '../ledger/records.js';

const QUERY = { check_previously_added: true, force_add_to_current_statement: true };
const FACTS = { continueWith: () => 'data-import-sdk run input', versions: {}, configuration: {}, steps: [] } as const;
const NO_LINES = createLineTally().counts();
const BEGAN = Date.UTC(2026, 0, 15, 9);

/** A clock that stands where it is put, and samples that are there by then. */
async function open() {
  const path = newFolder('session-');
  const folder = await openRunFolder(join(path, 'run'));
  const clock = { seconds: 0 };
  const samples: Sample[] = [{ at: BEGAN, rate: 1, concurrency: 2, throttled: 0, failed: 0 }];
  const begin = (transactionsQuery = QUERY) =>
    beginSession(
      { ...FACTS, transactionsQuery },
      {
        ...{ folder, samples: () => samples, host: 'api.example.com' },
        now: () => new Date(BEGAN + clock.seconds * 1000),
      },
    );
  const audit = async () => (await folder.audit.entries()).map(({ at, what }) => `${at.slice(11, 19)} ${what}`);
  return { folder, clock, samples, begin, audit };
}

const ended = () => record('A-1', { outcome: 'created' });

test('its end has the reason, and the number of records and requests', async () => {
  const { folder, clock, begin, audit } = await open();
  const session = await begin();
  expect(await folder.readRun()).toMatchObject({ state: 'running', endedAt: null, lines: null });
  for (let request = 0; request < 3; request++) session.request();
  session.event(ended(), { type: 'stepSucceeded', step: 'stage' });
  session.event(ended(), { type: 'ended' });
  clock.seconds = 60;
  await session.end({ state: 'halted', reason: 'too much', lines: { ...NO_LINES, rejected: 4 } });
  expect(await audit()).toEqual(['09:00:00 began', '09:01:00 halted: too much; 1 record ended, 3 requests sent']);
  expect(await folder.readRun()).toMatchObject({
    state: 'halted',
    endedAt: '2026-01-15T09:01:00.000Z',
    lines: { rejected: 4 },
  });
});

test('a connection that fails is noted once for each reason, and counted at the end', async () => {
  const { begin, audit } = await open();
  const session = await begin();
  for (const reason of ['ECONNREFUSED', 'ECONNREFUSED', 'timeout']) session.failed({ code: reason });
  await session.end({ state: 'stopped', reason: 'calls failed, the last at stage', lines: NO_LINES });
  expect(await audit()).toEqual([
    '09:00:00 began',
    '09:00:00 connection to api.example.com failed: ECONNREFUSED, nothing listens on this port',
    '09:00:00 no answer from api.example.com in time',
    '09:00:00 stopped: calls failed, the last at stage; 0 records ended, 0 requests sent; 3 requests to api.example.com without a usable answer (ECONNREFUSED 2, timeout 1)',
  ]);
});

test('a session continues the one before: its start, its lines, its samples', async () => {
  const { folder, clock, begin, audit } = await open();
  const first = await begin();
  await first.end({ state: 'stopped', reason: undefined, lines: { ...NO_LINES, skipped: 2 } });
  clock.seconds = 3600;
  await begin();
  expect(await folder.readRun()).toMatchObject({
    beganAt: '2026-01-15T09:00:00.000Z',
    startedAt: '2026-01-15T10:00:00.000Z',
    state: 'running',
    lines: { skipped: 2 },
  });
  expect(await audit()).toEqual([
    '09:00:00 began',
    '09:00:00 stopped; 0 records ended, 0 requests sent',
    '10:00:00 resumed',
  ]);
});

test('after a session that was killed, the next one notes that it did not come to its end', async () => {
  const { clock, begin, audit } = await open();
  await begin();
  clock.seconds = 3600;
  await (await begin()).end({ state: 'finished', reason: undefined, lines: NO_LINES });
  await begin();
  expect(await audit()).toEqual([
    '09:00:00 began',
    '10:00:00 the session of 2026-01-15T09:00:00.000Z did not come to its end: its process was killed, or the machine stopped',
    '10:00:00 resumed',
    '10:00:00 finished; 0 records ended, 0 requests sent',
    '10:00:00 resumed',
  ]);
});

test('samples are written every half a minute, so that a killed run keeps its plots', async () => {
  const { folder, clock, samples, begin } = await open();
  const session = await begin();
  const readAfter = async (seconds: number) => {
    clock.seconds = seconds;
    samples.push({ at: BEGAN + seconds * 1000, rate: 1, concurrency: 2, throttled: 0, failed: 0 });
    session.event(ended(), { type: 'ended' });
  };
  await readAfter(29);
  expect(await folder.read('samples')).toBeUndefined();
  await readAfter(30);
  await expect.poll(() => folder.read('samples'), PATIENCE).toEqual([samples]);
  await readAfter(59);
  // A run that is killed now starts again: the samples of the first session are those of its first half minute.
  const second = await begin();
  await second.end({ state: 'finished', reason: undefined, lines: NO_LINES });
  expect((await folder.read('samples'))?.map(({ length }) => length)).toEqual([3, 4]);
});

test('an error ends it too, and the lines of the session before stay', async () => {
  const { folder, begin, audit } = await open();
  const first = await begin();
  await first.end({ state: 'stopped', reason: undefined, lines: { ...NO_LINES, rejected: 1 } });
  const second = await begin();
  await second.brokeOff();
  expect(await folder.readRun()).toMatchObject({ state: 'brokenOff', lines: { rejected: 1 } });
  expect((await audit()).at(-1)).toBe('09:00:00 aborted by an error; 0 records ended, 0 requests sent');
  expect(await readFile(folder.at('run.json'), 'utf8')).toContain('"continueWith": "data-import-sdk run input"');
});

test('the query parameters of transactions are kept from all sessions, and the audit log has those that are off', async () => {
  const { folder, begin, audit } = await open();
  await (await begin()).brokeOff();
  expect((await folder.readRun())?.transactionsQuery).toEqual({
    check_previously_added: [true],
    force_add_to_current_statement: [true],
  });
  await (await begin({ check_previously_added: false, force_add_to_current_statement: false })).brokeOff();
  await begin({ check_previously_added: false, force_add_to_current_statement: true });
  expect((await folder.readRun())?.transactionsQuery).toEqual({
    check_previously_added: [true, false],
    force_add_to_current_statement: [true, false],
  });
  expect((await audit()).filter((entry) => !entry.includes('aborted'))).toEqual([
    '09:00:00 began',
    '09:00:00 resumed; transactions.create with check_previously_added=false and force_add_to_current_statement=false',
    '09:00:00 resumed; transactions.create with check_previously_added=false',
  ]);
});
