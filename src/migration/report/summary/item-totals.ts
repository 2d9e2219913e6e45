/** Exports the totals of items by kind and outcome: items of records, and of lines without a separate record. */

import type { ItemStatus, RecordItems } from '../../ledger/items.js';
import { ITEM_STEPS, type ItemStep, type LedgerError } from '../../ledger/ledger.js';
import { isNotSent, NOT_SENT } from '../../record/events/apply-to-existing.js';
import { isInInput } from '../../record/items/item-states.js';
import { ITEM_KINDS, spaced } from '../../shared/format.js';
import { zeros } from '../../shared/zero-counts.js';

/** Items of one kind: every item of the input is in exactly one of the numbers after `input`. */
export interface ItemOutcomeTotals {
  /** Items of the input. */
  input: number;
  /** Items that the service confirmed as added. */
  sent: number;
  /** Items that the service had already: from an earlier request of this run, or from before it. */
  alreadyImported: number;
  /** Refused items. */
  rejected: number;
  /**
   * Items that were not sent, because the account existed before, its line changed after its creation, or its record was rejected or
   * skipped, or has an unknown outcome.
   */
  notSent: number;
  /** Items that may have been added. */
  unknown: number;
  /** Items of records without an outcome. */
  unfinished: number;
}

/** The kinds of items. */
export type ItemKind = 'paymentInstructions' | 'statements' | 'transactions' | 'notes';

/** Totals for each kind of item. */
export type ItemSummary = Record<ItemKind, ItemOutcomeTotals>;

/** What an account that exists can lack: see `lacking` of `Summary`. */
export const LACKS = ['refused', 'named', 'unsent', 'neverSkipped', 'ofAnother'] as const;
type Lack = (typeof LACKS)[number];

/** Returns what an account that exists lacks, by the errors of its record. */
export function lacksOf(errors: readonly LedgerError[]): Set<Lack> {
  return new Set(errors.flatMap(lackOf));
}

function lackOf(error: LedgerError): readonly Lack[] {
  const { code, step } = error;
  // A gateway refuses with its status and nothing else.
  if (!isNotSent(error)) return /^http_\d{3}$/.test(code) ? ['refused'] : ['refused', 'named'];
  if (code === NOT_SENT.isOfAnother) return ['ofAnother'];
  const isAddedAgain = step === 'statements' || step === 'paymentInstruction';
  return code === NOT_SENT.existed && isAddedAgain ? ['neverSkipped'] : ['unsent'];
}

function kindOf(step: ItemStep): ItemKind {
  return step === 'paymentInstruction' ? 'paymentInstructions' : step;
}

export function noItemTotals(): ItemSummary {
  return Object.fromEntries(ITEM_KINDS.map((kind) => [kind, zeros(['input', ...ITEM_OUTCOMES])])) as ItemSummary;
}

/** Adds the items of a record. `isOver`: nothing more of it is sent without a command of the user. */
export function addItems(totals: ItemSummary, items: RecordItems, isOver: boolean): void {
  for (const step of ITEM_STEPS) {
    const own = totals[kindOf(step)];
    for (const item of items[step]) {
      if (!isInInput(item)) continue;
      const outcome = OUTCOME_OF[item.status];
      own.input++;
      own[outcome === 'open' ? (isOver ? 'notSent' : 'unfinished') : outcome]++;
    }
  }
}

/** What an item counts as. An open one counts as its record does. */
export const OUTCOME_OF: Readonly<
  Record<ItemStatus, Exclude<keyof ItemOutcomeTotals, 'input' | 'unfinished'> | 'open'>
> = {
  waiting: 'open',
  sending: 'open',
  notSent: 'notSent',
  givenUp: 'notSent',
  sent: 'sent',
  existed: 'alreadyImported',
  rejected: 'rejected',
  unknown: 'unknown',
};

/** The outcomes, in the order of the report. */
export const ITEM_OUTCOMES = ['sent', 'alreadyImported', 'rejected', 'notSent', 'unknown', 'unfinished'] as const;

/**
 * Returns whether the outcomes of each kind add up to its items, also as text: `notes: 3 sent + 1 not sent = 4`. `read`: the items that were
 * read of each kind; undefined if the input was not read to its end.
 */
export function itemBalance(
  totals: ItemSummary,
  read: ((kind: ItemKind) => number) | undefined,
): { isBalanced: boolean; text: string } {
  const wrong: string[] = [];
  const said = ITEM_KINDS.flatMap((kind) => {
    const own = totals[kind];
    const shown = ITEM_OUTCOMES.filter((part) => part === 'sent' || own[part] !== 0);
    const sum = ITEM_OUTCOMES.reduce((all, part) => all + own[part], 0);
    const missing = read === undefined ? 0 : read(kind) - own.input;
    const text = `${spaced(kind)}: ${shown.map((part) => `${own[part]} ${spaced(part)}`).join(' + ')} = ${sum}`;
    if (sum !== own.input) wrong.push(`${text}, but ${own.input} were read`);
    else if (missing > 0) wrong.push(`${text}, but ${missing} more were read`);
    return own.input === 0 && sum === 0 ? [] : [text];
  });
  if (wrong.length === 0) return { isBalanced: true, text: said.join('; ') };
  return { isBalanced: false, text: `${wrong.join('; ')}. This is a bug; keep the run folder and report it.` };
}
