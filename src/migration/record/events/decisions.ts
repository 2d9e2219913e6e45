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
import type { EventOf } from './record-event.js';
import { isBeforeCreation } from './record-state.js';

/** Returns the decision of the event, with what is needed to return to the record before it. */
export function decisionOn(record: LedgerRecord, event: EventOf<'resolved'>, at: string): Decision {
  const { step, as, items: positions } = event;
  const list = isItemStep(step) ? record.items[step] : [];
  const chosen = positions && new Set(positions);
  const items = list.filter((item, position) => chosen?.has(position) ?? isInDoubt(item));
  const intentAt = record.intent === step ? record.intentAt : null;
  return { step, as, at, isUsed: false, done: record.done, intentAt, items };
}

/** Returns the decisions without those that another one replaces: of items, the other items of their step stay decided. */
export function withoutItems(
  decisions: readonly Decision[],
  { step, items }: Pick<Decision, 'step' | 'items'>,
): readonly Decision[] {
  const left = contentsOf(items);
  return decisions.flatMap((one) => {
    if (one.step !== step) return [one];
    const others = one.items.filter(({ key }) => !taken(left, contentIn(key)));
    return others.length === 0 ? [] : [{ ...one, items: others }];
  });
}

/**
 * Returns the decisions after a request of the step was begun, `positions` of whose items are in it. A decision about items depends on a
 * request with one of them. Each request depends on the decision that the record exists.
 */
export function withUsed(record: LedgerRecord, step: Step, positions?: readonly number[]): readonly Decision[] {
  const { decisions } = record;
  if (decisions.length === 0) return decisions;
  const list = isItemStep(step) ? record.items[step] : [];
  const contents = new Set(
    positions?.flatMap((position) => (list[position] === undefined ? [] : contentIn(list[position].key))),
  );
  const isIn = ({ items }: Decision) =>
    positions === undefined || items.some(({ key }) => contents.has(contentIn(key)));
  const isOf = (one: Decision) => (one.step === step && isIn(one)) || isBeforeCreation(record, one.step);
  return decisions.map((one) => (isOf(one) ? { ...one, isUsed: true } : one));
}

/**
 * Returns the record as it was before the decision about a step, or about the items at these positions, in what depends on it; undefined
 * if no decision can be replaced.
 */
export function undecided(record: LedgerRecord, step: Step, positions?: readonly number[]): LedgerRecord | undefined {
  const ofStep = record.decisions.filter((one) => one.step === step);
  if (isItemStep(step)) {
    const concerned = positions === undefined ? ofStep : decisionsAt(record.items[step], ofStep, positions);
    if (concerned.length === 0 || concerned.some((one) => one?.isUsed !== false)) return undefined;
    const known = concerned as readonly Decision[];
    const at = positions && new Set(positions);
    const list =
      at === undefined
        ? known.reduce(inDoubtAgain, record.items[step])
        : record.items[step].map((item, place): Item => (at.has(place) ? { ...item, status: 'unknown' } : item));
    const decisions = withoutItems(record.decisions, { step, items: known.flatMap(({ items }) => items) });
    return { ...record, ...withItems(record, withList(record.items, step, list)), decisions };
  }
  const [decision] = ofStep;
  if (decision === undefined || decision.isUsed) return undefined;
  const { done, intentAt } = decision;
  const intent = { intent: intentAt === null ? null : step, intentAt };
  const decisions = record.decisions.filter((one) => one !== decision);
  const before = { done, outcome: null, serviceNumber: null, unknown: [...record.unknown, step], decisions };
  return { ...record, ...intent, ...before };
}

/** Returns the decision about each item, with only this item; undefined for an item that none is about. */
function decisionsAt(
  list: readonly Item[],
  decisions: readonly Decision[],
  positions: readonly number[],
): (Decision | undefined)[] {
  return positions.map((position) => {
    const item = list[position];
    const decision = item && decisionAbout(item, decisions);
    return item && decision && { ...decision, items: [item] };
  });
}

/** Returns the decision by which the item has its state, or that was used since. */
export function decisionAbout(item: Item, decisions: readonly Decision[]): Decision | undefined {
  const own = decisions.filter(({ items }) => items.some(({ key }) => contentIn(key) === contentIn(item.key)));
  return own.find(({ as }) => isDecided(item, as)) ?? own.find(({ isUsed }) => isUsed);
}

function isDecided({ status }: Item, as: Decision['as']): boolean {
  return as === 'done' ? status === 'sent' : status === 'waiting' || status === 'notSent';
}

/** Returns the items with those of the decision in doubt, found again by what they are. */
function inDoubtAgain(list: readonly Item[], { as, items }: Decision): readonly Item[] {
  const left = [...items];
  const again = list.map((item): Item => {
    const place = isDecided(item, as) ? left.findIndex(({ key }) => contentIn(key) === contentIn(item.key)) : -1;
    if (place < 0) return item;
    left.splice(place, 1);
    return { ...item, status: 'unknown' };
  });
  // Items that the line does not have any more are given up with the decision that they were not added.
  return [...again, ...left.map((item): Item => ({ ...item, status: 'unknown', isGone: true }))];
}

function contentsOf(items: readonly Item[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { key } of items) counts.set(contentIn(key), (counts.get(contentIn(key)) ?? 0) + 1);
  return counts;
}

/** Takes one of these contents; returns whether there was one. */
function taken(counts: Map<string, number>, content: string): boolean {
  const count = counts.get(content) ?? 0;
  if (count > 0) counts.set(content, count - 1);
  return count > 0;
}
