/** Exports `excessOf` and `JsonScan`, which count the values and the depth of a JSON text without parsing it. */

/** Most names and values of a record: an account with about 9,000 transactions. More would block the event loop. */
export const MOST_TOKENS = 100_000;
/** Deepest nesting. No payload of the service is deeper. */
export const DEEPEST = 500;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

/** True for `[` and `{`, false for `]` and `}`. */
function opens(code: number): boolean | undefined {
  // The codes of a brace differ from those of a bracket in one bit.
  const bracket = code & ~0x20;
  return bracket === 0x5b ? true : bracket === 0x5d ? false : undefined;
}

/** Scans a text part by part. It does not check the syntax: `JSON.parse` does. */
export class JsonScan {
  /** Number of lists, objects, commas and colons so far: about the number of values and names. */
  tokens = 0;
  /** The deepest place so far. */
  deepest = 0;
  /** Called with the first and the last position of each complete list and object. */
  onEnd: ((start: number, end: number) => void) | undefined;
  /** Start of the current string; -1 outside of strings. */
  #textStart = -1;
  readonly #open: number[] = [];
  #unmatchedClosings = 0;

  constructor(readonly text: string) {}

  /** Whether all brackets and strings so far are closed, and none is closed without being opened. */
  get isBalanced(): boolean {
    return this.#textStart < 0 && this.#open.length === 0 && this.#unmatchedClosings === 0;
  }

  /** Returns the length so far of the string at `at`; 0 outside of strings. */
  textLength(at: number): number {
    return this.#textStart < 0 ? 0 : at - this.#textStart;
  }

  /** Scans the next part. Returns the position at which to continue: an escape may extend beyond `to`. */
  read(from: number, to: number): number {
    const { text } = this;
    let at = from;
    for (; at < to; at++) {
      const code = text.charCodeAt(at);
      if (this.#textStart >= 0) {
        if (code === BACKSLASH) at++;
        else if (code === QUOTE) this.#textStart = -1;
      } else if (code === QUOTE) this.#textStart = at;
      else if (code === COMMA || code === COLON) this.tokens++;
      else if (code > COLON) {
        const isOpening = opens(code);
        if (isOpening === true) {
          this.tokens++;
          this.#open.push(at);
          if (this.#open.length > this.deepest) this.deepest = this.#open.length;
          if (this.deepest > DEEPEST) return at;
        } else if (isOpening === false) {
          const start = this.#open.pop();
          if (start === undefined) this.#unmatchedClosings++;
          else this.onEnd?.(start, at);
        }
      }
    }
    return at;
  }
}

/** A text with fewer lists and objects is not scanned. */
const FEW = 500;

/** Returns why a JSON text is refused: it has more values, or is deeper, than any payload. undefined if it is accepted. */
export function excessOf(text: string, mostTokens = MOST_TOKENS): 'tooManyValues' | 'tooDeep' | undefined {
  if (text.length <= mostTokens && hasFewOpenings(text)) return undefined;
  const scan = new JsonScan(text);
  const step = 1_000_000;
  for (let at = 0; at < text.length; ) {
    at = scan.read(at, Math.min(text.length, at + step));
    if (scan.deepest > DEEPEST) return 'tooDeep';
    if (scan.tokens > mostTokens) return 'tooManyValues';
  }
  return undefined;
}

function hasFewOpenings(text: string): boolean {
  let found = 0;
  for (const opening of '[{') {
    for (let at = text.indexOf(opening); at >= 0; at = text.indexOf(opening, at + 1)) if (++found > FEW) return false;
  }
  return true;
}

/** Returns the position after the string that begins at `start`; the end of the text if the string is not closed. */
export function endOfText(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text.charCodeAt(first - 1) === BACKSLASH) first--;
    if ((end - first) % 2 === 0) return end + 1;
  }
  return text.length;
}
