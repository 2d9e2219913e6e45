/**
 * Exports `describeMappingFailure`: the error of a mapping function without data of the row. The message of a `MappingError` is shown
 * whole. Any other message may quote the row, so a word of it is shown only if the code of the mapping has it, or JavaScript writes it,
 * and no cell of the row has it. `*` replaces all other words (docs/decisions/0024-mapping.md).
 */
import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Cells } from '../source.js';
import { lookLikeData, UnknownColumnError, unknownColumn } from './csv-row.js';
import { MappingError } from './mapping/mapping-error.js';

/** Place such as `map.mjs:12`, empty if unknown, and description of an error. */
export type MapFailure = ReturnType<typeof describeMappingFailure>;

/** The row for which a mapping was called. */
export interface FailedRow {
  columns: readonly string[];
  cells: readonly string[];
  /** The cells of related files that it has read. */
  related: Cells;
}

const MOST_CHARACTERS = 300;

/** Returns place and description of an error. `showPersonalData`: the message unchanged. `thrower`: its subject. */
export function describeMappingFailure(
  error: unknown,
  row: FailedRow,
  showPersonalData: boolean,
  thrower = 'The mapping',
) {
  if (!(error instanceof Error)) {
    const thrown = showPersonalData ? `${cut(asText(error))}, which is not an Error` : 'something that is not an Error';
    return { place: '', detail: `${thrower} threw ${thrown}.` };
  }
  const frames = framesOf(error);
  const frame = frames.find(({ path }) => !/[/\\]node_modules[/\\]/.test(path)) ?? frames[0];
  const place = frame === undefined ? '' : `${fileNameOf(frame.path)}:${frame.line}`;
  if (error instanceof MappingError) {
    return { place, detail: `${error.message}${columnOf(error, row, showPersonalData)}` };
  }
  // Not the files of other frames: the more code, the more words of a row it has by chance.
  const sources = [frames[0], frame].flatMap((one) => (one && codeOf(one.path)) ?? []);
  const isInRow = wordsOfRow([...row.cells, ...row.related.map(([, text]) => text)]);
  const shown = (text: string) => (showPersonalData ? text : masked(text, isInRow, sources));
  if (error instanceof UnknownColumnError) {
    const { column, columns, file } = error;
    return { place, detail: unknownColumn({ column: shown(column), columns, file }, showPersonalData) };
  }
  const line = frame && codeOf(frame.path)?.lines[frame.line - 1]?.trim();
  const code = line ? ` The code there: ${showPersonalData ? cut(line) : withoutWords(cut(line), isInRow)}` : '';
  return {
    place,
    detail: `${thrower} threw ${error.constructor.name}${sentence(cut(shown(messageOf(error))))}${code}`,
  };
}

/** Returns the column whose cell is the value of the error, if the mapping has not changed it; all columns if several have it. */
function columnOf({ value }: MappingError, { columns, cells, related }: FailedRow, showPersonalData: boolean): string {
  if (value === undefined) return '';
  const own = showPersonalData || !lookLikeData(columns) ? columns.filter((_, index) => cells[index] === value) : [];
  const others = related.filter(([name, text]) => name !== '' && text === value).map(([name]) => name);
  const having = [...new Set([...own, ...others])].map((name) => JSON.stringify(name));
  const column =
    having.length > 0 ? ` ${having.length === 1 ? 'Column' : 'One of the columns'} ${having.join(', ')}.` : '';
  return showPersonalData ? `${column} Value: ${JSON.stringify(cut(value))}.` : column;
}

/** Returns the message as one line, cut to the length that is shown. */
function messageOf({ message }: Error): string {
  return typeof message === 'string'
    ? message
        .slice(0, 4 * MOST_CHARACTERS)
        .replace(/\s+/g, ' ')
        .trim()
    : '';
}

function sentence(message: string): string {
  if (message === '') return '.';
  return `: ${message}${/[.!?…]$/.test(message) ? '' : '.'}`;
}

/** Returns the frames of the stack, without the message before them, which may look like a frame. */
function framesOf({ message, stack }: Error) {
  if (typeof stack !== 'string' || typeof message !== 'string' || !stack.includes(message)) return [];
  const lines = stack.slice(stack.indexOf(message) + message.length).split('\n');
  return lines.flatMap((text) => {
    const said = text.trim();
    const place = said.endsWith(')') ? said.slice(said.indexOf(' (') + 2, -1) : said.replace(/^at (?:async )?/, '');
    const [, path = '', line] = /^(.+):(\d+):\d+$/.exec(place) ?? [];
    return line === undefined || path.startsWith('node:')
      ? []
      : [{ path: path.split('?')[0] ?? path, line: Number(line) }];
  });
}

function fileNameOf(path: string): string {
  const name = path.split(/[/\\]/).at(-1) ?? '';
  return path.startsWith('file:') ? decodeURIComponent(name) : name;
}

/** The content of a source file. */
type Code = NonNullable<ReturnType<typeof readCode>>;

const MOST_BYTES = 1024 * 1024;
/** Cache of source files. */
const codes = new Map<string, Code | undefined>();

/** Returns a source file; undefined if it cannot be read, or is too large to be written by hand. */
function codeOf(path: string): Code | undefined {
  if (codes.has(path)) return codes.get(path);
  const code = readCode(path);
  codes.set(path, code);
  return code;
}

function readCode(path: string) {
  try {
    const file = path.startsWith('file:') ? fileURLToPath(path) : path;
    if (statSync(file).size > MOST_BYTES) return undefined;
    const text = readFileSync(file, 'utf8');
    return { text, lines: text.split(/\r?\n/), words: new Set(wordsOf(text)) };
  } catch {
    return undefined;
  }
}

const WORD = /[\p{L}\p{N}$_]+/gu;

function wordsOf(text: string): string[] {
  return text.match(WORD) ?? [];
}

/** Shorter words of a row are not hidden: they reveal little, and all code has them. */
const LEAST_CHARACTERS = 3;

function wordsOfRow(cells: readonly string[]): (word: string) => boolean {
  const words = new Set(cells.flatMap((cell) => wordsOf(cell.toLowerCase())));
  return (word) => word.length >= LEAST_CHARACTERS && words.has(word.toLowerCase());
}

function withoutWords(text: string, isHidden: (word: string) => boolean): string {
  return text.replace(WORD, (word) => (isHidden(word) ? '*' : word));
}

/** Returns the message with `*` for each sequence of words that may be of the row. */
function masked(message: string, isInRow: (word: string) => boolean, sources: readonly Code[]): string {
  const parts = message.split(/\s+/).map((part) => {
    const words = wordsOf(part);
    const [start, end] = [
      part.indexOf(words[0] ?? ''),
      part.lastIndexOf(words.at(-1) ?? '') + (words.at(-1) ?? '').length,
    ];
    const isShown = isOfCode(part.slice(start, end), sources) && !words.some(isInRow);
    return isShown ? part : `${part.slice(0, start)}*${part.slice(end)}`;
  });
  return parts.filter((part, index) => part !== '*' || parts[index - 1] !== '*').join(' ');
}

/** Returns whether the code has the word. A word with a digit must be in the code as a whole: the code may have 10 and 1983, the row 10/11/1983. */
function isOfCode(text: string, sources: readonly Code[]): boolean {
  const words = wordsOf(text);
  const isKnown = (word: string) => WORDS_OF_JAVASCRIPT.has(word) || sources.some((code) => code.words.has(word));
  if (words.length > 1 && /\p{N}/u.test(text)) return sources.some((code) => code.text.includes(text));
  return words.every(isKnown);
}

/** Words of the error messages of V8 that a mapping may cause. */
const WORDS_OF_JAVASCRIPT: ReadonlySet<string> = new Set(
  `0 1 2 3 4 5 6 7 8 9 a Abstract access add after already an and any are argument arguments Array array as assign
  Assignment at Bad bad base be been before between BigInt BigInts boolean call called can Cannot character Class
  class cloned code constant construct constructor contain conversions convert could count currency Date define
  defined Derived destructure destructured different digits does each element elements empty end escape exceeded
  Expected expected explicit exponent expression extensible for from frozen Function function get getter group has
  have in Incorrect incorrect Index information initial initialization input instance instanceof instead int integer
  intermediate into Invalid invalid is it iterable iterator its JSON key language length less literal locale malformed
  match Maximum maximum method Missing missing mix module more must name NaN negative new no non not null Number
  number Object object of on one only operand operator or other out outside parameter pattern point position precision
  primitive private properties Property property prototype provided radix range read reading Reduce RegExp Regular
  regular required return right same search set setter setting side size special stack String string strings structure
  supported Symbol symbol symbols tag terminated than that the this time to token too toString type types Undefined
  undefined Unexpected unexpected Unterminated unterminated URI URL use used using valid value values variable was
  which whitespace with without write zero zone`.split(/\s+/),
);

function cut(text: string): string {
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}

function asText(value: unknown): string {
  try {
    return String(value);
  } catch {
    return typeof value;
  }
}
