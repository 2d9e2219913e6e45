/** `data-import-sdk/migration`: a whole book, carried through the service; the command line is a thin skin over it. */
export type { BookFinding, BookRecord } from '../validation/book.js';
export type {
  End,
  Lacking,
  Ledger,
  LedgerCounts,
  LedgerError,
  LedgerFilter,
  LedgerRecord,
  RecordKey,
  RecordKind,
  Step,
  StepItems,
} from './ledger/ledger.js';
export { StaleRecordError } from './ledger/ledger.js';
export { createMemoryLedger } from './ledger/memory.js';
export { openSqliteLedger, type SqliteLedgerOptions } from './ledger/sqlite.js';
export {
  type Migration,
  type MigrationOptions,
  type MigrationResult,
  runMigration,
  startMigration,
} from './migration.js';
export { type HaltRules, parseHalt } from './pace/breaker.js';
export type { Pace, PaceStatus } from './pace/pace.js';
export type { PaceOptions, PaceSettings } from './pace/settings.js';
export { parseWindow, type TimeWindow } from './pace/window.js';
export type { Summary } from './report/summary.js';
export type { LineFinding } from './run.js';
export { type SampleOptions, sampleBook } from './sample.js';
export { bookOf, type Records } from './source/book-of.js';
export { loadMap, type RowMap } from './source/map.js';
export { type OpenBook, type OpenBookOptions, openBook } from './source/open-book.js';
export type { Problem, ReadRecord, Source, SourceItem } from './source/source.js';
export type { RecordEvent } from './step.js';
