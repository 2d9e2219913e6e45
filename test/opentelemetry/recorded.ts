/** Records spans with the SDK, and measurements with a meter of the test. */
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type Context,
  type ContextManager,
  context,
  createNoopMeter,
  type Meter,
  ROOT_CONTEXT,
} from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { instrumentDataImport } from 'data-import-sdk/opentelemetry';
import { onTestFinished } from 'vitest';

interface Measurement {
  metric: string;
  value: number;
  attributes: Attributes;
}

export function recorded() {
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const measurements: Measurement[] = [];
  const record =
    (metric: string) =>
    (value: number, attributes: Attributes = {}) =>
      void measurements.push({ metric, value, attributes });
  const meter: Meter = Object.assign(createNoopMeter(), {
    createHistogram: (name: string) => ({ record: record(name) }),
    createCounter: (name: string) => ({ add: record(name) }),
    createUpDownCounter: (name: string) => ({ add: record(name) }),
  });
  const stop = instrumentDataImport({ tracerProvider, meterProvider: { getMeter: () => meter } });
  onTestFinished(stop);
  return {
    stop,
    tracer: tracerProvider.getTracer('test'),
    spans: () => exporter.getFinishedSpans(),
    measurements,
    of: (metric: string) => measurements.filter((measurement) => measurement.metric === metric),
  };
}

/** Lets `context.active()` follow asynchronous code, as the SDK for Node.js does. */
export function followContext(): void {
  const current = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => current.getStore() ?? ROOT_CONTEXT,
    with: (active, task, self, ...args) => current.run(active, () => task.call(self as never, ...args)),
    bind: (_, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  context.setGlobalContextManager(manager);
  onTestFinished(() => context.disable());
}
