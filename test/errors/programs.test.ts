/** What programs decide by: whether an error may be retried, and the codes that are known beforehand (issue 20, D4). */
import { isDataImportError, isKnownStatus, RateLimitError } from 'data-import-sdk';
import { describe, expect, it } from 'vitest';
import { account, processPayload } from '../helpers/calls.js';
import { clientOf, errorOf } from '../helpers/client-of.js';
import {
  answer,
  closedPort,
  misbehavingServer,
  type Reaction,
  resetAfterReading,
} from '../helpers/misbehaving-server.js';

const STAGE = 'account-import-process/create-or-update/';
const BUSINESS = 'business/';

async function staging(reaction: Reaction) {
  const server = await misbehavingServer({ [STAGE]: reaction });
  return errorOf(clientOf(server, { maxRetries: 0 }).accounts.stage(account, { maxThrottleWaitMs: 0 }));
}

describe('retryable', () => {
  it.each<[string, Reaction, boolean]>([
    ['ValidationError', answer(400, { detail: 'x', code: 'account_failed_validation', errors: [] }), false],
    ['AuthenticationError', answer(401), false],
    ['ApiError', answer(403), false],
    ['NotFoundError', answer(404), false],
    ['RateLimitError', answer(429, {}, { 'retry-after': '7' }), true],
    ['ServerError', answer(500), true],
    ['ConnectionError', resetAfterReading, true],
    ['ResponseMismatchError', answer(201, []), false],
  ])('of %s is %j', async (name, reaction, retryable) => {
    expect(await staging(reaction)).toMatchObject({ name, retryable });
  });

  it('is true if nothing was sent, and false if the answer was lost and a repetition could take effect twice', async () => {
    const client = clientOf({ url: await closedPort() }, { maxRetries: 0 });
    expect(await errorOf(client.accounts.stage(account))).toMatchObject({ name: 'ConnectionError', retryable: true });
    const server = await misbehavingServer({ [BUSINESS]: resetAfterReading });
    const business = { import_supplier_code: 'ACME', external_business_identifier: 'B-1' };
    const lost = await errorOf(clientOf(server, { maxRetries: 0 }).businesses.create(business));
    expect(lost).toMatchObject({ name: 'OutcomeUnknownError', retryable: false });
  });

  it('is false of a payload that was not sent', async () => {
    const server = await misbehavingServer({});
    const payload = { ...processPayload, operations_team_name: 7 } as unknown as typeof processPayload;
    const error = await errorOf(clientOf(server).accounts.process(payload));
    expect(error).toMatchObject({ name: 'InvalidPayloadError', retryable: false });
  });
});

it('name narrows the result of isDataImportError', async () => {
  const error: unknown = await staging(answer(429, {}, { 'retry-after': '7' }));
  if (!isDataImportError(error) || error.name !== 'RateLimitError') throw new Error('expected a RateLimitError');
  expect(error.retryAfterMs).toBe(7000);
  expect(error).toBeInstanceOf(RateLimitError);
});

it.each([
  ['UNKNOWN', true],
  ['PENDING', true],
  ['IN_PROGRESS', true],
  ['REJECTED', true],
  ['COMPLETED', true],
  ['completed', false],
  ['PAUSED', false],
  ['', false],
  [undefined, false],
])('E11 isKnownStatus(%j) is %j', (status, isKnown) => {
  expect(isKnownStatus(status)).toBe(isKnown);
});
