/**
 * Tokens of the REST side (document: Authentication; C2, C6). A token carries its own end and a signature, so that
 * the sandbox need not remember which it gave; and the name of the state that it opens, so that several callers can
 * share one server.
 */
import type { OperationName } from '../../../schemas/operations.js';
import type { Outcome } from '../calls/call.js';
import { failed } from '../calls/error-answers.js';
import { SANDBOX_API_KEY, SANDBOX_TOKEN } from '../settings/sandbox-options.js';
import type { SandboxSettings } from '../settings/settings.js';
import type { Ids } from '../state/generated-ids.js';

/** Unix time of the last second of the year 9999: what `exp` says of a token that never ends. */
export const NEVER = 253_402_300_799;

/** The state that `SANDBOX_TOKEN` opens. */
export const SHARED = '';

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Throws a TypeError for a name that no token can carry. */
export function checkName(name: string): string {
  if (NAME.test(name)) return name;
  throw new TypeError('sandbox.isolated: a name has 1 to 64 letters, digits, - or _.');
}

/** Valid for ever. */
export function tokenOf(name: string): string {
  return name === SHARED ? SANDBOX_TOKEN : `${SANDBOX_TOKEN}-${name}`;
}

/** For this API key the GraphQL call gives a token of the same state. */
export function apiKeyOf(name: string): string {
  return name === SHARED ? SANDBOX_API_KEY : `${SANDBOX_API_KEY}-${name}`;
}

/** Name of the state that the Authorization header opens, whatever word stands before the token and if it is valid. */
export function nameInToken(header: string | null): string {
  const token = header?.trim().split(/\s+/).at(-1) ?? '';
  return nameBehind(token, `${SANDBOX_TOKEN}-`) ?? ISSUED.exec(token)?.[1] ?? SHARED;
}

/** Name of the state that belongs to an API key. */
export function nameInApiKey(apiKey: unknown): string {
  return (typeof apiKey === 'string' ? nameBehind(apiKey, `${SANDBOX_API_KEY}-`) : undefined) ?? SHARED;
}

function nameBehind(text: string, prefix: string): string | undefined {
  const name = text.startsWith(prefix) ? text.slice(prefix.length) : '';
  return NAME.test(name) ? name : undefined;
}

const ISSUED = /^sandbox\.(?:([A-Za-z0-9_-]{1,64})\.)?(\d+)\.(\w+)$/;

export interface IssuedToken {
  token: string;
  /** Unix time in seconds. */
  expires: number;
}

export function issueToken(ids: Ids, name: string, now: Date, lifetimeSeconds: number | null): IssuedToken {
  const expires = lifetimeSeconds === null ? NEVER : Math.floor(now.getTime() / 1000) + lifetimeSeconds;
  const parts = name === SHARED ? [expires] : [name, expires];
  return { token: `sandbox.${parts.join('.')}.${ids.signature(parts.join('.'))}`, expires };
}

/** What the Authorization header must look like. */
const FORMS: Readonly<Record<SandboxSettings['authScheme'], { pattern: RegExp; example: string }>> = {
  Token: { pattern: /^Token (\S+)$/, example: 'Token <ACCESS_TOKEN>' },
  Bearer: { pattern: /^Bearer (\S+)$/, example: 'Bearer <ACCESS_TOKEN>' },
  bare: { pattern: /^(\S+)$/, example: '<ACCESS_TOKEN>' },
  any: { pattern: /^(?:(?:Token|Bearer) )?(\S+)$/, example: 'Token <ACCESS_TOKEN>' },
};

interface TokenCheck {
  operation: OperationName;
  header: string | null;
  /** Name of the state that is asked for. */
  name: string;
  ids: Ids;
  now: Date;
  scheme: SandboxSettings['authScheme'];
  /** Read only where the answer rests on a choice: the document's own form of a valid token rests on none. */
  settings: SandboxSettings;
}

/** undefined when the call may go on, else the 401 (U2). */
export function checkToken({ operation, header, name, ids, now, scheme, settings }: TokenCheck): Outcome | undefined {
  const value = header?.trim() ?? '';
  const { pattern, example } = FORMS[scheme];
  const problem = problemOf(pattern.exec(value)?.[1], name, ids, now);
  if (problem === undefined && FORMS.Token.pattern.test(value)) return undefined;
  // The document asks for a token at this endpoint alone; for the others a setting decides.
  const isAsked = operation === 'businesses.createPaymentInstruction' || settings.authScope === 'all';
  if (problem === undefined || !isAsked) return undefined;

  const code = value === '' ? 'not_authenticated' : problem.code;
  const detail = value === '' ? `Send the header "Authorization: ${example}".` : problem.detail(example);
  const { body, ...outcome } = failed(401, code, detail, {
    'WWW-Authenticate': scheme === 'Bearer' ? 'Bearer' : 'Token',
  });
  const form = settings.unauthorizedBody;
  return { ...outcome, body: form === 'code' ? body : form === 'detail' ? { detail } : undefined };
}

interface Problem {
  code: string;
  detail: (example: string) => string;
}

const NO_TOKEN: Problem = {
  code: 'authentication_failed',
  detail: (example) => `The Authorization header must have the form "${example}".`,
};
const INVALID: Problem = { code: 'authentication_failed', detail: () => 'The token is invalid.' };
const EXPIRED: Problem = { code: 'token_expired', detail: () => 'The token has expired.' };

function problemOf(token: string | undefined, name: string, ids: Ids, now: Date): Problem | undefined {
  if (token === undefined) return NO_TOKEN;
  if (token === tokenOf(name)) return undefined;
  const [, issuedFor = SHARED, expires = '', signature] = ISSUED.exec(token) ?? [];
  const parts = issuedFor === SHARED ? [expires] : [issuedFor, expires];
  if (issuedFor !== name || signature !== ids.signature(parts.join('.'))) return INVALID;
  return now.getTime() >= Number(expires) * 1000 ? EXPIRED : undefined;
}
