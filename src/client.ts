/** The client: every endpoint of the service as a method, by noun. */
import type { CallPromise } from './call-promise.js';
import { checkHooks } from './check-options.js';
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
import { Accounts } from './resources/accounts.js';
import { Businesses } from './resources/businesses.js';
import { createEndpointRequester, type EndpointRequester, type RequestOptions } from './resources/endpoint.js';
import { HistoricalStatements } from './resources/historical-statements.js';
import { createWaiting, Imports } from './resources/imports.js';
import { Notes } from './resources/notes.js';
import { PaymentInstructions } from './resources/payment-instructions.js';
import { createListStreamer, createRequester } from './resources/request.js';
import { SupplyPoints } from './resources/supply-points.js';
import { Transactions } from './resources/transactions.js';

/**
 * A client of the data-import service. One is enough for a whole program: it shares connections, the token, the limit
 * of requests in flight and the pauses after a 429 among all calls.
 *
 * Every method gives a promise of the answer's body (`withResponse()` gives status and headers too), takes `CallOptions`
 * as its last parameter, and rejects with a `DataImportError`: `InvalidPayloadError` before anything is sent, an
 * `ApiError` where the service refuses, `ConnectionError`, `TimeoutError` or `AbortedError` where no answer came,
 * `OutcomeUnknownError` where the request may or may not have taken effect. docs/errors.md says what to do about each.
 *
 * @example
 * const client = new DataImportClient({ baseUrl: 'https://api.example.com', token: process.env.DATA_IMPORT_TOKEN ?? '' });
 * const { outcome } = await client.accounts.stage({ import_supplier: 'ACME', external_account_number: 'A-1' });
 */
export class DataImportClient {
  /** Address of the service as it is called: origin and path, without a slash at the end. */
  readonly baseUrl: string;
  /** Accounts: validate, stage, try, process. */
  readonly accounts: Accounts;
  /** Businesses and their payment instructions; before any of their accounts. */
  readonly businesses: Businesses;
  /** Statements that were issued before the move; of imported accounts. */
  readonly historicalStatements: HistoricalStatements;
  /** How imports stand: one account, or the lists of a supplier. */
  readonly imports: Imports;
  /** Notes of imported accounts. */
  readonly notes: Notes;
  /** Payment instructions of imported accounts. */
  readonly paymentInstructions: PaymentInstructions;
  /** Lookup of supply points with the industry registries, ahead of their accounts. */
  readonly supplyPoints: SupplyPoints;
  /** Financial transactions of imported accounts. */
  readonly transactions: Transactions;
  /** Host of the service, with the port where it is not the scheme's own. */
  readonly host: string;
  readonly #options: DataImportClientOptions;
  readonly #shared: Shared;
  readonly #request: EndpointRequester;
  /** @internal */
  readonly retries: Pick<ClientSettings, 'maxRetries' | 'retryBaseMs'>;

  /** Throws a `TypeError` that names the option that is wrong. */
  constructor(options: DataImportClientOptions, /** @internal */ sharing?: DataImportClient) {
    const settings = clientSettings(options);
    this.host = settings.base.host;
    this.baseUrl = settings.base.origin + settings.base.path;
    this.#options = options;
    this.#shared = sharing === undefined ? createShared(settings) : sharing.#shared;
    this.retries = { maxRetries: settings.maxRetries, retryBaseMs: settings.retryBaseMs };
    const context = callContext(settings, this.#shared);
    const request = createRequester(context, settings);
    this.#request = createEndpointRequester(context, settings);
    this.accounts = new Accounts(request);
    this.businesses = new Businesses(request);
    this.historicalStatements = new HistoricalStatements(request);
    this.imports = new Imports(request, createListStreamer(context, settings), createWaiting(settings));
    this.notes = new Notes(request);
    this.paymentInstructions = new PaymentInstructions(request);
    this.supplyPoints = new SupplyPoints(request);
    this.transactions = new Transactions(request);
  }

  /**
   * The text with `[secret]` in place of token and API key.
   * @internal
   */
  maskSecrets(text: string): string {
    return this.#shared.secrets.mask(text);
  }

  /** @internal */
  get inFlight(): InFlight {
    return this.#shared.inFlight;
  }

  /**
   * A client with other options for some calls. It shares with this one all that is one for the service: connections, token,
   * limit of requests in flight, pauses after a 429, hooks and logger; `close()` of one closes both. `headers` are added to those of this
   * client. Throws a `TypeError` for an option that is wrong, and for one in which clients that share cannot differ.
   *
   * @example
   * const patient = client.withOptions({ timeoutMs: 300_000, headers: { 'x-batch': '7' } });
   */
  withOptions(options: SharingClientOptions): DataImportClient {
    return new DataImportClient(sharingOptions(this.#options, options), this);
  }

  /**
   * A request to an endpoint of the service that has no method here yet, with the token, retries, waits after a 429 and errors of
   * every call. `path` is what follows `/v1/data-import/`, its values encoded with `encodeURIComponent`. Gives the body of the answer:
   * parsed JSON, or undefined for an empty body. The only local check is that `body` can be written as JSON.
   *
   * Whether a request is sent again after a lost answer is for you to say, with `replay`: otherwise only a `GET` is, and any other
   * request ends in `OutcomeUnknownError`. Errors name the endpoint with `*` in place of what looks like a value.
   *
   * Rejects with a `TypeError` for a method, path or option that is wrong, else as every method does.
   *
   * @example
   * const meters = await client.request<{ id: string }[]>('GET', 'meters/', { query: { page: 2 } });
   * await client.request('POST', 'meter-readings/create/', { body: { readings: [] }, replay: 'upsert' });
   */
  request<T = unknown>(method: HttpMethod, path: string, options: RequestOptions = {}): CallPromise<T> {
    return this.#request<T>(method, path, options);
  }

  /**
   * Adds hooks to those of the option, until the returned function is called. They receive every request from now on,
   * those of calls in flight included. Throws a `TypeError` if one of them is no function.
   *
   * @example
   * const stop = client.on({ onResponse: ({ status, durationMs }) => console.log(status, durationMs) });
   */
  on(hooks: Hooks): () => void {
    checkHooks(hooks);
    // The same hooks may be added twice, and end one by one.
    const listener = { hooks };
    this.#shared.listeners.add(listener);
    return () => void this.#shared.listeners.delete(listener);
  }

  /**
   * Holds back new calls, retries and renewals of the token for `ms`, as a 429 does; requests in flight continue. For
   * programs that share a service with others and learn from them that it is busy. A longer pause is not shortened. A
   * call waits up to its deadline, whatever `maxThrottleWaitMs` is, and `onCooldown` is
   * not called. `scope`: `process` lets only `accounts.process` and `accounts.dryRun` wait; by default all calls do.
   * Throws a `TypeError` for what is no such number or scope.
   *
   * @example
   * client.pause(2000);
   */
  pause(ms: number, scope: CooldownScope = 'all'): void {
    if (typeof ms !== 'number' || !(ms >= 0 && Number.isFinite(ms))) {
      throw new TypeError(`pause: expected a number of milliseconds from 0 up, found ${String(ms)}.`);
    }
    if (scope !== 'all' && scope !== 'process') throw new TypeError('pause: expected the scope all or process.');
    if (ms > 0) this.#shared.cooldown.hold(scope, ms);
  }

  /**
   * Waits for the requests in flight and closes the client's own connections. Not needed for a program to end. Calls
   * that have yet to send, as they wait for their turn, a token or another try, fail when they would, as later ones do:
   * `ConnectionError`, the client is closed. With a `fetch` or `dispatcher` of yours there is nothing to close.
   */
  async close(): Promise<void> {
    await this.#shared.connections.close();
  }
}

/** What is one for the service, however many clients of `withOptions` there are. */
interface Shared {
  connections: Connections;
  cooldown: Cooldown;
  listeners: Set<Listener>;
  observer: Observer;
  inFlight: InFlight;
  semaphore: Semaphore;
  tokens: TokenHolder;
  secrets: Secrets;
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
    observer: createObserver(listeners, settings.logger),
    inFlight: new InFlight(settings.inFlightGraceMs, settings.timeoutMs),
    semaphore: new Semaphore(settings.concurrency),
    tokens: createTokenHolder(settings.token, sendForToken, settings.timeoutMs, secrets.add),
    secrets,
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
