/** Every method of the client, with a payload that the document allows, its path below /v1/data-import/ and its answer. */
import type { CallOptions, DataImportClient } from 'data-import-sdk';
import { domesticAccount } from '../examples/account.js';
import * as answers from '../examples/answers.js';
import { business } from '../examples/business.js';
import { historicalStatements } from '../examples/historical-statements.js';
import { businessPaymentInstruction, paymentInstruction } from '../examples/payment-instructions.js';
import { populate } from '../examples/populate.js';
import { transactions } from '../examples/transactions.js';

export interface Call {
  path: string;
  /** The documented success. */
  status: number;
  answer: unknown;
  send: (client: DataImportClient, options?: CallOptions) => PromiseLike<unknown>;
}

export const account = { import_supplier: 'ACME', external_account_number: 'A-1' };
export const processPayload = {
  import_supplier_code: 'ACME',
  external_account_number: 'A-1',
  operations_team_name: 'MIGRATION',
};
const textNotes = { ...account, notes: [{ body: 'Called about the bill.' }] };
export const documentNotes = { ...account, notes: [{ document_paths: [{ document_path: 'a.pdf' }] }] };

export const calls = {
  'supplyPoints.populate': {
    path: 'supply-point/populate/',
    status: 201,
    answer: answers.populateAnswer,
    send: (client, options) => client.supplyPoints.populate(populate, options),
  },
  'businesses.create': {
    path: 'business/',
    status: 201,
    answer: answers.businessAnswer,
    send: (client, options) => client.businesses.create(business, options),
  },
  'businesses.createPaymentInstruction': {
    path: 'business-payment-instruction/create/',
    status: 201,
    answer: answers.businessPaymentInstructionAnswer,
    send: (client, options) => client.businesses.createPaymentInstruction(businessPaymentInstruction, options),
  },
  'accounts.validate': {
    path: 'validate-account/',
    status: 200,
    answer: answers.validatedAccount,
    send: (client, options) => client.accounts.validate(domesticAccount, options),
  },
  'accounts.stage': {
    path: 'account-import-process/create-or-update/',
    status: 201,
    answer: answers.stageAnswer,
    send: (client, options) => client.accounts.stage(domesticAccount, options),
  },
  'accounts.process': {
    path: 'account-import-process/process/',
    status: 201,
    answer: answers.processAnswer,
    send: (client, options) => client.accounts.process(processPayload, options),
  },
  'accounts.dryRun': {
    path: 'account-import-process/process/',
    status: 400,
    answer: answers.dryRunBody,
    send: (client, options) => client.accounts.dryRun(processPayload, options),
  },
  'notes.create': {
    path: 'notes/create/',
    status: 201,
    answer: answers.notesAnswer,
    send: (client, options) => client.notes.create(textNotes, options),
  },
  'transactions.create': {
    path: 'transactions/create/',
    status: 201,
    answer: answers.transactionsAnswer,
    send: (client, options) => client.transactions.create(transactions, options),
  },
  'historicalStatements.create': {
    path: 'historical-statements/create/',
    status: 201,
    answer: answers.historicalStatementsAnswer,
    send: (client, options) => client.historicalStatements.create(historicalStatements, options),
  },
  'paymentInstructions.create': {
    path: 'payment-instruction/create/',
    status: 201,
    answer: answers.paymentInstructionAnswer,
    send: (client, options) => client.paymentInstructions.create(paymentInstruction, options),
  },
  'imports.status': {
    path: 'account-transfer-status/ACME/A-1/',
    status: 200,
    answer: answers.statusOfImported,
    send: (client, options) =>
      client.imports.status({ import_supplier_code: 'ACME', external_account_number: 'A-1' }, options),
  },
  'imports.all': {
    path: 'all-account-import-processes/ACME/',
    status: 200,
    answer: answers.allImports,
    send: (client, options) => client.imports.all('ACME', options),
  },
  'imports.pending': {
    path: 'pending-account-import-processes/ACME/',
    status: 200,
    answer: answers.pendingImports,
    send: (client, options) => client.imports.pending('ACME', options),
  },
  'imports.imported': {
    path: 'imported-account-import-processes/ACME/',
    status: 200,
    answer: answers.allImports,
    send: (client, options) => client.imports.imported('ACME', options),
  },
} as const satisfies Record<string, Call>;

export type CallName = keyof typeof calls;

/** For `it.each`: the name and the call. */
export const everyCall = Object.entries(calls) as [CallName, Call][];
