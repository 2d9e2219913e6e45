/** Exports `withAnswer`, which applies the answer to a request to a record that another process has written meanwhile. */
import type { LedgerRecord } from '../../ledger/ledger.js';
import { hasAny, withList, withOutcomes } from '../items/item-states.js';
import { isItemStep } from '../items/items.js';
import { applyEvent } from './apply-event.js';
import { withItems } from './apply-items-sent.js';
import type { RecordEvent } from './record-event.js';
import { finalOutcome, withStepDone } from './record-state.js';

/**
 * Returns `now`, the record as the ledger has it, with the answer to the request of the intent in `sent`: the other process has at most
 * declared the outcome unknown. undefined if the answer decides nothing: another request of the step was begun, or a person has decided.
 */
export function withAnswer(
  now: LedgerRecord,
  sent: LedgerRecord,
  event: RecordEvent,
  at: string,
): LedgerRecord | undefined {
  const { intent: step } = sent;
  if (step === null) return undefined;
  const isOpen = now.intent === step && now.intentAt === sent.intentAt;
  if (!isItemStep(step)) {
    // The other process may have begun again with other data.
    if (!isOpen || now.intentHash !== now.hash) return undefined;
    return applyEvent({ ...now, outcome: null, unknown: now.unknown.filter((one) => one !== step) }, event, at);
  }
  const { items: answered, errors, intent, intentAt } = applyEvent(sent, event, at);
  if (!isOpen && intent !== null) return undefined;
  const outcomes = answered[step].filter((_, position) => sent.items[step][position]?.status === 'sending');
  const list = withOutcomes(now.items[step], isOpen ? 'sending' : 'unknown', outcomes);
  if (list.every((item, position) => item === now.items[step][position])) return undefined;
  const next = {
    ...now,
    ...withItems(now, withList(now.items, step, list)),
    errors: [...now.errors, ...errors.slice(sent.errors.length)],
    updatedAt: at,
  };
  if (now.outcome !== null) return { ...next, outcome: hasAny(next.items, ['waiting']) ? null : finalOutcome(next) };
  if (!isOpen) return next;
  if (intent !== null) return { ...next, intentAt };
  const done = hasAny(next.items, ['waiting'], step) ? {} : withStepDone(next, step);
  return { ...next, ...done, intent, intentAt: null, intentHash: null, intentOnce: false };
}
