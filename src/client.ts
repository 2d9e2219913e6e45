/** Exports `DataImportClient`, which has a method for every endpoint of the service. */

import type { AsyncDisposableObject } from './async-dispose.js';
import { checkValue } from './check-options.js';
import type { CallContext } from './http/call/call-types.js';
import { createObserver, type Hooks, type Listener, type Observer } from './http/call/observe.js';
import { type Cooldown, type CooldownScope, createCooldown, PROBE_AFTER_MS } from './http/limits/cooldown.js';
import { InFlight } from './http/limits/in-flight.js';
import { Semaphore } from './http/limits/semaphore.js';
import { withSignal } from './http/time/cancellation.js';
import { createSecrets, type Secrets } from './http/token/secrets.js';
import { createTokenHolder, type TokenHolder } from './http/token/token.js';
import { type Connections, createConnections } from './http/transport/connections.js';
import { createHeaders } from './http/transport/headers.js';
import type { HttpMethod, Send } from './http/transport/wire.js';
import {
  type ClientSettings,
  clientSettings,
  type DataImportClientOptions,
  type SharingClientOptions,
  sharingOptions,
} from './options.js';
import { type Accounts, createAccounts } from './resources/accounts.js';
import { type Businesses, createBusinesses } from './resources/businesses.js';
import type { CallPromise } from './resources/call-promise.js';
import { createListStreamer, createRequester } from './resources/check-and-send.js';
import { createEndpointRequester, type EndpointRequester, type RequestOptions } from './resources/endpoint.js';
import { createHistoricalStatements, type HistoricalStatements } from './resources/historical-statements.js';
import { createImports, type Imports } from './resources/imports.js';
import { createNotes, type Notes } from './resources/notes.js';
import { createPaymentInstructions, type PaymentInstructions } from './resources/payment-instructions.js';
import { createSupplyPoints, type SupplyPoints } from './resources/supply-points.js';
import { createTransactions, type Transactions } from './resources/transactions.js';

/**
 * A client of the data-import service. Create one per program: its calls share connections, the token, the limit of requests in
 * flight and the pauses after a 429.
 *
 * Every method takes `CallOptions` as its last parameter, and returns a promise of the answer body (`withResponse()` adds status
 * and headers). It rejects with a `DataImportError`: `InvalidPayloadError` before anything is sent, an `ApiError` if the service
 * refuses, `ConnectionError`, `TimeoutError` or `AbortedError` if no answer arrives, `OutcomeUnknownError` if the request may or
 * may not have taken effect. docs/errors.md has the remedy of each.
 *
 * @example
 * const client = new DataImportClient({ baseUrl: 'https://api.example.com', token: process.env.DATA_IMPORT_TOKEN ?? '' });
 * const { callOutcome } = await client.accounts.stage({ import_supplier: 'ACME', external_account_number: 'A-1' });
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the prototype has the method, see `AsyncDisposableObject`.
export class DataImportClient {
  /** Address of the service: origin and path, without a slash at the end. */
  declare readonly baseUrl: string;
  /** Accounts: validate, stage, dry-run, process. */
  declare readonly accounts: Accounts;
  /** Businesses and their payment instructions. Create a business before its accounts. */
  declare readonly businesses: Businesses;
  /** Statements of imported accounts that were issued before the account moved. */
  declare readonly historicalStatements: HistoricalStatements;
  /** The state of one account import, and the lists of a supplier's imports. */
  declare readonly imports: Imports;
  /** Notes of imported accounts. */
  declare readonly notes: Notes;
  /** Payment instructions of imported accounts. */
  declare readonly paymentInstructions: PaymentInstructions;
  /** Lookup of supply points with the industry registries, before their accounts are imported. */
  declare readonly supplyPoints: SupplyPoints;
  /** Financial transactions of imported accounts. */
  declare readonly transactions: Transactions;
  /** Host of the service, with the port if it is not the default of the scheme. */
  declare readonly host: string;

  /** Throws a `TypeError` that names an invalid option. */
  constructor(options: DataImportClientOptions) {
    assemble(this, options, undefined);
  }

  /**
   * Returns a client with other options for some calls. Both clients share connections, token, the limit of requests in flight, the
   * pauses after a 429, hooks and logger, so `close()` of one closes both. `headers` are added to those of this client.
   * Throws a `TypeError` for an invalid option, and for an option that both must have in common.
   *
   * @example
   * const patient = client.withOptions({ timeoutMs: 300_000, headers: { 'x-batch': '7' } });
   */
  withOptions(options: SharingClientOptions): DataImportClient {
    const { options: own, shared } = internalsOf(this);
    return assemble(withoutState(), sharingOptions(own, options), shared);
  }

  /**
   * Calls an endpoint of the service that has no method in this version. Token, retries, waits after a 429 and errors are those of
   * every call. `path` follows `/v1/data-import/`; encode its values with `encodeURIComponent`. Resolves with the answer body: parsed
   * JSON, or undefined for an empty body. The only local check is that `body` can be written as JSON.
   *
   * `retry` decides whether a request that may have taken effect is sent again. By default a `GET` is, and any other request ends in
   * `OutcomeUnknownError`. Errors name the endpoint with `*` in place of values.
   *
   * Rejects with a `TypeError` for an invalid method, path or option, otherwise as every method.
   *
   * @example
   * const meters = await client.request<{ id: string }[]>('GET', 'meters/', { query: { page: 2 } });
   * await client.request('POST', 'meter-readings/create/', { body: { readings: [] }, retry: 'always' });
   */
  request<T = unknown>(method: HttpMethod, path: string, options: RequestOptions = {}): CallPromise<T> {
    return internalsOf(this).request<T>(method, path, options);
  }

  /**
   * Adds hooks to those of the option `hooks`. They receive the events of all further requests, also of calls that have begun.
   * Returns a function that removes them. Throws a `TypeError` if one of them is not a function.
   *
   * @example
   * const stop = client.on({ onResponse: ({ status, durationMs }) => console.log(status, durationMs) });
   */
  on(hooks: Hooks): () => void {
    checkValue('hooks', hooks);
    // A new object each time, so that the same hooks can be added twice and removed one by one.
    const listener = { hooks };
    const { listeners } = internalsOf(this).shared;
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  /**
   * Lets new calls, retries and token renewals wait for `ms`, as after a 429; requests in flight continue. For programs that share a
   * service with others and learn from them that it is busy. Does not shorten a longer pause. `maxThrottleWaitMs` does not limit
   * this wait, the deadline of the call does, and `onCooldown` is not called. `scope`: with `process` only `accounts.process` and
   * `accounts.dryRun` wait; by default all calls do. Throws a `TypeError` for an invalid number or scope.
   *
   * @example
   * client.pause(2000);
   */
  pause(ms: number, scope: CooldownScope = 'all'): void {
    checkValue('pause', ms);
    if (scope !== 'all' && scope !== 'process') throw new TypeError('pause: expected the scope all or process.');
    if (ms > 0) internalsOf(this).shared.cooldown.hold(scope, ms);
  }

  /**
   * Waits for the requests in flight, and closes the connections of the client. A program can end without it. Calls that would
   * still have to send a request reject at once, and so do later calls: with `ConnectionError` (the client is closed), or with
   * `OutcomeUnknownError` if an answer was lost. If the options have `fetch` or `dispatcher`, the caller closes its connections.
   * `await using client = new DataImportClient(…)` does it at the end of the block.
   */
  async close(): Promise<void> {
    const { connections, cooldown, semaphore, sleepers } = internalsOf(this).shared;
    const closed = connections.close();
    cooldown.end();
    semaphore.open();
    for (const wake of sleepers) wake();
    await closed;
  }
}

/** Outside the class: the build renames a class that mentions itself. */
function withoutState(): DataImportClient {
  return Object.create(DataImportClient.prototype);
}

// Not declared in the class: see `AsyncDisposableObject`.
Object.defineProperty(DataImportClient.prototype, Symbol.asyncDispose, { value: DataImportClient.prototype.close });

/** A client can be closed by `await using`. */
export interface DataImportClient extends AsyncDisposableObject {}

/** What the client keeps for itself, and what the runner needs of it. No part of its type, so that a test double needs none of it. */
interface ClientInternals {
  options: DataImportClientOptions;
  settings: ClientSettings;
  shared: Shared;
  request: EndpointRequester;
}

/** Registered for all copies of this package: a program may have two, such as an ES module and a CommonJS one. */
const INTERNALS = Symbol.for('data-import-sdk.client');

/** Returns what a client keeps for itself. Throws a `TypeError` for another object, such as a test double. */
export function internalsOf(client: DataImportClient): ClientInternals {
  const internals = (client as { [INTERNALS]?: () => ClientInternals } | undefined)?.[INTERNALS]?.();
  if (internals === undefined) {
    throw new TypeError('client: expected a DataImportClient. To test without the service, give it a sandbox.');
  }
  return internals;
}

/** Gives a client its properties. `of`: what it shares with another client. */
function assemble(
  client: DataImportClient,
  options: DataImportClientOptions,
  of: Shared | undefined,
): DataImportClient {
  const settings = clientSettings(options);
  const shared = of ?? createShared(settings);
  const context = callContext(settings, shared);
  const request = createRequester(context, settings);
  const internals = { options, settings, shared, request: createEndpointRequester(context, settings) };
  // A function, because `util.inspect` prints hidden properties on demand, and these have the token.
  Object.defineProperty(client, INTERNALS, { value: () => internals });
  return Object.assign(client, {
    host: settings.base.host,
    baseUrl: settings.base.origin + settings.base.path,
    accounts: createAccounts(request),
    businesses: createBusinesses(request),
    historicalStatements: createHistoricalStatements(request),
    imports: createImports(request, createListStreamer(context, settings), { ...settings, ...shared }),
    notes: createNotes(request),
    paymentInstructions: createPaymentInstructions(request),
    supplyPoints: createSupplyPoints(request),
    transactions: createTransactions(request),
  });
}

/** What a client shares with those of its `withOptions`. */
interface Shared {
  connections: Connections;
  cooldown: Cooldown;
  listeners: Set<Listener>;
  observer: Observer;
  inFlight: InFlight;
  semaphore: Semaphore;
  tokens: TokenHolder;
  secrets: Secrets;
  sleepers: Set<() => void>;
}

function createShared(settings: ClientSettings): Shared {
  const connections = createConnections(settings);
  const listeners = new Set<Listener>();
  if (settings.hooks !== undefined) listeners.add({ hooks: settings.hooks });
  const secrets = createSecrets();
  const sendForToken: Send = (request) => withSignal(request.signal, (wait) => connections.send(request, wait));
  return {
    connections,
    cooldown: createCooldown(),
    listeners,
    observer: createObserver(listeners, settings.logger, settings.logLevel),
    inFlight: new InFlight(settings.inFlightGraceMs, settings.timeoutMs),
    semaphore: new Semaphore(settings.concurrency),
    tokens: createTokenHolder(settings.token, sendForToken, settings.timeoutMs, secrets.add),
    secrets,
    sleepers: new Set(),
  };
}

function callContext(settings: ClientSettings, shared: Shared): CallContext {
  const { send, isClosed } = shared.connections;
  return {
    ...shared,
    base: settings.base,
    send,
    isClosed,
    maxAnswerBytes: settings.maxAnswerBytes,
    headersOf: createHeaders(settings),
    retryBaseMs: settings.retryBaseMs,
    maxThrottleWaitMs: settings.maxThrottleWaitMs,
    retryAfterBoundMs: Math.min(settings.maxThrottleWaitMs, PROBE_AFTER_MS),
  };
}
