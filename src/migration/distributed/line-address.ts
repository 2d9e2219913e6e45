/** Where a member finds a file of the book: by the name that the run has for it, or at another folder or URL. */
import { isAbsolute, join, normalize, sep } from 'node:path';
import { BookError } from '../input/input-error.js';
import { LineError } from './line-error.js';

export type FileAddress = { path: string } | { url: URL };

const WEB = /^https?:\/\//i;
const LOOPBACK = /^(localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Throws a `BookError` for a URL that cannot be meant. Nothing of it is said: a password may stand anywhere. */
export function checkBookAt(bookAt: string): void {
  if (WEB.test(bookAt)) safeUrl(bookAt);
}

/**
 * Without `bookAt`, the name as it is. With it, a relative name below it as it stands: `book/part-1.jsonl` at `/mnt` is
 * `/mnt/book/part-1.jsonl`. Of a path from the root only the last part counts: `/data/part-1.jsonl` is
 * `/mnt/part-1.jsonl`. A URL is read where it is. Throws a `LineError` for a name that leads out of `bookAt`.
 */
export function addressOf(source: string, bookAt?: string): FileAddress {
  if (WEB.test(source)) return { url: safeUrl(source) };
  if (bookAt === undefined) return { path: source };
  const below = nameBelow(source);
  return WEB.test(bookAt) ? { url: urlBelow(safeUrl(bookAt), below) } : { path: join(bookAt, below) };
}

/** For people: without user, password, query and fragment, any of which may be a credential. */
export function inWords({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}

function nameBelow(source: string): string {
  const below = normalize(source);
  if (isAbsolute(below)) return below.slice(below.lastIndexOf(sep) + 1);
  const [first] = below.split(sep);
  if (first !== '..') return below;
  throw new LineError(
    `${source}: leads out of where the book is for this member; expected a name without "..". Begin the run in a folder that holds the book, or give no --book-at.`,
    { mayPass: false },
  );
}

/** The query stays: it may be what lets this member in. */
function urlBelow(base: URL, name: string): URL {
  const url = new URL(base);
  const parts = name.split(sep).map(encodeURIComponent);
  let end = url.pathname.length;
  while (url.pathname[end - 1] === '/') end--;
  url.pathname = [url.pathname.slice(0, end), ...parts].join('/');
  return url;
}

function safeUrl(text: string): URL {
  if (!URL.canParse(text)) {
    throw new BookError('the book: its URL is none. Expected one such as https://files.example.com/book/');
  }
  const url = new URL(text);
  if (url.protocol === 'https:' || LOOPBACK.test(url.hostname)) return url;
  throw new BookError(
    `the book at ${url.origin}: expected https (http only for a loopback host), found http. Give another address with --book-at.`,
  );
}
