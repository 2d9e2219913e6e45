/** Exports the missing items of an existing account: how each step changes them, and which items the next request sends. */
import {
  type ItemStep,
  type LedgerRecord,
  type MissingItems,
  STEPS,
  type Step,
  type StepItems,
  type StepParts,
} from '../../ledger/ledger.js';

const NOTHING: MissingItems = { items: [], pending: [], rest: null };

/** Returns the positions that the next request of a step sends, or may send; null for all. */
export function positionsOf(record: Pick<LedgerRecord, 'missing'>, step: Step): readonly number[] | null {
  const own = record.missing?.items.find((one) => one.step === step);
  if (own?.parts !== undefined && own.parts.sending.length > 0) return own.parts.sending;
  return own?.positions ?? null;
}

/** Returns the progress of a step with several requests; undefined for a step with one. */
export function partsOf({ missing }: Pick<LedgerRecord, 'missing'>, step: Step): StepParts | undefined {
  return missing?.items.find((one) => one.step === step)?.parts;
}

/** Returns the positions that a step with several requests still has to send, including its next request. */
export function unsentAt({ missing }: Pick<LedgerRecord, 'missing'>, step: Step): readonly number[] {
  return missing?.items.find((one) => one.step === step)?.positions ?? [];
}

/** Returns the record with the positions of the next request of a step with several. `total`: number of items of the step. */
export function withPart(record: LedgerRecord, step: Step, sending: readonly number[], total: number): MissingItems {
  const { items, pending, ...kept } = record.missing ?? NOTHING;
  const own = items.find((one) => one.step === step);
  const { rejected = [], unknown = [] } = own?.parts ?? {};
  const positions = own?.positions ?? Array.from({ length: total }, (_, position) => position);
  return {
    items: [...items.filter((one) => one !== own), { step, positions, parts: { sending, rejected, unknown } }],
    pending: pending.includes(step) ? pending : [...pending, step],
    ...kept,
  };
}

/** Returns the changes after one request of a step with several. `positions`: the items that are still to be sent. */
export function afterPart(
  record: LedgerRecord,
  step: Step,
  positions: readonly number[],
  parts: StepParts,
): MissingItems {
  const { items, ...kept } = record.missing ?? NOTHING;
  return { items: [...items.filter((one) => one.step !== step), { step, positions, parts }], ...kept };
}

/** Returns the missing items without the positions of a request whose intent is revoked. */
export function withoutSending(lacking: MissingItems | null): MissingItems | null {
  if (lacking === null || !lacking.items.some(({ parts }) => parts !== undefined && parts.sending.length > 0)) {
    return lacking;
  }
  const items = lacking.items.map((one) =>
    one.parts === undefined ? one : { ...one, parts: { ...one.parts, sending: [] } },
  );
  return { ...lacking, items };
}

/** Returns whether the step is executed for the first time, and none of its requests was sent. */
export function isFirstPart({ done, missing, items }: LedgerRecord, step: ItemStep): boolean {
  const own = missing?.items.find((one) => one.step === step);
  const isFirstTime = done === null || STEPS.indexOf(done) < STEPS.indexOf(step);
  return own?.parts !== undefined && isFirstTime && own.positions?.length === items?.[step]?.total;
}

/** Returns whether the step is to be executed again. */
export function isPending({ missing }: Pick<LedgerRecord, 'missing'>, step: Step): boolean {
  return missing?.pending.includes(step) ?? false;
}

/**
 * Returns the changes after an execution of the step. `left`: positions that are still missing; null for all, empty if the step is
 * done. `unknown`: those of `left` that may exist.
 */
export function tried(
  record: LedgerRecord,
  step: Step,
  left: readonly number[] | null,
  unknown: readonly number[] = [],
): MissingItems | null {
  const { items, pending, ...kept } = record.missing ?? NOTHING;
  const others = items.filter((one) => one.step !== step);
  const own = unknown.length > 0 ? { step, positions: left, unknown } : { step, positions: left };
  return orNull({
    items: left?.length === 0 ? others : [...others, own],
    pending: pending.filter((other) => other !== step),
    ...kept,
  });
}

/** Returns the positions of the items that may exist; null for all that the step sent. */
export function unknownAt({ missing }: Pick<LedgerRecord, 'missing'>, step: Step): readonly number[] | null {
  const own = missing?.items.find((one) => one.step === step);
  return own?.unknown ?? own?.positions ?? null;
}

/** Returns the items that are certainly missing after the unknown ones were found to exist. */
export function leftAfterFound({ missing }: Pick<LedgerRecord, 'missing'>, step: Step): readonly number[] {
  const { positions = null, unknown = [] } = missing?.items.find((one) => one.step === step) ?? {};
  return unknown.length === 0 ? [] : (positions ?? []).filter((position) => !unknown.includes(position));
}

/** Marks steps for another execution: with their known missing items, or with all items if these are not known. */
export function retrySteps(record: LedgerRecord, steps: readonly Step[], isOfRetry = false): MissingItems | null {
  const { items, pending, rest } = record.missing ?? NOTHING;
  const added = steps.filter((step) => !items.some((one) => one.step === step));
  return orNull({
    items: [...items, ...added.map((step) => ({ step, positions: null }))],
    pending: [...pending, ...steps.filter((step) => !pending.includes(step))],
    rest,
    ...(isOfRetry && { isOfRetry }),
  });
}

/**
 * Marks all items of these steps for sending, as they are now in the line. What was stored about `left` belongs to
 * another line.
 */
export function sendAllItems(record: LedgerRecord, steps: readonly Step[], left: readonly Step[]): MissingItems | null {
  const { items, pending, rest } = record.missing ?? NOTHING;
  const isOther = (step: Step) => !steps.includes(step) && !left.includes(step);
  return orNull({
    items: [...items.filter(({ step }) => isOther(step)), ...steps.map((step) => ({ step, positions: null }))],
    pending: [...pending.filter(isOther), ...steps],
    rest,
  });
}

/** Returns the changes at the end of a record. A step that is still pending has no items in the payload any more. */
export function ended(record: LedgerRecord, restHash: string | undefined): MissingItems | null {
  const items = itemsAtEnd(record);
  return orNull({ items, pending: [], rest: restHash === undefined ? null : { hash: restHash, without: items } });
}

/** Returns the missing items of a record that ends now. */
export function itemsAtEnd({ missing }: LedgerRecord): readonly StepItems[] {
  const { items, pending } = missing ?? NOTHING;
  return items.filter(({ step }) => !pending.includes(step));
}

function orNull(lacking: MissingItems): MissingItems | null {
  return lacking.items.length === 0 ? null : lacking;
}
