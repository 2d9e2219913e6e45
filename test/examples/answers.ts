/** One body per documented answer and error, to the requests of the other examples (document: Endpoints, Errors). */
import type {
  AccountImportProcess,
  AccountTransferStatus,
  AlreadyImportedBody,
  BusinessAnswer,
  BusinessPaymentInstructionAnswer,
  HistoricalStatementsAnswer,
  NoteResult,
  PaymentInstructionAnswer,
  PopulateAnswer,
  ProcessAnswer,
  StageAnswer,
  TransactionImportErrorBody,
  TransactionsAnswer,
  ValidatedAccount,
  ValidationErrorBody,
} from '../../schemas/index.js';
import { domesticAccount } from './account.js';
import { historicalStatements } from './historical-statements.js';

/** 201 of supplyPoints.populate. */
export const populateAnswer: PopulateAnswer = { batch_id: '3f2b8c1e-0001' };

/** 201 of businesses.create. */
export const businessAnswer: BusinessAnswer = {
  service_business_id: 4711,
  external_business_identifier: 'BUSINESS-0001',
};

/** 201 of businesses.createPaymentInstruction. */
export const businessPaymentInstructionAnswer: BusinessPaymentInstructionAnswer = {
  reference: 'CARD-0002',
  external_business_identifier: 'BUSINESS-0001',
};

/** 200 of accounts.validate: the validated data. */
export const validatedAccount: ValidatedAccount = { ...domesticAccount };

/** 200 and 201 of accounts.stage. */
export const stageAnswer: StageAnswer = {
  import_supplier: 'SANDBOX_SUPPLIER',
  external_account_number: 'ACC-0001',
};

/** 201 of accounts.process. */
export const processAnswer: ProcessAnswer = { service_account_number: 'A-00012345' };

/** 201 of notes.create: an array in the order of the request. */
export const notesAnswer: NoteResult[] = [
  {
    created_at: '2024-01-15T08:00:00Z',
    body: 'Meter was replaced in January.',
    status: 'NOTE_CREATION_SUCCESS',
  },
  { created_at: '2024-03-10T12:00:00Z', body: 'Called about the bill.', status: 'NOTE_ALREADY_EXISTS' },
];

/** 201 of transactions.create: amounts have become decimals in strings. */
export const transactionsAnswer: TransactionsAnswer = {
  results: [
    {
      status: 'TRANSACTION_ADDED_TO_ACCOUNT',
      transaction_data: {
        transaction_id: 'TX-0001',
        transaction_date: '2024-03-01',
        amount: '12.50',
        type: 'CHARGE',
        reason: 'IMPORTED_CHARGE',
        display_note: 'Balance of your former account',
        note: 'Taken over from the legacy ledger',
        status: 'TRANSACTION_IMPORT_SUCCESS',
      },
    },
    {
      status: 'TRANSACTION_ALREADY_EXISTS',
      transaction_data: {
        transaction_id: 'TX-0003',
        transaction_date: '2024-03-05',
        amount: '62.50',
        type: 'PAYMENT',
        reason: 'ACCOUNT_CHARGE_PAYMENT',
        note: 'First collection',
        reference: 'PAY-2024-0003',
        payment_type: 'DD_REGULAR_COLLECTION',
      },
    },
  ],
};

/** 200 or 201 of historicalStatements.create: the validated data. */
export const historicalStatementsAnswer: HistoricalStatementsAnswer = { ...historicalStatements };

/** 201 of paymentInstructions.create. */
export const paymentInstructionAnswer: PaymentInstructionAnswer = {
  service_account_number: 'A-00012345',
  reference: 'CARD-0001',
};

/** 200 of imports.status while the account is only staged. */
export const statusOfStaged: AccountTransferStatus = { status: 'UNKNOWN', service_account_number: '' };

/** 200 of imports.status after the account was created. */
export const statusOfImported: AccountTransferStatus = { status: 'PENDING', service_account_number: 'A-00012345' };

/** 200 of imports.all: one account that is only staged, and one that was created. */
export const allImports: AccountImportProcess[] = [
  { external_account_number: 'ACC-0002', service_account_number: null, account_created_at: null },
  {
    external_account_number: 'ACC-0001',
    service_account_number: 'A-00012345',
    account_created_at: '2024-03-10T12:00:00Z',
  },
];

/** 200 of imports.pending: both fields are always null. */
export const pendingImports: AccountImportProcess[] = [
  { external_account_number: 'ACC-0002', service_account_number: null, account_created_at: null },
];

/** 400: the account payload is wrong. */
export const validationErrorBody: ValidationErrorBody = {
  detail: 'Account failed validation.',
  code: 'account_failed_validation',
  errors: [{ detail: 'Invalid phone number.', code: 'invalid_phone_number', attr: 'customers.0.landline' }],
};

/** 400 of accounts.process: the account was imported before. */
export const alreadyImportedBody: AlreadyImportedBody = {
  detail: 'The account was already imported.',
  code: 'account_already_imported',
  errors: [],
  external_account_number: 'ACC-0001',
  service_account_number: 'A-00012345',
};

/** 400 of a dry run that would succeed; where the message stands is not shown (U12). */
export const dryRunBody = { detail: 'Account would successfully import. Rolled back due to Dry Run.' };

/** 400 of transactions.create: the first failing transaction. */
export const transactionImportErrorBody: TransactionImportErrorBody = {
  status: 'TRANSACTION_IMPORT_ERROR',
  error_detail: 'The transaction date lies outside the open statement period.',
  transaction_data: {
    transaction_id: 'TX-0001',
    transaction_date: '2019-01-01',
    amount: '12.50',
    type: 'CHARGE',
    reason: 'IMPORTED_CHARGE',
  },
};
