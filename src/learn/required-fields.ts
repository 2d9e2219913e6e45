/** Exports `requiredByRefusals`: the deployment profile that a recording shows, which are the fields that it refuses to miss (U9). */
import { isObject } from '../../schemas/objects.js';
import { operations } from '../../schemas/operations.js';
import { select } from '../validation/path-patterns.js';
import { type PayloadName, payloadOf, payloads } from '../validation/payload-schemas.js';
import { misspeltPath, type Profile } from '../validation/profile.js';
import type { Masked } from './mask.js';
import type { RecordedCall } from './record.js';

/** Returns the profile; undefined if no refusal names a field that the request does not have. */
export function requiredByRefusals(calls: readonly RecordedCall[]): Profile | undefined {
  const required: Partial<Record<PayloadName, string[]>> = {};
  for (const call of calls) {
    const name = payloadOf(operations[call.operation]);
    if (name === undefined || call.status !== 400 || call.request === undefined) continue;
    for (const path of pathsOf(call.answer ?? null)) {
      const pattern = path.replaceAll(/\b\d+\b/g, '*');
      // Local validation would refuse the field.
      if (misspeltPath(pattern, payloads[name]) !== undefined) continue;
      if (!lacks(call, pattern) || calls.some((other) => isAccepted(other, name) && lacks(other, pattern))) continue;
      required[name] = [...new Set([...(required[name] ?? []), pattern])];
    }
  }
  return Object.keys(required).length === 0 ? undefined : { required };
}

function isAccepted({ operation, status }: RecordedCall, name: PayloadName): boolean {
  return payloadOf(operations[operation]) === name && status !== null && status < 300;
}

/** Whether the request has the parent of the field, and not the field. */
function lacks({ request }: RecordedCall, pattern: string): boolean {
  return select(request, pattern).some(({ value }) => value === undefined);
}

/** The fields that the body of an error names: in `errors`, or as the path to a list of texts. */
function pathsOf(body: Masked): string[] {
  if (!isObject(body)) return [];
  if (Array.isArray(body['errors'])) {
    return body['errors'].flatMap((item: unknown) => (isObject(item) && item['attr'] ? [String(item['attr'])] : []));
  }
  return Object.entries(body).flatMap(([name, inner]) => {
    if (Array.isArray(inner)) return [name];
    return pathsOf(inner as Masked).map((path) => `${name}.${path}`);
  });
}
