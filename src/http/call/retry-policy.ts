/** Exports `verdictOn`: what the client does after a failed request, by its outcome and the replay class of the operation. */
import type { ReplayClass } from '../../../schemas/operations.js';
import { isLostByGateway } from '../../errors/no-answer-errors.js';

/** The outcome of one request. */
export type Outcome =
  /** 2xx */
  | 'done'
  /** 400, 403, 404 and other refusals: a repetition would get the same answer. */
  | 'refused'
  /** 401 */
  | 'unauthorized'
  /** 429: the service did nothing. */
  | 'throttled'
  /** 500 or above: the service failed, and the request may be repeated, unless `mayStillRun`. */
  | 'failed'
  /** A broken connection, a timeout, or a proxy that gave the request up: the service may still be working on the request. */
  | 'lost'
  /** There was no connection, so nothing was sent. */
  | 'neverSent'
  /** The client is closed, or its dispatcher is unsuitable: nothing was sent, and a retry cannot help. */
  | 'hopeless'
  /** The `fetch` of the caller threw an error that is no failure of the network: the request may have been sent, and a retry cannot help. */
  | 'faulty';

export type Verdict =
  | 'giveUp'
  /** Renew the token and send again, once per call. */
  | 'renewToken'
  /** Let all calls of the client wait, then send again. */
  | 'pause'
  /** Wait for the backoff, then send again. */
  | 'resend'
  /** The request has ended: ask the service once whether it was done; send again if it was not. */
  | 'askOnce'
  /** The request may still be running: ask the service until that cannot be; send again only if it was not done. */
  | 'reconcile'
  /** Reject with `OutcomeUnknownError`. */
  | 'outcomeUnknown';

export function outcomeOf(status: number): Outcome {
  if (status >= 200 && status < 300) return 'done';
  if (status === 401) return 'unauthorized';
  if (status === 429) return 'throttled';
  if (isLostByGateway(status)) return 'lost';
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
  faulty: 'giveUp',
};

/** Returns what the client does after a failed request. `retryUnknownOutcome`: the call option. */
export function verdictOn(
  outcome: Exclude<Outcome, 'done'>,
  replay: ReplayClass,
  retryUnknownOutcome?: boolean | undefined,
): Verdict {
  if (outcome === 'failed' && replay === 'reconcilable') return 'askOnce';
  if (outcome === 'failed' && replay === 'unknown' && retryUnknownOutcome === false) return 'outcomeUnknown';
  if (outcome !== 'lost') return ALWAYS[outcome];
  if (replay === 'unknown' && retryUnknownOutcome === true) return 'resend';
  return replay === 'deduplicated' && retryUnknownOutcome === false ? 'outcomeUnknown' : LOST[replay];
}

/** Returns whether the service may still work on the request after this error: only a 500 with a JSON body is certainly its own. */
export function mayStillRun(status: number, isJson: boolean): boolean {
  return status !== 500 || !isJson;
}

/**
 * Codes by which similar services refuse an object that exists. After a request without an answer, or a 5xx, they prove that an
 * earlier request took effect. The API specification shows none; the option `advanced.alreadyDone` adds those of a deployment. Not
 * `already_has_active_instruction`: the active instruction may be an older one.
 */
export const ALREADY_DONE: Readonly<Record<string, readonly string[]>> = {
  'historicalStatements.create': ['historical_statement_already_exists'],
};

/** Returns the sentence that explains how to find out whether a request took effect. */
export function howToResolve(operation: string, isRefused = false): string {
  if (isRefused && operation === 'businesses.create')
    return 'Ask the operator whether this call created the business, and for its id.';
  return HOW_TO_SETTLE[operation] ?? 'Ask the operator before you send it again.';
}

// Operations that are not listed are safe to repeat.
const HOW_TO_SETTLE: Readonly<Record<string, string>> = {
  'accounts.process':
    'Call imports.status: with PENDING, IN_PROGRESS, REJECTED or COMPLETED and a number, the account exists. If it is UNKNOWN without one after a minute, call accounts.process again; otherwise ask the operator.',
  'supplyPoints.populate':
    'Call it again if you can accept that the supply points are looked up twice. It has no other effect.',
  'businesses.create':
    'Create it again with the same identifier, name, number and type. If the service refuses because it exists, it was created before. Otherwise ask the operator whether it exists twice.',
  'businesses.createPaymentInstruction': askBefore('business has this instruction'),
  'paymentInstructions.create': askBefore('account has this instruction'),
  'historicalStatements.create': askBefore('account has these statements', 'them'),
  'transactions.create':
    'If each has a transaction_id, send them again without check_previously_added: false: the service skips those that it has. Otherwise look at the account before you send them again.',
  'notes.create': 'The service does not recognise a note without a body: look at the account before you add it again.',
};

function askBefore(exists: string, it = 'it'): string {
  return `Ask the operator whether the ${exists} before you add ${it} again.`;
}
