/** The client: every endpoint of the service as a method, by noun. */
import type { CallContext } from './http/call.js';
import { type Connections, createConnections } from './http/connections.js';
import { type Cooldown, type CooldownScope, createCooldown, PROBE_AFTER_MS } from './http/cooldown.js';
import { createHeaders } from './http/headers.js';
import { InFlight } from './http/in-flight.js';
import { createObserver, type Hooks, type Listener, type Observer } from './http/observe.js';
import { createTokenHolder } from './http/token.js';
import { Places } from './http/turn.js';
import { underSignal } from './http/wait.js';
import type { Send } from './http/wire.js';
import { type ClientSettings, checkHooks, clientSettings, type DataImportClientOptions } from './options.js';
import { Accounts } from './resources/accounts.js';
import { Businesses } from './resources/businesses.js';
import { HistoricalStatements } from './resources/historical-statements.js';
import { Imports } from './resources/imports.js';
import { Notes } from './resources/notes.js';
import { PaymentInstructions } from './resources/payment-instructions.js';
import { createListStreamer, createRequester } from './resources/request.js';
import { SupplyPoints } from './resources/supply-points.js';
import { Transactions } from './resources/transactions.js';

/**
 * A client of the data-import service. One is enough for a whole program: it shares connections, the token, the limit
 * of requests under way and the pauses after a 429 among all calls.
 *
 * Every method gives a promise of the answer's body (`withResponse()` gives status and headers too), takes `CallOptions`
 * as its last parameter, and rejects with a `DataImportError`: `InvalidPayloadError` before anything is sent, an
 * `ApiError` where the service refuses, `ConnectionError`, `TimeoutError` or `AbortedError` where no answer came,
 * `OutcomeUnknownError` where nobody can tell whether it was done. docs/errors.md says what to do about each.
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
  readonly #connections: Connections;
  readonly #cooldown: Cooldown = createCooldown();
  readonly #listeners = new Set<Listener>();
  /** @internal */
  readonly inFlight: InFlight;
  /** @internal */
  readonly retries: Pick<ClientSettings, 'maxRetries' | 'retryBaseMs'>;

  /** Throws a `TypeError` that names the option that is wrong. */
  constructor(options: DataImportClientOptions) {
    const settings = clientSettings(options);
    this.host = settings.base.host;
    this.baseUrl = settings.base.origin + settings.base.path;
    if (settings.hooks !== undefined) this.#listeners.add({ hooks: settings.hooks });
    this.#connections = createConnections(settings);
    const observer = createObserver(this.#listeners, settings.logger);
    this.retries = { maxRetries: settings.maxRetries, retryBaseMs: settings.retryBaseMs };
    this.inFlight = new InFlight(settings.inFlightGraceMs, settings.timeoutMs);
    const context = callContext(settings, this.#connections, observer, this.#cooldown, this.inFlight);
    const request = createRequester(context, settings);
    this.accounts = new Accounts(request);
    this.businesses = new Businesses(request);
    this.historicalStatements = new HistoricalStatements(request);
    this.imports = new Imports(request, createListStreamer(context, settings));
    this.notes = new Notes(request);
    this.paymentInstructions = new PaymentInstructions(request);
    this.supplyPoints = new SupplyPoints(request);
    this.transactions = new Transactions(request);
  }

  /**
   * Adds hooks, beside those of the option, until the function that it returns is called. They are told of every
   * request from now on, also of calls that are under way. Throws a `TypeError` where one of them is no function.
   *
   * @example
   * const stop = client.observe({ onResponse: ({ status, durationMs }) => console.log(status, durationMs) });
   */
  observe(hooks: Hooks): () => void {
    checkHooks(hooks);
    // The same hooks may be added twice, and end one by one.
    const listener = { hooks };
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Lets calls wait for so many milliseconds, new ones, retries and renewals of the token, as after a 429; requests
   * that have left go on. For programs that share a service with others and hear from them that it is busy. A longer
   * pause stays as long as it is. A call waits up to its deadline, whatever `throttlePatienceMs` is, and `onCooldown` is
   * not called. `scope`: `process` lets only `accounts.process` and `accounts.dryRun` wait; by default all calls do.
   * Throws a `TypeError` for what is no such number or scope.
   *
   * @example
   * client.coolDown(2000);
   */
  coolDown(ms: number, scope: CooldownScope = 'all'): void {
    if (typeof ms !== 'number' || !(ms >= 0 && Number.isFinite(ms))) {
      throw new TypeError(`coolDown: expected a number of milliseconds from 0 up, found ${String(ms)}.`);
    }
    if (scope !== 'all' && scope !== 'process') throw new TypeError('coolDown: expected the scope all or process.');
    if (ms > 0) this.#cooldown.hold(scope, ms);
  }

  /**
   * Waits for the requests under way and closes the client's own connections. Not needed for a program to end. Calls
   * that have yet to send, as they wait for their turn, a token or another try, fail when they would, as later ones do:
   * `ConnectionError`, the client is closed. With a `fetch` or `dispatcher` of yours there is nothing to close.
   */
  async close(): Promise<void> {
    await this.#connections.close();
  }
}

function callContext(
  settings: ClientSettings,
  { send, isClosed }: Connections,
  observer: Observer,
  cooldown: Cooldown,
  inFlight: InFlight,
): CallContext {
  const sendForToken: Send = (request) => underSignal(request.signal, (wait) => send(request, wait));
  return {
    base: settings.base,
    send,
    isClosed,
    maxAnswerBytes: settings.maxAnswerBytes,
    places: new Places(settings.concurrency),
    tokens: createTokenHolder(settings.token, sendForToken, settings.timeoutMs),
    headersOf: createHeaders(settings.tokenScheme),
    cooldown,
    inFlight,
    observer,
    retryBaseMs: settings.retryBaseMs,
    throttlePatienceMs: settings.throttlePatienceMs,
    retryAfterBoundMs: Math.min(settings.throttlePatienceMs, PROBE_AFTER_MS),
  };
}
