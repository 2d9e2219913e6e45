/** Which calls count against the service's limit on simultaneous processing: of `process`, and dry runs by default (U29). */
import type { CooldownScope } from '../../http/cooldown.js';
import type { Step } from '../ledger/ledger.js';

const STEPS: ReadonlySet<Step> = new Set(['process', 'dryRun']);
const OPERATIONS: ReadonlySet<string> = new Set(['accounts.process', 'accounts.dryRun']);

/** Whether the answer to such a call tells of the service's limit. */
export function isProcessing(operation: string): boolean {
  return OPERATIONS.has(operation);
}

export function isProcessingStep(step: Step): boolean {
  return STEPS.has(step);
}

/** Which calls a 429 of this operation holds back. */
export function scopeOf(operation: string): CooldownScope {
  return isProcessing(operation) ? 'process' : 'all';
}
