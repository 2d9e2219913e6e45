/** `ANSWERS`: for each answer that the table of operations has, the test that sees the sandbox give it. */
import type { OperationName } from '../../schemas/operations.js';

/** Every operation has these two. The API specification states 401 for one endpoint only (U2). */
const COMMON = {
  401: 'C2 %s %s without a token or with an invalid one is 401 (U2)',
  500: 'afterCommit with a status: done, and answered with 500',
};

/** A title is a reference as in a row of the table: see `resolve.ts`. */
export const ANSWERS: Readonly<Record<OperationName, Readonly<Record<number, string>>>> = {
  'supplyPoints.populate': {
    201: 'E1 populate: valid gives 201 with a batch_id',
    400: 'E1 populate: a wrong type is 400 with its attr (U24)',
    ...COMMON,
  },
  'businesses.create': {
    201: 'E2 business: 201 with an integer service_business_id and the identifier',
    400: 'E2 business: an invalid one is 400 with the path of the invalid field',
    ...COMMON,
  },
  'businesses.createPaymentInstruction': {
    201: 'E3 business payment instruction: 201 with reference and identifier, stored once',
    400: 'E3 business payment instruction: an unreachable vendor is 400 on every try, and nothing is stored',
    ...COMMON,
    500: 'E3 business payment instruction: a vendor that fails twice is 500 twice, then the same body is stored once',
  },
  'accounts.validate': {
    200: 'E4 validate: a domestic account is 200 with the validated data, and nothing is stored',
    400: 'E4 validate: a bad landline is account_failed_validation, invalid_phone_number at customers.0.landline',
    ...COMMON,
  },
  'accounts.stage': {
    200: 'E5 stage: the first is 201, later ones are 200, both with supplier and account number',
    201: 'E5 stage: the first is 201, later ones are 200, both with supplier and account number',
    400: 'E5 stage: an account that was imported is 400',
    ...COMMON,
  },
  'accounts.process': {
    201: 'E6 process: 201 with the service_account_number, and staged becomes imported',
    400: 'E6 process: an account that was imported is 400, and the body also carries both numbers',
    429: 'E6 the limit counts the calls that run: 429 until one ends',
    ...COMMON,
  },
  'notes.create': {
    201: 'E7 notes: 201 with one item a note, in the order of the request',
    400: 'E7 notes: neither body nor document_paths is 400, and no note of the request is created',
    404: 'E7 notes: an account that is only staged is 404',
    ...COMMON,
  },
  'transactions.create': {
    201: 'E8 transactions: 201, each echoed with its amount as a decimal string',
    400: 'E8 transactions: with force off, the first one outside the period is 400, and the batch is not kept (U15)',
    ...COMMON,
  },
  'historicalStatements.create': {
    200: 'U3 with %s statements (E9) are accepted with %i',
    201: 'E9 statements: 201 with the validated data, stored (U3)',
    400: 'E9 statements: invalid is 400 with its attr, and none of the request is stored',
    ...COMMON,
  },
  'paymentInstructions.create': {
    201: 'E10 payment instruction: 201 with the account number and the reference, stored',
    400: 'E10 payment instruction: an unreachable vendor is 400 on every try, and nothing is stored',
    ...COMMON,
    500: 'E10 payment instruction: a vendor that fails once is 500 once for each instruction, then 201, stored once',
  },
  'imports.status': {
    200: 'E11 status: imported is PENDING with the number',
    404: 'E11 status: never staged is 404, and validating is not staging',
    ...COMMON,
  },
  'imports.all': {
    200: "E12 all: staged with both null and imported with both set, in staging order, no other supplier's (U26)",
    ...COMMON,
  },
  'imports.pending': {
    200: 'E13 pending: staged only, both null; an entry leaves when it is processed',
    ...COMMON,
  },
  'imports.imported': {
    200: 'E14 imported: imported only, with the same entries as in the list of all (U5)',
    ...COMMON,
  },
};

/** What the API specification names and the sandbox does not implement: it says so in its answer, of status 501. */
export const NOT_IMPLEMENTED = [
  {
    what: 'every operation of the GraphQL interface besides the mutation that issues a token',
    tests: ['C6 the GraphQL document %j is not implemented: 501, which says so'],
  },
] as const;
