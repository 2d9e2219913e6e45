/**
 * Mistakes that runners are known to make, planted one at a time. The simulation must find each, or it would not find
 * them in ours.
 */
import { afterEach, expect, test, vi } from 'vitest';
import type { ItemStatus } from '../../src/migration/ledger/items.js';
import { ITEM_STEPS, type Ledger, type LedgerRecord } from '../../src/migration/ledger/ledger.js';
import { badDay, problemsOfDay } from '../migration/simulation/simulated-days.js';
import type { Planted, Scenario } from '../migration/simulation/simulation.js';

/** In place of which modules of the runner something else was put. */
const MOCKED = [
  ...['record/steps/reconcile', 'record/record-key', 'record/events/apply-event', 'shared/hash-set'],
  ...['record/run-record'],
].map((name) => `../../src/migration/${name}.js`);
afterEach(() => {
  for (const path of MOCKED) vi.doUnmock(path);
  vi.resetModules();
});

/** What the first bad day of up to `days` shows. */
async function firstProblems(planted: Planted, more: Partial<Scenario> = {}, days = 60): Promise<string> {
  for (let seed = 1; seed <= days; seed++) {
    const problems = await problemsOfDay({ ...badDay(seed, 60), ...more }, planted);
    if (problems.length > 0) return problems.join('\n');
  }
  return 'nothing was found';
}

/** The runner with one of its modules replaced. */
async function runnerWith(path: string, change: (actual: Record<string, unknown>) => Record<string, unknown>) {
  vi.resetModules();
  vi.doMock(path, async (original) => {
    const actual = (await original()) as Record<string, unknown>;
    return { ...actual, ...change(actual) };
  });
  const { runInput } = await import('../../src/migration/run/repeat-passes.js');
  return { runInput };
}

const TWICE = /has a (statement|payment instruction|note) twice/;

/** The items of a record as if those with this status had never been in a request. */
function waiting({ items }: LedgerRecord, status: ItemStatus): LedgerRecord['items'] {
  const lists = ITEM_STEPS.map((step) => [
    step,
    items[step].map((item) => (item.status === status ? { ...item, status: 'waiting' as const } : item)),
  ]);
  return { ...items, ...Object.fromEntries(lists) };
}

test('the announcement is not stored before the call', async () => {
  const ledger = (synced: Ledger): Ledger => ({
    ...synced,
    write: (record, contracts) =>
      synced.write({ ...record, intent: null, items: waiting(record, 'sending') }, contracts),
  });
  expect(await firstProblems({ ledger })).toMatch(TWICE);
});

test('the announcement is stored after the call', async () => {
  const ledger = (synced: Ledger): Ledger => {
    const announced = new Map<string, () => Promise<void>>();
    return {
      ...synced,
      async write(record, contracts) {
        const id = `${record.kind} ${record.number}`;
        await announced.get(id)?.();
        announced.delete(id);
        if (record.intent === null) return synced.write(record, contracts);
        announced.set(id, () => synced.write(record, contracts));
      },
    };
  };
  // Its own account is taken for one that the service had before.
  expect(await firstProblems({ ledger })).toMatch(/ended alreadyImported, on a calm day created/);
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
        // Only the outcome is written to disk before the write resolves.
        if (record.outcome === null) return;
        const known = await disk.find(record);
        await synced.write({ ...record, version: (known?.version ?? 0) + 1 }, contracts);
      },
    };
  };
  expect(await firstProblems({ ledger })).toMatch(/twice|is lost/);
});

test('a run resumes at its reading position, instead of at its unfinished records', async () => {
  expect(await firstProblems({ from: (begun) => begun })).toMatch(/has not ended|is lost/);
});

test('an unknown outcome is tried again', async () => {
  const ledger = (synced: Ledger): Ledger => ({
    ...synced,
    async find(key) {
      const record = await synced.find(key);
      if (record?.outcome !== 'unknown' || record.kind !== 'account') return record;
      return { ...record, outcome: null, unknown: [], done: 'process', items: waiting(record, 'unknown') };
    },
  });
  expect(await firstProblems({ ledger })).toMatch(TWICE);
});

test('a call with an intent and no answer is simply repeated', async () => {
  const planted = await runnerWith('../../src/migration/record/steps/reconcile.js', () => ({
    remainingWaitMs: () => 0,
    reconcileStep: async (step: string) => ({ event: { type: 'intentRevoked', step } }),
  }));
  expect(await firstProblems(planted)).toMatch(TWICE);
});

test('statements and instructions are sent again after a 500', async () => {
  expect(await firstProblems({ run: { resendAfter500: true } })).toMatch(TWICE);
});

test('accounts do not wait for their business', async () => {
  const planted = await runnerWith('../../src/migration/record/record-key.js', () => ({ contractOf: () => undefined }));
  expect(await firstProblems(planted)).toMatch(/was staged before its business|ended rejected/);
});

test('records in progress at a kill count as ended', async () => {
  const ledger = (synced: Ledger): Ledger => ({
    ...synced,
    async find(key) {
      const record = await synced.find(key);
      return record?.outcome === null ? { ...record, outcome: 'created' } : record;
    },
  });
  expect(await firstProblems({ ledger })).toMatch(/has not ended/);
});

test('an account whose line has changed is processed with its old staged data', async () => {
  const planted = await runnerWith('../../src/migration/record/events/apply-event.js', ({ applyEvent }) => ({
    applyEvent(record: LedgerRecord, event: { type: string }, at: string) {
      const next = (applyEvent as (...all: unknown[]) => LedgerRecord)(record, event, at);
      return event.type === 'lineChanged' ? { ...next, done: record.done } : next;
    },
  }));
  expect(await firstProblems(planted, { changes: 0.5 })).toMatch(/is not as its line says/);
});

test('of a write that the crash tears, the next announcement is on disk and the result before it is not', async () => {
  const tear: Planted['tear'] = (before, written) =>
    before && {
      ...before,
      version: written.version,
      intent: written.intent,
      intentAt: written.intentAt,
      intentHash: written.intentHash,
    };
  expect(await firstProblems({ tear }, { crashAt: 'torn write' })).toMatch(
    /has not its number|can be settled|twice|ended (rejected|alreadyImported), on a calm day created/,
  );
});

test('a second line of the same number is not noticed', async () => {
  const planted = await runnerWith('../../src/migration/shared/hash-set.js', ({ createHashSet }) => ({
    createHashSet: () => ({ ...(createHashSet as () => object)(), add: () => true }),
  }));
  expect(await firstProblems(planted)).toMatch(
    /the runner failed: ledger: account A-\d+ is not at version|in none of the numbers/,
  );
});

test('the ledger of a run against one service is used against another', async () => {
  const claimTarget = async () => {};
  expect(await firstProblems({ claimTarget }, { secondTarget: true })).toMatch(
    /\d+ requests came from a run of another service/,
  );
});

test('a request that may still be running is repeated before the service has ended it', async () => {
  expect(await firstProblems({ inFlightGraceMs: 0 }, { slow: true })).toMatch(
    /was created 2 times|has a (note|transaction) twice/,
  );
});

test('every step that a kill interrupts is called unknown', async () => {
  const planted = await runnerWith('../../src/migration/record/steps/reconcile.js', () => ({
    reconcileStep: async (step: string) => ({ event: { type: 'outcomeUnknown', step } }),
  }));
  expect(await firstProblems(planted)).toMatch(/is unknown at .*, which can be settled/);
});

// On other days: simulation.test.ts.
test.each([
  ['where half of the input changes', { changes: 0.5 }],
  ['where every crash tears a write', { crashAt: 'torn write' }],
  ['where the same input goes to a second service', { secondTarget: true }],
  ['where requests overlap', { slow: true }],
] as const)('and without a mistake nothing is found, %s', async (_, more) => {
  expect(await firstProblems({}, more, 20)).toBe('nothing was found');
});
