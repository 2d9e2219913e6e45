/**
 * Contestants that take turns: in every round each has one, and the next round begins with another, so that whatever
 * the machine does meets all of them alike. A ratio is the median of the ratios of each round. Who fails is out, with
 * the reason, and the others go on.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { type Figure, figureOf, median } from './figures.js';
import { reasonOf } from './reason.js';

/** What one turn took, by name: requests a second, microseconds, … */
export type Sample = Readonly<Record<string, number>>;

export interface Contestant {
  turn(): Sample | Promise<Sample>;
  close?(): unknown;
}

/** Opened by the contest, so that one that cannot even be loaded fails alone. */
export type Contestants = Readonly<Record<string, () => Contestant | Promise<Contestant>>>;

export interface Rounds {
  rounds: number;
  /** Rounds before them that do not count. */
  warmUps: number;
  /** No further round begins after so many milliseconds, once there are some. */
  mostMs: number;
}

/** A turn that takes longer has hung. */
const MOST_MS_OF_A_TURN = 120_000;
/** Without as many, a median means nothing. */
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
    /** Fewer than were asked for where the machine was too busy. */
    readonly rounds: number,
  ) {
    this.#places = places;
  }

  /** One measure of a contestant over that of another. Throws why there is none. */
  ratio(measure: string, name: string, over: string): Figure {
    const [values, others] = [this.#values(measure, name), this.#values(measure, over)];
    return figureOf(values.map((value, round) => value / (others[round] ?? Number.NaN)));
  }

  /** What a contestant takes beyond another. */
  difference(measure: string, name: string, beyond: string): Figure {
    const [values, others] = [this.#values(measure, name), this.#values(measure, beyond)];
    return figureOf(values.map((value, round) => value - (others[round] ?? Number.NaN)));
  }

  figure(measure: string, name: string): Figure {
    return figureOf(this.#values(measure, name));
  }

  /** Every contestant with its medians, a line each. */
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
  // Who cannot end has been measured all the same.
  await Promise.allSettled(places.map(async ({ contestant }) => contestant?.close?.()));
  return new Contest(places, round);
}

async function takeTurn({ name, contestant, samples }: Place, counts: boolean): Promise<void> {
  if (contestant === undefined) return;
  // What the one before left behind is not this one's cost.
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
