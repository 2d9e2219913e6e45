/**
 * Exports `answerTokenCall`: the GraphQL call that issues a token (C6, U27). Path, mutation and variable are settings,
 * because they are not documented. The selection set is ignored: the answer has all fields.
 */

import { valueAt } from '../../../schemas/objects.js';
import type { Outcome } from '../calls/call.js';
import type { SandboxSettings } from '../settings/settings.js';
import type { Ids } from '../state/generated-ids.js';
import { apiKeyOf, issueToken, NEVER } from './access-tokens.js';

const REFRESH_SECONDS = 7 * 24 * 3600;

/** Returns the answer. Errors have status 200, as usual for GraphQL; another operation is not implemented: 501. */
export function answerTokenCall(
  { query, variables }: Record<string, unknown>,
  { name, settings, ids, now }: { name: string; settings: SandboxSettings; ids: Ids; now: Date },
): Outcome {
  const { tokenMutation, apiKeyVariable, tokenLifetimeSeconds } = settings;
  const words: readonly string[] = typeof query === 'string' ? query.split(/\W+/) : [];
  if (!words.includes('mutation') || !words.includes(tokenMutation)) {
    const message = `The sandbox implements one operation of the GraphQL interface: mutation ${tokenMutation}.`;
    return { ...graphqlError('NOT_IMPLEMENTED', message, null), status: 501 };
  }
  if (apiKeyIn({ variables }, settings) !== apiKeyOf(name)) {
    const message = `The API key in variables.${apiKeyVariable} is missing or invalid.`;
    return graphqlError('INVALID_API_KEY', message, { [tokenMutation]: null });
  }
  const { token, expires } = issueToken(ids, name, now, tokenLifetimeSeconds);
  const issued = Math.floor(now.getTime() / 1000);
  const refreshExpiresIn = expires === NEVER ? NEVER : issued + REFRESH_SECONDS;
  const refreshToken = ids.signature(`refresh ${refreshExpiresIn}`);
  const answer = { token, payload: { iat: issued, exp: expires }, refreshToken, refreshExpiresIn };
  return { status: 200, body: { data: { [tokenMutation]: answer } } };
}

function graphqlError(errorCode: string, message: string, data: unknown): Outcome {
  return { status: 200, body: { errors: [{ message, extensions: { errorCode } }], data } };
}

/** Returns the API key of a GraphQL call, which may be of any type. */
export function apiKeyIn({ variables }: Record<string, unknown>, { apiKeyVariable }: SandboxSettings): unknown {
  return valueAt(variables, apiKeyVariable.split('.'));
}
