/**
 * Entry point `data-import-sdk/migration`: imports a whole input file. The command line is built on it.
 */
export type { ImportRecord, PopulateRecord } from '../validation/records/import-record.js';
export type { RecordFinding } from '../validation/records/record-findings.js';
export { CannotJoinError } from './distributed/cannot-join.js';
export { type DistributedRun, type DistributedRunOptions, openDistributedRun } from './distributed/coordinator.js';
export type { Worker, WorkerWork } from './distributed/ledger/worker-rows.js';
export { type StartedWorker, startWorker, type WorkerOptions } from './distributed/worker/worker.js';
export type { WorkerStatus } from './distributed/worker/worker-status.js';
export type { CsvRow, OptionalColumns } from './input/csv/csv-row.js';
export {
  type FormattedMap,
  loadMap,
  type RowMap,
  type RowMapping,
  type RowMaps,
  type RowPlace,
} from './input/csv/load-mapping.js';
export type { CsvColumns, InputFile, SomeRows } from './input/input-file.js';
export { type OpenInput, type OpenInputOptions, openInput } from './input/open-input.js';
export { inputFromRecords, type Records } from './input/records-input.js';
export type {
  Cells,
  Input,
  InputLine,
  MappedContent,
  Problem,
  ProblemCode,
  ReadRecord,
} from './input/source.js';
export type { ConfiguredSources, SqlSource } from './input/sql/declarations.js';
export type { AmountSum, AmountSums, AmountType } from './ledger/amounts.js';
export type { Item, ItemKey, ItemStatus, RecordItems } from './ledger/items.js';
export type {
  Decision,
  Difference,
  ItemStep,
  Ledger,
  LedgerCounts,
  LedgerError,
  LedgerFilter,
  LedgerRecord,
  LedgerWarning,
  LineOutcome,
  Outcome,
  ReadStoredLine,
  RecordKey,
  RecordKind,
  Step,
  StoredLine,
} from './ledger/ledger.js';
export { StaleRecordError } from './ledger/ledger.js';
export { createMemoryLedger } from './ledger/memory.js';
export { type PostgresLedgerOptions, postgresLedger } from './ledger/postgres/postgres-ledger.js';
export { openSqliteLedger, type SqliteLedgerOptions } from './ledger/sqlite/sqlite-ledger.js';
export type { ThreadChoice } from './ledger/sqlite/writer.js';
export { type Migration, runMigration, startMigration } from './migrate.js';
export {
  type IncompleteReason,
  type MigratedRecord,
  type MigrateRecordOptions,
  migrateRecord,
  type RecordFailure,
  type WaitingReason,
} from './migrate-record.js';
export { type SampleLine, type SampleOptions, sampleRecords } from './operations/sample/sample.js';
export type { FailureCause, ItemStepEvent, NotAccepted, RecordEvent } from './record/events/record-event.js';
export type { ItemOutcomes } from './record/items/item-outcomes.js';
export type { StepOptions } from './record/steps/call-settings.js';
export type { KeptFile } from './report/folder/edited-files.js';
export type { ContinueWith, EndState } from './report/report.js';
export type { AmountSummary, AmountTotals, SupplierAmounts } from './report/summary/amount-totals.js';
export type { ErrorGroup, Place } from './report/summary/error-groups.js';
export type { FunnelRow } from './report/summary/funnel.js';
export type { ItemKind, ItemOutcomeTotals, ItemSummary } from './report/summary/item-totals.js';
export type {
  ChangedField,
  PlacedTransactions,
  PopulatedBatches,
  Summary,
  UnknownGroup,
} from './report/summary/summary.js';
export { type CopiedLedger, CopiedLedgerError } from './run/copied-ledger.js';
export { RunTargetError } from './run/expect-target.js';
export type { MigrationOptions } from './run/options.js';
export { type MovedItems, RenumberedError, type RenumberedRecord } from './run/renumbered-error.js';
export type { IgnoredReason, LineFinding } from './run/run-context.js';
export type { MigrationResult } from './run/session/end-session.js';
export type { IgnoredLineCounts } from './run/session/read-progress.js';
export type { CountedPlaces } from './shared/counted-places.js';
export type { ThrottleClock } from './throttle/clock.js';
export type { CompactEvent, FailedCall } from './throttle/compact-event.js';
export { type HaltRules, parseHalt } from './throttle/halt-rules.js';
export type { LimitBounds } from './throttle/limits/adaptive-limit.js';
export { parseWindow, type TimeWindow } from './throttle/limits/time-window.js';
export type { Sample } from './throttle/samples.js';
export type { ThrottleOptions, ThrottleSettings } from './throttle/settings.js';
export type { Throttle, ThrottleStatus } from './throttle/throttle.js';
