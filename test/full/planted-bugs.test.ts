/**
 * Mistakes that runners are known to make, planted one at a time. The simulation must find each, or it would not find
 * them in ours.
 */
import { afterEach, expect, test, vi } from 'vitest';
import type { Ledger } from '../../src/migration/ledger/ledger.js';
import { problemsOf } from '../migration/invariants.js';
import { type Planted, simulate } from '../migration/simulation.js';

afterEach(() => {
  vi.doUnmock('../../src/migration/calls.js');
  vi.doUnmock('../../src/migration/keys.js');
  vi.resetModules();
});

/** What the first bad day of up to 60 shows. */
async function firstProblems(planted: Planted): Promise<string> {
  for (let seed = 1; seed <= 60; seed++) {
    const calm = await simulate({ seed, accounts: 60, deaths: 0, faultShare: 0 });
    const bad = await simulate({ seed, accounts: 60, deaths: 3, faultShare: 0.02 }, planted);
    const problems = problemsOf(bad, calm);
    if (problems.length > 0) return problems.join('\n');
  }
  return 'nothing was found';
}

/** The runner with another module in place of one of its own. */
async function runnerWith(path: string, change: (actual: Record<string, unknown>) => Record<string, unknown>) {
  vi.resetModules();
  vi.doMock(path, async (original) => {
    const actual = (await original()) as Record<string, unknown>;
    return { ...actual, ...change(actual) };
  });
  const { runBook } = await import('../../src/migration/run.js');
  return { runBook };
}

const TWICE = /has a (statement|payment instruction) twice/;

test('the announcement is not stored before the call', async () => {
  const ledger = (synced: Ledger): Ledger => ({
    ...synced,
    write: (record, contracts) => synced.write({ ...record, intent: null }, contracts),
  });
  expect(await firstProblems({ ledger })).toMatch(TWICE);
});

test('a write is acknowledged before it is synced', async () => {
  const ledger = (synced: Ledger, disk: Ledger): Ledger => {
    const unsynced = new Map<string, Awaited<ReturnType<Ledger['find']>>>();
    const idOf = ({ supplier, kind, number }: { supplier: string; kind: string; number: string }) =>
      JSON.stringify([supplier, kind, number]);
    return {
      ...synced,
      find: async (key) => unsynced.get(idOf(key)) ?? disk.find(key),
      async write(record, contracts) {
        unsynced.set(idOf(record), record);
        // Only the end reaches the disk before anybody waits for it.
        if (record.end === null) return;
        const known = await disk.find(record);
        await synced.write({ ...record, version: (known?.version ?? 0) + 1 }, contracts);
      },
    };
  };
  expect(await firstProblems({ ledger })).toMatch(/twice|is lost/);
});

test('a run goes on where it had read to, instead of at what has not ended', async () => {
  expect(await firstProblems({ from: (begun) => begun })).toMatch(/has not ended|is lost|records and/);
});

test('what nobody can tell is tried again', async () => {
  const ledger = (synced: Ledger): Ledger => ({
    ...synced,
    async find(key) {
      const record = await synced.find(key);
      if (record?.end !== 'unknown' || record.kind !== 'account') return record;
      return { ...record, end: null, unknown: [], done: 'process' };
    },
    async *endedHashes() {
      for await (const { hash, end } of synced.list()) if (end !== null && end !== 'unknown') yield hash;
    },
  });
  expect(await firstProblems({ ledger })).toMatch(TWICE);
});

test('a call that was announced and not answered is simply made again', async () => {
  const planted = await runnerWith('../../src/migration/calls.js', (actual) => ({ lookUp: actual['perform'] }));
  expect(await firstProblems(planted)).toMatch(TWICE);
});

test('statements and instructions are sent again after a 500', async () => {
  expect(await firstProblems({ run: { resendAfter500: true } })).toMatch(TWICE);
});

test('accounts do not wait for their business', async () => {
  const planted = await runnerWith('../../src/migration/keys.js', () => ({ contractOf: () => undefined }));
  expect(await firstProblems(planted)).toMatch(/was staged before its business|ended rejected/);
});

test('records under way at a death are taken for ended', async () => {
  const ledger = (synced: Ledger): Ledger => ({
    ...synced,
    async *endedHashes() {
      for await (const { hash } of synced.list()) yield hash;
    },
  });
  expect(await firstProblems({ ledger })).toMatch(/has not ended/);
});

test('and without a mistake nothing is found', async () => {
  expect(await firstProblems({})).toBe('nothing was found');
});
