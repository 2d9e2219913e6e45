/** Exports `addPlace`: a number with its first places, for texts such as `3 (in.jsonl:2, in.jsonl:7, in.jsonl:9)`. */

/** A number, and up to three of the places that it counts. */
export interface CountedPlaces {
  count: number;
  samples: string[];
}

const MOST_SAMPLES = 3;

/** Counts a place, with those that are counted already. */
export function addPlace(to: CountedPlaces, place: string): void {
  to.count++;
  if (to.samples.length < MOST_SAMPLES) to.samples.push(place);
}
