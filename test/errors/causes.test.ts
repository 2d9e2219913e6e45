/** A refusal says what to do by its cause, and reads every shape of body that deployments send (issue 20, C). */
import { type ApiError, type DataImportError, KNOWN_ERRORS } from 'data-import-sdk';
import { describe, expect, it, test } from 'vitest';
import { account, calls, processPayload } from '../helpers/calls.js';
import { clientOf, errorOf } from '../helpers/client-of.js';
import { answer, misbehavingServer } from '../helpers/misbehaving-server.js';

async function staging(status: number, body: unknown, payload = account): Promise<ApiError> {
  const server = await misbehavingServer({ [calls['accounts.stage'].path]: answer(status, body) });
  return errorOf<ApiError>(
    clientOf(server, { maxRetries: 0, advanced: { maxThrottleWaitMs: 0 } }).accounts.stage(payload),
  );
}

const body = (code: string, ...errors: object[]) => ({ detail: 'In words.', code, errors });

describe('the next action by cause', () => {
  test.each([
    ['import_supplier_not_ongoing', 'askOperator', 'The import supplier is Paused or Complete.'],
    ['account_marked_to_skip', 'askOperator', 'The operator marked the account to skip.'],
    ['account_already_imported', 'useExisting', 'The service already has the account.'],
    ['account_not_staged', 'sendFirst', 'No data is staged for the account. Stage the account, then process it.'],
    ['operations_team_not_found', 'askOperator', 'The service has no operations team with this name.'],
    ['payment_vendor_failure', 'askOperator', 'Do not send it again unchanged'],
    ['business_contract_not_found', 'sendFirst', 'Import the business first'],
  ])('%s: %s', async (code, nextAction, sentence) => {
    const ofWhole = await staging(400, body(code));
    expect(ofWhole).toMatchObject({ name: 'ValidationError', nextAction, retryable: false });
    expect(ofWhole.message).toContain('Not retried. ');
    expect(ofWhole.message).toContain(sentence);
    expect(ofWhole.message).not.toContain('fix the payload');
    const ofItem = await staging(
      400,
      body('validation_failed', { detail: 'In words.', code, attr: 'import_supplier' }),
    );
    expect(ofItem).toMatchObject({ nextAction });
    expect(ofItem.message).toContain(sentence);
  });

  test.each([
    ['a field', body('account_failed_validation', { detail: 'x', code: 'required', attr: 'customers.0.email' })],
    [
      'a field and the team',
      body(
        'validation_failed',
        { detail: 'x', code: 'operations_team_not_found', attr: 'operations_team_name' },
        { detail: 'x', code: 'required', attr: 'external_account_number' },
      ),
    ],
  ])('%s: fix the payload', async (_, refusal) => {
    const error = await staging(400, refusal);
    expect(error).toMatchObject({ nextAction: 'fixPayload', retryable: false });
    expect(error.message).toContain('Not retried: fix the payload.');
  });

  test.each([
    ['a code of the deployment', body('e_1042')],
    ['no code', { non_field_errors: ['The migration for this import supplier is paused.'] }],
    ['no code, under the name that Django gives it', { __all__: ['Paused.'] }],
    ['a code that says nothing', { non_field_errors: [{ detail: 'Paused.', code: 'invalid' }] }],
    ['detail and code of a deployment', { detail: 'Paused.', code: 'e_7' }],
    ['error_detail beside identifiers', { error_detail: 'No.', external_account_number: 'A-1', reference: 'R-1' }],
    ['an empty body', {}],
  ])('%s: a person has to look at the answer', async (_, refusal) => {
    const error = await staging(400, refusal);
    expect(error).toMatchObject({ name: 'ValidationError', nextAction: 'inspect', retryable: false });
    expect(error.message).toContain('Not retried: look at error.body, which has no known code and no path of a field.');
    expect(error.message).not.toContain('fix the payload');
  });

  test('a code that says that values are refused: fix the payload, also without a path', async () => {
    expect(await staging(400, body('account_failed_validation'))).toMatchObject({ nextAction: 'fixPayload' });
  });
});

test('the table starts with the two codes that the API specification shows', () => {
  expect(Object.keys(KNOWN_ERRORS).slice(0, 2)).toEqual(['account_failed_validation', 'invalid_phone_number']);
});

describe('shapes of bodies', () => {
  test('E6 numbers of an already imported account may be JSON numbers: they are kept as text', async () => {
    const numbers = { external_account_number: 1042, service_account_number: 77001 };
    const own = { ...account, external_account_number: '1042' };
    expect(await staging(400, { detail: 'Imported.', ...numbers }, own)).toMatchObject({
      name: 'AlreadyImportedError',
      externalAccountNumber: '1042',
      serviceAccountNumber: '77001',
    });
  });

  test('a number beyond the precision of JSON is no account number', async () => {
    const numbers = { external_account_number: 'A-1', service_account_number: 2 ** 64 };
    expect(await staging(400, { detail: 'Imported.', ...numbers })).toMatchObject({ name: 'ValidationError' });
  });

  it.each([409, 422])('%i with the documented body is a ValidationError', async (status) => {
    const item = { detail: 'Not a phone number.', code: 'invalid_phone_number', attr: 'customers.0.landline' };
    const error = await staging(status, body('account_failed_validation', item));
    expect(error).toMatchObject({ name: 'ValidationError', status, nextAction: 'fixPayload' });
    expect(error.at('customers.0.landline')).toEqual([item]);
  });

  it.each([409, 422])('%i with a known code only is one, too', async (status) => {
    const error = await staging(status, { code: 'import_supplier_not_ongoing' });
    expect(error).toMatchObject({ name: 'ValidationError', status, nextAction: 'askOperator' });
  });

  it.each([
    ['409', 409, undefined],
    ['422', 422, 'busy'],
  ])('%s without such a body is not', async (_, status, text) => {
    expect(await staging(status, text)).toMatchObject({ name: 'ApiError', status });
  });

  it.each<[string, unknown]>([
    ['a path with brackets', 'customers[0].landline'],
    ['a list of names and indexes', ['customers', 0, 'landline']],
    ['a list of texts', ['customers', '0', 'landline']],
  ])('attr as %s becomes customers.0.landline', async (_, attr) => {
    const error = await staging(
      400,
      body('account_failed_validation', { detail: 'x', code: 'invalid_phone_number', attr }),
    );
    expect(error.errors).toEqual([{ detail: 'x', code: 'invalid_phone_number', attr: 'customers.0.landline' }]);
    expect((await staging(400, [{ detail: 'x', code: 'invalid_phone_number', attr }])).errors).toEqual(error.errors);
  });

  test('attr that begins with an index in brackets', async () => {
    const refusal = body('validation_failed', { detail: 'x', code: 'invalid', attr: '[0].amount' });
    expect((await staging(400, refusal)).errors).toEqual([{ detail: 'x', code: 'invalid', attr: '0.amount' }]);
  });
});

describe('E6 the message of a dry run that would succeed', () => {
  const MESSAGE = 'Account would successfully import. Rolled back due to Dry Run.';
  const dryRun = async (refusal: unknown) => {
    const server = await misbehavingServer({ [calls['accounts.dryRun'].path]: answer(400, refusal) });
    return clientOf(server).accounts.dryRun(processPayload);
  };

  it.each<[string, unknown]>([
    ['by itself', { detail: MESSAGE }],
    ['with a code and no errors', { detail: MESSAGE, code: 'dry_run', errors: [] }],
    ['as the only error', { detail: 'x', errors: [{ detail: MESSAGE, code: 'dry_run', attr: 'dry_run' }] }],
    ['of the whole', { non_field_errors: [MESSAGE] }],
    ['with the payload', { detail: MESSAGE, account: { external_account_number: 'A-1' } }],
    ['with spaces around it', { detail: ` ${MESSAGE}\n` }],
    ['in a list of results', { results: [{ external_account_number: 'A-1', detail: MESSAGE }] }],
    ['in a field of another name', { outcome: { text: MESSAGE } }],
  ])('%s is a success', async (_, refusal) => {
    expect(await dryRun(refusal)).toMatchObject({ wouldImport: true });
  });

  it.each<[string, unknown]>([
    ['errors', { detail: MESSAGE, errors: [{ detail: 'Unknown.', code: 'required', attr: 'operations_team_name' }] }],
    ['an error in a list', { errors: [MESSAGE, 'The supplier is paused.'] }],
    ['an error of a field', { non_field_errors: [MESSAGE], operations_team_name: ['Unknown.'] }],
    ['errors as an object', { detail: MESSAGE, errors: { operations_team_name: ['Unknown.'] } }],
    ['a result that failed', { results: [{ detail: MESSAGE }, { detail: 'The supplier is paused.' }] }],
    ['an error of a field that quotes it', { errors: [{ detail: `No team "${MESSAGE}"`, code: 'x', attr: 'team' }] }],
    ['an error that quotes it', { errors: [{ detail: `Note exists: ${MESSAGE}`, code: 'duplicate_note', attr: '' }] }],
    ['its text at a field', { errors: [{ detail: MESSAGE, code: 'duplicate_note', attr: 'notes.0.body' }] }],
    ['another text around it', { detail: `Not: ${MESSAGE}`, errors: [] }],
    ['another text, and a value of the request', { detail: 'No such team.', operations_team_name: MESSAGE }],
  ])('with %s is none', async (_, refusal) => {
    expect(await errorOf(dryRun(refusal))).toMatchObject({ name: 'ValidationError' });
  });
});

test('a success whose status is neither a text nor a number is returned as it is', async () => {
  const server = await misbehavingServer({
    [calls['historicalStatements.create'].path]: answer(201, { status: [{ toString: 1 }] }),
  });
  const result = await calls['historicalStatements.create'].send(clientOf(server));
  expect(JSON.parse(JSON.stringify(result))).toEqual({ status: [{ toString: 1 }] });
});

describe('if only the detail has the reason, the message refers to it', () => {
  const reasonOf = async (send: () => Promise<DataImportError>) =>
    (await send()).message.includes('error.detail has the reason.');

  it.each<[string, number, unknown, boolean]>([
    ['a code of the deployment', 400, { code: 'e_1042', detail: 'Closed since May.' }, true],
    ['no code', 400, { detail: 'Closed since May.' }, true],
    ['a refusal of the account that names no field', 400, body('account_failed_validation'), true],
    ['an error of the whole', 400, { non_field_errors: ['Closed since May.'] }, true],
    ['403', 403, { detail: 'Not from this address.' }, true],
    ['a known code', 400, { code: 'account_marked_to_skip', detail: 'Marked.' }, false],
    ['a path', 400, body('e_1042', { detail: 'x', code: 'e_7', attr: 'customers.0.email' }), false],
    ['no detail', 400, {}, false],
    ['401', 401, { detail: 'Expired.' }, false],
    ['429', 429, { detail: 'Later.' }, false],
    ['500', 500, { detail: 'Failed.' }, false],
  ])('%s (%i)', async (_, status, refusal, isSaid) => {
    expect(await reasonOf(() => staging(status, refusal))).toBe(isSaid);
  });

  test('a transaction that cannot be added', async () => {
    const refusal = {
      status: 'TRANSACTION_IMPORT_ERROR',
      error_detail: 'Too old.',
      transaction_data: { transaction_id: 'T-1' },
    };
    const server = await misbehavingServer({ [calls['transactions.create'].path]: answer(400, refusal) });
    const error = await errorOf<ApiError>(calls['transactions.create'].send(clientOf(server), undefined));
    expect(error.message).toBe(
      'transactions.create: 400 TRANSACTION_IMPORT_ERROR, transactions TRANSACTION_IMPORT_ERROR. error.detail has the reason. Not retried: fix or set aside the transaction in `transaction`, then send the batch again. [transaction-import-error]',
    );
    expect(error.detail).toBe('Too old.');
  });
});
