/** Every body shape of FACTS.md decodes to one list of {detail, code, attr} (DESIGN 5). */
import type { ApiError } from 'data-import-sdk';
import { describe, expect, it } from 'vitest';
import { paymentInstruction } from '../examples/payment-instructions.js';
import { account, calls, processPayload } from '../helpers/calls.js';
import { clientOf, errorOf } from '../helpers/client-of.js';
import { answer, html, misbehavingServer } from '../helpers/misbehaving-server.js';
import { rowsOf } from '../helpers/rows.js';

/** The error of a call that the service answers like this. */
async function errorFor(status: number, body: unknown): Promise<ApiError> {
  const server = await misbehavingServer({ [calls['accounts.stage'].path]: answer(status, body) });
  return errorOf<ApiError>(clientOf(server, { maxRetries: 0 }).accounts.stage(account));
}

const accountKey = { import_supplier: 'ACME', external_account_number: 'A-1' };
const item = (detail: string, code: string, attr: string) => ({ detail, code, attr });

describe('C3 bodies of 400', () => {
  it.each(rowsOf<
    [name: string, body: unknown, code: string, detail: string | undefined, errors: [string, string, string][]]
  >`
    the documented one | {"detail":"Account failed validation.","code":"account_failed_validation","errors":[{"detail":"Not a phone number.","code":"invalid_phone_number","attr":"customers.0.landline"},{"detail":"Required.","code":"required","attr":"supply_addresses.1.supply_postcode"}]} | account_failed_validation | Account failed validation. | [["Not a phone number.","invalid_phone_number","customers.0.landline"],["Required.","required","supply_addresses.1.supply_postcode"]]
    fields nested by name and index | {"customers":{"0":{"landline":["Not a phone number.","Too long."]}}} | http_400 | - | [["Not a phone number.","invalid","customers.0.landline"],["Too long.","invalid","customers.0.landline"]]
    fields nested in lists, where whole items are fine | {"customers":[{},{"landline":["Not a phone number."]}]} | http_400 | - | [["Not a phone number.","invalid","customers.1.landline"]]
    a field of an object | {"billing_address":{"postcode":["Too long."]}} | http_400 | - | [["Too long.","invalid","billing_address.postcode"]]
    a field with an object of detail and code | {"customers":[{"email":[{"message":"Not an address.","code":"invalid_email"}]}]} | http_400 | - | [["Not an address.","invalid_email","customers.0.email"]]
    non_field_errors as a list | {"non_field_errors":["The supplier is paused."]} | http_400 | The supplier is paused. | [["The supplier is paused.","http_400","non_field_errors"]]
    non_field_errors as an object, beside an identifier | {"non_field_errors":{"detail":"Marked to skip.","code":"skipped"},"account_id":"A-1"} | skipped | Marked to skip. | [["Marked to skip.","skipped","non_field_errors"]]
    code, detail and domain | {"code":"X-1","detail":"No.","domain":"imports"} | X-1 | No. | []
    a code that is a number | {"detail":"No.","code":400} | "400" | No. | []
    a bare list | ["The supplier is paused."] | http_400 | The supplier is paused. | [["The supplier is paused.","http_400","non_field_errors"]]
    a bare string | The supplier is paused. | http_400 | The supplier is paused. | [["The supplier is paused.","http_400","non_field_errors"]]
    errors as a tree | {"detail":"No.","code":"x","errors":{"customers":[{"email":["Required."]}]}} | x | No. | [["Required.","invalid","customers.0.email"]]
    errors as a list of strings and trees | {"errors":["Paused.",{"email":["Required."]},null,7]} | http_400 | Paused. | [["Paused.","http_400","non_field_errors"],["Required.","invalid","email"]]
    errors without attr, or without code | {"errors":[{"detail":"Paused.","code":"paused"},{"detail":"Required.","attr":"email"},{"code":"x","attr":"y"}]} | http_400 | Paused. | [["Paused.","paused","non_field_errors"],["Required.","invalid","email"],["","x","y"]]
    the error as an object | {"error":{"code":"x","message":"No."}} | x | No. | [["No.","x","non_field_errors"]]
    a bare list of items | [{"code":"invalid_phone_number","attr":"customers.0.landline"},{"email":["Required."]}] | http_400 | - | [["","invalid_phone_number","customers.0.landline"],["Required.","invalid","email"]]
    a bare list of an item whose attr is null | [{"detail":"No.","code":"x","attr":null}] | x | No. | [["No.","x","non_field_errors"]]
    a bare list of an item with more than the documented fields | [{"detail":"No.","code":"x","attr":"email","about":{"at":1}}] | http_400 | - | [["No.","x","email"]]
    an item whose attr is null, in a tree | {"customers":[{"email":[{"detail":"No.","code":"x","attr":null}]}]} | http_400 | - | [["No.","x","customers.0.email"]]
    the documented one as error | {"error":{"detail":"No.","code":"x","errors":[{"detail":"Required.","code":"required","attr":"email"}]}} | x | No. | [["Required.","required","email"]]
    the documented one without items as error | {"error":{"detail":"No.","code":"x","errors":[]}} | x | No. | []
    only a code as error | {"error":{"code":"x"}} | x | - | [["","x","non_field_errors"]]
    the documented one as detail | {"detail":{"detail":"No.","code":"x","errors":[{"detail":"Required.","code":"required","attr":"email"}]}} | x | No. | [["Required.","required","email"]]
    the documented one without items as detail | {"detail":{"detail":"No.","code":"x","errors":[]}} | x | No. | []
    only a code as detail | {"detail":{"code":"x"}} | x | - | [["","x","non_field_errors"]]
    errors as one item | {"errors":{"detail":"No.","code":"x"}} | x | No. | [["No.","x","non_field_errors"]]
    only a message | {"message":"No."} | http_400 | No. | []
    the status of the answer | {"status":400,"error":"Bad Request","path":"/x"} | http_400 | Bad Request | []
    the status of the answer as a text | {"status":"400","title":"Bad Request"} | http_400 | - | []
    empty codes | {"code":"","detail":"No.","errors":[{"code":"","attr":"email","detail":"Required."},{"code":"","detail":"No."}]} | http_400 | No. | [["Required.","invalid","email"],["No.","http_400","non_field_errors"]]
    detail as a list | {"detail":["No."]} | http_400 | No. | [["No.","http_400","non_field_errors"]]
    a field that is called status or code | {"status":["Not one of the values."],"code":["Too long."]} | http_400 | - | [["Not one of the values.","invalid","status"],["Too long.","invalid","code"]]
    a payment instruction that failed at the vendor | {"error_detail":"Vendor is down.","import_supplier":"ACME","external_account_number":"A-1","reference":"R-1"} | http_400 | Vendor is down. | []
    an empty object | {} | http_400 | - | []
    an empty list | [] | http_400 | - | []
    a number | 7 | http_400 | - | []
    "null" | null | http_400 | - | []
    nothing | - | http_400 | - | []
    a page | <html>Bad Request</html> | http_400 | - | []
    half a JSON text | {"detail": "No | http_400 | - | []
  `)('%s', async (name, body, code, detail, items) => {
    const errors = items.map((of) => item(...of));
    const sent = name === 'a bare string' ? JSON.stringify(body) : body;
    const error = await errorFor(400, sent);
    const nextAction = errors.some(({ attr }) => attr !== 'non_field_errors') ? 'fixPayload' : 'inspect';
    expect(error).toMatchObject({ name: 'ValidationError', status: 400, nextAction });
    expect({ code: error.code, detail: error.detail, errors: error.errors }).toEqual({ code, detail, errors });
    expect(error.body).toEqual(body);
  });

  it('E8 the failing transaction of a batch, whose fields are no errors', async () => {
    const body = {
      status: 'TRANSACTION_IMPORT_ERROR',
      error_detail: 'Outside the open statement period.',
      transaction_data: { transaction_id: 'TX-1', amount: '12.50', line_items: [{ rate_band: 'X' }] },
    };
    const server = await misbehavingServer({ [calls['transactions.create'].path]: answer(400, body) });
    const error = await errorOf<ApiError>(calls['transactions.create'].send(clientOf(server), {}));
    expect(error).toMatchObject({
      name: 'TransactionImportError',
      code: 'TRANSACTION_IMPORT_ERROR',
      detail: 'Outside the open statement period.',
      errors: [item('Outside the open statement period.', 'TRANSACTION_IMPORT_ERROR', 'transactions')],
      transactionId: 'TX-1',
      transaction: { transaction_id: 'TX-1', amount: '12.50', line_items: [{ rate_band: 'X' }] },
    });
    expect(error.message).toBe(
      'transactions.create: 400 TRANSACTION_IMPORT_ERROR, transactions TRANSACTION_IMPORT_ERROR. error.detail has the reason. Not retried: fix or set aside the transaction in `transaction`, then send the batch again. [transaction-import-error]',
    );
  });

  it.each([
    ['without the transaction', { status: 'TRANSACTION_IMPORT_ERROR', error_detail: 'No.' }, {}],
    [
      'with a transaction that has no id',
      { status: 'TRANSACTION_IMPORT_ERROR', transaction_data: { amount: '1' } },
      { amount: '1' },
    ],
    ['without the status', { error_detail: 'No.', transaction_data: { transaction_id: 'T' } }, { transaction_id: 'T' }],
  ])('E8 a failing transaction %s', async (_, body, transaction) => {
    const server = await misbehavingServer({ [calls['transactions.create'].path]: answer(400, body) });
    const error = await errorOf(calls['transactions.create'].send(clientOf(server), {}));
    expect(error).toMatchObject({ name: 'TransactionImportError', transaction });
  });

  it.each(['error', 'detail'])('E8 E6 U12 the other documented bodies inside %s are the same errors', async (name) => {
    const failing = {
      status: 'TRANSACTION_IMPORT_ERROR',
      error_detail: 'Outside the period.',
      transaction_data: { transaction_id: 'TX-1', amount: '12.50' },
    };
    const imported = { detail: 'Exists.', external_account_number: 'A-1', service_account_number: '000123' };
    const server = await misbehavingServer({
      [calls['transactions.create'].path]: answer(400, { [name]: failing }),
      [calls['accounts.stage'].path]: answer(400, { [name]: imported }),
      [calls['accounts.validate'].path]: answer(400, { [name]: { ...imported, external_account_number: 'A-2' } }),
      [calls['paymentInstructions.create'].path]: answer(400, { [name]: { error_detail: 'Down.', reference: 'R-1' } }),
    });
    const client = clientOf(server);
    expect(await errorOf(calls['transactions.create'].send(client, {}))).toMatchObject({
      name: 'TransactionImportError',
      errors: [item('Outside the period.', 'TRANSACTION_IMPORT_ERROR', 'transactions')],
      transactionId: 'TX-1',
    });
    expect(await errorOf(client.accounts.stage({ ...account, external_account_number: 'A-1' }))).toMatchObject({
      name: 'AlreadyImportedError',
      serviceAccountNumber: '000123',
    });
    expect(await errorOf(client.accounts.validate({ ...account, external_account_number: 'A-1' }))).toMatchObject({
      name: 'ResponseMismatchError',
      otherName: 'external_account_number',
    });
    expect(await errorOf(client.paymentInstructions.create({ ...paymentInstruction, reference: 'R-1' }))).toMatchObject(
      { name: 'ValidationError', detail: 'Down.', errors: [] },
    );
  });

  it('E8 the id of a failing transaction is a string, also if the service sends a number', async () => {
    const body = { status: 'TRANSACTION_IMPORT_ERROR', transaction_data: { transaction_id: 7 } };
    const server = await misbehavingServer({ [calls['transactions.create'].path]: answer(400, body) });
    const error = await errorOf(calls['transactions.create'].send(clientOf(server), {}));
    expect(error).toMatchObject({ transactionId: '7', transaction: { transaction_id: 7 } });
  });

  it('the only code of a bare list says what to do', async () => {
    const error = await errorFor(400, [{ detail: 'No.', code: 'account_not_staged', attr: null }]);
    expect(error).toMatchObject({ code: 'account_not_staged', nextAction: 'sendFirst' });
  });

  describe('E8 the items of a failing transaction have its path in the payload', () => {
    const transactions = [
      { type: 'CHARGE' as const, transaction_id: 'TX-1', amount: 12.5, transaction_date: '2026-01-01' },
      { type: 'CREDIT' as const, transaction_id: 'TX-2', amount: 3, transaction_date: '2026-01-02' },
      { type: 'PAYMENT' as const, amount: 4, transaction_date: '2026-01-03' },
      { type: 'PAYMENT' as const, amount: 5.5, transaction_date: '2026-01-03' },
      { type: 'PAYMENT' as const, amount: 6, transaction_date: '2026-01-04' },
      { type: 'PAYMENT' as const, amount: 6, transaction_date: '2026-01-04' },
    ];
    const refusal = { status: 'TRANSACTION_IMPORT_ERROR', error_detail: 'Outside the period.' };
    const whole = (attr: string) => [item('Outside the period.', 'TRANSACTION_IMPORT_ERROR', attr)];

    it.each([
      ['by its id', { ...refusal, transaction_data: { transaction_id: 'TX-2' } }, 1, whole('transactions.1')],
      [
        'by its values, if it has no id',
        { ...refusal, transaction_data: { type: 'PAYMENT', amount: '5.50', transaction_date: '2026-01-03' } },
        3,
        whole('transactions.3'),
      ],
      [
        'without an index, if two are equal',
        { ...refusal, transaction_data: { type: 'PAYMENT', amount: '6.00', transaction_date: '2026-01-04' } },
        undefined,
        whole('transactions'),
      ],
      [
        'without an index, if none is',
        { ...refusal, transaction_data: { transaction_id: 'TX-9' } },
        undefined,
        whole('transactions'),
      ],
      [
        'with the fields that the service names',
        {
          ...refusal,
          error_detail: { transaction_date: ['Too early.'] },
          transaction_data: { transaction_id: 'TX-1' },
        },
        0,
        [item('Too early.', 'invalid', 'transactions.0.transaction_date')],
      ],
    ])('%s', async (_, body, transactionIndex, errors) => {
      const server = await misbehavingServer({ [calls['transactions.create'].path]: answer(400, body) });
      const error = await errorOf(clientOf(server).transactions.create({ ...accountKey, transactions }));
      expect(error).toMatchObject({ name: 'TransactionImportError', transactionIndex, errors });
    });
  });

  it.each([
    ['accounts.validate', { non_field_errors: ['Already imported.'] }],
    ['accounts.stage', { detail: 'Already imported.', code: 'already_imported', errors: [] }],
    ['accounts.process', {}],
    ['accounts.dryRun', { detail: 'Already imported.' }],
  ] as const)('E6 already imported, recognised by %s: both numbers, with their leading zeros', async (name, rest) => {
    const body = { ...rest, external_account_number: '0001', service_account_number: '000123' };
    const server = await misbehavingServer({ [calls[name].path]: answer(400, body) });
    const { accounts } = clientOf(server);
    const number = { external_account_number: '0001' };
    const error = await errorOf(
      {
        'accounts.validate': () => accounts.validate({ ...account, ...number }),
        'accounts.stage': () => accounts.stage({ ...account, ...number }),
        'accounts.process': () => accounts.process({ ...processPayload, ...number }),
        'accounts.dryRun': () => accounts.dryRun({ ...processPayload, ...number }),
      }[name](),
    );
    expect(error).toMatchObject({
      name: 'AlreadyImportedError',
      externalAccountNumber: '0001',
      serviceAccountNumber: '000123',
      nextAction: 'useExisting',
    });
  });

  it.each([
    ['accounts.stage', 'The account was already imported as 000123.'],
    ['accounts.process', 'The account was already imported as 000123.'],
    ['accounts.process', 'account_already_imported'],
    ['transactions.create', 'TRANSACTION_IMPORT_ERROR'],
  ] as const)('C3 detail is not parsed: %s with only the detail "%s" is a ValidationError', async (name, detail) => {
    const body = { detail, code: 'never_seen', errors: [] };
    const server = await misbehavingServer({ [calls[name].path]: answer(400, body) });
    const error = await errorOf<ApiError>(calls[name].send(clientOf(server), {}));
    expect(error).toMatchObject({ name: 'ValidationError', code: 'never_seen', detail, nextAction: 'inspect' });
  });

  it.each(['', ' '])('the service_account_number %j is no sign of an imported account', async (number) => {
    const error = await errorFor(400, { external_account_number: 'A-1', service_account_number: number });
    expect(error.name).toBe('ValidationError');
  });

  it('E10 a payment instruction that is refused with both numbers of its account is not "already imported"', async () => {
    const { external_account_number } = paymentInstruction;
    const body = { error_detail: 'Vendor is down.', external_account_number, service_account_number: '000123' };
    const server = await misbehavingServer({ [calls['paymentInstructions.create'].path]: answer(400, body) });
    const error = await errorOf(calls['paymentInstructions.create'].send(clientOf(server), {}));
    expect(error).toMatchObject({ name: 'ValidationError', detail: 'Vendor is down.' });
  });
});

describe('bodies of other statuses', () => {
  it.each([
    [404, { detail: 'Not found.' }, 'http_404', 'Not found.'],
    [404, { detail: 'Not found.', code: 'not_found' }, 'not_found', 'Not found.'],
    [404, { error: 'Not found.' }, 'http_404', 'Not found.'],
    [404, undefined, 'http_404', undefined],
    [429, { detail: 'Slow down.', code: 'throttled' }, 'throttled', 'Slow down.'],
    [500, { status: 500, error: 'Internal Server Error' }, 'http_500', 'Internal Server Error'],
    [500, { error_detail: 'Vendor is flaky.', reference: 'R-1' }, 'http_500', 'Vendor is flaky.'],
    [503, { message: 'Back soon.' }, 'http_503', 'Back soon.'],
    [401, { detail: 'Invalid token.' }, 'http_401', 'Invalid token.'],
  ])('%i %j', async (status, body, code, detail) => {
    const server = await misbehavingServer({
      [calls['imports.all'].path]: answer(status, body, { 'retry-after': '3600' }),
    });
    const error = await errorOf<ApiError>(clientOf(server, { maxRetries: 0 }).imports.all('ACME'));
    expect(error).toMatchObject({ status, errors: [] });
    expect({ code: error.code, detail: error.detail, body: error.body }).toEqual({ code, detail, body });
  });

  it('HTML of a gateway has no decoded errors, and is the body', async () => {
    const server = await misbehavingServer({ [calls['imports.all'].path]: html(403) });
    const error = await errorOf<ApiError>(clientOf(server).imports.all('ACME'));
    expect(error).toMatchObject({ errors: [], code: 'http_403', detail: undefined });
    expect(error.body).toBe('<html><body><h1>Gateway</h1></body></html>');
  });

  it('request id, headers and Retry-After are on the error', async () => {
    const headers = { 'x-request-id': 'req-9', 'retry-after': '120', 'x-more': 'y' };
    const server = await misbehavingServer({ [calls['accounts.process'].path]: answer(429, {}, headers) });
    const error = await errorOf<ApiError>(clientOf(server).accounts.process(processPayload));
    expect(error).toMatchObject({ requestId: 'req-9', retryAfterMs: 120_000 });
    expect(error.headers).toMatchObject(headers);
  });
});

describe('malicious error bodies', () => {
  it('nesting without end decodes to something, and to no other exception', async () => {
    const deep = `${'{"a":['.repeat(5_000)}"x"${']}'.repeat(5_000)}`;
    const error = await errorFor(400, deep);
    expect(error).toMatchObject({ name: 'ValidationError', errors: [] });
    expect(error.tree()).toEqual({ errors: [], fields: {} });
  });

  it('names of prototypes are names like any other', async () => {
    const error = await errorFor(400, '{"__proto__": {"constructor": ["No."]}, "hasOwnProperty": ["No."]}');
    expect(error.errors).toEqual([
      item('No.', 'invalid', '__proto__.constructor'),
      item('No.', 'invalid', 'hasOwnProperty'),
    ]);
    const fields = Object.entries(error.tree().fields);
    expect(fields.map(([name]) => name)).toEqual(['__proto__', 'hasOwnProperty']);
    expect(fields[0]?.[1].fields['constructor']?.errors).toHaveLength(1);
    expect(({} as Record<string, unknown>)['constructor']).toBe(Object);
  });
});

describe('looking things up', () => {
  const body = {
    detail: 'Account failed validation.',
    code: 'account_failed_validation',
    errors: [
      { detail: 'a', code: 'invalid_phone_number', attr: 'customers.0.landline' },
      { detail: 'b', code: 'max_length', attr: 'customers.0.landline' },
      { detail: 'c', code: 'required', attr: 'customers.0' },
      { detail: 'd', code: 'a_code_of_tomorrow', attr: '' },
    ],
  };

  it('at: exactly this path', async () => {
    const error = await errorFor(400, body);
    expect(error.at('customers.0.landline').map(({ code }) => code)).toEqual(['invalid_phone_number', 'max_length']);
    expect(error.at('customers.0').map(({ code }) => code)).toEqual(['required']);
    expect(error.at('customers')).toEqual([]);
  });

  it('hasCode: code of the whole answer, or of any error; unknown codes are unchanged', async () => {
    const error = await errorFor(400, body);
    expect(error.hasCode('account_failed_validation')).toBe(true);
    expect(error.hasCode('max_length')).toBe(true);
    expect(error.hasCode('a_code_of_tomorrow')).toBe(true);
    expect(error.hasCode('a_code')).toBe(false);
  });

  it('tree: by field names and indexes', async () => {
    const { errors, fields } = (await errorFor(400, body)).tree();
    expect(errors.map(({ code }) => code)).toEqual(['a_code_of_tomorrow']);
    expect(fields['customers']?.errors).toEqual([]);
    expect(fields['customers']?.fields['0']?.errors.map(({ code }) => code)).toEqual(['required']);
    expect(fields['customers']?.fields['0']?.fields['landline']?.errors.map(({ detail }) => detail)).toEqual([
      'a',
      'b',
    ]);
  });
});

it('a body of 200,000 fields decodes to the first 10,000 errors, and prints 100 of them and their number', {
  tags: 'long',
}, async () => {
  const body = Object.fromEntries(Array.from({ length: 200_000 }, (_, index) => [`field${index}`, ['Required.']]));
  const error = await errorFor(400, body);
  expect(error.errors).toHaveLength(10_000);
  expect(error.errors.at(-1)).toEqual(item('Required.', 'invalid', 'field9999'));
  const printed = JSON.parse(JSON.stringify(error));
  expect(printed.errors).toHaveLength(100);
  expect(printed.errorCount).toBe(10_000);
});
