/**
 * Exports functions that recognise the answer to another request: by what it names, and by a number of the service that another record of
 * the run has. The outcome of the request is then unknown, and the run halts (decision 68).
 */
import { fieldOf } from '../../../../schemas/objects.js';
import { ResponseMismatchError } from '../../../errors/client-errors.js';
import { OutcomeUnknownError } from '../../../errors/no-answer-errors.js';
import { idOf, type Ledger, type LedgerRecord, type Step } from '../../ledger/ledger.js';
import type { EventOf, RecordEvent } from '../events/record-event.js';

const CODE = 'answer_of_another_request';

/** Returns the path in the answer that names something else than the request; undefined for other errors. */
export function otherNameOf(error: unknown): string | undefined {
  const mismatch = error instanceof OutcomeUnknownError ? error.cause : error;
  return mismatch instanceof ResponseMismatchError ? mismatch.otherName : undefined;
}

/** Returns the event after an answer to another request. A step without side effects is executed again by the next session. */
export function ofAnother(step: Step, attr: string): EventOf<'outcomeUnknown' | 'stepFailed'> {
  return step === 'validate'
    ? { type: 'stepFailed', step, code: CODE, status: 200, isOfAnother: true }
    : { type: 'outcomeUnknown', step, errors: [{ code: CODE, attr }], isOfAnother: true };
}

/** Returns whether the answer names another number of the service than the one of the account. */
export function isOfOtherNumber({ kind, serviceNumber }: LedgerRecord, answer: unknown): boolean {
  if (kind !== 'account' || serviceNumber === null) return false;
  return [answer].flat().some((one) => {
    const named = fieldOf(one, 'service_account_number');
    return (
      (typeof named === 'string' || typeof named === 'number') && !['', serviceNumber].includes(String(named).trim())
    );
  });
}

/** The numbers of records that are not stored yet, with the ids of the records. */
const unstored = new WeakMap<object, Map<string, string>>();

function numbersOf(ledger: Ledger): Map<string, string> {
  const numbers = unstored.get(ledger) ?? new Map<string, string>();
  unstored.set(ledger, numbers);
  return numbers;
}

const numberId = (kind: string, serviceNumber: string) => JSON.stringify([kind, serviceNumber]);

/**
 * Returns whether another record of the run has this number of the service. If not, it is reserved for this record until
 * `releaseNumber`. A batch id may be the same for several records: the API specification does not say that each has its own.
 */
export async function isNumberOfOther(record: LedgerRecord, serviceNumber: string, ledger: Ledger): Promise<boolean> {
  if (record.kind === 'populate' || record.serviceNumber === serviceNumber) return false;
  const numbers = numbersOf(ledger);
  const id = numberId(record.kind, serviceNumber);
  if ((numbers.get(id) ?? idOf(record)) !== idOf(record)) return true;
  numbers.set(id, idOf(record));
  if (!(await ledger.isNumberOfOther({ ...record, serviceNumber }))) return false;
  numbers.delete(id);
  return true;
}

/** Call it when the record is stored, because the ledger then knows its number, or when that has failed. */
export function releaseNumber(record: LedgerRecord, ledger: Ledger): void {
  if (record.serviceNumber === null) return;
  const numbers = numbersOf(ledger);
  const id = numberId(record.kind, record.serviceNumber);
  if (numbers.get(id) === idOf(record)) numbers.delete(id);
}

/** Returns the event, or the one in its place if its number belongs to another record. */
export async function withOwnNumber<Event extends RecordEvent | undefined>(
  event: Event,
  record: LedgerRecord,
  ledger: Ledger,
): Promise<Event | EventOf<'outcomeUnknown' | 'stepFailed' | 'alreadyExists'>> {
  if (event?.type !== 'stepSucceeded' && event?.type !== 'alreadyExists') return event;
  const { serviceNumber } = event;
  if (serviceNumber == null || !(await isNumberOfOther(record, serviceNumber, ledger))) return event;
  if (event.type === 'stepSucceeded') return ofAnother(event.step, 'service_account_number');
  // The service treats both external numbers as one.
  return { type: 'alreadyExists', serviceNumber, isOfAnother: true };
}
