/** Exports the types of a run over an input: `RunContext` for the run, `InputPass` for one pass, `LineFinding` for a line that becomes no record. */
import type { ImportRecord } from '../../validation/records/import-record.js';
import type { Input, InputLine } from '../input/source.js';
import type { RecordItems } from '../ledger/items.js';
import type { Difference, LedgerRecord, Outcome, ReadStoredLine, RecordKey, RecordKind } from '../ledger/ledger.js';
import type { RecordContext } from '../record/record-context.js';
import type { HashSet } from '../shared/hash-set.js';
import type { FileNames } from './file-names.js';
import type { RenumberedRecord } from './renumbered-error.js';

export interface RunContext extends RecordContext {
  input: Input;
  /** `identity` of the input; undefined if it has none. */
  filesToRead?: string | undefined;
  /** Maximum number of records in progress. */
  recordsAtOnce: number;
  /**
   * Whether rejected records, and refused items of existing accounts, are sent again even if their line is unchanged.
   */
  retryRejected: boolean;
  /** Whether records that the local check rejected are checked again, because the rules have changed. */
  recheckRejected?: boolean | undefined;
  /** Set if the input consists of corrected lines: no new records are started. */
  correctedLines?: CorrectedLineRules | undefined;
  /** Set if `input` is only the beginning of this one, as for a canary. */
  wholeInput?: Input | undefined;
  /** The run folder, for messages. */
  folder: string;
  /** Whether the input may give other records than in an earlier session. */
  areChangesAccepted: boolean;
  /** Asked before anything of a reading is sent that has renumbered records. */
  onRenumbered: (records: readonly RenumberedRecord[]) => boolean | Promise<boolean>;
  /** Returns whether records may be started; false once the run drains. */
  isAccepting: () => boolean;
  /** Resolves after `ms` milliseconds, or as soon as the run starts no more records. */
  sleep: (ms: number) => Promise<void>;
  /** Called with every line of the first pass, before it is processed. */
  onRead?: ((item: InputLine) => void) | undefined;
  /** Called with the first line of each record that is read, before any record starts. */
  onReadRecord?: ((record: ImportRecord) => void) | undefined;
  /**
   * Called with the number of lines when all are read, or are stored by an earlier session. `toBegin`: those whose records the ledger does not
   * have; undefined for those of an earlier session.
   */
  onLoaded?: ((lines: number, toBegin: number | undefined) => Promise<void>) | undefined;
  /** Called with the import supplier of each record before the record starts. The record waits for the promise. */
  onSupplier?: ((supplier: string) => Promise<void> | undefined) | undefined;
  /** Called with each record that the ledger does not have and no earlier reading has found. `isNew`: as that of the reading. */
  onNewRecord?: ((record: ImportRecord, item: InputLine, isNew: boolean) => void) | undefined;
  /** Called with the lines of these records when a reading is complete, before anything of it is sent. */
  onComplete?: ((lines: AsyncIterable<ReadStoredLine>, isNew: boolean) => Promise<void>) | undefined;
  /** Called once for every record of the first pass, with the items of its line. At the end, the ledger must have them. */
  onRecord?: ((items: RecordItems) => void) | undefined;
  /** Called with every line that does not become a separate record. */
  onLine: (item: InputLine, finding: LineFinding) => void;
  /** Keeps the lines that were reported, for `reportKept` in a later session. Returns whether it has. */
  keepReported?: (() => boolean) | undefined;
  /** Reports the lines that an earlier session has kept. Resolves with false, and reports none, if they are not as many. */
  reportKept?: ((count: number) => Promise<boolean>) | undefined;
  /** Set if workers process the records, and this run only reads the input. */
  workers?: RunWorkers | undefined;
}

/** The workers of a distributed run: they take the records that are registered. */
export interface RunWorkers {
  /** Lets the workers take an unfinished record. `isWholeInputKnown`: see `RecordContext`. Returns the stored record. */
  register(record: LedgerRecord, payload: ImportRecord, isWholeInputKnown: boolean): Promise<LedgerRecord>;
  /**
   * Resolves after the workers have tried a registered account: with true if the service has accepted its team, or the run is stopping, so
   * that the others may be registered.
   */
  isFirstAccepted(account: LedgerRecord): Promise<boolean>;
  /**
   * Resolves when the workers have no more records that they can advance, or when the run is stopping: with how many of these kinds another
   * pass may complete.
   */
  whenIdle(kinds: readonly RecordKind[]): Promise<number>;
}

interface CorrectedLineRules {
  /** Called with every line that is ignored. */
  ignore: (item: InputLine, why: IgnoredReason) => void;
}

/**
 * Why a corrected line is ignored: the outcome of its record, or the reason why it has no separate record. `sent`: an earlier session of
 * the retry, which was killed, has sent it. `otherLine`: the record with its number was created from a line with other content.
 */
export type IgnoredReason = Outcome | 'sent' | 'otherLine' | 'notInRun' | 'noRecord' | 'twice';

/** Why a line does not become a separate record. */
export interface LineFinding {
  /**
   * `rejected`: it has no valid record. `skipped`: another record has its number. `changed`: it differs from the existing record.
   * `accepted`: so it does, and a person has accepted that. `corrected`: `retry` sent a corrected line in its place.
   */
  as: 'rejected' | 'skipped' | 'changed' | 'accepted' | 'corrected';
  /**
   * Stable code. For a skipped line: `duplicate_record` if it has the same content as the line that was sent, otherwise
   * `contradicting_record`.
   */
  code: string;
  /** The path in the record; empty for the whole line. */
  attr: string;
  /** A hint for the correction of the line, without its values. */
  detail?: string;
  /** Number of lines, if more than one is reported together: further ones of an earlier session. */
  count?: number;
  /** The record with the number of the line, if the line is skipped or changed. */
  key?: RecordKey;
  /** The line that is sent in its place; undefined if none is. */
  taken?: { source: string; line: number };
  /**
   * For a changed line of the input: its record, the items of the line with their states, and what differs. undefined for a line
   * given to `retry`.
   */
  change?: { record: LedgerRecord; items: RecordItems; difference: Difference };
}

/** The lines of one reading of the input. */
export interface Reading {
  /** Whether the ledger had no record before: each key is new, so no record is looked up. */
  isNew: boolean;
  /** Hashes of the keys of the records that were read, each with a note on the content of the first line. */
  seenKeys: HashSet;
  /** Hashes of the keys of records whose line has other content. */
  differing: HashSet;
  /** Hashes of the keys of records that the ledger does not have, but their lines, from an earlier reading. */
  stored: HashSet;
  /** Unfinished records of an earlier `retry`: the ledger has their corrected lines, and the input has others. */
  corrections: readonly LedgerRecord[];
  /** By hash, the lines without a readable record that `retry` has corrected: number of their records, and of those that the reading has met. */
  correctedLines: Map<string, { records: number; met: number }>;
  /** Number of records that the ledger had before, and whose lines were not read. */
  missing: number;
  /** Number of lines whose records it does not have. */
  toBegin: number;
  /** The files of the records that the ledger had before, and whose lines were read. Undefined if nothing was read. */
  fileNames?: FileNames;
  /** Number of lines that were reported, and not kept. */
  reported: number;
  /** Number of those that were kept. */
  kept: number;
  /** Whether a person has agreed to send lines that are of other customers than their records. */
  areOthersAccepted?: true;
}

/** One pass over the input, or over its stored lines. */
export interface InputPass {
  run: RunContext;
  reading: Reading;
  /** Lines are reported once, however many passes there are. */
  isFirst: boolean;
  /** Lines of the records in progress, by record. */
  items: Map<string, InputLine>;
  /** Businesses in progress, by contract. */
  businesses: Map<string, Promise<LedgerRecord | undefined>>;
  /** Contracts of accounts that wait because their business does not exist yet. */
  waitedFor: Set<string>;
  /** Records that were over before, so that their lines are erased. */
  over: RecordKey[];
  /** Number of records without an outcome that another pass may complete. */
  unfinished: number;
  /** Number of records that wait in memory until they can continue. */
  waiting: number;
  failure: { error: unknown } | undefined;
}

/** A line with a record. */
export interface ReadLine {
  item: InputLine;
  payload: ImportRecord;
  key: RecordKey;
  /** Of the payload. */
  contentHash: string;
}

/**
 * Returns a function that reports the line, in the first pass only. Corrected lines were reported before.
 */
export function lineReporter(item: InputLine, { run, isFirst, reading }: InputPass): (finding: LineFinding) => void {
  return (finding) => {
    if (!isFirst) return;
    reading.reported++;
    if (run.correctedLines === undefined || finding.as === 'changed') run.onLine(item, finding);
    else run.correctedLines.ignore(item, finding.as === 'rejected' ? 'noRecord' : 'twice');
  };
}
