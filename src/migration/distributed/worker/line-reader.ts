/**
 * `createLineReader`: reads a line of the input again, on any machine: out of the ledger's database, or by its position in a file
 * or behind a URL. A line counts only if it has the hash of the line that the run began with.
 */
import { hash as hashOf } from 'node:crypto';
import { isAbsolute, join, normalize, sep } from 'node:path';
import { InputError } from '../../input/input-error.js';
import type { InputLine, ReadRecord } from '../../input/source.js';
import { recordOf } from '../../input/text/json-lines.js';
import type { LinePlace } from '../ledger/due-records.js';
import { createFileBytes, createRangeBytes, LineError, type RangeOptions } from './line-bytes.js';

export interface LineReaderOptions extends RangeOptions {
  /**
   * Where the input is for this worker, if not where its names say: a folder, or an https URL (http for a loopback host), which
   * may hold user and password or a query that lets it in.
   *
   * A relative name is looked up below it: `input/part-1.jsonl` at `/mnt` is `/mnt/input/part-1.jsonl`. Of an absolute path the
   * last part counts: `/data/part-1.jsonl` is `/mnt/part-1.jsonl`. A name that is a URL is read where it is.
   * @default the names as the run has them
   */
  inputAt?: string | undefined;
}

export interface LineReader {
  /** Returns the record in the line whose SHA-256 is `hash`, in hexadecimal, or why the line cannot be read. */
  read(line: LinePlace, hash: string): Promise<ReadRecord | { failure: string; mayPass: boolean }>;
  /** Aborts reads in progress. */
  close(): Promise<void>;
}

/** Throws a `InputError` for an invalid `inputAt`. */
export function createLineReader({ inputAt, ...rangeOptions }: LineReaderOptions = {}): LineReader {
  if (inputAt !== undefined) checkInputAt(inputAt);
  const files = createFileBytes();
  const ranges = createRangeBytes(rangeOptions);

  async function bytesOf(line: LinePlace): Promise<Buffer> {
    if ('text' in line) return Buffer.from(line.text);
    const address = addressOf(line.source, inputAt);
    return typeof address === 'string' ? files.read(address, line) : ranges.read(address, line);
  }
  return {
    async read(line, hash) {
      try {
        const bytes = await bytesOf(line);
        if (hashOf('sha256', bytes) === hash) return recordOf(bytes);
        return { failure: 'text' in line ? DAMAGED : changed(line), mayPass: false };
      } catch (error) {
        if (error instanceof LineError) return { failure: error.message, mayPass: error.mayPass };
        if (error instanceof InputError) return { failure: error.message, mayPass: false };
        throw error;
      }
    },
    async close() {
      ranges.close();
      await files.close();
    },
  };
}

const DAMAGED =
  'the line in the database is not the one that the run read. Load the input again: begin the run with the same command.';

function changed({ source, start }: { source: string; start: number }): string {
  return `the input was changed during the run: ${source} at byte ${start}. Restore the file, then start the run again with the same command.`;
}

/** The position of a line that stays in its file. Throws a `InputError` where the line has none. */
export function placeOf({ source, place }: Pick<InputLine, 'source' | 'place'>): LinePlace {
  if (place !== undefined) return { source, ...place };
  const name = source === '-' ? '- (standard input)' : source === 'input' ? 'input (handed over by code)' : source;
  throw new InputError(
    `${name}: its lines cannot be read one by one where they are, as --input-in place needs; ` +
      'expected files of JSON Lines that are not compressed. Unpack or convert it, or keep the input in the database: --input-in database.',
  );
}

const WEB = /^https?:\/\//i;
const LOOPBACK = /^(localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Throws a `InputError` for an invalid URL. The message does not quote it: a password may stand anywhere. */
export function checkInputAt(inputAt: string): void {
  if (WEB.test(inputAt)) safeUrl(inputAt);
}

/** A path, or a URL. Throws a `LineError` for a name that leads out of `inputAt`. */
function addressOf(source: string, inputAt: string | undefined): string | URL {
  if (WEB.test(source)) return safeUrl(source);
  if (inputAt === undefined) return source;
  const name = nameBelow(source);
  if (!WEB.test(inputAt)) return join(inputAt, name);
  // The query stays: it may be what lets this worker in.
  const url = safeUrl(inputAt);
  const folders = url.pathname.split('/');
  while (folders.at(-1) === '') folders.pop();
  url.pathname = [...folders, ...name.split(sep).map(encodeURIComponent)].join('/');
  return url;
}

function nameBelow(source: string): string {
  const name = normalize(source);
  if (isAbsolute(name)) return name.slice(name.lastIndexOf(sep) + 1);
  if (name.split(sep)[0] !== '..') return name;
  throw new LineError(
    `${source}: leads out of where the input is for this worker; expected a name without "..". Begin the run in a folder that holds the input, or give no --input-at.`,
    { mayPass: false },
  );
}

function safeUrl(text: string): URL {
  if (!URL.canParse(text)) {
    throw new InputError('the input: its address is not a URL. Expected one such as https://files.example.com/input/');
  }
  const url = new URL(text);
  if (url.protocol === 'https:' || LOOPBACK.test(url.hostname)) return url;
  throw new InputError(
    `the input at ${url.origin}: expected https (http only for a loopback host), found http. Give another address with --input-at.`,
  );
}
