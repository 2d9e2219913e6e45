/** What happens after a request that did not succeed: one table, by what came back and by the operation's replay class. */
import type { ReplayClass } from '../../../schemas/operations.js';

/** What came back. */
export type Outcome =
  /** 2xx */
  | 'done'
  /** 400, 403, 404 and whatever else is a decision: asking again gives the same. */
  | 'refused'
  /** 401 */
  | 'unauthorized'
  /** 429: nothing was done. */
  | 'throttled'
  /** 500 and other 5xx: the service says that it failed and may be asked again, unless `mayStillRun` says otherwise. */
  | 'failed'
  /** A broken connection, a timeout, or a gateway that lost the service's answer: the service may still be working on it. */
  | 'lost'
  /** No connection could be made: certainly nothing was done. */
  | 'neverSent'
  /** The client is closed, or what it is to send through does not fit: nothing was sent, and nothing will be. */
  | 'hopeless';

export type Verdict =
  | 'giveUp'
  /** Get a new token and send again, once. */
  | 'renewToken'
  /** Let all calls of the client wait, then send again. */
  | 'pause'
  /** Wait a little, then send again. */
  | 'resend'
  /** The request has ended: ask the service once whether it was done; send again if it was not. */
  | 'askOnce'
  /** The request may still be running: ask the service until that cannot be; send again only if it was not done. */
  | 'reconcile'
  /** Reject with `OutcomeUnknownError`. */
  | 'outcomeUnknown';

/** 502, 504, and what the gateways of content networks answer when the service behind them is slow or closes the connection. */
const LOST_BY_GATEWAY = new Set([502, 504, 520, 521, 522, 523, 524, 525, 526, 527]);

export function outcomeOf(status: number): Outcome {
  if (status >= 200 && status < 300) return 'done';
  if (status === 401) return 'unauthorized';
  if (status === 429) return 'throttled';
  if (LOST_BY_GATEWAY.has(status)) return 'lost';
  return status >= 500 ? 'failed' : 'refused';
}

const LOST: Readonly<Record<ReplayClass, Verdict>> = {
  pure: 'resend',
  upsert: 'resend',
  deduplicated: 'resend',
  reconcilable: 'reconcile',
  unknown: 'outcomeUnknown',
};

const ALWAYS: Readonly<Record<Exclude<Outcome, 'done' | 'lost'>, Verdict>> = {
  refused: 'giveUp',
  unauthorized: 'renewToken',
  throttled: 'pause',
  failed: 'resend',
  neverSent: 'resend',
  hopeless: 'giveUp',
};

/** `retryUnknownOutcome`: the call option of that name. */
export function verdictOn(
  outcome: Exclude<Outcome, 'done'>,
  replay: ReplayClass,
  retryUnknownOutcome?: boolean | undefined,
): Verdict {
  if (outcome === 'failed' && replay === 'reconcilable') return 'askOnce';
  if (outcome !== 'lost') return ALWAYS[outcome];
  if (replay === 'unknown' && retryUnknownOutcome === true) return 'resend';
  return replay === 'deduplicated' && retryUnknownOutcome === false ? 'outcomeUnknown' : LOST[replay];
}

/**
 * Whether the service may still work on the request after this 5xx: 502, 503, 504, or a page of a gateway. An error
 * that the service itself wrote, as JSON, ended the request.
 */
export function mayStillRun(status: number, isJson: boolean): boolean {
  return status === 503 || LOST_BY_GATEWAY.has(status) || !isJson;
}

/**
 * Codes by which the service, or a relative of it, refuses what it has already. After a lost answer or a failure they
 * mean that an earlier request took effect. The API specification shows none; a caller adds those of a deployment.
 */
export const ALREADY_DONE: Readonly<Record<string, readonly string[]>> = {
  'historicalStatements.create': ['historical_statement_already_exists'],
  'paymentInstructions.create': ['already_has_active_instruction'],
  'businesses.createPaymentInstruction': ['already_has_active_instruction'],
};

/** The sentence of an error that says how to find out whether the request took effect. */
export function howToResolve(operation: string, isRefused = false): string {
  if (isRefused && operation === 'businesses.create')
    return 'Ask the operator whether this call created the business, and for its id.';
  return HOW_TO_SETTLE[operation] ?? 'Ask the operator before you send it again.';
}

// All operations that are not here can be repeated without harm.
const HOW_TO_SETTLE: Readonly<Record<string, string>> = {
  'accounts.process':
    'Ask imports.status: a service_account_number means that it is done. Otherwise process again; an account is never created twice.',
  'supplyPoints.populate':
    'Populate again if you can accept that the supply points are looked up twice; nothing else comes of it.',
  'businesses.create':
    'Create it again with the same identifier, name, number and type: if the service refuses because it exists, it was done; otherwise ask the operator whether it is there twice.',
  'businesses.createPaymentInstruction':
    'Ask the operator whether the business has this instruction before you add it again.',
  'paymentInstructions.create': 'Ask the operator whether the account has this instruction before you add it again.',
  'historicalStatements.create': 'Ask the operator whether the account has these statements before you add them again.',
  'transactions.create':
    'Send them again with checkPreviouslyAdded left on: the service skips those that it has already.',
  'notes.create':
    'A note without a body cannot be recognised by the service: look at the account before you add it again.',
};
