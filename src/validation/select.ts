/** Finding values by a pattern such as `customers.*.landline`, where `*` stands for every index or key. */

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
      const keys = part === '*' ? Object.keys(value) : [part];
      return keys.map((key) => ({
        attr: attr === '' ? key : `${attr}.${key}`,
        value: Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined,
      }));
    });
  }
  return places;
}
