/**
 * Exports `SandboxState` and the types of its parts: the whole state as one value of plain JSON. It has lists instead of
 * objects keyed by the caller's numbers, because an object would reorder "1002" and "0999" and mishandle "__proto__".
 * `store.ts` adds lookups.
 */
import type { Account } from '../../../schemas/payloads/account.js';
import type { BusinessDetails } from '../../../schemas/payloads/business.js';
import type { HistoricalStatement } from '../../../schemas/payloads/historical-statement.js';
import type { DocumentPath } from '../../../schemas/payloads/note.js';
import type { BusinessPaymentInstruction, PaymentInstruction } from '../../../schemas/payloads/payment-instruction.js';
import type { Transaction, TransactionEcho } from '../../../schemas/payloads/transaction.js';
import type { FaultRecord } from './fault-rules.js';

/** Set by the operator of the service (spec: Import supplier status). */
export type ImportSupplierStatus = 'Ongoing' | 'Paused' | 'Complete';

/** Status of the industry switch of an imported account (spec: Account import status). */
export type SwitchStatus = 'PENDING' | 'IN_PROGRESS' | 'REJECTED' | 'COMPLETED';

/** The state of a sandbox as plain JSON. */
export interface SandboxState {
  /** A fixed time that only `set` and `advance` change, or the machine's clock with an offset. */
  clock: { kind: 'fixed'; now: string } | { kind: 'machine'; offset_ms: number };
  /** Names of the operations teams that exist. */
  teams: string[];
  /** The import suppliers, in the order in which they were added. */
  suppliers: SupplierRecord[];
  /** Batches of supply points to look up, in the order of arrival (E1). */
  populate_batches: PopulateBatch[];
  /** Number of vendor requests for each instruction that fails at first (E3, E10). */
  vendor_tries: Record<string, number>;
  /** Locations `<bucket>/<root><path>` of registered documents (U19). */
  documents: string[];
  /** Fault rules with their counters. */
  faults: FaultRecord[];
}

/** An import supplier with its accounts and businesses. */
export interface SupplierRecord {
  /** Import supplier code. */
  code: string;
  /** Whether it may import. */
  status: ImportSupplierStatus;
  /** Prefix of the supplier's documents in the bucket (C7). */
  root: string;
  /** External account numbers that the operator marked to skip (U23). */
  skipped: string[];
  /** In the order of their first staging (U26). */
  accounts: AccountRecord[];
  /** In the order of arrival. */
  businesses: BusinessRecord[];
}

/** An account that is staged, or staged and imported. */
export interface AccountRecord {
  /** The caller's identifier of the account. */
  external_account_number: string;
  /** Datetime of the first staging. */
  staged_at: string;
  /** The complete payload of the last staging. */
  data: Account;
  /** Every document that the account refers to; nothing is fetched (C7, U19). */
  documents: DocumentReference[];
  /** null while the account is only staged. */
  imported: ImportedRecord | null;
  /**
   * Accounts that overlapping process calls created before the one in `imported` (setting `processRace`, U30); omitted if
   * there are none.
   */
  duplicates?: ImportedRecord[];
}

/** An account that was created by processing. */
export interface ImportedRecord {
  /** The service's account number. */
  service_account_number: string;
  /** A datetime. */
  account_created_at: string;
  /** The team that processed it. */
  operations_team_name: string;
  /** Status of its industry switch. */
  status: SwitchStatus;
  /** In the order in which they were added. */
  notes: NoteRecord[];
  /** In the order in which they were added. */
  transactions: TransactionRecord[];
  /** In the order in which they were added. */
  statements: HistoricalStatement[];
  /** In the order in which they were added. */
  payment_instructions: Omit<PaymentInstruction, 'import_supplier' | 'external_account_number'>[];
}

/** A stored note. */
export interface NoteRecord {
  /** The text. */
  body?: string | undefined;
  /** Documents that belong to it. */
  document_paths?: readonly DocumentPath[] | undefined;
  /** A datetime. */
  created_at: string;
  /** Whether it is pinned to the top. */
  is_pinned: boolean;
  /** A datetime (U18). */
  unpin_at?: string | undefined;
}

/** A stored transaction. */
export interface TransactionRecord {
  /** As in the request; later transactions without an id are compared with it (U15). */
  sent: Transaction;
  /** As it was added, and as answers return it. */
  data: TransactionEcho;
}

/** A stored business. */
export interface BusinessRecord {
  /** The service's number of the business. */
  service_business_id: number;
  /** The caller's identifier of the business. */
  external_business_identifier: string;
  /** A datetime. */
  created_at: string;
  /** As it was sent. */
  business: BusinessDetails;
  /** In the order in which they were added. */
  payment_instructions: Omit<BusinessPaymentInstruction, 'import_supplier_code' | 'external_business_identifier'>[];
}

/** Supply points of one populate request. */
export interface PopulateBatch {
  /** As in the answer. */
  batch_id: string;
  /** As it was sent. */
  customer_category?: string;
  /** A datetime. */
  queued_at: string;
  /** One per supply point. */
  lookups: Lookup[];
}

/** One supply point to look up. Done when the clock has reached `completes_at`. */
export interface Lookup {
  /** Electricity or gas point id. */
  identifier: string;
  /** What is supplied there. */
  supply_type: 'ELECTRICITY' | 'GAS';
  /** A datetime. */
  completes_at: string;
}

/** `location` is `<bucket>/<root><path>` (C7). */
export interface DocumentReference {
  /** As it was sent. */
  path: string;
  /** `<bucket>/<root><path>`. */
  location: string;
}

/** A read-only view of a value. Free JSON in it (metadata) is read-only at its first level. */
export type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? string extends keyof T
      ? Readonly<T>
      : { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;
