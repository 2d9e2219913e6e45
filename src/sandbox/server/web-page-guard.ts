/**
 * Exports `refuseWebPage`. Web pages must not call a server on this machine: a sandbox contains personal data, and its token is public;
 * health and metrics show the progress of a run. A browser sends the page's Origin with cross-site requests,
 * and the foreign name as Host if that name resolves to this machine (DNS rebinding). Programs send the address that they call, and no Origin.
 */
import type { IncomingHttpHeaders } from 'node:http';

export interface Refusal {
  detail: string;
  code: 'wrong_host' | 'wrong_origin';
}

/** localhost or an IP address: names that DNS cannot redirect. */
const SAFE_HOST = /^(?:(?:[\w-]{1,63}\.)?localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i;

/** Returns the refusal of a request by a web page; undefined if the request is allowed. `name`: a further host that may be called. */
export function refuseWebPage({ host, origin }: IncomingHttpHeaders, name?: string): Refusal | undefined {
  const isNamed = name !== undefined && host?.toLowerCase().replace(/:\d{1,5}$/, '') === name.toLowerCase();
  if (host !== undefined && !SAFE_HOST.test(host) && !isNamed) {
    const detail = 'Expected the Host localhost or an address such as 127.0.0.1: call the server by one of these.';
    return { code: 'wrong_host', detail: `${detail} To call it by another name, start it with that name as its host.` };
  }
  if (origin !== undefined && origin.toLowerCase() !== `http://${host?.toLowerCase()}`) {
    return {
      code: 'wrong_origin',
      detail: 'The Origin is not this server: web pages must not call it.',
    };
  }
  return undefined;
}

/** Returns whether a host name is a loopback address. Servers on other addresses may be called by any name. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}
