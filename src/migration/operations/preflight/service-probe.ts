/** Exports `probeService`, which sends one status query before a run, and the checks of address, token and clock by its answer. */
import { existingAccount } from '../../../../schemas/import-status.js';
import type { DataImportClient } from '../../../client.js';
import { ApiError } from '../../../errors/api-errors.js';
import { ResponseMismatchError, TokenError } from '../../../errors/client-errors.js';
import { isDataImportError } from '../../../errors/guards.js';
import { unansweredBy } from '../../record/steps/classify-error.js';
import { causeInWords } from '../../shared/connection-failure.js';
import { type Check, codeIn, ONE_CALL, remedyIfBusy, resultOf, TOKEN_REMEDY } from './check.js';

/** The answer to one status query, or why there was none. */
export interface ServiceProbe {
  host: string;
  /** Whether the query was about an import supplier of the input. */
  isOwnSupplier: boolean;
  status?: number | undefined;
  error?: unknown;
  /** Whether another server gave the answer: it is no status, or the status of an account that exists. */
  isForeign?: boolean;
  /** The header `Date` of the answer. */
  date?: string | undefined;
  /** When the answer arrived, by the clock of this machine. */
  at: Date;
}

/** A number without an account: 404 and 200 both show that the query was accepted. A query for a list could be huge. */
const NO_SUCH_ACCOUNT = 'preflight-no-such-account';
const NO_SUCH_SUPPLIER = 'PREFLIGHT';

/** Sends a status query, and repeats it once if there was no answer. Does not reject for failures of service or network. */
export async function probeService(
  client: DataImportClient,
  supplier: string | undefined,
  { now = () => new Date(), signal }: { now?: () => Date; signal?: AbortSignal | undefined } = {},
): Promise<ServiceProbe> {
  const about = { host: client.host, isOwnSupplier: supplier !== undefined };
  try {
    const call = client.imports.status(
      { import_supplier_code: supplier ?? NO_SUCH_SUPPLIER, external_account_number: NO_SUCH_ACCOUNT },
      { ...ONE_CALL, signal },
    );
    const { data, status, headers } = await call.withResponse();
    const isForeign = existingAccount(data) !== undefined;
    return { ...about, status, isForeign, date: headers['date'], at: now() };
  } catch (error) {
    if (!isDataImportError(error)) throw error;
    const answer = error instanceof ApiError ? { status: error.status, date: error.headers['date'] } : {};
    const mismatch = error instanceof ResponseMismatchError ? { status: error.status, isForeign: true } : {};
    return { ...about, ...answer, ...mismatch, error, at: now() };
  }
}

/** Statuses of a gateway whose service is unavailable: 502 to 504, and those of content delivery networks. */
const GATEWAY = new Set([502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 527]);

/** Returns whether a service answers at the address. */
export function checkAddress({ host, status, error, isForeign }: ServiceProbe): Check {
  const as = resultOf('address');
  const unanswered = unansweredBy(error);
  if (unanswered !== undefined) return as('failed', causeInWords(unanswered), remedyFor(unanswered.code));
  if (status === undefined) {
    const why = error instanceof TokenError ? 'no token could be obtained' : 'no request could be sent';
    return as('notChecked', `no request was sent to ${host}: ${why}`);
  }
  const found = `${host} answers ${status}`;
  if (status >= 300 && status < 400) {
    const detail = `${host} answers with a redirect (${status})`;
    return as('failed', detail, 'Give the address of the service itself: --base-url.');
  }
  if (GATEWAY.has(status)) {
    return as('failed', `${found}: the service behind it is unavailable`, 'Ask the operator, or try again later.');
  }
  if (isForeign || (isPage(error) && status === 404)) {
    const what = isPage(error) ? 'a page' : 'an answer to a status query';
    const [result, how] = isForeign ? (['failed', 'is not'] as const) : (['warning', 'may not be'] as const);
    return as(result, `${found} with ${what} that ${how} from the service`, 'Check --base-url and its path.');
  }
  if (status >= 500) {
    const remedy = 'Ask the operator whether status queries work: a run needs them after a request without an answer.';
    return as('warning', `${host} answers a status query with ${status}`, remedy);
  }
  return as('ok', `${host} answers`);
}

/** Returns whether the answer was no JSON. */
function isPage(error: unknown): boolean {
  return (error instanceof ResponseMismatchError || error instanceof ApiError) && typeof error.body === 'string';
}

function remedyFor(reason = ''): string {
  if (/CERT|^UNABLE_TO_/.test(reason)) {
    return 'Have the certificate renewed, or trust its authority with --ca <file> or NODE_EXTRA_CA_CERTS=<file>.';
  }
  if (/^(EPROTO|ERR_SSL_|ERR_TLS_)/.test(reason)) return 'Check scheme and port of --base-url.';
  if (/^(UND_ERR_SOCKET|ECONNRESET|EPIPE|HPE_|HTTPParserError)/.test(reason)) {
    return 'Check scheme (http or https), host and port of --base-url, the network, and whether the service runs.';
  }
  if (reason === 'RangeError') return 'Raise or remove the limit of address space (ulimit -v).';
  if (reason === 'ENOTFOUND') return 'Check the host in --base-url, and the network.';
  return 'Check host and port of --base-url, the network, and whether the service runs.';
}

/** Returns whether the service accepts the token, if a status query shows it. */
export function checkToken({ status, error, isOwnSupplier, isForeign }: ServiceProbe): Check {
  const as = resultOf('token');
  if (error instanceof TokenError) {
    // The server of the token does not answer.
    if (unansweredBy(error) !== undefined || error.nextAction === 'retryLater' || error.nextAction === 'wait') {
      return as('notChecked', 'no token could be obtained from the GraphQL interface');
    }
    const detail = `no token could be obtained${codeIn(error.code)}`;
    return as('failed', detail, 'Check the API key and the --graphql options.');
  }
  if (status === undefined) return as('notChecked', 'the service did not answer');
  if (status === 401) return as('failed', 'the service answers 401: it does not accept the token', TOKEN_REMEDY);
  if (status === 403) {
    const detail = 'the service, or a gateway before it, answers 403';
    return isOwnSupplier
      ? as('failed', detail, 'Ask the operator for the rights of the token, and the allowed addresses.')
      : as('cannotTell', detail, 'Give the input too: the query was for an invented supplier.');
  }
  if (isForeign || isPage(error) || (status !== 200 && status !== 404)) {
    return tokenNotShown(status);
  }
  // The API specification states 401 only for one endpoint (U2), and preflight never calls that one.
  return as('ok', `a status query is answered with ${status}; not every service checks the token of one`);
}

/** Returns the check of a token about which the answer with this status says nothing. */
export function tokenNotShown(status: number | undefined): Check {
  const detail = `a status query answered with ${status} does not show it`;
  return resultOf('token')('cannotTell', detail, remedyIfBusy(status));
}

const MOST_SKEW_MS = 60_000;

/** Returns whether the clocks of this machine and the service agree. */
export function checkClock({ date, at, status }: ServiceProbe): Check {
  const serviceAt = date === undefined ? Number.NaN : Date.parse(date);
  const as = resultOf('clock');
  if (Number.isNaN(serviceAt)) {
    const isAnswered = status !== undefined;
    return as(
      'notChecked',
      isAnswered ? 'no answer of the service has a Date header' : 'no answer came from the service',
    );
  }
  const skewMs = at.getTime() - serviceAt;
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  if (Math.abs(skewMs) <= MOST_SKEW_MS) {
    return as('ok', seconds <= 1 ? 'equal to that of the service' : `${seconds} s different from that of the service`);
  }
  const detail = `the clock of this machine is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} that of the service`;
  return as('warning', detail, 'Set the clock: time windows, tokens and the times of the report depend on it.');
}
