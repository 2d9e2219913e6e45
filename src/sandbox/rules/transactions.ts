/** E8 `transactions.create`: a batch of transactions goes onto an imported account, all of it or nothing (U15). */
import type {
  Transaction,
  TransactionEcho,
  TransactionResult,
  TransactionsPayload,
} from '../../../schemas/transaction.js';
import { toDate, toDatetime } from '../calendar.js';
import type { Call, Outcome } from '../call.js';
import { toDecimal } from '../decimal.js';
import type { NoteRecord, TransactionRecord } from '../state.js';
import { findImported, refuseMissing } from './imported-accounts.js';
import { clampTo, describePeriod, openPeriod, type Period } from './open-period.js';

export function createTransactions(call: Call<TransactionsPayload>): Outcome {
  const { payload, query, store, now } = call;
  const found = findImported(store, payload);
  if (found === undefined) return refuseMissing(call);
  const { imported } = found;
  const period = openPeriod(found, toDate(now));
  const known = new Map(imported.transactions.map((record) => [identityOf(record.sent), record]));
  const added: TransactionRecord[] = [];
  const notes: NoteRecord[] = [];
  const results: TransactionResult[] = [];

  for (const sent of payload.transactions) {
    const before = query['check_previously_added'] === false ? undefined : known.get(identityOf(sent));
    if (before !== undefined) {
      results.push({ status: 'TRANSACTION_ALREADY_EXISTS', transaction_data: before.data });
      continue;
    }
    const move = moveInto(period, sent);
    if (move !== undefined && query['force_add_to_current_statement'] === false) return outside(period, sent);
    const record: TransactionRecord = { sent, data: { ...echo(sent), ...move } };
    added.push(record);
    known.set(identityOf(sent), record);
    if (move !== undefined) notes.push(pinnedNote(sent, move, now));
    results.push({ status: 'TRANSACTION_ADDED_TO_ACCOUNT', transaction_data: record.data });
  }
  return {
    status: 201,
    body: { results },
    apply: () => {
      imported.transactions = [...imported.transactions, ...added];
      imported.notes = [...imported.notes, ...notes];
    },
  };
}

/** U15: the transaction_id; where there is none, the whole item, in whatever order its fields come. */
function identityOf(transaction: Transaction): string {
  const { transaction_id } = transaction;
  return transaction_id === undefined ? `item ${canonical(transaction)}` : `id ${transaction_id}`;
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}

function echo({ amount, ...rest }: Transaction): TransactionEcho {
  return { ...rest, ...(amount !== undefined && { amount: toDecimal(amount) }) };
}

interface Move {
  transaction_date: string;
  description: string;
}

/** undefined where the date already lies in the period, or where there is none. */
function moveInto(period: Period, { transaction_date }: Transaction): Move | undefined {
  if (transaction_date === undefined) return undefined;
  const moved = clampTo(period, transaction_date);
  if (moved === transaction_date) return undefined;
  const why = `outside the open statement period (${describePeriod(period)})`;
  return { transaction_date: moved, description: `Dated ${transaction_date}, ${why}; moved to ${moved}.` };
}

function pinnedNote({ transaction_id, type }: Transaction, { description }: Move, now: Date): NoteRecord {
  const which = transaction_id === undefined ? `A ${type} transaction` : `Transaction ${transaction_id}`;
  return { body: `${which} was imported. ${description}`, created_at: toDatetime(now), is_pinned: true };
}

function outside(period: Period, sent: Transaction): Outcome {
  const error_detail = `transaction_date ${sent.transaction_date} lies outside the open statement period (${describePeriod(period)}).`;
  return { status: 400, body: { status: 'TRANSACTION_IMPORT_ERROR', error_detail, transaction_data: echo(sent) } };
}
