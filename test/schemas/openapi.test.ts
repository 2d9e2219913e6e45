/** The OpenAPI document that is shipped: valid, complete, and of the same mind as the Zod schemas. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../schemas/index.js';
import { businessAccount, domesticAccount } from '../examples/account.js';
import * as answers from '../examples/answers.js';
import { business } from '../examples/business.js';
import { historicalStatements } from '../examples/historical-statements.js';
import { notes } from '../examples/notes.js';
import { businessPaymentInstruction, paymentInstruction } from '../examples/payment-instructions.js';
import { populate } from '../examples/populate.js';
import { dryRun, process } from '../examples/process.js';
import { transactions } from '../examples/transactions.js';
import { valueAt, without, withValue } from './change.js';
import { documentedPayloads } from './documented-payloads.js';
import { openApiRules } from './openapi-rules.js';

// As a reader gets it: through JSON.
const document = JSON.parse(JSON.stringify(openApiDocument())) as ReturnType<typeof openApiDocument>;
const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
addFormats.default(ajv);
// So that a component can be addressed inside the document, as its own references do.
ajv.addVocabulary(['openapi', 'info', 'servers', 'tags', 'security', 'paths', 'components']);
ajv.addSchema({ ...document, $id: 'openapi.json' });

/** Whether the component of that name accepts the body as JSON. */
function takes(name: string, body: unknown): boolean {
  return ajv.validate(`openapi.json#/components/schemas/${name}`, JSON.parse(JSON.stringify(body))) === true;
}

interface Body {
  content: { 'application/json': { schema: unknown } };
}
interface Operation {
  operationId: string;
  parameters: { name: string; in: string; required: boolean; schema: unknown }[];
  requestBody?: Body & { required: boolean };
  responses: Record<string, Body>;
}
const operationAt = (method: string, path: string) => document.paths[path]?.[method] as Operation;

describe('the document', () => {
  it('keeps the rules of OpenAPI 3.1', () => {
    ajv.validate(openApiRules, document);

    expect(ajv.errors).toBe(null);
  });

  it('C1 has the fourteen paths, each with its one method', () => {
    expect(Object.entries(document.paths).map(([path, item]) => `${Object.keys(item).join()} ${path}`)).toEqual([
      'post /v1/data-import/supply-point/populate/',
      'post /v1/data-import/business/',
      'post /v1/data-import/business-payment-instruction/create/',
      'post /v1/data-import/validate-account/',
      'post /v1/data-import/account-import-process/create-or-update/',
      'post /v1/data-import/account-import-process/process/',
      'post /v1/data-import/notes/create/',
      'post /v1/data-import/transactions/create/',
      'post /v1/data-import/historical-statements/create/',
      'post /v1/data-import/payment-instruction/create/',
      'get /v1/data-import/account-transfer-status/{import_supplier_code}/{external_account_number}/',
      'get /v1/data-import/all-account-import-processes/{import_supplier_code}/',
      'get /v1/data-import/pending-account-import-processes/{import_supplier_code}/',
      'get /v1/data-import/imported-account-import-processes/{import_supplier_code}/',
    ]);
  });

  it('has no reference to a missing component', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)].map(([, reference]) => reference);

    expect(references.length).toBeGreaterThan(50);
    for (const reference of references) {
      const [root, components, schemas, name] = (reference as string).split('/');
      expect([root, components, schemas]).toEqual(['#', 'components', 'schemas']);
      expect(Object.keys(document.components.schemas)).toContain(name);
    }
  });

  it('has the address of the service as a variable, because each deployment has its own', () => {
    expect(document.servers).toEqual([
      {
        url: '{baseUrl}',
        variables: {
          baseUrl: { default: 'https://api.example.com', description: 'Address of the service, from its operator.' },
        },
      },
    ]);
  });

  it('puts each operation into one of its tags, and uses each tag', () => {
    const used = Object.values(document.paths).flatMap((item) =>
      Object.values(item).map((operation) => (operation as { tags: string[] }).tags),
    );
    expect(used.every(({ length }) => length === 1)).toBe(true);
    expect([...new Set(used.flat())].sort()).toEqual(document.tags.map(({ name }) => name).sort());
  });

  it('describes a body that the API specification does not show, and has the fields that errors are known to have', () => {
    const description = 'Any JSON value: the API specification does not show it.';
    const { OtherErrorBody, ImportedAccountImportProcesses } = document.components.schemas;
    expect(OtherErrorBody).toMatchObject({
      description,
      anyOf: [
        {
          properties: { detail: { type: 'string' }, code: { type: 'string' }, errors: { type: 'array' } },
          additionalProperties: {},
        },
        { type: 'array', items: {} },
        { type: ['string', 'number', 'boolean', 'null'] },
      ],
    });
    expect(ImportedAccountImportProcesses).toMatchObject({
      anyOf: [
        { type: 'array' },
        { type: 'object', additionalProperties: {}, description },
        { type: ['string', 'number', 'boolean', 'null'] },
      ],
    });
  });

  it('has a type for each body and each alternative: generators make unknown of one without, and of the whole union', () => {
    const untyped: string[] = [];
    const visit = (at: string, part: unknown, isValue: boolean) => {
      if (typeof part !== 'object' || part === null) return;
      if (isValue && !['type', '$ref', 'anyOf', 'oneOf', 'const', 'enum'].some((key) => key in part)) untyped.push(at);
      for (const [name, inner] of Object.entries(part)) {
        const isAlternative = Array.isArray(part) && /\/(anyOf|oneOf)$/.test(at);
        visit(`${at}/${name}`, inner, isAlternative || at === '');
      }
    };
    visit('', document.components.schemas, false);
    visit('paths', document.paths, false);

    expect(untyped).toEqual([]);
  });

  it('names every operation once', () => {
    const ids = Object.values(document.paths).flatMap((item) =>
      Object.values(item).map((operation) => (operation as Operation).operationId),
    );

    expect(new Set(ids).size).toBe(14);
  });

  it('has a component for every schema of every operation, and no unused component', () => {
    const reached = new Set<string>();
    const reach = (part: unknown) => {
      for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]*)"/g)) {
        if (reached.has(name)) continue;
        reached.add(name);
        reach(document.components.schemas[name]);
      }
    };
    reach(document.paths);

    expect([...reached].sort()).toEqual(Object.keys(document.components.schemas).sort());
  });

  it('has every parameter of a path in its template, and the other way round', () => {
    for (const [path, item] of Object.entries(document.paths)) {
      const inTemplate = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      for (const operation of Object.values(item) as Operation[]) {
        expect(operation.parameters.filter((parameter) => parameter.in === 'path')).toEqual(
          inTemplate.map((name) => ({
            name,
            in: 'path',
            required: true,
            description: expect.any(String),
            schema: { type: 'string' },
          })),
        );
      }
    }
  });

  it('C2 asks for the Authorization header everywhere', () => {
    expect(document.security).toEqual([{ token: [] }]);
    expect(document.components.securitySchemes).toMatchObject({
      token: { type: 'apiKey', in: 'header', name: 'Authorization' },
    });
  });

  it('E8 shows the query parameters with their defaults', () => {
    expect(operationAt('post', '/v1/data-import/transactions/create/').parameters).toEqual([
      {
        name: 'check_previously_added',
        in: 'query',
        required: false,
        description: expect.stringContaining('skips transactions'),
        schema: { type: 'boolean', default: true },
      },
      {
        name: 'force_add_to_current_statement',
        in: 'query',
        required: false,
        description: expect.stringContaining('open statement period'),
        schema: { type: 'boolean', default: true },
      },
    ]);
  });

  it('E6 shows the three bodies of a 400 of process', () => {
    const { responses } = operationAt('post', '/v1/data-import/account-import-process/process/');

    expect(Object.keys(responses)).toEqual(['201', '400', '401', '429', '500']);
    expect(responses['400']?.content['application/json'].schema).toEqual({
      anyOf: [
        { $ref: '#/components/schemas/ValidationErrorBody' },
        { $ref: '#/components/schemas/AlreadyImportedBody' },
        { $ref: '#/components/schemas/DryRunBody' },
      ],
    });
  });

  it.each([
    ['E1', 'supply-point/populate/', 'PopulatePayload', '201', 'PopulateAnswer'],
    ['E2', 'business/', 'BusinessPayload', '201', 'BusinessAnswer'],
    [
      'E3',
      'business-payment-instruction/create/',
      'BusinessPaymentInstruction',
      '201',
      'BusinessPaymentInstructionAnswer',
    ],
    ['E4', 'validate-account/', 'Account', '200', 'ValidatedAccount'],
    ['E5', 'account-import-process/create-or-update/', 'Account', '200', 'StageAnswer'],
    ['E5', 'account-import-process/create-or-update/', 'Account', '201', 'StageAnswer'],
    ['E6', 'account-import-process/process/', 'ProcessPayload', '201', 'ProcessAnswer'],
    ['E7', 'notes/create/', 'NotesPayload', '201', 'NotesAnswer'],
    ['E8', 'transactions/create/', 'TransactionsPayload', '201', 'TransactionsAnswer'],
    ['E9', 'historical-statements/create/', 'HistoricalStatementsPayload', '200', 'HistoricalStatementsAnswer'],
    ['E9', 'historical-statements/create/', 'HistoricalStatementsPayload', '201', 'HistoricalStatementsAnswer'],
    ['E10', 'payment-instruction/create/', 'PaymentInstruction', '201', 'PaymentInstructionAnswer'],
  ])('%s %s takes %s and answers %s with %s', (_, path, request, status, answer) => {
    const operation = operationAt('post', `/v1/data-import/${path}`);

    expect(operation.requestBody).toEqual({
      required: true,
      content: { 'application/json': { schema: { $ref: `#/components/schemas/${request}` } } },
    });
    expect(operation.responses[status]?.content['application/json'].schema).toEqual({
      $ref: `#/components/schemas/${answer}`,
    });
  });

  it.each([
    ['E11', 'account-transfer-status/{import_supplier_code}/{external_account_number}/', 'AccountTransferStatus'],
    ['E12', 'all-account-import-processes/{import_supplier_code}/', 'AccountImportProcesses'],
    ['E13', 'pending-account-import-processes/{import_supplier_code}/', 'AccountImportProcesses'],
    ['E14', 'imported-account-import-processes/{import_supplier_code}/', 'ImportedAccountImportProcesses'],
  ])('%s %s takes no body and answers 200 with %s', (_, path, answer) => {
    const operation = operationAt('get', `/v1/data-import/${path}`);

    expect(operation.requestBody).toBe(undefined);
    expect(operation.responses['200']?.content['application/json'].schema).toEqual({
      $ref: `#/components/schemas/${answer}`,
    });
  });
});

describe('the components take every full payload and every documented answer', () => {
  it.each([
    ['Account', domesticAccount],
    ['Account', businessAccount],
    ['BusinessPayload', business],
    ['NotesPayload', notes],
    ['TransactionsPayload', transactions],
    ['HistoricalStatementsPayload', historicalStatements],
    ['PaymentInstruction', paymentInstruction],
    ['BusinessPaymentInstruction', businessPaymentInstruction],
    ['PopulatePayload', populate],
    ['ProcessPayload', process],
    ['ProcessPayload', dryRun],
    ['PopulateAnswer', answers.populateAnswer],
    ['BusinessAnswer', answers.businessAnswer],
    ['BusinessPaymentInstructionAnswer', answers.businessPaymentInstructionAnswer],
    ['ValidatedAccount', answers.validatedAccount],
    ['StageAnswer', answers.stageAnswer],
    ['ProcessAnswer', answers.processAnswer],
    ['NotesAnswer', answers.notesAnswer],
    ['TransactionsAnswer', answers.transactionsAnswer],
    ['HistoricalStatementsAnswer', answers.historicalStatementsAnswer],
    ['PaymentInstructionAnswer', answers.paymentInstructionAnswer],
    ['AccountTransferStatus', answers.statusOfStaged],
    ['AccountTransferStatus', answers.statusOfImported],
    ['AccountImportProcesses', answers.allImports],
    ['AccountImportProcesses', answers.pendingImports],
    ['ImportedAccountImportProcesses', answers.allImports],
    ['ValidationErrorBody', answers.validationErrorBody],
    ['AlreadyImportedBody', answers.alreadyImportedBody],
    ['TransactionImportErrorBody', answers.transactionImportErrorBody],
    ['DryRunBody', answers.dryRunBody],
    ['PaymentVendorErrorBody', { error_detail: 'No answer.', reference: 'CARD-0001', business: 'B' }],
    ['OtherErrorBody', { detail: 'Not found.' }],
  ])('%s', (name, body) => {
    expect(takes(name, body)).toBe(true);
  });

  it('C8 an answer may have undocumented fields and statuses', () => {
    expect(takes('AccountTransferStatus', { ...answers.statusOfImported, status: 'PAUSED', since: null })).toBe(true);
    expect(takes('NotesAnswer', [{ status: 'NOTE_MERGED', id: 1 }])).toBe(true);
  });

  it('an answer without a documented field is refused', () => {
    expect(takes('ProcessAnswer', {})).toBe(false);
    expect(takes('AccountTransferStatus', { service_account_number: 'S-1' })).toBe(false);
    expect(takes('AccountImportProcesses', [{ service_account_number: 'S-1' }])).toBe(false);
    expect(takes('BusinessAnswer', { external_business_identifier: 'B' })).toBe(false);
  });
});

describe.each(documentedPayloads)('$name', ({ name, example, fields, closed, required }) => {
  it.each(fields)('refuses a wrong value at %s', (attr, wrong) => {
    expect(takes(name, withValue(example, attr, wrong))).toBe(false);
  });

  it.each(closed)('refuses an undocumented field in the object at "%s"', (attr) => {
    const object = { ...(valueAt(example, attr) as object), undocumented: 'x' };

    expect(takes(name, withValue(example, attr, object))).toBe(false);
  });

  it('requires the fields that the rules or the shape require', () => {
    for (const attr of required) expect(takes(name, without(example, attr)), attr).toBe(false);
  });
});

it('C4 a note without body and document_paths is refused in every payload', () => {
  expect(takes('Note', { is_pinned: true })).toBe(false);
  expect(takes('NotesPayload', { ...notes, notes: [{}] })).toBe(false);
  expect(takes('Account', { ...domesticAccount, notes: [{ is_pinned: true }] })).toBe(false);
});

it('C4 a term must be one of the nine, with its own fields', () => {
  const withTerm = (term: unknown) => ({ versions: [{ applicable_at_date: '2023-06-01', terms: [term] }] });

  expect(takes('Contract', withTerm({ term_type: 'PAYS_BY_DIRECT_DEBIT', pays_by_direct_debit: true }))).toBe(true);
  expect(takes('Contract', withTerm({ term_type: 'PAYS_BY_DIRECT_DEBIT', days: 3 }))).toBe(false);
  expect(takes('Contract', withTerm({ term_type: 'BROKER' }))).toBe(false);
});
