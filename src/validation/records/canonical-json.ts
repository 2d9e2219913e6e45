/**
 * Exports `canonicalJson`, which is equal for records of the same content, and `contentNumberOf`, a number for the comparison of many
 * records in memory.
 */

/** Returns JSON without spacing, with the keys of every object in the order of UTF-16 code units. Expects JSON values. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(withSortedKeys(value));
}

/** Uses assignments, because `Object.fromEntries` takes twice as long, and this runs for every new record. */
function withSortedKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withSortedKeys);
  const held = value as Record<string, unknown>;
  const sorted: Record<string, unknown> = {};
  for (const key of inOrder(Object.keys(held))) {
    if (key === '__proto__') Object.defineProperty(sorted, key, { value: withSortedKeys(held[key]), enumerable: true });
    else sorted[key] = withSortedKeys(held[key]);
  }
  return sorted;
}

/** More keys than an object of the API specification has. */
const MANY_KEYS = 40;

/** Sorts in place: `sort` allocates more memory than the record itself has, and this runs for every object of every record. */
function inOrder(keys: string[]): string[] {
  if (keys.length > MANY_KEYS) return keys.sort();
  for (let index = 1; index < keys.length; index++) {
    const key = keys[index] as string;
    let before = index - 1;
    for (; before >= 0 && (keys[before] as string) > key; before--) keys[before + 1] = keys[before] as string;
    keys[before + 1] = key;
  }
  return keys;
}

const [OFFSET_OF_HIGH, OFFSET_OF_LOW] = [0xdeadbeef, 0x41c6ce57];
const [PRIME_OF_HIGH, PRIME_OF_LOW] = [2654435761, 1597334677];

/**
 * Returns a hash with 53 bits of the content, equal for another order of keys (cyrb53). It is no cryptographic hash: use it to compare
 * records of one key, of which there are few. NaN, which equals nothing, for a value that is no JSON.
 */
export function contentNumberOf(value: unknown): number {
  const text = jsonOf(value);
  if (text === undefined) return Number.NaN;
  let [high, low] = [OFFSET_OF_HIGH, OFFSET_OF_LOW];
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, PRIME_OF_HIGH);
    low = Math.imul(low ^ unit, PRIME_OF_LOW);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & low) + (high >>> 0);
}

function jsonOf(value: unknown): string | undefined {
  try {
    return canonicalJson(value);
  } catch {
    // A BigInt, a cycle or a getter that throws.
    return undefined;
  }
}
