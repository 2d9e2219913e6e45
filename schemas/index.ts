/** The contract on Zod alone: a schema and a type for every payload, answer and error body, and the table of endpoints. */
export * from './account.js';
export * from './business.js';
export * from './contract.js';
export * from './errors.js';
export {
  dateSchema,
  datetimeSchema,
  INVALID_PHONE_NUMBER,
  type JsonObject,
  type JsonValue,
  type KeyValue,
  type OpenEnum,
} from './fields.js';
export * from './historical-statement.js';
export { type JsonSchema, payloadJsonSchemas } from './json-schema.js';
export * from './note.js';
export { type OpenApiDocument, openApiDocument } from './openapi.js';
export * from './operations.js';
export * from './payment-instruction.js';
export * from './populate.js';
export * from './process.js';
export * from './status.js';
export * from './supply-address.js';
export * from './transaction.js';
