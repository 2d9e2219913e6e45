/** The types of answers: known values for the editor, and room for all that a service may add. */
import { assertType, describe, expectTypeOf, it } from 'vitest';
import type {
  AccountImportProcess,
  AccountTransferStatus,
  BusinessAnswer,
  ImportedAccountImportProcess,
  NoteResult,
  OperationName,
  ProcessAnswer,
  ReplayClass,
  StageAnswer,
  TransactionImportErrorBody,
  TransactionResult,
  ValidatedAccount,
  ValidationErrorBody,
} from '../../schemas/index.js';

describe('C8 an unknown status compiles', () => {
  it('to build and to compare', () => {
    assertType<AccountTransferStatus>({ status: 'PAUSED', service_account_number: '' });
    assertType<NoteResult>({ status: 'NOTE_MERGED' });
    assertType<TransactionResult>({ status: 'TRANSACTION_QUEUED' });
    const isPaused = (answer: AccountTransferStatus) => answer.status === 'PAUSED' || answer.status === 'COMPLETED';
    expectTypeOf(isPaused).returns.toBeBoolean();
    // A switch over the known values leaves something over: an unknown one.
    const read = (answer: AccountTransferStatus): string => {
      switch (answer.status) {
        case 'UNKNOWN':
        case 'PENDING':
        case 'IN_PROGRESS':
        case 'REJECTED':
        case 'COMPLETED':
          return 'known';
        default:
          expectTypeOf(answer.status).not.toEqualTypeOf<never>();
          return answer.status;
      }
    };
    expectTypeOf(read).toBeFunction();
  });

  it('the known ones stay known to the editor', () => {
    expectTypeOf<Extract<AccountTransferStatus['status'], 'REJECTED'>>().toEqualTypeOf<'REJECTED'>();
    expectTypeOf<Extract<NoteResult['status'], 'NOTE_ALREADY_EXISTS'>>().toEqualTypeOf<'NOTE_ALREADY_EXISTS'>();
    expectTypeOf<AccountTransferStatus['status']>().not.toEqualTypeOf<string>();
  });
});

describe('C8 a field that is not documented can be read, as unknown', () => {
  it('in every answer', () => {
    expectTypeOf<StageAnswer['import_supplier_code']>().toEqualTypeOf<unknown>();
    expectTypeOf<ProcessAnswer['external_account_number']>().toEqualTypeOf<unknown>();
    expectTypeOf<ValidatedAccount['echo_of_something']>().toEqualTypeOf<unknown>();
    expectTypeOf<ValidationErrorBody['request_id']>().toEqualTypeOf<unknown>();
  });
});

describe('the documented fields have their kinds', () => {
  it('account numbers are strings, ids of businesses numbers or text', () => {
    expectTypeOf<ProcessAnswer['service_account_number']>().toEqualTypeOf<string>();
    expectTypeOf<AccountTransferStatus['service_account_number']>().toEqualTypeOf<string | null | undefined>();
    expectTypeOf<BusinessAnswer['service_business_id']>().toEqualTypeOf<number | string>();
  });

  it('what is only staged has nulls, and an undocumented list promises nothing', () => {
    expectTypeOf<AccountImportProcess['service_account_number']>().toEqualTypeOf<string | null | undefined>();
    expectTypeOf<AccountImportProcess['account_created_at']>().toEqualTypeOf<string | null | undefined>();
    assertType<ImportedAccountImportProcess>({});
  });

  it('a failing transaction is recognised by its status', () => {
    expectTypeOf<TransactionImportErrorBody['status']>().toEqualTypeOf<'TRANSACTION_IMPORT_ERROR'>();
  });
});

it('the table of operations names the fourteen, and five replay classes', () => {
  expectTypeOf<OperationName>().toEqualTypeOf<
    | 'supplyPoints.populate'
    | 'businesses.create'
    | 'businesses.createPaymentInstruction'
    | 'accounts.validate'
    | 'accounts.stage'
    | 'accounts.process'
    | 'notes.create'
    | 'transactions.create'
    | 'historicalStatements.create'
    | 'paymentInstructions.create'
    | 'imports.status'
    | 'imports.all'
    | 'imports.pending'
    | 'imports.imported'
  >();
  expectTypeOf<ReplayClass>().toEqualTypeOf<'pure' | 'upsert' | 'deduplicated' | 'reconcilable' | 'unknown'>();
});
