/** What an account that exists lacks: how it grows and shrinks with each step, and what of its payload it concerns. */
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

/** Positions of a step that its next request sends, or that it may send; null for all of them. */
export function positionsOf(record: Pick<LedgerRecord, 'missing'>, step: Step): readonly number[] | null {
  const own = record.missing?.items.find((one) => one.step === step);
  if (own?.parts !== undefined && own.parts.sending.length > 0) return own.parts.sending;
  return own?.positions ?? null;
}

/** How far a step came whose items go in several requests; undefined where they go in one. */
export function partsOf({ missing }: Pick<LedgerRecord, 'missing'>, step: Step): StepParts | undefined {
  return missing?.items.find((one) => one.step === step)?.parts;
}

/** Of a step whose items go in several requests, those that are still to be sent, with those of its next request. */
export function unsentAt({ missing }: Pick<LedgerRecord, 'missing'>, step: Step): readonly number[] {
  return missing?.items.find((one) => one.step === step)?.positions ?? [];
}

/** With the positions of the next request of a step whose items go in several. `total`: how many items the step has. */
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

/** After a request of a step whose items go in several: `positions` are those that are still to be sent. */
export function afterPart(
  record: LedgerRecord,
  step: Step,
  positions: readonly number[],
  parts: StepParts,
): MissingItems {
  const { items, ...kept } = record.missing ?? NOTHING;
  return { items: [...items.filter((one) => one.step !== step), { step, positions, parts }], ...kept };
}

/** Without the positions of a request that no intent announces any more. */
export function withoutSending(lacking: MissingItems | null): MissingItems | null {
  if (lacking === null || !lacking.items.some(({ parts }) => parts !== undefined && parts.sending.length > 0)) {
    return lacking;
  }
  const items = lacking.items.map((one) =>
    one.parts === undefined ? one : { ...one, parts: { ...one.parts, sending: [] } },
  );
  return { ...lacking, items };
}

/** Whether the step is executed for the first time and none of its several requests was sent. */
export function isFirstPart({ done, missing, items }: LedgerRecord, step: ItemStep): boolean {
  const own = missing?.items.find((one) => one.step === step);
  const isFirstTime = done === null || STEPS.indexOf(done) < STEPS.indexOf(step);
  return own?.parts !== undefined && isFirstTime && own.positions?.length === items?.[step]?.total;
}

/** Whether the step is done again; the others of a record are done as they come. */
export function isPending({ missing }: Pick<LedgerRecord, 'missing'>, step: Step): boolean {
  return missing?.pending.includes(step) ?? false;
}

/**
 * After the step was tried: `left` are the positions that are still not there, null for all, none where it is done.
 * `unknown`: of these, the ones that may be there, where the others are not.
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

/** Positions of the items that may be there; null for all that the step sent. */
export function unknownAt({ missing }: Pick<LedgerRecord, 'missing'>, step: Step): readonly number[] | null {
  const own = missing?.items.find((one) => one.step === step);
  return own?.unknown ?? own?.positions ?? null;
}

/** Returns the items that are certainly missing after the unknown ones were found to exist. */
export function leftAfterFound({ missing }: Pick<LedgerRecord, 'missing'>, step: Step): readonly number[] {
  const { positions = null, unknown = [] } = missing?.items.find((one) => one.step === step) ?? {};
  return unknown.length === 0 ? [] : (positions ?? []).filter((position) => !unknown.includes(position));
}

/** These steps are to be done again. What of them is lacking is known already; all of it where it is not. */
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

/** Nothing is left to do: a step that is pending still is none that the payload asks for any more. */
export function ended(record: LedgerRecord, restHash: string | undefined): MissingItems | null {
  const items = itemsAtEnd(record);
  return orNull({ items, pending: [], rest: restHash === undefined ? null : { hash: restHash, without: items } });
}

/** What the record lacks when it ends now. */
export function itemsAtEnd({ missing }: LedgerRecord): readonly StepItems[] {
  const { items, pending } = missing ?? NOTHING;
  return items.filter(({ step }) => !pending.includes(step));
}

function orNull(lacking: MissingItems): MissingItems | null {
  return lacking.items.length === 0 ? null : lacking;
}
