/** Names that a user may have misspelt: refusing one that is no option, and finding the one that was probably meant. */

/** Refuses a name that is no option: a misspelt one would count as left out. Throws a `TypeError` that names those there are. */
export function refuseUnknown(options: object, known: readonly string[], of: string): void {
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) throw new TypeError(`${name}: not an option of ${of} (${known.join(', ')})`);
  }
}

/** Throws a TypeError for a name that is none of `names`, with the one that was probably meant, or all of them. */
export function refuseUnknownOptions(where: string, given: object, names: Iterable<string>, kind = 'option'): void {
  const known = new Set(names);
  const unknown = Object.keys(given).find((name) => !known.has(name));
  if (unknown === undefined) return;
  const closest = closestName(unknown, known);
  const meant = closest === undefined ? `there are ${[...known].join(', ')}.` : `did you mean ${closest}?`;
  throw new TypeError(`${where}: no ${kind} ${unknown}; ${meant}`);
}

/**
 * The known name that differs least from `name`; undefined where none is near. Case, accents and punctuation do not
 * count: `Telephone` is near `Téléphone`, `BASEURL` near `BASE_URL`.
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

/** Insertions, deletions, replacements and swapped neighbours that make one text of the other; `most + 1` where it takes more. */
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
