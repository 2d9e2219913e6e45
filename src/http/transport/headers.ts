/** Exports `createHeaders`, which creates the headers of requests once per token, and `checkHeaders`. No other code writes the token. */
import { isOptions } from '../../validation/known-names.js';
import { VERSION } from '../../version.js';
import type { HeldToken } from '../token/token.js';

/** Headers by name. */
export type HeaderValues = Readonly<Record<string, string>>;

/** `own`: the headers of one call. */
export type HeadersOf = (token: HeldToken, hasBody: boolean, own?: HeaderValues | undefined) => HeaderValues;

export interface HeaderSettings {
  /** The word before the token; empty for none. */
  tokenScheme: string;
  /** Appended to the name and version of this package in User-Agent. */
  userAgent?: string | undefined;
  /** Headers of every request. */
  headers?: HeaderValues | undefined;
}

export function createHeaders({ tokenScheme, userAgent, headers }: HeaderSettings): HeadersOf {
  let of: HeldToken | undefined;
  let bare: HeaderValues = {};
  let withBody = bare;
  return (token, hasBody, own) => {
    if (token !== of) {
      of = token;
      bare = {
        ...lowerCase(headers),
        authorization: tokenScheme === '' ? token.value : `${tokenScheme} ${token.value}`,
        accept: 'application/json',
        'user-agent': `data-import-sdk/${VERSION}${userAgent === undefined ? '' : ` ${userAgent}`}`,
      };
      withBody = { ...bare, 'content-type': 'application/json' };
    }
    const headersOfAll = hasBody ? withBody : bare;
    return own === undefined ? headersOfAll : { ...headersOfAll, ...lowerCase(own) };
  };
}

/** Returns the headers with names in lower case, so that `X-Trace` of a call replaces `x-trace` of its client. */
export function lowerCase(headers: HeaderValues | undefined): HeaderValues {
  return Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Headers that the client or its connection writes, with the reason or the option to use. */
const WRITTEN: Readonly<Record<string, string>> = {
  authorization: 'the client writes it from token and advanced.tokenScheme',
  'user-agent': 'use advanced.userAgent',
  ...Object.fromEntries(
    [
      ...['accept', 'content-type', 'content-length', 'content-encoding', 'host', 'connection', 'keep-alive'],
      ...['transfer-encoding', 'upgrade', 'expect', 'te', 'trailer'],
    ].map((name) => [name, 'the client writes it']),
  ),
};

/** Throws a `TypeError` that names an invalid header, without its value, which may be a secret. */
export function checkHeaders(headers: unknown): void {
  const refuse: (what: string) => never = (what) => {
    throw new TypeError(`headers: ${what}`);
  };
  if (!isOptions(headers) || 'entries' in headers) {
    refuse("expected an object of header values by name, such as { 'x-trace': '1' }");
  }
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) refuse('expected names of letters, digits and hyphens');
    const written = WRITTEN[name.toLowerCase()];
    if (written !== undefined) refuse(`leave out ${name}; ${written}`);
    if (typeof value !== 'string' || !/^[\t\x20-\x7e]*$/.test(value)) {
      refuse(`expected text of visible ASCII characters for ${name}`);
    }
  }
}
