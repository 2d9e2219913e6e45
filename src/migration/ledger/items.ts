/** Exports the types of the items of a record in a ledger: for each item what identifies it, and what has become of it. */
import type { AmountSums, AmountType } from './amounts.js';

/** What identifies an item in another version of its list, and its amount. */
export interface ItemKey {
  /** First 48 bits of the SHA-256 of its content but for its identifier, eight base64url characters. The order of keys does not change it. */
  digest: string;
  /** The same of its identifier (`statement_id`, `transaction_id`, `reference`); empty for an item without one. */
  id: string;
  /** The type that its amount is summed by; null for a payment instruction and a note. */
  type: AmountType | null;
  /** The amount of the payload as a decimal in text; null if it has none. */
  amount: string | null;
}

/**
 * What has become of an item:
 * - `waiting`: it is sent by the next request of its step.
 * - `notSent`: it is held back: the account existed before, its line changed after its creation, or an earlier item was refused.
 * - `givenUp`: it was not sent, and a person has accepted that: it may have been added by hand, and is never sent.
 * - `sending`: it is in the request of the intent.
 * - `sent`: the service confirmed it as added.
 * - `existed`: the service had it already.
 * - `rejected`: the local check or the service refused it.
 * - `unknown`: it may have been added.
 */
export type ItemStatus = 'waiting' | 'notSent' | 'givenUp' | 'sending' | 'sent' | 'existed' | 'rejected' | 'unknown';

/** The state of one item. */
export interface Item {
  /** What identifies it. */
  key: ItemKey;
  /** What has become of it. */
  status: ItemStatus;
  /**
   * Whether another version of the line had it: an earlier one, so that it was sent, may have been, or was given up, and is not sent again; or,
   * if it is `notSent`, the one that differs from the record.
   */
  isGone: boolean;
  /** Whether the last line that was read lacks it: `found`, or `accepted` by a person, so that it holds back no new items. */
  absence: 'found' | 'accepted' | null;
  /** Whether the service has it with another date than was sent. */
  isMoved: boolean;
  /**
   * The amount of the answer as a decimal in text, if it is not the one that was sent; `?` if it cannot be read; otherwise null.
   */
  confirmed: string | null;
}

/** In place of an amount of an answer that is no decimal, such as `12,50`. */
export const UNREAD_AMOUNT = '?';

/** The items of a record, by the step that sends them: those of its line in their order, then those that are gone. */
export interface RecordItems {
  /** Payment instructions. */
  readonly paymentInstruction: readonly Item[];
  /** Historical statements. */
  readonly statements: readonly Item[];
  /** Transactions. */
  readonly transactions: readonly Item[];
  /** Notes. */
  readonly notes: readonly Item[];
  /** Whether items are sent to an account that existed before this run (`addToExisting`). */
  existed: boolean;
  /**
   * The amounts of the input line that a corrected line replaced, by type; null if the input has those of the record. `retry` corrects
   * a record while the input keeps its line.
   */
  replaced: AmountSums | null;
}

const NONE: readonly Item[] = [];

/** The items of a record without any. Compared by identity, so that most records need no encoding. */
export const NO_ITEMS: RecordItems = {
  existed: false,
  replaced: null,
  paymentInstruction: NONE,
  statements: NONE,
  transactions: NONE,
  notes: NONE,
};
