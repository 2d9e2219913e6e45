/** What an error of a call means for the record: refused, lost, not done, or open. */
import type { ApiError } from '../errors/api-error.js';
import type { DataImportError } from '../errors/data-import-error.js';
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
} from '../errors/guards.js';
import type { InvalidPayloadError } from '../errors/invalid-payload-error.js';
import { presentable, presentablePath } from '../errors/items.js';
import type { ResponseMismatchError } from '../errors/response-mismatch-error.js';
import type { LedgerError, Step } from './ledger/ledger.js';
import type { RecordEvent } from './step.js';

/** What a call came to; undefined where it stays open what came of it: the intent then says so. */
export type Result = RecordEvent | undefined;

/** Throws what is no error of the client: a bug, which must stop the run. */
export function resultOf(error: unknown, step: Step, how: Circumstances = {}): Result {
  const { isRepeatable = REPEATABLE.has(step), isLookedUp = false } = how;
  const isOnceOnly = ONCE_ONLY.has(step) && !isRepeatable;
  const isInDoubt = isDataImportError(error) && error.inDoubt;
  if (isAlreadyImportedError(error)) {
    const platformNumber = error.serviceAccountNumber;
    // It was staged just now, which no imported account can be: what is imported since then is our own doing.
    return step === 'process' ? { happens: 'done', step, platformNumber } : { happens: 'found', platformNumber };
  }
  // Refused, broken off or failed after a request that may have created it: it is asked about before anything else.
  if (step === 'process' && (isInDoubt || isTokenError(error) || (isLookedUp && isUnderWayThere(error)))) {
    return stillOpen(error);
  }
  // The operator's matter or the setting's: the same record goes through when the supplier is Ongoing again.
  const of = isApiError(error) ? whoseMatter(error) : undefined;
  if (of !== undefined) return failed(step, of, (error as ApiError).errors[0]?.code);
  if (isInvalidPayloadError(error) || isTransactionImportError(error) || isRefusal(error)) {
    // An earlier request of the same call may have done it: then this refusal says only that it is there.
    return { happens: isOnceOnly && isInDoubt ? 'lost' : 'refused', step, errors: errorsOf(error) };
  }
  if (isResponseMismatchError(error)) return notUnderstood(error, step, isRepeatable);
  if (isOutcomeUnknownError(error)) return openOrLost(step);
  if (isAbortedError(error)) {
    return error.outcomeUnknown || (isOnceOnly && isInDoubt) ? undefined : { happens: 'failed', step };
  }
  if (isOnceOnly && (isInDoubt || isUnclear(error))) return { happens: 'lost', step };
  // Some services do what they were asked to, and fail afterwards.
  if (isServerError(error) && (step === 'process' || isOnceOnly)) return openOrLost(step);
  if (isDataImportError(error)) {
    if (error.nextAction === 'settle') return openOrLost(step);
    const unanswered = unansweredBy(error);
    if (unanswered !== undefined) return { happens: 'failed', step, ...unanswered };
    const code = 'code' in error ? error.code : undefined;
    return failed(step, error.nextAction === 'fixToken' ? 'token' : undefined, code);
  }
  throw error;
}

interface Circumstances {
  /** Whether to do it again does no harm. */
  isRepeatable?: boolean | undefined;
  /** An earlier request, of which nobody knows the end, may still be under way at the service. */
  isLookedUp?: boolean;
}

/** Conflict, locked, too early: something else is at this account. */
function isUnderWayThere(error: unknown): boolean {
  return isApiError(error) && [409, 423, 425].includes(error.status);
}

/** Neither a success nor a refusal: a redirect, or somebody between who grew tired of waiting. */
function isUnclear(error: unknown): boolean {
  return isApiError(error) && (error.status < 400 || error.status === 408 || error.status === 499);
}

/** Of who stands in the way of every record the run is told all the same. */
function stillOpen(error: unknown): Result {
  const of = isDataImportError(error) && error.nextAction === 'fixToken' ? 'token' : undefined;
  return of === undefined ? undefined : { happens: 'failed', step: 'process', of, isOpen: true };
}

/** Host and reason of an error without an answer. */
function unansweredBy(error: DataImportError): { code: string; host: string } | undefined {
  if (isTimeoutError(error)) return { code: 'timeout', host: error.host };
  if (!isConnectionError(error) && !isTokenError(error)) return undefined;
  const { host, reason } = error;
  return host === undefined || reason === undefined ? undefined : { code: reason, host };
}

function failed(step: Step, of: Extract<RecordEvent, { happens: 'failed' }>['of'], code: unknown): Result {
  const said = typeof code === 'string' ? presentable(code) : undefined;
  return { happens: 'failed', step, ...(of !== undefined && { of }), ...(said !== undefined && { code: said }) };
}

/**
 * Of the supplier, which is Paused or Complete, or of which there is none of this code; or of the team: where nothing else
 * was found wrong, every other record would be refused as well.
 */
function whoseMatter({ status, errors: [first, ...others] }: ApiError): 'supplier' | 'team' | undefined {
  if (status !== 400 || first === undefined) return undefined;
  const of = OF.get(first.attr);
  return others.every(({ attr }) => OF.get(attr) === of) ? of : undefined;
}

/** Payloads differ in the name of the supplier. */
const OF: ReadonlyMap<string, 'supplier' | 'team'> = new Map([
  ['import_supplier', 'supplier'],
  ['import_supplier_code', 'supplier'],
  ['operations_team_name', 'team'],
]);

/** What the service neither recognises when it comes again nor tells of when it is asked; notes where one has no body. */
const ONCE_ONLY: ReadonlySet<Step> = new Set(['create', 'paymentInstruction', 'statements', 'notes']);

/** Of an account one can ask whether it was created; of the rest nobody can tell. */
function openOrLost(step: Step): Result {
  return step === 'process' ? undefined : { happens: 'lost', step };
}

/** A decision about the record. What is wrong with the token, the network or the hour is not. */
function isRefusal(error: unknown): error is ApiError {
  return (
    isApiError(error) && error.status >= 400 && error.status < 500 && ![401, 403, 408, 429, 499].includes(error.status)
  );
}

function errorsOf(error: InvalidPayloadError | ApiError): Omit<LedgerError, 'step'>[] {
  const items = error.errors.map(({ code, attr }) => ({
    code: presentable(code) ?? '',
    attr: presentablePath(attr) ?? '',
  }));
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
 * A success in a body that says something else than the document. In JSON it is the service that speaks, and it did what
 * it was asked to; which items it added only their entries tell. Anything else may be a page of somebody before it: what
 * can be repeated is, and the rest nobody can tell.
 */
function notUnderstood({ body }: ResponseMismatchError, step: Step, isRepeatable: boolean): Result {
  const isOfService = typeof body === 'object' && body !== null;
  if (isOfService && SUFFICIENT.has(step)) return { happens: 'done', step };
  if (isOfService && CONFIRMED.has(step)) return { happens: 'lost', step };
  return isRepeatable ? { happens: 'failed', step, code: 'answer_not_understood' } : openOrLost(step);
}
