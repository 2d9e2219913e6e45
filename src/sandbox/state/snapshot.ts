/** The state as something that can be kept: in a variable, in a file, and put back. */
import * as z from 'zod';
import { toAttr } from '../../validation/findings.js';
import { checkFaultRule } from './fault-rules.js';
import type { SandboxState } from './sandbox-state.js';

/** Plain JSON. Holds everything that was sent, personal data included. */
export interface SandboxSnapshot {
  /** Tells a snapshot from other JSON. */
  format: 'data-import-sdk sandbox 1';
  /** Everything that the sandbox knows. */
  state: SandboxState;
}

const FORMAT = 'data-import-sdk sandbox 1';

export function takeSnapshot(state: SandboxState): SandboxSnapshot {
  return { format: FORMAT, state: copyJson(state) };
}

/** The same as text, without the copy. */
export function snapshotText(state: SandboxState): string {
  return JSON.stringify({ format: FORMAT, state });
}

const objects = z.array(z.looseObject({}));
const text = z.string();

const imported = z.strictObject({
  service_account_number: text,
  account_created_at: text,
  operations_team_name: text,
  status: z.enum(['PENDING', 'IN_PROGRESS', 'REJECTED', 'COMPLETED']),
  notes: z.array(z.looseObject({ created_at: text, is_pinned: z.boolean() })),
  transactions: z.array(z.strictObject({ sent: z.looseObject({}), data: z.looseObject({}) })),
  statements: objects,
  payment_instructions: objects,
});

/** As deep as the sandbox itself relies on; what was sent by clients has been checked when it came. */
const snapshotSchema = z.looseObject({
  format: z.literal(FORMAT),
  state: z.strictObject({
    clock: z.union([
      z.strictObject({ kind: z.literal('fixed'), now: z.iso.datetime() }),
      z.strictObject({ kind: z.literal('machine'), offset_ms: z.number() }),
    ]),
    teams: z.array(text),
    suppliers: z.array(
      z.strictObject({
        code: text,
        status: z.enum(['Ongoing', 'Paused', 'Complete']),
        root: text,
        skipped: z.array(text),
        accounts: z.array(
          z.strictObject({
            external_account_number: text,
            staged_at: text,
            data: z.looseObject({ import_supplier: text, external_account_number: text }),
            documents: z.array(z.strictObject({ path: text, location: text })),
            imported: imported.nullable(),
            duplicates: z.array(imported).optional(),
          }),
        ),
        businesses: z.array(
          z.strictObject({
            service_business_id: z.int(),
            external_business_identifier: text,
            created_at: text,
            business: z.looseObject({}),
            payment_instructions: objects,
          }),
        ),
      }),
    ),
    populate_batches: z.array(
      z.strictObject({
        batch_id: text,
        customer_category: text.optional(),
        queued_at: text,
        lookups: z.array(
          z.strictObject({ identifier: text, supply_type: z.enum(['ELECTRICITY', 'GAS']), completes_at: text }),
        ),
      }),
    ),
    vendor_tries: z.record(text, z.int()),
    documents: z.array(text),
    faults: z.array(z.looseObject({ id: text, met: z.int(), fired: z.int(), tries: z.record(text, z.int()) })),
  }),
});

/** A copy of the state in it. Throws a TypeError that names the place that is wrong. */
export function checkSnapshot(snapshot: unknown): SandboxState {
  const result = snapshotSchema.safeParse(snapshot);
  if (!result.success) {
    const [issue] = result.error.issues;
    const attr = toAttr(issue?.path ?? []);
    throw new TypeError(`sandbox.restore: not a snapshot: ${attr === '' ? '' : `${attr}: `}${issue?.message}`);
  }
  const { state } = snapshot as SandboxSnapshot;
  for (const { met, fired, tries, ...rule } of state.faults) checkFaultRule(rule);
  return structuredClone(state);
}

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
