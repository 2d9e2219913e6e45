/** Options by their names: one that is misspelt would otherwise do nothing, without a word. */
import { closestName } from '../../validation/known-names.js';

/** Throws a TypeError for a name that is none of `names`, with the one that was probably meant, or all of them. */
export function refuseUnknownOptions(where: string, given: object, names: Iterable<string>, kind = 'option'): void {
  const known = new Set(names);
  const unknown = Object.keys(given).find((name) => !known.has(name));
  if (unknown === undefined) return;
  const closest = closestName(unknown, known);
  const meant = closest === undefined ? `there are ${[...known].join(', ')}.` : `did you mean ${closest}?`;
  throw new TypeError(`${where}: no ${kind} ${unknown}; ${meant}`);
}
