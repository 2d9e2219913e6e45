/** What each method sends and what it gives back; every expected value is written from the document. */
import { type DataImportClientOptions, ResponseMismatchError } from 'data-import-sdk';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { businessAccount, domesticAccount } from '../examples/account.js';
import { business } from '../examples/business.js';
import { historicalStatements } from '../examples/historical-statements.js';
import { notes } from '../examples/notes.js';
import { businessPaymentInstruction, paymentInstruction } from '../examples/payment-instructions.js';
import { populate } from '../examples/populate.js';
import { transactions } from '../examples/transactions.js';
import { account, everyCall, processPayload } from '../helpers/calls.js';
import { clientOf, errorOf } from '../helpers/client-of.js';
import { answer, misbehavingServer, type ReceivedRequest } from '../helpers/misbehaving-server.js';

/** A server that answers one path once, and a client of it. */
async function answering(path: string, status: number, body: unknown, options: Partial<DataImportClientOptions> = {}) {
  const server = await misbehavingServer({ [path]: [answer(status, body, { 'x-request-id': 'req-1' }), answer(418)] });
  return { server, client: clientOf(server, options) };
}

describe('each endpoint: exact method, path and body, and the documented answer', () => {
  it('E1 supplyPoints.populate', async () => {
    const { server, client } = await answering('supply-point/populate/', 201, { batch_id: 'b-1' });
    const result = await client.supplyPoints.populate(populate);
    expect(result).toEqual({ batch_id: 'b-1' });
    expectTypeOf(result.batch_id).toEqualTypeOf<string>();
    expect(server.log).toEqual(['POST supply-point/populate/']);
    expect(server.requests[0]?.body).toBe(
      '{"prm_ids":["01234567890123","09876543210987"],"pce_ids":["21234567890123"],"customer_category":"RESIDENTIAL"}',
    );
  });

  it('E2 businesses.create', async () => {
    const body = { service_business_id: 4711, external_business_identifier: 'BUSINESS-0001' };
    const { server, client } = await answering('business/', 201, body);
    const result = await client.businesses.create(business);
    expect(result).toEqual(body);
    expectTypeOf(result.service_business_id).toEqualTypeOf<number | string>();
    expect(server.log).toEqual(['POST business/']);
    expect(server.requests[0]?.body).toBe(JSON.stringify(business));
  });

  it.each([
    ['its id as text', { service_business_id: '17' }, { service_business_id: '17' }],
    ['a number', 17, { service_business_id: 17 }],
    ['a text', '"17"', { service_business_id: '17' }],
  ])('E2 businesses.create takes an answer that is only %s', async (_, body, expected) => {
    const { client } = await answering('business/', 201, body);
    expect(await client.businesses.create(business)).toEqual(expected);
  });

  it.each([5.5, true, []])('E2 an id %j is named with what is expected', async (id) => {
    const { client } = await answering('business/', 201, { service_business_id: id });
    expect((await errorOf(client.businesses.create(business))).message).toMatch(
      'specification: service_business_id: Expected a whole number, or a text of digits. Not retried',
    );
  });

  it('E2 a 303 says that the request was done, and not with which result', async () => {
    const { server, client } = await answering('business/', 303, '');
    expect(await errorOf(client.businesses.create(business))).toMatchObject({
      name: 'OutcomeUnknownError',
      message: expect.stringMatching(/^businesses.create: only a 303 came, so the request may have taken effect\. /),
      cause: { name: 'ApiError', status: 303 },
    });
    expect(server.log).toEqual(['POST business/']);
  });

  it('E3 businesses.createPaymentInstruction', async () => {
    const body = { reference: 'CARD-0002', external_business_identifier: 'BUSINESS-0001' };
    const { server, client } = await answering('business-payment-instruction/create/', 201, body);
    expect(await client.businesses.createPaymentInstruction(businessPaymentInstruction)).toEqual(body);
    expect(server.log).toEqual(['POST business-payment-instruction/create/']);
    expect(server.requests[0]?.body).toBe(
      '{"import_supplier_code":"SANDBOX_SUPPLIER","external_business_identifier":"BUSINESS-0001",' +
        '"vendor":"SANDBOX_VENDOR","reference":"CARD-0002","type":"CARD",' +
        '"accounts":[{"external_account_number":"ACC-0002"},{"external_account_number":"ACC-0003"}]}',
    );
  });

  it.each([
    ['domestic', domesticAccount],
    ['BUSINESS', businessAccount],
  ])('E4 accounts.validate, %s', async (_, payload) => {
    const { server, client } = await answering('validate-account/', 200, payload);
    expect(await client.accounts.validate(payload)).toEqual(payload);
    expect(server.log).toEqual(['POST validate-account/']);
    expect(server.requests[0]?.body).toBe(JSON.stringify(payload));
  });

  it('E4 a validated account may be answered with {}', async () => {
    const { client } = await answering('validate-account/', 200, {});
    expect(await client.accounts.validate(domesticAccount)).toEqual({});
  });

  it.each([
    [201, 'created'],
    [200, 'updated'],
  ])('E5 accounts.stage: %i is %s', async (status, outcome) => {
    const body = { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: 'ACC-0001' };
    const { server, client } = await answering('account-import-process/create-or-update/', status, body);
    const result = await client.accounts.stage(domesticAccount);
    expect(result).toEqual(body);
    expect(result.callOutcome).toBe(outcome);
    expectTypeOf(result.callOutcome).toEqualTypeOf<'created' | 'updated'>();
    expect(server.log).toEqual(['POST account-import-process/create-or-update/']);
    expect(server.requests[0]?.body).toBe(JSON.stringify(domesticAccount));
  });

  it.each([
    ['import_supplier_code, as some deployments send it', { import_supplier_code: 'ACME' }],
    ['neither name of the supplier', {}],
  ])('E5 an answer with %s is returned unchanged', async (_, supplier) => {
    const body = { ...supplier, external_account_number: 'A-1' };
    const { client } = await answering('account-import-process/create-or-update/', 201, body);
    expect(await client.accounts.stage(account)).toEqual(body);
  });

  it('E6 accounts.process', async () => {
    const body = { service_account_number: '000123' };
    const { server, client } = await answering('account-import-process/process/', 201, body);
    const result = await client.accounts.process(processPayload);
    expect(result).toEqual(body);
    expect(result.callOutcome).toBe('created');
    expectTypeOf(result.callOutcome).toEqualTypeOf<'created' | 'confirmed'>();
    expect(server.log).toEqual(['POST account-import-process/process/']);
    expect(server.requests[0]?.body).toBe(
      '{"import_supplier_code":"ACME","external_account_number":"A-1","operations_team_name":"MIGRATION"}',
    );
  });

  it('E6 accounts.process: 201 with an empty number (no account yet) is not "created"', async () => {
    const { server, client } = await answering('account-import-process/process/', 201, { service_account_number: '' });
    const error = await errorOf(client.accounts.process(processPayload));
    expect(error).toMatchObject({ name: 'ResponseMismatchError', nextAction: 'inspect', attempts: 1 });
    expect(error.message).toBe(
      'accounts.process: 201 with a body that differs from the API specification: service_account_number: Expected a string ' +
        'that is not empty. Not retried: the service did answer. Look at `body` and check the base URL, then report it. ' +
        '[response-mismatch-error]',
    );
    expect(server.requests).toHaveLength(1);
  });

  it('E6 accounts.dryRun', async () => {
    const body = { detail: 'Account would successfully import. Rolled back due to Dry Run.' };
    const { server, client } = await answering('account-import-process/process/', 400, body);
    const result = await client.accounts.dryRun(processPayload);
    expect(result).toEqual(body);
    expect(result.wouldImport).toBe(true);
    expect(server.log).toEqual(['POST account-import-process/process/']);
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({ ...processPayload, dry_run: true });
  });

  it('E7 notes.create', async () => {
    const body = [
      { created_at: '2024-01-15T08:00:00Z', body: 'Meter was replaced in January.', status: 'NOTE_CREATION_SUCCESS' },
      { created_at: '2024-03-10T12:00:00Z', body: 'Called about the bill.', status: 'NOTE_ALREADY_EXISTS' },
      { created_at: '2024-01-16T08:00:00+02:00', body: null, status: 'NOTE_CREATION_SUCCESS' },
    ];
    const { server, client } = await answering('notes/create/', 201, body);
    expect(await client.notes.create(notes)).toEqual(body);
    expect(server.log).toEqual(['POST notes/create/']);
    expect(server.requests[0]?.body).toBe(JSON.stringify(notes));
  });

  it('E8 transactions.create', async () => {
    const body = {
      results: [
        {
          status: 'TRANSACTION_ADDED_TO_ACCOUNT',
          transaction_data: { transaction_id: 'TX-0001', amount: '12.50', status: 'TRANSACTION_IMPORT_SUCCESS' },
        },
        { status: 'TRANSACTION_ALREADY_EXISTS', transaction_data: { transaction_id: 'TX-0002', amount: '20.00' } },
      ],
    };
    const { server, client } = await answering('transactions/create/', 201, body);
    expect(await client.transactions.create(transactions)).toEqual(body);
    expect(server.log).toEqual(['POST transactions/create/']);
    expect(server.requests[0]?.body).toBe(JSON.stringify(transactions));
  });

  it.each([
    [{}, ''],
    [{ check_previously_added: undefined }, ''],
    [{ check_previously_added: true }, '?check_previously_added=true'],
    [{ check_previously_added: false }, '?check_previously_added=false'],
    [{ force_add_to_current_statement: false }, '?force_add_to_current_statement=false'],
    [
      { check_previously_added: false, force_add_to_current_statement: true },
      '?check_previously_added=false&force_add_to_current_statement=true',
    ],
  ])('E8 query parameters %j are sent as "%s"', async (options, query) => {
    const { server, client } = await answering('transactions/create/', 201, { results: [] });
    await client.transactions.create(transactions, options);
    expect(server.log).toEqual([`POST transactions/create/${query}`]);
  });

  it('E8 a query parameter that is not a boolean is refused, also "false"', async () => {
    const { server, client } = await answering('transactions/create/', 201, { results: [] });
    const wrong = { check_previously_added: 'false' as never, validate: false };
    expect((await errorOf(client.transactions.create(transactions, wrong))).message).toBe(
      'transactions.create: invalid_payload, check_previously_added invalid_type: Expected a boolean, found a string. Nothing was sent: fix the payload. [invalid-payload-error]',
    );
    expect(server.requests).toEqual([]);
  });

  it.each([200, 201])('E9 historicalStatements.create takes %i (U3)', async (status) => {
    const { server, client } = await answering('historical-statements/create/', status, historicalStatements);
    expect(await client.historicalStatements.create(historicalStatements)).toEqual(historicalStatements);
    expect(server.log).toEqual(['POST historical-statements/create/']);
    expect(server.requests[0]?.body).toBe(JSON.stringify(historicalStatements));
  });

  it.each([
    ['a list', 201, [{ bill_period_from_date: '2025-01-01' }], [{ bill_period_from_date: '2025-01-01' }]],
    ['no body', 201, undefined, {}],
    ['no body', 200, undefined, {}],
    ['204', 204, undefined, {}],
  ])('E9 historicalStatements.create: %s with %i is a success', async (_, status, body, expected) => {
    const { server, client } = await answering('historical-statements/create/', status, body);
    expect(await client.historicalStatements.create(historicalStatements)).toEqual(expected);
    expect(server.log).toEqual(['POST historical-statements/create/']);
  });

  it.each([[[5]], ['"done"'], ['<html>Welcome</html>']])('E9 historicalStatements.create: %j is none', async (body) => {
    const { client } = await answering('historical-statements/create/', 201, body);
    await expect(client.historicalStatements.create(historicalStatements)).rejects.toThrow(ResponseMismatchError);
  });

  it('E10 paymentInstructions.create', async () => {
    const body = { service_account_number: 'A-00012345', reference: 'CARD-0001' };
    const { server, client } = await answering('payment-instruction/create/', 201, body);
    expect(await client.paymentInstructions.create(paymentInstruction)).toEqual(body);
    expect(server.log).toEqual(['POST payment-instruction/create/']);
    expect(server.requests[0]?.body).toBe(
      '{"import_supplier":"SANDBOX_SUPPLIER","external_account_number":"ACC-0001",' +
        '"vendor":"SANDBOX_VENDOR","reference":"CARD-0001","type":"CARD"}',
    );
  });

  it.each([
    { status: 'UNKNOWN', service_account_number: '' },
    { status: 'PENDING', service_account_number: '000123' },
    { status: 'A_STATUS_OF_TOMORROW', service_account_number: '000123' },
  ])('E11 imports.status: $status', async (body) => {
    const { server, client } = await answering('account-transfer-status/ACME/A-1/', 200, body);
    expect(await client.imports.status({ import_supplier_code: 'ACME', external_account_number: 'A-1' })).toEqual(body);
    expect(server.log).toEqual(['GET account-transfer-status/ACME/A-1/']);
  });

  const staged = { external_account_number: 'A-1', service_account_number: null, account_created_at: null };
  const imported = {
    external_account_number: 'A-2',
    service_account_number: '000123',
    account_created_at: '2024-03-10T12:00:00Z',
  };

  it('E12 imports.all', async () => {
    const { server, client } = await answering('all-account-import-processes/ACME/', 200, [staged, imported]);
    expect(await client.imports.all('ACME')).toEqual([staged, imported]);
    expect(server.log).toEqual(['GET all-account-import-processes/ACME/']);
  });

  it('E13 imports.pending', async () => {
    const { server, client } = await answering('pending-account-import-processes/ACME/', 200, [staged]);
    expect(await client.imports.pending('ACME')).toEqual([staged]);
    expect(server.log).toEqual(['GET pending-account-import-processes/ACME/']);
  });

  it('E12 E13 204 is an empty list, and 200 without a body is none (U4)', async () => {
    const at204 = await answering('all-account-import-processes/ACME/', 204, undefined);
    expect(await at204.client.imports.all('ACME')).toEqual([]);
    const pending = await answering('pending-account-import-processes/ACME/', 204, undefined);
    expect(await pending.client.imports.pending('ACME')).toEqual([]);
    const at200 = await answering('all-account-import-processes/ACME/', 200, undefined);
    await expect(at200.client.imports.all('ACME')).rejects.toThrow(ResponseMismatchError);
  });

  it('E11 E14 204 is not a state, and not an answer about imported accounts (U5)', async () => {
    const status = await answering('account-transfer-status/ACME/A-1/', 204, undefined);
    await expect(
      status.client.imports.status({ import_supplier_code: 'ACME', external_account_number: 'A-1' }),
    ).rejects.toThrow(ResponseMismatchError);
    const list = await answering('imported-account-import-processes/ACME/', 204, undefined);
    expect(await list.client.imports.imported('ACME')).toBeUndefined();
  });

  it.each([
    ['a list', [imported], [imported]],
    ['no body', undefined, undefined],
    ['white space', ' \n', undefined],
    ['only numbers', ['A-2'], ['A-2']],
    ['an object', { results: [imported] }, { results: [imported] }],
    ['fields of another kind', [{ service_account_number: 123 }], [{ service_account_number: 123 }]],
  ])('E14 imports.imported: %s (U5)', async (_, body, expected) => {
    const { server, client } = await answering('imported-account-import-processes/ACME/', 200, body);
    expect(await client.imports.imported('ACME')).toEqual(expected);
    expect(server.log).toEqual(['GET imported-account-import-processes/ACME/']);
  });
});

describe('every call', () => {
  it.each(everyCall)('%s: headers', async (_, { path, status, answer: body, send }) => {
    const { server, client } = await answering(path, status, body);
    await send(client);
    const [request] = server.requests;
    const { method, headers } = request as ReceivedRequest;
    expect(headers).toMatchObject({
      authorization: 'Token test-token',
      accept: 'application/json',
      'user-agent': expect.stringMatching(/^data-import-sdk\/\d+\.\d+\.\d+$/),
    });
    expect(headers['content-type']).toBe(method === 'POST' ? 'application/json' : undefined);
    expect(headers['content-length']).toBe(
      method === 'POST' ? String(Buffer.byteLength(request?.body ?? '')) : undefined,
    );
  });

  it.each(everyCall)('%s: .withResponse() surrounds the same request, and sends once', async (_, call) => {
    const { server, client } = await answering(call.path, call.status, call.answer);
    const sent = call.send(client) as Promise<unknown> & { withResponse(): Promise<Record<string, unknown>> };

    const [data, response, again] = await Promise.all([sent, sent.withResponse(), sent.withResponse()]);

    expect(Object.keys(response)).toEqual(['data', 'status', 'headers', 'attempts', 'requestId', 'callOutcome']);
    expect(response).toMatchObject({ data, status: call.status, attempts: 1, requestId: 'req-1' });
    expect(response['headers']).toMatchObject({ 'content-type': 'application/json', 'x-request-id': 'req-1' });
    expect(again).toEqual(response);
    expect(server.requests).toHaveLength(1);
  });

  it('is a promise: then, catch and finally', async () => {
    const { client } = await answering('all-account-import-processes/ACME/', 200, []);
    const call = client.imports.all('ACME');
    let ended = 0;
    expect(await call.then((list) => list.length)).toBe(0);
    expect(await call.catch(() => 'caught')).toEqual([]);
    expect(await call.finally(() => ended++)).toEqual([]);
    expect(ended).toBe(1);
    expect(call).toBeInstanceOf(Promise);
    expect(await client.imports.all('ACME').catch((error) => (error as Error).name)).toBe('ApiError');
  });
});

describe('authorization (C2, U2)', () => {
  it.each([
    [{}, 'Token t-1'],
    [{ advanced: { tokenScheme: 'Bearer' } }, 'Bearer t-1'],
    [{ advanced: { tokenScheme: '' } }, 't-1'],
  ])('%j sends "%s"', async (options, expected) => {
    const { server, client } = await answering('all-account-import-processes/ACME/', 200, [], {
      token: 't-1',
      ...options,
    });
    await client.imports.all('ACME');
    expect(server.requests[0]?.headers['authorization']).toBe(expected);
  });
});

describe('the base URL', () => {
  it.each(['', '/', '/gateway', '/gateway/', '/a/b//'])('a path "%s" before the service', async (path) => {
    const before = path.replace(/\/+$/, '');
    const server = await misbehavingServer({
      [`${before}/v1/data-import/all-account-import-processes/ACME/`]: answer(200, []),
      'all-account-import-processes/ACME/': answer(200, []),
    });
    await clientOf({ url: `${server.url}${path}` }).imports.all('ACME');
    expect(server.requests[0]?.url).toBe(`${before}/v1/data-import/all-account-import-processes/ACME/`);
  });
});

describe('path parameters', () => {
  it.each([
    ['A/1', 'A%2F1'],
    ['../A', '..%2FA'],
    ['...', '...'],
    ['%2e%2e', '%252e%252e'],
    ['A 1?x=1#y', 'A%201%3Fx%3D1%23y'],
    ['é€😀', '%C3%A9%E2%82%AC%F0%9F%98%80'],
    ['0001', '0001'],
  ])('"%s" is sent as %s', async (value, encoded) => {
    const path = `account-transfer-status/${encoded}/${encoded}/`;
    const { server, client } = await answering(path, 200, { status: 'UNKNOWN', service_account_number: '' });
    await client.imports.status({ import_supplier_code: value, external_account_number: value });
    expect(server.requests[0]?.url).toBe(`/v1/data-import/${path}`);
  });

  it.each([
    ['', 'required'],
    ['.', 'invalid'],
    ['..', 'invalid'],
    ['\ud800', 'invalid'],
    [undefined, 'required'],
    [7, 'invalid'],
  ])('%j is refused before anything is sent', async (value, code) => {
    const { server, client } = await answering('', 200, []);
    const both = await errorOf(
      client.imports.status(
        { import_supplier_code: value as string, external_account_number: value as string },
        { validate: false },
      ),
    );
    expect(both).toMatchObject({
      name: 'InvalidPayloadError',
      attempts: 0,
      errors: [
        { attr: 'import_supplier_code', code, severity: 'error' },
        { attr: 'external_account_number', code, severity: 'error' },
      ],
    });
    expect(both.message.startsWith(`imports.status: invalid_payload, import_supplier_code ${code} (1 of 2): `)).toBe(
      true,
    );
    expect(both.message).toContain('xpected ');
    await errorOf(client.imports.pending(value as string));
    expect(server.requests).toEqual([]);
  });
});

describe('the payload and its copy', () => {
  it('C9 undefined is left out and never becomes null; null is refused', async () => {
    const { server, client } = await answering('account-import-process/create-or-update/', 201, account);
    await client.accounts.stage({ ...account, billing_postcode: undefined, customers: [{ title: undefined }] });
    expect(server.requests[0]?.body).toBe(
      '{"import_supplier":"ACME","external_account_number":"A-1","customers":[{}]}',
    );
    expect((await errorOf(client.accounts.stage({ ...account, billing_postcode: null as never }))).message).toBe(
      'accounts.stage: invalid_payload, billing_postcode null: Expected a string, not null; leave an optional field out. Nothing was sent: fix the payload. [invalid-payload-error]',
    );
  });

  it('C9 undefined in a list, which JSON would turn into null, is refused', async () => {
    const { server, client } = await answering('account-import-process/create-or-update/', 201, account);
    const error = await errorOf(client.accounts.stage({ ...account, customers: [undefined as never] }));
    expect(error).toMatchObject({ errors: [{ attr: 'customers.0', code: 'required' }] });
    expect(server.requests).toEqual([]);
  });

  it('the payload is sent as it was when the method was called, and is not changed', async () => {
    const { server, client } = await answering('account-import-process/create-or-update/', 201, account);
    const payload = Object.freeze({ ...account });
    const mutable = { ...account };
    const call = client.accounts.stage(mutable);
    mutable.external_account_number = 'A-2';
    await call;
    expect(server.requests[0]?.body).toBe(JSON.stringify(payload));
  });

  it('C8 undocumented fields of an answer are kept by the client', async () => {
    const body = { ...account, import_process_id: 9, nested: { more: [1] } };
    const { client } = await answering('account-import-process/create-or-update/', 200, body);
    expect(await client.accounts.stage(account)).toEqual(body);

    const list = [{ external_account_number: 'A-1', service_account_number: null, account_created_at: null, wave: 3 }];
    const all = await answering('all-account-import-processes/ACME/', 200, list);
    expect(await all.client.imports.all('ACME')).toEqual(list);
  });

  it('any 2xx is success: an undocumented status is read like the documented one', async () => {
    const { client } = await answering('account-import-process/process/', 202, { service_account_number: 'S-1' });
    expect(await client.accounts.process(processPayload).withResponse()).toMatchObject({
      status: 202,
      data: { service_account_number: 'S-1', callOutcome: 'created' },
    });
  });

  it('a byte order mark before the JSON is ignored', async () => {
    const { client } = await answering('all-account-import-processes/ACME/', 200, '\ufeff[]');
    expect(await client.imports.all('ACME')).toEqual([]);
  });

  it.each(['request-id', 'x-correlation-id'])('the request id is also taken from %s', async (header) => {
    const server = await misbehavingServer({
      'all-account-import-processes/ACME/': answer(200, [], { [header]: 'req-2' }),
    });
    expect((await clientOf(server).imports.all('ACME').withResponse()).requestId).toBe('req-2');
  });
});
