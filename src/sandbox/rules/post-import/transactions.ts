/** Exports the rule of E8 `transactions.create`: adds a batch of transactions to an imported account. */
import type {
  Transaction,
  TransactionEcho,
  TransactionResult,
  TransactionsPayload,
} from '../../../../schemas/payloads/transaction.js';
import { canonicalJson } from '../../../validation/records/canonical-json.js';
import type { Call, Outcome } from '../../calls/call.js';
import type { SandboxSettings } from '../../settings/settings.js';
import { toDatetime } from '../../state/dates.js';
import type { NoteRecord, TransactionRecord } from '../../state/sandbox-state.js';
import { accountToAddTo, countedChange, type ImportedAccount, itemsAdded, shownEntries } from './imported-account.js';
import { describePeriod, nearestIn, type Period, periodAround } from './open-period.js';

export function createTransactions(call: Call<TransactionsPayload>): Outcome {
  const { payload, query, now, settings } = call;
  const found = accountToAddTo(call);
  if ('status' in found) return found;
  const outsideOf = periodAround(found, call);
  const known = knownTransactions(found.imported.transactions, settings);
  const added: Added = { transactions: [], notes: [] };
  const results: TransactionResult[] = [];

  for (const sent of payload.transactions) {
    const before = query['check_previously_added'] === false ? undefined : known.find(sent);
    if (before !== undefined) {
      results.push({ status: 'TRANSACTION_ALREADY_EXISTS', transaction_data: shown(before, settings) });
      continue;
    }
    const { transaction_date: date } = sent;
    const period = date === undefined ? undefined : outsideOf(date);
    const move = date === undefined || period === undefined ? undefined : moveInto(period, date, settings);
    if (period !== undefined && query['force_add_to_current_statement'] === false) {
      return { ...outside(period, sent), ...kept(found, added, settings) };
    }
    const record: TransactionRecord = { sent, data: { ...echo(sent), ...move } };
    added.transactions.push(record);
    if (move !== undefined) added.notes.push(pinnedNote(sent, move, now));
    known.add(record);
    results.push({ status: 'TRANSACTION_ADDED_TO_ACCOUNT', transaction_data: shown(record, settings) });
  }
  return {
    status: 201,
    body: { results: shownEntries(results, 'TRANSACTION_ALREADY_EXISTS', settings) },
    commit: () => ({ changes: [itemsAdded(found, added)] }),
    ...changeOf(added),
  };
}

interface Added {
  transactions: TransactionRecord[];
  notes: NoteRecord[];
}

function changeOf({ transactions, notes }: Added): Pick<Outcome, 'change'> {
  return countedChange([transactions.length, 'transaction', 'added'], [notes.length, 'note', 'pinned']);
}

/** U15: a setting decides whether a failing batch keeps the transactions before the failing one. */
function kept(found: ImportedAccount, added: Added, settings: SandboxSettings): Pick<Outcome, 'remember' | 'change'> {
  if (added.transactions.length === 0 || settings.failingBatchKeeps === 'none') return {};
  return { remember: [itemsAdded(found, added)], ...changeOf(added) };
}

function echo({ amount, ...rest }: Transaction): TransactionEcho {
  return { ...rest, ...(amount !== undefined && { amount: toDecimal(amount) }) };
}

/** Returns the transaction as answers contain it: with a status if the setting says so (spec: Post-import). */
function shown({ data }: TransactionRecord, { transactionDataStatus }: SandboxSettings): TransactionEcho {
  return transactionDataStatus === 'none' ? data : { ...data, status: 'TRANSACTION_IMPORT_SUCCESS' };
}

interface Move {
  transaction_date: string;
  description: string;
}

/** Returns the new date and its explanation. A setting decides which day of the period it is (U16). */
function moveInto(period: Period, date: string, { movedDate }: SandboxSettings): Move {
  const moved = movedDate === 'nearest' ? nearestIn(period, date) : period.to;
  const why = `outside the open statement period (${describePeriod(period)})`;
  return { transaction_date: moved, description: `Dated ${date}, ${why}; moved to ${moved}.` };
}

function pinnedNote({ transaction_id, type }: Transaction, { description }: Move, now: Date): NoteRecord {
  const which = transaction_id === undefined ? `A ${type} transaction` : `Transaction ${transaction_id}`;
  return { body: `${which} was imported. ${description}`, created_at: toDatetime(now), is_pinned: true };
}

function outside(period: Period, sent: Transaction): Outcome {
  const error_detail = `transaction_date ${sent.transaction_date} lies outside the open statement period (${describePeriod(period)}).`;
  return { status: 400, body: { status: 'TRANSACTION_IMPORT_ERROR', error_detail, transaction_data: echo(sent) } };
}

/** Index of the transactions of an account (E8 check_previously_added). Reads the setting only if there is one to compare (U15). */
function knownTransactions(records: readonly TransactionRecord[], settings: SandboxSettings) {
  const all = [...records];
  let byIdentity: Map<string, TransactionRecord> | undefined;
  return {
    /** Returns the latest equal transaction. */
    find(sent: Transaction): TransactionRecord | undefined {
      if (all.length === 0) return undefined;
      const kind = settings.transactionIdentity;
      byIdentity ??= new Map(all.map((record) => [identityOf(record.sent, kind), record]));
      return byIdentity.get(identityOf(sent, kind));
    },
    add(record: TransactionRecord): void {
      all.push(record);
      byIdentity?.set(identityOf(record.sent, settings.transactionIdentity), record);
    },
  };
}

/** An item is compared by its values, in any order of its fields. */
function identityOf(transaction: Transaction, kind: SandboxSettings['transactionIdentity']): string {
  const { transaction_id } = transaction;
  const isById = kind === 'transaction_id' && transaction_id !== undefined;
  return isById ? `id ${transaction_id}` : `item ${canonicalJson(transaction)}`;
}

/**
 * Returns the number as a decimal string such as "12.50" (spec: Transaction): at least two decimals, no exponent. It uses
 * the digits that JavaScript prints, so nothing is rounded.
 */
function toDecimal(amount: number): string {
  const [digits = '', exponent = '0'] = String(Math.abs(amount)).split('e');
  const [whole = '', fraction = ''] = digits.split('.');
  const shift = Number(exponent);
  const shifted = shift < 0 ? `${'0'.repeat(-shift)}${whole}${fraction}` : `${whole}${fraction.padEnd(shift, '0')}`;
  const point = shift < 0 ? whole.length : whole.length + shift;
  const sign = amount < 0 ? '-' : '';
  return `${sign}${shifted.slice(0, point)}.${shifted.slice(point).padEnd(2, '0')}`;
}
