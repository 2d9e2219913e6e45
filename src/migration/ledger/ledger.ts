/**
 * Exports the interface `Ledger` and its types: the state of every record, with intents and outcomes, and the lines that are still to be
 * sent. A run that was killed reads from it which requests are safe to repeat.
 */

import type { ImportRecord } from '../../validation/records/import-record.js';
import type { Cells } from '../input/source.js';
import { ofAnyCopy } from '../shared/error-of-any-copy.js';
import type { Item, RecordItems } from './items.js';

/** The kinds of records. */
export type RecordKind = 'business' | 'account' | 'populate';

/** Identifies a record on the service. */
export interface RecordKey {
  /** Import supplier code; empty for supply points, which have none. */
  supplier: string;
  /** Business, account, or supply points to look up. */
  kind: RecordKind;
  /**
   * External business identifier or external account number; for supply points the
   * `contentHash` of the payload.
   */
  number: string;
}

/** Returns the key of a record as one text. */
export function idOf({ supplier, kind, number }: RecordKey): string {
  return JSON.stringify([supplier, kind, number]);
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
 * - `unknown`: the request may have taken effect and the service cannot answer whether it did; a person must decide.
 */
export type Outcome = 'created' | 'alreadyImported' | 'rejected' | 'unknown';

/** All outcomes, in the order in which they are shown. */
export const OUTCOMES: readonly Outcome[] = ['created', 'alreadyImported', 'rejected', 'unknown'];

/** How a line of the input ended: as its record, or `skipped`: nothing is sent, because another line has its number, or because its business failed. */
export type LineOutcome = Outcome | 'skipped';

export const LINE_OUTCOMES: readonly LineOutcome[] = ['created', 'alreadyImported', 'rejected', 'skipped', 'unknown'];

/** The outcomes of records that the service has. */
export const IMPORTED: readonly Outcome[] = ['created', 'alreadyImported'];

/** Returns whether the record ended, and the service has it. */
export function isImported({ outcome }: Pick<LedgerRecord, 'outcome'>): boolean {
  return outcome !== null && IMPORTED.includes(outcome);
}

/** A refusal and its step: codes and paths, never values. */
export interface LedgerError {
  /** The step that was refused. */
  step: Step;
  /** Stable, such as `invalid_phone_number`. */
  code: string;
  /**
   * Path: field names and zero-based indexes joined by dots; empty for no field. `*` replaces a name that neither the API
   * specification nor the profile has.
   */
  attr: string;
  /** For an unknown field: the most similar documented field. */
  didYouMean?: string;
  /**
   * The text of the service, up to 1,000 characters, which may quote the record: only with `showPersonalData`. For `request_too_large`:
   * the size of the request.
   */
  detail?: string;
  /** For `further_findings`, the last error of a record with more than 100 findings: number of findings that are not listed. */
  count?: number;
}

/** A step that sends items: one for each kind of item. */
export type ItemStep = 'paymentInstruction' | 'statements' | 'transactions' | 'notes';

/** The steps that send items, in their order. */
export const ITEM_STEPS: readonly ItemStep[] = ['paymentInstruction', 'statements', 'transactions', 'notes'];

/** A warning of the local check: the record is sent nevertheless. */
export interface LedgerWarning {
  /** Stable, such as `negative_amount`. */
  code: string;
  /** The path of the first value. */
  attr: string;
  /** Number of values with it. */
  count: number;
}

/** What a person decided about a step with an unknown outcome, and the state before, so that another decision can replace it. */
export interface Decision {
  /** The step. */
  step: Step;
  /** Whether its request took effect. */
  as: 'done' | 'notDone';
  /** When it was decided, an ISO datetime. */
  at: string;
  /** Whether a request was begun since that depends on the decision: nothing replaces it then. */
  isUsed: boolean;
  /** `done` of the record before. */
  done: Step | null;
  /** `intentAt` of the record before, if its intent was that of the step. */
  intentAt: string | null;
  /** The items that it is about, whose outcome was unknown. */
  items: readonly Item[];
}

/** How the input differs from a record. A person who has put it right on the service, or wants it so, accepts it. */
export interface Difference {
  /** `changed`: its line has other content than was sent. `removed`: a reading of the whole input found no line of it. */
  is: 'changed' | 'removed';
  /** For `changed`: `contentHash` of that line. */
  contentHash?: string;
  /** For `changed`: the paths that differ, with `*` for indexes. */
  paths?: readonly string[];
  /** For `changed`: the parts with items that no earlier version of the line had, and that were not sent, such as `transactions`. */
  added?: readonly string[];
  /** For `changed`: the parts that lack items of an earlier version of the line. */
  removed?: readonly string[];
  /** For `changed`: the file of that line. */
  source?: string;
  /** For `changed`: the line, counted from 1. */
  line?: number;
  /** Whether a person has accepted it (`resolve --accept`). */
  isAccepted?: true;
}

/** The state of one record in a ledger, without its payload. */
export interface LedgerRecord extends RecordKey {
  /** Number of writes; 0 before the first one. Every write is a compare-and-set on it. */
  version: number;
  /** SHA-256 of the bytes of its line, in hexadecimal digits. */
  hash: string;
  /**
   * A digest of each value of its content, those of its items apart: the order of keys and of items, and spacing, do not change them. If its
   * line differs in something that is not sent (`difference`), this is the content that was sent.
   */
  contentHash: string;
  /**
   * `contentHash` of the input line that a corrected line given to `retry` replaced, or its `hash` (64 digits) if that line had no
   * readable record; null if the record has no corrected line.
   */
  correctedFrom: string | null;
  /** The last step that is done; null for none. */
  done: Step | null;
  /** The step of the intent, stored before a request with side effects; null after its answer. */
  intent: Step | null;
  /**
   * When the request of the intent was last known to be running: just before it was sent, or when it ended without an
   * answer. An ISO datetime; null without an intent, and if the service answered the request with an error.
   */
  intentAt: string | null;
  /** `hash` of the payload in the request of the intent; null without an intent. */
  intentHash: string | null;
  /**
   * Whether the request of the intent must not be repeated without a lookup, although other requests of its step may
   * be: transactions sent with the instruction to add them without a check for existing ones. false without an
   * intent.
   */
  intentOnce: boolean;
  /**
   * When the last staging request without an answer was last known to be running: a line with other content is not staged before the
   * quiet time from then is over, because the older request would replace its data. An ISO datetime; null if every one was answered.
   */
  stageUnansweredAt: string | null;
  /** null while the record is unfinished. */
  outcome: Outcome | null;
  /** Service account number, service business id or batch id; null until it is known. */
  serviceNumber: string | null;
  /** Steps whose outcome is unknown. */
  unknown: readonly Step[];
  /** Refusals. For an account that exists, only errors of the steps after its import. */
  errors: readonly LedgerError[];
  /** Warnings of the local check, of the content that was sent last. */
  warnings: readonly LedgerWarning[];
  /** How the input differs from the record, which no import can change; null if the input has the line of the record. */
  difference: Difference | null;
  /** Its items and what has become of them. */
  items: RecordItems;
  /** What a person decided about its unknown steps: the last decision of each step. */
  decisions: readonly Decision[];
  /** Contract identifier by which an account waits for its business; null for none. */
  contract: string | null;
  /** Name of the input file. */
  source: string;
  /** The line, counted from 1. */
  line: number;
  /** Time of the last write after a call, or before it, by the clock of the run: an ISO datetime. No request of the record is younger. */
  updatedAt: string;
}

/**
 * A line of the input that is still needed: its record has not ended, or was refused in part or whole, so that a person may correct it.
 * Contains personal data.
 */
export interface StoredLine extends RecordKey {
  /** SHA-256 of the bytes of the line, in hexadecimal digits. */
  hash: string;
  /** As that of the record. */
  contentHash: string;
  /** Name of the file. */
  source: string;
  /** The line, counted from 1. */
  line: number;
  /** The record as JSON. */
  text: string;
  /** What a message names in place of the line; null for the line. */
  label: string | null;
  /** The cells of a row of a CSV file; null for other lines. */
  cells: Cells | null;
  /** `hash` of the line without a readable record that this line corrects; null for none. */
  corrects: string | null;
}

/** A stored line with its record, which was checked before it was stored. */
export interface ReadStoredLine extends StoredLine {
  /** The record of `text`. */
  record: ImportRecord;
}

const LINE_HASH_LENGTH = 64;

/** Returns the hash of the line without a readable record that a corrected line replaced; undefined for a line with a record. */
export function unreadableLineOf({ correctedFrom }: Pick<LedgerRecord, 'correctedFrom'>): string | undefined {
  return correctedFrom?.length === LINE_HASH_LENGTH ? correctedFrom : undefined;
}

/** A write that was based on an outdated version: another worker has the record. */
export class StaleRecordError extends Error {
  /** Discriminates this class. */
  override readonly name = 'StaleRecordError';
  /** @internal */
  constructor({ kind, number, version }: RecordKey & { version: number }) {
    super(`ledger: ${kind} ${number} is not at version ${version - 1} any more; another worker has it.`);
  }
}
ofAnyCopy(StaleRecordError, 'StaleRecordError');

/** Returns the error for a record that has another version. */
export function staleAt({ version, ...key }: RecordKey & { version: number }): StaleRecordError {
  return new StaleRecordError({ ...key, version: version + 1 });
}

/** Numbers of records by outcome. */
export interface LedgerCounts {
  /** All records. */
  total: number;
  /** Records without an outcome. */
  unfinished: number;
  /** The unfinished records that have an intent without an answer. */
  intents: number;
  /** Sum of the versions of all records, which grows with each write. */
  writes: number;
  /** Records by outcome. */
  ended: Readonly<Record<Outcome, number>>;
}

/** Selects records. All given conditions must hold. */
export interface LedgerFilter {
  /** Only this kind. */
  kind?: RecordKind;
  /** Only of this import supplier code. */
  supplier?: string;
  /** Only records with this outcome; null selects unfinished records. */
  outcome?: Outcome | null;
  /** Only records with, or without, errors. */
  hasErrors?: boolean;
  /** Only records with, or without, a corrected line. */
  isCorrected?: boolean;
  /** Only records with this difference, accepted or not. */
  difference?: Difference['is'];
  /**
   * Only records that the service has as the input has them, with nothing refused or unknown, and with the amounts that were sent; or only
   * the others.
   */
  isSettled?: boolean;
}

/**
 * The database of record states. Opened by `openSqliteLedger`, `postgresLedger` and `createMemoryLedger`. Another implementation must
 * behave as each method describes.
 */
export interface Ledger {
  /**
   * Path of the file that is the ledger; undefined for a ledger in memory or on a server.
   * @internal
   */
  readonly file?: string;
  /**
   * Resolves with where a ledger on a server is, without secrets, and what its tables are for the server: restored tables are others.
   * @internal
   */
  readonly tables?: () => Promise<{ where: string; id: string }>;
  /** Resolves with the record; undefined if it is unknown. */
  find(key: RecordKey): Promise<LedgerRecord | undefined>;
  /**
   * Resolves when the record is on disk. Version 1 inserts it, with the contracts that a business declares, in one transaction;
   * version n replaces version n - 1 and adds new contracts. If two businesses declare one contract, the later write has it. Rejects
   * with a `StaleRecordError` if the ledger has another version. Simultaneous writes are committed together, in their order. `isOver`: no
   * line of the record is needed any more, so that its lines are erased in the same transaction.
   */
  write(record: LedgerRecord, contracts?: readonly string[], isOver?: boolean): Promise<void>;
  /**
   * Removes a record, with the contracts that a business declares. Resolves when that is on disk. Rejects with a `StaleRecordError`
   * if the ledger has another version.
   */
  remove(record: RecordKey & { version: number }): Promise<void>;
  /** Resolves with whether another record of the same kind has this number of the service. */
  isNumberOfOther(record: RecordKey & { serviceNumber: string }): Promise<boolean>;
  /** Resolves with the business of this supplier that declares the contract; undefined if there is none. */
  business(supplier: string, contract: string): Promise<LedgerRecord | undefined>;
  /** Yields records in the order of their first write. Reads them in pages. */
  list(filter?: LedgerFilter): AsyncIterable<LedgerRecord>;
  /**
   * Stores lines that the reading with this number has found. Resolves when they are on disk. A line that is stored already is then of this
   * reading.
   */
  addLines(reading: number, lines: readonly StoredLine[]): Promise<void>;
  /** Yields the lines of a reading with records of this kind, in their order. Reads them in pages. */
  lines(reading: number, kind: RecordKind): AsyncIterable<ReadStoredLine>;
  /** Resolves with the line of the record with this hash, or with that of the last reading if no hash is given; undefined if it is not stored. */
  line(record: RecordKey, hash?: string): Promise<ReadStoredLine | undefined>;
  /** Erases the lines of these records. */
  eraseLines(records: readonly RecordKey[]): Promise<void>;
  /** Erases lines of earlier readings that are not the line of a record: they were not sent, and are no longer in the input. */
  eraseLinesBefore(reading: number): Promise<void>;
  /** Resolves with the numbers of records by outcome. */
  counts(filter?: Pick<LedgerFilter, 'kind'>): Promise<LedgerCounts>;
  /** Resolves with a fact of the run, such as its target; undefined if there is none. */
  fact(name: string): Promise<string | undefined>;
  /** Stores a fact. Resolves when it is on disk. */
  setFact(name: string, value: string): Promise<void>;
  /** Stores a whole number unless a greater one is stored. Resolves with the stored number when it is on disk. */
  raiseFact(name: string, value: number): Promise<number>;
  /** Waits for pending writes, and releases the lock. */
  close(): Promise<void>;
}
