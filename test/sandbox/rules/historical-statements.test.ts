import { expect, test } from 'vitest';
import { fieldError, invalid, invalidFields, refused, unknownField } from '../support/refusals.js';
import { account, importAccount, openSandbox, STAGE } from '../support/requests.js';

const PATH = 'historical-statements/create/';
const PAYLOAD = {
  import_supplier: 'SANDBOX_SUPPLIER',
  external_account_number: 'A-1',
  statements: [
    {
      bill_period_from_date: '2025-10-01',
      bill_period_to_date: '2025-10-31',
      statement_id: 'S-1',
      issued_date: '2025-11-03',
      number: '001',
      gross_amount: 4210,
      statement_path: '/2025/10.pdf',
    },
    { bill_period_from_date: '2025-11-01', bill_period_to_date: '2025-11-30', statement_id: 'S-2' },
  ],
};

test('E9 statements: 201 with the validated data, stored (U3)', async () => {
  const talk = openSandbox();
  await importAccount(talk, 'A-1');
  expect(await talk.post(PATH, PAYLOAD)).toEqual({ status: 201, body: PAYLOAD });
  expect(talk.sandbox.state.suppliers[0]?.accounts[0]?.imported?.statements).toEqual(PAYLOAD.statements);
});

test('E9 statements: repeated statements are stored twice', async () => {
  const talk = openSandbox();
  await importAccount(talk, 'A-1');
  await talk.post(PATH, PAYLOAD);
  await talk.post(PATH, PAYLOAD);
  const ids = talk.sandbox.state.suppliers[0]?.accounts[0]?.imported?.statements.map(
    ({ statement_id }) => statement_id,
  );
  expect(ids).toEqual(['S-1', 'S-2', 'S-1', 'S-2']);
});

test('E9 statements: invalid is 400 with its attr, and none of the request is stored', async () => {
  const talk = openSandbox();
  await importAccount(talk, 'A-1');
  const body = { ...PAYLOAD, statements: [PAYLOAD.statements[0], { gross_amount: '42.10', pages: 2 }] };
  const errors = [
    fieldError('invalid_type', 'statements.1.gross_amount', 'Expected a number, found a string.'),
    unknownField('statements.1.pages'),
  ];
  expect(await talk.unchanged(() => talk.post(PATH, body))).toEqual(invalidFields('validation_failed', ...errors));
});

test('E9 statements: an account that is unknown or only staged is 400 (U14)', async () => {
  const { post, unchanged } = openSandbox();
  await post(STAGE, account('A-1'));
  const staged = 'The account is only staged; process it first.';
  expect(await unchanged(() => post(PATH, PAYLOAD))).toEqual(
    refused('account_not_found', 'external_account_number', staged),
  );
  expect(await unchanged(() => post(PATH, { ...PAYLOAD, external_account_number: 'A-2' }))).toMatchObject({
    status: 400,
    body: { code: 'account_not_found' },
  });
  expect(await unchanged(() => post(PATH, { ...PAYLOAD, import_supplier: 'UNKNOWN' }))).toEqual(
    invalid('import_supplier_not_found', 'import_supplier'),
  );
});
