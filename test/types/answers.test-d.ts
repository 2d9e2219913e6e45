/** The types of answers: known values for the editor, and room for all that a service may add. */
import { type DataImportClient, undocumented } from 'data-import-sdk';
import { assertType, describe, expectTypeOf, it } from 'vitest';
import type {
  AccountImportProcess,
  AccountTransferStatus,
  AlreadyImportedBody,
  BusinessAnswer,
  BusinessPaymentInstructionAnswer,
  ErrorItem,
  HistoricalStatementsAnswer,
  ImportedAccountImportProcess,
  NoteResult,
  OperationName,
  PaymentInstructionAnswer,
  PopulateAnswer,
  ProcessAnswer,
  ReplayClass,
  StageAnswer,
  TransactionEcho,
  TransactionImportErrorBody,
  TransactionResult,
  TransactionsAnswer,
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

describe('C8 a misspelt or undocumented field of an answer does not compile', () => {
  /** Every answer, object in an answer, and error body. */
  interface Answers {
    populate: PopulateAnswer;
    business: BusinessAnswer;
    businessPaymentInstruction: BusinessPaymentInstructionAnswer;
    validated: ValidatedAccount;
    staged: StageAnswer;
    processed: ProcessAnswer;
    note: NoteResult;
    transactions: TransactionsAnswer;
    transaction: TransactionResult;
    echo: TransactionEcho;
    statements: HistoricalStatementsAnswer;
    paymentInstruction: PaymentInstructionAnswer;
    status: AccountTransferStatus;
    entry: AccountImportProcess;
    imported: ImportedAccountImportProcess;
    error: ErrorItem;
    validationError: ValidationErrorBody;
    alreadyImported: AlreadyImportedBody;
    transactionError: TransactionImportErrorBody;
  }
  type Open = { [Name in keyof Answers]: string extends keyof Answers[Name] ? Name : never }[keyof Answers];

  it('in no answer', () => {
    expectTypeOf<Open>().toEqualTypeOf<never>();
  });

  it('to read and to compare', () => {
    const read = (note: NoteResult, entry: AccountImportProcess, staged: StageAnswer) => {
      // @ts-expect-error statuss
      note.statuss;
      // @ts-expect-error service_accountnumber
      if (entry.service_accountnumber === null) return;
      // @ts-expect-error undocumented
      staged.import_supplier_code;
    };
    expectTypeOf(read).toBeFunction();
  });

  it('undocumented gives the other fields, as unknown', () => {
    expectTypeOf(undocumented).returns.toEqualTypeOf<Record<string, unknown>>();
  });
});

it('the client returns these types', () => {
  expectTypeOf<keyof Awaited<ReturnType<DataImportClient['notes']['create']>>[number]>().toEqualTypeOf<
    'created_at' | 'body' | 'status'
  >();
  expectTypeOf<Awaited<ReturnType<DataImportClient['transactions']['create']>>>().toEqualTypeOf<TransactionsAnswer>();
  expectTypeOf<Awaited<ReturnType<DataImportClient['imports']['status']>>>().toEqualTypeOf<AccountTransferStatus>();
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
    expectTypeOf<Awaited<ReturnType<DataImportClient['imports']['imported']>>>().toEqualTypeOf<unknown>();
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
