/**
 * Exports `createFence`: whether this process may send requests. After a time without contact to the ledger it may not, because
 * others may have taken over its records. Two clocks measure the time: one never jumps, the other advances while the
 * machine is suspended.
 */
import type { DataImportClient } from '../../../client.js';
import type { InFlight } from '../../../http/limits/in-flight.js';
import { CallNotAdmittedError } from '../record-context.js';

/** A machine's clocks, in milliseconds. */
export interface FenceClocks {
  monotonic(): number;
  wall(): number;
}

const machineClocks: FenceClocks = { monotonic: () => performance.now(), wall: () => Date.now() };

export interface Fence {
  /** Call it before a query to the ledger, and the returned function after the answer. */
  contact(): () => void;
  /** Returns whether calls may be sent. Aborts all calls of the process once they may not. */
  isOpen(): boolean;
  /** Makes the call. Rejects with a `CallNotAdmittedError` if calls may not be sent. */
  send<T>(call: () => Promise<T>): Promise<T>;
  /** Returns a signal that aborts when the fence closes. After it has opened again, it returns a new one. */
  signal(): AbortSignal;
}

/** Shortest time that the fence stays open. The quiet time of a request is at least four times as long. */
const LEAST_MS = 2000;
const MOST_MS = 15_000;

/** `openForMs` returns how long a process may send without contact to the ledger. */
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
        // A query that was sent before a standstill is no evidence for the time after it.
        isOpen();
        last = asked;
        if (controller.signal.aborted) controller = new AbortController();
      };
    },
    isOpen,
    async send(call) {
      if (isOpen()) return call();
      throw new CallNotAdmittedError('this process had no contact to the ledger; nothing was sent.');
    },
    signal: () => controller.signal,
  };
}

/** Returns a fence with the machine's clocks, open for a quarter of the quiet time of the client's requests. */
export function fenceOf({ inFlight }: { inFlight: Pick<InFlight, 'quietTimeMs'> }, onClosed = () => {}): Fence {
  const openForMs = () => Math.min(MOST_MS, Math.max(LEAST_MS, inFlight.quietTimeMs() / 4));
  return createFence(openForMs, machineClocks, onClosed);
}

type Response = Parameters<NonNullable<Parameters<DataImportClient['on']>[0]['onResponse']>>[0];

/**
 * Checks the fence directly before each request of the client, and aborts the request if the machine was suspended too long.
 * `onProcessAnswer` is called after each answer to `process`. Returns the function that ends the check.
 */
export function watchSending(
  client: DataImportClient,
  fence: Fence,
  onProcessAnswer: () => void,
  onResponse: (response: Response) => void = () => {},
): () => void {
  return client.on({
    onSend: () => void fence.isOpen(),
    onResponse(response) {
      if (response.operation === 'accounts.process' && response.status !== undefined) onProcessAnswer();
      onResponse(response);
    },
  });
}
