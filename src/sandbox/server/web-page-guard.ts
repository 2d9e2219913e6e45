/**
 * Web pages and a sandbox that listens on this machine. It holds what was rehearsed, personal data included, and its
 * token is known to everybody; so no page that is open beside it may call it. A browser that lets a foreign name point
 * here (DNS rebinding) still sends that name as Host, and with what it sends across sites the Origin of the page.
 * Programs send the address that they were given, and no Origin.
 */
import type { IncomingHttpHeaders } from 'node:http';

export interface Refusal {
  detail: string;
  code: 'wrong_host' | 'wrong_origin';
}

/** This machine by name, or any address: what nobody else can let point elsewhere. */
const SAFE_HOST = /^(?:(?:[\w-]{1,63}\.)?localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i;

/** undefined where the request may go on. */
export function refuseWebPage({ host, origin }: IncomingHttpHeaders): Refusal | undefined {
  if (host !== undefined && !SAFE_HOST.test(host)) {
    const detail = 'Expected the Host localhost or an address such as 127.0.0.1: call the sandbox by one of these.';
    return { code: 'wrong_host', detail: `${detail} Where it has to go by another name, give \`hostname\` (--host).` };
  }
  if (origin !== undefined && origin.toLowerCase() !== `http://${host?.toLowerCase()}`) {
    return {
      code: 'wrong_origin',
      detail: 'The Origin is another than this server: no web page may call the sandbox.',
    };
  }
  return undefined;
}

/** Whoever listens elsewhere wants to be called from elsewhere, by whatever name. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}
