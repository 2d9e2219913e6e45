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

/** Path, documented success and payload of each. */
const TABLE = {
  'supplyPoints.populate': ['supply-point/populate/', 201, answers.populateAnswer, populate],
  'businesses.create': ['business/', 201, answers.businessAnswer, business],
  'businesses.createPaymentInstruction': [
    'business-payment-instruction/create/',
    201,
    answers.businessPaymentInstructionAnswer,
    businessPaymentInstruction,
  ],
  'accounts.validate': ['validate-account/', 200, answers.validatedAccount, domesticAccount],
  'accounts.stage': ['account-import-process/create-or-update/', 201, answers.stageAnswer, domesticAccount],
  'accounts.process': ['account-import-process/process/', 201, answers.processAnswer, processPayload],
  'accounts.dryRun': ['account-import-process/process/', 400, answers.dryRunBody, processPayload],
  'notes.create': ['notes/create/', 201, answers.notesAnswer, textNotes],
  'transactions.create': ['transactions/create/', 201, answers.transactionsAnswer, transactions],
  'historicalStatements.create': [
    'historical-statements/create/',
    201,
    answers.historicalStatementsAnswer,
    historicalStatements,
  ],
  'paymentInstructions.create': [
    'payment-instruction/create/',
    201,
    answers.paymentInstructionAnswer,
    paymentInstruction,
  ],
  'imports.status': [
    'account-transfer-status/ACME/A-1/',
    200,
    answers.statusOfImported,
    { import_supplier_code: 'ACME', external_account_number: 'A-1' },
  ],
  'imports.all': ['all-account-import-processes/ACME/', 200, answers.allImports, 'ACME'],
  'imports.pending': ['pending-account-import-processes/ACME/', 200, answers.pendingImports, 'ACME'],
  'imports.imported': ['imported-account-import-processes/ACME/', 200, answers.allImports, 'ACME'],
} as const satisfies Record<string, readonly [path: string, status: number, answer: unknown, payload: unknown]>;

export type CallName = keyof typeof TABLE;

/** Calls a method of the client by its name, with any payload. */
export function sendAs(name: CallName, client: DataImportClient, payload: unknown, options?: CallOptions) {
  const [resource = '', method = ''] = name.split('.');
  const methods = Reflect.get(client, resource) as Record<string, (...sent: unknown[]) => PromiseLike<unknown>>;
  return methods[method]?.(payload, options) ?? Promise.reject(new Error(`There is no ${name}.`));
}

export const calls = Object.fromEntries(
  Object.entries(TABLE).map(([name, [path, status, answer, payload]]): [string, Call] => [
    name,
    { path, status, answer, send: (client, options) => sendAs(name as CallName, client, payload, options) },
  ]),
) as Record<CallName, Call>;

/** For `it.each`: the name and the call. */
export const everyCall = Object.entries(calls) as [CallName, Call][];
