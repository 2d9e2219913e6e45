/** Writers of one group: all on disk together, and notified a few at a time. */
import { expect, test } from 'vitest';
import { RefusedValueError } from '../../../src/migration/ledger/postgres/database-error.js';
import { GroupCommit } from '../../../src/migration/ledger/sql/group-commit.js';

const turn = () => new Promise(setImmediate);

test('of twenty writers in one commit, eight are notified at once, and the next after a turn for the network', async () => {
  const groups: number[] = [];
  const writes = new GroupCommit<number>(String, async (group) => {
    groups.push(group.length);
    return group.map(() => undefined);
  });
  let notified = 0;
  for (let write = 0; write < 20; write++) void writes.add(write).then(() => notified++);
  const seen = new Set<number>();
  while (notified < 20) {
    await turn();
    seen.add(notified);
  }
  expect([groups, [...seen].filter(Boolean)]).toEqual([[20], [8, 16, 20]]);
});

test('a group waits for the writes of the next four turns, and no longer', async () => {
  const groups: number[] = [];
  const writes = new GroupCommit<number>(String, async (group) => {
    groups.push(group.length);
    return group.map(() => undefined);
  });
  const all: Promise<void>[] = [];
  for (let write = 0; write < 6; write++) {
    all.push(writes.add(write));
    await turn();
  }
  await Promise.all(all);
  expect(groups).toEqual([4, 2]);
});

test('a refused write is notified, and so are the following ones', async () => {
  const refusal = new Error('stale');
  const writes = new GroupCommit<number>(String, async (group) =>
    group.map((write) => (write === 3 ? refusal : undefined)),
  );
  const all = Array.from({ length: 12 }, (_, write) => writes.add(write));
  const ends = await Promise.allSettled(all);
  expect(ends.map(({ status }) => status === 'rejected')).toEqual(ends.map((_, write) => write === 3));
  await expect(all[3]).rejects.toBe(refusal);
});

test('writes that arrived during a commit are being committed while the writers of that commit are notified', async () => {
  let notified = 0;
  const notifiedBefore: number[] = [];
  const add = (write: number) => writes.add(write).then(() => notified++);
  const during: Promise<number>[] = [];
  const writes = new GroupCommit<number>(String, async (group) => {
    notifiedBefore.push(notified);
    if (during.length === 0) during.push(add(100), add(101));
    await turn();
    return group.map(() => undefined);
  });
  await Promise.all(Array.from({ length: 60 }, (_, write) => add(write)));
  await Promise.all(during);
  expect(notifiedBefore).toHaveLength(2);
  expect(notifiedBefore[1]).toBeLessThan(60);
  expect(notified).toBe(62);
});

test('a value that the database refuses concerns its own write: each of the group is committed by itself', async () => {
  const groups: string[][] = [];
  const writes = new GroupCommit<string>(String, async (group) => {
    groups.push([...group]);
    if (group.includes('B')) throw new RefusedValueError('ledger: refused (22003).');
    return group.map(() => undefined);
  });
  const ends = await Promise.allSettled(['A', 'B', 'C'].map((write) => writes.add(write)));
  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(groups).toEqual([['A', 'B', 'C'], ['A'], ['B'], ['C']]);
});

test('another error concerns the whole group, which is not committed again', async () => {
  let groups = 0;
  const writes = new GroupCommit<string>(String, async () => {
    groups++;
    throw new Error('the disk is full');
  });
  const ends = await Promise.allSettled(['A', 'B'].map((write) => writes.add(write)));
  expect([groups, ends.map(({ status }) => status)]).toEqual([1, ['rejected', 'rejected']]);
});
