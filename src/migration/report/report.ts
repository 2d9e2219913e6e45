/** Exports the types of report.json, from which the report page is made. */

import type { Worker } from '../distributed/ledger/worker-rows.js';
import type { LedgerCounts, Step } from '../ledger/ledger.js';
import type { NotAccepted } from '../record/events/record-event.js';
import type { ImportCounts } from '../shared/format.js';
import type { AuditEntry } from './folder/audit-log.js';
import type { SessionSamples } from './folder/session-samples.js';
import type { RecordsProfile } from './summary/input-profile.js';
import type { InputReport } from './summary/input-report.js';
import type { LineCounts } from './summary/line-counts.js';
import type { Summary } from './summary/summary.js';

/** Identity and settings of a run. The caller leaves out secrets. */
export interface RunFacts {
  /** ISO datetimes by the clock of the run: start of the first session, start and end of the last one; null while it runs. */
  beganAt: string;
  startedAt: string;
  endedAt: string | null;
  /** `brokenOff`: ended by an error or a kill of the process. */
  state: 'running' | EndState | 'brokenOff';
  /** Why it was halted or is unfinished; null otherwise. */
  reason: string | null;
  /** What the service did not accept, if that ended the last session. */
  notAccepted?: NotAccepted | undefined;
  /** The command that continues it. */
  continueWith: string;
  /** The command of the last session of `run`. */
  runCommand: string;
  /** The commands whose inputs have the remaining records and lines; several if the run has had several inputs. */
  runAgainWith: readonly string[];
  versions: Readonly<Record<string, string>>;
  configuration: Readonly<Record<string, string | number | boolean>>;
  /** The steps of the run. */
  steps: readonly Step[];
  /** Query parameters of transactions.create, with the values of all sessions. */
  transactionsQuery: TransactionsQuery;
  /**
   * Number of records that the ledger has once every line of the input is begun; null if the last session of `run` did not read its input to
   * the end.
   */
  records: number | null;
  /** The lines without a separate record, by the last session that read the whole input. */
  lines: LineCounts | null;
}

/**
 * How a session ended. `stopped`: it was drained or aborted. `halted`: the halt rules stopped it. `unfinished`: records remain
 * unfinished for a reason outside them.
 */
export type EndState = 'finished' | 'stopped' | 'halted' | 'unfinished';

/** What the user does next about records in one state, or with the run. */
export interface NextStep {
  /** Number of records; undefined for a command about the whole run. */
  count?: number | undefined;
  /** Such as `rejected`, `Next` or `To run again`; empty for a hint. */
  state: string;
  text: string;
  /** The command, ready to paste; undefined if only the text says what to do. */
  command?: string | undefined;
}

/** How the last session ended. */
export interface RunEnding {
  /** The exit code of its command; null if it runs, or an error or a kill of the process ended it. */
  exitCode: number | null;
  next: readonly NextStep[];
}

/** Returns the command that continues a session which is running or ended in this state. */
export type ContinueWith = (end: { state: 'running' | EndState; notAccepted: NotAccepted | undefined }) => string;

/** The values of the sessions, in the order of their first use. */
export type TransactionsQuery = Readonly<Record<(typeof QUERY_NAMES)[number], readonly boolean[]>>;
export const QUERY_NAMES = ['check_previously_added', 'force_add_to_current_statement'] as const;

/** The result of a comparison of the ledger with the service. */
export interface Verification {
  at: string;
  /** Number of compared accounts. */
  compared: number;
  differences: readonly { what: string; count: number; samples: readonly string[]; remedy: string }[];
  /** Accounts by import status, from the last `verify --follow`. */
  imports?: { at: string; counts: ImportCounts } | undefined;
}

/** The target of the run. */
interface ReportTarget {
  /** `Rehearsal (sandbox)`, or host and path of the service. */
  name: string;
  /** Address of the service; null for a rehearsal. */
  url: string | null;
}

/** Differs after each write and removal. */
type LedgerState = Pick<LedgerCounts, 'total' | 'writes'>;

export interface Report {
  /** null if the address of the service was wrong, and no command has given another one. */
  target: ReportTarget | null;
  run: RunFacts;
  ending: RunEnding;
  summary: Summary;
  /** The state of the ledger that the summary is of. */
  ledger: LedgerState;
  sessions: SessionSamples;
  audit: readonly AuditEntry[];
  verification?: Verification | undefined;
  /** Columns and fields of the input; missing if no session has counted them. */
  input?: (Omit<InputReport, 'profile' | 'warnings'> & { profile: RecordsProfile }) | undefined;
  /** The workers of a distributed run, in the order in which they joined. */
  workers?: readonly Worker[] | undefined;
}
