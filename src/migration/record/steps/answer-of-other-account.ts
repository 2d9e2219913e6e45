/** Exports the check for answers that name another account than the request: a proxy or the service mixes up answers. */
import type { LedgerRecord, Step } from '../../ledger/ledger.js';
import type { StepResult } from './classify-error.js';

/** Returns whether the number belongs to another account: the service treats two account numbers as one, and has the other. */
export function isOtherNumber(number: string | undefined, record: LedgerRecord): boolean {
  return number !== undefined && number !== '' && number !== record.number;
}

/** Fields that name the account of an answer; deployments differ in the name of the supplier's field. */
const NAMES = [
  ['external_account_number', 'number'],
  ['import_supplier', 'supplier'],
  ['import_supplier_code', 'supplier'],
] as const;

/** Returns the event for an answer that names another account; undefined for other answers. */
export function answerOfAnother(step: Step, record: LedgerRecord, answer: unknown): StepResult {
  if (typeof answer !== 'object' || answer === null) return undefined;
  const attr = NAMES.find(([field, part]) => {
    const named = (answer as Record<string, unknown>)[field];
    return (typeof named === 'string' || typeof named === 'number') && named !== '' && String(named) !== record[part];
  })?.[0];
  if (attr === undefined) return undefined;
  return { type: 'outcomeUnknown', step, errors: [{ code: 'other_account', attr }], isOfAnother: true };
}
