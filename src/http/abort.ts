/**
 * Hearing of an abort. Node warns when more than ten listeners wait on one signal, and a thousand calls may share one:
 * so a signal gets one listener, which tells the rest, and none once nobody waits.
 */
interface Shared {
  waiting: Set<() => void>;
  listener: () => void;
}

const shared = new WeakMap<AbortSignal, Shared>();

/** Calls `tell` when the signal aborts. Returns what ends that. */
export function onAbort(signal: AbortSignal, tell: () => void): () => void {
  const { waiting, listener } = shared.get(signal) ?? share(signal);
  if (waiting.size === 0) signal.addEventListener('abort', listener, { once: true });
  waiting.add(tell);
  return () => {
    waiting.delete(tell);
    if (waiting.size === 0) signal.removeEventListener('abort', listener);
  };
}

function share(signal: AbortSignal): Shared {
  const waiting = new Set<() => void>();
  const listener = () => {
    for (const tell of waiting) tell();
  };
  shared.set(signal, { waiting, listener });
  return { waiting, listener };
}
