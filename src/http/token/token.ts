/** The access token: one request for all callers, renewed before it expires and once after a 401. */

import { TokenError } from '../../errors/client-errors.js';
import { isBranded } from '../../errors/data-import-error.js';
import type { Cancellation } from '../time/cancellation.js';
import { MAX_TIMER_MS } from '../time/delay.js';
import type { Send } from '../transport/wire.js';

/** A token, and when it ends. */
export interface TokenWithExpiry {
  /** The token itself, without its scheme. */
  token: string;
  /** When it ends: a Date, or a Unix time in seconds; what is neither is a `TokenError`. Left out: not known. */
  expiresAt?: Date | number | undefined;
}

/** What a token function is given. */
export interface TokenContext {
  /** Aborts when the client gives up waiting (`timeoutMs`). */
  signal: AbortSignal;
  /** Sends a request the way the client does. */
  send: Send;
  /**
   * Names another secret, such as an API key or a refresh token: where the service echoes it, messages, JSON, logs
   * and hooks have `[secret]` in its place. The token itself needs no naming.
   */
  conceal?: ((secret: string) => void) | undefined;
}

/**
 * Gets a token. Asked once for all callers, again before the token ends, and once after a 401. What it throws is the
 * `cause` of a `TokenError`.
 */
export type TokenFunction = (context: TokenContext) => string | TokenWithExpiry | Promise<string | TokenWithExpiry>;

/** A fixed token, or a function that gets one. */
export type TokenSource = string | TokenFunction;

export interface HeldToken {
  readonly value: string;
  /** Milliseconds since the epoch; Infinity where the token does not tell. */
  readonly renewAt: number;
}

export interface TokenHolder {
  /** The token, where there is one that has not come near its end. */
  current(): HeldToken | undefined;
  /** A new one; what many ask for at once is fetched once. */
  get(wait: Cancellation): Promise<HeldToken>;
  /** Gives the token up after a 401, unless another call has renewed it since. False: the token cannot be renewed. */
  invalidate(refused: HeldToken): boolean;
}

/** A token is renewed this long before it ends, or at nine tenths of its life where that is shorter. */
const RENEW_EARLY_MS = 60_000;

/** `conceal` receives each secret before it is sent. */
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
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<never>((_, reject) => {
      if (timeoutMs > MAX_TIMER_MS) return;
      timer = setTimeout(() => {
        controller.abort(new Error('timeout'));
        reject(new TokenError(`token: none came within ${timeoutMs} ms.`, { nextAction: 'retryLater' }));
      }, timeoutMs);
    });
    try {
      const result = await Promise.race([source({ signal: controller.signal, send, conceal }), patience]);
      return held(result);
    } catch (error) {
      if (isBranded(error, 'TokenError')) throw error;
      throw new TokenError('token: the token function failed (see cause). Correct it, then call again.', {
        cause: error,
      });
    } finally {
      clearTimeout(timer);
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
      // A caller that gives up leaves the others waiting for the same token.
      return wait.race(pending);
    },
    invalidate(refused) {
      if (current === refused) current = undefined;
      return true;
    },
  };
}

function held(result: string | TokenWithExpiry): HeldToken {
  const token = typeof result === 'string' ? result : result?.token;
  const value = checkedToken(token);
  const told = typeof result === 'string' ? undefined : result.expiresAt;
  const expiresAt = told === undefined ? jwtExpiry(value) : inMilliseconds(told);
  if (expiresAt === undefined) return { value, renewAt: Number.POSITIVE_INFINITY };
  const now = Date.now();
  if (expiresAt <= now) {
    // To ask for another one before each call would not help: a clock is wrong, or the source tells a wrong end.
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
    `DataImportClient: the token source gave a token that expired at ${new Date(expiresAt).toISOString()}. It is used until the service refuses it; check expiresAt and the clock of this machine.`,
  );
}

/** Seconds from here on are after the year 5138: they are milliseconds. */
const NO_SECONDS = 1e11;

/** An end that cannot be read must not pass for none: the token would be used until the service refuses it. */
function inMilliseconds(told: unknown): number {
  const time = told instanceof Date ? told.getTime() : typeof told === 'number' ? told * 1000 : Number.NaN;
  if (Number.isFinite(time) && (told instanceof Date || time < NO_SECONDS * 1000)) return time;
  const found =
    told instanceof Date
      ? 'an invalid Date'
      : typeof told === 'number'
        ? 'a number that is none, such as milliseconds'
        : told === null
          ? 'null'
          : typeof told;
  throw new TokenError(`expiresAt: expected a Date or Unix seconds, found ${found}.`);
}

function checkedToken(token: unknown): string {
  if (!isToken(token)) {
    const found = typeof token === 'string' ? 'a string that no header can carry' : typeof token;
    throw new TokenError(`token: expected a non-empty string of visible ASCII characters, found ${found}.`);
  }
  return token;
}

/** What a header can carry as one word. */
export function isToken(token: unknown): token is string {
  return typeof token === 'string' && /^[\x21-\x7e]+$/.test(token);
}

/** `exp` of a JWT in milliseconds; undefined for any other token. */
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
