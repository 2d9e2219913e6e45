/** Exports `recordCalls`: a `fetch` that writes a masked line for each call of the service, which `learn` reads. */
import { createHmac, randomBytes } from 'node:crypto';
import { type OperationName, operations, PATH_PREFIX } from '../../schemas/operations.js';
import { SANDBOX_CLOCK } from '../sandbox/server/reply.js';
import { checkOptionKinds, expectKind } from '../validation/option-kinds.js';
import { createMask, type Masked, textsIn } from './mask.js';

/** One call and its answer, without a value of either. It is JSON. */
export interface RecordedCall {
  /** When the call started, in milliseconds since the first call. No two calls have the same time, and a later start has a later one. */
  at: number;
  /** How long it took, in milliseconds. */
  ms: number;
  /** The method of the client that makes this call, such as `accounts.stage`. */
  operation: OperationName;
  /** Present if the path had no trailing slash. */
  isSlashMissing?: true;
  /** The word before the token: `Token`, `Bearer`, `bare` for none; `none` without a token. */
  scheme: 'Token' | 'Bearer' | 'bare' | 'none';
  /** Token of the access token, which is equal for calls with the same one. */
  token: string;
  /** Parameters of the path, masked. */
  params: Masked;
  /** Flags of the query; others are masked. */
  query: Masked;
  /** The body of the request, masked. Absent for none, and for one that is not JSON. */
  request?: Masked;
  /** HTTP status; null if no answer came. */
  status: number | null;
  /** Seconds of the header Retry-After. */
  retryAfter?: number;
  /** The body of the answer, masked. Absent for none. */
  answer?: Masked;
  /** For a list of accounts: the place of each entry in the order of the account numbers. */
  order?: readonly number[];
}

/** A `fetch` of the client, of a sandbox or of the platform. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Options of `recordCalls`. */
export interface RecordOptions {
  /**
   * Sends the requests.
   * @default the global fetch
   */
  fetch?: Fetch | undefined;
  /**
   * Returns the time in milliseconds since 1970.
   * @default the time of the machine
   */
  now?: (() => number) | undefined;
}

/**
 * Returns a `fetch` that writes a line of JSON for each call of the service: the operation, the status, codes and paths of errors, the
 * types of all fields, and times. A value is replaced by its type and a token that is equal for equal values of this recording only.
 * The words that the API specification lists stay. Other requests, such as those for a token, are not recorded. An error of `write` is
 * a warning of the process; the call continues.
 *
 * @example
 * const lines: string[] = [];
 * const client = new DataImportClient({
 *   baseUrl: 'https://api.example.com',
 *   token: 'secret',
 *   fetch: recordCalls((line) => void lines.push(line)),
 * });
 */
export function recordCalls(write: (line: string) => void, options: RecordOptions = {}): Fetch {
  expectKind('recordCalls: write', write, 'function');
  checkOptionKinds('recordCalls', options, { fetch: 'function?', now: 'function?' });
  const {
    fetch: send = (url, init) => globalThis.fetch(url, init),
    now = () => performance.timeOrigin + performance.now(),
  } = options;
  const salt = randomBytes(32);
  const tokenOf = (value: string) => createHmac('sha256', salt).update(value).digest('hex').slice(0, 12);
  let first: number | undefined;
  let next = 0;

  const finish = (call: Begun, sent: unknown, status: number | null, headers?: Headers, text?: string) => {
    const { startedAt, ...line } = call;
    const mask = createMask({ tokenOf, now: clockOf(headers) ?? startedAt });
    const body = text === undefined ? undefined : parsed(text);
    const retryAfter = headers?.get('retry-after');
    const recorded: RecordedCall = {
      ...line,
      // The difference of rounded times: a call that starts at the end of this one is not during it.
      ms: Math.max(0, round(round(now() - (first ?? 0)) - line.at)),
      ...(sent !== undefined && { request: mask(sent) }),
      status,
      ...(/^\d{1,6}$/.test(retryAfter ?? '') && { retryAfter: Number(retryAfter) }),
      ...(body !== undefined && { answer: mask(body, new Set(textsIn(sent))) }),
      ...(Array.isArray(body) && { order: orderOf(body) }),
    };
    // Not awaited, and a promise that rejects counts as an exception.
    (async () => write(`${JSON.stringify(recorded)}\n`))().catch((error: unknown) => {
      const reason = error instanceof Error ? error.name : typeof error;
      process.emitWarning(`recordCalls: the recording was not written (${reason}); the call continued.`);
    });
  };

  return async (url, init = {}) => {
    const startedAt = now();
    const route = routeOf(url, init.method ?? 'GET');
    if (route === undefined) return send(url, init);
    first ??= startedAt;
    const at = Math.max(next, round(startedAt - first));
    next = round(at + SHORTEST_MS);
    const mask = createMask({ tokenOf, now: startedAt });
    const authorization = new Headers(init.headers).get('authorization') ?? '';
    const [, scheme = 'bare', token = ''] = /^(?:(Token|Bearer) )?(\S+)$/.exec(authorization) ?? [];
    const call: Begun = {
      startedAt,
      at,
      operation: route.operation,
      ...(route.isSlashMissing && { isSlashMissing: true }),
      scheme: authorization === '' ? 'none' : (scheme as RecordedCall['scheme']),
      token: authorization === '' ? '' : tokenOf(token),
      params: mask(route.params),
      query: mask(flagsOf(new URL(url).searchParams)),
    };
    const sent = typeof init.body === 'string' ? parsed(init.body) : undefined;
    try {
      const response = await send(url, init);
      finish(call, sent, response.status, response.headers, await response.clone().text());
      return response;
    } catch (error) {
      finish(call, sent, null);
      throw error;
    }
  };
}

type Begun = Omit<RecordedCall, 'ms' | 'status'> & { startedAt: number };

/** The unit of the times of a recording. */
const SHORTEST_MS = 0.1;
const round = (ms: number) => Math.round(ms * 10) / 10;

/** The time by the clock of the service, which decides about dates; undefined if the answer does not tell it. */
function clockOf(headers: Headers | undefined): number | undefined {
  // The server of a sandbox with a fixed clock has the Date of the machine.
  const time = Date.parse(headers?.get(SANDBOX_CLOCK) ?? headers?.get('date') ?? '');
  return Number.isFinite(time) ? time : undefined;
}

/** A body that is not JSON is a text, as which it is masked. */
function parsed(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function flagsOf(search: URLSearchParams): Record<string, string | boolean> {
  const flag = (value: string) => (value === 'true' || value === 'false' ? value === 'true' : value);
  return Object.fromEntries([...search].map(([name, value]) => [name, flag(value)]));
}

/** The last group is the slash at the end. */
const ROUTES = Object.entries(operations).map(([operation, { method, path, pathParameters }]) => {
  const pattern = new RegExp(`${PATH_PREFIX}${path.slice(0, -1).replace(/\{\w+\}/g, '([^/]*)')}(/?)$`);
  return { operation: operation as OperationName, method, pathParameters, pattern };
});

/** Returns the operation of a request; undefined if it is none of the service. */
function routeOf(url: string, method: string) {
  const { pathname } = new URL(url);
  for (const { operation, pathParameters, pattern } of ROUTES.filter((route) => route.method === method)) {
    const [, ...values] = pattern.exec(pathname) ?? [];
    if (values.length === 0) continue;
    const params = Object.fromEntries(pathParameters.map((name, index) => [name, decoded(values[index] ?? '')]));
    return { operation, isSlashMissing: values.at(-1) === '', params };
  }
  return undefined;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function orderOf(list: readonly unknown[]): number[] {
  const numbers = list.map((entry) =>
    String((entry as { external_account_number?: unknown } | null)?.external_account_number),
  );
  const sorted = [...numbers].sort();
  return numbers.map((number) => sorted.indexOf(number));
}
