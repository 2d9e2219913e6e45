/**
 * `createFileBytes` and `createRangeBytes`: the bytes of one line, out of a file or from behind a URL. Both return fewer bytes
 * than asked for where the file ends, and reject with a `LineError`.
 */
import { type FileHandle, open } from 'node:fs/promises';
import pRetry from 'p-retry';
import { reasonOf } from '../../input/input-error.js';
import type { LineSpan } from '../../input/source.js';

/** A worker cannot read a line. The message quotes neither the line nor a credential. */
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
/** Codes of a file system that is away, or has no more to give, for now. */
const PASSING_CODES = new Set(['EIO', 'ESTALE', 'ETIMEDOUT', 'EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM', 'EBADF', 'ENXIO']);

interface OpenFile {
  handle: Promise<FileHandle>;
  readers: number;
}

/** Keeps the files open that were used last. */
export function createFileBytes() {
  const files = new Map<string, OpenFile>();
  const drop = async (path: string, file: OpenFile): Promise<void> => {
    if (files.get(path) === file) files.delete(path);
    await file.handle.then((handle) => handle.close()).catch(() => {});
  };
  return {
    async read(path: string, span: LineSpan): Promise<Buffer> {
      const file = files.get(path) ?? { handle: open(path), readers: 0 };
      // The file used last is the last one of the map.
      files.delete(path);
      files.set(path, file);
      file.readers++;
      try {
        return await bytesAt(await file.handle, span);
      } catch (error) {
        // A shared path that was away may be back under another handle.
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
  // A network file system may return less than there is.
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
    `${path}: ${what}; expected the file of the input that the run began with. Make it readable on this machine under this name, or say with --input-at where the input is.`,
    { mayPass: PASSING_CODES.has(reason), cause: error },
  );
}

export interface RangeOptions {
  /**
   * How often a request is repeated that was not answered, or was answered by 408, 425, 429 or 5xx.
   * @default 4
   */
  retries?: number | undefined;
  /**
   * Milliseconds before it is repeated; twice as many each time.
   * @default 250
   */
  retryAfterMs?: number | undefined;
  /**
   * Milliseconds for a request and its answer.
   * @default 30000
   */
  timeoutMs?: number | undefined;
}

/** One request with `Range` for each line. A server that does not answer ranges is refused. */
export function createRangeBytes({ retries = 4, retryAfterMs = 250, timeoutMs = 30_000 }: RangeOptions) {
  const closing = new AbortController();
  /** One for each request: Node keeps signals derived from a signal that lives long as long as that one. */
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

/** `signal` is aborted by a `LineError`. */
async function rangeOf(url: URL, { start, length }: LineSpan, signal: AbortSignal): Promise<Buffer> {
  const last = start + length - 1;
  const { origin, pathname, search, username, password } = url;
  const headers = new Headers({ range: `bytes=${start}-${last}` });
  // fetch takes no URL with a user and a password.
  if (username !== '' || password !== '') headers.set('authorization', basic(username, password));
  try {
    const response = await fetch(`${origin}${pathname}${search}`, { headers, signal, redirect: 'manual' });
    const { status, body } = response;
    const [, from, to] =
      /^bytes (\d{1,15})-(\d{1,15})\/(?:\d+|\*)$/.exec(response.headers.get('content-range') ?? '') ?? [];
    if (status === 206 && body !== null && Number(from) === start && Number(to) <= last) {
      return await bytesOf(body, Number(to) - start + 1);
    }
    // It may be the whole file.
    await body?.cancel();
    // The file ends before the line begins.
    if (status === 416) return Buffer.alloc(0);
    throw refused(url, status);
  } catch (error) {
    if (error instanceof LineError) throw error;
    // fetch says of everything that it failed; its cause says why.
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
  if (received !== length) throw new Error('an answer of another length than it says');
  return Buffer.concat(parts);
}

const EXPECTED = 'expected the part of the file (206)';
const ELSEWHERE =
  'Put the input on a server that answers Range requests or on a shared path, or keep it in the database: --input-in database.';
const LET_IN =
  'Give an address with --input-at that lets this worker in, with user and password or as the store signs it.';
const ADDRESS = 'Say with --input-at where the input is, or put the file back.';
const OTHER = 'or give another address with --input-at.';

/** By status: what was found, and what to do. */
const ANSWERS: Readonly<Record<number, readonly [found: string, remedy: string]>> = {
  200: ['the server sends the whole file (200) where a part of it was asked for', ELSEWHERE],
  206: ['the server sends another part of the file than was asked for (206)', ELSEWHERE],
  401: ['the server does not let this worker in (401)', LET_IN],
  403: ['the server does not let this worker in (403)', LET_IN],
  404: ['there is no such file (404)', ADDRESS],
  410: ['there is no such file any more (410)', ADDRESS],
};

function refused(url: URL, status: number): LineError {
  const isRedirect = status >= 300 && status < 400;
  const [found, remedy] =
    ANSWERS[status] ??
    (isRedirect
      ? [`the server sends on to another address (${status})`, 'Give that one with --input-at.']
      : [`the server answers ${status}`, `Correct the server of the input, ${OTHER}`]);
  const mayPass = status === 408 || status === 425 || status === 429 || status >= 500;
  return new LineError(`${withoutSecrets(url)}: ${found}; ${EXPECTED}. ${remedy}`, { mayPass });
}

/** Codes of the system or the client that do not change by themselves. */
const LASTING = /^ENOTFOUND$|CERT|SIGNATURE|ALTNAME|^ERR_(?:TLS|SSL)/;

function cannotReach(url: URL, reason: string, cause?: unknown): LineError {
  return new LineError(
    `${withoutSecrets(url)}: cannot be read (${reason}); ${EXPECTED}. Correct the server of the input or the way to it, ${OTHER}`,
    { mayPass: !LASTING.test(reason), cause },
  );
}

/** Without user, password, query and fragment: any of them may be a credential. */
function withoutSecrets({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}
