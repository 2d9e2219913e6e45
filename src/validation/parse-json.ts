/**
 * Exports `parseJson`, which refuses JSON that `JSON.parse` would change without a word: a name that stands twice in an object, of which
 * the first value would vanish, a number that JavaScript would round, and a name of one escaped character, which Node 24 and 26 read as a
 * backslash once an object with such a name was read. Used for every JSON text that a user gives (decision 76).
 */
import { endOfText } from './json-scan.js';

/** The text is JSON, but its value would not be what is written. */
export class ChangedJsonError extends SyntaxError {
  override readonly name = 'ChangedJsonError';

  constructor(
    readonly code: 'duplicate_key' | 'inexact_number' | 'escaped_name',
    /** Path of the second one of the equal names, of the number, or of the escaped name: `account.customers.0.email`. */
    readonly attr: string,
  ) {
    super(`${CHANGES[code]}: ${attr}`);
  }
}

const CHANGES = {
  duplicate_key: 'a name stands twice in an object, and only one of its values would be read',
  inexact_number: 'a number has more digits than JavaScript can hold, and would be rounded; write it as a text',
  escaped_name:
    'a name is one escaped character, which some versions of Node read as another; write the character itself, or a longer name',
};

/** A text of one escaped character that is not a backslash. */
const ONE_ESCAPED = /"\\(?:[^u\\]|u[\da-fA-F]{4})"/;
const IS_ONE_ESCAPED = new RegExp(`^${ONE_ESCAPED.source}$`);

/** Returns the value of a JSON text; byte order marks before it are skipped. Throws a `SyntaxError`, which may be a `ChangedJsonError`. */
export function parseJson(text: string): unknown {
  const json = text.replace(/^\ufeff+/, '');
  const value: unknown = JSON.parse(json);
  // Counting takes a quarter of the time of JSON.parse. A path is needed only for the few texts that are refused.
  if (mayChange(json, value)) expectNoChange(json);
  return value;
}

/** Returns why a text is not read, for a message: `is not valid JSON`, or what `JSON.parse` would change. */
export function whyNotJson(error: SyntaxError): string {
  return error instanceof ChangedJsonError ? `is not read, because ${error.message}` : 'is not valid JSON';
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const LIST = 0x5b;
const LIST_END = 0x5d;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;

/** A number with so few characters, and without an exponent, is exact. */
const EXACT_CHARACTERS = 15;

/** Returns whether valid JSON has more names than its value, or a number that is inexact. */
function mayChange(json: string, value: unknown): boolean {
  let names = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfText(json, at) - 1;
    else if (code === COLON) names++;
    else if (isNumber(code)) {
      const end = endOfNumber(json, at);
      if (!isExact(json.slice(at, end))) return true;
      at = end - 1;
    }
  }
  return names !== namesIn(value) || ONE_ESCAPED.test(json);
}

/** Not recursive: the text may be nested deeper than the call stack. */
function namesIn(value: unknown): number {
  let names = 0;
  const objects = [value];
  while (objects.length > 0) {
    const object = objects.pop();
    if (typeof object !== 'object' || object === null) continue;
    const isList = Array.isArray(object);
    for (const name in object) {
      if (!isList) names++;
      const field = (object as Record<string, unknown>)[name];
      if (typeof field === 'object' && field !== null) objects.push(field);
    }
  }
  return names;
}

/** A list or object that has not ended: the names so far, or the position in the list. */
interface Open {
  names: Set<string> | undefined;
  /** The name or position of the current value. */
  key: string | number;
}

/** Throws a `ChangedJsonError` for the first change. */
function expectNoChange(json: string): void {
  const open: Open[] = [];
  const path = () => open.map(({ key }) => key).join('.');
  let escaped: string | undefined;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    const parent = open.at(-1);
    if (code === OBJECT || code === LIST) open.push({ names: code === OBJECT ? new Set() : undefined, key: 0 });
    else if (code === OBJECT_END || code === LIST_END) open.pop();
    else if (code === COMMA && typeof parent?.key === 'number') parent.key++;
    else if (isNumber(code)) {
      const end = endOfNumber(json, at);
      if (!isExact(json.slice(at, end))) throw new ChangedJsonError('inexact_number', path());
      at = end - 1;
    } else if (code === QUOTE) {
      const start = at;
      at = endOfText(json, at) - 1;
      if (parent?.names === undefined || !isBeforeColon(json, at + 1)) continue;
      // Escaped or not, it is one name: "\u0061" is "a".
      const name = json.slice(start, at + 1);
      parent.key = JSON.parse(name) as string;
      if (IS_ONE_ESCAPED.test(name)) escaped ??= path();
      if (parent.names.has(parent.key)) throw new ChangedJsonError('duplicate_key', path());
      parent.names.add(parent.key);
    }
  }
  if (escaped !== undefined) throw new ChangedJsonError('escaped_name', escaped);
}

function isBeforeColon(json: string, from: number): boolean {
  let at = from;
  while (json.charCodeAt(at) <= 0x20) at++;
  return json.charCodeAt(at) === COLON;
}

function isNumber(code: number): boolean {
  return (code >= ZERO && code <= NINE) || code === MINUS;
}

function endOfNumber(json: string, start: number): number {
  let at = start + 1;
  for (; at < json.length; at++) {
    const code = json.charCodeAt(at);
    // Digits, a point, signs and an exponent; in valid JSON, a number ends before anything else.
    if (!isNumber(code) && code !== 0x2b && code !== 0x2e && (code | 0x20) !== 0x65) break;
  }
  return at;
}

/** Returns whether JavaScript writes the number that the text is. */
export function isExact(number: string): boolean {
  if (number.length <= EXACT_CHARACTERS && !/e/i.test(number)) return true;
  const value = Number(number);
  return Number.isFinite(value) && decimalOf(number) === decimalOf(String(value));
}

/** Returns sign, digits and exponent, the same for all texts of one number. */
function decimalOf(number: string): string {
  const [, sign = '', whole = '', decimals = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number) ?? [];
  const digits = (whole + decimals).replace(/^0+/, '');
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  if (end === 0) return '0';
  const zeros = digits.length - end;
  return `${sign}${digits.slice(0, end)}e${Number(exponent) + zeros - decimals.length}`;
}
