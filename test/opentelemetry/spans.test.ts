/** Spans of calls and of their requests. */
import { channel, tracingChannel } from 'node:diagnostics_channel';
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { describe, expect, test } from 'vitest';
import { account, type Call, calls, processPayload } from '../helpers/calls.js';
import { clientOf, errorOf } from '../helpers/client-of.js';
import { answer, misbehavingServer, resetAfterReading } from '../helpers/misbehaving-server.js';
import { followContext, recorded } from './recorded.js';

const STAGE = calls['accounts.stage'].path;
const PROCESS = calls['accounts.process'].path;
const STATUS = 'account-transfer-status/ACME/A-1/';
const IMPORT = { import_supplier_code: 'ACME', external_account_number: 'A-1' };
const staged = { import_supplier: 'ACME', external_account_number: 'A-1' };

test('a call has a span, and in it a span for each request', { tags: 'long' }, async () => {
  const { spans } = recorded();
  const server = await misbehavingServer({
    [STAGE]: [answer(500, {}, { 'x-request-id': 'req-1' }), resetAfterReading, answer(201, staged)],
  });
  await clientOf(server).accounts.stage(account);

  const port = Number(new URL(server.url).port);
  const common = {
    'data_import.operation': 'accounts.stage',
    'http.request.method': 'POST',
    'server.address': '127.0.0.1',
    'server.port': port,
    'url.full': `${server.url}/v1/data-import/account-import-process/create-or-update/`,
    'url.template': '/v1/data-import/account-import-process/create-or-update/',
  };
  const [first, second, third, call] = spans();
  expect(spans()).toHaveLength(4);
  for (const span of [first, second, third]) {
    expect(span?.name).toBe('POST /v1/data-import/account-import-process/create-or-update/');
    expect(span?.kind).toBe(SpanKind.CLIENT);
    expect(span?.spanContext().traceId).toBe(call?.spanContext().traceId);
  }
  expect(first?.attributes).toEqual({
    ...{ ...common, 'http.response.status_code': 500, 'error.type': '500', 'data_import.request_id': 'req-1' },
  });
  expect(first?.status.code).toBe(SpanStatusCode.ERROR);
  expect(second?.attributes).toEqual({
    ...{
      ...common,
      'http.request.resend_count': 1,
      'error.type': expect.stringMatching(/^(ECONNRESET|UND_ERR_SOCKET)$/),
    },
  });
  expect(third?.attributes).toEqual({ ...common, 'http.request.resend_count': 2, 'http.response.status_code': 201 });
  expect(third?.status.code).toBe(SpanStatusCode.UNSET);
  expect(call).toMatchObject({
    ...{ name: 'accounts.stage', kind: SpanKind.INTERNAL, status: { code: SpanStatusCode.UNSET } },
    attributes: { 'data_import.operation': 'accounts.stage' },
  });
});

test('the requests of concurrent calls belong to their calls, and a call to the active span', async () => {
  followContext();
  const { spans, tracer } = recorded();
  const server = await misbehavingServer({ [STAGE]: answer(201, staged), 'notes/create/': answer(404, {}) });
  const client = clientOf(server);
  const caller = tracer.startSpan('caller');
  await context.with(trace.setSpan(context.active(), caller), () =>
    Promise.all([client.accounts.stage(account), errorOf(client.notes.create({ ...account, notes: [{ body: 'x' }] }))]),
  );
  caller.end();
  const named = new Map(spans().map((span) => [span.name, span]));
  const parentOf = (name: string) => {
    const span = named.get(name) as { parentSpanId?: string; parentSpanContext?: { spanId: string } } | undefined;
    return span?.parentSpanContext?.spanId ?? span?.parentSpanId;
  };
  const idOf = (name: string) => named.get(name)?.spanContext().spanId;
  expect(parentOf('accounts.stage')).toBe(idOf('caller'));
  expect(parentOf('notes.create')).toBe(idOf('caller'));
  expect(parentOf('POST /v1/data-import/account-import-process/create-or-update/')).toBe(idOf('accounts.stage'));
  expect(parentOf('POST /v1/data-import/notes/create/')).toBe(idOf('notes.create'));
});

test('a status query after a lost answer is part of the call that it is about', async () => {
  const { spans } = recorded();
  const done = { import_process_status: 'IMPORTED', account_number: '77' };
  const server = await misbehavingServer({
    [PROCESS]: answer(500, {}),
    [STATUS]: answer(200, done),
  });
  await clientOf(server, { maxRetries: 1 })
    .accounts.process(processPayload)
    .catch(() => {});
  const traceIds = new Set(spans().map((span) => span.spanContext().traceId));
  expect(spans().map(({ name }) => name)).toContain('imports.status');
  expect(traceIds.size).toBe(1);
});

describe('an error', () => {
  test('gives the span of the call its class and its code', async () => {
    const { spans } = recorded();
    const body = { code: 'account_failed_validation', detail: 'x', errors: [] };
    const server = await misbehavingServer({ [STAGE]: answer(400, body) });
    const error = await errorOf(clientOf(server).accounts.stage(account));
    expect(spans().at(-1)).toMatchObject({
      name: 'accounts.stage',
      attributes: { 'error.type': 'ValidationError', 'data_import.error_code': 'account_failed_validation' },
      status: { code: SpanStatusCode.ERROR, message: error.message },
    });
  });

  test('before a request has only the span of the call', async () => {
    const { spans } = recorded();
    const server = await misbehavingServer({});
    const client = clientOf(server, { token: () => Promise.reject(new Error('no key')) });
    await errorOf(client.accounts.stage(account));
    expect(spans()).toMatchObject([{ name: 'accounts.stage', attributes: { 'error.type': 'TokenError' } }]);
  });

  test('of the local check has no span: no call began', async () => {
    const { spans } = recorded();
    const server = await misbehavingServer({});
    await errorOf(clientOf(server).accounts.stage({} as never));
    expect(spans()).toEqual([]);
  });
});

test('a dry run that finds no obstacle is no error of the call, although the service answers 400', async () => {
  const { spans } = recorded();
  const { path, status, answer: body, send } = calls['accounts.dryRun'];
  const server = await misbehavingServer({ [path]: answer(status, body) });
  await send(clientOf(server), {});
  expect(spans()).toMatchObject([
    { name: 'POST /v1/data-import/account-import-process/process/', attributes: { 'http.response.status_code': 400 } },
    { name: 'accounts.dryRun', status: { code: SpanStatusCode.UNSET } },
  ]);
});

test('paths have no values, of the table of operations and of client.request', async () => {
  const { spans } = recorded();
  const server = await misbehavingServer({
    [STATUS]: answer(404, {}),
    'meters/NR-4711/': answer(200, {}),
  });
  const client = clientOf(server);
  await errorOf(client.imports.status(IMPORT));
  await client.request('GET', 'meters/NR-4711/', { query: { name: 'Brumelle' } });
  expect(spans().map(({ name, attributes }) => [name, attributes['url.full']])).toEqual([
    [
      'GET /v1/data-import/account-transfer-status/{import_supplier_code}/{external_account_number}/',
      `${server.url}/v1/data-import/account-transfer-status/*/*/`,
    ],
    ['imports.status', undefined],
    ['GET /v1/data-import/meters/*', `${server.url}/v1/data-import/meters/*`],
    ['GET meters/*', undefined],
  ]);
});

test('every method of the client is recorded', async () => {
  const { spans } = recorded();
  const client = clientOf(await misbehavingServer({}), { maxRetries: 0 });
  for (const { send } of Object.values<Call>(calls)) await errorOf(send(client));
  await errorOf(client.imports.streamAll('ACME').next());
  await errorOf(client.imports.streamPending('ACME').next());
  await errorOf(client.imports.waitFor(IMPORT, { until: ['COMPLETED'] }));
  const templates = new Map(
    spans().flatMap(({ attributes }) =>
      attributes['url.template'] === undefined
        ? []
        : [[attributes['data_import.operation'], attributes['url.template']]],
    ),
  );
  expect([...templates.keys()]).toEqual([
    ...Object.keys(calls),
    ...['imports.streamAll', 'imports.streamPending', 'imports.waitFor'],
  ]);
  expect(templates.get('imports.streamAll')).toBe(
    '/v1/data-import/all-account-import-processes/{import_supplier_code}/',
  );
  expect(templates.get('imports.streamPending')).toBe(
    '/v1/data-import/pending-account-import-processes/{import_supplier_code}/',
  );
  expect(templates.get('imports.waitFor')).toBe(
    '/v1/data-import/account-transfer-status/{import_supplier_code}/{external_account_number}/',
  );
});

test('no personal data, no number of an account and no token are in a span or a measurement', async () => {
  const { spans, measurements } = recorded();
  const body = {
    code: 'account_failed_validation',
    detail: 'Brumelle',
    errors: [{ detail: 'Brumelle', code: 'Ottoline Brumelle', attr: 'customers.0.Brumelle' }],
  };
  const server = await misbehavingServer({
    [STAGE]: [answer(400, body), answer(400, { ...body, code: 'Ottoline Brumelle' })],
    'account-transfer-status/ACME/NR-4711/': answer(500, body),
  });
  const client = clientOf(server, { maxRetries: 0 });
  const person = { ...account, external_account_number: 'NR-4711', customers: [{ family_name: 'Brumelle' }] };
  await errorOf(client.accounts.stage(person));
  await errorOf(client.accounts.stage(person));
  await errorOf(client.imports.status({ ...IMPORT, external_account_number: 'NR-4711' }));
  const text = JSON.stringify([
    spans().map(({ name, attributes, status, events }) => ({ name, attributes, status, events })),
    measurements,
  ]);
  expect(text).toContain('account_failed_validation');
  expect(text).not.toMatch(/brumelle|ottoline|NR-4711|ACME|test-token/i);
});

test('after it is stopped, nothing is recorded and no channel has a subscriber', async () => {
  const { spans, stop } = recorded();
  stop();
  const server = await misbehavingServer({ [STAGE]: answer(201, staged) });
  await clientOf(server).accounts.stage(account);
  expect(spans()).toEqual([]);
  expect(tracingChannel('data-import:call').start.hasSubscribers).toBe(false);
  for (const name of ['data-import:request', 'data-import:request:start', 'data-import:record']) {
    expect(channel(name).hasSubscribers).toBe(false);
  }
});
