/** `data-import-sdk/schemas`: a Zod schema and a type for every payload, answer and error body, and the table of endpoints. Depends only on Zod. */

export * from './error-bodies.js';
export {
  type AnswerSchemaOf,
  dateSchema,
  datetimeSchema,
  type FieldSchema,
  type FieldSchemas,
  type JsonObject,
  type JsonValue,
  type KeyValue,
  type OpenEnum,
  type SchemaOf,
  type UndocumentedFields,
} from './fields.js';
export {
  type AccountImportProcess,
  type AccountImportStatus,
  type AccountTransferStatus,
  accountImportProcessesSchema,
  accountTransferStatusSchema,
  type ImportedAccountImportProcess,
  importedAccountImportProcessesSchema,
} from './import-status.js';
export { type JsonSchema, payloadJsonSchemas, recordJsonSchema } from './json-schema.js';
export { type OpenApiDocument, openApiDocument, operationSummaries } from './openapi.js';
export * from './operations.js';
export * from './payloads/account.js';
export * from './payloads/business.js';
export * from './payloads/contract.js';
export * from './payloads/historical-statement.js';
export * from './payloads/note.js';
export * from './payloads/payment-instruction.js';
export * from './payloads/populate.js';
export * from './payloads/process.js';
export * from './payloads/supply-address.js';
export * from './payloads/transaction.js';
export { INVALID_PHONE_NUMBER } from './phone-numbers.js';
export * from './values.js';
