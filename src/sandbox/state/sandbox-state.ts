/**
 * Everything that the sandbox knows, as one value of plain JSON: it can be printed, compared and stored. Lists and
 * not objects keyed by the caller's numbers, because an object would reorder "1002" and "0999" and trip over
 * "__proto__"; `store.ts` keeps the lookups beside it.
 */
import type { Account } from '../../../schemas/payloads/account.js';
import type { BusinessDetails } from '../../../schemas/payloads/business.js';
import type { HistoricalStatement } from '../../../schemas/payloads/historical-statement.js';
import type { DocumentPath } from '../../../schemas/payloads/note.js';
import type { BusinessPaymentInstruction, PaymentInstruction } from '../../../schemas/payloads/payment-instruction.js';
import type { Transaction, TransactionEcho } from '../../../schemas/payloads/transaction.js';
import type { FaultRecord } from './fault-rules.js';

/** Set by the platform operator (document: Import supplier status). */
export type ImportSupplierStatus = 'Ongoing' | 'Paused' | 'Complete';

/** How the industry switch of an imported account stands (document: Account import status). */
export type SwitchStatus = 'PENDING' | 'IN_PROGRESS' | 'REJECTED' | 'COMPLETED';

/** Everything that a sandbox knows, as plain JSON. */
export interface SandboxState {
  /** A fixed instant that only moves when told to, or the machine's clock with an offset. */
  clock: { kind: 'fixed'; now: string } | { kind: 'machine'; offset_ms: number };
  /** Names of the operations teams that exist. */
  teams: string[];
  /** The import suppliers, in the order in which they were set up. */
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

/** An import supplier with all that it sent. */
export interface SupplierRecord {
  /** Import supplier code. */
  code: string;
  /** Whether it may import. */
  status: ImportSupplierStatus;
  /** Where the supplier's documents begin inside the bucket (C7). */
  root: string;
  /** External account numbers that the operator marked to skip (U23). */
  skipped: string[];
  /** In the order of their first staging (U26). */
  accounts: AccountRecord[];
  /** In the order in which they came. */
  businesses: BusinessRecord[];
}

/** An account that was staged, and perhaps imported. */
export interface AccountRecord {
  /** The caller's identifier of the account. */
  external_account_number: string;
  /** First staging. */
  staged_at: string;
  /** The payload of the last staging, whole. */
  data: Account;
  /** Every document that the account refers to; nothing is fetched (C7, U19). */
  documents: DocumentReference[];
  /** null while the account is only staged. */
  imported: ImportedRecord | null;
  /**
   * Accounts that overlapping process calls created before the one in `imported` (setting `processRace`, U30); left out
   * where there is none, as it must be.
   */
  duplicates?: ImportedRecord[];
}

/** What the platform holds of an account once it is processed. */
export interface ImportedRecord {
  /** The platform's account number. */
  service_account_number: string;
  /** A datetime. */
  account_created_at: string;
  /** The team that processed it. */
  operations_team_name: string;
  /** How its industry switch stands. */
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

/** A note as the platform holds it. */
export interface NoteRecord {
  /** The text. */
  body?: string | undefined;
  /** Documents that belong to it. */
  document_paths?: readonly DocumentPath[] | undefined;
  /** A datetime. */
  created_at: string;
  /** Whether it stands at the top. */
  is_pinned: boolean;
  /** A datetime (U18). */
  unpin_at?: string | undefined;
}

/** A transaction as the platform holds it. */
export interface TransactionRecord {
  /** As it came: what a later one without an id is compared with (U15). */
  sent: Transaction;
  /** As it was added, and as answers show it. */
  data: TransactionEcho;
}

/** A business as the platform holds it. */
export interface BusinessRecord {
  /** The platform's number of the business. */
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

/** Supply points that were sent together to be looked up. */
export interface PopulateBatch {
  /** As the answer gave it. */
  batch_id: string;
  /** As it was sent. */
  customer_category?: string;
  /** A datetime. */
  queued_at: string;
  /** One a supply point. */
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

/** A value that nobody may change through this view. Free JSON inside it (metadata) is guarded at its first level. */
export type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? string extends keyof T
      ? Readonly<T>
      : { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;
