/** Exports `takeSnapshot`, `checkSnapshot` and `copyJson`: copies of the state to keep and restore. */
import * as z from 'zod';
import { setField } from '../../../schemas/objects.js';
import { firstIssue } from '../../validation/findings.js';
import { checkFaultRule } from './fault-rules.js';
import type { SandboxState } from './sandbox-state.js';

/** A copy of the state as plain JSON. It contains all payloads, with personal data. */
export interface SandboxSnapshot {
  /** Identifies the format. */
  format: 'data-import-sdk sandbox 1';
  /** The whole state. */
  state: SandboxState;
}

const FORMAT = 'data-import-sdk sandbox 1';

/** Returns a snapshot with a copy of the state. */
export function takeSnapshot(state: SandboxState): SandboxSnapshot {
  return { format: FORMAT, state: copyJson(state) };
}

/** Returns the snapshot as JSON text, without copying the state. */
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

/** Checks only the parts on which the sandbox relies; payloads were checked when they arrived. */
const snapshotSchema = z.looseObject({
  format: z.literal(FORMAT),
  state: z.strictObject({
    clock: z.discriminatedUnion(
      'kind',
      [
        z.strictObject({ kind: z.literal('fixed'), now: z.iso.datetime() }),
        z.strictObject({ kind: z.literal('machine'), offset_ms: z.number() }),
      ],
      { error: 'expected an object with the kind fixed or machine' },
    ),
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
            data: z.looseObject({
              import_supplier: text,
              external_account_number: text,
              last_billed_to_date: text.optional(),
              statements: objects.optional(),
              notes: objects.optional(),
            }),
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

/** Returns a copy of the state in a snapshot. Throws a TypeError with the path of the first error. */
export function checkSnapshot(snapshot: unknown): SandboxState {
  const result = snapshotSchema.safeParse(snapshot);
  if (!result.success) {
    throw new TypeError(`sandbox.restore: not a snapshot: ${firstIssue(result.error)}`);
  }
  const { state } = snapshot as SandboxSnapshot;
  for (const { met, fired, tries, ...rule } of state.faults) checkFaultRule(rule);
  return structuredClone(state);
}

/**
 * Returns a copy of plain JSON. `structuredClone` takes eight times as long, because it also handles cycles and other
 * types.
 */
export function copyJson<Value>(value: Value): Value {
  return copyOf(value) as Value;
}

function copyOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf);
  const copy: Record<string, unknown> = {};
  // Faster than `Object.entries`, which takes 1.5 times as long.
  for (const key of Object.keys(value)) {
    setField(copy, key, copyOf((value as Record<string, unknown>)[key]));
  }
  return copy;
}
