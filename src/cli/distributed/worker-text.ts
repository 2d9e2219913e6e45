/** Exports the texts that a worker prints: `statusInWords` while it works, `endInWords` and `endAsJson` at its end. */
import type { WorkerStatus } from '../../migration/distributed/join.js';
import type { WorkerWork } from '../../migration/distributed/ledger/worker-rows.js';
import { workInWords } from './workers.js';

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

export function endAsJson(end: WorkerEnd, work: WorkerWork): string {
  return JSON.stringify({ state: end, ...work });
}

/** Returns the status of a working worker as one line. */
export function statusInWords({ state, work, records, pace: throttle }: WorkerStatus): string {
  const isHeld = throttle !== undefined && throttle.state !== 'running';
  const why = throttle?.reason === undefined ? '' : ` (${throttle.reason})`;
  const how = isHeld ? ` The run: ${throttle.state}${why}.` : '';
  return `${state}: ${workInWords(work)}, ${records} in progress.${how}`;
}
