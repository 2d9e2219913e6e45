/** The bodies of answers: as documented, and with all that a service may add without notice. */
import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import {
  accountImportProcessesSchema,
  accountTransferStatusSchema,
  alreadyImportedBodySchema,
  businessAnswerSchema,
  businessIdSchema,
  businessPaymentInstructionAnswerSchema,
  DRY_RUN_MESSAGE,
  dryRunBodySchema,
  historicalStatementsAnswerSchema,
  importedAccountImportProcessesSchema,
  notesAnswerSchema,
  otherErrorBodySchema,
  paymentInstructionAnswerSchema,
  populateAnswerSchema,
  processAnswerSchema,
  stageAnswerSchema,
  transactionImportErrorBodySchema,
  transactionsAnswerSchema,
  validatedAccountSchema,
  validationErrorBodySchema,
} from '../../schemas/index.js';
import * as answers from '../examples/answers.js';
import { attrsAndCodes, without, withValue } from './change.js';

const ECHO = 'results.0.transaction_data';

const documented: [name: string, schema: z.ZodType, body: unknown][] = [
  ['E1 populate', populateAnswerSchema, answers.populateAnswer],
  ['E2 business', businessAnswerSchema, answers.businessAnswer],
  ['E3 business payment instruction', businessPaymentInstructionAnswerSchema, answers.businessPaymentInstructionAnswer],
  ['E4 validated account', validatedAccountSchema, answers.validatedAccount],
  ['E5 staged', stageAnswerSchema, answers.stageAnswer],
  ['E6 processed', processAnswerSchema, answers.processAnswer],
  ['E6 dry run', dryRunBodySchema, answers.dryRunBody],
  ['E6 already imported', alreadyImportedBodySchema, answers.alreadyImportedBody],
  ['E7 notes', notesAnswerSchema, answers.notesAnswer],
  ['E8 transactions', transactionsAnswerSchema, answers.transactionsAnswer],
  ['E8 failing transaction', transactionImportErrorBodySchema, answers.transactionImportErrorBody],
  ['E9 historical statements', historicalStatementsAnswerSchema, answers.historicalStatementsAnswer],
  ['E10 payment instruction', paymentInstructionAnswerSchema, answers.paymentInstructionAnswer],
  ['E11 status of a staged account', accountTransferStatusSchema, answers.statusOfStaged],
  ['E11 status of an imported account', accountTransferStatusSchema, answers.statusOfImported],
  ['E12 all', accountImportProcessesSchema, answers.allImports],
  ['E13 pending', accountImportProcessesSchema, answers.pendingImports],
  ['E14 imported', importedAccountImportProcessesSchema, answers.allImports],
  ['C3 validation error', validationErrorBodySchema, answers.validationErrorBody],
  ['any other error', otherErrorBodySchema, { detail: 'Not found.' }],
];

describe('a documented body is accepted and returned unchanged', () => {
  it.each(documented)('%s', (_, schema, body) => {
    expect(schema.parse(body)).toEqual(structuredClone(body));
  });
});

describe('C8 undocumented fields of an answer are kept', () => {
  it.each(documented)('%s', (_, schema, body) => {
    const more = addTo(body);

    expect(schema.parse(more)).toEqual(more);
    expect(JSON.stringify(more)).toContain('"added_later":{"any":["thing",null]}');
  });
});

describe('answers of other deployments are accepted as they come', () => {
  const numberOnly = { external_account_number: 'A-1' };
  it.each<[string, z.ZodType, unknown]>([
    ['E2 only the id', businessAnswerSchema, { service_business_id: 17 }],
    ['E2 the id as text', businessAnswerSchema, { service_business_id: '17', external_business_identifier: 'B-1' }],
    ['E2 a number', businessIdSchema, 17],
    ['E2 a text', businessIdSchema, '17'],
    ['E11 no number', accountTransferStatusSchema, { status: 'PENDING' }],
    ['E11 null for the number', accountTransferStatusSchema, { status: 'PENDING', service_account_number: null }],
    ['E12, E13 only the account', accountImportProcessesSchema, [numberOnly]],
    ['E14 only the account', importedAccountImportProcessesSchema, [numberOnly]],
  ])('%s', (_, schema, body) => {
    expect(schema.parse(body)).toEqual(body);
  });

  it.each(['B-17', 'OK', '', 1.5, null, {}])('E2 %j is no id of a business', (id) => {
    expect(businessIdSchema.safeParse(id).success).toBe(false);
    expect(businessAnswerSchema.safeParse({ service_business_id: id }).success).toBe(false);
  });
});

describe('C8 an undocumented status is accepted', () => {
  it.each([
    ['E11 account import', accountTransferStatusSchema, answers.statusOfImported, 'status'],
    ['E7 note', notesAnswerSchema, answers.notesAnswer, '0.status'],
    ['E8 transaction', transactionsAnswerSchema, answers.transactionsAnswer, 'results.0.status'],
    ['E8 echo', transactionsAnswerSchema, answers.transactionsAnswer, `${ECHO}.status`],
    ['E8 transaction type', transactionsAnswerSchema, answers.transactionsAnswer, `${ECHO}.type`],
    ['C3 code', validationErrorBodySchema, answers.validationErrorBody, 'errors.0.code'],
  ])('%s', (_, schema, body, attr) => {
    expect(attrsAndCodes(schema, withValue(body, attr, 'NEVER_SEEN'))).toEqual([]);
  });
});

describe('an answer that violates the API specification is refused', () => {
  it.each<[what: string, z.ZodType, body: unknown, attr: string, code?: string]>([
    ['E1 batch_id', populateAnswerSchema, answers.populateAnswer, 'batch_id'],
    ['E2 id', businessAnswerSchema, answers.businessAnswer, 'service_business_id', 'invalid_type'],
    ['E3 reference', businessPaymentInstructionAnswerSchema, answers.businessPaymentInstructionAnswer, 'reference'],
    [
      'E3 identifier',
      businessPaymentInstructionAnswerSchema,
      answers.businessPaymentInstructionAnswer,
      'external_business_identifier',
    ],
    ['E5 number', stageAnswerSchema, answers.stageAnswer, 'external_account_number'],
    ['E6 number', processAnswerSchema, answers.processAnswer, 'service_account_number'],
    ['E6 imported', alreadyImportedBodySchema, answers.alreadyImportedBody, 'service_account_number'],
    ['E6 imported', alreadyImportedBodySchema, answers.alreadyImportedBody, 'external_account_number'],
    ['E7 status', notesAnswerSchema, answers.notesAnswer, '0.status'],
    ['E8 results', transactionsAnswerSchema, answers.transactionsAnswer, 'results'],
    ['E8 status', transactionsAnswerSchema, answers.transactionsAnswer, 'results.1.status'],
    ['E8 error status', transactionImportErrorBodySchema, answers.transactionImportErrorBody, 'status'],
    ['E8 detail', transactionImportErrorBodySchema, answers.transactionImportErrorBody, 'error_detail'],
    ['E8 data', transactionImportErrorBodySchema, answers.transactionImportErrorBody, 'transaction_data'],
    ['E10 number', paymentInstructionAnswerSchema, answers.paymentInstructionAnswer, 'service_account_number'],
    ['E10 reference', paymentInstructionAnswerSchema, answers.paymentInstructionAnswer, 'reference'],
    ['E11 status', accountTransferStatusSchema, answers.statusOfStaged, 'status'],
    ['E12 number', accountImportProcessesSchema, answers.allImports, '0.external_account_number'],
    ['C3 detail', validationErrorBodySchema, answers.validationErrorBody, 'detail'],
    ['C3 code', validationErrorBodySchema, answers.validationErrorBody, 'code'],
    ['C3 errors', validationErrorBodySchema, answers.validationErrorBody, 'errors'],
    ['C3 item code', validationErrorBodySchema, answers.validationErrorBody, 'errors.0.code'],
    ['C3 item detail', validationErrorBodySchema, answers.validationErrorBody, 'errors.0.detail'],
    ['C3 item attr', validationErrorBodySchema, answers.validationErrorBody, 'errors.0.attr'],
  ])('%s is not there, or true in its place', (_, schema, body, attr, code = 'required') => {
    expect(attrsAndCodes(schema, without(body, attr))).toEqual([{ attr, code }]);
    expect(attrsAndCodes(schema, withValue(body, attr, true)).map((finding) => finding.attr)).toEqual([attr]);
  });

  it.each([
    ['E2 the id is an integer', businessAnswerSchema, answers.businessAnswer, 'service_business_id', 4711.5],
    ['E6 the number is a string', processAnswerSchema, answers.processAnswer, 'service_account_number', 12345],
    ['E11 the number is a string', accountTransferStatusSchema, answers.statusOfStaged, 'service_account_number', 1],
    ['E12 the number is a string', accountImportProcessesSchema, answers.allImports, '1.service_account_number', 1],
    ['E12 created is a string', accountImportProcessesSchema, answers.allImports, '1.account_created_at', 1710072000],
    ['E5 the supplier is a string', stageAnswerSchema, answers.stageAnswer, 'import_supplier', 1],
    ['E7 the body is a string', notesAnswerSchema, answers.notesAnswer, '0.body', 1],
    ['E7 created is a string', notesAnswerSchema, answers.notesAnswer, '0.created_at', 1710072000],
    ['E8 the id is a string', transactionsAnswerSchema, answers.transactionsAnswer, `${ECHO}.transaction_id`, 1],
    ['E8 the date is a string', transactionsAnswerSchema, answers.transactionsAnswer, `${ECHO}.transaction_date`, 1],
    ['E8 the type is a string', transactionsAnswerSchema, answers.transactionsAnswer, `${ECHO}.type`, 1],
    ['E8 the status is a string', transactionsAnswerSchema, answers.transactionsAnswer, `${ECHO}.status`, 1],
    ['E8 an amount', transactionsAnswerSchema, answers.transactionsAnswer, `${ECHO}.amount`, true],
  ])('%s', (_, schema, body, attr, wrong) => {
    expect(attrsAndCodes(schema, withValue(body, attr, wrong)).map((finding) => finding.attr)).toEqual([attr]);
  });

  it.each(['', ' ', '\t\n'])('E6 the number %j, which means that no account exists yet, is no success', (number) => {
    expect(attrsAndCodes(processAnswerSchema, { service_account_number: number })).toEqual([
      { attr: 'service_account_number', code: 'required' },
    ]);
  });

  it('E8 only TRANSACTION_IMPORT_ERROR marks a failing transaction', () => {
    const body = { ...answers.transactionImportErrorBody, status: 'TRANSACTION_ADDED_TO_ACCOUNT' };

    expect(attrsAndCodes(transactionImportErrorBodySchema, body)).toEqual([{ attr: 'status', code: 'invalid_choice' }]);
  });

  it('E12 a list is an array', () => {
    expect(attrsAndCodes(accountImportProcessesSchema, { results: [] })).toEqual([{ attr: '', code: 'invalid_type' }]);
    expect(attrsAndCodes(notesAnswerSchema, { results: [] })).toEqual([{ attr: '', code: 'invalid_type' }]);
  });
});

describe('answers of undocumented form', () => {
  it.each([
    ['E4 a validated account that comes back empty', validatedAccountSchema, {}],
    [
      'E5 import_supplier_code in place of import_supplier',
      stageAnswerSchema,
      { import_supplier_code: 'SANDBOX_SUPPLIER', external_account_number: 'ACC-0001' },
    ],
    ['E6 a service account number with leading zeros', processAnswerSchema, { service_account_number: '00012345' }],
    [
      'E7 a note of documents only',
      notesAnswerSchema,
      [{ created_at: null, body: null, status: 'NOTE_CREATION_SUCCESS' }],
    ],
    [
      'E8 an amount that stays a number',
      transactionsAnswerSchema,
      { results: [{ status: 'TRANSACTION_ADDED_TO_ACCOUNT', transaction_data: { amount: 12.5 } }] },
    ],
    [
      'E8 a result without its transaction',
      transactionsAnswerSchema,
      { results: [{ status: 'TRANSACTION_ALREADY_EXISTS' }] },
    ],
    ['E12 an empty list (U4)', accountImportProcessesSchema, []],
    ['E14 entries of another shape (U5)', importedAccountImportProcessesSchema, [{}, { account: 'A-1' }]],
    ['E14 no list (U5)', importedAccountImportProcessesSchema, { results: [] }],
    ['E9 a list (U3)', historicalStatementsAnswerSchema, [{ statement_id: 'S-1' }]],
    [
      'a dry run whose message stands elsewhere (U12)',
      dryRunBodySchema,
      { non_field_errors: ['Account would successfully import. Rolled back due to Dry Run.'] },
    ],
    [
      'a dry run whose body is a bare list (U12)',
      dryRunBodySchema,
      ['Account would successfully import. Rolled back due to Dry Run.'],
    ],
    ['an error without a body', otherErrorBodySchema, undefined],
    ['an error of a gateway', otherErrorBodySchema, '<html>Bad gateway</html>'],
  ])('%s', (_, schema, body) => {
    expect((schema as z.ZodType).parse(body)).toEqual(body);
  });

  it('E6 the dry-run message is that of the document', () => {
    expect(DRY_RUN_MESSAGE).toBe('Account would successfully import. Rolled back due to Dry Run.');
  });
});

/** The body with a field more in every one of its objects. */
function addTo(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body;
  if (Array.isArray(body)) return body.map(addTo);
  const inside = Object.entries(body).map(([key, value]) => [key, addTo(value)]);
  return { ...Object.fromEntries(inside), added_later: { any: ['thing', null] } };
}
