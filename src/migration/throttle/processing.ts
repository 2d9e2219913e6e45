/** Which calls count against the service's limit on simultaneous processing: of `process`, and dry runs by default (U29). */
import type { CooldownScope } from '../../http/limits/cooldown.js';
import type { Step } from '../ledger/ledger.js';
import type { RecordEvent } from '../record/events/record-event.js';
import { NOT_UNDERSTOOD } from '../shared/connection-failure.js';
import { TOO_MANY_CALLS } from './limits/adaptive-limit.js';

const STEPS: ReadonlySet<Step> = new Set(['process', 'dryRun']);
const OPERATIONS: ReadonlySet<string> = new Set(['accounts.process', 'accounts.dryRun']);

/** Returns whether the answer to such a call is evidence of the service's limit. */
export function isProcessing(operation: string): boolean {
  return OPERATIONS.has(operation);
}

export function isProcessingStep(step: Step): boolean {
  return STEPS.has(step);
}

/** Which calls a 429 of this operation holds back. */
export function pauseScopeOf(operation: string): CooldownScope {
  return isProcessing(operation) ? 'process' : 'all';
}

/** Why an answer to `process` is no reason to send more at the same time; undefined for one that decides something. */
export function failureOfStatus(status: number | undefined): string | undefined {
  if (status === undefined) return 'no answer';
  if (status === 429) return TOO_MANY_CALLS;
  return status >= 500 ? String(status) : undefined;
}

/** A success by its status whose body says something else than the specification shows. */
export function isUnusableProcess(event: RecordEvent): boolean {
  return event.type === 'noAnswer' && event.step === 'process' && event.code === NOT_UNDERSTOOD;
}
