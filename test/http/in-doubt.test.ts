/** Whether a refusal may be the trace of our own success: only where an earlier request may have been carried out. */
import type { ApiError } from 'data-import-sdk';
import { expect, test } from 'vitest';
import { calls } from '../helpers/calls.js';
import { clientOf, errorOf } from '../helpers/client-of.js';
import { answer, misbehavingServer, type Reaction, resetAfterReading } from '../helpers/misbehaving-server.js';

const { path, send } = calls['businesses.create'];
const refused = answer(400, { detail: 'Exists.', code: 'business_already_exists', errors: [] });

test.each<[string, boolean, Reaction[]]>([
  ['the first request', false, []],
  ['a token that was renewed', false, [answer(401, { detail: 'Expired.' })]],
  ['a 429', false, [answer(429, { detail: 'Later.' })]],
  ['a failure of the service', true, [answer(500, { detail: 'Failed.' })]],
  ['a lost answer', true, [resetAfterReading]],
  ['a failure and a renewed token', true, [answer(500, { detail: 'Failed.' }), answer(401, { detail: 'Expired.' })]],
])('a refusal after %s is in doubt: %s', async (_, inDoubt, before) => {
  const server = await misbehavingServer({ [path]: [...before, refused] });
  let tokens = 0;
  const client = clientOf(server, { token: () => `token-${++tokens}`, throttlePatienceMs: 10_000 });
  const error = await errorOf<ApiError>(send(client, { resendUnknown: true }));
  expect({ status: error.status, attempts: error.attempts, inDoubt: error.inDoubt }).toEqual({
    status: 400,
    attempts: before.length + 1,
    inDoubt,
  });
});
