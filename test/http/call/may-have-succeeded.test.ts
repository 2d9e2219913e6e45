/** `mayHaveSucceeded`: a refusal may be the trace of our own success, where an earlier request of the call may have succeeded (issue 20, C2). */
import type { ApiError } from 'data-import-sdk';
import { describe, expect, test } from 'vitest';
import { calls } from '../../helpers/calls.js';
import { clientOf, errorOf } from '../../helpers/client-of.js';
import { answer, misbehavingServer, type Reaction, resetAfterReading } from '../../helpers/misbehaving-server.js';

const { path, send } = calls['businesses.create'];
const refused = answer(400, { detail: 'Required.', code: 'required', errors: [] });

test.each<[string, boolean, Reaction[]]>([
  ['the first request', false, []],
  ['a token that was renewed', false, [answer(401, { detail: 'Expired.' })]],
  ['a 429', false, [answer(429, { detail: 'Later.' })]],
  ['a failure of the service', true, [answer(500, { detail: 'Failed.' })]],
  ['a lost answer', true, [resetAfterReading]],
  ['a failure and a renewed token', true, [answer(500, { detail: 'Failed.' }), answer(401, { detail: 'Expired.' })]],
])('after %s an earlier request may have succeeded: %j', async (_, mayHaveSucceeded, before) => {
  const server = await misbehavingServer({ [path]: [...before, refused] });
  let tokens = 0;
  const client = clientOf(server, { token: () => `token-${++tokens}`, advanced: { maxThrottleWaitMs: 10_000 } });
  const error = await errorOf<ApiError>(send(client, { retryUnknownOutcome: true }));
  expect({ status: error.status, attempts: error.attempts, mayHaveSucceeded: error.mayHaveSucceeded }).toEqual({
    status: 400,
    attempts: before.length + 1,
    mayHaveSucceeded,
  });
});

const failed = answer(500, { detail: 'Failed.' });
const exists = answer(400, { detail: 'Exists.', code: 'business_already_exists', errors: [] });
const conflict = answer(409, { detail: 'Conflict.', code: 'conflict', errors: [] });

describe('businesses.create, answered 500 and then refused because the business exists', () => {
  test.each([
    ['business_already_exists', exists, 'businesses.create: 400 business_already_exists after 2 attempts.'],
    ['409', conflict, 'businesses.create: 409 conflict after 2 attempts.'],
  ])('%s: the outcome is unknown', async (_, refusal, cause) => {
    const server = await misbehavingServer({ [path]: [failed, refusal] });
    const error = await errorOf(send(clientOf(server), undefined));
    expect(error).toMatchObject({ name: 'OutcomeUnknownError', attempts: 2, mayHaveSucceeded: true });
    expect(error.message).toBe(
      'businesses.create: the service refuses it because it exists or conflicts, and an earlier attempt of this call may have created it. ' +
        'Ask the operator whether this call created the business, and for its id. [outcome-unknown-error]',
    );
    expect(error.toJSON()).toMatchObject({ nextAction: 'resolve', mayHaveSucceeded: true });
    expect((error.cause as Error).message).toContain(cause);
    expect((error.cause as Error).message).toContain('An earlier attempt may have succeeded.');
  });

  test('a call that can be repeated without harm is refused', async () => {
    const { path: staging, send: stage } = calls['accounts.stage'];
    const server = await misbehavingServer({ [staging]: [failed, conflict] });
    expect(await errorOf(stage(clientOf(server), undefined))).toMatchObject({
      ...{ name: 'ValidationError', status: 409, attempts: 2, mayHaveSucceeded: true },
    });
  });

  test('at the first attempt it existed before', async () => {
    const server = await misbehavingServer({ [path]: exists });
    const error = await errorOf(send(clientOf(server), undefined));
    expect(error).toMatchObject({ name: 'ValidationError', nextAction: 'useExisting', mayHaveSucceeded: false });
    expect(error.toJSON()).not.toHaveProperty('mayHaveSucceeded');
    expect(error.message).not.toContain('An earlier attempt');
  });
});

test('a call that only reads is never reported as possibly successful', async () => {
  const status = calls['imports.status'];
  const server = await misbehavingServer({ [status.path]: [failed, answer(404, { detail: 'Not found.' })] });
  expect(await errorOf(status.send(clientOf(server), undefined))).toMatchObject({
    attempts: 2,
    mayHaveSucceeded: false,
  });
});
