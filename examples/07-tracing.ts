/** Records OpenTelemetry spans of every call and every request, with `data-import-sdk/opentelemetry`. */
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { instrumentDataImport } from 'data-import-sdk/opentelemetry';
import { SANDBOX_SUPPLIER } from 'data-import-sdk/sandbox';
import { startSandbox } from './sandbox-client.js';

const exporter = new InMemorySpanExporter();
const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const stopTracing = instrumentDataImport({ tracerProvider });

const { client, stop } = await startSandbox();
const account = { external_account_number: 'A-1', import_supplier: SANDBOX_SUPPLIER };
await client.accounts.stage(account);
await client.notes.create({ ...account, notes: [{ body: 'Too early.' }] }).catch(() => undefined);
await stop();
stopTracing();

for (const { name, attributes } of exporter.getFinishedSpans()) {
  console.log(name, attributes['http.response.status_code'] ?? attributes['error.type'] ?? 'ok');
}
