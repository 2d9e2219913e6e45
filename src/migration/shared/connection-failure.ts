/** Exports texts for failed connections, with host and cause, for terminal, audit log, report and preflight checks. */

import { type DataImportClient, internalsOf } from '../../client.js';
import type { FailureCause } from '../record/events/record-event.js';
import type { CompactEvent } from '../throttle/compact-event.js';
import { spaced } from './format.js';

const CLIENT_CLOSED = 'the client is closed: create a new one';

/** Throws an `Error` if the client is closed, which a call would find out only after the ledger was written. */
export function expectOpen(name: string, client: DataImportClient): void {
  if (internalsOf(client).shared.connections.isClosed()) throw new Error(`${name}: ${CLIENT_CLOSED}.`);
}

/** `reason`: the error code of the system or of TLS, or `timeout`. */
function connectionInWords(host: string, reason: string): string {
  if (reason === 'CLOSED') return CLIENT_CLOSED;
  if (reason === 'timeout') return `no answer from ${host} in time`;
  const cause = CAUSES.find(([code]) => code.test(reason))?.[1];
  return `connection to ${host} failed: ${reason}${cause === undefined ? '' : `, ${cause}`}`;
}

const CAUSES: readonly (readonly [RegExp, string])[] = [
  [/^RangeError$/, 'the process may use too little address space for WebAssembly, which reads HTTP'],
  [/^ECONNREFUSED$/, 'nothing listens on this port'],
  [/^ENOTFOUND$/, 'no host has this name'],
  [/^EAI_AGAIN$/, 'the name server does not answer'],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'there is no route to this host'],
  [/^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/, 'the host does not answer; a firewall may drop the packets'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'the connection broke before the answer was complete'],
  [/^(HPE_|HTTPParserError$)/, 'the answer is not HTTP; the port may be one of another program'],
  [/^UND_ERR_ABORTED$/, 'the proxy refused it; check the proxy and its credentials'],
  [/^UND_ERR_INVALID_ARG$/, 'the dispatcher is unsuitable; give one of undici 7 or newer'],
  [/^DEPTH_ZERO_SELF_SIGNED_CERT$/, 'the certificate is self-signed, and this machine does not trust it'],
  [/^SELF_SIGNED_CERT_IN_CHAIN$/, 'the certificate comes from an authority that this machine does not trust'],
  [
    /^UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT|GET_ISSUER_CERT_LOCALLY)$/,
    'the issuer of the certificate is missing or not trusted',
  ],
  [/^CERT_HAS_EXPIRED$/, 'the certificate has expired'],
  [/^CERT_NOT_YET_VALID$/, 'the certificate is not valid yet; check the clock of this machine'],
  [/^CERT_REVOKED$/, 'the certificate is revoked'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'the certificate is for another host name'],
  [/^(CERT_|UNABLE_TO_)/, 'the certificate is not accepted'],
  [/^(EPROTO|ERR_SSL_|ERR_TLS_)/, 'TLS cannot be set up; the port may not speak TLS'],
];

/** Returns why a request has no usable answer; undefined if it has one. `reason`: why there is no answer. */
export function failureOfResponse({
  status,
  reason,
}: {
  status?: number | undefined;
  reason?: string | undefined;
}): FailureCause | undefined {
  if (reason !== undefined) return { code: reason };
  return status !== undefined && status >= 500 ? { status } : undefined;
}

/** The same of a call of another worker; undefined if the answer was of use, or nothing was sent. */
export function failureOfEvent(event: CompactEvent): FailureCause | undefined {
  if (event.type !== 'failed') return undefined;
  const { code, host = '', status } = event;
  if (status === undefined) return host === '' ? undefined : event;
  return status >= 500 || code === NOT_UNDERSTOOD ? event : undefined;
}

/** Calls `note` once for each host and reason, so that an unstable network does not fill the log. */
export function createFailureNotes(host: string, note: (text: string) => void) {
  const counts = new Map<string, number>();
  return {
    /** Call it for each request without a usable answer. Without a host, it is that of the service. */
    failed({ code = '', status, host: of = host }: FailureCause): void {
      const why = code === NOT_UNDERSTOOD ? 'not understood' : status === undefined ? code : String(status);
      const reason = of === host || of === '' ? why : `${of}: ${why}`;
      const before = counts.get(reason) ?? 0;
      counts.set(reason, before + 1);
      if (before === 0) note(causeInWords({ code, host: of || host, ...(status !== undefined && { status }) }));
    },
    /** Returns a text such as `7 requests to api.example.com without a usable answer (500 5, timeout 2)`; undefined for none. */
    inTotal(): string | undefined {
      if (counts.size === 0) return undefined;
      const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
      const byReason = [...counts].map(([reason, count]) => `${reason} ${count}`).join(', ');
      return `${total} ${total === 1 ? 'request' : 'requests'} to ${host} without a usable answer (${byReason})`;
    },
  };
}

/** Code of an answer that differs from the API specification, such as a page of a proxy. */
export const NOT_UNDERSTOOD = 'answer_not_understood';

/** Returns a text such as `api.example.com answers 500`, or `connection to api.example.com failed: ECONNREFUSED, nothing listens on this port`. */
export function causeInWords({ code = '', host = '', status }: FailureCause): string {
  if (status === undefined) return host === '' ? code : connectionInWords(host, code);
  const service = host === '' ? 'the service' : host;
  if (code === NOT_UNDERSTOOD) return `the answer of ${service} (${status}) is not understood`;
  const said = code === '' || code === `http_${status}` || code === String(status) ? '' : ` (${code})`;
  return `${service} answers ${status}${said}`;
}

/** Returns what to do about a refusal that names neither a field nor a known code. `detail`: its text, if personal data is shown. */
export function askAboutRefusal(detail: string | undefined): string {
  const text = detail === undefined ? 'read its words with data-import-sdk call' : `it says ${JSON.stringify(detail)}`;
  return `${text} and ask the operator`;
}

/** Returns a text for a failed call: `at stage: connection to … failed: …`, or `at stage (server_error)`. */
export function failureInWords(failure: FailureCause & { step: string; supplier?: string }): string {
  const { step, code, host, status, supplier } = failure;
  const forbidden =
    status === 403 && supplier
      ? ` for import supplier ${supplier}: ask the operator whether the token may import for it`
      : '';
  if (host || status !== undefined) return `at ${spaced(step)}: ${causeInWords(failure)}${forbidden}`;
  return `at ${spaced(step)}${code ? ` (${code})` : ''}`;
}
