/**
 * Exports `checkToken`, `issueToken` and others: tokens of the REST endpoints (spec: Authentication; C2, C6). A token
 * contains its expiry time and a signature, so that the sandbox need not store issued tokens, and the name of its state,
 * so that isolated states can share one server.
 */
import type { OperationName } from '../../../schemas/operations.js';
import type { Outcome } from '../calls/call.js';
import { failed } from '../calls/error-answers.js';
import { SANDBOX_API_KEY, SANDBOX_TOKEN } from '../settings/sandbox-options.js';
import type { SandboxSettings } from '../settings/settings.js';
import type { Ids } from '../state/generated-ids.js';

/** `exp` of a token that never expires: Unix time of the last second of the year 9999. */
export const NEVER = 253_402_300_799;

/** Name of the state that `SANDBOX_TOKEN` selects. */
export const SHARED = '';

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Returns the name. Throws a TypeError if a token cannot contain it. */
export function checkName(name: string): string {
  if (typeof name === 'string' && NAME.test(name)) return name;
  throw new TypeError('sandbox.isolated: a name has 1 to 64 letters, digits, - or _.');
}

/** Returns the token of a state that never expires. */
export function tokenOf(name: string): string {
  return name === SHARED ? SANDBOX_TOKEN : `${SANDBOX_TOKEN}-${name}`;
}

/** Returns the API key for which the GraphQL call issues tokens of this state. */
export function apiKeyOf(name: string): string {
  return name === SHARED ? SANDBOX_API_KEY : `${SANDBOX_API_KEY}-${name}`;
}

/** Returns the name of the state in an Authorization header, whatever its scheme, and whether or not the token is valid. */
export function nameInToken(header: string | null): string {
  const token = header?.trim().split(/\s+/).at(-1) ?? '';
  return nameAfter(token, `${SANDBOX_TOKEN}-`) ?? ISSUED.exec(token)?.[1] ?? SHARED;
}

/** Returns the name of the state of an API key. */
export function nameInApiKey(apiKey: unknown): string {
  return (typeof apiKey === 'string' ? nameAfter(apiKey, `${SANDBOX_API_KEY}-`) : undefined) ?? SHARED;
}

function nameAfter(text: string, prefix: string): string | undefined {
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

/** Accepted forms of the Authorization header. */
const FORMS: Readonly<Record<SandboxSettings['authScheme'], { pattern: RegExp; example: string }>> = {
  Token: { pattern: /^Token (\S+)$/, example: 'Token <ACCESS_TOKEN>' },
  Bearer: { pattern: /^Bearer (\S+)$/, example: 'Bearer <ACCESS_TOKEN>' },
  bare: { pattern: /^(\S+)$/, example: '<ACCESS_TOKEN>' },
  any: { pattern: /^(?:(?:Token|Bearer) )?(\S+)$/, example: 'Token <ACCESS_TOKEN>' },
};

interface TokenCheck {
  operation: OperationName;
  header: string | null;
  /** Name of the state. */
  name: string;
  ids: Ids;
  now: Date;
  scheme: SandboxSettings['authScheme'];
  /** Watched: not read for a valid token in the documented form, whose answer depends on no setting. */
  settings: SandboxSettings;
}

/** Returns the 401, or undefined if the token is accepted (U2). */
export function checkToken({ operation, header, name, ids, now, scheme, settings }: TokenCheck): Outcome | undefined {
  const value = header?.trim() ?? '';
  const { pattern, example } = FORMS[scheme];
  const problem = problemOf(pattern.exec(value)?.[1], example, name, ids, now);
  if (problem === undefined && FORMS.Token.pattern.test(value)) return undefined;
  // The API specification requires a token only at this endpoint; for the others a setting decides.
  const isRequired = operation === 'businesses.createPaymentInstruction' || settings.authScope === 'all';
  if (problem === undefined || !isRequired) return undefined;

  const missing = { code: 'not_authenticated', detail: `Send the header "Authorization: ${example}".` };
  const { code, detail } = value === '' ? missing : problem;
  const { body, ...outcome } = failed(401, code, detail, {
    'WWW-Authenticate': scheme === 'Bearer' ? 'Bearer' : 'Token',
  });
  const form = settings.unauthorizedBody;
  return { ...outcome, body: form === 'code' ? body : form === 'detail' ? { detail } : undefined };
}

/** Returns why a token is not accepted; undefined if it is. */
function problemOf(token: string | undefined, example: string, name: string, ids: Ids, now: Date) {
  const code = 'authentication_failed';
  if (token === undefined) return { code, detail: `The Authorization header must have the form "${example}".` };
  if (token === tokenOf(name)) return undefined;
  const [, issuedFor = SHARED, expires = '', signature] = ISSUED.exec(token) ?? [];
  const parts = issuedFor === SHARED ? [expires] : [issuedFor, expires];
  if (issuedFor !== name || signature !== ids.signature(parts.join('.'))) {
    return { code, detail: 'The token is invalid.' };
  }
  const isOver = now.getTime() >= Number(expires) * 1000;
  return isOver ? { code: 'token_expired', detail: 'The token has expired.' } : undefined;
}
