/** A member's right to send: for how long it believes in it, and what it does when it is over. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createLease, type LeaseServer } from '../../../src/migration/fleet/lease.js';

const NO_WORK = { ended: 0, requests: 0, throttled: 0, takenOver: 0 };

/** What it was asked, in its order; its answers are as the test has them. */
function newServer() {
  const asked: [string, string, number][] = [];
  const server = {
    asked,
    holds: async () => true,
    join: async () => {},
    leave: async () => {},
  };
  const told =
    (what: string, answer: () => Promise<unknown>) =>
    async (id: string, { ended }: { ended: number }) => {
      asked.push([what, id, ended]);
      return answer();
    };
  const leaseServer: LeaseServer = {
    join: async (id, work) => void (await told('join', server.join)(id, work)),
    beat: async (id, work) => (await told('beat', server.holds)(id, work)) === true,
    leave: async (id, work) => void (await told('leave', server.leave)(id, work)),
  };
  return Object.assign(server, { leaseServer });
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Of 10 s, beaten every 2 s: for the member it is over 8 s after it last asked. */
async function newLease() {
  const server = newServer();
  const machine = { monotonic: 0, wall: 0, lost: 0, givenBack: 0 };
  const lease = await createLease({
    server: server.leaseServer,
    leaseMs: 10_000,
    beatMs: 2000,
    clocks: {
      monotonic: () => machine.monotonic + performance.now(),
      wall: () => machine.wall + Date.now(),
    },
    giveBack: async () => void machine.givenBack++,
    onLost: () => void machine.lost++,
  });
  return { lease, server, machine };
}
const never = () => new Promise<never>(() => {});
const failing = () => Promise.reject(new Error('the server is away'));

describe('a lease', () => {
  test('holds as long as the server says so', async () => {
    const { lease, server } = await newLease();
    const { id } = lease;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(lease.isValid(0)).toBe(true);
    expect(lease.signal().aborted).toBe(false);
    expect(server.asked).toEqual([['join', id, 0], ...Array.from({ length: 30 }, () => ['beat', id, 0])]);
  });

  test.each([
    ['no answer', never],
    ['no server', failing],
  ])('ends 8 s after the last beat that was answered was sent: %s', async (_, holds) => {
    const { lease, server, machine } = await newLease();
    await vi.advanceTimersByTimeAsync(3000);
    server.holds = holds;
    server.join = failing;
    const signal = lease.signal();
    await vi.advanceTimersByTimeAsync(6999);
    expect([lease.isValid(0), signal.aborted]).toEqual([true, false]);
    await vi.advanceTimersByTimeAsync(1);
    expect([lease.isValid(0), lease.isValid(1), signal.aborted]).toEqual([false, false, true]);
    expect(machine.lost).toBe(1);
  });

  test('is counted from before the beat was sent: an answer that took 3 s leaves 5', async () => {
    const { lease, server } = await newLease();
    server.holds = () => new Promise((resolve) => setTimeout(() => resolve(true), 3000));
    await vi.advanceTimersByTimeAsync(2000 + 3000);
    server.holds = never;
    await vi.advanceTimersByTimeAsync(4999);
    expect(lease.isValid(0)).toBe(true);
    await vi.advanceTimersByTimeAsync(1);
    expect(lease.isValid(0)).toBe(false);
  });

  test.each(['monotonic', 'wall'] as const)('ends by the %s clock alone, whoever asks first', async (clock) => {
    const { lease, machine } = await newLease();
    const signal = lease.signal();
    machine[clock] += 8000;
    expect(lease.isValid(0)).toBe(false);
    expect(signal.aborted).toBe(true);
    machine[clock] -= 8000;
    expect(lease.isValid(0)).toBe(false);
  });

  test('is over where the machine slept, also where the beat before it is answered then', async () => {
    const { lease, server, machine } = await newLease();
    let answer: (holds: boolean) => void = () => {};
    server.holds = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    const signal = lease.signal();
    await vi.advanceTimersByTimeAsync(2000);
    machine.wall += 20_000;
    answer(true);
    await vi.advanceTimersByTimeAsync(0);
    expect([lease.isValid(0), signal.aborted]).toEqual([false, true]);
  });

  test('that the server says is over is over; another member joins at once', async () => {
    const { lease, server } = await newLease();
    const { id } = lease;
    const signal = lease.signal();
    server.holds = async () => false;
    await vi.advanceTimersByTimeAsync(2000);
    expect(signal.aborted).toBe(true);
    expect(lease.id).not.toBe(id);
    expect([lease.generation, lease.isValid(0), lease.isValid(1)]).toEqual([1, false, true]);
    expect(lease.signal().aborted).toBe(false);
    expect(server.asked).toEqual([
      ['join', id, 0],
      ['beat', id, 0],
      ['join', lease.id, 0],
    ]);
  });

  test('that was lost is tried for again until the server answers', async () => {
    const { lease, server, machine } = await newLease();
    server.holds = failing;
    server.join = failing;
    await vi.advanceTimersByTimeAsync(60_000);
    expect([lease.generation, lease.isValid(1)]).toEqual([1, false]);
    server.holds = async () => true;
    server.join = async () => {};
    await vi.advanceTimersByTimeAsync(250);
    expect([lease.generation, lease.isValid(1), machine.lost]).toEqual([1, true, 1]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(lease.isValid(1)).toBe(true);
  });

  test('an answer to a beat of a lease that is lost meanwhile says nothing of the next one', async () => {
    const { lease, server, machine } = await newLease();
    let answer: (holds: boolean) => void = () => {};
    server.holds = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    await vi.advanceTimersByTimeAsync(8000);
    expect(lease.generation).toBe(1);
    answer(true);
    server.join = never;
    await vi.advanceTimersByTimeAsync(1000);
    expect([lease.isValid(1), machine.lost]).toEqual([false, 1]);
  });

  test('tells with each beat what was done, and of each member only what that one did', async () => {
    const { lease, server } = await newLease();
    lease.work.ended = 3;
    await vi.advanceTimersByTimeAsync(2000);
    lease.work.ended = 5;
    server.holds = async () => false;
    await vi.advanceTimersByTimeAsync(2000);
    server.holds = async () => true;
    lease.work.ended = 9;
    await vi.advanceTimersByTimeAsync(2000);
    // Of the first, the server has what it heard while that one was there: 3.
    expect(server.asked.map(([what, , ended]) => [what, ended])).toEqual([
      ['join', 0],
      ['beat', 3],
      ['beat', 5],
      ['join', 2],
      ['beat', 6],
    ]);
    expect(lease.work).toEqual({ ...NO_WORK, ended: 9 });
  });

  test('ends when its member leaves: what it has is given back first, and nothing is asked any more', async () => {
    const { lease, server, machine } = await newLease();
    const signal = lease.signal();
    lease.work.ended = 2;
    const left = Promise.all([lease.leave(), lease.leave()]);
    expect([lease.isValid(0), lease.isValid(1), signal.aborted]).toEqual([false, false, true]);
    await left;
    expect([machine.givenBack, machine.lost]).toEqual([1, 0]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(server.asked).toEqual([
      ['join', lease.id, 0],
      ['leave', lease.id, 2],
    ]);
  });

  test('a member leaves also where the server is away, or the lease is lost', async () => {
    const { lease, server } = await newLease();
    server.leave = failing;
    await expect(lease.leave()).resolves.toBeUndefined();
    const other = await newLease();
    other.server.holds = failing;
    other.server.join = failing;
    await vi.advanceTimersByTimeAsync(10_000);
    await other.lease.leave();
    other.server.join = async () => {};
    await vi.advanceTimersByTimeAsync(10_000);
    expect(other.lease.isValid(other.lease.generation)).toBe(false);
    expect(other.machine.givenBack).toBe(0);
  });

  test('is not there where it cannot be had', async () => {
    const server = newServer();
    server.join = failing;
    const clocks = { monotonic: () => 0, wall: () => 0 };
    const giveBack = async () => {};
    const opening = createLease({ server: server.leaseServer, leaseMs: 10, beatMs: 2, clocks, giveBack, onLost() {} });
    await expect(opening).rejects.toThrow('the server is away');
    expect(vi.getTimerCount()).toBe(0);
  });
});
