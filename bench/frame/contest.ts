/**
 * Runs contestants in turns. Each contestant has one turn per round, and each round starts with a different one, so that
 * changes in the machine's load affect all of them equally. A ratio is the median of the ratios of the rounds. A
 * contestant that fails is removed with its reason; the others continue.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { type Figure, figureOf, median } from './figures.js';
import { reasonOf } from './reason.js';

/** The measurements of one turn, by name: requests per second, microseconds, … */
export type Sample = Readonly<Record<string, number>>;

export interface Contestant {
  turn(): Sample | Promise<Sample>;
  close?(): unknown;
}

/** The contest opens the contestants, so that one that cannot be loaded does not stop the others. */
export type Contestants = Readonly<Record<string, () => Contestant | Promise<Contestant>>>;

export interface Rounds {
  rounds: number;
  /** Rounds before the measured ones; their samples are discarded. */
  warmUps: number;
  /** No round starts after this many milliseconds, once the minimum number of rounds is reached. */
  mostMs: number;
}

/** A turn that takes longer counts as hung and fails. */
const MOST_MS_OF_A_TURN = 120_000;
/** The minimum for a meaningful median. */
const LEAST_ROUNDS = 3;

interface Place {
  name: string;
  contestant?: Contestant | undefined;
  samples: Sample[];
  failure?: string;
}

export class Contest {
  readonly #places: readonly Place[];

  constructor(
    places: readonly Place[],
    /** Measured rounds: fewer than requested if the time ran out. */
    readonly rounds: number,
  ) {
    this.#places = places;
  }

  /** One measure of a contestant divided by that of another. Throws the reason if either failed. */
  ratio(measure: string, name: string, over: string): Figure {
    const [values, others] = [this.#values(measure, name), this.#values(measure, over)];
    return figureOf(values.map((value, round) => value / (others[round] ?? Number.NaN)));
  }

  /** One measure of a contestant minus that of another. */
  difference(measure: string, name: string, beyond: string): Figure {
    const [values, others] = [this.#values(measure, name), this.#values(measure, beyond)];
    return figureOf(values.map((value, round) => value - (others[round] ?? Number.NaN)));
  }

  figure(measure: string, name: string): Figure {
    return figureOf(this.#values(measure, name));
  }

  /** Returns one line per contestant with its medians. */
  lines(): string[] {
    return this.#places.map(({ name, samples, failure }) => {
      if (failure !== undefined) return `  ${name}: failed: ${failure}`;
      const measures = Object.keys(samples[0] ?? {}).map(
        (measure) => `${measure} ${median(samples.map((sample) => sample[measure] ?? Number.NaN)).toPrecision(4)}`,
      );
      return `  ${name}: ${measures.join(', ')}`;
    });
  }

  #values(measure: string, name: string): number[] {
    const place = this.#places.find((one) => one.name === name);
    if (place === undefined) throw new Error(`there is no contestant ${name}`);
    if (place.failure !== undefined) throw new Error(`${name}: ${place.failure}`);
    return place.samples.map((sample) => sample[measure] ?? Number.NaN);
  }
}

export async function contest(contestants: Contestants, { rounds, warmUps, mostMs }: Rounds): Promise<Contest> {
  const places: Place[] = Object.keys(contestants).map((name) => ({ name, samples: [] }));
  for (const place of places) {
    await orFail(place, async () => {
      place.contestant = await contestants[place.name]?.();
    });
  }
  const startedAt = performance.now();
  let round = -warmUps;
  for (; round < rounds; round++) {
    if (round >= LEAST_ROUNDS && performance.now() - startedAt > mostMs) break;
    for (let nth = 0; nth < places.length; nth++) {
      const place = places[(nth + round + warmUps) % places.length];
      if (place !== undefined) await orFail(place, () => takeTurn(place, round >= 0));
    }
  }
  // The figures of a contestant that fails to close remain valid.
  await Promise.allSettled(places.map(async ({ contestant }) => contestant?.close?.()));
  return new Contest(places, round);
}

async function takeTurn({ name, contestant, samples }: Place, counts: boolean): Promise<void> {
  if (contestant === undefined) return;
  // Collect the garbage of the previous turn, so that this turn does not pay for it.
  globalThis.gc?.();
  const ended = new AbortController();
  const hung = wait(MOST_MS_OF_A_TURN, undefined, { signal: ended.signal }).then(() => {
    throw new Error(`${name} took longer than ${MOST_MS_OF_A_TURN / 1000} s`);
  });
  hung.catch(() => {});
  try {
    const sample = await Promise.race([contestant.turn(), hung]);
    if (counts) samples.push(sample);
  } finally {
    ended.abort();
  }
}

async function orFail(place: Place, step: () => Promise<unknown>): Promise<void> {
  if (place.failure !== undefined) return;
  try {
    await step();
  } catch (error) {
    place.failure = reasonOf(error);
  }
}
