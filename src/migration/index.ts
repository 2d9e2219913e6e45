/** `data-import-sdk/migration`: a whole book, carried through the service; the command line is a thin skin over it. */
export type { BookFinding, BookRecord, PopulateRecord } from '../validation/records/check-records.js';
export { type Fleet, type FleetOptions, openFleet } from './distributed/distributed-run.js';
export { CannotJoinError } from './distributed/errors.js';
export { type StartedWorker, startWorker, type WorkerOptions } from './distributed/worker.js';
export type { Worker, WorkerWork } from './distributed/worker-rows.js';
export type { WorkerStatus } from './distributed/worker-status.js';
export type { ChangedItems, ItemOutcomes, SentList } from './item-counts.js';
export type {
  End,
  ItemCounts,
  ItemStep,
  Lacking,
  Ledger,
  LedgerCounts,
  LedgerError,
  LedgerFilter,
  LedgerRecord,
  RecordItems,
  RecordKey,
  RecordKind,
  Step,
  StepItems,
  StepParts,
} from './ledger/ledger.js';
export { StaleRecordError } from './ledger/ledger.js';
export { createMemoryLedger } from './ledger/memory.js';
export { type PostgresLedgerOptions, postgresLedger } from './ledger/postgres.js';
export { openSqliteLedger, type SqliteLedgerOptions } from './ledger/sqlite.js';
export type { ThreadChoice } from './ledger/sqlite-writer.js';
export type { LeftAloneCounts } from './left-alone.js';
export {
  type MigratedRecord,
  type MigrateRecordOptions,
  migrateRecord,
  type WaitingReason,
} from './migrate-record.js';
export {
  type Migration,
  type MigrationOptions,
  type MigrationResult,
  runMigration,
  startMigration,
} from './migration.js';
export type { LimitBounds } from './pace/adaptive-limit.js';
export { type HaltRules, parseHalt } from './pace/breaker.js';
export type { PaceClock } from './pace/clock.js';
export type { Pace, PaceStatus } from './pace/pace.js';
export type { Sample } from './pace/samples.js';
export type { PaceOptions, PaceSettings } from './pace/settings.js';
export type { CompactEvent } from './pace/signs.js';
export { parseWindow, type TimeWindow } from './pace/window.js';
export type { FunnelRow } from './report/funnel.js';
export type { ErrorGroup, Place } from './report/groups.js';
export type { ItemKind, ItemOutcomeTotals, ItemSummary } from './report/item-totals.js';
export type { EndState } from './report/report.js';
export type { MovedTransactions, PopulatedBatches, Summary, UnknownGroup } from './report/summary.js';
export type { LeftAlone, LineFinding } from './run.js';
export { type SampleLine, type SampleOptions, sampleBook } from './sample.js';
export { bookOf, type Records } from './source/book-of.js';
export type { CsvRow, OptionalColumns } from './source/csv-row.js';
export type { CsvColumns, InputFile } from './source/input-file.js';
export { loadMap, type RowMap } from './source/map.js';
export { type OpenBook, type OpenBookOptions, openBook } from './source/open-book.js';
export type { LineSpan, MappedContent, Problem, ProblemCode, ReadRecord, Source, SourceItem } from './source/source.js';
export type { FailureCause, ItemStepEvent, NotAccepted, RecordEvent } from './step.js';
export { RunTargetError } from './target.js';
