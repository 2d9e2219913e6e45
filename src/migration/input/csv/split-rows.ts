/**
 * `splitRows` splits the lines of a CSV file into rows. It joins the lines of a row here, so that a stray quote costs one line
 * and not the rest of the file; csv-parse splits a row into fields.
 */
import { MissingPackageError } from '../../shared/missing-package.js';
import { isBlank, type Line, LONGEST_LINE } from '../text/split-lines.js';

/** A row with its lines of text. */
export interface Row {
  /** Several if quotes enclose line breaks. */
  lines: readonly [Line, ...Line[]];
  /** The lines, joined by LF. */
  text: string;
  /** undefined if the row could not be split into fields. */
  fields: string[] | undefined;
}

type ParseCsv = typeof import('csv-parse/sync').parse;

const DELIMITERS = [',', ';', '\t', '|'];
const QUOTE = 0x22;

/**
 * Yields the rows of a file. A row ends where every quote in it is closed. If such a row does not have as many fields as the
 * first row, some quote in its first line was not meant as one: that line is a row by itself, and the others are split anew.
 */
export async function* splitRows(lines: AsyncIterable<Line[]>, longest = LONGEST_LINE): AsyncGenerator<Row> {
  const splitter = new RowSplitter(await loadCsvParse(), longest);
  for await (const some of lines) yield* splitter.add(some);
  yield* splitter.end();
}

/** The lines of a row that has not ended. */
interface BegunRow {
  lines: Line[];
  /** Whether a quote is open. */
  isQuoted: boolean;
  bytes: number;
}

const nothingBegun = (): BegunRow => ({ lines: [], isQuoted: false, bytes: 0 });

class RowSplitter {
  readonly #parse: ParseCsv;
  readonly #longest: number;
  #header: { delimiter: string; fields: string[] | undefined } | undefined;
  /** From a first line such as `sep=;`, which Excel reads and writes. */
  #separator: string | undefined;
  #begun = nothingBegun();

  constructor(parse: ParseCsv, longest: number) {
    this.#parse = parse;
    this.#longest = longest;
  }

  *add(lines: readonly Line[]): Generator<Row> {
    const rows = this.#parseAtOnce(lines);
    if (rows !== undefined) yield* rows;
    else for (const line of lines) yield* this.#addLine(line);
  }

  /** After the last line. */
  *end(): Generator<Row> {
    while (this.#begun.lines.length > 0) yield* this.#endRow();
  }

  *#addLine(line: Line): Generator<Row> {
    if (line.flaw !== undefined) {
      yield* this.end();
      yield { lines: [line], text: '', fields: undefined };
      return;
    }
    const begun = this.#begun;
    if (begun.lines.length === 0 && isBlank(line.bytes)) return;
    continueRow(begun, line);
    if (!begun.isQuoted || begun.bytes > this.#longest) yield* this.#endRow();
  }

  *#endRow(): Generator<Row> {
    const [first, ...others] = this.#begun.lines;
    this.#begun = nothingBegun();
    if (first === undefined) return;
    const text = textOf([first, ...others]);
    if (first.number === 1) {
      this.#separator = SEPARATOR.exec(text)?.[1];
      if (this.#separator !== undefined) return;
    }
    const fields = this.#fieldsOf(text);
    if (others.length === 0 || (fields !== undefined && fields.length === this.#header?.fields?.length)) {
      yield { lines: [first, ...others], text, fields };
      return;
    }
    yield { lines: [first], text: first.bytes.toString(), fields: undefined };
    for (const line of others) yield* this.#addLine(line);
  }

  #fieldsOf(text: string): string[] | undefined {
    const delimiter = this.#header?.delimiter ?? this.#separator ?? delimiterOf(text);
    const rows = rowsOf(this.#parse, text, delimiter);
    const fields = rows?.length === 1 ? rows[0] : undefined;
    this.#header ??= { delimiter, fields };
    return fields;
  }

  /**
   * Returns the rows that end in these lines, parsed in one call, which takes half the time of a call for each row. Returns
   * undefined, and changes nothing, if one of them is not as its quotes and the header say: then `#addLine` finds the row.
   */
  #parseAtOnce(lines: readonly Line[]): Row[] | undefined {
    const header = this.#header;
    if (header?.fields === undefined) return undefined;
    const found = this.#rowsIn(lines);
    if (found === undefined) return undefined;
    const columns = header.fields.length;
    const texts = found.rows.map(textOf);
    const parsed = rowsOf(this.#parse, texts.join('\n'), header.delimiter);
    const isAsExpected =
      parsed?.length === texts.length &&
      found.rows.every((row, at) => row.length === 1 || parsed[at]?.length === columns);
    if (!isAsExpected) return undefined;
    this.#begun = found.begun;
    return found.rows.map((row, at) => ({ lines: row, text: texts[at] ?? '', fields: parsed[at] }));
  }

  /** The rows that end in these lines, by their quotes; undefined if a line has a flaw, or a row is too long. */
  #rowsIn(lines: readonly Line[]): { rows: [Line, ...Line[]][]; begun: BegunRow } | undefined {
    const rows: [Line, ...Line[]][] = [];
    let begun = { ...this.#begun, lines: this.#begun.lines.slice() };
    for (const line of lines) {
      if (line.flaw !== undefined) return undefined;
      if (begun.lines.length === 0 && isBlank(line.bytes)) continue;
      continueRow(begun, line);
      if (begun.bytes > this.#longest) return undefined;
      if (begun.isQuoted) continue;
      rows.push(begun.lines as [Line, ...Line[]]);
      begun = nothingBegun();
    }
    return { rows, begun };
  }
}

/** By `push` and not by a spread: after a stray quote, a row may have a million lines. */
function continueRow(row: BegunRow, line: Line): void {
  row.lines.push(line);
  row.bytes += line.bytes.length;
  if (hasOddQuotes(line.bytes)) row.isQuoted = !row.isQuoted;
}

const SEPARATOR = /^"?sep=([,;\t|])"?$/i;

function textOf(lines: readonly Line[]): string {
  return lines.map(({ bytes }) => bytes.toString()).join('\n');
}

function hasOddQuotes(bytes: Buffer): boolean {
  let isOdd = false;
  for (let at = bytes.indexOf(QUOTE); at >= 0; at = bytes.indexOf(QUOTE, at + 1)) isOdd = !isOdd;
  return isOdd;
}

/** Returns the delimiter of a file by its first lines: that of a line `sep=;`, or the most frequent one in the header. */
export function delimiterIn(text: string): string {
  const first = text.split(/\r\n|\r|\n/).find((line) => line.trim() !== '') ?? '';
  return SEPARATOR.exec(first)?.[1] ?? delimiterOf(first);
}

function delimiterOf(header: string): string {
  const unquoted = header.replace(/"[^"]*"/g, '');
  const count = (delimiter: string) => unquoted.split(delimiter).length;
  return DELIMITERS.reduce((most, delimiter) => (count(delimiter) > count(most) ? delimiter : most));
}

function rowsOf(parse: ParseCsv, text: string, delimiter: string): string[][] | undefined {
  try {
    return parse(text, { delimiter, record_delimiter: '\n', relax_column_count: true });
  } catch {
    return undefined;
  }
}

async function loadCsvParse(): Promise<ParseCsv> {
  try {
    const { parse } = await import('csv-parse/sync');
    return parse;
  } catch (error) {
    throw new MissingPackageError(
      'input: CSV needs the package csv-parse, which is not installed. Install it with "npm install csv-parse@7".',
      { cause: error },
    );
  }
}
