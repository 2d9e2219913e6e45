/**
 * Exports `operations`, the table of the fourteen endpoints. The client's calls, the sandbox's routes and the OpenAPI
 * document derive from it; no other file contains a path.
 */
import type * as z from 'zod';
import {
  alreadyImportedBodySchema,
  dryRunBodySchema,
  otherErrorBodySchema,
  paymentVendorErrorBodySchema,
  transactionImportErrorBodySchema,
  validationErrorBodySchema,
} from './error-bodies.js';
import { optionalBoolean, strict } from './fields.js';
import {
  accountImportProcessesSchema,
  accountTransferStatusSchema,
  importedAccountImportProcessesSchema,
} from './import-status.js';
import { isObject } from './objects.js';
import { accountSchema, stageAnswerSchema, validatedAccountSchema } from './payloads/account.js';
import { businessAnswerSchema, businessIdSchema, businessPayloadSchema } from './payloads/business.js';
import {
  historicalStatementsAnswerSchema,
  historicalStatementsPayloadSchema,
} from './payloads/historical-statement.js';
import { hasText, type NotesPayload, notesAnswerSchema, notesPayloadSchema } from './payloads/note.js';
import {
  businessPaymentInstructionAnswerSchema,
  businessPaymentInstructionSchema,
  paymentInstructionAnswerSchema,
  paymentInstructionSchema,
} from './payloads/payment-instruction.js';
import { populateAnswerSchema, populatePayloadSchema } from './payloads/populate.js';
import { processAnswerSchema, processPayloadSchema } from './payloads/process.js';
import {
  hasId,
  type TransactionsPayload,
  type TransactionsQuery,
  transactionsAnswerSchema,
  transactionsPayloadSchema,
} from './payloads/transaction.js';

/** Prefix of all paths, after the base URL. */
export const PATH_PREFIX = '/v1/data-import/';

/**
 * What a caller may do after it got no answer and the request may have taken effect.
 * - `pure`: has no side effects; safe to send again.
 * - `upsert`: sending again gives the same state; safe to send again.
 * - `deduplicated`: the service recognises items that it already stores; safe to send again.
 * - `reconcilable`: a status query tells whether the request took effect.
 * - `unknown`: sending again may apply it twice; the caller must decide.
 */
export type ReplayClass = 'pure' | 'upsert' | 'deduplicated' | 'reconcilable' | 'unknown';

/** The parts of a request on which its replay class may depend. */
export interface SentRequest {
  /** The body, checked or not. */
  payload?: unknown;
  /** Query parameters by name. */
  query?: Readonly<Record<string, unknown>> | undefined;
}

/** One endpoint of the service. */
export interface Operation {
  /** HTTP method. */
  readonly method: 'GET' | 'POST';
  /** Below `PATH_PREFIX`, with the trailing slash; path parameters in braces. */
  readonly path: string;
  /** Names of the path parameters, in their order in the path. */
  readonly pathParameters: readonly string[];
  /** Schema of the query parameters, where there are any. */
  readonly query?: z.ZodObject<Record<string, z.ZodType>>;
  /** Schema of the request body. */
  readonly request?: z.ZodType;
  /** Schemas of the answers by status; several where a status has several bodies. */
  readonly answers: Readonly<Record<number, readonly z.ZodType[]>>;
  /** Schema of another success answer, which the API specification does not show and some deployments have. */
  readonly undocumented?: z.ZodType;
  /** The body of the success answer may be empty: it is undocumented, or not needed. */
  readonly mayBeEmpty?: boolean;
  /** Replay class; a function if it depends on the request. */
  readonly replay: ReplayClass | ((request: SentRequest) => ReplayClass);
}

type Answers = Operation['answers'];

const validationError = [validationErrorBodySchema] as const;
const accountError = [validationErrorBodySchema, alreadyImportedBodySchema] as const;
const vendorError = [validationErrorBodySchema, paymentVendorErrorBodySchema] as const;
const other = [otherErrorBodySchema] as const;
const everywhere = { 401: other, 500: other };

/** Schema of the query parameters of `transactions.create`; the service treats an omitted one as true. */
export const transactionsQuerySchema = strict<TransactionsQuery>({
  check_previously_added: optionalBoolean,
  force_add_to_current_statement: optionalBoolean,
});

const table = {
  'supplyPoints.populate': post(
    'supply-point/populate/',
    populatePayloadSchema,
    { 201: [populateAnswerSchema], 400: validationError },
    'unknown',
  ),
  'businesses.create': {
    ...post('business/', businessPayloadSchema, { 201: [businessAnswerSchema], 400: validationError }, 'unknown'),
    undocumented: businessIdSchema,
  },
  'businesses.createPaymentInstruction': post(
    'business-payment-instruction/create/',
    businessPaymentInstructionSchema,
    { 201: [businessPaymentInstructionAnswerSchema], 400: vendorError },
    'unknown',
  ),
  'accounts.validate': post(
    'validate-account/',
    accountSchema,
    { 200: [validatedAccountSchema], 400: accountError },
    'pure',
  ),
  'accounts.stage': post(
    'account-import-process/create-or-update/',
    accountSchema,
    { 200: [stageAnswerSchema], 201: [stageAnswerSchema], 400: accountError },
    'upsert',
  ),
  'accounts.process': post(
    'account-import-process/process/',
    processPayloadSchema,
    { 201: [processAnswerSchema], 400: [...accountError, dryRunBodySchema], 429: other },
    ({ payload }) => ((payload as { dry_run?: boolean } | undefined)?.dry_run === true ? 'pure' : 'reconcilable'),
  ),
  'notes.create': post(
    'notes/create/',
    notesPayloadSchema,
    { 201: [notesAnswerSchema], 400: validationError, 404: other },
    // The service recognises a note by its body; its rule for notes without one is not documented (U17).
    // The payload may be unchecked.
    ({ payload }) => {
      const notes: unknown = (payload as Partial<NotesPayload> | null | undefined)?.notes;
      return Array.isArray(notes) && notes.every(hasText) ? 'deduplicated' : 'unknown';
    },
  ),
  'transactions.create': {
    ...post(
      'transactions/create/',
      transactionsPayloadSchema,
      { 201: [transactionsAnswerSchema], 400: [transactionImportErrorBodySchema, validationErrorBodySchema] },
      // The service may recognise a transaction only by its id.
      ({ payload, query }) => {
        const items: unknown = (payload as Partial<TransactionsPayload> | null | undefined)?.transactions;
        const isChecked = query?.['check_previously_added'] !== false;
        return isChecked && Array.isArray(items) && items.every(hasId) ? 'deduplicated' : 'unknown';
      },
    ),
    query: transactionsQuerySchema,
  },
  'historicalStatements.create': {
    ...post(
      'historical-statements/create/',
      historicalStatementsPayloadSchema,
      // 200 and 201: the API specification gives both (U3).
      { 200: [historicalStatementsAnswerSchema], 201: [historicalStatementsAnswerSchema], 400: validationError },
      'unknown',
    ),
    mayBeEmpty: true,
  },
  'paymentInstructions.create': post(
    'payment-instruction/create/',
    paymentInstructionSchema,
    { 201: [paymentInstructionAnswerSchema], 400: vendorError },
    'unknown',
  ),
  'imports.status': get('account-transfer-status/{import_supplier_code}/{external_account_number}/', {
    200: [accountTransferStatusSchema],
    404: other,
  }),
  'imports.all': get('all-account-import-processes/{import_supplier_code}/', {
    200: [accountImportProcessesSchema],
  }),
  'imports.pending': get('pending-account-import-processes/{import_supplier_code}/', {
    200: [accountImportProcessesSchema],
  }),
  'imports.imported': {
    ...get('imported-account-import-processes/{import_supplier_code}/', {
      200: [importedAccountImportProcessesSchema],
    }),
    mayBeEmpty: true,
  },
} satisfies Record<string, Operation>;

/** An endpoint with a request body: `request` and `answers` have the types of their schemas. */
export interface PostOperation<Request extends z.ZodType, Bodies extends Answers> extends Operation {
  /** Sends a body. */
  readonly method: 'POST';
  /** Schema of the request body. */
  readonly request: Request;
  /** Schemas of the answers by status; several where a status has several bodies. */
  readonly answers: Bodies & typeof everywhere;
}

/** An endpoint without a request body: `answers` has the types of its schemas. */
export interface GetOperation<Bodies extends Answers> extends Operation {
  /** Has no side effects. */
  readonly method: 'GET';
  /** None. */
  readonly request?: never;
  /** Schemas of the answers by status; several where a status has several bodies. */
  readonly answers: Bodies & typeof everywhere;
}

function post<Request extends z.ZodType, const Bodies extends Answers>(
  path: string,
  request: Request,
  answers: Bodies,
  replay: Operation['replay'],
): PostOperation<Request, Bodies> {
  return { method: 'POST', path, pathParameters: [], request, answers: { ...answers, ...everywhere }, replay };
}

function get<const Bodies extends Answers>(path: string, answers: Bodies): GetOperation<Bodies> {
  const pathParameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return { method: 'GET', path, pathParameters, answers: { ...answers, ...everywhere }, replay: 'pure' };
}

/** Name of an endpoint: the client's noun and verb, such as `accounts.stage`. */
export type OperationName = keyof typeof table;

/** The fourteen endpoints by name. */
export const operations: Readonly<typeof table> = table;

/** Returns the replay class of one request; for some operations it depends on the payload or the query. */
export function replayClass(operation: Pick<Operation, 'replay'>, request: SentRequest): ReplayClass {
  if (!isObject(operation) || !isObject(request))
    throw new TypeError('replayClass: expected an operation of `operations`, and an object with payload and query.');
  return typeof operation.replay === 'function' ? operation.replay(request) : operation.replay;
}
