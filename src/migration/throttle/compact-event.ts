/**
 * The part of an event that counts for the whole run: short and without the record, so that it can be sent to other
 * machines.
 */
import { basename } from 'node:path';
import type { LedgerRecord, Outcome, Step } from '../ledger/ledger.js';
import type { RecordEvent } from '../record/events/record-event.js';
import { masked } from '../report/summary/error-groups.js';
import { isEnd } from './ends.js';

/**
 * `['ended', end, codes, whether it never came to the service]`; `['failed', of, code, call, supplier, host, HTTP status]`
 * with empty texts and 0 for what is not known, where a call is a step or `status`; `['answered', call, how many in a row]`;
 * `['passed', step, how many]`; `['otherAccount', step, masked number of the account that was sent, file:line]`.
 */
export type CompactEvent =
  | ['ended', Outcome, string[], boolean?]
  | ['failed', string, string, string, string, string, number]
  | ['answered', string, number]
  | ['passed', Step, number]
  | ['otherAccount', Step, string, string];

/** In the order in which they count. */
export function compactEventsOf(record: LedgerRecord, event: RecordEvent): CompactEvent[] {
  const signs: CompactEvent[] = [];
  const isHeldBack = event.type === 'stepFailed' && event.isHeldBack === true;
  if (!isHeldBack && (event.type === 'stepFailed' || event.type === 'noAnswer' || event.type === 'reconcileFailed')) {
    const { code = '', host = '', status = 0 } = event;
    const of = ('of' in event && event.of) || '';
    signs.push(['failed', of, code, callOf(event), record.supplier, host, status]);
  }
  if (event.type === 'outcomeUnknown' && event.isOfAnother) {
    signs.push(['otherAccount', event.step, masked(record.number), `${basename(record.source)}:${record.line}`]);
  }
  const answered = answeredCall(event);
  if (answered !== undefined) signs.push(['answered', answered, 1]);
  if (event.type === 'stepSucceeded') signs.push(['passed', event.step, 1]);
  if (isEnd(record, event) && record.outcome !== null) {
    const codes = record.outcome === 'rejected' ? record.errors.map(({ code }) => code) : [];
    const isLocal = record.outcome === 'rejected' && record.errors.every(({ step }) => step === 'check');
    signs.push(endedAs(record.outcome, [...new Set(codes)], isLocal));
  }
  return signs;
}

export function endedAs(end: Outcome, codes: string[], isLocal = false): CompactEvent {
  return isLocal ? ['ended', end, codes, true] : ['ended', end, codes];
}

/** What a call of the step asks the service to do: a dry run is a call of process. */
function callOf({ type, step }: { type: RecordEvent['type']; step: Step }): string {
  if (type === 'reconcileFailed') return 'status';
  return step === 'dryRun' ? 'process' : step;
}

/** The call that the service decided something by; undefined where it decided nothing. */
function answeredCall(event: RecordEvent): string | undefined {
  if (event.type === 'alreadyExists') return 'stage';
  if ((event.type !== 'stepSucceeded' && event.type !== 'stepRejected') || event.step === 'check') return undefined;
  return callOf(event);
}
