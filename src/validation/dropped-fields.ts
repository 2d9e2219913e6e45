/** Exports `droppedPaths`: fields of a request that are missing or empty in the echo, because the service dropped them. */
import { isObjectOrArray } from '../../schemas/objects.js';
import { toAttr } from './findings.js';
import { isBlank } from './warnings/value-forms.js';

/** Returns the paths of fields whose values the echo lacks; empty if the service does not echo at all (`{}`). */
export function droppedPaths(sent: unknown, echo: unknown): string[] {
  if (!isObjectOrArray(echo) || isEmpty(echo)) return [];
  return missingPaths(sent, echo, []).map(toAttr);
}

function missingPaths(sent: unknown, echo: unknown, path: readonly string[]): (readonly string[])[] {
  // A list or an object with another type in the echo was changed, not dropped.
  if (!isObjectOrArray(sent) || !isObjectOrArray(echo) || Array.isArray(sent) !== Array.isArray(echo)) return [];
  return Object.entries(sent)
    .filter(([, value]) => value !== undefined)
    .flatMap(([key, value]) => {
      const at = [...path, key];
      if (!Object.hasOwn(echo, key)) return [at];
      const echoed = (echo as Record<string, unknown>)[key];
      return isEmpty(echoed) && !isEmpty(value) ? [at] : missingPaths(value, echoed, at);
    });
}

/** Returns whether the value says nothing: null, `""`, `{}` or `[]`. */
function isEmpty(value: unknown): boolean {
  if (isObjectOrArray(value)) return Object.values(value).every((part) => part === undefined);
  return value == null || (typeof value === 'string' && isBlank(value));
}
