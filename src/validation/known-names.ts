/** Exports `refuseUnknownOptions`, which refuses unknown names of options, and `closestName`, which finds the intended name. */
import { isObject } from '../../schemas/objects.js';

/** Returns `name` for `group.name`, and a name without a group as it is. */
export function lastName(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

/**
 * Throws a `TypeError` if it is no object, or if an option is none of `names`: a misspelt option would be ignored. The message has the most
 * similar name, or all names; `listed` says where they are instead. `group`: the group of the options with a dot. `names` has those of all
 * groups, so that one at the wrong place is found.
 */
export function refuseUnknownOptions(
  where: string,
  given: object,
  names: readonly string[],
  {
    kind = 'option',
    listed,
    group = '',
  }: { kind?: 'option' | 'rule' | 'setting'; listed?: string; group?: string } = {},
): void {
  if (!isOptions(given)) throw new TypeError(`${where}: expected an object of ${kind}s, found ${foundInWords(given)}.`);
  const unknown = Object.keys(given).find((name) => !names.includes(group + name) || name.includes('.'));
  if (unknown === undefined) return;
  const closest = closestName(
    lastName(unknown),
    names.flatMap((path) => path.split('.')),
  );
  const meant = names.find((path) => lastName(path) === closest) ?? closest;
  const instead = meant === undefined && listed !== undefined ? `; ${listed}` : meantInWords(meant, names);
  throw new TypeError(`${where}: no ${kind} ${group}${unknown || '""'}${instead}`);
}

/** Returns whether it is an object with names. A promise has none, so that all options would be missing without a message. */
export function isOptions(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !(value instanceof Promise);
}

/** Returns what a value is, in words. No message quotes a text: it may be a secret. */
export function foundInWords(value: unknown): string {
  if (value === null || typeof value === 'number') return `${value}`;
  if (Array.isArray(value)) return 'a list';
  if (value instanceof Promise) return 'a promise';
  return value === '' ? 'an empty text' : typeof value;
}

/** Returns `; did you mean …?`, or all names. */
export function meantInWords(closest: string | undefined, known: readonly string[]): string {
  if (known.length === 0) return '.';
  return closest === undefined ? `; there are ${known.join(', ')}.` : `; did you mean ${closest}?`;
}

/**
 * Returns the known name with the smallest difference to `name`; undefined if none is similar. Ignores case, accents and
 * punctuation: `Telephone` is similar to `Téléphone`, `BASEURL` to `BASE_URL`.
 */
export function closestName(name: string, known: Iterable<string>): string | undefined {
  const wanted = folded(name);
  let closest: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const other = folded(candidate);
    const most = Math.max(1, Math.floor(Math.max(wanted.length, other.length) / 3));
    const distance = editDistance(wanted, other, most);
    if (distance <= most && distance < least) [closest, least] = [candidate, distance];
  }
  return closest;
}

function folded(name: string): string {
  const plain = name.normalize('NFKD').toLowerCase();
  // A name without letters and digits is compared as it is.
  return plain.replace(/[^\p{L}\p{N}]/gu, '') || plain;
}

/** Returns the number of insertions, deletions, replacements and swaps between two texts; `most + 1` if it is larger. */
function editDistance(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      let distance = Math.min((row[j - 1] ?? 0) + 1, (last[j] ?? 0) + 1, (last[j - 1] ?? 0) + (isSame ? 0 : 1));
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      if (isSwapped) distance = Math.min(distance, (beforeLast[j - 2] ?? 0) + 1);
      row.push(distance);
    }
    [beforeLast, last] = [last, row];
  }
  return last[other.length] ?? 0;
}
