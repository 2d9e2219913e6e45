/**
 * Exports `select`: finds values by a pattern such as `customers.*.landline`. `*` matches every index or key;
 * `*[type=CHARGE|CREDIT]` those whose field `type` has one of these values.
 */

import { fieldOf, isObjectOrArray } from '../../schemas/objects.js';

export interface Selected {
  /** Path in the service's form. */
  attr: string;
  value: unknown;
}

/** Returns every place that matches the pattern and whose parents exist; a missing value is `undefined`. */
export function select(payload: unknown, pattern: string): Selected[] {
  const found: Selected[] = [];
  collect(payload, partsOf(pattern), 0, '', found);
  return found;
}

function collect(value: unknown, parts: readonly string[], index: number, attr: string, found: Selected[]): void {
  const part = parts[index];
  if (part === undefined) {
    found.push({ attr, value });
    return;
  }
  if (!isObjectOrArray(value)) return;
  for (const key of keysOf(value, part)) {
    collect(fieldOf(value, key), parts, index + 1, attr === '' ? key : `${attr}.${key}`, found);
  }
}

/** Cache: there are few patterns, and each is used for every payload. */
const PARTS = new Map<string, readonly string[]>([['', []]]);

function partsOf(pattern: string): readonly string[] {
  let parts = PARTS.get(pattern);
  if (parts === undefined) {
    parts = pattern.split('.');
    PARTS.set(pattern, parts);
  }
  return parts;
}

const FILTERED = /^\*\[(\w+)=([^\]]*)\]$/;

/** Returns the keys of a value that match a part of a pattern. */
function keysOf(value: object, part: string): string[] {
  if (part === '*') return Object.keys(value);
  if (!part.startsWith('*[')) return [part];
  const [, field, values] = FILTERED.exec(part) ?? [];
  if (field === undefined || values === undefined) return [part];
  const wanted = values.split('|');
  return Object.keys(value).filter((key) => {
    const found = fieldOf(fieldOf(value, key), field);
    return typeof found !== 'object' && typeof found !== 'symbol' && wanted.includes(String(found));
  });
}

/** Returns the path with `*` for indexes. */
export function withoutIndexes(attr: string): string {
  return attr
    .split('.')
    .map((part) => (/^\d+$/.test(part) ? '*' : part))
    .join('.');
}
