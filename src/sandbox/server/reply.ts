/** An answer as text, before it is anything of the web or of Node: each way in makes of it what it needs. */
import type { Outcome } from '../calls/call.js';

export interface Reply {
  status: number;
  headers: Record<string, string>;
  /** null for no body. */
  text: string | null;
}

export function toReply({ status, body, headers = {}, onTheWay }: Outcome): Reply {
  if (body === undefined) return { status, headers: { ...headers }, text: null };
  // A fault may answer as a gateway does, with a page.
  const isPage = typeof body === 'string';
  const text = isPage ? body : JSON.stringify(body);
  return {
    status,
    headers: { 'Content-Type': isPage ? 'text/html' : 'application/json', ...headers },
    text: onTheWay === 'malformed' ? text.slice(0, Math.floor(text.length / 2)) : text,
  };
}
