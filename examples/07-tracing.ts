/** Records an OpenTelemetry span for every request through Node's diagnostics channel; the package depends on no tracing library. */
import { subscribe } from 'node:diagnostics_channel';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { ResponseEvent } from 'data-import-sdk';
import { SANDBOX_SUPPLIER } from 'data-import-sdk/sandbox';
import { startSandbox } from './sandbox-client.js';

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider();
provider.addSpanProcessor(new SimpleSpanProcessor(exporter));
const tracer = provider.getTracer('migration');

subscribe('data-import:request', (message) => {
  const { operation, attempt, status, durationMs } = message as ResponseEvent;
  const end = Date.now();
  const span = tracer.startSpan(operation, { kind: SpanKind.CLIENT, startTime: end - durationMs });
  span.setAttributes({ 'http.request.resend_count': attempt - 1 });
  if (status !== undefined) span.setAttributes({ 'http.response.status_code': status });
  if (status === undefined || status >= 400) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(end);
});

const { client, stop } = await startSandbox();
const account = { external_account_number: 'A-1', import_supplier: SANDBOX_SUPPLIER };
await client.accounts.stage(account);
await client.notes.create({ ...account, notes: [{ body: 'Too early.' }] }).catch(() => undefined);
await stop();

for (const { name, attributes } of exporter.getFinishedSpans()) {
  console.log(name, attributes['http.response.status_code']);
}
