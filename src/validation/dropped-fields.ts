/** What was sent and does not come back: the service dropped it. */
import { toAttr } from './findings.js';

/** Paths of what was sent that the echo lacks; none where the service does not echo at all (`{}`). */
export function droppedPaths(sent: unknown, echo: unknown): string[] {
  if (!isObject(echo) || Object.keys(echo).length === 0) return [];
  return missing(sent, echo, []).map(toAttr);
}

function missing(sent: unknown, echo: unknown, path: readonly string[]): (readonly string[])[] {
  // Where a list or an object comes back as something else, it was rewritten rather than dropped.
  if (!isObject(sent) || !isObject(echo) || Array.isArray(sent) !== Array.isArray(echo)) return [];
  return Object.entries(sent)
    .filter(([, value]) => value !== undefined)
    .flatMap(([key, value]) => {
      const at = [...path, key];
      return Object.hasOwn(echo, key) ? missing(value, (echo as Record<string, unknown>)[key], at) : [at];
    });
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
