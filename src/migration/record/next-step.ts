/** Exports `nextStep`, which returns the first step that is left to do for a record. */

import type { ImportRecord } from '../../validation/records/import-record.js';
import { type LedgerRecord, STEPS, type Step } from '../ledger/ledger.js';
import { hasAny } from './items/item-states.js';
import { isItemStep } from './items/items.js';
import { isPopulate } from './record-key.js';
import type { StepSettings } from './steps/call-settings.js';

export interface NextStepSettings extends Pick<StepSettings, 'validateRemotely'> {
  /** Returns whether this account is dry-run before it is processed. */
  dryRun: (record: LedgerRecord) => boolean;
}

/** `reconcile`: the ledger has an intent for this step without an answer. */
export type Next = { kind: 'execute'; step: Step } | { kind: 'reconcile'; step: Step } | { kind: 'finished' };

/** Returns the next step of the record by its payload, the settings and its events so far. */
export function nextStep(record: LedgerRecord, payload: ImportRecord, settings: NextStepSettings): Next {
  if (record.intent !== null) return { kind: 'reconcile', step: record.intent };
  const from = record.done === null ? 0 : STEPS.indexOf(record.done) + 1;
  // A step that sends items is repeated as long as items wait.
  const step = STEPS.find((candidate, index) =>
    isItemStep(candidate)
      ? hasAny(record.items, ['waiting'], candidate)
      : index >= from && isWanted(candidate, record, payload, settings),
  );
  return step === undefined ? { kind: 'finished' } : { kind: 'execute', step };
}

function isWanted(step: Step, record: LedgerRecord, payload: ImportRecord, settings: NextStepSettings): boolean {
  if (step === 'check') return true;
  if (isPopulate(payload)) return step === 'populate';
  if ('business' in payload) return step === 'create';
  if (step === 'validate') return settings.validateRemotely;
  if (step === 'dryRun') return settings.dryRun(record);
  return step === 'stage' || step === 'process';
}
