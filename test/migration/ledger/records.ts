import type { AmountType } from '../../../src/migration/ledger/amounts.js';
import { type Item, type ItemStatus, NO_ITEMS, type RecordItems } from '../../../src/migration/ledger/items.js';
import {
  ITEM_STEPS,
  type ItemStep,
  type Ledger,
  type LedgerRecord,
  type StoredLine,
} from '../../../src/migration/ledger/ledger.js';
import { createMemoryLedger } from '../../../src/migration/ledger/memory.js';
import { newFolder } from '../../helpers/folder.js';

export const record = (number: string, more: Partial<LedgerRecord> = {}): LedgerRecord => ({
  supplier: 'SANDBOX_SUPPLIER',
  kind: 'account',
  number,
  version: 1,
  hash: hashOf(number),
  contentHash: hashOf(number).slice(0, 32),
  correctedFrom: null,
  done: null,
  intent: null,
  intentAt: more.intent ? '2026-01-15T08:59:59.000Z' : null,
  intentHash: more.intent ? hashOf('sent with the intent') : null,
  intentOnce: false,
  stageUnansweredAt: null,
  outcome: null,
  serviceNumber: null,
  unknown: [],
  errors: [],
  warnings: [],
  difference: null,
  decisions: [],
  items: NO_ITEMS,
  contract: null,
  source: 'input.jsonl',
  line: 1,
  updatedAt: '2026-01-15T09:00:00.000Z',
  ...more,
});

/**
 * Items of a record by the step that sends them, each in words: its status, type and amount, and the amount of the answer if it is another
 * one: `sent`, `sent CHARGE 12.5`, `existed CHARGE 12.5 = 12.51`, `gone sent PAYMENT 5`, `moved sent CHARGE 1`.
 */
export const items = (lists: Partial<Record<ItemStep, readonly string[]>>, existed = false): RecordItems => {
  const of = (step: ItemStep) => (lists[step] ?? []).map((words, index) => itemOf(words, index));
  return {
    existed,
    replaced: null,
    paymentInstruction: of('paymentInstruction'),
    statements: of('statements'),
    transactions: of('transactions'),
    notes: of('notes'),
  };
};

function itemOf(words: string, index: number): Item {
  const found = /^(gone )?(moved )?(\w+)(?: ([A-Z_]+))?(?: (-?[\d.]+))?(?: = (-?[\d.]+))?$/.exec(words);
  if (found === null) throw new Error(`not an item: ${words}`);
  const [, gone, moved, status, type = null, amount = null, confirmed = null] = found;
  return {
    key: { digest: String(index).padStart(8, '0'), id: '', type: type as AmountType | null, amount },
    status: status as ItemStatus,
    isGone: gone !== undefined,
    // An item that is gone and was not sent is of the line that differs.
    absence: gone !== undefined && !['notSent', 'givenUp'].includes(status ?? '') ? 'found' : null,
    isMoved: moved !== undefined,
    confirmed,
  };
}

/** The record with its items in words, as above and without amounts; without the kinds of which it has none. */
export function inWords(record: LedgerRecord | undefined) {
  if (record === undefined) return undefined;
  const lists = ITEM_STEPS.map((step) => [step, record.items[step].map(stateInWords)] as const);
  return { ...record, items: Object.fromEntries(lists.filter(([, list]) => list.length > 0)) };
}

function stateInWords({ status, isGone, isMoved, confirmed }: Item): string {
  return [isGone && 'gone', isMoved && 'moved', status, confirmed !== null && `= ${confirmed}`]
    .filter(Boolean)
    .join(' ');
}

/** A line of the record, with the hash that the record has. */
export function storedLine(
  { supplier, kind, number, hash, contentHash, source, line }: LedgerRecord,
  text?: string,
): StoredLine {
  const own = JSON.stringify({ [kind]: { number } });
  return { ...{ supplier, kind, number, hash, contentHash, source, line, text: text ?? own }, ...NO_CELLS };
}

const NO_CELLS = { label: null, cells: null, corrects: null };

export const business = (number: string, more: Partial<LedgerRecord> = {}) =>
  record(number, { kind: 'business', ...more });

/** Any 64 hexadecimal digits that differ by number. */
function hashOf(number: string): string {
  return Buffer.from(number).toString('hex').padEnd(64, '0').slice(0, 64);
}

/** `contracts` by the number of the business that declares them. */
export async function ledgerOf(
  records: readonly LedgerRecord[],
  contracts: Readonly<Record<string, readonly string[]>> = {},
): Promise<Ledger> {
  const ledger = createMemoryLedger();
  for (const record of records) await ledger.write(record, contracts[record.number]);
  return ledger;
}

export async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of stream) found.push(one);
  return found;
}

/** Removed after the test. */
export function emptyFolder(): string {
  const folder = newFolder('ledger-');
  return folder;
}
