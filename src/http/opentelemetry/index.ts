/** `data-import-sdk/opentelemetry`: spans and metrics of the client and of a migration. Needs the package `@opentelemetry/api`. */
export { instrumentDataImport, type OpenTelemetryOptions } from './instrument.js';
