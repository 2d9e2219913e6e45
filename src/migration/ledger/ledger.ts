/**
 * What a migration remembers of every record: how far it is, what was announced and not yet answered, and how it
 * ended. Never a payload and no personal data. A run that was killed knows from it what it may do again.
 */

/** The kinds of record of a book. */
export type RecordKind = 'business' | 'account' | 'populate';

/** What identifies a record on the platform. */
export interface RecordKey {
  /** Import supplier code; empty for supply points to be looked up, which are of none. */
  supplier: string;
  /** Business, account, or supply points to be looked up. */
  kind: RecordKind;
  /**
   * External business identifier or external account number; for supply points the first 32 digits of the SHA-256 of
   * the payload.
   */
  number: string;
}

/**
 * The steps of a record in their order: supply points have `check` and `populate`, a business has `check`, `create` and
 * `paymentInstruction`, an account all but `populate` and `create`.
 */
export const STEPS = [
  'check',
  'populate',
  'create',
  'validate',
  'stage',
  'dryRun',
  'process',
  'paymentInstruction',
  'statements',
  'transactions',
  'notes',
] as const;

/** The name of a step. */
export type Step = (typeof STEPS)[number];

/**
 * How a record ended:
 * - `created`: this run created it in the service.
 * - `alreadyImported`: it existed in the service before this run wrote an intent for it.
 * - `rejected`: the local check or the service refused it; `errors` has the reasons.
 * - `skipped`: no request was sent, for the reason in `errors` (a second record with the same number, a failed
 *   business).
 * - `unknown`: the request may have taken effect and the service cannot answer whether it did; a person must decide.
 */
export type Outcome = 'created' | 'alreadyImported' | 'rejected' | 'skipped' | 'unknown';

/** A refusal and its step: codes and paths, never values. */
export interface LedgerError {
  /** The step that was refused. */
  step: Step;
  /** Stable, such as `invalid_phone_number`. */
  code: string;
  /**
   * Where: field names and zero-based indexes joined by dots; empty for no field. `*` is a name that neither the API
   * specification nor the profile has.
   */
  attr: string;
  /** Of an unknown field: the documented field that was probably meant. */
  didYouMean?: string;
  /** Of `further_findings`, the last of a record with more than 100 findings: how many are not listed. */
  count?: number;
}

/** What is added to an account at a step: by their positions in the record's list, or all of it where that is null. */
export interface StepItems {
  /** The step that adds them. */
  step: Step;
  /** Counted from 0; null for all. */
  positions: readonly number[] | null;
  /** Of the positions, those that may have been added; given only where the others were certainly not. */
  unknown?: readonly number[];
  /** Given while the items go in several requests: `positions` are then those that are still to be sent. */
  parts?: StepParts;
}

/**
 * Progress of a step whose items are sent in several requests, each with its own intent. Positions are counted from
 * 0.
 */
export interface StepParts {
  /** Those of the request that the intent announces; empty without an intent. */
  sending: readonly number[];
  /** Refused in an earlier request of the step. */
  rejected: readonly number[];
  /** They may have been added by an earlier request of the step. */
  unknown: readonly number[];
}

/** A step that sends items: one for each kind of item. */
export type ItemStep = 'paymentInstruction' | 'statements' | 'transactions' | 'notes';

/** In the order in which they are sent. */
export const ITEM_STEPS: readonly ItemStep[] = ['paymentInstruction', 'statements', 'transactions', 'notes'];

/**
 * How many items of one kind a record has, and their outcomes. What no outcome has been counted for is unfinished while
 * the record is, and was not sent once the record has ended.
 */
export interface ItemCounts {
  /** Items of this kind in the line that the record was made of. */
  total: number;
  /** The service confirmed that it added them. */
  sent: number;
  /** The service answered that it had them: from an earlier request, or from before this run. */
  alreadyImported: number;
  /** Refused, by the local check or by the service. */
  rejected: number;
  /** They may have been added. */
  unknown: number;
  /** Items of an earlier version of the line, which were sent or may have been; not in `total`. */
  earlier: number;
  /** First digits of the SHA-256 of the list as it was sent; null before the first request. */
  digest: string | null;
  /** Positions, counted from 0, of the transactions whose date the service changed. */
  moved: readonly number[];
}

/** The items of a record, by the step that sends them; null for a kind of which it has none. */
export interface RecordItems extends Readonly<Record<ItemStep, ItemCounts | null>> {
  /** Whether items are sent to an account that existed before this run (`addToExisting`). */
  existed: boolean;
}

/** Items that an existing account does not have, because they were refused or because their outcome is unknown. */
export interface MissingItems {
  /** The missing items, by step. */
  items: readonly StepItems[];
  /** Steps of these that are to be done again, before anything else. */
  pending: readonly Step[];
  /**
   * Of a record that has ended: SHA-256 of its payload without the items that it lacked then. A corrected line must have
   * the same rest, for the rest is on the platform. null while nothing has ended yet.
   */
  rest: { hash: string; without: readonly StepItems[] } | null;
  /** Given where the pending steps are those of a corrected line, which only a retry has; a run sends none of them. */
  isOfRetry?: true;
}

/** What a ledger remembers of one record: never its payload. */
export interface LedgerRecord extends RecordKey {
  /** Counts the writes, from 1; 0 for what is not written yet. Every write names the version that it is based on. */
  version: number;
  /** SHA-256 of the record as it was read, in hexadecimal. */
  hash: string;
  /**
   * First 32 hexadecimal digits of the SHA-256 of what the record says: another order of keys or other spacing does not change
   * it. null where an earlier version of this program wrote the record.
   */
  contentHash: string | null;
  /**
   * `contentHash` of the line of the input, where the record was made of a corrected line that `retry` was given in its
   * place; null for none.
   */
  correctedFrom: string | null;
  /** The last step that is done; null for none. */
  done: Step | null;
  /** Stored before a request with side effects is sent; null once it was answered. */
  intent: Step | null;
  /**
   * When the request of the intent was last known to be running: just before it was sent, or when it ended without an
   * answer. An ISO datetime; null without an intent, and if the service answered the request with an error.
   */
  intentAt: string | null;
  /** `hash` of the payload that the request of the intent carries; null without an intent. */
  intentHash: string | null;
  /**
   * Whether the request of the intent must not be repeated without a lookup, although other requests of its step may
   * be: transactions sent with the instruction to add them without a check for existing ones. false without an
   * intent.
   */
  intentOnce: boolean;
  /** null while the record is unfinished. */
  outcome: Outcome | null;
  /** Service account number, service business id or batch id; null until it is known. */
  serviceNumber: string | null;
  /** Steps whose outcome is unknown. */
  unknown: readonly Step[];
  /** Refusals. For an account that exists, only errors of the steps after its import. */
  errors: readonly LedgerError[];
  /** null for nothing, and for what does not exist. */
  missing: MissingItems | null;
  /** How many items it has, and their outcomes; null where an earlier version of this program wrote the record. */
  items: RecordItems | null;
  /** Contract identifier by which an account waits for its business; null for none. */
  contract: string | null;
  /** Where it was read: a file's name and a line counted from 1. */
  source: string;
  /** The line, counted from 1. */
  line: number;
  /** By the run's clock, an ISO datetime. */
  updatedAt: string;
}

/** A write that was based on an outdated version: another worker has the record. */
export class StaleRecordError extends Error {
  /** Tells it from other errors. */
  override readonly name = 'StaleRecordError';
  /** @internal */
  constructor({ kind, number, version }: RecordKey & { version: number }) {
    super(`ledger: ${kind} ${number} is not at version ${version - 1} any more; another worker has it.`);
  }
}

/** Of a record that is not at this version. */
export function staleAt({ version, ...key }: RecordKey & { version: number }): StaleRecordError {
  return new StaleRecordError({ ...key, version: version + 1 });
}

/** How many records there are, and how they ended. */
export interface LedgerCounts {
  /** All records. */
  total: number;
  /** Records without an outcome. */
  unfinished: number;
  /** The unfinished records that have an intent without an answer. */
  intents: number;
  /** By how they ended. */
  ended: Readonly<Record<Outcome, number>>;
}

/** Which records a listing gives; all that is given must agree. */
export interface LedgerFilter {
  /** Only this kind. */
  kind?: RecordKind;
  /** Only of this import supplier code. */
  supplier?: string;
  /** Only records with this outcome; null selects unfinished records. */
  outcome?: Outcome | null;
  /** Only those with, or without, an announced step. */
  hasIntent?: boolean;
  /** Only those with, or without, something refused. */
  hasErrors?: boolean;
}

/**
 * What a migration remembers. `openSqliteLedger`, `postgresLedger` and `createMemoryLedger` make one; another keeps the
 * promises of each method.
 */
export interface Ledger {
  /** undefined where the record is not known. */
  find(key: RecordKey): Promise<LedgerRecord | undefined>;
  /**
   * Resolves when the record is on disk. Version 1 inserts it, with the contracts that a business declares, in one
   * transaction; version n replaces version n - 1, and adds contracts that are new. Of two businesses that declare one
   * contract the later write has it. Rejects with a `StaleRecordError` where that is not the version that is there.
   * Writes that come together are committed together, in their order.
   */
  write(record: LedgerRecord, contracts?: readonly string[]): Promise<void>;
  /**
   * Forgets a record, with the contracts that a business declares; resolves when that is on disk. Rejects with a
   * `StaleRecordError` where this version is not the one that is there.
   */
  remove(record: RecordKey & { version: number }): Promise<void>;
  /** The business of this supplier that declares the contract. */
  business(supplier: string, contract: string): Promise<LedgerRecord | undefined>;
  /** Hashes of the input lines of ended records: a resumed run skips lines with these hashes. */
  endedHashes(): AsyncIterable<string>;
  /** In the order of first writing, a page at a time in memory. */
  list(filter?: LedgerFilter): AsyncIterable<LedgerRecord>;
  /** How many there are, and how they ended. */
  counts(filter?: Pick<LedgerFilter, 'kind'>): Promise<LedgerCounts>;
  /** Small facts of the run, such as which book it works on. */
  fact(name: string): Promise<string | undefined>;
  /** Stores one; resolves when it is on disk. */
  setFact(name: string, value: string): Promise<void>;
  /** Stores a whole number unless a greater one is stored already; resolves with the one that is stored, when it is on disk. */
  raiseFact(name: string, value: number): Promise<number>;
  /** Waits for what is being written, and gives the lock back. */
  close(): Promise<void>;
}
