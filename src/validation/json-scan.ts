/** What a JSON text holds, found without making values of it: how many there are, and how deep they stand. */

/** Names and values of a record: an account with some 9,000 transactions of five fields. More would block the event loop. */
export const MOST_TOKENS = 100_000;
/** No payload of the service is deeper. */
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

/** Reads a text part by part. Whether it is JSON is for `JSON.parse` to say. */
export class JsonScan {
  /** Lists, objects, commas and colons so far: values and names. */
  tokens = 0;
  /** The deepest place so far. */
  deepest = 0;
  /** Called with the first and the last character of each list and object that has ended. */
  onEnd: ((start: number, end: number) => void) | undefined;
  /** Where the text began in which the scan is; -1 outside of texts. */
  #textStart = -1;
  readonly #open: number[] = [];
  #closedTooMuch = 0;

  constructor(readonly text: string) {}

  /** False where something of what was read is not closed, or closed without having been opened. */
  get isBalanced(): boolean {
    return this.#textStart < 0 && this.#open.length === 0 && this.#closedTooMuch === 0;
  }

  /** Characters so far of the text in which the scan is at `at`. */
  textLength(at: number): number {
    return this.#textStart < 0 ? 0 : at - this.#textStart;
  }

  /** Reads on; from where the part before ended. Gives the place to go on from, since an escape may reach over `to`. */
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
          if (start === undefined) this.#closedTooMuch++;
          else this.onEnd?.(start, at);
        }
      }
    }
    return at;
  }
}

/** Lists and objects of a text that a look at each of them is worth. */
const FEW = 500;

/** Why a text of JSON is not read: it has more values, or is deeper, than any payload. undefined for nearly every text. */
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

/** The place after the string that begins here; the end of the text where it is not closed. */
export function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) return at + 1;
  }
  return text.length;
}
