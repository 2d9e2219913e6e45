/** One pass over the input: what it has met so far, and how it reports lines. */
import type { ImportRecord } from '../../validation/records/check-records.js';
import type { InputLine } from '../input/source.js';
import type { LedgerRecord, RecordKey } from '../ledger/ledger.js';
import type { HashSet } from '../shared/hash-set.js';
import type { LineFinding, RunContext } from './run-input.js';

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
  /** Lines of the records under way, by record. */
  items: Map<string, InputLine>;
  /** Businesses under way, by contract. */
  businesses: Map<string, Promise<LedgerRecord | undefined>>;
  /** Contracts of accounts that were left to wait, because their business is not there. */
  waitedFor: Set<string>;
  /** Records that were tried and are open still: another pass may end them. */
  unfinished: number;
  /** Records that wait in memory until they can go on. */
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

/** Lines are told of once, however often the book is read; of corrected lines the whole book was told of already. */
export function lineReporter(item: InputLine, { run, isFirst }: InputPass): (finding: LineFinding) => void {
  return (finding) => {
    if (!isFirst) return;
    if (run.correctedLines === undefined || finding.as === 'changed') run.onLine(item, finding);
    else run.correctedLines.ignore(item, finding.as === 'rejected' ? 'noRecord' : 'twice');
  };
}
