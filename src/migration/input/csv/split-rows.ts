/**
 * `splitRows` splits the lines of a CSV file into rows. It joins the lines of a row here, so that a stray quote costs one line
 * and not the rest of the file. As in spreadsheets, a quote has a meaning only at the beginning of a
 * field; anywhere else it is text.
 */

import { isUtf8 } from 'node:buffer';
import { refuseUnknownOptions } from '../../../validation/known-names.js';
import { type Check, expectFits } from '../../../validation/option-kinds.js';
import { InputError } from '../input-error.js';
import { isBlank, type Line, LONGEST_LINE } from '../text/split-lines.js';
import { findNamesAgain } from './names-again.js';

/** How a CSV file is written. */
export interface CsvFormat {
  /**
   * Text between two fields, such as `;` or a tab.
   * @default the one of `,`, `;`, tab and `|` that the header and the rows after it have equally often
   */
  delimiter?: string | undefined;
  /**
   * Number of lines above the header.
   * @default 0
   */
  skipLines?: number | undefined;
  /**
   * Character around a field with delimiters or line breaks; `''` if the file has none, so that quotes are text.
   * @default '"'
   */
  quote?: string | undefined;
}

const isText = (value: unknown): value is string => typeof value === 'string';
const ANY_TEXT: Check = ['a text', isText];

/** What each option may be. A format has the first three. */
const CHECKS: Readonly<Record<string, Check>> = {
  delimiter: ['a text such as ";" or "\\t"', (value) => isText(value) && /^[^\r\n]+$/.test(value)],
  skipLines: ['a whole number from 0 up', (value) => Number.isSafeInteger(value) && Number(value) >= 0],
  quote: [`one sign of ASCII such as "'", or '' for none`, (value) => isText(value) && /^[\x21-\x7e]?$/.test(value)],
  encoding: ANY_TEXT,
  file: ANY_TEXT,
};

/** Throws an `InputError` for an option that neither the format nor `others` has, and for a value that no file can have. `where`: what has the format. */
export function checkCsvFormat(where: string, format: CsvFormat, ...others: readonly string[]): void {
  try {
    refuseUnknownOptions(where, format, ['delimiter', 'skipLines', 'quote', ...others]);
    for (const [name, value] of Object.entries(format)) {
      const check = CHECKS[name];
      if (value !== undefined && check !== undefined) expectFits(`${where}: ${name}`, value, check);
    }
  } catch (error) {
    throw new InputError((error as Error).message);
  }
  if (format.quote !== undefined && format.quote === format.delimiter)
    throw new InputError(`${where}: quote: expected another character than that of delimiter.`);
}

/** A row with its lines of text. */
export interface Row {
  /** Several if quotes enclose line breaks. */
  lines: readonly [Line, ...Line[]];
  /** The lines, joined by LF. */
  text: string;
  /** undefined if the row could not be split into fields. */
  fields: string[] | undefined;
  /** Why not: the quote of a field is not closed, text follows it, or the lines may be several rows. The field is counted from 1. */
  flaw?: RowFlaw;
}

interface RowFlaw {
  cause: 'notClosed' | 'textAfterQuote' | 'maybeSeveral';
  field: number;
}

/** Lines of which each is a row as the header says, without a quote: they need not be parsed. */
export interface PlainRows {
  plain: readonly Line[];
  /** The byte between two fields. */
  delimiter: number;
}

/** Where several fit, the first one: a comma may stand in any text. */
const DELIMITERS = [';', '\t', '|', ','];

/** Number of lines by which the delimiter is found. */
const SAMPLE_LINES = 10;

type Lines = AsyncIterable<Line[]> | Iterable<Line[]>;

/** Options of `splitRows`. */
interface SplitOptions extends CsvFormat {
  /** Maximum size of a row in bytes. */
  longest?: number | undefined;
}

/**
 * Yields the rows of a file. A row ends where every quote in it is closed. If such a row does not have as many fields as the
 * first row, some quote in its first line was not meant as one: that line is a row by itself, and the others are split anew. If it has as
 * many, but its first and its last line look like a row each, it has no fields, so that no row is lost in a text of another one.
 */
export function splitRows(lines: Lines, options: SplitOptions = {}): AsyncGenerator<Row> {
  return splitRowsOrPlain(lines, options, false) as AsyncGenerator<Row>;
}

/** The lines of a row that has not ended. */
interface BegunRow {
  lines: Line[];
  texts: string[];
  bytes: number;
  /** The fields that have ended. */
  fields: string[];
  /** The lines of the field whose quote is open. */
  open?: string[] | undefined;
  /** The field whose quote the first line leaves open, counted from 1. */
  openField?: number;
  flaw?: RowFlaw;
}

const nothingBegun = (): BegunRow => ({ lines: [], texts: [], bytes: 0, fields: [] });

/** As `splitRows`, and gives plain rows together and as lines, which takes a tenth of the time. */
export async function* splitRowsOrPlain(
  chunks: Lines,
  { delimiter: given, skipLines = 0, quote = '"', longest = LONGEST_LINE }: SplitOptions,
  isPlainGiven = true,
): AsyncGenerator<Row | PlainRows> {
  let delimiter = given ?? ',';
  /** Lines that wait until there are enough of them to find the delimiter. */
  let sample: Line[] | undefined = [];
  let header: { fields: string[] | undefined } | undefined;
  let begun = nothingBegun();
  let names: ReturnType<typeof findNamesAgain> | undefined;
  let isPlain: ((line: Line) => boolean) | undefined;

  for await (const some of chunks) {
    if (sample === undefined) yield* read(some);
    else {
      for (const line of some) if (line.number > skipLines) sample.push(line);
      if (sample.length >= SAMPLE_LINES) yield* begin(sample);
    }
  }
  if (sample !== undefined) yield* begin(sample);
  while (begun.lines.length > 0) yield* endRow();

  /** Finds the delimiter, and reads the lines that have waited for it. */
  function* begin(waiting: readonly Line[]): Generator<Row | PlainRows> {
    sample = undefined;
    const start = waiting.findIndex(({ bytes, flaw }) => flaw !== undefined || !isBlank(bytes));
    const all = start < 0 ? [] : waiting.slice(start);
    // Excel reads and writes a first line such as sep=;
    const separator = SEPARATOR.exec(all[0]?.bytes.toString() ?? '')?.[1];
    const lines = separator === undefined ? all : all.slice(1);
    const texts = lines.slice(0, SAMPLE_LINES).map(({ bytes }) => bytes.toString());
    delimiter = given ?? separator ?? delimiterOf(texts, quote);
    yield* read(lines);
  }

  function* read(lines: readonly Line[]): Generator<Row | PlainRows> {
    let plain: Line[] = [];
    for (const line of lines) {
      const row = begun;
      if (row.lines.length === 0 && isPlain?.(line)) {
        plain.push(line);
        continue;
      }
      if (plain.length > 0) yield { plain, delimiter: delimiter.charCodeAt(0) };
      plain = [];
      if (line.flaw !== undefined) {
        while (begun.lines.length > 0) yield* endRow();
        yield { lines: [line], text: '', fields: undefined };
      } else if (row.lines.length > 0 || !isBlank(line.bytes)) {
        continueRow(row, line);
        if (row.open === undefined || row.bytes > longest) yield* endRow();
      }
    }
    if (plain.length > 0) yield { plain, delimiter: delimiter.charCodeAt(0) };
  }

  function* endRow(): Generator<Row | PlainRows> {
    const { texts, open, flaw: found, fields: ended, openField = ended.length + 1 } = begun;
    const [first, ...others] = begun.lines;
    begun = nothingBegun();
    if (first === undefined) return;
    const text = texts.join('\n');
    const isSplit = open === undefined && found === undefined;
    const fields = isSplit ? (text.includes('="') ? ended.map(withoutFormula) : ended) : undefined;
    if (header === undefined) {
      header = { fields };
      if (isPlainGiven && fields !== undefined) {
        names = findNamesAgain(fields);
        isPlain = plainLinesOf(fields, names, delimiter, quote);
      }
    } else if (fields !== undefined && names?.in(fields) === 'other') isPlain = undefined;
    if (others.length === 0 || (fields !== undefined && fields.length === header.fields?.length)) {
      const lines: Row['lines'] = [first, ...others];
      const flaw = open === undefined ? found : ({ cause: 'notClosed', field: ended.length + 1 } as const);
      if (others.length > 0 && lookLikeTwoRows(texts[0] ?? '', texts.at(-1) ?? '', openField))
        yield { lines, text, fields: undefined, flaw: { cause: 'maybeSeveral', field: openField } };
      else yield { lines, text, fields, ...(flaw !== undefined && { flaw }) };
      return;
    }
    const flaw = { cause: 'notClosed', field: openField } as const;
    yield { lines: [first], text: texts[0] ?? '', fields: undefined, flaw };
    yield* read(others);
  }

  /**
   * Returns whether two lines, which the quotes of a field join, have as many fields as the header each, and in at least half of the other
   * columns texts of the same form. A note often has a space after a delimiter, and a row has none.
   */
  function lookLikeTwoRows(one: string, other: string, quoted: number): boolean {
    const columns = header?.fields?.length ?? 0;
    const [fields, others] = [fieldsOf(one), fieldsOf(other)];
    if (columns < 2 || fields.length !== columns || others.length !== columns) return false;
    // A program that puts each field into quotes writes no stray ones.
    const isOnlyOne = (is: (line: string) => boolean) => is(one) && !is(other);
    if (quoted > 1 && (isOnlyOne((line) => line.startsWith(quote)) || isOnlyOne(isEachQuoted))) return false;
    const pairs = fields.flatMap((field, at): [string, string][] => {
      const text = others[at] ?? '';
      return at + 1 === quoted || field === '' || text === '' ? [] : [[field, text]];
    });
    const alike = (form: (field: string) => unknown) => pairs.filter(([one, text]) => form(one) === form(text)).length;
    return pairs.length > 0 && alike(isAfterSpace) === pairs.length && alike(formOf) * 2 >= pairs.length;
  }

  /** Returns whether nothing but delimiters stands outside of quotes, and one between two fields. */
  function isEachQuoted(line: string): boolean {
    return line.split(quote).every((part, at) => at % 2 === 1 || part === '' || part === delimiter);
  }

  /** Returns the fields of a line whose open quote is text; none if a quote is there twice: the program then writes quotes by the rules of CSV. */
  function fieldsOf(line: string): string[] {
    const { fields, open } = scanLine(line, delimiter, quote);
    const all = [...fields, ...(open?.[0]?.split(delimiter) ?? [])];
    return all.some((field) => field.includes(quote + quote)) ? [] : all;
  }

  /** By `push` and not by a spread: after a stray quote, a row may have a million lines. */
  function continueRow(row: BegunRow, line: Line): void {
    const text = line.bytes.toString();
    row.lines.push(line);
    row.texts.push(text);
    row.bytes += line.bytes.length;
    scanFields(row, text, delimiter, quote);
    if (row.lines.length === 1 && row.open !== undefined) row.openField = row.fields.length + 1;
  }
}

const SPACE = 0x20;
const DELETE = 0x7f;
const DOUBLE_QUOTE = 0x22;

/**
 * Returns a function that returns whether a line is a row with as many fields as the header, each as it is written: without a quote, a
 * control character or anything else that needs care. Rows with names of the columns, all rows after one with another order of them, and rows
 * without data are not plain.
 */
function plainLinesOf(
  header: readonly string[],
  names: ReturnType<typeof findNamesAgain>,
  delimiter: string,
  quote: string,
): (line: Line) => boolean {
  const code = delimiter.charCodeAt(0);
  const sign = quote.charCodeAt(0) || DOUBLE_QUOTE;
  if (delimiter.length > 1 || code >= DELETE || header.at(-1)?.trim() === '') return () => false;
  return ({ bytes, flaw }) => {
    let fields = 1;
    let hasText = false;
    let isFirst = true;
    let maybeNames = 0;
    for (const byte of bytes) {
      if (byte === code) {
        fields++;
        isFirst = true;
        continue;
      }
      if (isFirst) maybeNames += names.mayBegin(byte);
      isFirst = false;
      if (byte < SPACE || byte === DOUBLE_QUOTE || byte === sign) return false;
      else if (byte > SPACE && byte < DELETE) hasText = true;
    }
    if (fields !== header.length || !hasText || flaw !== undefined || !isUtf8(bytes)) return false;
    return maybeNames * 2 <= fields || names.in(bytes.toString().split(delimiter)) === undefined;
  };
}

const isAfterSpace = (field: string) => /^\s/.test(field);

/** Returns whether a field has letters, and whether it has digits. */
const formOf = (field: string) => `${/\p{L}/u.test(field)} ${/\d/.test(field)}`;

/** Returns `00123` for `="00123"`, with which exports keep the zeros in a spreadsheet. */
function withoutFormula(field: string): string {
  return field.startsWith('="') ? (/^="([^"]*)"$/.exec(field)?.[1] ?? field) : field;
}

const SEPARATOR = /^"?sep=([,;\t|])"?$/i;

/** Continues a row with a line: its fields, whether a quote is open at its end, and whether text follows a closing quote. */
function scanFields(row: BegunRow, line: string, delimiter: string, quote: string): void {
  const isContinued = row.open !== undefined;
  if (!isContinued && (quote === '' || !line.includes(quote))) {
    row.fields = line.split(delimiter);
    return;
  }
  for (let at = 0; ; at += delimiter.length) {
    const { open } = row;
    const isQuoted = open !== undefined || line.startsWith(quote, at);
    if (isQuoted) {
      const from = open === undefined ? at + 1 : at;
      const close = closingQuote(line, from, quote);
      const parts = open ?? [];
      parts.push(close < 0 ? line.slice(from) : line.slice(from, close));
      row.open = close < 0 ? parts : undefined;
      if (close < 0) return;
      row.fields.push(parts.join('\n').replaceAll(quote + quote, () => quote));
      at = close + 1;
      if (at === line.length) return;
    }
    const end = line.indexOf(delimiter, at);
    if (isQuoted && end !== at) {
      row.flaw = { cause: 'textAfterQuote', field: row.fields.length };
      return;
    }
    if (!isQuoted) {
      const field = end < 0 ? line.slice(at) : line.slice(at, end);
      row.fields.push(field);
      // A program that writes line breaks in quotes puts each field with a quote into quotes too: the open quote was text.
      if (isContinued && field.includes(quote)) {
        row.flaw = { cause: 'notClosed', field: row.fields.length };
        return;
      }
    }
    if (end < 0) return;
    at = end;
  }
}

/** Returns the position of the closing quote; -1 if there is none. */
function closingQuote(line: string, from: number, quote: string): number {
  // Two quotes are one quote of the text.
  let at = line.indexOf(quote, from);
  while (at >= 0 && line.startsWith(quote, at + 1)) at = line.indexOf(quote, at + 2);
  return at;
}

/** Returns the delimiter of a file by its first lines: that of a line `sep=;`, or the one that fits them. */
export function delimiterIn(text: string): string {
  const lines = text.split(/\r\n|\r|\n/, SAMPLE_LINES + 2).filter((line) => line.trim() !== '');
  return SEPARATOR.exec(lines[0] ?? '')?.[1] ?? delimiterOf(lines, '"');
}

/** Returns the delimiter that gives most lines as many fields as the header, which may have line breaks; if none does, the most frequent one in the header. */
function delimiterOf(lines: readonly string[], quote: string): string {
  let best = { delimiter: ',', fields: 1, fitting: 0 };
  for (const delimiter of DELIMITERS) {
    const header = nothingBegun();
    let end = 0;
    do scanFields(header, lines[end++] ?? '', delimiter, quote);
    while (header.open !== undefined && end < lines.length);
    const fields = fieldsIn(header);
    const others = lines.slice(end).map((line) => fieldsIn(scanLine(line, delimiter, quote)));
    const fitting = fields === 1 ? 0 : others.filter((count) => count === fields).length;
    const isBetter = fitting > best.fitting || (fitting === 0 && best.fitting === 0 && fields > best.fields);
    if (isBetter) best = { delimiter, fields, fitting };
  }
  return best.delimiter;
}

function fieldsIn({ fields, open }: BegunRow): number {
  return fields.length + (open === undefined ? 0 : 1);
}

function scanLine(line: string, delimiter: string, quote: string): BegunRow {
  const row = nothingBegun();
  scanFields(row, line, delimiter, quote);
  return row;
}
