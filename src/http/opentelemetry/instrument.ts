/** Exports `instrumentDataImport`, which records spans and metrics from the diagnostics channels of the client and the runner. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, tracingChannel, unsubscribe } from 'node:diagnostics_channel';
import {
  type Context,
  context,
  type MeterProvider,
  metrics,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TracerProvider,
  trace,
} from '@opentelemetry/api';
import { presentable } from '../../errors/items.js';
import { checkOptionKinds } from '../../validation/option-kinds.js';
import { VERSION } from '../../version.js';
import type { CallEvent, RequestEvent, ResponseEvent } from '../call/observe.js';
import { type RequestAttributes, requestAttributes } from './attributes.js';
import { createInstruments } from './instruments.js';

/** Options of `instrumentDataImport`. */
export interface OpenTelemetryOptions {
  /**
   * Creates the tracer.
   * @default the global one of `@opentelemetry/api`
   */
  tracerProvider?: TracerProvider | undefined;
  /**
   * Creates the meter.
   * @default the global one of `@opentelemetry/api`
   */
  meterProvider?: MeterProvider | undefined;
}

/** What the runner publishes of a record that has ended. */
interface RecordEnd {
  kind: string;
  outcome: string;
}

/** The span of a call, and of its current request. */
interface CallTrace {
  span: Span;
  /** With the span of the call as parent. */
  context: Context;
  request: RequestAttributes;
  requestSpan: Span | undefined;
}

const NAME = 'data-import-sdk';

/**
 * Records spans and metrics of all clients of this process, also of `data-import-sdk run`, until the returned function is called. Call it once,
 * after the SDK of OpenTelemetry has started: a meter that was created before records nothing. Throws a `TypeError` for an unknown option.
 *
 * Each call has a span with the name of its method, such as `accounts.stage`, and in it a span of the kind `CLIENT` for each request, by
 * the HTTP conventions of OpenTelemetry. The metrics are `http.client.request.duration`, `http.client.active_requests`,
 * `data_import.client.retries`, `data_import.client.throttled` and `data_import.records`. Attributes have no payload, no query, no account
 * number and no supplier; paths have `*` in place of values.
 *
 * @example
 * const stop = instrumentDataImport();
 */
export function instrumentDataImport(options: OpenTelemetryOptions = {}): () => void {
  checkOptionKinds('instrumentDataImport', options, { tracerProvider: 'tracers?', meterProvider: 'meters?' });
  const { tracerProvider, meterProvider } = options;
  const tracer = (tracerProvider ?? trace).getTracer(NAME, VERSION);
  const instruments = createInstruments((meterProvider ?? metrics).getMeter(NAME, VERSION));
  const calls = tracingChannel<CallTrace, CallEvent>('data-import:call');
  const current = new AsyncLocalStorage<CallTrace>();
  const traces = new WeakMap<object, CallTrace>();

  const beginCall = (event: CallEvent): CallTrace => {
    const request = requestAttributes(event);
    // A status query of another call is a part of that call.
    const parent = current.getStore()?.context ?? context.active();
    const span = tracer.startSpan(
      event.operation,
      { attributes: { 'data_import.operation': event.operation } },
      parent,
    );
    const begun = { span, context: trace.setSpan(parent, span), request, requestSpan: undefined };
    traces.set(event, begun);
    return begun;
  };
  const onCall = {
    start() {},
    end() {},
    asyncStart() {},
    error() {},
    asyncEnd(event: CallEvent) {
      const span = traces.get(event)?.span;
      if (span !== undefined && 'error' in event) markFailed(span, event.error);
      span?.end();
    },
  };
  const onRequest = (message: unknown) => {
    const { attempt } = message as RequestEvent;
    const call = current.getStore();
    if (call === undefined) return;
    const { name, ofService, ofRequest } = call.request;
    const attributes = { ...ofRequest, ...(attempt > 1 && { 'http.request.resend_count': attempt - 1 }) };
    call.requestSpan = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, call.context);
    instruments.active.add(1, ofService);
    if (attempt > 1) instruments.retries.add(1, ofService);
  };
  const onResponse = (message: unknown) => {
    const { status, durationMs, reason, requestId } = message as ResponseEvent;
    const call = current.getStore();
    const span = call?.requestSpan;
    if (call === undefined || span === undefined) return;
    const { ofService } = call.request;
    const isError = status === undefined || status >= 400;
    const outcome = {
      ...(status !== undefined && { 'http.response.status_code': status }),
      ...(isError && { 'error.type': status === undefined ? (reason ?? 'aborted') : String(status) }),
    };
    span.setAttributes({ ...outcome, ...(requestId !== undefined && { 'data_import.request_id': requestId }) });
    if (isError) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
    call.requestSpan = undefined;
    instruments.active.add(-1, ofService);
    instruments.duration.record(durationMs / 1000, { ...ofService, ...outcome });
    if (status === 429) instruments.throttled.add(1, ofService);
  };
  const onRecord = (message: unknown) => {
    const { kind, outcome } = message as RecordEnd;
    instruments.records.add(1, { 'data_import.record.kind': kind, 'data_import.outcome': outcome });
  };

  calls.start.bindStore(current, beginCall);
  calls.subscribe(onCall);
  subscribe('data-import:request:start', onRequest);
  subscribe('data-import:request', onResponse);
  subscribe('data-import:record', onRecord);
  return () => {
    calls.start.unbindStore(current);
    calls.unsubscribe(onCall);
    unsubscribe('data-import:request:start', onRequest);
    unsubscribe('data-import:request', onResponse);
    unsubscribe('data-import:record', onRecord);
  };
}

/** The message of an error of this package contains only codes and paths. */
function markFailed(span: Span, error: unknown): void {
  const { name, message, code } = error as { name: string; message: string; code?: unknown };
  span.setAttribute('error.type', name);
  const shown = typeof code === 'string' ? presentable(code) : undefined;
  if (shown !== undefined) span.setAttribute('data_import.error_code', shown);
  span.setStatus({ code: SpanStatusCode.ERROR, message });
}
