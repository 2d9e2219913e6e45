/** Exports type checks and property access for values of unknown type. */

/** Returns whether the value is an object and not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return isObjectOrArray(value) && !Array.isArray(value);
}

export function isObjectOrArray(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Returns the value's own property of this name; undefined if it has none. */
export function fieldOf(value: unknown, key: string): unknown {
  return isObjectOrArray(value) && Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
}

/** Sets and returns an own property. An assignment to `__proto__` would change the prototype. */
export function setField<Value>(object: Record<string, unknown>, key: string, value: Value): Value {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
  else object[key] = value;
  return value;
}

/** Returns the value at a path of property names; undefined if a parent is missing. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let inner = value;
  for (const key of path) {
    if (!isObjectOrArray(inner)) return undefined;
    inner = (inner as Record<PropertyKey, unknown>)[key];
  }
  return inner;
}
