/**
 * The fourteen endpoints of the service, one row each. The client's calls, the sandbox's routes and the OpenAPI
 * document are all derived from this table; no other place knows a path.
 */
import * as z from 'zod';
import { accountSchema, stageAnswerSchema, validatedAccountSchema } from './account.js';
import { businessAnswerSchema, businessSchema } from './business.js';
import {
  alreadyImportedBodySchema,
  dryRunBodySchema,
  otherErrorBodySchema,
  transactionImportErrorBodySchema,
  validationErrorBodySchema,
} from './errors.js';
import { historicalStatementsAnswerSchema, historicalStatementsPayloadSchema } from './historical-statement.js';
import { type NotesPayload, notesAnswerSchema, notesPayloadSchema } from './note.js';
import {
  businessPaymentInstructionAnswerSchema,
  businessPaymentInstructionSchema,
  paymentInstructionAnswerSchema,
  paymentInstructionSchema,
} from './payment-instruction.js';
import { populateAnswerSchema, populateSchema } from './populate.js';
import { processAnswerSchema, processSchema } from './process.js';
import {
  accountImportProcessesSchema,
  accountTransferStatusSchema,
  importedAccountImportProcessesSchema,
} from './status.js';
import { transactionsAnswerSchema, transactionsPayloadSchema } from './transaction.js';

/** What all paths begin with, after the base URL. */
export const PATH_PREFIX = '/v1/data-import/';

/**
 * What may be done after an answer got lost and nobody knows whether the service acted.
 * - `pure`: changes nothing; send again.
 * - `upsert`: sending again gives the same state; send again.
 * - `deduplicated`: the service recognises what it has; send again.
 * - `reconcilable`: ask the service what happened, then decide.
 * - `unknown`: sending again may do it twice; the caller must decide.
 */
export type ReplayClass = 'pure' | 'upsert' | 'deduplicated' | 'reconcilable' | 'unknown';

/** What is sent, as far as a replay class depends on it. */
export interface SentRequest {
  /** The body, checked or not. */
  payload?: unknown;
  /** Query parameters by name. */
  query?: Readonly<Record<string, unknown>> | undefined;
}

/** One endpoint of the service. */
export interface Operation {
  /** What the endpoint does, in a few words. */
  readonly summary: string;
  readonly method: 'GET' | 'POST';
  /** Below `PATH_PREFIX`, with the trailing slash; path parameters stand in braces. */
  readonly path: string;
  /** Names of the path parameters, in their order in the path. */
  readonly pathParameters: readonly string[];
  /** Schema of the query parameters, where there are any. */
  readonly query?: z.ZodObject<Record<string, z.ZodType>>;
  /** Schema of the request body. */
  readonly request?: z.ZodType;
  /** Schemas of the answers by status; several where a status has several bodies. */
  readonly answers: Readonly<Record<number, readonly z.ZodType[]>>;
  /** The body of the success answer is not shown (U5), and may be empty. */
  readonly mayBeEmpty?: boolean;
  /** What may be done after a lost answer; a function where that depends on what was sent. */
  readonly replay: ReplayClass | ((request: SentRequest) => ReplayClass);
}

const validationError = [validationErrorBodySchema] as const;
const accountError = [validationErrorBodySchema, alreadyImportedBodySchema] as const;
const other = [otherErrorBodySchema] as const;
const everywhere = { 401: other, 500: other } as const;

/** Query parameters of `transactions.create`; the service takes both for true when they are left out. */
export const transactionsQuerySchema = z.strictObject({
  check_previously_added: z.boolean().optional(),
  force_add_to_current_statement: z.boolean().optional(),
});

const table = {
  'supplyPoints.populate': {
    summary: 'Queue supply points for lookup with the industry registries',
    method: 'POST',
    path: 'supply-point/populate/',
    pathParameters: [],
    request: populateSchema,
    answers: { 201: [populateAnswerSchema], 400: validationError, ...everywhere },
    replay: 'unknown',
  },
  'businesses.create': {
    summary: 'Create a business with all its contracts',
    method: 'POST',
    path: 'business/',
    pathParameters: [],
    request: businessSchema,
    answers: { 201: [businessAnswerSchema], 400: validationError, ...everywhere },
    replay: 'unknown',
  },
  'businesses.createPaymentInstruction': {
    summary: 'Add a payment instruction to an imported business',
    method: 'POST',
    path: 'business-payment-instruction/create/',
    pathParameters: [],
    request: businessPaymentInstructionSchema,
    answers: { 201: [businessPaymentInstructionAnswerSchema], 400: other, ...everywhere },
    replay: 'unknown',
  },
  'accounts.validate': {
    summary: 'Check an account without storing it',
    method: 'POST',
    path: 'validate-account/',
    pathParameters: [],
    request: accountSchema,
    answers: { 200: [validatedAccountSchema], 400: accountError, ...everywhere },
    replay: 'pure',
  },
  'accounts.stage': {
    summary: 'Store the data of an account, or replace what was stored',
    method: 'POST',
    path: 'account-import-process/create-or-update/',
    pathParameters: [],
    request: accountSchema,
    answers: { 200: [stageAnswerSchema], 201: [stageAnswerSchema], 400: accountError, ...everywhere },
    replay: 'upsert',
  },
  'accounts.process': {
    summary: 'Turn the staged data into an account, or try whether that would succeed',
    method: 'POST',
    path: 'account-import-process/process/',
    pathParameters: [],
    request: processSchema,
    answers: {
      201: [processAnswerSchema],
      400: [validationErrorBodySchema, alreadyImportedBodySchema, dryRunBodySchema],
      429: other,
      ...everywhere,
    },
    replay: ({ payload }: SentRequest) =>
      (payload as { dry_run?: boolean } | undefined)?.dry_run === true ? 'pure' : 'reconcilable',
  },
  'notes.create': {
    summary: 'Add notes to an imported account',
    method: 'POST',
    path: 'notes/create/',
    pathParameters: [],
    request: notesPayloadSchema,
    answers: { 201: [notesAnswerSchema], 400: validationError, 404: other, ...everywhere },
    // The service recognises a note by its body; what it does with one that has none is not shown (U17).
    // Payloads that were not checked come here too.
    replay: ({ payload }: SentRequest) => {
      const notes: unknown = (payload as Partial<NotesPayload> | null | undefined)?.notes;
      return Array.isArray(notes) && notes.every((note) => note?.body !== undefined) ? 'deduplicated' : 'unknown';
    },
  },
  'transactions.create': {
    summary: 'Add transactions to an imported account',
    method: 'POST',
    path: 'transactions/create/',
    pathParameters: [],
    query: transactionsQuerySchema,
    request: transactionsPayloadSchema,
    answers: {
      201: [transactionsAnswerSchema],
      400: [transactionImportErrorBodySchema, validationErrorBodySchema],
      ...everywhere,
    },
    replay: ({ query }: SentRequest) => (query?.['check_previously_added'] === false ? 'unknown' : 'deduplicated'),
  },
  'historicalStatements.create': {
    summary: 'Add historical statements to an imported account',
    method: 'POST',
    path: 'historical-statements/create/',
    pathParameters: [],
    request: historicalStatementsPayloadSchema,
    // Both, because the document says both (U3).
    answers: {
      200: [historicalStatementsAnswerSchema],
      201: [historicalStatementsAnswerSchema],
      400: validationError,
      ...everywhere,
    },
    replay: 'unknown',
  },
  'paymentInstructions.create': {
    summary: 'Add a payment instruction to an imported account',
    method: 'POST',
    path: 'payment-instruction/create/',
    pathParameters: [],
    request: paymentInstructionSchema,
    answers: { 201: [paymentInstructionAnswerSchema], 400: other, ...everywhere },
    replay: 'unknown',
  },
  'imports.status': {
    summary: 'Tell the state of one account import',
    method: 'GET',
    path: 'account-transfer-status/{import_supplier_code}/{external_account_number}/',
    pathParameters: ['import_supplier_code', 'external_account_number'],
    answers: { 200: [accountTransferStatusSchema], 404: other, ...everywhere },
    replay: 'pure',
  },
  'imports.all': {
    summary: 'List all account imports of a supplier',
    method: 'GET',
    path: 'all-account-import-processes/{import_supplier_code}/',
    pathParameters: ['import_supplier_code'],
    answers: { 200: [accountImportProcessesSchema], ...everywhere },
    replay: 'pure',
  },
  'imports.pending': {
    summary: 'List the staged accounts of a supplier',
    method: 'GET',
    path: 'pending-account-import-processes/{import_supplier_code}/',
    pathParameters: ['import_supplier_code'],
    answers: { 200: [accountImportProcessesSchema], ...everywhere },
    replay: 'pure',
  },
  'imports.imported': {
    summary: 'List the imported accounts of a supplier',
    method: 'GET',
    path: 'imported-account-import-processes/{import_supplier_code}/',
    pathParameters: ['import_supplier_code'],
    answers: { 200: [importedAccountImportProcessesSchema], ...everywhere },
    mayBeEmpty: true,
    replay: 'pure',
  },
} as const satisfies Record<string, Operation>;

/** Name of an endpoint: the client's noun and verb, such as `accounts.stage`. */
export type OperationName = keyof typeof table;

/** The fourteen endpoints by name. */
export const operations: Readonly<Record<OperationName, Operation>> = table;

/** The replay class of one request. */
export function replayClass(operation: Operation, request: SentRequest): ReplayClass {
  return typeof operation.replay === 'function' ? operation.replay(request) : operation.replay;
}
