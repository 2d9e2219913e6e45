/**
 * A minimal service for measurements, run as a separate process. It answers like the real service after a configured
 * latency, with 429 above a configured cap. It stores only whether an account was processed; the service numbers in its
 * answers are derived from the account numbers.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Settings that the parent process sends over IPC. */
export interface ServiceSettings {
  /** Milliseconds before each answer. */
  latencyMs: number;
  /** Maximum number of accounts processed at the same time; further requests get 429. */
  cap: number;
  /** Whether processing takes exactly `latencyMs`, or a random time from 0.5 to 1.5 times of it. */
  isConstant: boolean;
}

/** Counts since the previous request for counts. */
export interface ServiceCounts {
  answers: { stage: number; process: number; status: number; throttled: number; other: number };
  /** Requests that processed an account a second time. */
  twice: number;
  /** Account-milliseconds of processing, and the maximum that the cap allows in the same time. */
  usedMs: number;
  cappedMs: number;
  /** Time of the first request in milliseconds since 1970; undefined without a request. */
  firstAt: number | undefined;
  lastAt: number | undefined;
  /** CPU time of the service since its start in microseconds. */
  cpuUs: number;
}

const PREFIX = '/v1/data-import/';
const STAGE = `${PREFIX}account-import-process/create-or-update/`;
const PROCESS = `${PREFIX}account-import-process/process/`;
const STATUS = `${PREFIX}account-transfer-status/`;
const NUMBER = '"external_account_number":"';
const DRY_RUN = { detail: 'Account would successfully import. Rolled back due to Dry Run.' };
const MOST_ACCOUNTS = 2 ** 24;

let settings: ServiceSettings = { latencyMs: 0, cap: Number.POSITIVE_INFINITY, isConstant: true };
let counts = noCounts();
let inService = 0;
let changedAt = performance.now();
const processed = new Uint8Array(MOST_ACCOUNTS / 8);

function noCounts(): Omit<ServiceCounts, 'cpuUs'> {
  const answers = { stage: 0, process: 0, status: 0, throttled: 0, other: 0 };
  return { answers, twice: 0, usedMs: 0, cappedMs: 0, firstAt: undefined, lastAt: undefined };
}

/** Adds the use of the cap since the last change. Call it before each change. */
function account(): void {
  const ms = performance.now() - changedAt;
  changedAt += ms;
  counts.usedMs += Math.min(inService, settings.cap) * ms;
  counts.cappedMs += settings.cap * ms;
}

function serve(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    counts.firstAt ??= Date.now();
    counts.lastAt = Date.now();
    route(request.url ?? '', chunks.length === 1 ? chunks[0] : Buffer.concat(chunks), response);
  });
}

function route(url: string, body: Buffer | undefined, response: ServerResponse): void {
  const { answers } = counts;
  if (url === STAGE) {
    answers.stage++;
    after(settings.latencyMs, () =>
      answer(response, 201, { import_supplier: 'SUPPLIER', external_account_number: numberIn(body) }),
    );
  } else if (url === PROCESS) {
    if (isDryRun(body)) after(settings.latencyMs, () => answer(response, 400, DRY_RUN));
    else processAccount(numberIn(body), response);
  } else if (url.startsWith(STATUS)) {
    answers.status++;
    after(settings.latencyMs, () => answer(response, 404, { detail: 'Not found.' }));
  } else {
    answers.other++;
    answer(response, 500, { detail: `The measurement does not need ${url}.` });
  }
}

function processAccount(number: string, response: ServerResponse): void {
  if (inService >= settings.cap) {
    counts.answers.throttled++;
    answer(response, 429, { detail: 'Too many accounts at the same time.' });
    return;
  }
  counts.answers.process++;
  const bit = Number(number.replace(/\D/g, '')) % MOST_ACCOUNTS;
  if (((processed[bit >> 3] ?? 0) >> (bit & 7)) & 1) counts.twice++;
  processed[bit >> 3] = (processed[bit >> 3] ?? 0) | (1 << (bit & 7));
  account();
  inService++;
  after(settings.latencyMs * (settings.isConstant ? 1 : 0.5 + Math.random()), () => {
    account();
    inService--;
    answer(response, 201, { service_account_number: `S-${number}` });
  });
}

function isDryRun(body: Buffer | undefined): boolean {
  return body?.includes('"dry_run":true') ?? false;
}

function numberIn(body: Buffer | undefined): string {
  const from = (body?.indexOf(NUMBER) ?? -1) + NUMBER.length;
  return body?.toString('latin1', from, body.indexOf('"', from)) ?? '';
}

function after(ms: number, then: () => void): void {
  if (ms === 0) then();
  else setTimeout(then, ms);
}

function answer(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

const server = createServer({ keepAliveTimeout: 60_000 }, serve);
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));

process.on('message', (message: Partial<ServiceSettings> & { forget?: boolean }) => {
  account();
  const { forget = false, ...changed } = message;
  if (forget) processed.fill(0);
  settings = { ...settings, ...changed };
  const { user, system } = process.cpuUsage();
  process.send?.({ ...counts, cpuUs: user + system } satisfies ServiceCounts);
  counts = noCounts();
});
process.on('disconnect', () => process.exit());
