/**
 * `onAbort`: one listener for each signal, which calls all others. Node warns about more than ten listeners on a signal, and
 * a thousand calls may share one.
 */
interface Shared {
  waiting: Waiting;
  listener: () => void;
}

const shared = new WeakMap<AbortSignal, Shared>();

/** Calls `tell` when the signal aborts. Returns what ends that. */
export function onAbort(signal: AbortSignal, tell: () => void): () => void {
  const { waiting, listener } = shared.get(signal) ?? share(signal);
  if (waiting.count === 0) signal.addEventListener('abort', listener, { once: true });
  const place = waiting.add(tell);
  return () => {
    waiting.remove(place, tell);
    if (waiting.count === 0) signal.removeEventListener('abort', listener);
  };
}

function share(signal: AbortSignal): Shared {
  const waiting = new Waiting();
  const listener = () => waiting.tellAll();
  shared.set(signal, { waiting, listener });
  return { waiting, listener };
}

/**
 * Who waits, each in a place that the next one takes. A `Set` that is always added to and deleted from replaces its
 * table again and again, and each old table holds on to the next, with the calls that were in it: they outlive the
 * collections of young garbage (decision 11).
 */
class Waiting {
  count = 0;
  readonly #places: ((() => void) | undefined)[] = [];
  readonly #free: number[] = [];

  add(tell: () => void): number {
    const place = this.#free.pop() ?? this.#places.length;
    this.#places[place] = tell;
    this.count++;
    return place;
  }

  /** Once it is out, its place may be another's. */
  remove(place: number, tell: () => void): void {
    if (this.#places[place] !== tell) return;
    this.#places[place] = undefined;
    this.#free.push(place);
    this.count--;
  }

  tellAll(): void {
    for (const tell of this.#places) tell?.();
  }
}
