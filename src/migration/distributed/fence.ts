/**
 * `createFence`: whether this process may still send. It may not after a time without contact to the ledger, by either of two
 * clocks: others may have taken its records over. One clock never jumps, the other goes on while the machine is suspended.
 */

import type { InFlight } from '../../http/in-flight.js';

/** A machine's clocks, in milliseconds. */
export interface FenceClocks {
  monotonic(): number;
  wall(): number;
}

export const machineClocks: FenceClocks = { monotonic: () => performance.now(), wall: () => Date.now() };

export interface Fence {
  /** Begins a contact; the returned function is called when the ledger has answered. */
  contact(): () => void;
  /** Whether calls may be sent. Breaks off all calls of the process where they may not any more. */
  isOpen(): boolean;
  /** Aborts when the fence closes; another one after it has opened again. */
  signal(): AbortSignal;
}

/** The quiet time of a request is four times as long, or longer. */
const LEAST_MS = 2000;
const MOST_MS = 15_000;

/** For how long a process may send without contact to the ledger. */
export function fenceTimeMs(rule: Pick<InFlight, 'quietTimeMs'>): number {
  return Math.min(MOST_MS, Math.max(LEAST_MS, rule.quietTimeMs() / 4));
}

export function createFence(openForMs: () => number, clocks: FenceClocks, onClosed: () => void): Fence {
  const moment = () => ({ monotonic: clocks.monotonic(), wall: clocks.wall() });
  let last = moment();
  let controller = new AbortController();
  const isOpen = (): boolean => {
    const now = moment();
    const isLate = now.monotonic - last.monotonic > openForMs() || now.wall - last.wall > openForMs();
    if (isLate && !controller.signal.aborted) {
      controller.abort();
      onClosed();
    }
    return !controller.signal.aborted;
  };
  return {
    contact() {
      const asked = moment();
      return () => {
        // What was asked before a standstill says nothing of the time since.
        isOpen();
        last = asked;
        if (controller.signal.aborted) controller = new AbortController();
      };
    },
    isOpen,
    signal: () => controller.signal,
  };
}
