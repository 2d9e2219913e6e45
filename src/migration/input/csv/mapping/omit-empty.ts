/** Exports `omitEmpty`, which removes empty fields from a record. */

/**
 * Returns a copy without the fields that are `undefined`, `null`, `''`, `{}` or `[]`, at every depth. It also removes such entries of
 * lists, and objects and lists that are empty after that: a customer without any value disappears. `false`, `0` and texts of spaces
 * stay. The outermost object stays, even if it is empty. Objects of classes, such as `Date`, are not changed.
 *
 * Its type is the one that the place expects, in which the compiler finds misspelt fields: the result of a function, or a constant with a
 * type. Elsewhere it is `object`. A field that the type requires is missing if it was empty, and the check names it.
 *
 * @example
 * omitEmpty({ a: '', b: { c: null }, d: [{ e: undefined }], f: 0 }); // { f: 0 }
 */
export function omitEmpty<T extends object | undefined = object>(object: NonNullable<NoInfer<T>>): NonNullable<T> {
  return (withoutEmpty(object) ?? (Array.isArray(object) ? [] : {})) as NonNullable<T>;
}

/** Returns undefined for an empty value. */
function withoutEmpty(value: unknown): unknown {
  if (value === null || value === '') return undefined;
  if (Array.isArray(value)) {
    const items = value.map(withoutEmpty).filter((item) => item !== undefined);
    return items.length === 0 ? undefined : items;
  }
  if (typeof value !== 'object' || !isPlain(value)) return value;
  const fields = Object.entries(value)
    .map(([name, field]) => [name, withoutEmpty(field)] as const)
    .filter(([, field]) => field !== undefined);
  // Not by assignment, which does not store a field called __proto__.
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
