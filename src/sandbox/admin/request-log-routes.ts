/** Exports the admin routes of the request log: the newest requests, those before or after an id, and filters. */
import * as z from 'zod';
import { operations } from '../../../schemas/operations.js';
import { MASK } from '../calls/mask-personal-data.js';
import type { LogEntry } from '../calls/request-log.js';
import type { SandboxSettings } from '../settings/settings.js';
import { wholeNumber } from './admin-input.js';
import { type AdminRoute, ok, route } from './admin-route.js';

const MAX_ENTRIES = 1000;

const statusFilter = z.string().refine((text) => /^(?:[1-5]xx|[1-5]\d\d|none)$/.test(text), {
  message: "Expected a status such as 400, a class such as 4xx, or 'none' for no answer.",
  params: { code: 'invalid_choice' },
});

const querySchema = z.strictObject({
  after: wholeNumber(0).optional(),
  before: wholeNumber(0).optional(),
  offset: wholeNumber(0).default(0),
  limit: wholeNumber(1, MAX_ENTRIES).default(100),
  operation: z.enum([...Object.keys(operations), 'token', 'none']).optional(),
  status: statusFilter.optional(),
  account: z.string().optional(),
  q: z.string().optional(),
});
type Query = z.output<typeof querySchema>;

export const requestRoutes: readonly AdminRoute[] = [
  /**
   * `{first, last, total, entries}`: ids of the oldest and the newest request that is kept, how many match, and up to
   * `limit` (default 100) of them, oldest first. With `after`, those that follow this id. Otherwise the newest (with
   * `before`: the newest before this id), skipping `offset` of them. Filters: `operation` (`none` for requests to no
   * operation), `status` (`400`, `4xx`, `none`), `account`, and `q`, a part of path, operation, account,
   * change or faults, or equal to the check (`E6`) or an entry of the register (`U14`). Each entry has `curl`, a command
   * that sends it again, and its times by the machine's clock: `received_at`, `took_ms`.
   */
  route('GET', '/requests', { query: querySchema }, ({ space, query, baseUrl }) => {
    const { log, config } = space;
    const { total, entries } = log.page(query, filterOf(query));
    const withCurl = entries.map((entry) => ({ ...entry, curl: curlLine(entry, baseUrl, config.settings) }));
    return ok({ first: log.first, last: log.last, total, entries: withCurl });
  }),
  /** Forgets all requests; ids begin at 1 again. */
  route('DELETE', '/requests', {}, ({ space }) => {
    space.log.clear();
    return ok({});
  }),
];

function filterOf({ operation, status, account, q }: Query): (entry: LogEntry) => boolean {
  const words = q?.toLowerCase();
  return (entry) =>
    (operation === undefined || operation === (entry.operation ?? 'none')) &&
    (status === undefined || hasStatus(entry, status)) &&
    (account === undefined || account === entry.account) &&
    (words === undefined || mentions(entry, words));
}

function hasStatus({ status }: LogEntry, wanted: string): boolean {
  if (status === null) return wanted === 'none';
  return wanted.endsWith('xx') ? wanted.startsWith(String(status).slice(0, 1)) : wanted === String(status);
}

function mentions({ path, operation, account, rule, change, assumed, faults }: LogEntry, words: string): boolean {
  const isIn = (text: string | null) => text?.toLowerCase().includes(words) === true;
  // Compared as a whole: a search for U1 must not find U12.
  const isId = (id: string) => id.toLowerCase() === words;
  return [path, operation, account, change].some(isIn) || faults.some(isIn) || [rule, ...assumed].some(isId);
}

/** Value of the Authorization header, with `$TOKEN` for the token, so that the command can be shared. */
const CREDENTIALS: Readonly<Record<SandboxSettings['authScheme'], string>> = {
  Token: 'Token $TOKEN',
  Bearer: 'Bearer $TOKEN',
  bare: '$TOKEN',
  any: 'Token $TOKEN',
};

/** Returns a logged request as one shell command. A comment at its end says if the body is masked or missing. */
function curlLine({ method, path, request }: LogEntry, baseUrl: string, { authScheme }: SandboxSettings): string {
  const body = request === null || method === 'GET' ? undefined : JSON.stringify(request);
  const parts = [
    `curl -X ${method} ${quoted(baseUrl + path)}`,
    `-H "Authorization: ${CREDENTIALS[authScheme]}"`,
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `--data-raw ${quoted(body)}`]),
  ];
  if (body?.includes(MASK)) parts.push(`# ${MASK} stands for personal data: put in the real values`);
  if (body === undefined && method !== 'GET') parts.push('# the log does not contain the body');
  return parts.join(' ');
}

/** In single quotes, a shell interprets only the quote itself. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
