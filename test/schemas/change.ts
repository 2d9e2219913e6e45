/** One change to a copy of a payload, addressed the way the service addresses a field: `customers.0.landline`. */
import type * as z from 'zod';
import { schemaFindings } from '../../src/validation/findings.js';

type Container = Record<string, unknown>;

/** A copy of the payload with the value at `attr` (the payload itself where `attr` is empty). */
export function withValue(payload: unknown, attr: string, value: unknown): unknown {
  if (attr === '') return value;
  const copy = structuredClone(payload);
  const keys = attr.split('.');
  const last = keys.pop() as string;
  containerAt(copy, keys)[last] = value;
  return copy;
}

/** A copy of the payload in which the field at `attr` is left out. */
export function without(payload: unknown, attr: string): unknown {
  const copy = structuredClone(payload);
  const keys = attr.split('.');
  const last = keys.pop() as string;
  delete containerAt(copy, keys)[last];
  return copy;
}

/** The value at `attr`. */
export function valueAt(payload: unknown, attr: string): unknown {
  return attr === '' ? payload : attr.split('.').reduce((value, key) => (value as Container)[key], payload);
}

/** The findings without their wording, which is not part of the contract. */
export function attrsAndCodes(schema: z.ZodType, payload: unknown): { attr: string; code: string }[] {
  return schemaFindings(schema, payload).findings.map(({ attr, code }) => ({ attr, code }));
}

function containerAt(payload: unknown, keys: readonly string[]): Container {
  const container = keys.reduce((value, key) => (value as Container)[key], payload);
  if (typeof container !== 'object' || container === null) throw new Error(`Nothing at ${keys.join('.')}`);
  return container as Container;
}
