/** What rules that add items have in common: the change, and the few words of it that the log shows. */
import type { Outcome } from '../../calls/call.js';
import type { Change } from '../../state/changes.js';
import type { ImportedAccount } from './imported-account.js';

type ItemsAdded = Extract<Change, { type: 'itemsAdded' }>;

export function itemsAdded(
  { supplier, account }: Pick<ImportedAccount, 'supplier' | 'account'>,
  items: Omit<ItemsAdded, 'type' | 'supplier' | 'number'>,
): ItemsAdded {
  return { type: 'itemsAdded', supplier: supplier.code, number: account.external_account_number, ...items };
}

/** `2 notes added`; nothing at all where there were none, and nothing of what was sent. */
export function countedChange(...changes: readonly (readonly [count: number, noun: string, done: string])[]) {
  const change = changes
    .filter(([count]) => count > 0)
    .map(([count, noun, done]) => `${count} ${count === 1 ? noun : `${noun}s`} ${done}`)
    .join(', ');
  return (change === '' ? {} : { change }) satisfies Pick<Outcome, 'change'>;
}
