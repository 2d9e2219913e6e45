/** Exports `parseServiceUrl` and others, which check base URLs, and `requestPath`, which builds the path of a request. */
import { PATH_PREFIX } from '../../../schemas/operations.js';
import type { Finding } from '../../validation/findings.js';
import type { Endpoint } from './wire.js';

export interface BaseAddress {
  /** scheme://host:port */
  origin: string;
  /** Path before the service's own prefix, without a trailing slash. */
  path: string;
  /** host:port, without the port if it is the default of the scheme. */
  host: string;
}

// `URL` writes ::ffff:127.0.0.1 as [::ffff:7f00:1].
const LOOPBACK = /^(localhost\.?|127(?:\.\d{1,3}){3}|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/;

/** Returns whether a host name, in the form of `URL.hostname`, is this machine. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}

/** Returns whether a host, in any notation that a resolver accepts, is this machine: also `127.1` and `::1` without brackets. */
export function isThisMachine(host: string): boolean {
  const url = `http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}`;
  return URL.canParse(url) && isLoopback(new URL(url).hostname);
}

/** Returns whether the requests for this origin go to this machine, and so never through a proxy. */
export function isReachedDirectly(origin: string): boolean {
  const { hostname } = new URL(origin);
  // `*.localhost` is this machine (RFC 6761), but some resolvers ask others for it: so it needs https, unlike a loopback host.
  return isLoopback(hostname) || /\.localhost\.?$/.test(hostname);
}

const SUCH_AS = ' such as https://api.example.com';

/** Returns the parts of a base URL. Throws a `TypeError` that names the error and the option. */
export function parseBaseUrl(value: unknown, option = 'baseUrl'): BaseAddress {
  const refuse: (what: string) => never = (what) => {
    throw new TypeError(`${option}: ${what}`);
  };
  if (typeof value !== 'string') refuse(`expected a string${SUCH_AS}, found ${typeof value}`);
  // `localhost:4010` is a URL with the protocol `localhost:`.
  const url = URL.canParse(value) && !/^[^/]*:\d/.test(value) ? new URL(value) : undefined;
  if (url === undefined) refuse(`expected an absolute URL${SUCH_AS}`);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    refuse(`expected https (http only for a loopback host), found ${url.protocol}//`);
  }
  if (url.username !== '' || url.password !== '') refuse('must not contain credentials');
  return { origin: url.origin, path: url.pathname, host: url.host };
}

/** Returns the parts of the base URL of the service, without the prefix of all paths. Throws a `TypeError` for an invalid one. */
export function parseServiceUrl(value: unknown): BaseAddress {
  const { origin, path, host } = parseBaseUrl(value);
  const url = new URL(value as string);
  if (url.search !== '' || url.hash !== '') throw new TypeError('baseUrl: must not have a query or a fragment');
  const trimmed = path.replace(/(?<!\/)\/+$/, '');
  if (`${trimmed}/`.endsWith(PATH_PREFIX)) {
    throw new TypeError(`baseUrl: leave out ${PATH_PREFIX}; the client adds it`);
  }
  return { origin, path: trimmed, host };
}

export type PathValues = Readonly<Record<string, string>>;

/** Query parameters by name. Undefined values are left out. */
export type QueryValues = Readonly<Record<string, string | number | boolean | undefined>>;

/** Returns findings for values that a path cannot contain: empty, `.`, `..`, or not text. */
export function pathFindings(operation: Pick<Endpoint, 'path' | 'pathParameters'>, values: PathValues = {}): Finding[] {
  if (operation.pathParameters.length === 0) return [];
  return operation.pathParameters.flatMap((name) => {
    const value: unknown = values[name];
    const detail =
      typeof value !== 'string'
        ? 'Required: expected a string.'
        : value === '' || value === '.' || value === '..'
          ? 'Expected a code or number, not "", "." or "..".'
          : !isWellFormed(value)
            ? 'Expected well-formed text; this has half a surrogate pair.'
            : undefined;
    const code = value === undefined || value === '' ? 'required' : 'invalid';
    return detail === undefined ? [] : [{ detail, code, attr: name, severity: 'error' }];
  });
}

/** Returns path and query of one request. */
export function requestPath(
  base: Pick<BaseAddress, 'path'>,
  operation: Pick<Endpoint, 'path' | 'pathParameters'>,
  values: PathValues = {},
  query?: QueryValues,
): string {
  const path =
    operation.pathParameters.length === 0
      ? operation.path
      : operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
  if (query === undefined) return `${base.path}${PATH_PREFIX}${path}`;
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
  const search = parameters.size === 0 ? '' : `?${parameters}`;
  return `${base.path}${PATH_PREFIX}${path}${search}`;
}

function isWellFormed(value: string): boolean {
  return !/[\uD800-\uDFFF]/u.test(value);
}
