/** The types of a run over an input: `RunContext` for the run, `InputPass` for one pass, `LineFinding` for a line that becomes no record. */
import type { ImportRecord } from '../../validation/records/import-record.js';
import type { Input, InputLine } from '../input/source.js';
import type { LedgerRecord, Outcome, RecordKey } from '../ledger/ledger.js';
import type { ChangedItems } from '../record/items/item-counts.js';
import type { RecordContext } from '../record/record-context.js';
import type { HashSet } from '../shared/hash-set.js';

export interface RunContext extends RecordContext {
  input: Input;
  /** Limit of records in progress at the same time. */
  recordsAtOnce: number;
  /**
   * Whether refused records are tried again even if their line is unchanged: rejected records, and refused items of
   * accounts that exist.
   */
  retryRejected: boolean;
  /** Whether records that the local check rejected are checked again, because its rules have changed. */
  recheckRejected?: boolean | undefined;
  /** Where the book is not the whole one, but lines of it that were corrected: nothing else is begun. */
  correctedLines?: CorrectedLineRules | undefined;
  /** Whether the book is the beginning of the input, as a canary has it. */
  isPartOfInput?: boolean | undefined;
  /** Whether records are still begun: false once the run drains. */
  isAccepting: () => boolean;
  /** Resolves after `ms` milliseconds, or as soon as the run starts no more records. */
  sleep: (ms: number) => Promise<void>;
  /** Called with every line of the first pass, before it is processed. */
  onRead?: ((item: InputLine) => void) | undefined;
  /** Called with the import supplier of each record before the record begins; the record waits for the promise. */
  onSupplier?: ((supplier: string) => Promise<void> | undefined) | undefined;
  /** Receives every record that the ledger does not have yet, before any of it is sent. */
  onNewRecord?: ((record: ImportRecord) => void) | undefined;
  /** Receives every line of the first pass that stands for a record, once: its items must be in the ledger in the end. */
  onRecord?: ((payload: ImportRecord) => void) | undefined;
  /** Called with every line that does not become a separate record. */
  onLine: (item: InputLine, finding: LineFinding) => void;
  /** Where others carry the records through, and this run only reads the book. */
  recordQueue?: RecordQueue | undefined;
}

/** Passes records to workers instead of running them in this process. */
export interface RecordQueue {
  /** Hands them an unfinished record; returns it as it is on disk. They keep accounts waiting for their business. */
  enqueue(record: LedgerRecord, payload: ImportRecord, item: InputLine): Promise<LedgerRecord>;
  /** Resolves when the workers have no more records that they can advance, or when the run is stopping. */
  whenIdle(): Promise<void>;
}

interface CorrectedLineRules {
  /** Whether the line may become a record that the ledger does not know. */
  mayStart: (item: InputLine) => boolean;
  /** Called with every line that is ignored. */
  ignore: (item: InputLine, why: IgnoredReason) => void;
}

/** Why nothing is done about a corrected line: how its record ended, or that there is none, or that it is there twice. */
export type IgnoredReason = Outcome | 'notInRun' | 'noRecord' | 'twice';

/** Why a line does not become a separate record. */
export interface LineFinding {
  /**
   * `rejected`: it holds no record. `skipped`: another record has its number. `changed`: it differs from what exists.
   * `corrected`: `retry` sent a corrected line in its place.
   */
  as: 'rejected' | 'skipped' | 'changed' | 'corrected';
  /**
   * Stable. Of a line that is skipped `duplicate_record`: it holds the same record as the one that was taken; or
   * `contradicting_record`: it has the same number and other content.
   */
  code: string;
  /** Where; empty for the line as a whole. */
  attr: string;
  /** Helps the person who corrects the line; quotes no value of it. */
  detail?: string;
  /** The record whose number the line has, where it is skipped or changed. */
  key?: RecordKey;
  /** The line that was taken in its place; undefined where none was. */
  taken?: { source: string; line: number };
  /**
   * Of a changed line of the input: its record, and the items that the line has otherwise than they were sent. undefined for a
   * corrected line that is given to `retry`.
   */
  change?: { record: LedgerRecord; items: readonly ChangedItems[] };
}

/** One pass over the input. */
export interface InputPass {
  run: RunContext;
  /** Lines are reported once, however often the book is read. */
  isFirst: boolean;
  /** Nothing was known when it began, and each key is met once: no record need be looked for. */
  isNew: boolean;
  /** Hashes of the keys of the records that this pass met, each with a note of the content of the line that was taken. */
  seenKeys: HashSet;
  /** Hashes of lines that need not be looked at, because their record has ended; each with `PASSED_OVER`, `REPLACED` or `REWRITTEN`. */
  endedHashes: HashSet;
  /** Lines of the records in progress, by record. */
  items: Map<string, InputLine>;
  /** Businesses in progress, by contract. */
  businesses: Map<string, Promise<LedgerRecord | undefined>>;
  /** Contracts of accounts that were left to wait, because their business is not there. */
  waitedFor: Set<string>;
  /** Records that were tried and are open still: another pass may end them. */
  unfinished: number;
  /** Records that wait in memory until they can continue. */
  waiting: number;
  failure: { error: unknown } | undefined;
}

/** A line that holds a record. */
export interface ReadLine {
  item: InputLine;
  payload: ImportRecord;
  key: RecordKey;
  /** Of the payload. */
  contentHash: string;
}

/**
 * Returns a reporter that reports a line only in the first pass. Lines of a file of corrections were reported before.
 */
export function lineReporter(item: InputLine, { run, isFirst }: InputPass): (finding: LineFinding) => void {
  return (finding) => {
    if (!isFirst) return;
    if (run.correctedLines === undefined || finding.as === 'changed') run.onLine(item, finding);
    else run.correctedLines.ignore(item, finding.as === 'rejected' ? 'noRecord' : 'twice');
  };
}
