/**
 * Exports `CallPromise`, which every client method returns: a promise of the answer body, with access to the whole answer. Also
 * `pendingCall` and `callPromise`, which create one, and `addFact`, which adds a fact of the client to a body.
 */
import { isObjectOrArray } from '../../schemas/objects.js';
import { ResponseMismatchError } from '../errors/client-errors.js';
import { errorFromAnswer } from '../errors/from-answer.js';
import { answersOfErrors, type CallOutcome, type CallResult } from '../http/call/call-types.js';
import { refuseUnknownOptions } from '../validation/known-names.js';

export type { CallOutcome };

/**
 * Result of a write that a refusal can confirm. With `confirmed` the body is that of the refusal, so the documented fields may be
 * missing. `callOutcome` is not enumerable: `JSON.stringify` and a spread of the result have the body as the service sent it.
 */
export type WriteResult<Answer> =
  | (Answer & { readonly callOutcome: 'created' })
  | (Partial<Answer> & { readonly callOutcome: 'confirmed' });

/** The answer: its body, and the facts of the HTTP response. */
export interface WithResponse<T> {
  /** The body. */
  data: T;
  /** HTTP status. */
  status: number;
  /** Header names are in lower case. */
  headers: Record<string, string>;
  /** Requests that were started for this call. */
  attempts: number;
  /** The request id that the service sent, if any. */
  requestId: string | undefined;
  /** The fact of the body's `callOutcome`, whatever the body has under that name; undefined for a call that is no write. */
  callOutcome: T extends { readonly callOutcome: infer Outcome extends CallOutcome } ? Outcome : undefined;
}

/** The answer as the service sent it, with the names of the web's `Response`. */
export interface RawResponse {
  /** HTTP status. */
  readonly status: number;
  /** Header names are in lower case. */
  readonly headers: Record<string, string>;
  /** Resolves with the text of the body; an empty text if there is none. */
  text(): Promise<string>;
}

/** A promise of the answer body, as the service sent it. */
export interface CallPromise<T> extends Promise<T> {
  /** Resolves with the body, status, headers, attempts and request id. Sends no further request. Rejects as the call does. */
  withResponse(): Promise<WithResponse<T>>;
  /**
   * Resolves with status, headers and the text of the answer. Sends no further request. Rejects as the call does, except for a body
   * that differs from the API specification: that resolves too, so that it can be looked at.
   */
  asResponse(): Promise<RawResponse>;
}

/** Returns the `CallPromise` of a call. */
export function pendingCall<T>(result: Promise<CallResult<T>>): CallPromise<T> {
  return new PendingCall(result);
}

/**
 * Returns what a method of the client returns for an answer of the service, for a test double of the client. `answer`: its status, by
 * default 200, and its headers, by default none. With the status of an error it rejects as the client does for that body. `callOutcome`,
 * `wouldImport` and `droppedPaths` in the body are not enumerable, as in a result of the client.
 *
 * @example
 * const stage = () => callPromise({ external_account_number: 'A-1', callOutcome: 'created' as const });
 * const refused = () => callPromise({ customers: [{ landline: [{ code: 'invalid_phone_number' }] }] }, { status: 400 });
 */
export function callPromise(
  body: unknown,
  answer: {
    status: 400 | 401 | 403 | 404 | 409 | 422 | 429 | 500 | 502 | 503 | 504;
    headers?: Record<string, string> | undefined;
  },
): CallPromise<never>;
/** Returns what a method of the client returns for this body of a success, for a test double of the client. */
export function callPromise<T>(
  body: T | PromiseLike<T>,
  answer?: { status?: number | undefined; headers?: Record<string, string> | undefined },
): CallPromise<T>;
export function callPromise<T>(
  body: T | PromiseLike<T>,
  answer: { status?: number | undefined; headers?: Record<string, string> | undefined } = {},
): CallPromise<T> {
  refuseUnknownOptions('callPromise', answer, ['status', 'headers']);
  return pendingCall(resultOf(body, { status: answer.status ?? 200, headers: answer.headers ?? {} }));
}

async function resultOf<T>(body: T | PromiseLike<T>, answer: Pick<WithResponse<T>, 'status' | 'headers'>) {
  const given = await body;
  if (answer.status >= 400)
    throw errorFromAnswer({ ...answer, ...DOUBLE, body: given, isJson: typeof given === 'object', repeatable: true });
  const data = withHiddenFacts(given);
  const { callOutcome } = Object(data) as { callOutcome?: CallOutcome };
  return { data, ...answer, text: JSON.stringify(data), attempts: 1, requestId: undefined, callOutcome };
}

/** Facts of the call in the errors of a double. The name begins as those of `accounts`: only their errors may be an `AlreadyImportedError`. */
const DOUBLE = { operation: 'accounts.double', attempts: 1 };

/** What the client adds to bodies. */
const FACTS = ['callOutcome', 'wouldImport', 'droppedPaths'];

/** Returns the body, or a copy in which the facts of the client are not enumerable. */
function withHiddenFacts<T>(body: T): T {
  if (!isObjectOrArray(body) || !FACTS.some((name) => Object.hasOwn(body, name))) return body;
  const fields = Object.entries(body);
  const copy = Object.fromEntries(fields.filter(([name]) => !FACTS.includes(name)));
  for (const [name, value] of fields) if (FACTS.includes(name)) addFact(copy, name, value);
  return copy as T;
}

class PendingCall<T> extends Promise<T> implements CallPromise<T> {
  readonly #result: Promise<CallResult<T>>;

  constructor(result: Promise<CallResult<T>>) {
    // No other function stands between the result and `resolve`: the stack of an error would end there, without the caller.
    super((resolve, reject) => void bodyOf(result).then(resolve, reject));
    this.#result = result;
  }

  async withResponse(): Promise<WithResponse<T>> {
    // Waits for this promise first: a second wait for the result would hide both from the stack of an error.
    await this;
    const { data, status, headers, attempts, requestId, callOutcome } = await this.#result;
    return { data, status, headers, attempts, requestId, callOutcome: callOutcome as WithResponse<T>['callOutcome'] };
  }

  async asResponse(): Promise<RawResponse> {
    const { status, headers, text = '' } = await this.#answer();
    return { status, headers, text: async () => text };
  }

  async #answer(): Promise<Pick<CallResult<T>, 'status' | 'headers' | 'text'>> {
    try {
      await this;
      return await this.#result;
    } catch (error) {
      const answer = error instanceof ResponseMismatchError ? answersOfErrors.get(error) : undefined;
      // An answer without text was too large, and was not read to its end.
      if (answer?.text === undefined) throw error;
      return answer;
    }
  }
}

// `await` then takes it as it is. It would wrap the instance of a subclass, and reach it too late for an error that comes at once.
// `then`, `catch` and `finally` return plain promises.
Object.defineProperty(PendingCall.prototype, 'constructor', { value: Promise });

async function bodyOf<T>(result: Promise<CallResult<T>>): Promise<T> {
  return (await result).data;
}

/**
 * Adds a fact of the client to the body of an answer. The body of the service does not change: the fact is not enumerable, and
 * a field of the body that has its name stays.
 */
export function addFact<T>(body: T, name: string, value: unknown): void {
  if (!isObjectOrArray(body) || Object.hasOwn(body, name)) return;
  Object.defineProperty(body, name, { value });
}
