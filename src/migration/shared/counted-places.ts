/** Exports `addPlace`: a number with its first places, for texts such as `3 (in.jsonl:2, in.jsonl:7, in.jsonl:9)`. */

/** A number, and the first places or ids of what it counts. */
export interface CountedPlaces {
  /** The number. */
  count: number;
  /** The first three places, as `file:line`, unless another number is stated. */
  samples: string[];
}

const MOST_SAMPLES = 3;

export const nowhere = (): CountedPlaces => ({ count: 0, samples: [] });

/** Counts a place, with those that are counted already. `most`: places that are kept. */
export function addPlace(to: CountedPlaces, place: string, most = MOST_SAMPLES): void {
  to.count++;
  if (to.samples.length < most) to.samples.push(place);
}

/** Returns `in.jsonl:2, in.jsonl:7, in.jsonl:9, …`. */
export function placesInWords({ count, samples }: Readonly<CountedPlaces>): string {
  const first = samples.slice(0, MOST_SAMPLES);
  return first.join(', ') + (count > first.length ? ', …' : '');
}
