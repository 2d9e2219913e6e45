/** Exports the texts that a worker prints, `statusInWords`, `endInWords` and `endAsJson`, and the exit code of an error. */
import { CannotJoinError } from '../../migration/distributed/cannot-join.js';
import type { WorkerStatus } from '../../migration/distributed/join.js';
import type { WorkerWork } from '../../migration/distributed/ledger/worker-rows.js';
import { QueueError } from '../../migration/distributed/queue/queue-address.js';
import { LedgerLockedError } from '../../migration/ledger/locked-error.js';
import { LedgerDatabaseError } from '../../migration/ledger/postgres/database-error.js';
import { isOfDisk, UsageError } from '../shared/errors.js';
import { EXIT, type ExitCode } from '../shared/exit-codes.js';

export type WorkerEnd = 'over' | 'drained' | 'brokenOff';

const ENDS: Readonly<Record<WorkerEnd, [begins: string, ends: string]>> = {
  over: ['The run is over', ''],
  drained: ['Drained', ' Other workers continue with the records that it had not begun to send.'],
  brokenOff: [
    'Aborted',
    ' Other workers take over its records, and first ask the service whether its last requests took effect.',
  ],
};

export function endInWords(end: WorkerEnd, work: WorkerWork): string {
  const [begins, ends] = ENDS[end];
  return `${begins}: ${workInWords(work)}.${ends}`;
}

export function endAsJson(end: WorkerEnd, { ended, requests, throttled, takenOver }: WorkerWork): string {
  return JSON.stringify({ state: end, ended, requests, throttled, takenOver });
}

/** Returns the status of a working worker as one line. */
export function statusInWords({ state, work, records, pace }: WorkerStatus): string {
  const isHeld = pace !== undefined && pace.state !== 'running';
  const why = pace?.reason === undefined ? '' : ` (${pace.reason})`;
  const how = isHeld ? ` The run: ${pace.state}${why}.` : '';
  return `${state}: ${workInWords(work)}, ${records} in progress.${how}`;
}

function workInWords({ ended, requests, throttled, takenOver }: WorkerWork): string {
  return `${ended} records ended, ${requests} requests, ${throttled} answers 429, ${takenOver} taken over`;
}

const OF_JOINING: Readonly<Record<CannotJoinError['because'], ExitCode>> = {
  settings: EXIT.usage,
  notAccepted: EXIT.notAccepted,
  unreachable: EXIT.internal,
};

/** Returns the exit code of an error that a person must correct; undefined for a bug. */
export function exitCodeOfError(error: unknown): ExitCode | undefined {
  if (error instanceof CannotJoinError) return OF_JOINING[error.because];
  // A run of one machine has the ledger.
  if (error instanceof LedgerLockedError) return EXIT.inUse;
  if (isOfDisk(error)) return EXIT.internal;
  const isOfUse = [UsageError, LedgerDatabaseError, QueueError].some((kind) => error instanceof kind);
  return isOfUse ? EXIT.usage : undefined;
}
