/** Cuts a JSON list that comes in chunks into the texts of its entries, so that no more than one entry is in memory. */

/** The bytes are no JSON list, or the list ends too early. `text` is the beginning of what was found. */
export class NotAListError extends Error {
  constructor(
    readonly what: string,
    readonly text: string | undefined,
    readonly isIncomplete = false,
  ) {
    super(what);
  }
}

interface ListCutter {
  /** The texts of the entries that this chunk completes, cut as they are asked for. Throws a `NotAListError`. */
  add(chunk: Uint8Array): Iterable<string>;
  /** After the last chunk. Throws a `NotAListError` where the list is not complete. */
  end(): void;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const SHOWN_BYTES = 1000;

/**
 * Works on bytes: no part of a longer UTF-8 character looks like a character of JSON's own. Finds only where entries end;
 * whether an entry is JSON is for `JSON.parse` to say. Throws where an entry has more than `maxEntryBytes`.
 */
export function createListCutter(maxEntryBytes: number): ListCutter {
  let place: 'before' | 'inside' | 'after' = 'before';
  let markBytes = 0;
  let count = 0;
  let depth = 0;
  let inString = false;
  let isEscaped = false;
  /** Of the entry that the chunks before began. */
  let pieces: Uint8Array[] = [];
  let pieceBytes = 0;

  function expectSize(bytes: number, chunk: Buffer): void {
    if (bytes > maxEntryBytes)
      throw new NotAListError(`${count}: larger than maxAnswerBytes`, chunk.toString('utf8', 0, SHOWN_BYTES));
  }

  function cut(chunk: Buffer, from: number, to: number): string {
    expectSize(pieceBytes + to - from, chunk);
    if (pieces.length === 0) return chunk.toString('utf8', from, to);
    const text = Buffer.concat([...pieces, chunk.subarray(from, to)]).toString('utf8');
    [pieces, pieceBytes] = [[], 0];
    return text;
  }

  /** Where the list begins in the chunk; its end where only white space or the byte order mark is there. */
  function begin(chunk: Buffer): number {
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (markBytes < 3 && byte === BYTE_ORDER_MARK[markBytes]) markBytes++;
      else if (markBytes % 3 !== 0) break;
      else if (byte === OPEN_LIST) {
        place = 'inside';
        return at + 1;
      } else if (isSpace(byte)) markBytes = 3;
      else break;
      if (at === chunk.length - 1) return chunk.length;
    }
    if (chunk.length === 0) return 0;
    throw new NotAListError('expected a JSON list', chunk.toString('utf8', 0, SHOWN_BYTES));
  }

  function expectNothing(chunk: Buffer, from: number): void {
    for (let at = from; at < chunk.length; at++) {
      if (!isSpace(chunk[at]))
        throw new NotAListError('there is more after the list', chunk.toString('utf8', at, at + SHOWN_BYTES));
    }
  }

  return {
    *add(given) {
      const chunk = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
      let at = place === 'before' ? begin(chunk) : 0;
      let from = at;
      for (; place === 'inside' && at < chunk.length; at++) {
        const byte = chunk[at];
        if (inString) {
          if (isEscaped) isEscaped = false;
          else if (byte === BACKSLASH) isEscaped = true;
          else if (byte === QUOTE) inString = false;
        } else if (byte === QUOTE) inString = true;
        else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++;
        else if (depth > 0 && (byte === CLOSE_OBJECT || byte === CLOSE_LIST)) depth--;
        else if (depth === 0 && (byte === COMMA || byte === CLOSE_LIST)) {
          const text = cut(chunk, from, at);
          // Of an entry that is missing, as in `[1,]`, the empty text is no JSON.
          if (byte === COMMA || count > 0 || !/^[ \t\r\n]*$/.test(text)) yield text;
          count++;
          from = at + 1;
          if (byte === CLOSE_LIST) place = 'after';
        }
      }
      if (place === 'after') expectNothing(chunk, from);
      else if (from < chunk.length) {
        pieces.push(chunk.subarray(from));
        pieceBytes += chunk.length - from;
        expectSize(pieceBytes, chunk);
      }
    },
    end() {
      if (place === 'before' && markBytes % 3 === 0) throw new NotAListError('empty', undefined);
      if (place !== 'after') throw new NotAListError('the list has no end', undefined, true);
    },
  };
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
