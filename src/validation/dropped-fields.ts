/** Exports `droppedPaths`: fields of a request that are missing in the echo, because the service dropped them. */
import { toAttr } from './findings.js';

/** Returns the paths of fields that the echo lacks; empty if the service does not echo at all (`{}`). */
export function droppedPaths(sent: unknown, echo: unknown): string[] {
  if (!isObjectOrArray(echo) || Object.keys(echo).length === 0) return [];
  return missingPaths(sent, echo, []).map(toAttr);
}

function missingPaths(sent: unknown, echo: unknown, path: readonly string[]): (readonly string[])[] {
  // A list or an object with another type in the echo was changed, not dropped.
  if (!isObjectOrArray(sent) || !isObjectOrArray(echo) || Array.isArray(sent) !== Array.isArray(echo)) return [];
  return Object.entries(sent)
    .filter(([, value]) => value !== undefined)
    .flatMap(([key, value]) => {
      const at = [...path, key];
      return Object.hasOwn(echo, key) ? missingPaths(value, (echo as Record<string, unknown>)[key], at) : [at];
    });
}

function isObjectOrArray(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
