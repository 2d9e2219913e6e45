/**
 * A service for measurements, in a process of its own: it answers as the real one does, after as long as it is told
 * and 429 above a cap, and knows of an account only whether it was processed. Numbers are made of the account's.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What it is told, over the channel between processes. */
export interface ServiceSettings {
  /** Milliseconds until an answer leaves. */
  latencyMs: number;
  /** Accounts that are processed at the same time; more are refused. */
  cap: number;
  /** Whether processing takes exactly that long, or from half to one and a half of it. */
  isConstant: boolean;
}

/** What it tells when it is asked, since it was last asked. */
export interface ServiceCounts {
  answers: { stage: number; process: number; status: number; throttled: number; other: number };
  /** Accounts that were processed although they had been. */
  twice: number;
  /** Account-milliseconds of processing, and the same with the cap always full. */
  usedMs: number;
  cappedMs: number;
  /** By the machine's clock, in milliseconds since 1970; undefined for none. */
  firstAt: number | undefined;
  lastAt: number | undefined;
  /** CPU of the service since it began, in microseconds. */
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

/** Before anything changes: how much of the cap was used until now. */
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

process.on('message', (told: Partial<ServiceSettings> & { forget?: boolean }) => {
  account();
  const { forget = false, ...changed } = told;
  if (forget) processed.fill(0);
  settings = { ...settings, ...changed };
  const { user, system } = process.cpuUsage();
  process.send?.({ ...counts, cpuUs: user + system } satisfies ServiceCounts);
  counts = noCounts();
});
process.on('disconnect', () => process.exit());
