/** Which transaction was added before (E8 check_previously_added; U15). */
import type { Transaction } from '../../../../schemas/payloads/transaction.js';
import type { SandboxSettings } from '../../settings/settings.js';
import type { TransactionRecord } from '../../state/sandbox-state.js';

interface KnownTransactions {
  /** The latest one that is the same. */
  find(sent: Transaction): TransactionRecord | undefined;
  add(record: TransactionRecord): void;
}

/** The transactions that an account has. Asks for the setting only where there is one to compare with. */
export function knownTransactions(records: readonly TransactionRecord[], settings: SandboxSettings): KnownTransactions {
  const all = [...records];
  let byIdentity: Map<string, TransactionRecord> | undefined;
  return {
    find(sent) {
      if (all.length === 0) return undefined;
      const kind = settings.transactionIdentity;
      byIdentity ??= new Map(all.map((record) => [identityOf(record.sent, kind), record]));
      return byIdentity.get(identityOf(sent, kind));
    },
    add(record) {
      all.push(record);
      byIdentity?.set(identityOf(record.sent, settings.transactionIdentity), record);
    },
  };
}

/** The whole item goes by its values, in whatever order its fields come. */
function identityOf(transaction: Transaction, kind: SandboxSettings['transactionIdentity']): string {
  const { transaction_id } = transaction;
  const isById = kind === 'transaction_id' && transaction_id !== undefined;
  return isById ? `id ${transaction_id}` : `item ${canonical(transaction)}`;
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}
