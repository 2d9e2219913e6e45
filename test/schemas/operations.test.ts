/** The table of endpoints, compared with one written by hand from the document and from DESIGN 6. */
import { describe, expect, it } from 'vitest';
import * as s from '../../schemas/index.js';
import { notes } from '../examples/notes.js';
import { dryRun, process } from '../examples/process.js';
import { transactions } from '../examples/transactions.js';
import { rowsOf } from '../helpers/rows.js';

type Documented = [
  ...[id: string, name: keyof typeof s.operations, method: string, path: string, request: keyof typeof s | undefined],
  ...[success: Record<string, keyof typeof s>, refused: number[], replay: string],
];

// Paths below the prefix. The successes are exact (of E9 both are documented, U3); a refusal is one that the document states.
const documented = rowsOf<Documented>`
  E1 | supplyPoints.populate | POST | supply-point/populate/ | populatePayloadSchema | {"201": "populateAnswerSchema"} | [400] | unknown
  E2 | businesses.create | POST | business/ | businessPayloadSchema | {"201": "businessAnswerSchema"} | [400] | unknown
  E3 | businesses.createPaymentInstruction | POST | business-payment-instruction/create/ | businessPaymentInstructionSchema | {"201": "businessPaymentInstructionAnswerSchema"} | [400, 401, 500] | unknown
  E4 | accounts.validate | POST | validate-account/ | accountSchema | {"200": "validatedAccountSchema"} | [400] | pure
  E5 | accounts.stage | POST | account-import-process/create-or-update/ | accountSchema | {"200": "stageAnswerSchema", "201": "stageAnswerSchema"} | [400] | upsert
  E6 | accounts.process | POST | account-import-process/process/ | processPayloadSchema | {"201": "processAnswerSchema"} | [400, 429] | conditional
  E7 | notes.create | POST | notes/create/ | notesPayloadSchema | {"201": "notesAnswerSchema"} | [400, 404] | conditional
  E8 | transactions.create | POST | transactions/create/ | transactionsPayloadSchema | {"201": "transactionsAnswerSchema"} | [400] | conditional
  E9 | historicalStatements.create | POST | historical-statements/create/ | historicalStatementsPayloadSchema | {"200": "historicalStatementsAnswerSchema", "201": "historicalStatementsAnswerSchema"} | [400] | unknown
  E10 | paymentInstructions.create | POST | payment-instruction/create/ | paymentInstructionSchema | {"201": "paymentInstructionAnswerSchema"} | [400, 500] | unknown
  E11 | imports.status | GET | account-transfer-status/{import_supplier_code}/{external_account_number}/ | - | {"200": "accountTransferStatusSchema"} | [404] | pure
  E12 | imports.all | GET | all-account-import-processes/{import_supplier_code}/ | - | {"200": "accountImportProcessesSchema"} | [] | pure
  E13 | imports.pending | GET | pending-account-import-processes/{import_supplier_code}/ | - | {"200": "accountImportProcessesSchema"} | [] | pure
  E14 | imports.imported | GET | imported-account-import-processes/{import_supplier_code}/ | - | {"200": "importedAccountImportProcessesSchema"} | [] | pure
`;

const schemasByName: Record<string, unknown> = { ...s };

it('C1 the table has exactly the fourteen endpoints', () => {
  expect(Object.keys(s.operations)).toEqual(documented.map(([, name]) => name));
  expect(documented).toHaveLength(14);
});

describe.each(documented)('%s %s', (_, name, method, below, request, success, refused, replay) => {
  const path = `/v1/data-import/${below}`;
  const operation = s.operations[name];

  it(`C1 is ${method} ${path}`, () => {
    expect({ method: operation.method, path: `${s.PATH_PREFIX}${operation.path}` }).toEqual({ method, path });
  });

  it('names the parameters of its path, in their order', () => {
    expect(operation.pathParameters).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter));
  });

  it('takes the documented request and gives the documented answers', () => {
    expect(operation.request).toBe(request === undefined ? undefined : schemasByName[request]);
    const given = Object.entries(operation.answers).filter(([status]) => Number(status) < 300);
    expect(given.map(([status]) => Number(status))).toEqual(Object.keys(success).map(Number));
    for (const [status, schemas] of given) {
      expect(schemas).toHaveLength(1);
      expect(schemas[0]).toBe(schemasByName[success[status] ?? '']);
    }
  });

  it('knows the refusals that the document states, beside 401 and 500', () => {
    const statuses = Object.keys(operation.answers)
      .map(Number)
      .filter((status) => status >= 400);

    // No list has a 400: there is nothing in it to be wrong.
    expect(statuses).toEqual([...new Set([...refused, 401, 500])].sort());
  });

  if (replay !== 'conditional') {
    it(`after a lost answer it is ${replay}, whatever was sent`, () => {
      expect(s.replayClass(operation, {})).toBe(replay);
      expect(s.replayClass(operation, { payload: { dry_run: true }, query: { check_previously_added: false } })).toBe(
        replay,
      );
    });
  }
});

describe('the replay class depends on the request', () => {
  it.each([
    ['E6 process: ask what happened', 'accounts.process', { payload: process }, 'reconcilable'],
    ['E6 process with dry_run false', 'accounts.process', { payload: { ...process, dry_run: false } }, 'reconcilable'],
    ['E6 process of nothing known', 'accounts.process', {}, 'reconcilable'],
    ['E6 dry run: changes nothing', 'accounts.process', { payload: dryRun }, 'pure'],
    [
      'E7 notes with bodies: recognised',
      'notes.create',
      { payload: { ...notes, notes: [{ body: 'a' }, { body: 'b', created_at: '2024-01-01T00:00:00Z' }] } },
      'deduplicated',
    ],
    [
      'E7 a note with an empty body: as one without',
      'notes.create',
      { payload: { ...notes, notes: [{ body: '' }] } },
      'unknown',
    ],
    ['E7 one note without a body: not known (U17)', 'notes.create', { payload: notes }, 'unknown'],
    ['E7 notes of nothing known', 'notes.create', {}, 'unknown'],
    ['E8 transactions: checked by default', 'transactions.create', { payload: transactions }, 'deduplicated'],
    [
      'E8 with the check asked for',
      'transactions.create',
      { payload: transactions, query: { check_previously_added: true } },
      'deduplicated',
    ],
    [
      'E8 with the check left undefined',
      'transactions.create',
      { payload: transactions, query: { check_previously_added: undefined } },
      'deduplicated',
    ],
    [
      'E8 without the check: may be added twice',
      'transactions.create',
      { payload: transactions, query: { check_previously_added: false } },
      'unknown',
    ],
    [
      'E8 the other parameter does not matter',
      'transactions.create',
      { payload: transactions, query: { force_add_to_current_statement: false } },
      'deduplicated',
    ],
  ] as const)('%s', (_, name, request, expected) => {
    expect(s.replayClass(s.operations[name], request)).toBe(expected);
  });
});

it('E9 E14 only statements that were added and the list of imported accounts may have no body at all (U3, U5)', () => {
  const mayBeEmpty = Object.entries(s.operations).filter(([, operation]) => operation.mayBeEmpty === true);

  expect(mayBeEmpty.map(([name]) => name)).toEqual(['historicalStatements.create', 'imports.imported']);
});

describe('query parameters', () => {
  it('E8 only transactions.create has any: two booleans that may be left out', () => {
    const withQuery = Object.entries(s.operations).filter(([, operation]) => operation.query !== undefined);

    expect(withQuery.map(([name]) => name)).toEqual(['transactions.create']);
    expect(s.operations['transactions.create'].query).toBe(s.transactionsQuerySchema);
    expect(s.transactionsQuerySchema.parse({})).toEqual({});
    expect(
      s.transactionsQuerySchema.parse({ check_previously_added: false, force_add_to_current_statement: true }),
    ).toEqual({ check_previously_added: false, force_add_to_current_statement: true });
    expect(s.transactionsQuerySchema.safeParse({ check_previously_added: 'false' }).success).toBe(false);
    expect(s.transactionsQuerySchema.safeParse({ force: true }).success).toBe(false);
  });
});

describe('error bodies by status', () => {
  it.each([
    ['accounts.validate', [s.validationErrorBodySchema, s.alreadyImportedBodySchema]],
    ['accounts.stage', [s.validationErrorBodySchema, s.alreadyImportedBodySchema]],
    ['accounts.process', [s.validationErrorBodySchema, s.alreadyImportedBodySchema, s.dryRunBodySchema]],
    ['transactions.create', [s.transactionImportErrorBodySchema, s.validationErrorBodySchema]],
    ['notes.create', [s.validationErrorBodySchema]],
    ['businesses.create', [s.validationErrorBodySchema]],
    ['supplyPoints.populate', [s.validationErrorBodySchema]],
    ['historicalStatements.create', [s.validationErrorBodySchema]],
    // Vendor failures come as 400 too, in a body that is not shown (U22).
    ['paymentInstructions.create', [s.validationErrorBodySchema, s.paymentVendorErrorBodySchema]],
    ['businesses.createPaymentInstruction', [s.validationErrorBodySchema, s.paymentVendorErrorBodySchema]],
  ] as const)('400 of %s', (name, bodies) => {
    const given = s.operations[name].answers[400];

    expect(given).toHaveLength(bodies.length);
    for (const [index, body] of bodies.entries()) expect(given?.[index]).toBe(body);
  });
});
