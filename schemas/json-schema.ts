/** Exports the payload and answer schemas by type name, and converts them to JSON Schema (draft 2020-12). */
import * as z from 'zod';
import { describeSchema } from './describe.js';
import {
  alreadyImportedBodySchema,
  dryRunBodySchema,
  otherErrorBodySchema,
  paymentVendorErrorBodySchema,
  transactionImportErrorBodySchema,
  validationErrorBodySchema,
} from './error-bodies.js';
import { documentedSchema } from './fields.js';
import {
  accountImportProcessesSchema,
  accountTransferStatusSchema,
  importedAccountImportProcessesSchema,
} from './import-status.js';
import { accountSchema, customerSchema, stageAnswerSchema, validatedAccountSchema } from './payloads/account.js';
import { businessAnswerSchema, businessPayloadSchema } from './payloads/business.js';
import { contractSchema, contractTermSchema } from './payloads/contract.js';
import {
  historicalStatementSchema,
  historicalStatementsAnswerSchema,
  historicalStatementsPayloadSchema,
} from './payloads/historical-statement.js';
import { noteSchema, notesAnswerSchema, notesPayloadSchema } from './payloads/note.js';
import {
  businessPaymentInstructionAnswerSchema,
  businessPaymentInstructionSchema,
  paymentInstructionAnswerSchema,
  paymentInstructionSchema,
} from './payloads/payment-instruction.js';
import { populateAnswerSchema, populatePayloadSchema } from './payloads/populate.js';
import { processAnswerSchema, processPayloadSchema } from './payloads/process.js';
import { supplyAddressSchema, supplyPointSchema } from './payloads/supply-address.js';
import { transactionSchema, transactionsAnswerSchema, transactionsPayloadSchema } from './payloads/transaction.js';

/** A JSON Schema (draft 2020-12) as plain data. */
export type JsonSchema = Record<string, unknown>;

/** Payload schemas that become a named JSON Schema; nested objects without a name are inlined. */
export const payloadSchemas: Readonly<Record<string, z.ZodType>> = {
  Account: accountSchema,
  Customer: customerSchema,
  SupplyAddress: supplyAddressSchema,
  SupplyPoint: supplyPointSchema,
  Contract: contractSchema,
  ContractTerm: contractTermSchema,
  BusinessPayload: businessPayloadSchema,
  Note: noteSchema,
  NotesPayload: notesPayloadSchema,
  Transaction: transactionSchema,
  TransactionsPayload: transactionsPayloadSchema,
  HistoricalStatement: historicalStatementSchema,
  HistoricalStatementsPayload: historicalStatementsPayloadSchema,
  PaymentInstruction: paymentInstructionSchema,
  BusinessPaymentInstruction: businessPaymentInstructionSchema,
  PopulatePayload: populatePayloadSchema,
  ProcessPayload: processPayloadSchema,
};

/** Schemas of answer bodies. */
export const answerSchemas: Readonly<Record<string, z.ZodType>> = {
  PopulateAnswer: populateAnswerSchema,
  BusinessAnswer: businessAnswerSchema,
  BusinessPaymentInstructionAnswer: businessPaymentInstructionAnswerSchema,
  ValidatedAccount: validatedAccountSchema,
  StageAnswer: stageAnswerSchema,
  ProcessAnswer: processAnswerSchema,
  NotesAnswer: notesAnswerSchema,
  TransactionsAnswer: transactionsAnswerSchema,
  HistoricalStatementsAnswer: historicalStatementsAnswerSchema,
  PaymentInstructionAnswer: paymentInstructionAnswerSchema,
  AccountTransferStatus: accountTransferStatusSchema,
  AccountImportProcesses: accountImportProcessesSchema,
  ImportedAccountImportProcesses: importedAccountImportProcessesSchema,
  ValidationErrorBody: validationErrorBodySchema,
  AlreadyImportedBody: alreadyImportedBodySchema,
  TransactionImportErrorBody: transactionImportErrorBodySchema,
  PaymentVendorErrorBody: paymentVendorErrorBodySchema,
  DryRunBody: dryRunBodySchema,
  OtherErrorBody: otherErrorBodySchema,
};

/** Returns the JSON Schemas of the given Zod schemas by name; they refer to each other by `uri(name)`. */
export function jsonSchemas(
  schemas: Readonly<Record<string, z.ZodType>>,
  uri: (name: string) => string,
): Record<string, JsonSchema> {
  // Not Zod's global registry: ids in it would collide between two copies of this package.
  const registry = z.registry<{ id?: string | undefined }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  const converted = z.toJSONSchema(registry, {
    uri,
    io: 'input',
    override: ({ zodSchema, jsonSchema, path }) => {
      const documented = documentedSchema(zodSchema);
      if (documented !== undefined) Object.assign(jsonSchema, openSchema(documented));
      // A body, an entry of a list, or an alternative; not the further fields of an object.
      const isOpen = Object.keys(jsonSchema).length === 0 && path.at(-1) !== 'additionalProperties';
      if (isOpen) jsonSchema.description = 'Any JSON value: the API specification does not show it.';
      Object.assign(jsonSchema, z.globalRegistry.get(zodSchema));
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  }).schemas as Record<string, JsonSchema>;
  for (const [name, schema] of Object.entries(converted)) describeSchema(name, schema);
  return converted;
}

/** Returns the JSON Schema of a part of an echo: the documented types, and nothing that a service may omit or add is an error. */
function openSchema(schema: z.core.$ZodType): JsonSchema {
  const { $schema, ...open } = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema }) => {
      const { required, additionalProperties, minimum, maximum, anyOf } = jsonSchema;
      if (required !== undefined) delete jsonSchema.required;
      if (additionalProperties === false) delete jsonSchema.additionalProperties;
      if (minimum !== undefined) delete jsonSchema.minimum;
      if (maximum !== undefined) delete jsonSchema.maximum;
      // The rule of a note.
      if (anyOf?.every((part) => typeof part === 'object' && Object.keys(part).join() === 'required')) {
        delete jsonSchema.anyOf;
      }
    },
  });
  return open;
}

/**
 * Returns the JSON Schema of every payload by the name of its type. Each is complete in itself; its `$id` is `urn:data-import-sdk:` and
 * the name.
 */
export function payloadJsonSchemas(): Record<string, JsonSchema> {
  const definitions = payloadDefinitions();
  return Object.fromEntries(
    Object.entries(definitions).map(([name, schema]) => [name, standalone(name, schema, definitions)]),
  );
}

/** Returns the JSON Schema of a record of the input: a line of JSON Lines, the result of a mapping, or a row of a query. */
export function recordJsonSchema(): JsonSchema {
  const definitions = payloadDefinitions();
  const list = (name: string) => ({ type: 'array', items: { $ref: `#/$defs/${name}` } });
  const instructions = (name: string, ids: readonly string[]) => {
    const one = withoutFields(definitions[name] ?? {}, ids);
    return { payment_instruction: one, payment_instructions: { type: 'array', items: one } };
  };
  const { payment_instructions } = instructions('BusinessPaymentInstruction', [
    'import_supplier_code',
    'external_business_identifier',
  ]);
  const schema = {
    anyOf: [
      recordOf('populate', 'PopulatePayload', {}),
      recordOf('business', 'BusinessPayload', { payment_instructions }),
      recordOf('account', 'Account', {
        notes: list('Note'),
        transactions: list('Transaction'),
        statements: list('HistoricalStatement'),
        ...instructions('PaymentInstruction', ['import_supplier', 'external_account_number']),
      }),
    ],
  };
  describeSchema('Record', schema);
  return standalone('record', schema, definitions);
}

function recordOf(kind: string, payload: string, items: JsonSchema): JsonSchema {
  return {
    type: 'object',
    properties: { [kind]: { $ref: `#/$defs/${payload}` }, ...items },
    required: [kind],
    additionalProperties: false,
  };
}

function withoutFields(schema: JsonSchema, names: readonly string[]): JsonSchema {
  const properties = Object.entries(schema['properties'] as JsonSchema).filter(([name]) => !names.includes(name));
  const required = (schema['required'] as string[]).filter((name) => !names.includes(name));
  return { ...schema, properties: Object.fromEntries(properties), required };
}

function payloadDefinitions(): Record<string, JsonSchema> {
  const definitions = jsonSchemas(payloadSchemas, (name) => `#/$defs/${name}`);
  for (const schema of Object.values(definitions)) {
    delete schema['$id'];
    delete schema['$schema'];
  }
  return definitions;
}

/** Returns the schema with its id and the definitions that it uses. Editors then load no second file. */
function standalone(name: string, schema: JsonSchema, definitions: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const used = new Set<string>();
  const collect = (part: JsonSchema) => {
    for (const [, other = ''] of JSON.stringify(part).matchAll(/"\$ref":"#\/\$defs\/(\w+)"/g)) {
      const definition = definitions[other];
      if (definition === undefined || used.has(other)) continue;
      used.add(other);
      collect(definition);
    }
  };
  collect(schema);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:data-import-sdk:${name}`,
    ...schema,
    ...(used.size > 0 && { $defs: Object.fromEntries([...used].sort().map((other) => [other, definitions[other]])) }),
  };
}
