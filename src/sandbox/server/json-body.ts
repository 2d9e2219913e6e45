/** Exports `readJsonBody`: reads the body of a request as a JSON object, within limits of size and depth (C1, U1). */
import { JsonScan } from '../../validation/json-scan.js';
import type { Outcome } from '../calls/call.js';
import { failed, refused } from '../calls/error-answers.js';
import type { ServiceRequest } from './service-request.js';

/** Largest body in bytes. No limit is documented; this one protects the memory. */
const BODY_LIMIT = 10 * 1024 * 1024;

/** Deepest nesting. Documented payloads need 8 levels; JSON libraries fail at some thousands. */
const DEPTH_LIMIT = 100;

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

/** The payload and its text, or the answer that refuses it. */
export type JsonBody = { payload: Record<string, unknown>; text: string } | { refusal: Outcome };

/** Reads the body; `limit` in bytes. Never rejects: the result is a refusal if the body cannot be read. */
export async function readJsonBody(request: ServiceRequest, limit: number = BODY_LIMIT): Promise<JsonBody> {
  const type = request.headers.get('content-type');
  if (type !== null && !/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type.trim())) {
    return notJson('unsupported_content', `Bodies are JSON: expected Content-Type application/json, found ${type}.`);
  }
  let payload: unknown;
  let text: string;
  try {
    const bytes = await readBytes(request, limit);
    if (bytes === undefined) return tooLarge(limit);
    text = UTF_8.decode(bytes);
    if (text.trim() === '') return notJson('malformed_json', 'The body is empty; expected a JSON object.');
    if (isTooDeep(text)) return notJson('malformed_json', `The body is nested deeper than ${DEPTH_LIMIT} levels.`);
    payload = JSON.parse(text);
  } catch {
    return notJson('malformed_json', 'The body could not be read as JSON in UTF-8.');
  }
  if (payload === null || typeof payload !== 'object' || Array.isArray(payload)) {
    const found = payload === null ? 'null' : Array.isArray(payload) ? 'an array' : `a ${typeof payload}`;
    return notJson('not_an_object', `Expected a JSON object, found ${found}.`);
  }
  return { payload: payload as Record<string, unknown>, text };
}

function notJson(code: string, detail: string): JsonBody {
  return { refusal: refused(code, '', detail) };
}

function tooLarge(limit: number): JsonBody {
  const detail = `The body is larger than ${limit} bytes, the limit of the sandbox.`;
  return { refusal: failed(413, 'body_too_large', detail) };
}

/** Returns undefined if the body exceeds the limit, without reading the rest. */
async function readBytes(request: ServiceRequest, limit: number): Promise<ArrayBuffer | Uint8Array | undefined> {
  const contentLength = request.headers.get('content-length');
  if (contentLength !== null) {
    return Number(contentLength) > limit ? undefined : await request.arrayBuffer();
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Not cancelled: a body with two readers, as behind MSW, would wait for the other one indefinitely.
  for await (const chunk of request.body?.values({ preventCancel: true }) ?? []) {
    length += chunk.byteLength;
    if (length > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function isTooDeep(text: string): boolean {
  // Fast path: most bodies have fewer brackets in all than the limit.
  if (count(text, '{') + count(text, '[') <= DEPTH_LIMIT) return false;
  const scan = new JsonScan(text);
  scan.read(0, text.length);
  return scan.deepest > DEPTH_LIMIT;
}

function count(text: string, character: string): number {
  let found = 0;
  for (let index = text.indexOf(character); index >= 0; index = text.indexOf(character, index + 1)) found++;
  return found;
}
