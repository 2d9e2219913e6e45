/** Exports `parseLarge`: parses a JSON text of megabytes in parts, so that it does not block the event loop for long. */
import { setField } from '../../../schemas/objects.js';
import { DEEPEST, endOfText, JsonScan } from '../../validation/json-scan.js';

/** Shorter texts are parsed at once. */
export const LARGE = 256 * 1024;
/** Characters of a longer text that are parsed at once. */
const PART = 64 * 1024;
/** Maximum number of values. A list of 32 MiB in the documented shape has fewer. */
const MOST_TOKENS = 2_500_000;
/** Longest string. An answer may repeat a long note of the payload; parsing a longer string would block the event loop. */
const LONGEST_TEXT = 16 * 1024 * 1024;
/** The parser yields to the event loop after this time. */
const TURN_MS = 20;

/** The text has too many values, too long a string, or too many levels. */
export class ExcessiveJsonError extends Error {}

/** Resolves with the value, as `JSON.parse`. Rejects with a `SyntaxError` if it is not JSON, and with an `ExcessiveJsonError`. */
export async function parseLarge(text: string): Promise<unknown> {
  let turnAt = performance.now();
  const pause = async () => {
    if (performance.now() - turnAt < TURN_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
    turnAt = performance.now();
  };
  const ends = new Map<number, number>();
  const scan = new JsonScan(text);
  scan.onEnd = (start, end) => {
    if (end - start > PART) ends.set(start, end);
  };
  for (let at = 0; at < text.length; ) {
    at = scan.read(at, Math.min(text.length, at + 4 * PART));
    if (scan.deepest > DEEPEST || scan.tokens > MOST_TOKENS || scan.textLength(at) > LONGEST_TEXT)
      throw new ExcessiveJsonError();
    await pause();
  }
  // Checked first: `JSON.parse` would read the whole text before it reports that.
  if (!scan.isBalanced) throw new SyntaxError('not closed');
  return new Parser(text, ends, pause).whole();
}

class Parser {
  #at = 0;
  readonly #text: string;
  readonly #ends: ReadonlyMap<number, number>;
  readonly #pause: () => Promise<void>;

  /** `ends`: end of each list and object that is longer than a part, by its start. */
  constructor(text: string, ends: ReadonlyMap<number, number>, pause: () => Promise<void>) {
    this.#text = text;
    this.#ends = ends;
    this.#pause = pause;
  }

  async whole(): Promise<unknown> {
    this.#at = pastBlank(this.#text, 0);
    if (!this.#ends.has(this.#at)) return JSON.parse(this.#text);
    const value = await this.#long();
    if (pastBlank(this.#text, this.#at) < this.#text.length) throw new SyntaxError('more than one value');
    return value;
  }

  /** Parses a list or object that is longer than a part: long values inside it one by one, the other entries in parts. */
  async #long(): Promise<unknown> {
    const text = this.#text;
    const end = this.#ends.get(this.#at) as number;
    const isList = text[this.#at] === '[';
    if (text[end] !== (isList ? ']' : '}')) throw new SyntaxError('closed by another sign');
    const list: unknown[] = [];
    const object: Record<string, unknown> = {};
    for (let isFirst = true; ; isFirst = false) {
      this.#at = pastBlank(text, this.#at + 1);
      if (this.#at === end && isFirst) break;
      const name = isList ? undefined : this.#nameOfLong();
      if (name !== undefined || (isList && this.#ends.has(this.#at))) {
        const value = await this.#long();
        if (name === undefined) list.push(value);
        else setField(object, name, value);
      } else {
        const entries = text.slice(this.#at, this.#endOfPart(end));
        if (entries === '') throw new SyntaxError('no entry after a comma');
        this.#at += entries.length;
        // In a loop: `push(...values)` would exceed the stack.
        if (isList) for (const value of JSON.parse(`[${entries}]`)) list.push(value);
        else for (const [key, value] of Object.entries(JSON.parse(`{${entries}}`))) setField(object, key, value);
      }
      await this.#pause();
      this.#at = pastBlank(text, this.#at);
      if (this.#at === end) break;
      if (text[this.#at] !== ',') throw new SyntaxError('no comma');
    }
    this.#at = end + 1;
    return isList ? list : object;
  }

  /** Returns the name before a value that is longer than a part, and moves to the value; undefined for other values. */
  #nameOfLong(): string | undefined {
    const text = this.#text;
    if (text[this.#at] !== '"') throw new SyntaxError('no name');
    const nameEnd = endOfText(text, this.#at);
    const colon = pastBlank(text, nameEnd);
    const value = pastBlank(text, colon + 1);
    if (text[colon] !== ':' || !this.#ends.has(value)) return undefined;
    const name: string = JSON.parse(text.slice(this.#at, nameEnd));
    this.#at = value;
    return name;
  }

  /** Returns the end of the entries that are parsed together: a comma, or the end of the list or object. */
  #endOfPart(end: number): number {
    const text = this.#text;
    const most = this.#at + PART;
    let comma: number | undefined;
    let depth = 0;
    for (let at = this.#at; at < end && (at < most || comma === undefined); ) {
      const sign = text[at];
      if (depth === 0 && sign === ',') comma = at;
      if (sign === '"') at = endOfText(text, at);
      else if (this.#ends.has(at)) return comma ?? fail();
      else {
        if (sign === '[' || sign === '{') depth++;
        else if (sign === ']' || sign === '}') depth--;
        at++;
      }
      if (at >= end) return end;
    }
    return comma ?? end;
  }
}

function fail(): never {
  throw new SyntaxError('no comma');
}

/** Returns the position after white space. */
function pastBlank(text: string, from: number): number {
  let at = from;
  while (at < text.length && ' \n\r\t'.includes(text[at] as string)) at++;
  return at;
}
