/** Exports `createTokenHolder`: the access token of a client, which all calls share. It is renewed before it expires and after a 401. */

import { isObject } from '../../../schemas/objects.js';
import { TokenError } from '../../errors/client-errors.js';
import { isBranded } from '../../errors/data-import-error.js';
import { foundInWords } from '../../validation/known-names.js';
import type { Cancellation } from '../time/cancellation.js';
import { startTimeout } from '../time/delay.js';
import type { Send } from '../transport/wire.js';

/** A token with the time at which it expires. */
export interface TokenWithExpiry {
  /** The token, without its scheme. */
  token: string;
  /** When it expires: a Date, or a Unix time in seconds. Any other value is a `TokenError`. Undefined: unknown. */
  expiresAt?: Date | number | undefined;
}

/** Argument of a token function. */
export interface TokenContext {
  /** Aborts when the client stops waiting for the token (after `timeoutMs`). */
  signal: AbortSignal;
  /** Sends a request through the connections of the client. */
  send: Send;
  /**
   * Registers another secret, such as an API key or a refresh token: messages, JSON, logs and hooks then have `[secret]` in its
   * place. The returned token is registered automatically.
   */
  conceal?: ((secret: string) => void) | undefined;
  /**
   * Registers why a request for the token failed: the error of the calls if the time ends before the next answer.
   * @internal
   */
  failed?: ((error: TokenError) => void) | undefined;
}

/**
 * Returns a token. The client calls it once for all waiting calls, again before the token expires, and after a 401. If it throws,
 * calls reject with a `TokenError` with that error as `cause`.
 */
export type TokenFunction = (context: TokenContext) => string | TokenWithExpiry | Promise<string | TokenWithExpiry>;

/** A fixed token, or a function that returns one. */
export type TokenSource = string | TokenFunction;

export interface HeldToken {
  readonly value: string;
  /** Milliseconds since the epoch; Infinity if the expiry is unknown. */
  readonly renewAt: number;
}

export interface TokenHolder {
  /** Returns the token; undefined if there is none, or if it is about to expire. */
  current(): HeldToken | undefined;
  /** Resolves with a new token. Simultaneous callers share one request. Rejects with `TokenError`, or as `wait` is cancelled. */
  get(wait: Cancellation): Promise<HeldToken>;
  /** Drops a token after a 401, unless another call has renewed it since. Returns false if the token cannot be renewed. */
  invalidate(refused: HeldToken): boolean;
}

/** A token is renewed this long before it expires, or after nine tenths of its lifetime if that is later. */
const RENEW_EARLY_MS = 60_000;

/** Returns the token of a client. Calls `conceal` with each secret before it is sent. */
export function createTokenHolder(
  source: TokenSource,
  send: Send,
  timeoutMs: number,
  conceal: (secret: string) => void,
): TokenHolder {
  if (typeof source === 'string') {
    conceal(source);
    const fixed = { value: source, renewAt: Number.POSITIVE_INFINITY };
    return { current: () => fixed, get: async () => fixed, invalidate: () => false };
  }

  let current: HeldToken | undefined;
  let pending: Promise<HeldToken> | undefined;

  const fetchToken = async (): Promise<HeldToken> => {
    const controller = new AbortController();
    let last: TokenError | undefined;
    const failed = (error: TokenError) => {
      last = error;
    };
    let stopTimer = () => {};
    const patience = new Promise<never>((_, reject) => {
      stopTimer = startTimeout(timeoutMs, () => {
        controller.abort(new Error('timeout'));
        const facts = { code: 'timeout', nextAction: 'retryLater' } as const;
        reject(last ?? new TokenError(`token: the token function returned none within ${timeoutMs} ms.`, facts));
      });
    });
    try {
      const result = await Promise.race([source({ signal: controller.signal, send, conceal, failed }), patience]);
      return held(result);
    } catch (error) {
      if (isBranded(error, 'TokenError')) throw error;
      throw new TokenError('token: the token function failed (see cause). Correct it, then call again.', {
        cause: error,
      });
    } finally {
      stopTimer();
    }
  };

  return {
    current: () => (current !== undefined && Date.now() < current.renewAt ? current : undefined),
    get(wait) {
      pending ??= fetchToken()
        .then((token) => {
          current = token;
          conceal(token.value);
          return token;
        })
        .finally(() => {
          pending = undefined;
        });
      // If one caller stops waiting, the others continue to wait for the same token.
      return wait.race(pending);
    },
    invalidate(refused) {
      if (current === refused) current = undefined;
      return true;
    },
  };
}

function held(result: string | TokenWithExpiry): HeldToken {
  const value = checkedToken(isObject(result) ? result.token : result);
  const given = typeof result === 'string' ? undefined : result.expiresAt;
  const expiresAt = given === undefined ? jwtExpiry(value) : inMilliseconds(given);
  if (expiresAt === undefined) return { value, renewAt: Number.POSITIVE_INFINITY };
  const now = Date.now();
  if (expiresAt <= now) {
    // A wrong clock, or a wrong `expiresAt`: fetching another token before each call would not help.
    warnOfExpiry(expiresAt);
    return { value, renewAt: Number.POSITIVE_INFINITY };
  }
  return { value, renewAt: expiresAt - Math.min(RENEW_EARLY_MS, (expiresAt - now) / 10) };
}

let hasWarned = false;

function warnOfExpiry(expiresAt: number): void {
  if (hasWarned) return;
  hasWarned = true;
  process.emitWarning(
    `DataImportClient: the token function returned a token that expired at ${new Date(expiresAt).toISOString()}. It is used until the service refuses it; check expiresAt and the clock of this machine.`,
  );
}

/** As seconds, this is the year 5138: larger numbers must be milliseconds. */
const NO_SECONDS = 1e11;

/** Throws `TokenError` for an invalid expiry: ignoring it, the client would use the token until the service refuses it. */
function inMilliseconds(expiresAt: unknown): number {
  const time =
    expiresAt instanceof Date ? expiresAt.getTime() : typeof expiresAt === 'number' ? expiresAt * 1000 : Number.NaN;
  if (Number.isFinite(time) && (expiresAt instanceof Date || time < NO_SECONDS * 1000)) return time;
  const found =
    expiresAt instanceof Date
      ? 'an invalid Date'
      : typeof expiresAt === 'number'
        ? 'another number, such as milliseconds'
        : foundInWords(expiresAt);
  throw new TokenError(`expiresAt: expected a Date or Unix seconds, found ${found}.`);
}

function checkedToken(token: unknown): string {
  if (!isToken(token)) {
    throw new TokenError(`token: expected a non-empty string of visible ASCII characters, found ${whyNoToken(token)}.`);
  }
  return token;
}

/** Returns what is wrong with a value that `isToken` refuses, without the value. */
export function whyNoToken(token: unknown): string {
  if (token === undefined || token === null) return String(token);
  if (typeof token !== 'string') return `a value of type ${typeof token}`;
  if (token === '') return 'an empty string';
  const kind = /[\r\n]/.test(token)
    ? 'a line break'
    : /\s/.test(token)
      ? 'a space'
      : 'a character that is not visible ASCII';
  return `a string with ${kind}${token.trim() === token ? '' : ' at its start or end'}`;
}

/** Returns whether the value is a string that a header can contain as one word. */
export function isToken(token: unknown): token is string {
  return typeof token === 'string' && /^[\x21-\x7e]+$/.test(token);
}

/** Returns `exp` of a JWT in milliseconds; undefined for any other token. */
function jwtExpiry(token: string): number | undefined {
  const [, payload, signature] = token.split('.');
  if (payload === undefined || signature === undefined) return undefined;
  try {
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    return typeof exp === 'number' ? exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}
