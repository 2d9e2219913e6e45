/**
 * Exports `canonicalJson`, which is equal for records of the same content, and `contentNumberOf`, a number for the comparison of many
 * records in memory.
 */

import { setField } from '../../../schemas/objects.js';

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
    setField(sorted, key, withSortedKeys(held[key]));
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

/** A number holds 52 bits of a hash exactly: 13 hexadecimal digits. */
const DIGITS = 13;

/**
 * Returns the first bits of the SHA-256 of the content, equal for another order of keys: a million numbers need less memory than as many
 * texts. NaN, which equals nothing, for a value that is no JSON.
 */
export function contentNumberOf(value: unknown): number {
  const text = jsonOf(value);
  if (text === undefined) return Number.NaN;
  // Not imported: most programs import only the client, and this module takes as long to load as the rest of it.
  const { hash } = process.getBuiltinModule('node:crypto');
  return Number.parseInt(hash('sha256', text).slice(0, DIGITS), 16);
}

function jsonOf(value: unknown): string | undefined {
  try {
    return canonicalJson(value);
  } catch {
    // A BigInt, a cycle or a getter that throws.
    return undefined;
  }
}
