/** All that a run leaves to be read: what the report's page and report.json are made of. */

import type { Worker } from '../distributed/ledger/worker-rows.js';
import type { Step } from '../ledger/ledger.js';
import type { ImportCounts } from '../shared/format.js';
import type { AuditEntry } from './folder/audit-log.js';
import type { SessionSamples } from './folder/session-samples.js';
import type { InputReport } from './summary/input-report.js';
import type { LineCounts } from './summary/line-counts.js';
import type { Summary } from './summary/summary.js';

/** Identity and settings of a run. The caller leaves out secrets. */
export interface RunFacts {
  /** By the run's clock, ISO datetimes: its first session began, its last one started and ended; null while it runs. */
  beganAt: string;
  startedAt: string;
  endedAt: string | null;
  /** `brokenOff`: by an error, or the process was killed. */
  state: 'running' | EndState | 'brokenOff';
  /** Why it was halted, or is unfinished; null for neither. */
  reason: string | null;
  /** The command that continues it. */
  continueWith: string;
  /** The command of the last session that was given the input, and not corrected lines of it. */
  runCommand: string;
  /** The command of the last session of `retry`; empty where the run had none. */
  retryCommand: string;
  /** The commands whose inputs have the records and lines that are left; several where the run has had several inputs. */
  runAgainWith: readonly string[];
  versions: Readonly<Record<string, string>>;
  configuration: Readonly<Record<string, string | number | boolean>>;
  /** The steps that it takes. */
  steps: readonly Step[];
  /** Query parameters of transactions.create, each with the values that the sessions of the run had. */
  transactionsQuery: TransactionsQuery;
  /** The lines that became no record, as the last session that came to its end found them. */
  lines: LineCounts | null;
}

/**
 * How a session ended. `stopped`: it was drained or aborted. `halted`: the halt rules stopped it. `unfinished`:
 * records remain that something other than themselves blocked.
 */
export type EndState = 'finished' | 'stopped' | 'halted' | 'unfinished';

/** The values in the order in which sessions used them first. */
export type TransactionsQuery = Readonly<
  Record<'check_previously_added' | 'force_add_to_current_statement', readonly boolean[]>
>;

/** What a comparison of ledger and platform found. */
export interface Verification {
  at: string;
  /** How many accounts were compared. */
  compared: number;
  differences: readonly { what: string; count: number; samples: readonly string[]; remedy: string }[];
  /** What the last `verify --follow` found: accounts by import status. */
  imports?: { at: string; counts: ImportCounts } | undefined;
}

/** Where the records went. */
interface ReportTarget {
  /** `Rehearsal (sandbox)`, or host and path of the service. */
  name: string;
  /** Address of the service; null for a rehearsal. */
  url: string | null;
}

export interface Report {
  /** null where the ledger is of a version that did not store it. */
  target: ReportTarget | null;
  run: RunFacts;
  summary: Summary;
  sessions: SessionSamples;
  audit: readonly AuditEntry[];
  verification?: Verification | undefined;
  /** Columns and fields of the input; missing for a run of a version that did not count them. */
  input?: InputReport | undefined;
  /** Who worked at it, where several machines did; the first to join first. */
  workers?: readonly Worker[] | undefined;
}
