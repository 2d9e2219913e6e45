/** Exports checks of the form of a value that go beyond the schemas. */

/** The mark that the functions of queries and mappings write before a value that they cannot read. No encoding of an export other than Unicode has it. */
export const UNREADABLE = '⁇';

/** Returns whether the text has 14 digits with a valid check digit (Luhn: every second digit from the right is doubled). */
export function isSiret(siret: string): boolean {
  if (!/^\d{14}$/.test(siret)) return false;
  let sum = 0;
  for (let index = 0; index < siret.length; index++) {
    const value = Number(siret[index]) * (index % 2 === 0 ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}

/** Message about an identifier in scientific notation. */
export const ROUNDED_IDENTIFIER =
  'A program wrote this identifier as a rounded number: its digits are lost. Export the column as text.';

/** Whether a text is empty or has nothing but spaces. */
export const isBlank = (text: string) => text.trim() === '';

/**
 * Returns whether a program has written the number as a rounded one, such as 1.23E+13. Programs write a plus before the exponent, which no
 * code has, or digits after the separator, of which the number has at least as many as the exponent says. `1E5` has neither, and may be a code.
 */
export function isScientificNotation(text: string): boolean {
  const trimmed = text.trim();
  if (WITH_PLUS.test(trimmed)) return true;
  const [, decimals = '', exponent] = WITHOUT_PLUS.exec(trimmed) ?? [];
  return exponent !== undefined && Number(exponent) >= Math.max(LEAST_EXPONENT, decimals.length);
}

const WITH_PLUS = /^\d+([.,]\d+)?E\+\d+$/i;
const WITHOUT_PLUS = /^[1-9][.,](\d{1,17})E0?(\d{1,2})$/i;
/** No program writes a smaller number in this form without a plus. */
const LEAST_EXPONENT = 5;

/** Returns whether the whole text is what a program writes for an error or for no value. */
export function isTextOfProgram(text: string): boolean {
  if (text.length > LONGEST_ERROR || !MAY_BE_OF_PROGRAM.test(text)) return false;
  const trimmed = text.trim();
  return NO_VALUES.has(trimmed) || ((trimmed[0] === '#' || trimmed[0] === 'E') && SPREADSHEET_ERROR.test(trimmed));
}

const LONGEST_ERROR = 40;
/** The first character of most texts rules them out: this test is faster. */
const MAY_BE_OF_PROGRAM = /^[\s#(<[\\ENnu]/;

/** Of databases and scripts; and errors of spreadsheet programs that end without a mark. */
const NO_VALUES: ReadonlySet<string> = new Set([
  ...[
    'NULL',
    'null',
    '(null)',
    '<null>',
    '[NULL]',
    '\\N',
    'NaN',
    'nan',
    '<NA>',
    'undefined',
    'None',
    '[object Object]',
  ],
  ...['#N/A', '#NA', '#NV', '#N/D', '#N/B', '#N/V', '#I/T', '#GETTING_DATA', '#NENÍ_K_DISPOZICI', '#HIÁNYZIK'],
]);

/** `#REF!`, `#BEZUG!`, `#¿NOMBRE?`; `#####` of a column that is too narrow; `Err:502`. */
const SPREADSHEET_ERROR = /^(?:#[¡¿]?[\p{Lu}\d/_ ]+[!?]|#{3,}|Err:5\d\d)$/u;

/** Returns whether the text has characters that only a wrong encoding or a lost character explains. */
export function isGarbled(text: string): boolean {
  return OTHER_THAN_ASCII.test(text) && SUSPICIOUS.test(text) && GARBLED.test(text);
}

const OTHER_THAN_ASCII = /[^ -~]/;
/** The characters of `GARBLED` that most texts do not have: this test is faster. */
const SUSPICIOUS = /[^ -~\u00a0-\ud7ff\ue000-\ufffc]|[¨¸À-ÞâïðˆŒŠŽ˜‚„†‡‰√\u2500-\u259f]/;

/** What a second or third byte of UTF-8 becomes in windows-1252 or ISO-8859-1, without dashes and signs that close a word. */
const NEXT_IN_WORD = '\\u0080-\\u00bf€‚ƒ„†‡ˆ‰Š‹ŒŽ‘“•˜™š›œžŸ';
const NEXT = `${NEXT_IN_WORD}…’”–—`;

const GARBLED = new RegExp(
  [
    // UTF-8 read as windows-1252: NoÃ«l, Â°, Å“uvre, â€™, a byte order mark, an emoji, Greek or Cyrillic.
    ...[`[ÂÃ][${NEXT}]`, `[ÄÅ][${NEXT_IN_WORD}]`, 'â[€‚„†]', 'ï[»¿¬]', 'ðŸ', `(?:[Î-Ñ×-Ù][${NEXT}]){2}`],
    // UTF-8 read as macintosh (No√´l), CP850 or CP437 (No├½l).
    ...['√[^\\s\\d]', '‚Ä', '[\\u2500-\\u259f]'],
    // Characters that are no text: of a lost character, half of one, and control characters, as in UTF-16 read as another encoding.
    '(?![\\t\\n\\r])[\\p{Cc}\\p{Cs}\\ufffd]',
    // CP850, CP437 or macintosh read as windows-1252, and the other way: No‰l, Fran‡ois, M¸ller, MuÒoz.
    ...['\\p{L}[‚‡ˆ‰]', '\\p{L}[„†¸¨˜]\\p{L}', '\\p{Ll}[ŽŠŒ]\\p{Ll}', '\\p{Ll}[À-ÈÊ-ÖØ-Þ](?:\\p{Ll}|$)'],
  ].join('|'),
  'u',
);

/** Returns whether a date or datetime is one that programs write for none: days of 1900 or before, from 2099 on, or the first day of Unix time. */
export function isDefaultDate(text: string): boolean {
  return text.charCodeAt(4) === HYPHEN && DEFAULT_DAY.test(text);
}

const HYPHEN = 0x2d;
/** Days up to 1900 and from 2099 on; 1904-01-01, and the first day of Unix time, which in other time zones is the one before. */
const DEFAULT_DAY =
  /^(?:(?:(?:0\d|1[0-8])\d\d|1900|2099|2[1-9]\d\d|[3-9]\d{3})-\d\d-\d\d|1904-01-01|1969-12-31|1970-01-01)(?:$|T)/;

/** Returns whether the number of a country that is listed here is none of its mobile numbers. */
export function isLandline(phone: string): boolean {
  const digits = phone.replace(/\(0\)|\D/g, '').replace(/^00/, '');
  const country = COUNTRIES.find((code) => digits.startsWith(code));
  if (country === undefined || digits.length < 8) return false;
  return !MOBILE[country]?.test(digits.slice(country.length));
}

/** The first digits of mobile numbers by country code, where other numbers have others. */
const MOBILE: Readonly<Record<string, RegExp>> = {
  '31': /^0?6/,
  '32': /^0?4/,
  '33': /^0?[67]/,
  '34': /^0?[67]/,
  '351': /^9/,
  '352': /^0?6/,
  '353': /^0?8/,
  '39': /^3/,
  '41': /^0?7/,
  '43': /^0?6/,
  '44': /^0?7/,
  '49': /^0?1[567]/,
};

const COUNTRIES = Object.keys(MOBILE);

/** Returns whether the number has more than ten digits on either side of the decimal point. */
export function isLongDecimal(value: number): boolean {
  if (!Number.isFinite(value)) return false;
  // Most numbers are whole; `toFixed` costs more than all other rules.
  return Math.abs(value) >= 1e10 || (!Number.isInteger(value) && Number(value.toFixed(10)) !== value);
}

/**
 * Returns whether a document path can resolve: the service prepends only bucket and root (spec: Conventions), so a scheme, a
 * backslash or `..` cannot work.
 */
export function isDocumentPath(path: string): boolean {
  return !isBlank(path) && !/^[a-z][\w+.-]*:\/\/|^[a-z]:|\\/i.test(path) && !path.split('/').includes('..');
}
