/** Every option that cannot work gives one clear TypeError that names it (issue 2, section 2; DESIGN 6). */
import {
  checkRecords,
  DataImportClient,
  type DataImportClientOptions,
  DEFAULTS,
  defineProfile,
  validateAccount,
} from 'data-import-sdk';
import { MockAgent } from 'undici';
import { describe, expect, it } from 'vitest';
import { parseHalt, parseWindow } from '../../src/migration/index.js';
import { createSandbox, learn, parseRecording, recordCalls } from '../../src/sandbox/index.js';
import { transactions } from '../examples/transactions.js';
import { account } from '../helpers/calls.js';

const right = { baseUrl: 'https://api.example.com', token: 'T' };
const make = (options: unknown) => () => new DataImportClient(options as DataImportClientOptions);

describe('the constructor refuses', () => {
  it.each([
    [undefined, 'DataImportClient: expected an object of options, found undefined.'],
    [null, 'DataImportClient: expected an object of options, found null.'],
    ['https://api.example.com', 'DataImportClient: expected an object of options, found string.'],
    [Promise.resolve(right), 'DataImportClient: expected an object of options, found a promise.'],
    [
      { ...right, hooks: Promise.resolve({}) },
      'hooks: expected an object of functions: onRequest, onSend, onResponse, onRetry, onCooldown, onSuspicion, found a promise.',
    ],
    [{ ...right, profile: Promise.resolve({}) }, 'profile: expected an object of rules, found a promise.'],
  ])('%j instead of options', (options, message) => {
    expect(make(options)).toThrow(new TypeError(message));
  });

  const noHooks =
    'hooks: expected an object of functions: onRequest, onSend, onResponse, onRetry, onCooldown, onSuspicion';
  const noHttp = 'baseUrl: expected https (http only for a loopback host), found http://';
  const noString = 'baseUrl: expected a string such as https://api.example.com, found';
  const absolute = 'baseUrl: expected an absolute URL such as https://api.example.com';
  const tokenExpected =
    'token: expected a token of visible ASCII characters, without its scheme, or a function that gets one';

  it.each([
    [{ baseUrl: undefined }, `${noString} undefined`],
    [{ baseUrl: '' }, absolute],
    [{ baseUrl: 'api.example.com' }, absolute],
    [{ baseUrl: 7 }, `${noString} number`],
    [{ baseUrl: new URL('https://api.example.com') }, `${noString} object`],
    [{ baseUrl: 'http://api.example.com' }, noHttp],
    [{ baseUrl: 'http://127.0.0.1.example.com' }, noHttp],
    [{ baseUrl: 'http://localhost.example.com' }, noHttp],
    [{ baseUrl: 'localhost:4010' }, absolute],
    [{ baseUrl: 'api.example.com:443/import' }, absolute],
    [{ baseUrl: 'http://10.0.0.1' }, noHttp],
    [{ baseUrl: 'http://[2001:db8::1]' }, noHttp],
    [{ baseUrl: 'ftp://127.0.0.1' }, 'baseUrl: expected https (http only for a loopback host), found ftp://'],
    [
      { baseUrl: 'javascript:alert(1)' },
      'baseUrl: expected https (http only for a loopback host), found javascript://',
    ],
    [{ baseUrl: 'https://me:secret@api.example.com' }, 'baseUrl: must not contain credentials'],
    [{ baseUrl: 'https://api.example.com?x=1' }, 'baseUrl: must not have a query or a fragment'],
    [{ baseUrl: 'https://api.example.com#x' }, 'baseUrl: must not have a query or a fragment'],
    [{ baseUrl: 'https://api.example.com/v1/data-import/' }, 'baseUrl: leave out /v1/data-import/; the client adds it'],
    [
      { baseUrl: 'https://api.example.com/gateway/v1/data-import' },
      'baseUrl: leave out /v1/data-import/; the client adds it',
    ],
    [{ token: undefined }, tokenExpected],
    [{ token: null }, tokenExpected],
    [{ token: '' }, tokenExpected],
    [{ token: 'Token abc' }, tokenExpected],
    [{ token: 'abc\n' }, tokenExpected],
    [{ token: 'clé' }, tokenExpected],
    [{ token: { token: 'abc' } }, tokenExpected],
    [{ advanced: { tokenScheme: 'Token ' } }, 'advanced.tokenScheme: expected one word, or an empty string'],
    [{ advanced: { tokenScheme: null } }, 'advanced.tokenScheme: expected one word, or an empty string'],
    [{ advanced: { tokenScheme: 7 } }, 'advanced.tokenScheme: expected one word, or an empty string'],
    [{ maxRetries: -1 }, 'maxRetries: expected a whole number from 0 up, found -1'],
    [{ maxRetries: 1.5 }, 'maxRetries: expected a whole number from 0 up, found 1.5'],
    [{ maxRetries: Number.POSITIVE_INFINITY }, 'maxRetries: expected a whole number from 0 up, found Infinity'],
    [{ maxRetries: '3' }, 'maxRetries: expected a whole number from 0 up, found string'],
    [{ maxRetries: null }, 'maxRetries: expected a whole number from 0 up, found null'],
    [{ advanced: { retryBaseMs: -1 } }, 'advanced.retryBaseMs: expected a number from 0 up, found -1'],
    [
      { advanced: { retryBaseMs: Number.POSITIVE_INFINITY } },
      'advanced.retryBaseMs: expected a number from 0 up, found Infinity',
    ],
    [{ timeoutMs: 0 }, 'timeoutMs: expected a number from 1 up, or Infinity, found 0'],
    [{ timeoutMs: Number.NaN }, 'timeoutMs: expected a number from 1 up, or Infinity, found NaN'],
    [{ timeoutMs: Number.NEGATIVE_INFINITY }, 'timeoutMs: expected a number from 1 up, or Infinity, found -Infinity'],
    [{ deadlineMs: 0 }, 'deadlineMs: expected a number from 1 up, or Infinity, found 0'],
    [
      { advanced: { maxThrottleWaitMs: -1 } },
      'advanced.maxThrottleWaitMs: expected a number from 0 up, or Infinity, found -1',
    ],
    [{ concurrency: 0 }, 'concurrency: expected a whole number from 1 up, or Infinity, found 0'],
    [{ concurrency: 2.5 }, 'concurrency: expected a whole number from 1 up, or Infinity, found 2.5'],
    [
      { advanced: { maxAnswerBytes: 0 } },
      'advanced.maxAnswerBytes: expected a whole number from 1 up, or Infinity, found 0',
    ],
    [{ fetch: 'node-fetch' }, 'fetch: expected a function such as fetch'],
    [{ dispatcher: {} }, 'dispatcher: expected a dispatcher of undici'],
    [{ dispatcher: null }, 'dispatcher: expected a dispatcher of undici'],
    [{ fetch, dispatcher: new MockAgent() }, 'fetch, dispatcher: give one of them, not both'],
    [{ advanced: { warnings: 'warn' } }, 'advanced.warnings: expected ignore, log or reject'],
    [{ validate: 'false' }, 'validate: expected a boolean'],
    [{ logger: {} }, 'logger: expected an object with the methods debug and warn'],
    [{ logger: { debug() {} } }, 'logger: expected an object with the methods debug and warn'],
    [{ hooks: () => {} }, noHooks],
    [{ hooks: { onRetry: true } }, noHooks],
    [{ hooks: { onrequest() {} } }, 'hooks: no option onrequest; did you mean onRequest?'],
    [{ profile: 7 }, 'profile: expected an object of rules, found 7.'],
    [{ profile: { required: { Acount: [] } } }, /^profile: required\.Acount: /],
    [{ retries: 3 }, /^DataImportClient: no option retries; did you mean maxRetries\?$/],
    [{ advanced: null }, 'advanced: expected an object of options, found null'],
    [{ advanced: 'debug' }, 'advanced: expected an object of options, found string.'],
    [{ advanced: [] }, 'advanced: expected an object of options, found a list.'],
    [{ advnced: { retryBaseMs: 1 } }, /^DataImportClient: no option advnced; did you mean advanced\?$/],
    [
      { advanced: { retryBaseMS: 1 } },
      /^DataImportClient: no option advanced\.retryBaseMS; did you mean advanced\.retryBaseMs\?$/,
    ],
    [{ logLevel: 'debug' }, /^DataImportClient: no option logLevel; did you mean advanced\.logLevel\?$/],
    [{ advanced: { timeoutMs: 1 } }, /^DataImportClient: no option advanced\.timeoutMs; did you mean timeoutMs\?$/],
    [
      { 'advanced.userAgent': 'a/1' },
      /^DataImportClient: no option advanced\.userAgent; did you mean advanced\.userAgent\?$/,
    ],
    [{ advanced: { 'advanced.userAgent': 'a/1' } }, /^DataImportClient: no option advanced\.advanced\.userAgent/],
    [{ advanced: { advanced: {} } }, /^DataImportClient: no option advanced\.advanced/],
  ])('%o', (wrong, message) => {
    const construct = make({ ...right, ...wrong });
    expect(construct).toThrow(TypeError);
    expect(construct).toThrow(message);
  });
});

describe('the constructor takes', () => {
  it.each([
    { baseUrl: 'https://api.example.com/gateway/' },
    { baseUrl: 'http://localhost:8080' },
    { baseUrl: 'http://127.0.0.1:8080' },
    { baseUrl: 'http://127.8.9.1' },
    { baseUrl: 'http://[::1]:8080' },
    { baseUrl: 'HTTP://LOCALHOST' },
    { token: () => 'T' },
    { advanced: { tokenScheme: '', userAgent: undefined } },
    { maxRetries: 0, advanced: { retryBaseMs: 0, maxThrottleWaitMs: 0 } },
    {
      timeoutMs: Number.POSITIVE_INFINITY,
      deadlineMs: Number.POSITIVE_INFINITY,
      concurrency: Number.POSITIVE_INFINITY,
    },
    { logger: console },
    { hooks: {} },
    { hooks: { count: 0, onRequest() {} } },
    { fetch: globalThis.fetch },
    { dispatcher: new MockAgent() },
    {
      maxRetries: undefined,
      fetch: undefined,
      dispatcher: undefined,
      profile: undefined,
      hooks: undefined,
      logger: undefined,
      advanced: undefined,
    },
  ])('%o', (options) => {
    expect(make({ ...right, ...options })).not.toThrow();
  });
});

it('the defaults can be imported', () => {
  expect(DEFAULTS).toEqual({
    maxRetries: 3,
    timeoutMs: 60_000,
    deadlineMs: 300_000,
    concurrency: 64,
    validate: true,
    advanced: {
      tokenScheme: 'Token',
      retryBaseMs: 500,
      maxThrottleWaitMs: 60_000,
      inFlightGraceMs: 60_000,
      maxAnswerBytes: 33_554_432,
      warnings: 'log',
      logLevel: 'warn',
    },
  });
});

describe('a call refuses its options with a rejection, before anything is sent', () => {
  it.each([
    [{ timeoutMs: 0 }, 'timeoutMs: expected a number from 1 up, or Infinity, found 0.'],
    [{ deadlineMs: -1 }, 'deadlineMs: expected a number from 1 up, or Infinity, found -1.'],
    [{ maxRetries: 0.5 }, 'maxRetries: expected a whole number from 0 up, found 0.5.'],
    [{ validate: 0 }, 'validate: expected a boolean, found 0.'],
    [{ retryUnknownOutcome: 'yes' }, 'retryUnknownOutcome: expected a boolean, found string.'],
    [{ signal: {} }, 'signal: expected an AbortSignal, found object.'],
    [{ signal: new AbortController() }, 'signal: expected an AbortSignal, found object.'],
    [{ retries: 1 }, 'a call of METHOD: no option retries; did you mean maxRetries?'],
    [
      { concurrency: 1 },
      'a call of METHOD: no option concurrency; there are signal, timeoutMs, deadlineMs, maxRetries, maxThrottleWaitMs, validate, retryUnknownOutcome, headers.',
    ],
    [
      { advanced: { maxThrottleWaitMs: 0 } },
      'a call of METHOD: no option advanced.maxThrottleWaitMs; did you mean maxThrottleWaitMs?',
    ],
    ['B', 'a call of METHOD: expected an object of options, found string.'],
    [null, 'a call of METHOD: expected an object of options, found null.'],
    [[], 'a call of METHOD: expected an object of options, found a list.'],
    [Promise.resolve({}), 'a call of METHOD: expected an object of options, found a promise.'],
  ])('%o', async (wrong, message) => {
    const client = new DataImportClient({ ...right, fetch: () => Promise.reject(new Error('sent')) });
    const ofMethod = (name: string) => new TypeError(message.replace('METHOD', name));
    await expect(client.accounts.stage(account, wrong as never)).rejects.toThrow(ofMethod('accounts.stage'));
    await expect(client.imports.all('ACME', wrong as never)).rejects.toThrow(ofMethod('imports.all'));
  });
});

it('concurrency limits the requests in flight', async () => {
  let now = 0;
  let most = 0;
  const fetch = async () => {
    most = Math.max(most, ++now);
    await new Promise(setImmediate);
    now--;
    return Response.json([]);
  };
  const client = new DataImportClient({ ...right, fetch, concurrency: 3 });
  await Promise.all(Array.from({ length: 20 }, () => client.imports.all('ACME')));
  expect(most).toBe(3);
});

it('without fetch and dispatcher no more connections are opened than concurrency allows', async () => {
  const { createServer } = await import('node:http');
  let connections = 0;
  const server = createServer((_, response) => response.end('[]')).on('connection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const client = new DataImportClient({ ...right, baseUrl: `http://127.0.0.1:${port}`, concurrency: 2 });
  await Promise.all(Array.from({ length: 20 }, () => client.imports.all('ACME')));
  await client.close();
  server.close();
  expect(connections).toBe(2);
});

it('an unknown option of a method with own options: the message lists these too', async () => {
  const client = new DataImportClient({ ...right, fetch: () => Promise.reject(new Error('sent')) });
  const payload = { import_supplier: 'ACME', external_account_number: 'A-1', transactions: [] };
  await expect(client.transactions.create(payload, { unexpected: false } as never)).rejects.toThrow(
    'a call of transactions.create: no option unexpected; there are check_previously_added, force_add_to_current_statement, signal, ',
  );
  await expect(client.transactions.create(payload, { check_previously: false } as never)).rejects.toThrow(
    'did you mean check_previously_added?',
  );
  const key = { import_supplier_code: 'ACME', external_account_number: 'A-1' };
  await expect(client.imports.waitFor(key, { until: ['PENDING'], intervallMs: 1 } as never)).rejects.toThrow(
    /^a call of imports.waitFor: no option intervallMs; did you mean intervalMs\?$/,
  );
});

const sandbox = createSandbox();
const sender = new DataImportClient({ ...right, fetch: () => Promise.reject(new Error('sent')) });

describe('each function says what it expected, in place of an error of JavaScript', () => {
  it.each<[string, (wrong: never) => unknown, unknown, string]>([
    [
      'checkRecords',
      (wrong) => checkRecords(wrong).next(),
      null,
      ': expected records in an array, an iterable or an async iterable, found null.',
    ],
    [
      'checkRecords',
      (wrong) => checkRecords([], wrong).next(),
      Promise.resolve({}),
      ': expected an object of options, found a promise.',
    ],
    ['validateAccount', (wrong) => validateAccount({}, wrong), null, ': expected an object of options, found null.'],
    ['profile', (wrong) => defineProfile(wrong), [], ': expected an object of rules, found a list.'],
    [
      'a call of transactions.create',
      (wrong) => sender.transactions.create(transactions, wrong),
      null,
      ': expected an object of options, found null.',
    ],
    [
      'a call of request',
      (wrong) => sender.request('GET', 'meters/', wrong),
      null,
      ': expected an object of options, found null.',
    ],
    ['createSandbox', (wrong) => createSandbox(wrong), 7, ': expected an object of options, found 7.'],
    [
      'createSandbox',
      (settings) => createSandbox({ settings }),
      7,
      ': settings: expected a value of type object, found 7.',
    ],
    [
      'sandbox.addSupplier',
      (wrong) => sandbox.addSupplier(wrong),
      undefined,
      ': expected a value of type object, found undefined.',
    ],
    [
      'sandbox.registerDocuments',
      (wrong) => sandbox.registerDocuments('SANDBOX_SUPPLIER', wrong),
      'a.pdf',
      ': paths: expected a list, found string.',
    ],
    [
      'sandbox.isolated',
      (wrong) => sandbox.isolated(wrong),
      undefined,
      ': a name has 1 to 64 letters, digits, - or _.',
    ],
    ['clock.set', (wrong) => sandbox.clock.set(wrong), '2026-01-15', ': expected a Date, found string.'],
    ['learn', (wrong) => learn(wrong), 'calls.jsonl', ': expected a list, found string.'],
    [
      'parseRecording',
      (wrong) => parseRecording(wrong),
      undefined,
      ': expected a value of type string, found undefined.',
    ],
    ['recordCalls', (wrong) => recordCalls(wrong), {}, ': write: expected a value of type function, found object.'],
    ['recordCalls', (wrong) => recordCalls(() => {}, wrong), null, ': expected an object of options, found null.'],
    ['parseHalt', (wrong) => parseHalt(wrong), 5, ': expected a value of type string, found 5.'],
    ['parseWindow', (wrong) => parseWindow(wrong), undefined, ': expected a value of type string, found undefined.'],
  ])('%s: %o', async (name, call, wrong, message) => {
    await expect((async () => call(wrong as never))()).rejects.toThrow(new TypeError(`${name}${message}`));
  });
});
