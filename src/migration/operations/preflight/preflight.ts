/**
 * What is checked before the first record: address, token, clock, import suppliers and disk space, and for `doctor` the team.
 * One status query and one `validate` for each of a few suppliers; nothing is stored, but by `checkTeam`.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rmdir, stat, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Account } from '../../../../schemas/payloads/account.js';
import type { DataImportClient } from '../../../client.js';
import type { ApiError } from '../../../errors/api-errors.js';
import {
  isApiError,
  isConnectionError,
  isDataImportError,
  isResponseMismatchError,
  isTimeoutError,
  isTokenError,
} from '../../../errors/guards.js';
import type { Profile } from '../../../validation/profile.js';
import type { Input } from '../../input/source.js';
import { checkRecord } from '../../record/check-record.js';
import { whoseMatter } from '../../record/classify-error.js';
import { contractOf, keyOf } from '../../record/record-key.js';
import { whyUnusable } from '../../report/folder/run-folder-error.js';
import { connectionFailureInWords } from '../../shared/connection-failure.js';

/** The checks, in their order. */
export type CheckName = 'address' | 'token' | 'supplier' | 'team' | 'disk' | 'clock';

/** `cannotTell`: no harmless call shows it. */
type CheckResult = 'ok' | 'warning' | 'failed' | 'cannotTell' | 'notChecked';

export interface Check {
  check: CheckName;
  result: CheckResult;
  /** What was found. Contains no secrets and no value of a payload. */
  detail: string;
  /** What to do about it; empty for nothing. */
  remedy: string;
}

/** The answer to one status query, or why there was none. */
export interface ServiceProbe {
  host: string;
  /** Whether the query was about an import supplier of the input. */
  isOwnSupplier: boolean;
  status?: number | undefined;
  error?: unknown;
  /** The header `Date` of the answer. */
  date?: string | undefined;
  /** When the answer was there, by the clock of this machine. */
  at: Date;
}

/** No account has this number: 404, and 200 as well, say that the query was let through. A list could be huge. */
const NO_SUCH_ACCOUNT = 'preflight-no-such-account';
const NO_SUCH_SUPPLIER = 'PREFLIGHT';
const TIMEOUT_MS = 30_000;
const ONE_CALL = { timeoutMs: TIMEOUT_MS, maxRetries: 1, maxThrottleWaitMs: 0 };

/** Sends one status query, and once more where no answer came. Never rejects for what service or network do. */
export async function probeService(
  client: DataImportClient,
  supplier: string | undefined,
  now: () => Date = () => new Date(),
): Promise<ServiceProbe> {
  const about = { host: client.host, isOwnSupplier: supplier !== undefined };
  try {
    const call = client.imports.status(
      { import_supplier_code: supplier ?? NO_SUCH_SUPPLIER, external_account_number: NO_SUCH_ACCOUNT },
      ONE_CALL,
    );
    const { status, headers } = await call.withResponse();
    return { ...about, status, date: headers['date'], at: now() };
  } catch (error) {
    if (!isDataImportError(error)) throw error;
    const answer = isApiError(error) ? { status: error.status, date: error.headers['date'] } : {};
    const mismatch = isResponseMismatchError(error) ? { status: error.status } : {};
    return { ...about, ...answer, ...mismatch, error, at: now() };
  }
}

/** 502 to 504, and what the gateways of content networks add: the address is a gateway, and the service is away. */
const GATEWAY = new Set([502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 527]);

export function checkAddress({ host, status, error }: ServiceProbe): Check {
  const failed = (detail: string, remedy: string): Check => ({ check: 'address', result: 'failed', detail, remedy });
  const unanswered = unansweredIn(error);
  if (unanswered !== undefined) {
    return failed(connectionFailureInWords(unanswered), remedyFor(unanswered.reason));
  }
  if (status === undefined) {
    const why = isTokenError(error) ? 'no token could be had' : 'no request could be sent';
    return { check: 'address', result: 'notChecked', detail: `${host} was not asked: ${why}`, remedy: '' };
  }
  if (status >= 300 && status < 400) {
    return failed(`${host} answers with a redirect (${status})`, 'Give the address of the service itself: --base-url.');
  }
  if (GATEWAY.has(status)) {
    return failed(`${host} answers ${status}: the service behind it is away`, 'Ask the operator, or try again later.');
  }
  const isPage = (isResponseMismatchError(error) || isApiError(error)) && typeof error.body === 'string';
  if (isPage && status < 300) {
    return failed(
      `${host} answers ${status} with a page that is none of the service`,
      'Check --base-url and its path.',
    );
  }
  if (isPage && status === 404) {
    return {
      ...{ check: 'address', result: 'warning' },
      detail: `${host} answers 404 with a page that may be none of the service`,
      remedy: 'Check --base-url and its path.',
    };
  }
  if (status >= 500) {
    return {
      ...{ check: 'address', result: 'warning' },
      detail: `${host} answers a status query with ${status}`,
      remedy: 'Ask the operator whether status queries work: a run needs them after a lost answer.',
    };
  }
  return { check: 'address', result: 'ok', detail: `${host} answers`, remedy: '' };
}

function unansweredIn(error: unknown): { host: string; reason: string } | undefined {
  if (isTimeoutError(error)) return { host: error.host, reason: 'timeout' };
  if (!isConnectionError(error) && !isTokenError(error)) return undefined;
  const { host, reason } = error;
  return host === undefined || reason === undefined ? undefined : { host, reason };
}

function remedyFor(reason: string): string {
  if (/CERT|^UNABLE_TO_/.test(reason)) {
    return 'Have the certificate renewed, or trust its authority with NODE_EXTRA_CA_CERTS=<file>.';
  }
  if (/^(EPROTO|ERR_SSL_|ERR_TLS_)/.test(reason)) return 'Check scheme and port of --base-url.';
  if (reason === 'ENOTFOUND') return 'Check the host in --base-url, and the network.';
  return 'Check host and port of --base-url, the network, and whether the service runs.';
}

const TOKEN_REMEDY = 'Check the token, --token-scheme and the API key.';

export function checkToken({ status, error, isOwnSupplier }: ServiceProbe): Check {
  const as = (result: CheckResult, detail: string, remedy = ''): Check => ({ check: 'token', result, detail, remedy });
  if (isTokenError(error)) {
    // Where the token's service does not answer, that is what is wrong.
    if (unansweredIn(error) !== undefined || error.nextAction === 'retryLater' || error.nextAction === 'wait') {
      return as('notChecked', 'no token could be had from the GraphQL interface');
    }
    return as('failed', `no token could be had${codeIn(error.code)}`, 'Check the API key and the --graphql options.');
  }
  if (status === undefined) return as('notChecked', 'the service did not answer');
  if (status === 401) return as('failed', 'the service answers 401: it does not accept the token', TOKEN_REMEDY);
  if (status === 403) {
    const detail = 'the service, or a gateway before it, answers 403';
    return isOwnSupplier
      ? as('failed', detail, 'Ask the operator which rights the token has, and which addresses are let in.')
      : as('cannotTell', detail, 'Give the input as well: the query was about a supplier that there is not.');
  }
  const isPage = (isResponseMismatchError(error) || isApiError(error)) && typeof error.body === 'string';
  if (isPage || (status !== 200 && status !== 404)) {
    return as('cannotTell', `a status query answered with ${status} does not show it`);
  }
  // The API specification states 401 only for one endpoint (U2), and preflight never calls that one.
  return as('ok', `a status query is answered with ${status}; not every service checks the token of one`);
}

function codeIn(code: string | undefined): string {
  return code === undefined || !/^[A-Za-z][\w.-]{0,99}$/.test(code) ? '' : ` (${code})`;
}

const MOST_SKEW_MS = 60_000;

export function checkClock({ date, at }: ServiceProbe): Check {
  const serviceAt = date === undefined ? Number.NaN : Date.parse(date);
  if (Number.isNaN(serviceAt)) {
    const detail = 'no answer of the service with a Date header';
    return { check: 'clock', result: 'notChecked', detail, remedy: '' };
  }
  const skewMs = at.getTime() - serviceAt;
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  if (Math.abs(skewMs) <= MOST_SKEW_MS) {
    const detail = seconds <= 1 ? 'as that of the service' : `${seconds} s from that of the service`;
    return { check: 'clock', result: 'ok', detail, remedy: '' };
  }
  return {
    ...{ check: 'clock', result: 'warning' },
    detail: `the clock of this machine is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} that of the service`,
    remedy: 'Set the clock: time windows, tokens and the times of the report go by it.',
  };
}

/** What the first lines of an input show. */
export interface InputSample {
  /** An account of each import supplier that can be validated; null where the lines show none. */
  suppliers: ReadonlyMap<string, Account | null>;
  /** Whether these are all lines. */
  isWhole: boolean;
  lines: number;
  /** Bytes of these lines, and the files that they stand in. */
  bytes: number;
  files: ReadonlySet<string>;
}

const SAMPLE_LINES = 1000;

/** Reads only the first lines. An input that can be read only once is not read here. */
export async function sampleInput(input: Input, profile: Profile | undefined): Promise<InputSample> {
  const suppliers = new Map<string, Account | null>();
  const files = new Set<string>();
  let [lines, bytes, isWhole] = [0, 0, true];
  if (input.isReadOnce === true) return { suppliers, isWhole: false, lines, bytes, files };
  for await (const item of input) {
    if (lines === SAMPLE_LINES) {
      isWhole = false;
      break;
    }
    lines++;
    bytes += Buffer.byteLength(item.text);
    files.add(item.source);
    const read = item.read();
    const key = 'record' in read ? keyOf(read.record) : undefined;
    if (!('record' in read) || key === undefined || key.kind === 'populate') continue;
    const { record } = read;
    const known = suppliers.get(key.supplier);
    // The business of an account with a contract may not be there yet.
    const isFit = 'account' in record && contractOf(record) === undefined && checkRecord(record, profile).length === 0;
    if (known == null) suppliers.set(key.supplier, known ?? (isFit ? record.account : null));
  }
  return { suppliers, isWhole, lines, bytes, files };
}

const MOST_SUPPLIERS = 5;

/** By `validate`, which changes nothing. Of no more than five suppliers. */
export async function checkSuppliers(
  client: DataImportClient,
  { suppliers, isWhole }: Pick<InputSample, 'suppliers' | 'isWhole'>,
): Promise<Check[]> {
  const checks: Check[] = [];
  for (const [code, account] of [...suppliers].slice(0, MOST_SUPPLIERS)) {
    checks.push(await checkSupplier(client, code, account));
  }
  const left = suppliers.size - checks.length;
  if (left > 0 || (!isWhole && checks.length > 0)) {
    const detail =
      left > 0
        ? `${left} more import suppliers`
        : `import suppliers after the first ${SAMPLE_LINES} lines of the input`;
    checks.push({ check: 'supplier', result: 'notChecked', detail, remedy: '' });
  }
  return checks;
}

async function checkSupplier(client: DataImportClient, code: string, account: Account | null): Promise<Check> {
  const as = (result: CheckResult, detail: string, remedy = ''): Check => ({
    ...{ check: 'supplier', result, detail: `${code}: ${detail}`, remedy },
  });
  const first = 'the first account that is staged shows it';
  if (account === null) return as('cannotTell', `no account to validate; ${first}`);
  try {
    await client.accounts.validate(account, { ...ONE_CALL, validate: false });
    return as('cannotTell', `validate accepts an account of it, which some services do while it is Paused; ${first}`);
  } catch (error) {
    if (!isDataImportError(error)) throw error;
    if (isApiError(error) && whoseMatter(error) === 'supplier') return refusedSupplier(code, error);
    if (isApiError(error) && error.status === 401) {
      return as('failed', 'validate answers 401: the service does not accept the token', TOKEN_REMEDY);
    }
    return as('cannotTell', `validate does not show this (${outcomeOf(error)}); ${first}`);
  }
}

/** Without what may be data. */
function outcomeOf(error: unknown): string {
  if (isApiError(error) || isResponseMismatchError(error)) return String(error.status);
  const unanswered = unansweredIn(error);
  return unanswered === undefined ? 'no answer' : connectionFailureInWords(unanswered);
}

function refusedSupplier(code: string, error: ApiError): Check {
  return {
    ...{ check: 'supplier', result: 'failed' },
    detail: `${code}: the service refuses it${codeIn(error.errors[0]?.code ?? error.code)}`,
    remedy: 'Ask the operator whether it is Ongoing, and check its code in the input.',
  };
}

/** Stages one account, which stays staged, and tries to process it without creating it. */
export async function checkTeam(
  client: DataImportClient,
  { suppliers }: Pick<InputSample, 'suppliers'>,
  team: string,
): Promise<Check> {
  const as = (result: CheckResult, detail: string, remedy = ''): Check => ({ check: 'team', result, detail, remedy });
  const refused = (error: unknown): Check | undefined => {
    if (isTokenRefusal(error))
      return as('failed', 'the service answers 401: it does not accept the token', TOKEN_REMEDY);
    return isApiError(error) && whoseMatter(error) === 'supplier' ? refusedSupplier(supplier, error) : undefined;
  };
  const account = [...suppliers.values()].find((one) => one !== null);
  if (account == null) return as('cannotTell', 'the first lines of the input hold no account that can be staged');
  const number = String(account.external_account_number);
  const supplier = String(account.import_supplier);
  try {
    await client.accounts.stage(account, { ...ONE_CALL, validate: false });
  } catch (error) {
    if (!isDataImportError(error)) throw error;
    return refused(error) ?? as('cannotTell', `the first account could not be staged (${outcomeOf(error)})`);
  }
  try {
    const processing = { import_supplier_code: supplier, external_account_number: number, operations_team_name: team };
    await client.accounts.dryRun(processing, ONE_CALL);
    return as('ok', `${team}: the dry run of one account would succeed; that account is staged now`);
  } catch (error) {
    if (!isDataImportError(error)) throw error;
    if (isApiError(error) && whoseMatter(error) === 'team') {
      return as(
        'failed',
        `${team}: the service does not take this operations team${codeIn(error.errors[0]?.code ?? error.code)}; one account is staged now`,
        'Give the name that the operator has for it: --team.',
      );
    }
    return (
      refused(error) ??
      as('cannotTell', `the dry run of one account does not show this (${outcomeOf(error)}); it is staged now`)
    );
  }
}

function isTokenRefusal(error: unknown): error is ApiError {
  return isApiError(error) && error.status === 401;
}

const MB = 1024 * 1024;
const LEAST_FREE = 50 * MB;
const LEDGER_BYTES_A_RECORD = 1024;
/** JSON and CSV of accounts, about. */
const UNPACKED_BY = 8;

/** Estimates the bytes of ledger and result files; undefined if the input was not read. */
export async function neededBytes(sample: InputSample | undefined, hasLedger: boolean): Promise<number | undefined> {
  if (sample === undefined || sample.lines === 0) return undefined;
  let inputBytes = sample.bytes;
  if (!sample.isWhole) {
    const sizes = await Promise.all([...sample.files].map(sizeOf));
    inputBytes = Math.max(
      sample.bytes,
      ...sizes,
      sizes.reduce((sum, size) => sum + size, 0),
    );
  }
  const records = sample.isWhole ? sample.lines : inputBytes / (sample.bytes / sample.lines);
  // In the worst case every line is in a result file.
  return Math.round(inputBytes + (hasLedger ? records * LEDGER_BYTES_A_RECORD : 0));
}

async function sizeOf(path: string): Promise<number> {
  const { size } = await stat(path).catch(() => ({ size: 0 }));
  return path.endsWith('.gz') ? size * UNPACKED_BY : size;
}

export type FreeSpace = (path: string) => Promise<{ bavail: number; bsize: number }>;

/** Of the run folder, or where it will be made: an empty folder is made there and removed. */
export async function checkDisk(
  folder: string,
  needed: number | undefined,
  freeSpace: FreeSpace = (path) => statfs(path),
): Promise<Check> {
  let path = resolve(folder);
  while (!existsSync(path) && dirname(path) !== path) path = dirname(path);
  const as = (result: CheckResult, detail: string, remedy = ''): Check => ({ check: 'disk', result, detail, remedy });
  const space = await freeSpace(path).catch((error: NodeJS.ErrnoException) => error);
  const free = 'bavail' in space ? space.bavail * space.bsize : Number.POSITIVE_INFINITY;
  const found = `${inMegabytes(free)} free at ${folder}`;
  if (free < LEAST_FREE) {
    return as(
      'failed',
      `${found}; a run needs ${inMegabytes(LEAST_FREE)} at least`,
      'Make room, or give another folder: --run.',
    );
  }
  try {
    await rmdir(await mkdtemp(join(path, '.data-import-check-')));
  } catch (error) {
    const [reason, remedy] = whyUnusable(error as NodeJS.ErrnoException);
    return as('failed', `nothing can be written in ${path} (${reason})`, remedy);
  }
  if (!('bavail' in space)) {
    return as('cannotTell', `the free space at ${folder} cannot be read (${space.code ?? 'unknown reason'})`);
  }
  if (needed !== undefined && free < needed) {
    const detail = `${found}; this input may take about ${inMegabytes(needed)}`;
    return as(
      'warning',
      detail,
      'Free some disk space. A run on a full disk stops; the same command resumes it once there is space.',
    );
  }
  return as('ok', found);
}

function inMegabytes(bytes: number): string {
  return bytes >= 10 * 1024 * MB ? `${Math.floor(bytes / 1024 / MB)} GB` : `${Math.floor(bytes / MB)} MB`;
}

/** The first check that keeps a run from beginning; undefined where none does. */
export function obstacleIn(checks: readonly Check[]): Check | undefined {
  return checks.find(({ result }) => result === 'failed');
}
