/** What an account that exists lacks: how it grows and shrinks with each step, and what of its payload it concerns. */
import type { Lacking, LedgerRecord, Step, StepItems } from './ledger/ledger.js';

const NOTHING: Lacking = { items: [], pending: [], rest: null };

/** Positions of a step that are to be sent; null for all of them. */
export function positionsOf({ lacking }: Pick<LedgerRecord, 'lacking'>, step: Step): readonly number[] | null {
  return lacking?.items.find((one) => one.step === step)?.positions ?? null;
}

/** Whether the step is done again; the others of a record are done as they come. */
export function isPending({ lacking }: Pick<LedgerRecord, 'lacking'>, step: Step): boolean {
  return lacking?.pending.includes(step) ?? false;
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
): Lacking | null {
  const { items, pending, ...kept } = record.lacking ?? NOTHING;
  const others = items.filter((one) => one.step !== step);
  const own = unknown.length > 0 ? { step, positions: left, unknown } : { step, positions: left };
  return orNull({
    items: left?.length === 0 ? others : [...others, own],
    pending: pending.filter((other) => other !== step),
    ...kept,
  });
}

/** Positions of the items that may be there; null for all that the step sent. */
export function unknownAt({ lacking }: Pick<LedgerRecord, 'lacking'>, step: Step): readonly number[] | null {
  const own = lacking?.items.find((one) => one.step === step);
  return own?.unknown ?? own?.positions ?? null;
}

/** After somebody found that what may be there is there: what is certainly not there still. */
export function leftAfterFound({ lacking }: Pick<LedgerRecord, 'lacking'>, step: Step): readonly number[] {
  const { positions = null, unknown = [] } = lacking?.items.find((one) => one.step === step) ?? {};
  return unknown.length === 0 ? [] : (positions ?? []).filter((position) => !unknown.includes(position));
}

/** These steps are to be done again. What of them is lacking is known already; all of it where it is not. */
export function toDoAgain(record: LedgerRecord, steps: readonly Step[], isOfRetry = false): Lacking | null {
  const { items, pending, rest } = record.lacking ?? NOTHING;
  const added = steps.filter((step) => !items.some((one) => one.step === step));
  return orNull({
    items: [...items, ...added.map((step) => ({ step, positions: null }))],
    pending: [...pending, ...steps.filter((step) => !pending.includes(step))],
    rest,
    ...(isOfRetry && { isOfRetry }),
  });
}

/** All items of these steps are to be sent, as the line has them now; what is known of `left` is of another line. */
export function toSendWhole(record: LedgerRecord, steps: readonly Step[], left: readonly Step[]): Lacking | null {
  const { items, pending, rest } = record.lacking ?? NOTHING;
  const isOther = (step: Step) => !steps.includes(step) && !left.includes(step);
  return orNull({
    items: [...items.filter(({ step }) => isOther(step)), ...steps.map((step) => ({ step, positions: null }))],
    pending: [...pending.filter(isOther), ...steps],
    rest,
  });
}

/** Nothing is left to do: a step that is pending still is none that the payload asks for any more. */
export function ended(record: LedgerRecord, restHash: string | undefined): Lacking | null {
  const items = itemsAtEnd(record);
  return orNull({ items, pending: [], rest: restHash === undefined ? null : { hash: restHash, without: items } });
}

/** What the record lacks when it ends now. */
export function itemsAtEnd({ lacking }: LedgerRecord): readonly StepItems[] {
  const { items, pending } = lacking ?? NOTHING;
  return items.filter(({ step }) => !pending.includes(step));
}

function orNull(lacking: Lacking): Lacking | null {
  return lacking.items.length === 0 ? null : lacking;
}
