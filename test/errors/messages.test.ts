/** A message says operation, status, code, the first attr, attempts, and what to do (DESIGN 5). */
import { describe, expect, it, test } from 'vitest';
import { account, calls, processPayload } from '../helpers/calls.js';
import { clientOf, errorOf } from '../helpers/client-of.js';
import { answer, misbehavingServer, type Reaction } from '../helpers/misbehaving-server.js';

async function messageOf(status: number, body: unknown): Promise<string> {
  const server = await misbehavingServer({ [calls['accounts.stage'].path]: answer(status, body) });
  return (await errorOf(clientOf(server, { maxRetries: 1 }).accounts.stage(account))).message;
}

const twoErrors = {
  detail: 'Account failed validation.',
  code: 'account_failed_validation',
  errors: [
    { detail: 'Not a phone number: Jean.', code: 'invalid_phone_number', attr: 'customers.0.landline' },
    { detail: 'Required.', code: 'required', attr: 'customers.0.email' },
  ],
};

describe('word for word', () => {
  it.each([
    [
      400,
      twoErrors,
      'accounts.stage: 400 account_failed_validation, customers.0.landline invalid_phone_number (1 of 2). Not retried: fix the payload. [validation-error]',
    ],
    [
      400,
      { ...twoErrors, errors: twoErrors.errors.slice(0, 1) },
      'accounts.stage: 400 account_failed_validation, customers.0.landline invalid_phone_number. Not retried: fix the payload. [validation-error]',
    ],
    [
      400,
      undefined,
      'accounts.stage: 400. Not retried: look at error.body and check the base URL. It is not JSON, so a gateway may have refused the request. [validation-error]',
    ],
    [
      400,
      {},
      'accounts.stage: 400. Not retried: look at error.body, which has no known code and no path of a field. [validation-error]',
    ],
    [
      400,
      { non_field_errors: ['Paused.'] },
      'accounts.stage: 400. error.detail has the reason. Not retried: look at error.body, which has no known code and no path of a field. [validation-error]',
    ],
    [
      400,
      { code: 'imported', external_account_number: 'A-1', service_account_number: 'S-1' },
      'accounts.stage: 400 imported. Not retried: the account exists; its numbers are in externalAccountNumber and serviceAccountNumber. [already-imported-error]',
    ],
    [401, {}, 'accounts.stage: 401. Check the token, its scheme and the API key behind it. [authentication-error]'],
    [
      403,
      {},
      'accounts.stage: 403. Not retried: the service, or a gateway before it, refuses this caller; the token is kept. [api-error]',
    ],
    [
      404,
      { code: 'not_found' },
      'accounts.stage: 404 not_found. Not retried: check supplier code, account number, whether the account is imported, and the base URL. [not-found-error]',
    ],
    [405, {}, 'accounts.stage: 405. Not retried: look at status and body. [api-error]'],
    [
      500,
      { code: 'server_error' },
      'accounts.stage: 500 server_error after 2 attempts. It is safe to call again later. [server-error]',
    ],
    [
      200,
      {},
      'accounts.stage: 200 with a body that differs from the API specification: external_account_number: Required: expected a string. ' +
        'Not retried: the service did answer. Look at `body` and check the base URL, then report it. [response-mismatch-error]',
    ],
    [
      200,
      { external_account_number: null },
      'accounts.stage: 200 with a body that differs from the API specification: external_account_number: null in place of a value. ' +
        'Not retried: the service did answer. Look at `body` and check the base URL, then report it. [response-mismatch-error]',
    ],
  ])('%i %j', async (status, body, message) => {
    expect(await messageOf(status, body)).toBe(message);
  });

  it('a 400 with the page of a gateway does not blame only the payload', async () => {
    const page: Reaction = (_, response) => void response.writeHead(400).end('<html>Bad request</html>');
    const server = await misbehavingServer({ [calls['accounts.stage'].path]: page });
    const error = await errorOf(clientOf(server).accounts.stage(account));
    expect(error).toMatchObject({ name: 'ValidationError', nextAction: 'inspect', attempts: 1 });
    expect(error.message).toBe(
      'accounts.stage: 400. Not retried: look at error.body and check the base URL. It is not JSON, so a gateway may have refused the request. [validation-error]',
    );
  });

  it('a local refusal', async () => {
    const client = clientOf({ url: 'http://127.0.0.1:9' });
    const wrong = { ...account, customers: [{ landline: 'Jean', mobile: 'Marie' }] };
    expect((await errorOf(client.accounts.stage(wrong))).message).toBe(
      'accounts.stage: invalid_payload, customers.0.mobile invalid_phone_number (1 of 2): Expected a telephone number, best in international form such as +33612345678. Nothing was sent: fix the payload. [invalid-payload-error]',
    );
  });
});

test('a local refusal of a misspelt field names the similar one, and no other expectation', async () => {
  const wrong = { ...account, custmers: [] } as never;
  expect((await errorOf(clientOf({ url: 'http://127.0.0.1:9' }).accounts.stage(wrong))).message).toBe(
    'accounts.stage: invalid_payload, * unknown_field (did you mean `customers`?). Nothing was sent: fix the payload. [invalid-payload-error]',
  );
});

describe('of a path only the parts are hidden that may be data', () => {
  it.each([
    ['customers.0.Jean Exemple.landline', 'customers.0.*.landline'],
    ['customers.0.jean@example.com', 'customers.0.*.*'],
    ['customers.0.Brumelle', 'customers.0.*'],
    ['customers.0.given_name.Brumelle', 'customers.0.given_name.*'],
    ['title.75001', 'title.*'],
    ['customers.123456789.landline', 'customers.*.landline'],
    ['metadata.0.value.iban', 'metadata.0.value.*'],
    ['metadata.0.value.owner.0.name', 'metadata.0.value.*.*.*'],
    ['account.metadata.3.value.iban', 'account.metadata.3.value.*'],
    ['metadata.0.value', 'metadata.0.value'],
    ['metadata.Brumelle.key', 'metadata.*.key'],
    ['supply_addresses.0.supply_points.12.identifier', 'supply_addresses.0.supply_points.12.identifier'],
  ])('%s', async (attr, shown) => {
    const body = { errors: [{ detail: 'x', code: 'y', attr }] };
    expect(await messageOf(400, body)).toBe(
      `accounts.stage: 400, ${shown} y. Not retried: fix the payload. [validation-error]`,
    );
  });

  it('also of a local refusal, as JSON', async () => {
    const wrong = { ...account, metadata: [{ key: 'k', value: { iban: () => {} } }] };
    const error = await errorOf(clientOf({ url: 'http://127.0.0.1:9' }).accounts.stage(wrong as never));
    expect(error.message).toBe(
      'accounts.stage: invalid_payload, metadata.0.value.* invalid_json_value (error.errors has the name). Nothing was sent: fix the payload. [invalid-payload-error]',
    );
    expect(JSON.parse(JSON.stringify(error)).errors).toEqual([
      { code: 'invalid_json_value', attr: 'metadata.0.value.*' },
    ]);
  });
});

describe('codes and paths are shown only if they look like codes and paths', () => {
  it.each([
    [
      'a code that is a sentence',
      { code: 'Jean Exemple is unknown' },
      'accounts.stage: 400. Not retried: look at error.body, which has no known code and no path of a field. [validation-error]',
    ],
    [
      'a code that is a number',
      { code: '400' },
      'accounts.stage: 400. Not retried: look at error.body, which has no known code and no path of a field. [validation-error]',
    ],
    [
      'a path with an address in it',
      { errors: [{ detail: 'x', code: 'y', attr: 'jean@example.com' }] },
      'accounts.stage: 400, *.* y. Not retried: fix the payload. [validation-error]',
    ],
    [
      'names in another letter case, of a body that has no documented form',
      { Code: 'x', Errors: { Detail: 'y', Code: 'z', Attr: 'email' } },
      'accounts.stage: 400, *.* invalid (1 of 3): look at error.body. Not retried: fix the payload. [validation-error]',
    ],
    [
      'a very long code',
      { code: 'x'.repeat(201) },
      'accounts.stage: 400. Not retried: look at error.body, which has no known code and no path of a field. [validation-error]',
    ],
    [
      'neither',
      { errors: [{ detail: 'x', code: '1 2', attr: '3 4' }] },
      'accounts.stage: 400. Not retried: fix the payload. [validation-error]',
    ],
  ])('%s', async (_, body, message) => {
    expect(await messageOf(400, body)).toBe(message);
  });
});

it('the attempts of a process are those of the process, not of the questions about it', async () => {
  const server = await misbehavingServer({
    [calls['accounts.process'].path]: [answer(504), answer(400, { code: 'no_team' })],
    [calls['imports.status'].path]: answer(404),
  });
  expect((await errorOf(clientOf(server).accounts.process(processPayload))).message).toBe(
    'accounts.process: 400 no_team after 2 attempts. An earlier attempt may have succeeded. Not retried: look at error.body, which has no known code and no path of a field. [validation-error]',
  );
});
