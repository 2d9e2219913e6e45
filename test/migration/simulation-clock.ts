/**
 * Simulated machine time: in place of timers and clocks of the machine while a simulation runs. It goes on to the next
 * timer when nothing else is left to do, so that hours take no time.
 */

/** Turns of the event loop without a timer after which everything that was begun has come to a stop. */
const QUIET_TURNS = 4;
/** Without a timer nothing can happen any more; work takes fewer turns than this. */
const MOST_TURNS_WITHOUT_TIMER = 10_000;

export interface SimulatedClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Does not end with the process: time of the service and of the network. */
  sleep(ms: number): Promise<void>;
  /** Takes the timers of a process away that was killed. */
  forgetTimers(): void;
  /** Resolves with the task's result; rejects where it waits for something that never comes. */
  run<T>(task: () => Promise<T>): Promise<T>;
}

interface Timer {
  at: number;
  call: () => void;
}

/** One at a time: it stands in for the globals of the whole process. `random` is what jitter is drawn from. */
export function createSimulatedClock(startAt: number, random: () => number): SimulatedClock {
  let now = startAt;
  /** Of the process that runs. */
  const timers = new Set<Timer>();
  const sleeping = new Set<Timer>();

  const next = (): Timer | undefined => {
    let first: Timer | undefined;
    for (const all of [timers, sleeping]) {
      for (const timer of all) if (first === undefined || timer.at < first.at) first = timer;
    }
    return first;
  };

  const fire = (timer: Timer): void => {
    timers.delete(timer);
    sleeping.delete(timer);
    now = Math.max(now, timer.at);
    timer.call();
  };

  const put = (all: Set<Timer>, ms: number, call: () => void): Timer => {
    const timer = { at: now + Math.max(0, ms), call };
    all.add(timer);
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
    sleep: (ms) => new Promise((resolve) => void put(sleeping, ms, resolve)),
    forgetTimers: () => timers.clear(),
    async run(task) {
      const restore = replaceGlobals({
        now: () => now,
        random,
        setTimer: (call, ms) => put(timers, ms, call),
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
  setTimer: (call: () => void, ms: number) => unknown;
  clearTimer: (timer: unknown) => void;
}

/** Puts them in place of the machine's; the returned function puts those back. */
function replaceGlobals({ now, random, setTimer, clearTimer }: Machine): () => void {
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const [machineNow, machineRandom] = [Date.now, Math.random];
  const startedAt = now();
  const simulatedSet = (call: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
    setTimer(() => call(...args), ms);
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
