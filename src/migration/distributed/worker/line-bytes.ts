/**
 * Exports `createFileBytes` and `createRangeBytes`, which read the bytes of one line from a file or a URL. They return fewer bytes
 * if the file ends before, and reject with a `LineError`.
 */
import { type FileHandle, open } from 'node:fs/promises';
import pRetry from 'p-retry';
import { reasonOf } from '../../input/input-error.js';
import type { LineSpan } from '../../input/source.js';

/** A worker cannot read a line. The message contains neither the line nor a credential. */
export class LineError extends Error {
  override readonly name = 'LineError';
  /** Whether a later attempt may succeed without a correction by a person; the record stays unfinished. */
  readonly mayPass: boolean;

  constructor(message: string, { mayPass, cause }: { mayPass: boolean; cause?: unknown }) {
    super(message, cause === undefined ? undefined : { cause });
    this.mayPass = mayPass;
  }
}

const MOST_OPEN_FILES = 64;
/** Codes of temporary failures of a file system. */
const PASSING_CODES = new Set(['EIO', 'ESTALE', 'ETIMEDOUT', 'EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM', 'EBADF', 'ENXIO']);

interface OpenFile {
  handle: Promise<FileHandle>;
  readers: number;
}

/** Returns the reader of files. It keeps the most recently used files open. */
export function createFileBytes() {
  const files = new Map<string, OpenFile>();
  const drop = async (path: string, file: OpenFile): Promise<void> => {
    if (files.get(path) === file) files.delete(path);
    await file.handle.then((handle) => handle.close()).catch(() => {});
  };
  return {
    async read(path: string, span: LineSpan): Promise<Buffer> {
      const file = files.get(path) ?? { handle: open(path), readers: 0 };
      // The most recently used file becomes the last one of the map.
      files.delete(path);
      files.set(path, file);
      file.readers++;
      try {
        return await bytesAt(await file.handle, span);
      } catch (error) {
        // After a failure of a shared path, the handle may be invalid: the file is opened again.
        void drop(path, file);
        throw cannotRead(path, error);
      } finally {
        file.readers--;
        const idle = files.size > MOST_OPEN_FILES && [...files].find(([, { readers }]) => readers === 0);
        if (idle) await drop(...idle);
      }
    },
    async close(): Promise<void> {
      await Promise.all([...files].map(([path, file]) => drop(path, file)));
    },
  };
}

async function bytesAt(file: FileHandle, { start, length }: LineSpan): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  let filled = 0;
  // A network file system may return fewer bytes than the file has.
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, start + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

function cannotRead(path: string, error: unknown): LineError {
  const reason = reasonOf(error);
  const what = reason === 'ENOENT' ? 'there is no such file here' : `it cannot be read here (${reason})`;
  return new LineError(
    `${path}: ${what}; expected the input file of the run. Make it readable on this machine under this name, or give its folder or URL with --input-at.`,
    { mayPass: PASSING_CODES.has(reason), cause: error },
  );
}

export interface RangeOptions {
  /**
   * Maximum number of retries of a request without an answer, or with the status 408, 425, 429 or 5xx.
   * @default 4
   */
  retries?: number | undefined;
  /**
   * Milliseconds before the first retry; doubled for each further one.
   * @default 250
   */
  retryAfterMs?: number | undefined;
  /**
   * Time limit of a request, in milliseconds.
   * @default 30000
   */
  timeoutMs?: number | undefined;
}

/** Returns the reader of URLs, with one `Range` request per line. Reads reject if the server does not support ranges. */
export function createRangeBytes({ retries = 4, retryAfterMs = 250, timeoutMs = 30_000 }: RangeOptions) {
  const closing = new AbortController();
  /** One controller per request: Node.js keeps signals that are derived from a long-lived signal in memory as long as that one. */
  const requests = new Set<AbortController>();

  async function request(url: URL, span: LineSpan): Promise<Buffer> {
    const ending = new AbortController();
    requests.add(ending);
    const timer = setTimeout(() => ending.abort(cannotReach(url, `no answer within ${timeoutMs / 1000} s`)), timeoutMs);
    try {
      return await rangeOf(url, span, ending.signal);
    } finally {
      clearTimeout(timer);
      requests.delete(ending);
    }
  }
  return {
    read: (url: URL, span: LineSpan): Promise<Buffer> =>
      pRetry(() => request(url, span), {
        retries,
        minTimeout: retryAfterMs,
        shouldRetry: ({ error }) => error instanceof LineError && error.mayPass,
        signal: closing.signal,
      }),
    close(): void {
      const closed = new LineError('the input: its reader was closed.', { mayPass: true });
      for (const ending of [closing, ...requests]) ending.abort(closed);
    },
  };
}

/** The reason of `signal` is a `LineError`. */
async function rangeOf(url: URL, { start, length }: LineSpan, signal: AbortSignal): Promise<Buffer> {
  const last = start + length - 1;
  const { origin, pathname, search, username, password } = url;
  const headers = new Headers({ range: `bytes=${start}-${last}` });
  // fetch rejects URLs with user and password.
  if (username !== '' || password !== '') headers.set('authorization', basic(username, password));
  try {
    const response = await fetch(`${origin}${pathname}${search}`, { headers, signal, redirect: 'manual' });
    const { status, body } = response;
    const [, from, to] =
      /^bytes (\d{1,15})-(\d{1,15})\/(?:\d+|\*)$/.exec(response.headers.get('content-range') ?? '') ?? [];
    if (status === 206 && body !== null && Number(from) === start && Number(to) <= last) {
      return await bytesOf(body, Number(to) - start + 1);
    }
    // The body may be the whole file.
    await body?.cancel();
    // 416: the file ends before the line begins.
    if (status === 416) return Buffer.alloc(0);
    throw refused(url, status);
  } catch (error) {
    if (error instanceof LineError) throw error;
    // The message of fetch is always the same; its cause has the reason.
    throw cannotReach(url, reasonOf((error instanceof Error && error.cause) || error), error);
  }
}

function basic(username: string, password: string): string {
  return `Basic ${Buffer.from([username, password].map(decoded).join(':')).toString('base64')}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function bytesOf(body: AsyncIterable<Uint8Array>, length: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let received = 0;
  for await (const part of body) {
    received += part.length;
    if (received > length) break;
    parts.push(part);
  }
  if (received !== length) throw new Error('the length of the answer differs from its headers');
  return Buffer.concat(parts);
}

const EXPECTED = 'expected the part of the file (206)';
const ELSEWHERE =
  'Put the input on a server that answers Range requests or on a shared path, or keep it in the database: --input-in database.';
const LET_IN =
  'Give an address with --input-at that this worker may read: with user and password, or a signed URL of the store.';
const ADDRESS = 'Give the folder or URL of the input with --input-at, or restore the file.';
const OTHER = 'or give another address with --input-at.';

/** Cause and remedy by status. */
const ANSWERS: Readonly<Record<number, readonly [found: string, remedy: string]>> = {
  200: ['the server sent the whole file (200) instead of the requested part', ELSEWHERE],
  206: ['the server sent another part of the file than requested (206)', ELSEWHERE],
  401: ['the server refused access (401)', LET_IN],
  403: ['the server refused access (403)', LET_IN],
  404: ['there is no such file (404)', ADDRESS],
  410: ['the file was removed (410)', ADDRESS],
};

function refused(url: URL, status: number): LineError {
  const isRedirect = status >= 300 && status < 400;
  const [found, remedy] =
    ANSWERS[status] ??
    (isRedirect
      ? [`the server redirects to another address (${status})`, 'Give that address with --input-at.']
      : [`the server answered ${status}`, `Correct the server of the input, ${OTHER}`]);
  const mayPass = status === 408 || status === 425 || status === 429 || status >= 500;
  return new LineError(`${withoutSecrets(url)}: ${found}; ${EXPECTED}. ${remedy}`, { mayPass });
}

/** Codes of failures that are permanent until a person corrects the cause. */
const LASTING = /^ENOTFOUND$|CERT|SIGNATURE|ALTNAME|^ERR_(?:TLS|SSL)/;

function cannotReach(url: URL, reason: string, cause?: unknown): LineError {
  return new LineError(
    `${withoutSecrets(url)}: cannot be read (${reason}); ${EXPECTED}. Correct the server of the input or the network, ${OTHER}`,
    { mayPass: !LASTING.test(reason), cause },
  );
}

/** Returns the URL without user, password, query and fragment: each may be a credential. */
function withoutSecrets({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}
