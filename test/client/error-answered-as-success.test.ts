/** A 2xx whose body is that of an error is no success, for every operation (API specification: Errors; U3, U5, U32). */
import { describe, expect, it } from 'vitest';
import { type Call, calls } from '../helpers/calls.js';
import { clientOf, errorOf } from '../helpers/client-of.js';
import { answer, misbehavingServer } from '../helpers/misbehaving-server.js';

const item = { detail: 'Not a phone number.', code: 'invalid_phone_number', attr: 'customers.0.landline' };
const errors: [name: string, body: unknown][] = [
  ['the documented one', { detail: 'Failed.', code: 'account_failed_validation', errors: [item] }],
  [
    'the documented one with the names of the request',
    { import_supplier: '', detail: 'No.', code: 'x', errors: [item] },
  ],
  ['only a detail', { detail: 'Internal error' }],
  ['only a code', { code: 'account_failed_validation' }],
  ['only errors', { errors: { customers: ['No.'] } }],
  ['an error', { error: 'invalid_token' }],
  ['an error as an object', { error: { code: 'x', message: 'No.' }, path: '/v1' }],
  ['a detail as an object', { detail: { detail: 'No.', code: 'x' } }],
  ['of a payment vendor', { error_detail: 'Vendor is down.', import_supplier: '' }],
  ['without a field', { non_field_errors: ['The supplier is paused.'] }],
  ['a message and a status', { status: 'error', message: 'login required' }],
  ['of a gateway', { timestamp: '2026-01-01T00:00:00Z', status: 500, error: 'Internal Server Error', path: '/x' }],
  ['only the status of a failure', { status: 'TRANSACTION_IMPORT_ERROR' }],
  ['a list of items', [item]],
  ['a list of texts', ['The supplier is paused.']],
];

/** A status has no other required field than `status`; the imported list may be any other list. */
const isSuccess = (name: string, error: string) =>
  (name === 'imports.status' && /status|of a gateway/.test(error)) ||
  (name === 'imports.imported' && error === 'a list of texts');

describe.each(Object.entries(calls) as [string, Call][])('%s', (name, { path, send }) => {
  const failing = errors.filter(([error]) => !isSuccess(name, error));
  it.each(failing)('answered with success and an error: %s', async (_, body) => {
    const server = await misbehavingServer({ [path]: answer(200, body) });
    const error = await errorOf(send(clientOf(server, { maxRetries: 3 }), {}));
    expect(error).toMatchObject({ name: 'ResponseMismatchError', code: 'response_mismatch', status: 200, body });
    expect(server.log).toHaveLength(1);
  });
});

describe('a success whose body is not shown', () => {
  it.each<[name: keyof typeof calls, body: unknown]>([
    ['historicalStatements.create', {}],
    ['historicalStatements.create', { accepted: 1, status: 'OK' }],
    ['historicalStatements.create', { results: [] }],
    ['historicalStatements.create', { statements: [], message: 'Created.', code: 'created', errors: [] }],
    ['historicalStatements.create', { detail: '', error: null, errors: {} }],
    ['accounts.validate', {}],
    ['accounts.validate', { billing_postcode: '75001', detail: 'Valid.' }],
    ['imports.imported', { results: [{ external_account_number: 'A-1' }] }],
    ['imports.imported', [{ service_account_number: '7', code: 'x' }]],
    ['accounts.stage', { ...(calls['accounts.stage'].answer as object), detail: 'Staged.' }],
    ['accounts.process', { service_account_number: '7', code: 'created', detail: 'Done.', errors: [] }],
  ])('%s stays one: %j', async (name, body) => {
    const server = await misbehavingServer({ [calls[name].path]: answer(200, body) });
    const { send }: Call = calls[name];
    expect(await send(clientOf(server), {})).toMatchObject(body as object);
  });
});
