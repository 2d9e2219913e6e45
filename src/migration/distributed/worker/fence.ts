/**
 * `createFence`: whether this process may still send. After a time without contact to the ledger it may not, because
 * others may have taken its records over. Two clocks measure the time: one never jumps, the other advances while the
 * machine is suspended.
 */
import type { DataImportClient } from '../../../client.js';
import type { InFlight } from '../../../http/limits/in-flight.js';
import { CallNotAdmittedError } from '../../record/record-context.js';

/** A machine's clocks, in milliseconds. */
export interface FenceClocks {
  monotonic(): number;
  wall(): number;
}

const machineClocks: FenceClocks = { monotonic: () => performance.now(), wall: () => Date.now() };

export interface Fence {
  /** Begins a contact; the returned function is called when the ledger has answered. */
  contact(): () => void;
  /** Returns whether calls may be sent. Aborts all calls of the process once they may not. */
  isOpen(): boolean;
  /** Makes the call. Rejects with a `CallNotAdmittedError` where calls may not be sent. */
  send<T>(call: () => Promise<T>): Promise<T>;
  /** Aborts when the fence closes; another one after it has opened again. */
  signal(): AbortSignal;
}

/** The quiet time of a request is four times as long, or longer. */
const LEAST_MS = 2000;
const MOST_MS = 15_000;

/** `openForMs`: for how long a process may send without contact to the ledger. */
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
        // A question asked before a standstill is no evidence for the time since.
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

/** By the machine's clocks, for a quarter of the quiet time of the client's requests. */
export function fenceOf({ inFlight }: { inFlight: Pick<InFlight, 'quietTimeMs'> }, onClosed = () => {}): Fence {
  const openForMs = () => Math.min(MOST_MS, Math.max(LEAST_MS, inFlight.quietTimeMs() / 4));
  return createFence(openForMs, machineClocks, onClosed);
}

type Response = Parameters<NonNullable<Parameters<DataImportClient['on']>[0]['onResponse']>>[0];

/**
 * Looks at the fence at the last moment before each request of the client: a machine that was suspended finds out there, and what
 * was about to be sent is broken off. `onProcessAnswer` is called after each answer to `process`. Returns what ends it.
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
