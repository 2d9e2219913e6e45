/** Exports `MigrationOptions`, the options of a run with their defaults, and `checkOptions`. */
import type { DataImportClient } from '../../client.js';
import { checkOptionKinds, type OptionKinds } from '../../validation/option-kinds.js';
import type { Profile } from '../../validation/profile.js';
import type { DistributedRun } from '../distributed/coordinator.js';
import type { Input, InputLine } from '../input/source.js';
import { type Ledger, type LedgerRecord, STEPS, type Step } from '../ledger/ledger.js';
import type { RecordEvent } from '../record/events/record-event.js';
import { checkCount, checkDryRun, checkSteps, STEP_KINDS, type StepOptions } from '../record/steps/call-settings.js';
import type { ContinueWith, RunEnding, RunFacts } from '../report/report.js';
import type { Summary } from '../report/summary/summary.js';
import type { CompactEvent } from '../throttle/compact-event.js';
import { checkThrottle, type ThrottleOptions } from '../throttle/settings.js';
import type { CopiedLedger } from './copied-ledger.js';
import type { RenumberedRecord } from './renumbered-error.js';
import type { LineFinding } from './run-context.js';
import type { IgnoredLineCounts } from './session/read-progress.js';

/** Options of `runMigration` and `startMigration`. */
export interface MigrationOptions extends StepOptions {
  /** The client of the run. The run adds hooks to it while it is running, and does not close it. */
  client: DataImportClient;
  /** The records: `openInput(paths)` for files, `inputFromRecords(records)` for records in code. */
  input: Input;
  /** The run folder, with ledger, result files and report. The same folder continues the same run. */
  folder: string;
  /**
   * The service that receives the records: `sandbox`, or its address. A run folder belongs to one target; a run with
   * another target is refused. Pass `sandbox` for rehearsals, because each sandbox has a different port.
   * @default `client.baseUrl`
   */
  target?: string | undefined;
  /**
   * The former address of the service, if it has changed since this run began. The new service is asked for up to five accounts of the
   * ledger: if it has none of them, the run is refused. Logged in the audit log.
   */
  retarget?: string | undefined;
  /**
   * For a sandbox in this process: when it started. Requests of an earlier process ended with the sandbox of that process, so the
   * run does not wait for them.
   * @default unknown
   */
  serviceStartedAt?: Date | undefined;
  /** Operations team that processes the accounts. */
  team: string;
  /**
   * Stores the states of all records.
   * @default a SQLite ledger in the folder
   */
  ledger?: Ledger | undefined;
  /** The result of `openDistributedRun`, instead of `ledger`: workers on other machines import records too. */
  distributed?: DistributedRun | undefined;
  /** Rules of your deployment that are stricter than the API specification, or allow more. */
  profile?: Profile | undefined;
  /**
   * Whether ledger and report contain the names of fields that neither the API specification nor the profile has, and the text of
   * refusals of the service. Both may be personal data.
   * @default false: names are replaced with `*`, and texts left out
   */
  showPersonalData?: boolean | undefined;
  /**
   * Accounts that are dry-run before they are processed: none, the first, all, or every Nth. No other account is
   * staged until the service has accepted the team for the first one, so a wrong team or token stages one account at
   * most.
   * @default 'first'
   */
  dryRun?: 'none' | 'first' | 'all' | number | undefined;
  /** Concurrency, rate, time window, and halt rules. */
  throttle?: ThrottleOptions | undefined;
  /**
   * Whether refused records and items are tried again even if their line is unchanged.
   * @default false
   */
  retryRejected?: boolean | undefined;
  /**
   * Whether the input is not the whole input of the run but corrected lines of it, as records or as entries of
   * rejected.jsonl and similar files. Only refused records and items are tried again; no new record is begun.
   * @default false
   */
  retry?: boolean | undefined;
  /**
   * Whether the same files with the same mapping or query may give other records than in an earlier session of the run, and whether new
   * records that seem to be renumbered ones, and items that seem to have moved from another record, are sent.
   * @default false: the run is refused
   */
  changedSources?: boolean | undefined;
  /**
   * Asked before anything is sent, if new records seem to be records of the run that the input no longer has, under other numbers, or if lines
   * have items that another record was sent with and no longer has. Returns whether they are sent nevertheless.
   * @default the run is refused with a `RenumberedError`, unless `changedSources`
   */
  onRenumbered?: ((records: readonly RenumberedRecord[]) => boolean | Promise<boolean>) | undefined;
  /**
   * Asked before anything is sent, if the ledger file was copied or restored since its last session. Returns whether the run continues: it
   * does not know the requests that another copy has sent since. A copy whose original is still in its place is always refused.
   * @default the run is refused with a `CopiedLedgerError`
   */
  onCopied?: ((copied: CopiedLedger) => boolean | Promise<boolean>) | undefined;
  /** Imports only the first N records of the input, to look at the result before the whole run; with 0 all, as without it. */
  canary?: number | undefined;
  /** Aborts calls in flight, and the reading of the input. To let the calls finish, use `drain` of the throttle. */
  signal?: AbortSignal | undefined;
  /**
   * Called after the ledger has stored an event of a record. It may return a promise, which is waited for only at the end of the run, or before
   * `migrateRecord` returns. If it throws, or its promise
   * rejects, no further record is begun, and the run rejects with that error; so it is for `onLine` and `onOthers`. `before`: the record of
   * the earlier session, if this session starts it again (`changed`, `again`) or finds out that it was created (`settled`).
   */
  onEvent?: ((record: LedgerRecord, event: RecordEvent, before?: LedgerRecord) => unknown) | undefined;
  /** In a distributed run: called with the events of the other workers, a moment later. */
  onOthers?: ((event: CompactEvent) => unknown) | undefined;
  /** Called with every line that does not become a separate record. */
  onLine?: ((item: InputLine, finding: LineFinding) => unknown) | undefined;
  /** Configuration for run.json and the report, without secrets. */
  configuration?: RunFacts['configuration'] | undefined;
  /**
   * The command that continues the run, for run.json and the report; or a function that returns it for the state in which the session
   * leaves the run, such as with another team if the service did not accept this one.
   */
  continueWith?: string | ContinueWith | undefined;
  /**
   * Returns how the report states the end of the session.
   * @internal
   */
  endingOf?: ((run: RunFacts, summary: Summary, ignored: IgnoredLineCounts) => Promise<RunEnding>) | undefined;
  /**
   * Returns the current time, for ledger and reports.
   * @default the machine's clock
   */
  now?: (() => Date) | undefined;
}

const KINDS: OptionKinds<MigrationOptions> = {
  ...STEP_KINDS,
  client: 'client',
  input: 'input',
  folder: 'name',
  target: 'any?',
  retarget: 'string?',
  serviceStartedAt: 'date?',
  team: 'name',
  ledger: 'ledger?',
  distributed: 'distributed?',
  profile: 'object?',
  showPersonalData: 'boolean?',
  dryRun: 'any?',
  throttle: 'object?',
  retryRejected: 'boolean?',
  retry: 'boolean?',
  changedSources: 'boolean?',
  onRenumbered: 'function?',
  onCopied: 'function?',
  canary: 'any?',
  signal: 'signal?',
  onEvent: 'function?',
  onOthers: 'function?',
  onLine: 'function?',
  configuration: 'object?',
  continueWith: 'command?',
  endingOf: 'function?',
  now: 'function?',
};

/**
 * Throws a `TypeError` or `RangeError` that names an invalid option. Runs before anything is written or sent: a batch size of 0, for
 * example, would send the same request without end, and a misspelt `canary` would send all records.
 */
export function checkOptions(options: MigrationOptions): void {
  checkOptionKinds('runMigration', options, KINDS);
  const { canary = 0, dryRun = 'first', throttle = {} } = options;
  checkSteps(options);
  checkCount('canary', canary, 0);
  if (dryRun !== 'first') checkDryRun(dryRun, 'none, first, all');
  checkThrottle('runMigration: throttle', throttle);
}

/** Returns the steps of a run with these options. */
export function stepsOf({ validateRemotely = false, dryRun = 'first' }: MigrationOptions): Step[] {
  const triesMany = dryRun !== 'none' && dryRun !== 'first';
  const isTaken: Partial<Record<Step, boolean>> = { validate: validateRemotely, dryRun: triesMany };
  return STEPS.filter((step) => isTaken[step] ?? true);
}
