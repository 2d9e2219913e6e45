/**
 * Who may use the admin interface: this machine, and in a browser nothing but the console itself. A web page that is
 * open beside it must be able neither to read nor to change anything, by whatever name it reaches the server.
 */
import type { Outcome } from '../calls/call.js';

export interface Visit {
  method: string;
  headers: Headers;
  /** Address of the other end of the connection; no header can pretend it. */
  peer: string | undefined;
  /** The page itself: other pages may link to it. */
  isPage: boolean;
}

/** For every answer: no other page may read it, frame it or guess its type; the console loads from its own server alone. */
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
/** By name, so that a foreign name that was made to point here does not pass (DNS rebinding). */
const LOOPBACK_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i;

/** In their order; the first that does not hold refuses. */
const CONDITIONS: readonly { code: string; detail: string; holds: (visit: Visit) => boolean }[] = [
  {
    code: 'not_local',
    detail: 'The admin interface answers callers on this machine alone.',
    holds: ({ peer }) => LOOPBACK_PEER.test(peer ?? ''),
  },
  {
    code: 'wrong_host',
    detail: 'Expected the Host localhost, 127.0.0.1 or [::1]; call the admin interface by one of these.',
    holds: ({ headers }) => LOOPBACK_HOST.test(headers.get('host') ?? ''),
  },
  {
    code: 'wrong_origin',
    detail: 'The Origin is another than this server: no other page may use the admin interface.',
    holds: ({ headers }) => {
      const origin = headers.get('origin');
      return origin === null || origin.toLowerCase() === `http://${headers.get('host')?.toLowerCase()}`;
    },
  },
  {
    code: 'cross_site',
    detail: 'The browser says that another page asks (Sec-Fetch-Site): no other page may use the admin interface.',
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

/** undefined when the request may go on, else the 403. */
export function checkAccess(visit: Visit): Outcome | undefined {
  const broken = CONDITIONS.find(({ holds }) => !holds(visit));
  return broken && { status: 403, body: { detail: broken.detail, code: broken.code } };
}
