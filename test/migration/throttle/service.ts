/**
 * A service that processes a fixed number of accounts at the same time and answers 429 beyond that, by the fake clock and
 * from a seed.
 */
import { RateLimitError } from '../../../src/errors/api-errors.js';
import { createThrottle, type Throttle } from '../../../src/migration/throttle/throttle.js';
import { fakeClock } from './fake-clock.js';

const WORKERS = 64;
const REFUSED_AFTER_MS = 5;

interface ServiceOptions {
  seed: number;
  /** Mean of the time that processing an account takes, and how it varies. */
  serviceMs: number;
  spread: 'constant' | 'even' | 'long tail';
  /** Factor by which processing takes longer with this number of accounts in service. */
  slowdown?: (inService: number) => number;
  /** Most that the throttle may try. */
  most?: number;
}

export function openService({ seed, serviceMs, spread, slowdown = () => 1, most = WORKERS }: ServiceOptions) {
  const clock = fakeClock();
  const random = mulberry32(seed);
  const throttle = createThrottle({ clock, concurrency: WORKERS, process: { most } });
  const wait = (ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve));
  const service = { cap: 0, inService: 0 };
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

  /** As the client answers a run: a refused call rejects at once. */
  async function callOnce(): Promise<void> {
    const startedAt = clock.now();
    const isTaken = service.inService < service.cap;
    account();
    if (isTaken) service.inService++;
    await wait(isTaken ? timeOf() : REFUSED_AFTER_MS);
    account();
    if (isTaken) service.inService--;
    counts.answers++;
    throttle.onResponse({
      operation: 'accounts.process',
      status: isTaken ? 201 : 429,
      latencyMs: clock.now() - startedAt,
    });
    if (isTaken) return;
    counts.throttled++;
    throw new RateLimitError({
      ...{
        operation: 'accounts.process',
        attempts: 1,
        status: 429,
        body: undefined,
        headers: {},
        retryAfterMs: undefined,
      },
      decoded: { code: undefined, detail: undefined, errors: [] },
    });
  }

  return {
    throttle,
    clock,
    /** So long at this cap: the share of the cap that was used, that of answers that were 429, and how many were. */
    async phase(cap: number, seconds: number) {
      account();
      service.cap = cap;
      // As many accounts wait as the run has workers.
      for (; workers < WORKERS; workers++) void work(throttle, callOnce);
      Object.assign(counts, { answers: 0, throttled: 0, usedMs: 0, cappedMs: 0 });
      await clock.advance(seconds * 1000);
      account();
      const { answers, throttled, usedMs, cappedMs } = counts;
      return { use: usedMs / cappedMs, throttled: throttled / answers, refusals: throttled };
    },
  };
}

async function work(throttle: Throttle, call: () => Promise<void>): Promise<void> {
  for (;;) await throttle.schedule('process', call);
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
