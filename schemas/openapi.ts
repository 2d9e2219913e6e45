/** Exports `openApiDocument()`: the OpenAPI 3.1 document of the service, derived from the table of operations. */
import type * as z from 'zod';
import { fieldText } from './describe.js';
import { answerSchemas, type JsonSchema, jsonSchemas, payloadSchemas } from './json-schema.js';
import { type Operation, type OperationName, operations, PATH_PREFIX } from './operations.js';

/** An OpenAPI 3.1 document as plain data. */
export interface OpenApiDocument {
  /** Version of OpenAPI. */
  openapi: '3.1.0';
  /** Name, version and description of the service. */
  info: { title: string; version: string; description: string; license: { name: string; identifier: string } };
  /** The address of the service, which differs for each deployment. */
  servers: { url: string; variables: Record<string, { default: string; description: string }> }[];
  /** The groups of operations. */
  tags: { name: string; description: string }[];
  /** Every endpoint requires the token. */
  security: Record<string, string[]>[];
  /** By path, then by method in lower case. */
  paths: Record<string, Record<string, unknown>>;
  /** The schemas by name, and how the token is sent. */
  components: { schemas: Record<string, JsonSchema>; securitySchemes: Record<string, unknown> };
}

const ANSWER_DESCRIPTIONS: Readonly<Record<number, string>> = {
  200: 'Done',
  201: 'Created',
  400: 'Refused; do not retry unchanged',
  401: 'Token missing or invalid',
  404: 'Not found',
  429: 'Concurrency limit exceeded; retry after other accounts finish',
  500: 'Unexpected error; retry as it is',
};

/** What each endpoint does, as a short phrase. Apart from `operations`, so that a bundle of the client has no texts of documents. */
export const operationSummaries: Readonly<Record<OperationName, string>> = {
  'supplyPoints.populate': 'Queue supply points for lookup with the industry registries',
  'businesses.create': 'Create a business with all its contracts',
  'businesses.createPaymentInstruction': 'Add a payment instruction to an imported business',
  'accounts.validate': 'Check an account without storing it',
  'accounts.stage': 'Store the data of an account, or replace what was stored',
  'accounts.process': 'Create the account from the staged data, or test whether that would succeed',
  'notes.create': 'Add notes to an imported account',
  'transactions.create': 'Add transactions to an imported account',
  'historicalStatements.create': 'Add historical statements to an imported account',
  'paymentInstructions.create': 'Add a payment instruction to an imported account',
  'imports.status': 'Return the state of one account import',
  'imports.all': 'List all account imports of a supplier',
  'imports.pending': 'List the staged accounts of a supplier',
  'imports.imported': 'List the imported accounts of a supplier',
};

const TAGS = [
  { name: 'supplyPoints', description: 'Lookup of supply points with the industry registries' },
  { name: 'businesses', description: 'Businesses, and their payment instructions' },
  { name: 'accounts', description: 'Accounts: validated, staged and processed' },
  { name: 'notes', description: 'Notes of imported accounts' },
  { name: 'transactions', description: 'Transactions of imported accounts' },
  { name: 'historicalStatements', description: 'Statements from before the import' },
  { name: 'paymentInstructions', description: 'Payment instructions of imported accounts' },
  { name: 'imports', description: 'States of account imports' },
];

/** Returns the OpenAPI 3.1 document of the service; the same as `data-import-sdk/openapi.json`. */
export function openApiDocument(): OpenApiDocument {
  const rows = Object.entries(operations);
  const named = { ...payloadSchemas, ...answerSchemas };
  const names = new Map(Object.entries(named).map(([name, schema]) => [schema, name]));
  const schemas = jsonSchemas(named, (name) => `#/components/schemas/${name}`);
  for (const schema of Object.values(schemas)) {
    delete schema['$id'];
    delete schema['$schema'];
  }
  giveTypes(schemas);

  const paths: OpenApiDocument['paths'] = {};
  for (const [name, operation] of rows) {
    paths[`${PATH_PREFIX}${operation.path}`] = {
      [operation.method.toLowerCase()]: {
        operationId: name,
        summary: operationSummaries[name as OperationName],
        description: `The method \`${name}\` of the client of data-import-sdk.`,
        tags: [name.split('.')[0]],
        parameters: [...pathParameters(operation), ...queryParameters(operation)],
        ...(operation.request && { requestBody: { required: true, content: content([operation.request], names) } }),
        responses: Object.fromEntries(
          Object.entries(operation.answers).map(([status, answers]) => [
            status,
            { description: ANSWER_DESCRIPTIONS[Number(status)], content: content(answers, names) },
          ]),
        ),
      },
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Customer data-import service',
      version: 'v1',
      description:
        'Imports energy customers and businesses into a supply and billing platform. This document is derived from the schemas of the package data-import-sdk; the operator of the service did not publish it.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      {
        url: '{baseUrl}',
        variables: {
          baseUrl: { default: 'https://api.example.com', description: 'Address of the service, from its operator.' },
        },
      },
    ],
    tags: TAGS,
    security: [{ token: [] }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        token: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'Token <ACCESS_TOKEN>' },
      },
    },
  };
}

const NO_FIELDS = { type: ['string', 'number', 'boolean', 'null'] };

/**
 * Replaces "any JSON value" by all kinds of values, with the fields that errors are known to have, and lists the fields of a note in each
 * of its alternatives. Generators of clients take an alternative without a type as `unknown`, and with it the whole union: that of
 * all errors of an operation.
 */
function giveTypes(schemas: Record<string, JsonSchema>): void {
  const { detail, code, errors } = propertiesOf(schemas['AlreadyImportedBody']);
  const withFields = { type: 'object', properties: { detail, code, errors }, additionalProperties: {} };
  for (const name of ['DryRunBody', 'OtherErrorBody']) {
    const anyOf = [withFields, { type: 'array', items: {} }, NO_FIELDS];
    schemas[name] = { anyOf, ...schemas[name] };
  }
  const { anyOf: [list, other] = [], ...imported } = schemas['ImportedAccountImportProcesses'] as Alternatives;
  const noList = { type: 'object', additionalProperties: {}, ...other };
  schemas['ImportedAccountImportProcesses'] = { anyOf: [list, noList, NO_FIELDS], ...imported };
  const { anyOf: kinds = [], description, ...note } = schemas['Note'] as Alternatives;
  schemas['Note'] = { anyOf: kinds.map((kind) => ({ ...note, ...kind })), description };
}

interface Alternatives extends JsonSchema {
  anyOf?: JsonSchema[];
}

function propertiesOf(schema: JsonSchema | undefined): JsonSchema {
  return schema?.['properties'] as JsonSchema;
}

function content(schemas: readonly z.ZodType[], names: ReadonlyMap<z.ZodType, string>) {
  const references = schemas.map((schema) => ({ $ref: `#/components/schemas/${names.get(schema)}` }));
  return { 'application/json': { schema: references.length === 1 ? references[0] : { anyOf: references } } };
}

function pathParameters(operation: Operation) {
  return operation.pathParameters.map((name) => ({
    name,
    in: 'path',
    required: true,
    ...withText(fieldText('ProcessPayload', name)),
    schema: { type: 'string' },
  }));
}

function queryParameters(operation: Operation) {
  return Object.keys(operation.query?.shape ?? {}).map((name) => ({
    name,
    in: 'query',
    required: false,
    ...withText(fieldText('TransactionsQuery', name)),
    schema: { type: 'boolean', default: true },
  }));
}

function withText(description: string | undefined) {
  return description === undefined ? {} : { description };
}
