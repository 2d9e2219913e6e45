/**
 * Finding values by a pattern such as `customers.*.landline`. `*` stands for every index or key; `*[type=CHARGE|CREDIT]`
 * for those whose field `type` has one of these values.
 */

export interface Selected {
  /** Path in the service's form. */
  attr: string;
  value: unknown;
}

/** Every place that the pattern names and whose parents exist; a value that is missing there is `undefined`. */
export function select(payload: unknown, pattern: string): Selected[] {
  let places: Selected[] = [{ attr: '', value: payload }];
  for (const part of pattern === '' ? [] : pattern.split('.')) {
    places = places.flatMap(({ attr, value }) => {
      if (value === null || typeof value !== 'object') return [];
      return keysOf(value, part).map((key) => ({
        attr: attr === '' ? key : `${attr}.${key}`,
        value: fieldOf(value, key),
      }));
    });
  }
  return places;
}

const FILTERED = /^\*\[(\w+)=([^\]]*)\]$/;

function keysOf(value: object, part: string): string[] {
  if (part === '*') return Object.keys(value);
  const [, field, values] = FILTERED.exec(part) ?? [];
  if (field === undefined || values === undefined) return [part];
  const wanted = values.split('|');
  return Object.keys(value).filter((key) => {
    const found = fieldOf(fieldOf(value, key), field);
    return typeof found !== 'object' && typeof found !== 'symbol' && wanted.includes(String(found));
  });
}

function fieldOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<string, unknown>)[key];
}
