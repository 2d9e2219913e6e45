/** Parts of files behind a URL, each by a request for its range of bytes. A server without ranges is refused. */
import pRetry from 'p-retry';
import { reasonOf } from '../input/input-error.js';
import type { LineSpan } from '../input/source.js';
import { LineError } from './line-error.js';
import { cannotReach, refused } from './line-refused.js';

export interface RangeOptions {
  /**
   * How often a request is made again that was not answered, or by 408, 429 or 5xx.
   * @default 4
   */
  retries?: number | undefined;
  /**
   * Milliseconds before it is made again; twice as many each time.
   * @default 250
   */
  retryAfterMs?: number | undefined;
  /**
   * Milliseconds for a request and its answer.
   * @default 30000
   */
  timeoutMs?: number | undefined;
}

export interface RangeParts {
  /** Shorter than asked for where the file ends before. Rejects with a `LineError`. */
  read(url: URL, place: LineSpan): Promise<Buffer>;
  /** What is under way is broken off. */
  close(): void;
}

export function createRangeParts({ retries = 4, retryAfterMs = 250, timeoutMs = 30_000 }: RangeOptions): RangeParts {
  const closing = new AbortController();
  /** One for each request: signals made of a signal that lives long are kept as long as it. */
  const underWay = new Set<AbortController>();

  const part = async (url: URL, place: LineSpan): Promise<Buffer> => {
    const leaving = new AbortController();
    underWay.add(leaving);
    const late = setTimeout(() => leaving.abort(cannotReach(url, `no answer within ${timeoutMs / 1000} s`)), timeoutMs);
    try {
      return await partOf(url, place, leaving.signal);
    } finally {
      clearTimeout(late);
      underWay.delete(leaving);
    }
  };
  return {
    read: (url, place) =>
      pRetry(() => part(url, place), {
        retries,
        minTimeout: retryAfterMs,
        shouldRetry: ({ error }) => error instanceof LineError && error.mayPass,
        signal: closing.signal,
      }),
    close() {
      const closed = new LineError('the book: its reader was closed.', { mayPass: true });
      for (const leaving of [closing, ...underWay]) leaving.abort(closed);
    },
  };
}

/** `signal` is aborted by a `LineError`. */
async function partOf(url: URL, { start, length }: LineSpan, signal: AbortSignal): Promise<Buffer> {
  const last = start + length - 1;
  // With a range, fetch asks for bytes that are not compressed.
  const headers = { range: `bytes=${start}-${last}`, ...authorization(url) };
  try {
    const { status, headers: answered, body } = await fetch(addressIn(url), { headers, signal, redirect: 'manual' });
    const range = rangeIn(answered.get('content-range'));
    if (status === 206 && range?.start === start && range.last <= last && body !== null) {
      return await bytesOf(body, range.last - start + 1);
    }
    // Not read to its end: it may be the whole book.
    await body?.cancel();
    // The file ends before the line begins.
    if (status === 416) return Buffer.alloc(0);
    throw refused(url, status);
  } catch (error) {
    throw error instanceof LineError ? error : cannotReach(url, causeOf(error), error);
  }
}

/** fetch says of everything that it failed; why, its cause does. */
function causeOf(error: unknown): string {
  return reasonOf(error instanceof Error && error.cause !== undefined ? error.cause : error);
}

/** Of a URL with a user and a password. fetch takes none that has them. */
function authorization({ username, password }: URL): { authorization?: string } {
  if (username === '' && password === '') return {};
  const credentials = Buffer.from(`${decoded(username)}:${decoded(password)}`);
  return { authorization: `Basic ${credentials.toString('base64')}` };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function addressIn({ origin, pathname, search }: URL): string {
  return `${origin}${pathname}${search}`;
}

function rangeIn(header: string | null): { start: number; last: number } | undefined {
  const [, start, last] = /^bytes (\d{1,15})-(\d{1,15})\/(?:\d+|\*)$/.exec(header ?? '') ?? [];
  return start === undefined ? undefined : { start: Number(start), last: Number(last) };
}

/** Rejects where there are more, or fewer. */
async function bytesOf(body: AsyncIterable<Uint8Array>, length: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let received = 0;
  for await (const part of body) {
    received += part.length;
    if (received > length) break;
    parts.push(part);
  }
  if (received !== length) throw new Error('an answer of another length than it says');
  return Buffer.concat(parts);
}
