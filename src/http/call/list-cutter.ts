/** Exports `ListCutter`, which splits a JSON list that arrives in chunks into the texts of its entries, one in memory at a time. */
import { isUtf8 } from 'node:buffer';
import { JoinedBytes } from '../transport/body.js';

/** The bytes are not a JSON list, or the list is incomplete. */
export class NotAListError extends Error {
  /** The beginning of the bytes. */
  readonly text: string | undefined;

  constructor(
    message: string,
    bytes: Buffer | undefined,
    readonly isIncomplete = false,
  ) {
    super(message);
    this.text = bytes?.toString('utf8', 0, SHOWN_BYTES);
  }
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
 * Works on bytes: in UTF-8, no byte of a longer character equals a JSON sign. Finds only the ends of entries; the caller parses them.
 */
export class ListCutter {
  readonly #maxEntryBytes: number;
  #place: 'before' | 'inside' | 'after' = 'before';
  /** Bytes of the byte order mark so far; 3 after the place where one is allowed. */
  #markBytes = 0;
  /** Entries that are complete. */
  #count = 0;
  /** Lists and objects that are open inside the entry. */
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  /** The beginning of the entry, from earlier chunks. */
  readonly #pieces = new JoinedBytes();

  /** Throws a `NotAListError` for an entry of more than `maxEntryBytes`. */
  constructor(maxEntryBytes: number) {
    this.#maxEntryBytes = maxEntryBytes;
  }

  /** Bytes of an entry whose end has not come. */
  get unfinishedBytes(): number {
    return this.#pieces.length;
  }

  /** Yields the texts of the entries that this chunk completes. Throws a `NotAListError`. */
  *add(given: Uint8Array): Generator<string> {
    const chunk = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
    let at = this.#place === 'before' ? this.#begin(chunk) : 0;
    let from = at;
    for (; this.#place === 'inside' && at < chunk.length; at++) {
      const byte = chunk[at];
      if (!this.#endsEntry(byte)) continue;
      const text = this.#cut(chunk, from, at);
      // A missing entry, as in `[1,]`, is yielded as an empty text, which is not JSON.
      if (byte === COMMA || this.#count > 0 || !/^[ \t\r\n]*$/.test(text)) yield text;
      this.#count++;
      from = at + 1;
      if (byte === CLOSE_LIST) this.#place = 'after';
    }
    if (this.#place === 'after') expectNothing(chunk, from);
    else if (from < chunk.length) this.#keep(chunk, from);
  }

  /** After the last chunk. Throws a `NotAListError` if the list is not complete. */
  end(): void {
    if (this.#place === 'before' && this.#markBytes % 3 === 0) throw new NotAListError('empty', undefined);
    if (this.#place !== 'after') throw new NotAListError('the list has no end', undefined, true);
  }

  /** Where the list begins in the chunk; its end if only white space or the byte order mark is there. */
  #begin(chunk: Buffer): number {
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (this.#markBytes < 3 && byte === BYTE_ORDER_MARK[this.#markBytes]) this.#markBytes++;
      else if (this.#markBytes % 3 !== 0) break;
      else if (byte === OPEN_LIST) {
        this.#place = 'inside';
        return at + 1;
      } else if (isSpace(byte)) this.#markBytes = 3;
      else break;
      if (at === chunk.length - 1) return chunk.length;
    }
    if (chunk.length === 0) return 0;
    throw new NotAListError('expected a JSON list', chunk);
  }

  /** Whether the entry ends before this byte. */
  #endsEntry(byte: number | undefined): boolean {
    if (this.#inString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) this.#inString = false;
    } else if (byte === QUOTE) this.#inString = true;
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) this.#depth++;
    else if (this.#depth > 0 && (byte === CLOSE_OBJECT || byte === CLOSE_LIST)) this.#depth--;
    else return this.#depth === 0 && (byte === COMMA || byte === CLOSE_LIST);
    return false;
  }

  #cut(chunk: Buffer, from: number, to: number): string {
    this.#keep(chunk, from, to);
    const bytes = this.#pieces.take();
    if (!isUtf8(bytes)) throw new NotAListError(`${this.#count}: not UTF-8`, bytes);
    return bytes.toString('utf8');
  }

  #keep(chunk: Buffer, from: number, to?: number): void {
    this.#pieces.add(chunk.subarray(from, to));
    if (this.#pieces.length <= this.#maxEntryBytes) return;
    throw new NotAListError(`${this.#count}: larger than maxAnswerBytes`, chunk);
  }
}

function expectNothing(chunk: Buffer, from: number): void {
  for (let at = from; at < chunk.length; at++) {
    if (isSpace(chunk[at])) continue;
    throw new NotAListError('there is more after the list', chunk.subarray(at));
  }
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
