/** Exports `readExport`: columns, encoding and the first rows of a CSV file. */
import { basename } from 'node:path';
import { delimiterIn, type Row, splitRows } from '../../../migration/input/csv/split-rows.js';
import { InputError } from '../../../migration/input/input-error.js';
import { openInput } from '../../../migration/input/open-input.js';
import { encodingOf, streamDecoder } from '../../../migration/input/text/code-pages.js';
import {
  identifyEncoding,
  likelyEncodings,
  refuseTwoEncodings,
} from '../../../migration/input/text/identify-encoding.js';
import { inputPaths } from '../../../migration/input/text/input-files.js';
import { firstText } from '../../../migration/input/text/open-text.js';
import { readChunks } from '../../../migration/input/text/read-chunks.js';
import { matchColumns, type NamedColumn } from './match-columns.js';

/** Number of rows that are read to find the format of dates and telephone numbers. */
const MOST_ROWS = 1000;

/** The first rows of an export. */
export type ExportFile = Awaited<ReturnType<typeof readExport>>;

export interface ReadOptions {
  /** The encoding that the user named, for files that are not in UTF-8. */
  encoding: string | undefined;
  /** Lets a person decide between encodings; undefined without a person. */
  choose: ((path: string, first: Buffer, encodings: readonly string[]) => Promise<string>) | undefined;
  /** Names of tables that other exports have. */
  tables: readonly string[];
}

/**
 * Reads the beginning of a file. Rejects with an `InputError` for a file that is not CSV, has no row, or may be in several encodings
 * if `choose` is undefined.
 */
export async function readExport(path: string, { encoding, choose, tables }: ReadOptions) {
  const [file] = await inputPaths([path], false);
  if (file?.format !== 'csv') throw new InputError(`${path}: expected a CSV export (.csv or .csv.gz).`);
  const { first } = await firstText(() => readChunks(path));
  const likely = likelyEncodings(first);
  refuseTwoEncodings(path, first);
  const isOpen = encoding === undefined && likely.length > 1;
  const given = encoding === undefined ? undefined : encodingOf(encoding, '--encoding');
  const found = isOpen && choose !== undefined ? await choose(path, first, likely) : likely[0];
  const isNamed = given !== undefined || (isOpen && choose === undefined);
  const used = isNamed ? identifyEncoding(path, { format: 'csv', first, given }) : found;
  const columns = new Map<string, string[]>();
  let rows = 0;
  const unread: string[] = [];
  const text = streamDecoder(used, false)(first);
  const skipLines = await linesAboveHeader(text.split(LINE_END));
  const map = (row: object) => {
    rows++;
    for (const [name, cell] of Object.entries<string>(row as Record<string, string>)) {
      const values = columns.get(name) ?? [];
      columns.set(name, values);
      if (cell.trim() !== '') values.push(cell.trim());
    }
    // A record without content: the iteration below counts rows.
    return { account: {} } as never;
  };
  const input = await openInput([path], { encoding: used, map: { skipLines, map } });
  try {
    for await (const line of input) {
      const read = line.read();
      if ('problem' in read) unread.push(`${path}:${line.line}: ${read.problem.detail}`);
      if (rows + unread.length >= MOST_ROWS) break;
    }
  } finally {
    await input.close();
  }
  const [why = `${path}: expected a header with the column names and at least one row.`] = unread;
  if (rows === 0) throw new InputError(why);
  return {
    /** As the user gave it. */
    path,
    /** Name of the table in a query: the file name without its ending. */
    table: newName(tableName(path), tables),
    /** A name of the WHATWG Encoding Standard. */
    encoding: used,
    delimiter: delimiterIn(text.split(LINE_END).slice(skipLines).join('\n')),
    /** Number of lines above the header. */
    skipLines,
    columns: [...columns].map(([name, values]): NamedColumn => ({ name, values })),
    /** Number of rows that were read. */
    rows,
    /** Why others were not: places and causes. */
    unread,
  };
}

const LINE_END = /\r\n|\r|\n/;
/** Lines that are compared, and lines above a header. */
const MOST_LINES = 200;
const MOST_ABOVE = 20;

/** Returns the number of lines above the first row that has as many fields as most rows after it, and a name of a column that is known. */
async function linesAboveHeader(texts: readonly string[]): Promise<number> {
  const start = texts.findIndex((text) => text.trim() !== '' && !/^sep=/i.test(text));
  const lines = texts.slice(0, MOST_LINES).map((text, at) => ({ number: at + 1, bytes: Buffer.from(text) }));
  for (let at = start; at <= start + MOST_ABOVE; at++) {
    const rows: Row[] = [];
    for await (const row of splitRows([lines], { skipLines: at })) rows.push(row);
    const [header] = rows;
    const names = header?.fields ?? [];
    const alike = rows.filter(({ fields }) => fields?.length === names.length);
    const isComplete = names.length > 1 && names.slice(0, -1).every((name) => name.trim() !== '');
    if (header === undefined || !isComplete || alike.length * 2 <= rows.length) continue;
    if (at === start) return 0;
    if (matchColumns(names.map((name) => ({ name, values: [] }))).isHeaderKnown) return header.lines[0].number - 1;
  }
  return 0;
}

/** Returns the cells of a column that are not empty. */
export function valuesOf({ columns }: ExportFile, column: string): readonly string[] {
  return columns.find(({ name }) => name === column)?.values ?? [];
}

function newName(name: string, taken: readonly string[]): string {
  for (let number = 2, one = name; ; one = `${name}_${number++}`) if (!taken.includes(one)) return one;
}

/** Letters without accents, digits and _: for every path the name of a table, and of the file with the query. */
function tableName(path: string): string {
  const name = basename(path)
    .replace(/\.(csv|txt|tsv)(\.gz)?$/i, '')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/\W+/)
    .filter((word) => word !== '')
    .join('_');
  if (name === '') return 'source';
  return /^[a-z]/.test(name) ? name : `source_${name}`;
}
