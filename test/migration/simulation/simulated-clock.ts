/**
 * Simulated machine time: in place of timers and clocks of the machine while a simulation runs. It advances to the next
 * timer when nothing else is left to do, so that hours take no time.
 */

/** Turns of the event loop without a timer after which everything that was begun has come to a stop. */
const QUIET_TURNS = 4;
/** Without a timer nothing can happen any more; work takes fewer turns than this. */
const MOST_TURNS_WITHOUT_TIMER = 10_000;

export interface SimulatedClock {
  /** Milliseconds since 1970. */
  now(): number;
  sleep(ms: number): Promise<void>;
  /** Resolves with the task's result; rejects where it waits for something that never comes. */
  run<T>(task: () => Promise<T>): Promise<T>;
}

interface Timer {
  at: number;
  call: () => void;
}

/** Replaces the globals of the whole process, so only one may exist at a time. Jitter is drawn from `random`. */
export function createSimulatedClock(startAt: number, random: () => number): SimulatedClock {
  let now = startAt;
  /** Also those of processes that were killed: what they call sends and writes nothing any more. */
  const timers = new Set<Timer>();

  const next = (): Timer | undefined => {
    let first: Timer | undefined;
    for (const timer of timers) if (first === undefined || timer.at < first.at) first = timer;
    return first;
  };

  const fire = (timer: Timer): void => {
    timers.delete(timer);
    now = timer.at;
    timer.call();
  };

  const setTimer = (ms: number, call: () => void): Timer => {
    if (Number.isNaN(ms)) throw new Error('The simulation is asked for a timer of NaN ms.');
    const timer = { at: now + Math.max(0, ms), call };
    timers.add(timer);
    return timer;
  };

  async function drive(isOver: () => boolean): Promise<void> {
    for (let vain = 0; !isOver(); ) {
      for (let turn = 0; turn < QUIET_TURNS && !isOver(); turn++) await turnOfLoop();
      if (isOver()) return;
      const timer = next();
      if (timer !== undefined) fire(timer);
      vain = timer === undefined ? vain + 1 : 0;
      if (vain > MOST_TURNS_WITHOUT_TIMER) throw new Error('The simulation waits for something that never comes.');
    }
  }

  return {
    now: () => now,
    sleep: (ms) => new Promise((resolve) => void setTimer(ms, resolve)),
    async run(task) {
      const restore = replaceGlobals({
        now: () => now,
        random,
        setTimer,
        clearTimer: (timer) => void timers.delete(timer as Timer),
      });
      try {
        let isOver = false;
        const result = task().finally(() => {
          isOver = true;
        });
        result.catch(() => {});
        await drive(() => isOver);
        return await result;
      } finally {
        restore();
      }
    },
  };
}

const turnOfLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Machine {
  now: () => number;
  random: () => number;
  setTimer: (ms: number, call: () => void) => unknown;
  clearTimer: (timer: unknown) => void;
}

/** Puts them in place of the machine's; the returned function puts those back. */
function replaceGlobals({ now, random, setTimer, clearTimer }: Machine): () => void {
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const [machineNow, machineRandom] = [Date.now, Math.random];
  const startedAt = now();
  const simulatedSet = (call: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
    setTimer(ms, () => call(...args));
  globalThis.setTimeout = simulatedSet as unknown as typeof setTimeout;
  globalThis.clearTimeout = clearTimer as typeof clearTimeout;
  Date.now = now;
  Math.random = random;
  // Not its own property: it is inherited.
  performance.now = () => now() - startedAt;
  return () => {
    globalThis.setTimeout = set;
    globalThis.clearTimeout = clear;
    Date.now = machineNow;
    Math.random = machineRandom;
    Reflect.deleteProperty(performance, 'now');
  };
}
