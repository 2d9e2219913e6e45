/**
 * Exports `plausibleEncodings`: the encodings in which bytes may be text of a European language, `linesWithAccents`, whose readings show
 * the difference, and `isUtf8ReadAs`, which finds UTF-8 in text that was read in another encoding.
 */
import { isAscii } from 'node:buffer';
import { decoded } from './code-pages.js';
import type { Line } from './split-lines.js';

/** The most likely first: of those that read the same, only the first one is plausible. */
const CANDIDATES = [
  ...['windows-1252', 'iso-8859-15', 'cp850', 'cp437', 'macintosh', 'windows-1250', 'iso-8859-2', 'cp852'],
  ...['windows-1251', 'ibm866', 'koi8-r', 'windows-1253', 'iso-8859-7', 'cp737'],
];

/** Letters that languages have besides those of ASCII. */
const ALPHABETS = [
  'àâæçéèêëîïôœùûüÿ', // French
  'äöüßé', // German
  'áàéèíïóòúüñçºª', // Spanish, Catalan
  'àèéìíîòóù', // Italian
  'éèêëïóöüáäç', // Dutch
  'áàâãçéêíóôõúüºª', // Portuguese
  'åäöæøéü', // Danish, Swedish, Norwegian, Finnish
  'ąćęłńóśźż', // Polish
  'áäčďéěíĺľňóôŕřšťúůýž', // Czech, Slovak
  'áéíóöőúüű', // Hungarian
  'ăâîșțşţ', // Romanian
  'čćđšž', // Croatian, Slovenian
  'абвгдежзийклмнопрстуфхцчшщъыьэюяёєіїґ',
  'αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ',
].map((letters) => new Set(letters));

/** Signs of any language. */
const SIGNS = new Set('\u00a0°€£§«»‘’‚“”„–—…·²³¿¡•');
/** Signs that stand between two letters. */
const INNER_SIGNS = new Set('\u00a0°’·–—');

/** A reading is plausible if the share of its accents and signs that fit one language is not much lower than that of the best reading. */
const TOLERANCE = 0.1;

/** Returns the encodings in which bytes that are not UTF-8 may be text, the most likely first; at least one. */
export function plausibleEncodings(bytes: Buffer): [string, ...string[]] {
  const readings = new Map<string, { encoding: string; fit: number }>();
  for (const encoding of CANDIDATES) {
    const text = decoded(encoding, bytes);
    if (text !== undefined && !readings.has(text)) readings.set(text, { encoding, fit: fitOf(text) });
  }
  const best = Math.max(...[...readings.values()].map(({ fit }) => fit));
  const plausible = [...readings.values()].filter(({ fit }) => fit > 0 && fit >= best - TOLERANCE);
  const [first = 'windows-1252', ...others] = plausible.map(({ encoding }) => encoding);
  return [first, ...others];
}

/** The share of the characters beyond ASCII that are signs, or letters of the language that has most of them. */
function fitOf(text: string): number {
  let signs = 0;
  let others = 0;
  const fitting = ALPHABETS.map(() => 0);
  for (const { 0: part, index } of text.matchAll(WORDS)) {
    const accents = part.replace(/[\0-\x7f]/g, '');
    others += accents.length;
    if (accents === '') continue;
    if (/^\p{L}/u.test(part)) {
      for (const [at, alphabet] of ALPHABETS.entries()) fitting[at] = (fitting[at] ?? 0) + lettersIn(part, alphabet);
    } else {
      const isInner =
        part.length === 1 &&
        index > 0 &&
        caseOf(text[index - 1]) !== undefined &&
        caseOf(text[index + 1]) !== undefined;
      signs += [...accents].filter((sign) => (isInner ? INNER_SIGNS : SIGNS).has(sign)).length;
    }
  }
  return others === 0 ? 0 : (signs + Math.max(...fitting)) / others;
}

const WORDS = /[\p{L}\p{M}]+|[^\p{L}\p{M}]+/gu;

/** Number of letters beyond ASCII that belong to the alphabet, and whose case fits their neighbours. */
function lettersIn(word: string, alphabet: ReadonlySet<string>): number {
  // A word of another script has no letters of ASCII; one in Latin letters has no three accents in a row.
  const isLatin = /\p{Script=Latin}/u.test(word);
  if (isLatin && (/[^\p{Script=Latin}]/u.test(word) || /[^\0-\x7f]{3}/.test(word))) return 0;
  let count = 0;
  for (let at = 0; at < word.length; at++) {
    const letter = word[at] as string;
    if (letter > '\x7f' && alphabet.has(letter.toLowerCase()) && isCaseNatural(word, at)) count++;
  }
  return count;
}

/** A capital does not follow a small letter, nor stands before one within a word; a small letter does not stand between capitals. */
function isCaseNatural(word: string, at: number): boolean {
  const [before, letter, after] = [word[at - 1], word[at], word[at + 1]].map(caseOf);
  if (letter === 'upper') return before !== 'lower' && (before === undefined || after !== 'lower');
  return letter === undefined || word[at] === 'ß' || before !== 'upper' || after !== 'upper';
}

function caseOf(letter: string | undefined): 'upper' | 'lower' | undefined {
  if (letter === undefined || letter.toLowerCase() === letter.toUpperCase()) return undefined;
  return letter === letter.toLowerCase() ? 'lower' : 'upper';
}

/** Returns the first lines that these encodings read differently; if there is none, the first ones with bytes beyond ASCII. */
export function linesWithAccents(bytes: Buffer, encodings: readonly string[], most = 3): Line[] {
  const all = linesOf(bytes).map((line, index) => ({ number: index + 1, bytes: line }));
  const lines = all.filter((line) => !isAscii(line.bytes));
  const differing = lines.filter(({ bytes: part }) => new Set(encodings.map((name) => decoded(name, part))).size > 1);
  return (differing.length > 0 ? differing : lines).slice(0, most);
}

/** Returns the bytes between the line ends. */
export function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(LF); end >= 0; end = bytes.indexOf(LF, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return [...lines, bytes.subarray(start)];
}

const LF = 0x0a;

/** A sequence of bytes that is one character in UTF-8; each byte is a character of the text. */
export const MULTIBYTE = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/g;

/**
 * Returns whether bytes in an encoding with one byte for each character contain a letter or sign in UTF-8, which the encoding reads as
 * something that no word has, such as `Ã«` for `ë`.
 */
export function isUtf8ReadAs(encoding: string, bytes: Buffer): boolean {
  const text = bytes.toString('latin1');
  for (const { 0: sequence, index } of text.matchAll(MULTIBYTE)) {
    const meant = Buffer.from(sequence, 'latin1').toString();
    const isKnown = SIGNS.has(meant) || ALPHABETS.some((alphabet) => alphabet.has(meant.toLowerCase()));
    if (!isKnown) continue;
    const before = index > 0 ? bytes.subarray(index - 1, index) : Buffer.alloc(0);
    const read = decoded(encoding, Buffer.concat([before, Buffer.from(sequence, 'latin1')])) ?? '';
    const word = read.split(/[^\p{L}\p{M}]/u).at(-1) ?? '';
    const accents = word.replace(/[\0-\x7f]/g, '').length;
    const isWord = accents >= sequence.length && ALPHABETS.some((alphabet) => lettersIn(word, alphabet) === accents);
    if (!isWord) return true;
  }
  return false;
}
