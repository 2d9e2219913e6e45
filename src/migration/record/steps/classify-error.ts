/** What an error of a call means for the record: refused, lost, not done, or open. */
import type { ApiError } from '../../../errors/api-errors.js';
import type { InvalidPayloadError, ResponseMismatchError } from '../../../errors/client-errors.js';
import type { DataImportError } from '../../../errors/data-import-error.js';
import {
  isAbortedError,
  isAlreadyImportedError,
  isApiError,
  isConnectionError,
  isDataImportError,
  isInvalidPayloadError,
  isOutcomeUnknownError,
  isResponseMismatchError,
  isServerError,
  isTimeoutError,
  isTokenError,
  isTransactionImportError,
  isValidationError,
} from '../../../errors/guards.js';
import { presentable } from '../../../errors/items.js';
import { mayStillRun } from '../../../http/policy.js';
import { FURTHER, MOST_OF_RECORD } from '../../../validation/records/record-findings.js';
import type { LedgerError, Step } from '../../ledger/ledger.js';
import { NOT_UNDERSTOOD } from '../../shared/connection-failure.js';
import type { FailureCause, RecordEvent } from '../events/record-event.js';
import { shownError } from './check-record.js';

/** The event after a call; undefined if the outcome is open: the intent then stays in the ledger. */
export type StepResult = RecordEvent | undefined;

/** Throws what is no error of the client: a bug, which must stop the run. */
export function classifyError(error: unknown, step: Step, how: Circumstances = {}): StepResult {
  const { isRepeatable = REPEATABLE.has(step), isRepeated = false } = how;
  const isOnceOnly = ONCE_ONLY.has(step) && !isRepeatable;
  const mayHaveSucceeded = isDataImportError(error) && error.mayHaveSucceeded;
  if (isAlreadyImportedError(error)) {
    const serviceNumber = error.serviceAccountNumber;
    // It was staged just now, which no imported account can be: what is imported since then is our own doing.
    return step === 'process'
      ? { type: 'stepSucceeded', step, serviceNumber }
      : { type: 'alreadyExists', serviceNumber };
  }
  // The operator's matter or the setting's: the same record goes through when the supplier is Ongoing again.
  const of = isApiError(error) ? whoseMatter(error) : undefined;
  if (of !== undefined) return failedFor(of, step, error as ApiError);
  if (step === 'process' && isApiError(error)) {
    const { status } = error;
    if (GIVEN_UP.has(status) || (isRepeated && UNDER_WAY.has(status))) return unanswered(step, error);
  }
  if (isInvalidPayloadError(error) || isTransactionImportError(error) || isRefusal(error)) {
    // An earlier request of the same call may have done it: then this refusal says only that it is there.
    return { type: isOnceOnly && mayHaveSucceeded ? 'outcomeUnknown' : 'stepRejected', step, errors: errorsOf(error) };
  }
  if (isResponseMismatchError(error)) return notUnderstood(error, step, isRepeatable);
  if (isAbortedError(error)) {
    const mayBeDone = error.outcomeUnknown || step === 'stage' || (isOnceOnly && mayHaveSucceeded);
    return mayBeDone ? undefined : { type: 'stepFailed', step };
  }
  if (isOnceOnly && isOutcomeUnknownError(error) && isRefusal(error.cause)) {
    return { type: 'outcomeUnknown', step, errors: errorsOf(error.cause) };
  }
  if (isOnceOnly && (isOutcomeUnknownError(error) || mayHaveSucceeded || isUnclear(error)))
    return { type: 'outcomeUnknown', step };
  if (isOutcomeUnknownError(error)) return unanswered(step, error.cause);
  // Some services do what they were asked to, and fail afterwards.
  if (isServerError(error) && isOnceOnly) return { type: 'outcomeUnknown', step };
  if (isServerError(error) && step === 'process') return { ...unanswered(step, error), hasEnded: true };
  // An older staging request that ends later must not replace corrected data.
  if (step === 'stage' && isWithoutAnswer(error)) return unanswered(step, error);
  if (isDataImportError(error)) {
    return { type: 'stepFailed', step, ...noAnswerCause(error) };
  }
  throw error;
}

interface Circumstances {
  /** Whether to do it again does no harm. */
  isRepeatable?: boolean | undefined;
  /** An earlier request of this step got no answer. */
  isRepeated?: boolean;
}

/** The service may still be working on the request. */
function isWithoutAnswer(error: unknown): boolean {
  if (isServerError(error)) return mayStillRun(error.status, typeof error.body === 'object');
  return (isConnectionError(error) && error.sent) || isTimeoutError(error);
}

/** Neither a success nor a refusal: a redirect, or a timeout of a proxy. */
function isUnclear(error: unknown): boolean {
  return isApiError(error) && (error.status < 400 || error.status === 408 || error.status === 499);
}

/** Request timeout and client closed request: a proxy between the client and the service aborted the request. */
const GIVEN_UP: ReadonlySet<number> = new Set([408, 499]);
/** Conflict, locked, too early: after a request without an answer, that request may be what is running. */
const UNDER_WAY: ReadonlySet<number> = new Set([409, 423, 425]);

function failedFor(of: 'supplier' | 'team', step: Step, error: ApiError): RecordEvent {
  const code = knownCodeIn(error) ?? presentable(error.errors[0]?.code);
  return { type: 'stepFailed', step, of, status: error.status, ...(code !== undefined && { code }) };
}

function unanswered(step: Step, cause: unknown): Extract<RecordEvent, { type: 'noAnswer' }> {
  return { type: 'noAnswer', step, ...causeOf(cause) };
}

/** Why a call did not succeed that decided nothing about its record. */
export function noAnswerCause(error: unknown): { of?: 'token' } & FailureCause {
  const isOfToken = isDataImportError(error) && error.nextAction === 'fixToken';
  return { ...(isOfToken && { of: 'token' as const }), ...causeOf(error) };
}

function causeOf(error: unknown): FailureCause {
  if (!isDataImportError(error)) return {};
  const unanswered = unansweredBy(error);
  if (unanswered !== undefined) return unanswered;
  if (isResponseMismatchError(error)) return { code: NOT_UNDERSTOOD, status: error.status };
  const code = 'code' in error && typeof error.code === 'string' ? presentable(error.code) : undefined;
  if (isApiError(error)) return { code: code ?? `http_${error.status}`, status: error.status };
  return code === undefined ? {} : { code };
}

/** Host and reason of an error without an answer. */
function unansweredBy(error: DataImportError): { code: string; host: string } | undefined {
  if (isTimeoutError(error)) return { code: 'timeout', host: error.host };
  if (!isConnectionError(error) && !isTokenError(error)) return undefined;
  const { host, reason } = error;
  return host === undefined || reason === undefined ? undefined : { code: reason, host };
}

/**
 * Of the supplier, which is Paused or Complete, or of which there is none of this code; or of the team: where nothing else
 * was found wrong, every other record would be refused as well.
 */
export function whoseMatter(error: ApiError): 'supplier' | 'team' | undefined {
  if (!isValidationError(error)) return undefined;
  const code = knownCodeIn(error);
  if (code !== undefined) return OF_CODE.get(code);
  const [first, ...others] = error.errors;
  const of = first && OF_ATTR.get(first.attr);
  return others.every(({ attr }) => OF_ATTR.get(attr) === of) ? of : undefined;
}

/** The code that says whose matter it is, wherever in the body it stands; undefined where none does. */
function knownCodeIn({ body }: ApiError): string | undefined {
  const found = (value: unknown, depth: number): string | undefined => {
    if (typeof value === 'string') return OF_CODE.has(value) ? value : undefined;
    if (typeof value !== 'object' || value === null || depth > MOST_DEPTH) return undefined;
    for (const part of Object.values(value)) {
      const code = found(part, depth + 1);
      if (code !== undefined) return code;
    }
    return undefined;
  };
  return found(body, 0);
}

/** Deeper than any error body. */
const MOST_DEPTH = 8;

const OF_CODE: ReadonlyMap<string, 'supplier' | 'team'> = new Map([
  ['import_supplier_not_ongoing', 'supplier'],
  ['import_supplier_not_found', 'supplier'],
  ['operations_team_not_found', 'team'],
]);

/** Payloads differ in the name of the supplier. */
const OF_ATTR: ReadonlyMap<string, 'supplier' | 'team'> = new Map([
  ['import_supplier', 'supplier'],
  ['import_supplier_code', 'supplier'],
  ['operations_team_name', 'team'],
]);

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

/** A decision about the record. What is wrong with the token, the network or the hour is not. */
function isRefusal(error: unknown): error is ApiError {
  return (
    isApiError(error) && error.status >= 400 && error.status < 500 && ![401, 403, 408, 429, 499].includes(error.status)
  );
}

function errorsOf(error: InvalidPayloadError | ApiError): Omit<LedgerError, 'step'>[] {
  const { errors } = error;
  const items = errors
    .slice(0, MOST_OF_RECORD)
    .map((item) => shownError({ ...item, code: presentable(item.code) ?? '' }));
  const count = errors.length - items.length;
  if (count > 0) items.push({ code: FURTHER, attr: '', count });
  return items.length > 0
    ? items
    : [{ code: presentable(error.code) ?? `http_${(error as ApiError).status}`, attr: '' }];
}

/** They change nothing, replace what they sent, or are recognised by the service: to do them again does no harm. */
const REPEATABLE: ReadonlySet<Step> = new Set(['validate', 'stage', 'transactions']);

/** Nothing of their answers is needed. */
const SUFFICIENT: ReadonlySet<Step> = new Set(['validate', 'stage']);
/** Their answers say which items were added. */
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
