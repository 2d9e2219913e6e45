/** The check that every answer of the sandbox goes through (test/sandbox/support/requests.ts) finds what is not documented. */
import { expect, test } from 'vitest';
import { undocumented } from './documented-answers.js';

const STAGE = '/v1/data-import/account-import-process/create-or-update/';
const staged = { import_supplier: 'NORTH', external_account_number: 'A-1' };
const stage = { method: 'POST', path: STAGE, status: 201, contentType: 'application/json', body: staged };

test('E5 a documented answer is accepted, also with undocumented fields (C8)', () => {
  expect(undocumented(stage)).toBe(undefined);
  expect(undocumented({ ...stage, body: { ...staged, more: 1 } })).toBe(undefined);
});

test('E5 another status, type, shape or no body at all is found', () => {
  expect(undocumented({ ...stage, status: 202 })).toBe(
    `POST ${STAGE}: the API specification has no answer of status 202`,
  );
  expect(undocumented({ ...stage, contentType: 'text/html' })).toBe(`POST ${STAGE}: 201 of content type text/html`);
  expect(undocumented({ ...stage, body: undefined })).toBe(`POST ${STAGE}: 201 without a body`);
  expect(undocumented({ ...stage, body: { import_supplier: 1 } })).toContain('body of 201 is not as documented');
});

test('C3 a 400 without detail, code and errors is reported, and one with both numbers is accepted (E6)', () => {
  const refusal = { ...stage, status: 400 };
  expect(undocumented({ ...refusal, body: { detail: 'No.', code: 'no' } })).toContain(
    'body of 400 is not as documented',
  );
  expect(undocumented({ ...refusal, body: { detail: 'No.', code: 'no', errors: [] } })).toBe(undefined);
  const numbers = { external_account_number: 'A-1', service_account_number: '0001' };
  expect(undocumented({ ...refusal, body: numbers })).toBe(undefined);
});

test('E11 a path with parameters is recognised, and other requests pass unchecked', () => {
  const status = { ...stage, method: 'GET', path: '/v1/data-import/account-transfer-status/NORTH/A%2F1/', status: 200 };
  expect(undocumented({ ...status, body: { status: 'PENDING', service_account_number: '0001' } })).toBe(undefined);
  expect(undocumented({ ...status, body: [] })).toContain('body of 200 is not as documented');
  expect(undocumented({ ...stage, method: 'PUT', status: 405, body: {} })).toBe(undefined);
});
