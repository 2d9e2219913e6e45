/**
 * A service that processes a fixed number of accounts at once and answers 429 beyond that, and a client that lets all its calls
 * wait after a 429 and sends again, as the real one does. By the fake clock and from a seed.
 */
import { createThrottle, type Throttle } from '../../../src/migration/throttle/throttle.js';
import { fakeClock } from './fake-clock.js';

const WORKERS = 64;

interface ServiceOptions {
  seed: number;
  /** Mean of the time that processing an account takes, and how it varies. */
  serviceMs: number;
  spread: 'constant' | 'even' | 'long tail';
  /** Factor by which processing takes longer with this number of accounts in service. */
  slowdown?: (inService: number) => number;
  /** Most that the pace may try. */
  most?: number;
}

export function openService({ seed, serviceMs, spread, slowdown = () => 1, most = WORKERS }: ServiceOptions) {
  const clock = fakeClock();
  const random = mulberry32(seed);
  const pace = createThrottle({ clock, concurrency: WORKERS, process: { most } });
  const wait = (ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve));
  const service = { cap: 0, inService: 0, cooldownUntil: 0 };
  const counts = { answers: 0, throttled: 0, usedMs: 0, cappedMs: 0 };
  let since = clock.now();
  let workers = 0;

  /** Before anything changes: how much of the cap was used until now. */
  const account = (): void => {
    const ms = clock.now() - since;
    counts.usedMs += Math.min(service.inService, service.cap) * ms;
    counts.cappedMs += service.cap * ms;
    since = clock.now();
  };

  const timeOf = (): number => {
    const factor = { constant: 1, even: 0.5 + random(), 'long tail': -Math.log(1 - random()) }[spread];
    return serviceMs * factor * slowdown(service.inService);
  };

  async function callOnce(): Promise<void> {
    for (let refusals = 0; ; refusals++) {
      while (clock.now() < service.cooldownUntil) await wait(service.cooldownUntil - clock.now());
      const startedAt = clock.now();
      const isTaken = service.inService < service.cap;
      account();
      if (isTaken) service.inService++;
      await wait(isTaken ? timeOf() : 5);
      account();
      if (isTaken) service.inService--;
      counts.answers++;
      pace.onResponse({
        operation: 'accounts.process',
        status: isTaken ? 201 : 429,
        latencyMs: clock.now() - startedAt,
      });
      if (isTaken) return;
      counts.throttled++;
      const cooldown = Math.max(1, random() * Math.min(30_000, 500 * 2 ** refusals));
      service.cooldownUntil = Math.max(service.cooldownUntil, clock.now() + cooldown);
    }
  }

  return {
    pace,
    clock,
    /** So long at this cap: the share of the cap that was used, and of answers that were 429. */
    async phase(cap: number, seconds: number) {
      account();
      service.cap = cap;
      // As many accounts wait as the run has workers.
      for (; workers < WORKERS; workers++) void work(pace, callOnce);
      Object.assign(counts, { answers: 0, throttled: 0, usedMs: 0, cappedMs: 0 });
      await clock.advance(seconds * 1000);
      account();
      return { use: counts.usedMs / counts.cappedMs, throttled: counts.throttled / counts.answers };
    },
  };
}

async function work(pace: Throttle, call: () => Promise<void>): Promise<void> {
  for (;;) await pace.schedule('process', call);
}

/** Numbers from 0 to 1 that look like chance and come again with the seed. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
