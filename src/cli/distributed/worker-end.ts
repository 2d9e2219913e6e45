/** How a worker is told of when it has ended, and while it works: in words or as JSON, and by the exit code. */
import { CannotJoinError } from '../../migration/distributed/errors.js';
import type { WorkerStatus } from '../../migration/distributed/join.js';
import { QueueError } from '../../migration/distributed/queue-address.js';
import type { WorkerWork } from '../../migration/distributed/worker-rows.js';
import { LedgerLockedError } from '../../migration/ledger/locked-error.js';
import { LedgerDatabaseError } from '../../migration/ledger/postgres/database-error.js';
import { isOfDisk, UsageError } from '../shared/errors.js';
import { EXIT, type ExitCode } from '../shared/exit-codes.js';

export type WorkerEnd = 'over' | 'drained' | 'brokenOff';

const ENDS: Readonly<Record<WorkerEnd, [begins: string, ends: string]>> = {
  over: ['The run is over', ''],
  drained: ['Drained', ' What it had not begun to send, others go on with.'],
  brokenOff: ['Broken off', ' Others go on with what it had, and look first at what became of it.'],
};

export function endInWords(end: WorkerEnd, work: WorkerWork): string {
  const [begins, ends] = ENDS[end];
  return `${begins}: ${workInWords(work)}.${ends}`;
}

export function endAsJson(end: WorkerEnd, { ended, requests, throttled, takenOver }: WorkerWork): string {
  return JSON.stringify({ state: end, ended, requests, throttled, takenOver });
}

/** In one line, now and then. */
export function statusInWords({ state, work, records, pace }: WorkerStatus): string {
  const isHeld = pace !== undefined && pace.state !== 'running';
  const why = pace?.reason === undefined ? '' : ` (${pace.reason})`;
  const how = isHeld ? ` The run: ${pace.state}${why}.` : '';
  return `${state}: ${workInWords(work)}, ${records} under way.${how}`;
}

function workInWords({ ended, requests, throttled, takenOver }: WorkerWork): string {
  return `${ended} records ended, ${requests} requests, ${throttled} answers 429, ${takenOver} taken over`;
}

const OF_JOINING: Readonly<Record<CannotJoinError['because'], ExitCode>> = {
  settings: EXIT.usage,
  notAccepted: EXIT.notAccepted,
  unreachable: EXIT.internal,
};

/** What a worker cannot correct by itself has a code of its own. undefined for a bug. */
export function exitCodeOfError(error: unknown): ExitCode | undefined {
  if (error instanceof CannotJoinError) return OF_JOINING[error.because];
  // A run of one machine has the ledger.
  if (error instanceof LedgerLockedError) return EXIT.inUse;
  if (isOfDisk(error)) return EXIT.internal;
  const isOfUse = [UsageError, LedgerDatabaseError, QueueError].some((kind) => error instanceof kind);
  return isOfUse ? EXIT.usage : undefined;
}
