/**
 * Exports `createLineReader`, with which a worker reads a line of the input on any machine: from the ledger's database, or by its
 * position in a file or at a URL. It verifies that the line has the hash that the ledger stored for it.
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
   * Place of the input for this worker, if it differs from the names in the run: a folder, or an https URL (http for a loopback
   * host), which may have user and password or a signed query.
   *
   * A relative name is resolved against it: `input/part-1.jsonl` with `/mnt` is `/mnt/input/part-1.jsonl`. Of an absolute path only
   * the last part is used: `/data/part-1.jsonl` is `/mnt/part-1.jsonl`. A name that is a URL is used unchanged.
   * @default the names in the run
   */
  inputAt?: string | undefined;
}

export interface LineReader {
  /** Returns the record of the line, or why it cannot be read. `hash`: the SHA-256 of the line, in hexadecimal. */
  read(line: LinePlace, hash: string): Promise<ReadRecord | UnreadableLine>;
  /** Aborts reads in progress. */
  close(): Promise<void>;
}

interface UnreadableLine {
  failure: string;
  /** Whether a later attempt may succeed without a correction by a person. */
  mayPass: boolean;
  /** Whether this process cannot read the input at all, for example because of a wrong `inputAt`; other workers may. */
  isOfWorker: boolean;
}

/** Throws an `InputError` for an invalid `inputAt`. */
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
        return { failure: 'text' in line ? DAMAGED : changed(line), mayPass: false, isOfWorker: false };
      } catch (error) {
        if (!(error instanceof LineError || error instanceof InputError)) throw error;
        const mayPass = error instanceof LineError && error.mayPass;
        return { failure: error.message, mayPass, isOfWorker: !mayPass };
      }
    },
    async close() {
      ranges.close();
      await files.close();
    },
  };
}

const DAMAGED =
  'the line in the database differs from the one that the run read. Load the input again: repeat the command that began the run.';

function changed({ source, start }: { source: string; start: number }): string {
  return `the input was changed during the run: ${source} at byte ${start}. Restore the file, then repeat the command that began the run.`;
}

/** Returns the position of a line in its file. Throws an `InputError` for lines of other inputs. */
export function placeOf({ source, place }: Pick<InputLine, 'source' | 'place'>): LinePlace {
  if (place !== undefined) return { source, ...place };
  const name = source === '-' ? '- (standard input)' : source === 'input' ? 'input (given by code)' : source;
  throw new InputError(
    `${name}: --input-in place requires lines that workers can read separately; ` +
      'expected uncompressed files of JSON Lines. Decompress or convert it, or store the input in the database: --input-in database.',
  );
}

const WEB = /^https?:\/\//i;
const LOOPBACK = /^(localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Throws an `InputError` for an invalid URL. The message does not quote it: any part may be a password. */
export function checkInputAt(inputAt: string): void {
  if (WEB.test(inputAt)) safeUrl(inputAt);
}

/** Returns a path or a URL. Throws a `LineError` for a name that leads out of `inputAt`. */
function addressOf(source: string, inputAt: string | undefined): string | URL {
  if (WEB.test(source)) return safeUrl(source);
  if (inputAt === undefined) return source;
  const name = nameBelow(source);
  if (!WEB.test(inputAt)) return join(inputAt, name);
  // The query is kept, because it may be the signature of the URL.
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
    `${source}: leads out of the folder of --input-at; expected a name without "..". Begin the run in a folder above the input, or omit --input-at.`,
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
