/** Exports `applyItemsSent`, which returns the fields of a record that change at the end of a request with items. */
import type { ItemStatus } from '../../ledger/items.js';
import type { LedgerRecord } from '../../ledger/ledger.js';
import { hasAny, settled, unknownSteps, withList } from '../items/item-states.js';
import { isItemStep } from '../items/items.js';
import type { ItemsSentEvent } from './record-event.js';
import { errorsOfStep, impossibleEvent, withStepDone } from './record-state.js';

/** The changes after a request that sent items to an existing account. The step is done when no item waits. */
export function applyItemsSent(record: LedgerRecord, event: ItemsSentEvent): Partial<LedgerRecord> {
  const { step, errors = [] } = event;
  if (!isItemStep(step)) throw impossibleEvent(record, event, 'it exists');
  const items = withList(record.items, step, settled(record.items[step], event.items, OUTCOMES[event.type]));
  return {
    intent: null,
    errors: errors.length === 0 ? record.errors : [...record.errors, ...errorsOfStep(step, errors)],
    ...withItems(record, items),
    ...(!hasAny(items, ['waiting'], step) && withStepDone(record, step)),
  };
}

const OUTCOMES: Readonly<Record<ItemsSentEvent['type'], ItemStatus>> = {
  stepSucceeded: 'sent',
  stepRejected: 'rejected',
  outcomeUnknown: 'unknown',
};

/** The items, and the steps with an unknown outcome by them. */
export function withItems(
  { unknown }: LedgerRecord,
  items: LedgerRecord['items'],
): Pick<LedgerRecord, 'items' | 'unknown'> {
  return { items, unknown: unknownSteps(unknown, items) };
}
