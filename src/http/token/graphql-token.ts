/** Exports `graphqlToken`, a token function that exchanges an API key for a token at the GraphQL interface of the service. */

import { TokenError } from '../../errors/client-errors.js';
import { isBranded } from '../../errors/data-import-error.js';
import { presentable } from '../../errors/items.js';
import { refuseUnknownOptions } from '../../validation/known-names.js';
import { withSignal } from '../time/cancellation.js';
import { backoffMs, retryAfterMs, sleep } from '../time/delay.js';
import { type BaseAddress, parseBaseUrl } from '../transport/address.js';
import { TransportFailure, type WireAnswer } from '../transport/wire.js';
import { createSecrets, type Secrets, textsIn } from './secrets.js';
import type { TokenContext, TokenFunction, TokenWithExpiry } from './token.js';

/** Options of `graphqlToken`. The API specification describes neither address, mutation nor arguments, so the caller gives all of them (U27). */
export interface GraphqlTokenOptions {
  /** Address of the GraphQL interface. http is accepted for a loopback address only. */
  url: string;
  /** The API key of the organisation. It is sent only to `url`, and never appears in messages or logs. */
  apiKey: string;
  /** The mutation, such as `mutation ($apiKey: String!) { obtainToken(input: { apiKey: $apiKey }) { token } }`. */
  document: string;
  /**
   * Variables of the mutation, or a function that returns them for an API key. A variable `$apiKey` in `document` gets the key
   * without being listed here.
   */
  variables?: Record<string, unknown> | ((apiKey: string) => Record<string, unknown>) | undefined;
  /**
   * Returns the token from `data` of the answer, with or without the time at which it expires. Without a time, `exp` of a JWT is
   * used.
   */
  // biome-ignore lint/suspicious/noExplicitAny: the shape of the answer depends on the caller's document.
  select: (data: any) => string | TokenWithExpiry;
}

const OPTIONS = ['url', 'apiKey', 'document', 'variables', 'select'] as const satisfies (keyof GraphqlTokenOptions)[];

/** Error codes of GraphQL services for too many requests, which they send with HTTP status 200. */
const THROTTLED = /THROTTL|RATE_?LIMIT|TOO_MANY/i;
/** Maximum number of texts of an answer that are masked: the token, a refresh token and the like. */
const MOST_TEXTS = 8;
const MAX_RETRIES = 3;
const RETRY_BASE_MS = 500;
/** Longest wait before a retry. All calls wait for the token, so a longer wait ends in an error. */
const MAX_WAIT_MS = 30_000;

/**
 * Returns a token function for `new DataImportClient({ token })`. Throws a `TypeError` for invalid options. The function rejects with
 * `TokenError`: at once for a refused key, after retries if the service fails or answers 429.
 */
export function graphqlToken(options: GraphqlTokenOptions): TokenFunction {
  refuseUnknownOptions('graphqlToken', options, OPTIONS);
  const { origin, host } = parseBaseUrl(options.url, 'url');
  if (typeof options.apiKey !== 'string' || options.apiKey === '')
    throw new TypeError('apiKey: expected a non-empty string');
  if (typeof options.select !== 'function') throw new TypeError('select: expected a function of the answer’s data');
  if (typeof options.document !== 'string' || options.document.trim() === '')
    throw new TypeError('document: expected the text of a mutation');
  const usesApiKey = /\$apiKey\b/.test(options.document);
  if (!usesApiKey && options.variables === undefined) {
    throw new TypeError('variables: the API key is not used; use $apiKey in document, or give variables');
  }
  const { pathname, search } = new URL(options.url);
  const secrets = createSecrets();
  secrets.add(options.apiKey);

  return async (given) => {
    const conceal = (secret: string) => {
      secrets.add(secret);
      given.conceal?.(secret);
    };
    conceal(options.apiKey);
    const context = { ...given, mask: secrets.mask };
    const more = typeof options.variables === 'function' ? await options.variables(options.apiKey) : options.variables;
    const variables = { ...(usesApiKey && { apiKey: options.apiKey }), ...more };
    const body = JSON.stringify({ query: options.document, variables });
    for (let retry = 0; ; retry++) {
      const result = await ask(context, { origin, host, path: `${pathname}${search}` }, body);
      if ('data' in result) {
        for (const text of textsIn(result.data).slice(0, MOST_TEXTS)) conceal(text);
        return selected(options.select, result.data);
      }
      given.failed?.(result.error);
      const delayMs = Math.max(result.afterMs ?? 0, backoffMs(RETRY_BASE_MS, retry));
      if (!result.retryable || retry === MAX_RETRIES || delayMs > MAX_WAIT_MS) throw result.error;
      await withSignal(context.signal, (wait) => sleep(delayMs, wait));
      if (context.signal.aborted) throw result.error;
    }
  };
}

type Result = { data: unknown } | { error: TokenError; retryable: boolean; afterMs?: number | undefined };

type MaskingContext = TokenContext & Pick<Secrets, 'mask'>;

async function ask(
  { send, signal, mask }: MaskingContext,
  { origin, path, host }: BaseAddress,
  body: string,
): Promise<Result> {
  let answer: WireAnswer;
  try {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    answer = await send({ method: 'POST', origin, path, headers, body, signal });
  } catch (failure) {
    const { reason, obstacle } = failure instanceof TransportFailure ? failure : { reason: 'unknown reason' };
    if (obstacle?.isFinal) return failed(`${obstacle.what} (${reason}): ${obstacle.remedy}.`, { nextAction: 'none' });
    const sentence = `no answer from the GraphQL interface at ${host} (${reason}).`;
    return failed(sentence, {
      retryable: true,
      nextAction: 'retryLater',
      host,
      code: presentable(reason) ?? 'connection_error',
    });
  }
  const afterMs = retryAfterMs(answer.headers['retry-after'], MAX_WAIT_MS);
  const { data, errors } = parsed(answer.text);
  const codes = errors.map(codeOf).map((code) => (code === undefined ? undefined : mask(code)));
  const [first] = codes;
  const throttle = codes.find((code) => THROTTLED.test(code ?? ''));
  if (answer.status === 429 || throttle !== undefined) {
    const facts = { retryable: true, afterMs, code: throttle ?? first, nextAction: 'wait' } as const;
    return failed('the GraphQL interface is throttling.', facts);
  }
  // 501: the service does not know the document, whenever it is sent.
  if (answer.status >= 500 && answer.status !== 501) {
    const facts = { retryable: true, afterMs, code: first, nextAction: 'retryLater' } as const;
    return failed(`the GraphQL interface answered ${answer.status}.`, facts);
  }
  if (errors.length > 0) {
    return failed('the GraphQL interface refuses the call: check API key, document and variables.', { code: first });
  }
  if (answer.status >= 300)
    return failed(`the GraphQL interface answered ${answer.status}: check url and API key.`, {});
  if (data === undefined || data === null) {
    return failed('the GraphQL interface answered without data: check url and document.', { nextAction: 'inspect' });
  }
  return { data };
}

function failed(
  sentence: string,
  facts: {
    retryable?: boolean;
    afterMs?: number | undefined;
    code?: string | undefined;
    nextAction?: TokenError['nextAction'];
    host?: string;
  },
): Result {
  const code = facts.host === undefined ? presentable(facts.code) : undefined;
  const message = `token: ${sentence}${code === undefined ? '' : ` (${code})`}`;
  const error = new TokenError(message, {
    code: facts.code,
    host: facts.host,
    ...(facts.nextAction && { nextAction: facts.nextAction }),
  });
  return { error, retryable: facts.retryable ?? false, afterMs: facts.afterMs };
}

function parsed(text: string | undefined): { data?: unknown; errors: unknown[] } {
  try {
    const body: unknown = JSON.parse(text ?? '');
    if (typeof body !== 'object' || body === null) return { errors: [] };
    const { data, errors } = body as { data?: unknown; errors?: unknown };
    return { data, errors: Array.isArray(errors) ? errors : [] };
  } catch {
    return { errors: [] };
  }
}

function codeOf(error: unknown): string | undefined {
  const extensions = (error as { extensions?: { errorCode?: unknown; code?: unknown } } | null)?.extensions;
  const code = extensions?.errorCode ?? extensions?.code;
  return typeof code === 'string' ? code : undefined;
}

async function selected(select: GraphqlTokenOptions['select'], data: unknown): Promise<string | TokenWithExpiry> {
  let result: ReturnType<typeof select> | undefined | null;
  try {
    result = await select(data);
  } catch (error) {
    if (isBranded(error, 'TokenError')) throw error;
    throw unselected('failed on', error);
  }
  if (result === undefined || result === null || (typeof result === 'object' && result.token === undefined))
    throw unselected('found no token in');
  return result;
}

function unselected(what: string, cause?: unknown): TokenError {
  const message = `token: \`select\` ${what} the data of the GraphQL answer: adapt it to the document.`;
  return new TokenError(message, { nextAction: 'inspect', cause });
}
