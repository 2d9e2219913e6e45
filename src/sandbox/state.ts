/**
 * Everything that the sandbox knows, as one value of plain JSON: it can be printed, compared and stored. Lists and
 * not objects keyed by the caller's numbers, because an object would reorder "1002" and "0999" and trip over
 * "__proto__"; `store.ts` keeps the lookups beside it.
 */
import type { Account } from '../../schemas/account.js';
import type { BusinessDetails } from '../../schemas/business.js';
import type { HistoricalStatement } from '../../schemas/historical-statement.js';
import type { DocumentPath } from '../../schemas/note.js';
import type { BusinessPaymentInstruction, PaymentInstruction } from '../../schemas/payment-instruction.js';
import type { Transaction, TransactionEcho } from '../../schemas/transaction.js';
import type { FaultRecord } from './faults.js';

/** Set by the platform operator (document: Import supplier status). */
export type ImportSupplierStatus = 'Ongoing' | 'Paused' | 'Complete';

/** How the industry switch of an imported account stands (document: Account import status). */
export type SwitchStatus = 'PENDING' | 'IN_PROGRESS' | 'REJECTED' | 'COMPLETED';

export interface SandboxState {
  /** A fixed instant that only moves when told to, or the machine's clock with an offset. */
  clock: { kind: 'fixed'; now: string } | { kind: 'machine'; offset_ms: number };
  /** Names of the operations teams that exist. */
  teams: string[];
  suppliers: SupplierRecord[];
  /** Batches of supply points to look up, in the order in which they came (E1). */
  populate_batches: PopulateBatch[];
  /** How often the upstream payment vendor was asked for an instruction that it fails at first (E3, E10). */
  vendor_tries: Record<string, number>;
  /** Locations `<bucket>/<root><path>` at which a document is said to lie (U19). */
  documents: string[];
  /** Failures on demand, with their counters. */
  faults: FaultRecord[];
}

export interface SupplierRecord {
  code: string;
  status: ImportSupplierStatus;
  /** Where the supplier's documents begin inside the bucket (C7). */
  root: string;
  /** External account numbers that the operator marked to skip (U23). */
  skipped: string[];
  /** In the order of their first staging (U26). */
  accounts: AccountRecord[];
  businesses: BusinessRecord[];
}

export interface AccountRecord {
  external_account_number: string;
  /** First staging. */
  staged_at: string;
  /** The payload of the last staging, whole. */
  data: Account;
  /** Every document that the account refers to; nothing is fetched (C7, U19). */
  documents: DocumentReference[];
  /** null while the account is only staged. */
  imported: ImportedRecord | null;
}

/** What the platform holds of an account once it is processed. */
export interface ImportedRecord {
  service_account_number: string;
  account_created_at: string;
  operations_team_name: string;
  status: SwitchStatus;
  notes: NoteRecord[];
  transactions: TransactionRecord[];
  statements: HistoricalStatement[];
  payment_instructions: Omit<PaymentInstruction, 'import_supplier' | 'external_account_number'>[];
}

export interface NoteRecord {
  body?: string | undefined;
  document_paths?: DocumentPath[] | undefined;
  created_at: string;
  is_pinned: boolean;
  unpin_at?: string | undefined;
}

export interface TransactionRecord {
  /** As it came: what a later one without an id is compared with (U15). */
  sent: Transaction;
  /** As it was added, and as answers show it. */
  data: TransactionEcho;
}

export interface BusinessRecord {
  service_business_id: number;
  external_business_identifier: string;
  created_at: string;
  business: BusinessDetails;
  payment_instructions: Omit<BusinessPaymentInstruction, 'import_supplier_code' | 'external_business_identifier'>[];
}

export interface PopulateBatch {
  batch_id: string;
  customer_category?: string;
  queued_at: string;
  lookups: Lookup[];
}

/** One supply point to look up. Done when the clock has reached `completes_at`. */
export interface Lookup {
  identifier: string;
  supply_type: 'ELECTRICITY' | 'GAS';
  completes_at: string;
}

/** `location` is `<bucket>/<root><path>` (C7). */
export interface DocumentReference {
  path: string;
  location: string;
}

/** A value that nobody may change through this view. Free JSON inside it (metadata) is guarded at its first level. */
export type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? string extends keyof T
      ? Readonly<T>
      : { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;
