/**
 * Tokens of the REST side (document: Authentication; C2, C6). A token carries its own end and a signature, so that
 * the sandbox need not remember which it gave.
 */
import { failed } from './answers.js';
import type { Outcome } from './call.js';
import type { Ids } from './ids.js';
import { SANDBOX_TOKEN } from './options.js';

/** Unix time of the last second of the year 9999: what `exp` says of a token that never ends. */
export const NEVER = 253_402_300_799;

export interface IssuedToken {
  token: string;
  /** Unix time in seconds. */
  expires: number;
}

export function issueToken(ids: Ids, now: Date, lifetimeSeconds: number | null): IssuedToken {
  const expires = lifetimeSeconds === null ? NEVER : Math.floor(now.getTime() / 1000) + lifetimeSeconds;
  return { token: `sandbox.${expires}.${ids.signature(String(expires))}`, expires };
}

/** undefined when the Authorization header holds a valid token, else the 401 (U2). */
export function refuseToken(header: string | null, ids: Ids, now: Date): Outcome | undefined {
  if (header === null || header.trim() === '') {
    return unauthorized('not_authenticated', 'Send the header "Authorization: Token <ACCESS_TOKEN>".');
  }
  const [, token] = /^Token (\S+)$/.exec(header.trim()) ?? [];
  if (token === undefined) {
    return unauthorized('authentication_failed', 'The Authorization header must be the word Token, a space, a token.');
  }
  if (token === SANDBOX_TOKEN) return undefined;
  const [, expires = '', signature] = /^sandbox\.(\d+)\.(\w+)$/.exec(token) ?? [];
  if (signature !== ids.signature(expires)) return unauthorized('authentication_failed', 'The token is invalid.');
  if (now.getTime() >= Number(expires) * 1000) return unauthorized('token_expired', 'The token has expired.');
  return undefined;
}

function unauthorized(code: string, detail: string): Outcome {
  return failed(401, code, detail, { 'WWW-Authenticate': 'Token' });
}
