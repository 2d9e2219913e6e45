/** Exports the calls that add payment instructions, statements and notes. For transactions see `send-transactions.ts`. */

import type { HistoricalStatement } from '../../../../schemas/payloads/historical-statement.js';
import { hasText, type Note } from '../../../../schemas/payloads/note.js';
import { RateLimitError } from '../../../errors/api-errors.js';
import { ResponseMismatchError } from '../../../errors/client-errors.js';
import { errorFieldOf } from '../../../errors/decode.js';
import { failuresIn, suspicionsOfStatements } from '../../../resources/suspicions.js';
import type { ImportRecord } from '../../../validation/records/import-record.js';
import type { LedgerRecord } from '../../ledger/ledger.js';
import { confirmNotes, nothingConfirmed } from '../items/confirmed-items.js';
import { sendingAt } from '../items/item-states.js';
import { instructionsOf, type Placed, placed, withPosition } from '../items/items.js';
import { type CallSettings, callRepeatedByRun, unrepeatableCall } from './call-settings.js';
import { classifyError, isTooLarge, type StepResult } from './classify-error.js';
import { isOfOtherNumber, ofAnother } from './own-answer.js';

/** Sends the next payment instruction: one per request, because each request has its own intent. */
export async function sendPaymentInstruction<Record extends ImportRecord>(
  record: LedgerRecord,
  payload: Record,
  { showPersonalData }: Pick<CallSettings, 'showPersonalData'>,
  create: (instruction: ReturnType<typeof instructionsOf<Record>>[number]) => PromiseLike<unknown>,
): Promise<StepResult> {
  const step = 'paymentInstruction';
  const [next] = placed(instructionsOf(payload), sendingAt(record, step));
  if (next === undefined) return { type: 'stepSucceeded', step };
  try {
    const answer = await create(next.item);
    if (isOfOtherNumber(record, answer)) return ofAnother(step, 'service_account_number');
    const errors = failuresIn(answer);
    return errors.length > 0 ? { type: 'outcomeUnknown', step, errors } : { type: 'stepSucceeded', step };
  } catch (error) {
    if (error instanceof RateLimitError || !('payment_instructions' in payload || isTooLarge(error))) throw error;
    const result = classifyError(error, step, { showPersonalData, body: next.item });
    if (result?.type !== 'stepRejected' && result?.type !== 'outcomeUnknown') return result;
    const errors = result.errors?.map((item) => {
      const list =
        'payment_instructions' in payload ? ['payment_instructions', next.position] : ['payment_instruction'];
      const place = [...list, item.attr].filter((part) => part !== '');
      return { ...item, attr: place.join('.') };
    });
    return { ...result, ...(errors && { errors }) };
  }
}

/**
 * Sends statements in one request. If the service refuses it, it keeps none of them, whichever statement it names. Returns
 * `intentRevoked` for several that are too large together.
 */
export async function sendStatements(
  record: LedgerRecord,
  key: AccountKey,
  statements: readonly Placed<HistoricalStatement>[],
  settings: CallSettings,
): Promise<StepResult> {
  const step = 'statements';
  // The spread comes last: it costs far more before other properties.
  const payload = { statements: statements.map(({ item }) => item), ...key };
  try {
    const answer = await settings.client.historicalStatements.create(payload, unrepeatableCall(settings));
    if (isOfOtherNumber(record, answer)) return ofAnother(step, 'service_account_number');
    const suspicions = [...failuresIn(answer), ...suspicionsOfStatements(answer, () => payload)];
    const errors = suspicions.filter(({ code }) => NOT_CONFIRMED.has(code));
    return errors.length > 0 ? { type: 'outcomeUnknown', step, errors } : { type: 'stepSucceeded', step };
  } catch (error) {
    if (error instanceof RateLimitError) throw error;
    if (isTooLarge(error) && statements.length > 1) return { type: 'intentRevoked', step };
    const { body, otherName } = error instanceof ResponseMismatchError ? error : {};
    const attr = otherName === undefined ? errorFieldOf(body, true) : undefined;
    if (attr !== undefined) return { type: 'outcomeUnknown', step, errors: [{ code: 'errors_in_answer', attr }] };
    return inRecord(classifyError(error, step, { ...settings, body: payload }), statements);
  }
}

/** Suspicions about an answer that does not say of each statement that it was added. */
const NOT_CONFIRMED: ReadonlySet<string> = new Set(['fewer_results', 'errors_in_answer']);

/** As `sendStatements`, for notes. */
export async function sendNotes(
  key: AccountKey,
  notes: readonly Placed<Note>[],
  settings: CallSettings,
): Promise<StepResult> {
  const step = 'notes';
  const payload = { notes: notes.map(({ item }) => item), ...key };
  const isRepeatable = notes.every(({ item }) => hasText(item));
  try {
    const call = settings.client.notes.create(
      payload,
      isRepeatable ? callRepeatedByRun(settings) : unrepeatableCall(settings),
    );
    const results = await entriesOf(call, (answer) => answer);
    const confirmation = nothingConfirmed();
    confirmNotes(notes, results, confirmation);
    return { type: 'stepSucceeded', step, ...confirmation };
  } catch (error) {
    if (error instanceof RateLimitError) throw error;
    if (isTooLarge(error) && notes.length > 1) return { type: 'intentRevoked', step };
    return inRecord(classifyError(error, step, { ...settings, isRepeatable, body: payload }), notes);
  }
}

/** Returns the entries of an answer, also if they differ from the API specification. Rejects as the call. */
export async function entriesOf<Answer>(
  call: PromiseLike<Answer>,
  entriesIn: (answer: Answer) => unknown,
): Promise<readonly unknown[]> {
  try {
    return entriesIn(await call) as readonly unknown[];
  } catch (error) {
    const { body } = error instanceof ResponseMismatchError && error.otherName === undefined ? error : {};
    const entries = typeof body === 'object' && body !== null ? entriesIn(body as Answer) : undefined;
    if (Array.isArray(entries)) return entries;
    throw error;
  }
}

/** The account in the payload of its items. */
export interface AccountKey {
  import_supplier: string;
  external_account_number: string;
}

/** The positions of these items in the record. */
export function positionsIn(items: readonly Placed<unknown>[]): number[] {
  return items.map(({ position }) => position);
}

/**
 * Returns the result with errors that name the positions of the items in the record. The service counts within the request:
 * `transactions.0.amount` of a request with only the third one is `transactions.2.amount`.
 */
export function inRecord(result: StepResult, items: readonly Placed<unknown>[]): StepResult {
  if (result?.type !== 'stepRejected') return result;
  const positions = positionsIn(items);
  return {
    ...result,
    errors: result.errors.map((error) => ({
      ...error,
      attr: withPosition(error.attr, (_, index) => positions[index] ?? index) ?? '',
    })),
  };
}
