/** Exports `createClock`: the sandbox's clock, either fixed until it is set or running with the machine's. */
import { foundInWords } from '../../validation/known-names.js';
import type { Store } from './store.js';

/** The sandbox's clock: fixed until it is set, or running with the machine's clock. */
export interface SandboxClock {
  /** Returns the time in the sandbox. */
  now(): Date;
  /** Moves the clock forward. Throws a RangeError when `ms` is negative or not finite. */
  advance(ms: number): void;
  /** Sets the clock, also backwards. Throws a RangeError for an invalid date. */
  set(instant: Date): void;
}

/** Returns a clock whose time is part of the state. */
export function createClock(store: () => Store): SandboxClock {
  const now = (): Date => {
    const { clock } = store().state;
    return clock.kind === 'fixed' ? new Date(clock.now) : new Date(Date.now() + clock.offset_ms);
  };
  const set = (instant: Date): void => {
    if (!(instant instanceof Date)) throw new TypeError(`clock.set: expected a Date, found ${foundInWords(instant)}.`);
    if (!Number.isFinite(instant.getTime())) throw new RangeError('clock.set: not a valid date.');
    const { kind } = store().state.clock;
    const clock =
      kind === 'fixed' ? { kind, now: instant.toISOString() } : { kind, offset_ms: instant.getTime() - Date.now() };
    store().commit([{ type: 'clockSet', clock }]);
  };
  return {
    now,
    set,
    advance(ms) {
      if (!(ms >= 0 && Number.isFinite(ms))) throw new RangeError(`clock.advance: expected 0 ms or more, found ${ms}.`);
      set(new Date(now().getTime() + ms));
    },
  };
}
