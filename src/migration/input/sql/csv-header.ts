/** Exports `parseHeader`, which returns the column names of a delimited text. DuckDB gets them, and does not compare them with the file. */

interface Header {
  /** The line at which it begins. */
  line: number;
  columns: string[];
  delimiter: string;
  /** Lines up to the first row, and their bytes in UTF-8. */
  headLines: number;
  headBytes: number;
  problem?: string;
}

const DELIMITERS = [',', ';', '\t', '|'];
const NAMES: Readonly<Record<string, string>> = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'pipe' };

/** `text`: the beginning of the file. `given`: the declared delimiter. A problem is a message with the remedy. */
export function parseHeader(text: string, given: string | undefined): Header {
  let from = text.startsWith('\ufeff') ? 1 : 0;
  // Excel writes this line before the header.
  const [separatorLine = '', separator] = /^"?sep=([,;\t|])"?\r?\n/i.exec(text.slice(from)) ?? [];
  from += separatorLine.length;
  from += /^(?:[ \t]*\r?\n)*/.exec(text.slice(from))?.[0].length ?? 0;
  const line = linesIn(text.slice(0, from)) + 1;
  const end = endOfRow(text, from);
  const row = text.slice(from, end).replace(/\r?\n$/, '');
  const delimiter = given ?? separator ?? mostOf(row);
  const columns = fieldsOf(row, delimiter).map((name, index) => name.trim() || `column_${index + 1}`);
  const head = text.slice(0, end);
  const header = { line, columns, delimiter, headLines: linesIn(head), headBytes: Buffer.byteLength(head) };
  const problem = problemOf(row, { isWhole: end < text.length || Buffer.byteLength(text) < MOST_BYTES, ...header });
  return problem === undefined ? header : { ...header, problem };
}

/** As many as are read of a file. */
const MOST_BYTES = 60_000;

function problemOf(
  row: string,
  { columns, delimiter, isWhole }: Pick<Header, 'columns' | 'delimiter'> & { isWhole: boolean },
) {
  if (row.trim() === '')
    return 'the file has no header; expected the names of its columns. Export it again with a header.';
  if (quotesIn(row) % 2 === 1 || !isWhole) {
    return 'the header does not end; expected the names of the columns, with each quote closed. Correct the first line.';
  }
  const better = mostOf(row);
  const others = fieldsOf(row, better).length;
  if (columns.length === 1 && others > 1) {
    return `the header has 1 column with the delimiter ${inWords(delimiter)}, and ${others} with ${inWords(better)}. Declare "delimiter ${NAMES[better]}".`;
  }
  return undefined;
}

function inWords(delimiter: string): string {
  return NAMES[delimiter] ?? JSON.stringify(delimiter);
}

/** Returns the position after the first line break outside quotes. */
function endOfRow(text: string, from: number): number {
  let isQuoted = false;
  for (let at = from; at < text.length; at++) {
    if (text[at] === '"') isQuoted = !isQuoted;
    else if (text[at] === '\n' && !isQuoted) return at + 1;
  }
  return text.length;
}

function mostOf(row: string): string {
  const unquoted = row.replace(/"[^"]*"/g, '');
  const count = (delimiter: string) => unquoted.split(delimiter).length;
  return DELIMITERS.reduce((most, delimiter) => (count(delimiter) > count(most) ? delimiter : most));
}

function fieldsOf(row: string, delimiter: string): string[] {
  const fields: string[] = [];
  let field = '';
  let isQuoted = false;
  for (let at = 0; at < row.length; at++) {
    const character = row[at] ?? '';
    if (character === '"' && isQuoted && row[at + 1] === '"') {
      field += '"';
      at++;
    } else if (character === '"') isQuoted = !isQuoted;
    else if (character === delimiter && !isQuoted) {
      fields.push(field);
      field = '';
    } else field += character;
  }
  return [...fields, field];
}

function linesIn(text: string): number {
  return text.split('\n').length - 1;
}

function quotesIn(text: string): number {
  return text.split('"').length - 1;
}
