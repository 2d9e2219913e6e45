/** Exports `classifyError`, which returns the event for the error of a call, by an ordered table. */
import { fieldOf } from '../../../../schemas/objects.js';
import {
  AlreadyImportedError,
  ApiError,
  ServerError,
  TransactionImportError,
  ValidationError,
} from '../../../errors/api-errors.js';
import { InvalidPayloadError, ResponseMismatchError, TokenError } from '../../../errors/client-errors.js';
import { DataImportError } from '../../../errors/data-import-error.js';
import { codeOfStatus } from '../../../errors/decode.js';
import { isDataImportError } from '../../../errors/guards.js';
import { presentable } from '../../../errors/items.js';
import { AbortedError, ConnectionError, OutcomeUnknownError, TimeoutError } from '../../../errors/no-answer-errors.js';
import { mayStillRun } from '../../../http/call/retry-policy.js';
import { FURTHER, MOST_OF_RECORD } from '../../../validation/records/record-findings.js';
import type { LedgerError, Step } from '../../ledger/ledger.js';
import { NOT_UNDERSTOOD } from '../../shared/connection-failure.js';
import { number } from '../../shared/format.js';
import type { FailureCause, RecordEvent } from '../events/record-event.js';
import { shownError } from './check-record.js';
import { isOfAddress, notAcceptedBy, notAcceptedCode } from './not-accepted.js';
import { ofAnother, otherNameOf } from './own-answer.js';

/** The event after a call; undefined if the call was aborted and may have taken effect: its intent stays in the ledger. */
export type StepResult = RecordEvent | undefined;

/** Circumstances of a failed call. */
interface FailedCall {
  /** Whether a repetition of the request cannot take effect twice. */
  isRepeatable?: boolean;
  /** An earlier request of this step got no answer. */
  isRepeated?: boolean;
  /** Whether errors have the text of the service and the names of unknown fields. */
  showPersonalData?: boolean | undefined;
  /** The body of the request, whose size is stated if it is too large. */
  body?: unknown;
}

/** Returns whether the service or a proxy refused the request because of its size, before it read its content. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof ApiError && error.status === TOO_LARGE && !error.mayHaveSucceeded;
}

const TOO_LARGE = 413;

/**
 * Returns the event of a failed call; the first condition that applies decides. Rethrows errors that are not from the client: they are
 * bugs, and must stop the run.
 */
export function classifyError(
  error: unknown,
  step: Step,
  { isRepeatable = REPEATABLE.has(step), isRepeated = false, showPersonalData = false, body }: FailedCall = {},
): StepResult {
  // Whether a second request would add the items of the step twice.
  const isOnceOnly = ONCE_ONLY.has(step) && !isRepeatable;
  // Whether an earlier request of the same call may have succeeded.
  const mayHaveSucceeded = isDataImportError(error) && error.mayHaveSucceeded;
  const refusal = (refused: ApiError) => ({
    ...{ type: 'stepFailed' as const, step, isRefusal: true as const, errors: errorsOf(refused, showPersonalData) },
    ...causeOf(refused),
  });
  const otherName = otherNameOf(error);
  if (otherName !== undefined) return ofAnother(step, otherName);
  if (error instanceof AlreadyImportedError) {
    // Only a request that may have taken effect can have created it; otherwise another program did.
    const { serviceAccountNumber: serviceNumber } = error;
    return step === 'process' && (isRepeated || mayHaveSucceeded)
      ? { type: 'stepSucceeded', step, serviceNumber }
      : { type: 'alreadyExists', serviceNumber };
  }
  // Supplier or team: the same record is accepted once the operator or the settings have changed.
  if (error instanceof ApiError && notAcceptedBy(error) !== undefined) return notAcceptedEvent(step, error);
  if (error instanceof ApiError && isOfAddress(error, step)) return { ...refusal(error), of: 'address' };
  // A process request that the service refuses because an earlier one is running.
  const isRefusedMeanwhile = isRepeated && error instanceof ApiError && UNDER_WAY.has(error.status);
  if (step === 'process' && isRefusedMeanwhile) return unanswered(step, error);
  // Neither a field nor a known code is named: the record may be right, and the supplier or the run wrong.
  if (OF_WHOLE_RECORD.has(step) && error instanceof ValidationError && error.nextAction === 'inspect') {
    return refusal(error);
  }
  if (error instanceof InvalidPayloadError || error instanceof TransactionImportError || isRefusal(error)) {
    const errors = isTooLarge(error) ? tooLarge(step, body) : errorsOf(error, showPersonalData);
    // If an earlier request of the same call may have succeeded, the refusal may only mean that the items exist.
    return { type: isOnceOnly && mayHaveSucceeded ? 'outcomeUnknown' : 'stepRejected', step, errors };
  }
  if (error instanceof ResponseMismatchError) return notUnderstood(error, step, isRepeatable);
  if (error instanceof AbortedError) {
    const isOpen = error.outcomeUnknown || step === 'stage' || (isOnceOnly && mayHaveSucceeded);
    return isOpen ? undefined : { type: 'stepFailed', step, isHeldBack: true };
  }
  const isUnknown = error instanceof OutcomeUnknownError;
  if (isOnceOnly && isUnknown && isRefusal(error.cause)) {
    return { type: 'outcomeUnknown', step, errors: errorsOf(error.cause, showPersonalData) };
  }
  // Some services do the work and then answer with 500, or with a redirect to what they have created.
  if (isOnceOnly && (isUnknown || mayHaveSucceeded || isRedirect(error) || error instanceof ServerError)) {
    return { type: 'outcomeUnknown', step };
  }
  if (isUnknown) return unanswered(step, error.cause);
  if (step === 'process' && (error instanceof ServerError || isRedirect(error)))
    return { ...unanswered(step, error), hasEnded: true };
  // A staging request that ends later must not replace corrected data.
  if (step === 'stage' && isWithoutAnswer(error)) return unanswered(step, error);
  if (error instanceof DataImportError) return { type: 'stepFailed', step, ...noAnswerCause(error) };
  throw error;
}

/** Returns whether the service may still be working on the request. */
function isWithoutAnswer(error: unknown): boolean {
  if (error instanceof ServerError) return mayStillRun(error.status, typeof error.body === 'object');
  return (error instanceof ConnectionError && error.sent) || error instanceof TimeoutError;
}

const isRedirect = (error: unknown): error is ApiError => error instanceof ApiError && error.status < 400;

/** Conflict, locked, too early: after a request without an answer, the cause may be that request, still running. */
const UNDER_WAY: ReadonlySet<number> = new Set([409, 423, 425]);

function notAcceptedEvent(step: Step, error: ApiError): RecordEvent {
  const code = notAcceptedCode(error) ?? presentable(error.errors[0]?.code);
  const of = notAcceptedBy(error);
  return { type: 'stepFailed', step, ...(of && { of }), status: error.status, ...(code !== undefined && { code }) };
}

function unanswered(step: Step, cause: unknown): Extract<RecordEvent, { type: 'noAnswer' }> {
  return { type: 'noAnswer', step, ...causeOf(cause) };
}

/** Returns the cause of a failed call that is no decision about its record. */
export function noAnswerCause(error: unknown): { of?: 'token'; isOfAnother?: true } & FailureCause {
  const isOfToken = isDataImportError(error) && error.nextAction === 'fixToken';
  const isOfAnother = otherNameOf(error) !== undefined;
  return {
    ...(isOfToken && { of: 'token' as const }),
    ...(isOfAnother && { isOfAnother: true as const }),
    ...causeOf(error),
  };
}

function causeOf(error: unknown): FailureCause {
  if (!isDataImportError(error)) return {};
  const unanswered = unansweredBy(error);
  if (unanswered !== undefined) return unanswered;
  if (error instanceof ResponseMismatchError) return { code: NOT_UNDERSTOOD, status: error.status };
  const code = presentable(error.code);
  if (error instanceof ApiError) return { code: code ?? codeOfStatus(error.status), status: error.status };
  return code === undefined ? {} : { code };
}

/** Returns host and reason of an error without an answer; undefined for other errors. */
export function unansweredBy(error: unknown): FailureCause | undefined {
  if (!(error instanceof TimeoutError) && !(error instanceof ConnectionError) && !(error instanceof TokenError))
    return undefined;
  const { host, code } = error;
  const isFinal = error.nextAction === 'none' && !('sent' in error && error.sent);
  return host === undefined ? undefined : { code, host, ...(isFinal && { isFinal }) };
}

/**
 * Steps whose items the service neither recognises when they are sent again nor lists: notes if one has no body, and
 * transactions that it was instructed to add without a check for existing ones.
 */
const ONCE_ONLY: ReadonlySet<Step> = new Set([
  'populate',
  'create',
  'paymentInstruction',
  'statements',
  'transactions',
  'notes',
]);

/** Steps that send a whole record. */
const OF_WHOLE_RECORD: ReadonlySet<Step> = new Set(['validate', 'stage', 'dryRun', 'process']);

/** Returns whether the error is a decision about the record, and not about token, network or time. */
function isRefusal(error: unknown): error is ApiError {
  return (
    error instanceof ApiError &&
    !(error instanceof ServerError) &&
    error.status >= 400 &&
    ![401, 403, 429].includes(error.status)
  );
}

function errorsOf(error: InvalidPayloadError | ApiError, showPersonalData: boolean): Omit<LedgerError, 'step'>[] {
  const { errors } = error;
  const textOf = ({ detail = '' }: { detail?: string | undefined }) =>
    showPersonalData && detail !== '' ? { detail: detail.slice(0, LONGEST_TEXT) } : {};
  const items = errors.slice(0, MOST_OF_RECORD).map((item) => ({
    ...shownError({ ...item, code: presentable(item.code) ?? '' }, showPersonalData),
    ...textOf(item),
  }));
  const count = errors.length - items.length;
  if (count > 0) items.push({ code: FURTHER, attr: '', count });
  return items.length > 0
    ? items
    : [
        {
          code: presentable(error.code) ?? codeOfStatus((error as ApiError).status),
          attr: '',
          ...textOf(error as ApiError),
        },
      ];
}

function tooLarge(step: Step, body: unknown): Omit<LedgerError, 'step'>[] {
  const bytes = Buffer.byteLength(JSON.stringify(body) ?? '');
  const items = fieldOf(body, step);
  const attr = Array.isArray(items) && items.length === 1 ? `${step}.0` : '';
  return [{ code: 'request_too_large', attr, detail: `The request had ${number(bytes)} bytes.` }];
}

/** Maximum length of a text of the service in the ledger. */
const LONGEST_TEXT = 1000;

/** Steps that are safe to repeat: no side effects, the same data again, or items that the service recognises. */
const REPEATABLE: ReadonlySet<Step> = new Set(['validate', 'stage', 'transactions']);

/** Steps whose answer body is not needed. */
const SUFFICIENT: ReadonlySet<Step> = new Set(['validate', 'stage']);
/** Steps whose answers name the added items. */
const CONFIRMED: ReadonlySet<Step> = new Set(['transactions', 'notes']);

/**
 * Handles a success whose body contradicts the API specification. A JSON body comes from the service, which did the
 * work; only the entries name the items that it added. Any other body may come from a proxy: a repeatable request is
 * repeated, an account is reconciled, and anything else is unknown.
 */
function notUnderstood(error: ResponseMismatchError, step: Step, isRepeatable: boolean): StepResult {
  const { body } = error;
  const isOfService = typeof body === 'object' && body !== null;
  if (isOfService && SUFFICIENT.has(step)) return { type: 'stepSucceeded', step };
  if (isOfService && CONFIRMED.has(step)) return { type: 'outcomeUnknown', step };
  if (step === 'process') return { ...unanswered(step, error), ...(isOfService && { hasEnded: true }) };
  if (!isRepeatable) return { type: 'outcomeUnknown', step };
  return step === 'validate' ? { type: 'stepFailed', step, ...causeOf(error) } : unanswered(step, error);
}
