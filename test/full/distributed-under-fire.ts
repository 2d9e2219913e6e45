/**
 * A distributed run of three whose workers are killed by SIGKILL at moments drawn by lot, a new one in the place of each at once,
 * while what they lean on is disturbed now and then; to the end of the input.
 */
import { setTimeout as after } from 'node:timers/promises';
import type { Door, Passage } from './distributed-door.js';
import { type ProcessEnd, type RunPlaces, type RunProcess, startProcess } from './distributed-processes.js';

export interface Fire {
  kills: number;
  /** Requests of the whole input in a run that nothing disturbs: the kills are spread over them. */
  requests: number;
  random: () => number;
  /** What happens beside a kill, counted from 1; undefined for nothing. One at a time, and awaited by none but the next. */
  disturb: (kill: number) => (() => Promise<void>) | undefined;
  /** `count` times, evenly spread over the kills, SIGSTOP suspends a worker for `ms`, while the others are killed. */
  stops?: { count: number; ms: () => number };
  /**
   * Which request shows that a worker is at work.
   * @default any that it has sent since it began
   */
  isWork?: (passage: Passage) => boolean;
}

export interface Survived {
  coordinator: ProcessEnd;
  workers: ProcessEnd[];
  counted: Readonly<Record<'kills' | 'stops' | 'ofCoordinator' | 'atWork' | 'disturbed' | 'foundItAway', number>>;
  /** What workers said that ended by themselves before the run was over. */
  complaints: string[];
}

interface Life {
  process: RunProcess;
  /** Requests that had arrived when it began. */
  since: number;
  /** Whether nothing was disturbed at its beginning, and how often something had been. */
  beganInCalm: boolean;
  disturbedBefore: number;
}

const COORDINATOR = 'coordinator';
const NAMES = [COORDINATOR, 'worker-1', 'worker-2'] as const;
/** The rest of the input is left for the time after the last kill. */
const SPREAD_OVER = 0.65;
/** Share of the kills that hit a worker that is at work; the others hit any process. */
const AT_WORK = 0.75;

/** Workers of a finished run end with code 0, its coordinator with 0, 3 or 4. */
const isOfRunOver = (end: ProcessEnd | undefined): boolean =>
  end !== undefined && end.signal === null && (end.code === 0 || end.code === 3 || end.code === 4);

/** Ends its processes also if the test fails early. */
export async function surviveFire(
  door: Door,
  places: RunPlaces,
  { kills, requests, random, disturb, stops, isWork = () => true }: Fire,
  onBroken: (end: () => void) => void,
): Promise<Survived> {
  const counted = { kills: 0, stops: 0, ofCoordinator: 0, atWork: 0, disturbed: 0, foundItAway: 0 };
  const complaints: string[] = [];
  const lives = new Map<string, Life>();
  let disturbing: Promise<void> | undefined;
  onBroken(() => {
    for (const { process } of lives.values()) process.kill('SIGKILL');
  });

  const start = (name: string): void => {
    const process = startProcess(name, name === COORDINATOR ? 'coordinator' : 'worker', places);
    const life = {
      process,
      since: door.passages.length,
      disturbedBefore: counted.disturbed,
      beganInCalm: disturbing === undefined,
    };
    lives.set(name, life);
    void process.ended.then(async ({ code, signal }) => {
      if (signal === 'SIGKILL' || isOfRunOver({ code, signal })) return;
      // Its database was unavailable at its start: it reports that, and sends nothing.
      if (code === 1 && isDisturbedSince(life) && !isAtWork(name)) counted.foundItAway++;
      else complaints.push(`${name} ended with ${code}: ${process.said()}`);
      // As an operator would: started again when the database is available.
      await disturbing;
      startAfter(name, process);
    });
  };
  /** Replaces a process once, also if it was killed while it ended: otherwise two with one name would join the run. */
  const startAfter = (name: string, ended: RunProcess | undefined): void => {
    if (lives.get(name)?.process === ended) start(name);
  };
  const isRunning = (name: string): boolean => lives.get(name)?.process.end() === undefined;
  const isDisturbedSince = ({ beganInCalm, disturbedBefore }: Life) =>
    !beganInCalm || counted.disturbed > disturbedBefore;
  const isAtWork = (name: string): boolean =>
    door.passages.slice(lives.get(name)?.since).some((passage) => passage.worker === name && isWork(passage));
  const oneOf = (names: readonly string[]) => names[Math.floor(random() * names.length)];

  /** Each by the name of its worker, which is not killed meanwhile: what it does when it continues is what counts. */
  const stopping = new Map<string, Promise<void>>();
  function stopOneIfDue(): void {
    if (counted.stops >= stopsDue() || stops === undefined) return;
    // Where no process is at work, the stop follows one of the next kills, or requests after the last one.
    const name = oneOf(NAMES.filter((one) => isRunning(one) && isAtWork(one) && !stopping.has(one)));
    const process = name === undefined ? undefined : lives.get(name)?.process;
    if (name === undefined || process === undefined) return;
    counted.stops++;
    process.kill('SIGSTOP');
    const goOn = () => {
      process.kill('SIGCONT');
      stopping.delete(name);
    };
    stopping.set(name, after(stops.ms()).then(goOn));
  }
  const stopsDue = () => Math.floor((counted.kills * (stops?.count ?? 0)) / kills);

  for (const name of NAMES) start(name);
  // A coordinator that ended because the database was unavailable is started again: its run is not over.
  const isOver = () => isOfRunOver(lives.get(COORDINATOR)?.process.end());
  let arrived = 0;
  while (counted.kills < kills && !isOver()) {
    // Requests that arrived while a process was killed leave fewer for the other kills.
    const between = Math.max(SPREAD_OVER * requests - arrived, 0) / (kills - counted.kills);
    arrived = Math.max(arrived + Math.ceil(2 * between * random()), 1);
    await Promise.race([door.arrived(arrived), endOf(COORDINATOR)]);
    if (isOver()) break;
    // A request that arrived before the last kill does not show which processes run now.
    arrived = Math.max(arrived, door.passages.length);
    const there = NAMES.filter((one) => isRunning(one) && !stopping.has(one));
    const working = there.filter(isAtWork);
    const name = (random() < AT_WORK ? oneOf(working) : undefined) ?? oneOf(there);
    // All processes are suspended, or will be started again: the kill follows a later request.
    if (name === undefined) continue;
    if (working.some((one) => one === name)) counted.atWork++;
    if (name === COORDINATOR) counted.ofCoordinator++;
    counted.kills++;
    const victim = lives.get(name)?.process;
    victim?.kill('SIGKILL');
    await victim?.ended;
    startAfter(name, victim);
    stopOneIfDue();
    const disturbance = disturb(counted.kills);
    if (disturbance !== undefined) {
      await disturbing;
      counted.disturbed++;
      disturbing = disturbance().finally(() => {
        disturbing = undefined;
      });
    }
  }
  while (counted.stops < stopsDue() && !isOver()) {
    await Promise.race([door.arrived(door.passages.length + 1), endOf(COORDINATOR)]);
    stopOneIfDue();
  }
  await disturbing;
  await Promise.all(stopping.values());
  const [coordinator, ...workers] = await Promise.all(NAMES.map(endOf));
  return { coordinator: coordinator ?? { code: null, signal: null }, workers, counted, complaints };

  /** Of the last of its lives. */
  async function endOf(name: string): Promise<ProcessEnd> {
    for (;;) {
      const life = lives.get(name)?.process;
      const end = await life?.ended;
      // If the run continues, `start` has started the process again.
      await disturbing;
      await new Promise(setImmediate);
      if (end !== undefined && life === lives.get(name)?.process) return end;
    }
  }
}
