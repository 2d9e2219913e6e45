/**
 * The rows of a CSV file. Lines are put together here, so that a stray quote costs one line and not the rest of the
 * file; what is in a row is csv-parse's to say.
 */
import { MissingPackageError } from '../../shared/missing-package.js';
import { isBlank, type Line, LONGEST_LINE } from '../text/split-lines.js';

/** A row, with the lines of text that it spans. */
export interface Row {
  /** Several where quotes enclose line breaks. */
  lines: readonly [Line, ...Line[]];
  /** With LF between its lines. */
  text: string;
  /** undefined if the row could not be split into fields. */
  fields: string[] | undefined;
}

type ParseCsv = typeof import('csv-parse/sync').parse;

const DELIMITERS = [',', ';', '\t', '|'];
const QUOTE = 0x22;

/**
 * A row ends where every quote in it is closed. Where what comes of that does not have as many fields as the first row,
 * some quote in its first line was not meant as one: that line is a row by itself, and the others are looked at anew.
 */
export async function* splitRows(lines: AsyncIterable<Line[]>, longest = LONGEST_LINE): AsyncGenerator<Row> {
  const parse = await loadCsvParse();
  let header: { delimiter: string; fields: string[] | undefined } | undefined;
  let begun: Line[] = [];
  let isQuoted = false;
  let length = 0;
  /** From a first line such as `sep=;`, which Excel reads and writes. */
  let separator: string | undefined;

  function read(text: string): string[] | undefined {
    const delimiter = header?.delimiter ?? separator ?? delimiterOf(text);
    const fields = fieldsOf(parse, text, delimiter);
    header ??= { delimiter, fields };
    return fields;
  }

  function* add(line: Line): Generator<Row> {
    if (line.flaw !== undefined) {
      while (begun.length > 0) yield* end();
      yield { lines: [line], text: '', fields: undefined };
      return;
    }
    if (begun.length === 0 && isBlank(line.bytes)) return;
    begun.push(line);
    length += line.bytes.length;
    if (hasOddQuotes(line.bytes)) isQuoted = !isQuoted;
    if (!isQuoted || length > longest) yield* end();
  }

  function* end(): Generator<Row> {
    const [first, ...others] = begun;
    begun = [];
    isQuoted = false;
    length = 0;
    if (first === undefined) return;
    const text = textOf([first, ...others]);
    if (first.number === 1) {
      separator = SEPARATOR.exec(text)?.[1];
      if (separator !== undefined) return;
    }
    const fields = read(text);
    if (others.length === 0 || (fields !== undefined && fields.length === header?.fields?.length)) {
      yield { lines: [first, ...others], text, fields };
      return;
    }
    yield { lines: [first], text: first.bytes.toString(), fields: undefined };
    for (const line of others) yield* add(line);
  }

  /**
   * Returns the rows that end in these lines, parsed in one call, which takes half the time of a call for each row. Returns undefined, and
   * changes nothing, if one of them is not as its quotes and the header say: then `add` finds the faulty row.
   */
  function parseAtOnce(some: readonly Line[]): Row[] | undefined {
    if (header?.fields === undefined) return undefined;
    const columns = header.fields.length;
    const rows: [Line, ...Line[]][] = [];
    let open: Line[] = begun.slice();
    let isOpenQuoted = isQuoted;
    let openLength = length;
    for (const line of some) {
      if (line.flaw !== undefined) return undefined;
      if (open.length === 0 && isBlank(line.bytes)) continue;
      // Not by a spread: after a stray quote, a row may have a million lines.
      open.push(line);
      openLength += line.bytes.length;
      if (hasOddQuotes(line.bytes)) isOpenQuoted = !isOpenQuoted;
      if (openLength > longest) return undefined;
      if (isOpenQuoted) continue;
      rows.push(open as [Line, ...Line[]]);
      open = [];
      openLength = 0;
    }
    const texts = rows.map(textOf);
    const parsed = rowsOf(parse, texts.join('\n'), header.delimiter);
    const isAsExpected =
      parsed?.length === rows.length && rows.every((row, at) => row.length === 1 || parsed[at]?.length === columns);
    if (!isAsExpected) return undefined;
    [begun, isQuoted, length] = [open, isOpenQuoted, openLength];
    return rows.map((row, at) => ({ lines: row, text: texts[at] ?? '', fields: parsed[at] }));
  }

  for await (const some of lines) {
    const rows = parseAtOnce(some);
    if (rows !== undefined) yield* rows;
    else for (const line of some) yield* add(line);
  }
  while (begun.length > 0) yield* end();
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

function delimiterOf(header: string): string {
  const unquoted = header.replace(/"[^"]*"/g, '');
  const count = (delimiter: string) => unquoted.split(delimiter).length;
  return DELIMITERS.reduce((most, delimiter) => (count(delimiter) > count(most) ? delimiter : most));
}

function fieldsOf(parse: ParseCsv, text: string, delimiter: string): string[] | undefined {
  const rows = rowsOf(parse, text, delimiter);
  return rows?.length === 1 ? rows[0] : undefined;
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
