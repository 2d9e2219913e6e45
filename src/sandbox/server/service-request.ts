/**
 * Exports `ServiceRequest`, the part of a Request that the sandbox reads, and `toServiceRequest`, which adapts a request of
 * Node's server without the cost of a Request and its Headers (docs/decisions/0006-sandbox-core.md).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

export interface ServiceRequest {
  readonly method: string;
  /** In normal form. */
  readonly url: string;
  readonly headers: { get(name: string): string | null };
  readonly body: ReadableStream<Uint8Array> | null;
  arrayBuffer(): Promise<ArrayBuffer | Uint8Array>;
  readonly signal: AbortSignal;
}

/** A target that a URL would not change; dot segments are excluded below. */
const NORMAL = /^\/(?!\/)[\w\-.~!$&'()*+,;=:@%/?]*$/;
const DOTS = /\/(?:\.|%2e){1,2}(?:\/|\?|$)/i;

/** Returns undefined if the request needs a Request object: its target is not in normal form, or its body has no length. */
export function toServiceRequest(incoming: IncomingMessage, outgoing: ServerResponse): ServiceRequest | undefined {
  const { method = 'GET', url = '/', headers } = incoming;
  if (!NORMAL.test(url) || DOTS.test(url) || headers['transfer-encoding'] !== undefined) return undefined;
  return {
    method,
    url: `http://sandbox${url}`,
    headers: {
      get(name) {
        const value = headers[name];
        return value === undefined ? null : String(value);
      },
    },
    body: null,
    arrayBuffer: () => bytesOf(incoming),
    // Created on demand: few calls need it.
    get signal() {
      const controller = new AbortController();
      if (outgoing.closed) controller.abort();
      outgoing.once('close', () => controller.abort());
      return controller.signal;
    },
  };
}

function bytesOf(incoming: IncomingMessage): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.once('end', () =>
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)),
    );
    incoming.once('error', reject);
    incoming.once('close', () => {
      // Not after a complete body: creating an unused error takes time.
      if (!incoming.complete) reject(new Error('The connection ended within the body.'));
    });
  });
}
