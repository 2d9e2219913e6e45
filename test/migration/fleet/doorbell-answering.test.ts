/** How somebody who answers a doorbell leaves, seen from a worker of BullMQ that is told what to do. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Bell } from '../../../src/migration/fleet/bell.js';
import type { Engine } from '../../../src/migration/fleet/bullmq-engine.js';
import { startAnswering } from '../../../src/migration/fleet/doorbell-answering.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const BELL: Bell = { supplier: 'SANDBOX_SUPPLIER', kind: 'account', number: 'A-1', version: 1 };

class WaitingError extends Error {}

/** A worker whose engine is away: what was answered cannot be told, so it never comes to its end. */
function engineAway() {
  const calls: string[] = [];
  let process: (job: object, token: string) => Promise<void> = async () => {};
  class Worker {
    constructor(_queue: string, processor: typeof process) {
      process = processor;
    }
    on() {}
    run = () => new Promise<void>(() => {});
    waitUntilReady = async () => {};
    pause = async (isAtOnce: boolean) => void calls.push(`pause ${isAtOnce}`);
    close = async (isForced: boolean) => void calls.push(`close ${isForced}`);
    getBackend = () => ({ disconnectBlocking: () => new Promise<void>(() => {}) });
  }
  const engine = { bullmq: { Worker, WaitingError } } as unknown as Engine;
  const job = (data: unknown) => ({ data, moveToWait: async (token: string) => void calls.push(`back ${token}`) });
  return { engine, calls, process: (data: unknown) => process(job(data), 'token') };
}

test('waits for what is under way, however long it takes, and for the engine no longer than seconds', async () => {
  const { engine, calls, process } = engineAway();
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const answering = startAnswering({
    engine,
    queue: 'queue',
    name: 'one',
    answer: () => released,
    atOnce: 1,
    onError: () => {},
  });
  const processed = process(BELL);
  let isClosed = false;
  const closed = answering.close().then(() => {
    isClosed = true;
  });
  await vi.advanceTimersByTimeAsync(60_000);
  expect({ isClosed, calls }).toEqual({ isClosed: false, calls: ['pause true'] });
  release();
  await processed;
  await vi.advanceTimersByTimeAsync(10_000);
  expect({ isClosed, calls }).toEqual({ isClosed: true, calls: ['pause true', 'close true'] });
  await closed;
  expect(vi.getTimerCount()).toBe(0);
});

test('a bell that comes while it leaves is given back, and what is no bell is forgotten', async () => {
  const { engine, calls, process } = engineAway();
  const took: Bell[] = [];
  const answering = startAnswering({
    engine,
    queue: 'queue',
    name: 'one',
    answer: async (bell) => void took.push(bell),
    atOnce: 1,
    onError: () => {},
  });
  await process({ ...BELL, version: 'not a number' });
  await process(BELL);
  expect(took).toEqual([BELL]);
  void answering.close();
  await expect(process(BELL)).rejects.toThrow(WaitingError);
  expect({ calls, took }).toEqual({ calls: ['pause true', 'back token'], took: [BELL] });
});
