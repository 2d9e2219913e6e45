/**
 * Exports what the decisions of a person about unknown steps are in a record: `decisionOn` a step, `withUsed` for those that a request
 * depends on, and `undecided`, the record before a decision, so that another one can replace it.
 */
import type { Item } from '../../ledger/items.js';
import type { Decision, LedgerRecord, Step } from '../../ledger/ledger.js';
import { contentIn } from '../items/item-keys.js';
import { isInDoubt, withList } from '../items/item-states.js';
import { isItemStep } from '../items/items.js';
import { withItems } from './apply-items-sent.js';
import { isBeforeCreation } from './record-state.js';

/** Returns the decision about a step, with what is needed to return to the record before it. */
export function decisionOn(step: Step, as: Decision['as'], at: string, record: LedgerRecord): Decision {
  const items = isItemStep(step) ? record.items[step].filter(isInDoubt) : [];
  const intentAt = record.intent === step ? record.intentAt : null;
  return { step, as, at, isUsed: false, done: record.done, intentAt, items };
}

/** Returns the decisions after a request of the step was begun. Each request depends on the decision that the record exists. */
export function withUsed(record: LedgerRecord, step: Step): readonly Decision[] {
  const isOf = (one: Decision) => one.step === step || isBeforeCreation(record, one.step);
  const { decisions } = record;
  return decisions.length === 0 ? decisions : decisions.map((one) => (isOf(one) ? { ...one, isUsed: true } : one));
}

/** Returns the record as it was before the decision about a step, in what depends on it; undefined if no decision can be replaced. */
export function undecided(record: LedgerRecord, step: Step): LedgerRecord | undefined {
  const decision = record.decisions.find((one) => one.step === step);
  if (decision === undefined || decision.isUsed) return undefined;
  const { done, intentAt } = decision;
  if (isItemStep(step)) {
    const items = withList(record.items, step, inDoubtAgain(record.items[step], decision));
    return { ...record, ...withItems(record, items) };
  }
  const intent = { intent: intentAt === null ? null : step, intentAt };
  return { ...record, ...intent, done, outcome: null, serviceNumber: null, unknown: [...record.unknown, step] };
}

/** Returns the items with those of the decision in doubt, found again by what they are. */
function inDoubtAgain(list: readonly Item[], { as, items }: Decision): readonly Item[] {
  const left = [...items];
  const isDecided = ({ status }: Item) =>
    as === 'done' ? status === 'sent' : status === 'waiting' || status === 'notSent';
  const again = list.map((item): Item => {
    const place = isDecided(item) ? left.findIndex(({ key }) => contentIn(key) === contentIn(item.key)) : -1;
    if (place < 0) return item;
    left.splice(place, 1);
    return { ...item, status: 'unknown' };
  });
  // Items that the line does not have any more are given up with the decision that they were not added.
  return [...again, ...left.map((item): Item => ({ ...item, status: 'unknown', isGone: true }))];
}
