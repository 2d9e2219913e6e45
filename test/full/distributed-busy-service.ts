/**
 * A service in a separate process. It answers after 50 ms, identifies workers by their tokens, and on a message answers one
 * `process` call of one worker with 429 and a pause of one second. It reports which `process` calls arrived within that second;
 * calls of other operations continue.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** What one 429 came to, by the clock of the service, in milliseconds after it was sent. */
export interface Pause {
  /** `process` calls of all workers, until the pause was over; those of the one that was refused apart. */
  starts: { ms: number; isOfRefused: boolean }[];
  /** Of the other workers, in the same time before it. */
  before: number;
  /** By how much a timer of the service itself came late in that time, at most: what the machine does to any process. */
  lagMs: number;
}

/** Sent by the parent: the worker whose next process call is refused, once each of `all` has sent `CALLS_BEFORE` calls since the last pause. */
export interface Order {
  worker: string;
  all: readonly string[];
}

const LATENCY_MS = 50;
const PAUSE_MS = 1000;
/** Calls of each worker in the second before a 429: all workers are busy when it comes. */
const CALLS_BEFORE = 6;
const RESOLUTION_MS = 5;
const PROCESS = '/v1/data-import/account-import-process/process/';
const DRY_RUN = { detail: 'Account would successfully import. Rolled back due to Dry Run.' };
const NUMBER = /"external_account_number":"([^"]*)"/;

let order: Order | undefined;
/** Since the last pause. */
let arrivals: { worker: string; at: number }[] = [];
let pausedAt: number | undefined;

function serve(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const at = performance.now();
  const [, worker = ''] = incoming.headers.authorization?.split('token-of-') ?? [];
  if (incoming.url === PROCESS) arrivals.push({ worker, at });
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.on('end', () => {
    const body = Buffer.concat(chunks).toString();
    const [, number = ''] = NUMBER.exec(body) ?? [];
    if (isToBeRefused(incoming.url, worker, at)) refuse(outgoing);
    else if (body.includes('"dry_run":true')) setTimeout(() => respond(outgoing, 400, DRY_RUN), LATENCY_MS);
    else setTimeout(() => answer(outgoing, incoming.method, number), LATENCY_MS);
  });
}

function isToBeRefused(url: string | undefined, worker: string, at: number): boolean {
  if (order === undefined || pausedAt !== undefined || url !== PROCESS || worker !== order.worker) return false;
  const recent = arrivals.filter((one) => at - one.at < PAUSE_MS);
  return order.all.every((one) => recent.filter((arrival) => arrival.worker === one).length >= CALLS_BEFORE);
}

function refuse(outgoing: ServerResponse): void {
  const refused = order?.worker;
  const since = performance.now();
  pausedAt = since;
  order = undefined;
  const isOther = ({ worker, at }: { worker: string; at: number }) => worker !== refused && since - at < PAUSE_MS;
  const before = arrivals.filter(isOther).length;
  arrivals = [];
  const lag = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  lag.enable();
  respond(outgoing, 429, { detail: 'Too many accounts at the same time.' }, { 'retry-after': '1' });
  setTimeout(() => {
    const starts = arrivals
      .map(({ at, worker }) => ({ ms: at - since, isOfRefused: worker === refused }))
      .filter(({ ms }) => ms < PAUSE_MS);
    pausedAt = undefined;
    arrivals = [];
    lag.disable();
    process.send?.({ starts, before, lagMs: lag.max / 1e6 - RESOLUTION_MS } satisfies Pause);
  }, PAUSE_MS);
}

function answer(outgoing: ServerResponse, method: string | undefined, number: string): void {
  if (method === 'GET') respond(outgoing, 404, { detail: 'Not found.' });
  else {
    const body = {
      import_supplier: 'SUPPLIER',
      external_account_number: number,
      service_account_number: `S-${number}`,
    };
    respond(outgoing, 201, body);
  }
}

function respond(outgoing: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  const text = JSON.stringify(body);
  outgoing.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  outgoing.end(text);
}

const server = createServer({ keepAliveTimeout: 60_000 }, serve);
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('message', (next: Order) => {
  order = next;
});
process.on('disconnect', () => process.exit());
