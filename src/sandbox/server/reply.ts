/** Exports `Reply` and `toReply`: an answer as text, which `fetch`, the server and MSW convert into their own response. */
import type { Outcome } from '../calls/call.js';

/** The header with the time of the sandbox: the Date of its server is that of the machine. */
export const SANDBOX_CLOCK = 'Sandbox-Clock';

export interface Reply {
  status: number;
  headers: Record<string, string>;
  /** null for no body. */
  text: string | null;
}

/** Returns the reply of an outcome, with the effects of a fault. */
export function toReply({ status, body, headers = {}, onTheWay }: Outcome): Reply {
  if (body === undefined) return { status, headers: { ...headers }, text: null };
  // A fault may answer with an HTML page, like a gateway.
  const isPage = typeof body === 'string';
  const text = isPage ? body : JSON.stringify(body);
  return {
    status,
    headers: { 'Content-Type': isPage ? 'text/html' : 'application/json', ...headers },
    text: onTheWay === 'malformed' ? text.slice(0, Math.floor(text.length / 2)) : text,
  };
}
