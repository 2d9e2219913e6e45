/** The state of a distributed run as one process has it, while its database is restarted. */
import { expect, test } from 'vitest';
import { openSharedState } from '../../../../src/migration/distributed/state/shared-state.js';
import { retryConnection } from '../../../../src/migration/ledger/postgres/retry-connection.js';

/** As PostgreSQL answers a new connection while it shuts down or starts. */
const shuttingDown = () => Object.assign(new Error('the database system is shutting down'), { code: '57P03' });

/** Opens the state while the first reads fail. */
function open(failures: number, patienceMs: number) {
  const notes: string[] = [];
  let left = failures;
  const row = {
    async read() {
      if (left-- > 0) throw shuttingDown();
      return { state: undefined, now: 1 };
    },
    change: () => Promise.reject(new Error('not asked in these tests')),
  };
  const patiently = <T>(task: () => Promise<T>) => retryConnection(patienceMs, task);
  return { notes, opening: openSharedState({ row, patiently, onNote: (note) => notes.push(note) }) };
}

test('a process that joins while the database is restarted waits until it is there, and reports nothing', async () => {
  const { opening, notes } = open(1, 10_000);
  const state = await opening;
  expect([state.isReachable(), state.current(), notes]).toEqual([true, undefined, []]);
});

test('a process that joins while the database stays away ends with its error, and reports it once', async () => {
  const { opening, notes } = open(Number.POSITIVE_INFINITY, 0);
  await expect(opening).rejects.toThrow('the database system is shutting down');
  expect(notes).toEqual([
    'the database of the ledger is unavailable (the database system is shutting down). No call starts until it answers.',
  ]);
});
