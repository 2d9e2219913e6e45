/**
 * Exports `checkAccess`: the admin interface answers only this machine, and in a browser only the console itself. Another
 * web page must not be able to read or change anything, whatever host name it uses for the server.
 */
import type { Outcome } from '../calls/call.js';

export interface AdminRequest {
  method: string;
  headers: Headers;
  /** Remote address of the connection; headers cannot forge it. */
  peer: string | undefined;
  /** Whether it asks for the console page; other pages may link to that. */
  isPage: boolean;
}

/** Headers of every answer: no other page may read, frame or sniff it, and the console loads only from its own server. */
export const ADMIN_HEADERS: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

const LOOPBACK_PEER = /^(?:127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
/** Other names are refused, so that a foreign name that resolves to this machine does not pass (DNS rebinding). */
const LOOPBACK_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i;

/** Checked in this order; the first that does not hold determines the refusal. */
const CONDITIONS: readonly { code: string; detail: string; holds: (request: AdminRequest) => boolean }[] = [
  {
    code: 'not_local',
    detail: 'The admin interface answers only callers on this machine.',
    holds: ({ peer }) => LOOPBACK_PEER.test(peer ?? ''),
  },
  {
    code: 'wrong_host',
    detail: 'Expected the Host localhost, 127.0.0.1 or [::1]; call the admin interface by one of these.',
    holds: ({ headers }) => LOOPBACK_HOST.test(headers.get('host') ?? ''),
  },
  {
    code: 'wrong_origin',
    detail: 'The Origin is not this server: other pages must not use the admin interface.',
    holds: ({ headers }) => {
      const origin = headers.get('origin');
      return origin === null || origin.toLowerCase() === `http://${headers.get('host')?.toLowerCase()}`;
    },
  },
  {
    code: 'cross_site',
    detail: 'The request comes from another page (Sec-Fetch-Site): other pages must not use the admin interface.',
    holds: ({ headers, isPage }) => {
      const site = headers.get('sec-fetch-site');
      const isLink = isPage && headers.get('sec-fetch-mode') === 'navigate';
      return site === null || site === 'same-origin' || site === 'none' || isLink;
    },
  },
  {
    code: 'not_json',
    detail: 'A request that changes something needs the header "Content-Type: application/json".',
    holds: ({ method, headers }) =>
      method === 'GET' ||
      method === 'HEAD' ||
      method === 'OPTIONS' ||
      /^application\/json\s*(?:;|$)/i.test(headers.get('content-type') ?? ''),
  },
];

/** Returns the 403, or undefined if the request is allowed. */
export function checkAccess(request: AdminRequest): Outcome | undefined {
  const broken = CONDITIONS.find(({ holds }) => !holds(request));
  return broken && { status: 403, body: { detail: broken.detail, code: broken.code } };
}
