/** Exports `isProcessing` and others: which calls count against the limit on simultaneous processing: `process` and dry runs (U29). */
import type { CooldownScope } from '../../http/limits/cooldown.js';
import type { Step } from '../ledger/ledger.js';
import type { RecordEvent } from '../record/events/record-event.js';
import { NOT_UNDERSTOOD } from '../shared/connection-failure.js';
import { TOO_MANY_CALLS } from './limits/adaptive-limit.js';

const STEPS: ReadonlySet<Step> = new Set(['process', 'dryRun']);
const OPERATIONS: ReadonlySet<string> = new Set(['accounts.process', 'accounts.dryRun']);

/** Returns whether an answer to this operation says something about the limit of the service. */
export function isProcessing(operation: string): boolean {
  return OPERATIONS.has(operation);
}

export function isProcessingStep(step: Step): boolean {
  return STEPS.has(step);
}

/** Returns which calls wait after a 429 of this operation. */
export function pauseScopeOf(operation: string): CooldownScope {
  return isProcessing(operation) ? 'process' : 'all';
}

/** Returns why a `process` call has no usable answer; undefined for a success or a refusal. */
export function failureOfStatus(status: number | undefined): string | undefined {
  if (status === undefined) return 'no answer';
  if (status === 429) return TOO_MANY_CALLS;
  return status >= 500 ? String(status) : undefined;
}

/** Returns whether the event is a `process` success whose body contradicts the API specification. */
export function isUnusableProcess(event: RecordEvent): boolean {
  return event.type === 'noAnswer' && event.step === 'process' && event.code === NOT_UNDERSTOOD;
}
