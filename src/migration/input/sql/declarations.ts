/** Exports `readSqlFile`, which returns the text of a SQL file and the declarations in its first comments: sources and slices. */
import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { placesOfSameName } from '../csv/check-rows.js';
import { type CsvFormat, checkCsvFormat } from '../csv/split-rows.js';
import { InputError, whyNotRead } from '../input-error.js';

/** A source of a query: a file that it reads as a table. */
export interface SqlSource extends CsvFormat {
  /** The path of the file: text with a header, plain or `.gz`; JSON, an array or a value per line; or Parquet. */
  file: string;
  /**
   * Encoding of a text file that begins with no byte order mark, such as `windows-1252`.
   * @default `encoding` of `openInput`, otherwise UTF-8
   */
  encoding?: string | undefined;
  /**
   * Text between two fields of a text file, or the name of a character: `comma`, `semicolon`, `tab` or `pipe`.
   * @default the one of `,`, `;`, tab and `|` that the header and the rows after it have equally often
   */
  delimiter?: string | undefined;
}

/** A declared source with its name and the place of its declaration. */
export interface DeclaredSource extends SqlSource {
  name: string;
  /** `customers.sql:1`, or the name of the configuration. */
  declaredAt: string;
  /** Whether the query declares it. A source of the configuration may be for another query. */
  isOfQuery: boolean;
  /** Where the file is. */
  path: string;
}

/** Slices: the records are computed in parts, each for a range of values of `column`. */
interface Slices {
  column: string;
  /** Number of slices; undefined: by the size of the sources. */
  count: number | undefined;
  declaredAt: string;
}

export interface SqlFile {
  /** File name as the user gave it. */
  name: string;
  text: string;
  sources: DeclaredSource[];
  slices: Slices | undefined;
}

/** Sources of queries, declared outside of them. */
export interface ConfiguredSources {
  /** By the name that a query gives the table. */
  sources: Readonly<Record<string, SqlSource>>;
  /** Folder for relative paths. */
  folder: string;
  /** Place of the declarations in messages, such as `data-import.config.json`. */
  declaredAt: string;
}

/** Names of delimiters. */
export const DELIMITERS: Readonly<Record<string, string>> = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' };
const NAME = /^[a-z_]\w*$/i;
const EXPECTED_SOURCE =
  'expected -- source <name>: <file>, encoding <name>, delimiter <character>, skipLines <number>, quote <character or none>';
const EXPECTED_SLICES = 'expected -- slices by <column>, or -- slices <number> by <column>';

/** Rejects with an `InputError` if the file cannot be read, or if a declaration in it is invalid. */
export async function readSqlFile(name: string, configured?: ConfiguredSources): Promise<SqlFile> {
  const text = await readText(name);
  const sources: DeclaredSource[] = [];
  let slices: Slices | undefined;
  for (const [index, line] of headOf(text).entries()) {
    const declaredAt = `${name}:${index + 1}`;
    if (/^source\s.*:/i.test(line)) sources.push(sourceOf(line, declaredAt, dirname(name)));
    else if (/^slices\s/i.test(line)) slices = slicesOf(line, declaredAt);
  }
  for (const [source, declared] of Object.entries(configured?.sources ?? {}))
    if (configured !== undefined) sources.push(configuredSource(source, declared, configured));
  refuseSameNames(sources);
  return { name, text, sources, slices };
}

async function readText(name: string): Promise<string> {
  const bytes = await readFile(name).catch((error: unknown) => {
    throw new InputError(`${name}: cannot be read (${whyNotRead(error)}); expected the path of a query.`, {
      cause: error,
    });
  });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new InputError(`${name}: the file is not in UTF-8. Save it in UTF-8.`, { cause: error });
  }
}

/** Returns the comments before the query, without `--`; '' for a blank line. */
function headOf(text: string): string[] {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const end = lines.findIndex((line) => line !== '' && !line.startsWith('--'));
  return (end < 0 ? lines : lines.slice(0, end)).map((line) => line.replace(/^--+\s*/, ''));
}

function sourceOf(line: string, declaredAt: string, folder: string): DeclaredSource {
  const colon = line.indexOf(':');
  const name = line.slice('source'.length, colon).trim();
  const declared = line.slice(colon + 1).trim();
  const [all = '', plain] = /^(?:"(?:[^"\\]|\\.)*"|([^",]+))/.exec(declared) ?? [];
  const file = plain === undefined ? textIn(all, declaredAt) : plain.trim();
  if (!NAME.test(name) || file === '') {
    throw new InputError(`${declaredAt}: the source cannot be read; ${EXPECTED_SOURCE}.`);
  }
  const given: Record<string, string> = {};
  let rest = declared.slice(all.length).trim();
  while (rest !== '') {
    const [found = '', option = '', value = ''] =
      /^,\s*(encoding|delimiter|skipLines|quote)\s+(\S+?)\s*(?=$|,\s*[a-z])/i.exec(rest) ?? [];
    if (found === '' || option.toLowerCase() in given) {
      throw new InputError(`${declaredAt}: found "${rest}" after the file; ${EXPECTED_SOURCE}.`);
    }
    given[option.toLowerCase()] = value;
    rest = rest.slice(found.length);
  }
  const { encoding, delimiter, skiplines, quote } = given;
  const skipLines = skiplines === undefined ? undefined : Number(skiplines);
  const source = { file, encoding, delimiter, skipLines, quote: quote?.toLowerCase() === 'none' ? '' : quote };
  return declare(name, source, { declaredAt, folder, isOfQuery: true });
}

/** A file name in quotes is a JSON string, so that a declaration can have every name. */
function textIn(quoted: string, declaredAt: string): string {
  try {
    return quoted === '' ? '' : JSON.parse(quoted);
  } catch (error) {
    throw new InputError(
      `${declaredAt}: the file name ${quoted} is not a JSON string; expected \\" for a quote and \\\\ for a backslash.`,
      { cause: error },
    );
  }
}

function configuredSource(
  name: string,
  declared: SqlSource,
  { folder, declaredAt }: ConfiguredSources,
): DeclaredSource {
  const at = `${declaredAt}: sources.${name}`;
  if (!NAME.test(name)) throw new InputError(`${at}: expected a name of letters, digits and _.`);
  if (declared?.file === undefined)
    throw new InputError(`${at}: expected an object such as {"file": "customers.csv", "encoding": "windows-1252"}.`);
  return declare(name, declared, { declaredAt: at, folder, isOfQuery: false });
}

function declare(
  name: string,
  source: SqlSource,
  { folder, ...at }: Pick<DeclaredSource, 'declaredAt' | 'isOfQuery'> & { folder: string },
): DeclaredSource {
  const { delimiter } = source;
  const format = { ...source, delimiter: DELIMITERS[String(delimiter).toLowerCase()] ?? delimiter };
  checkCsvFormat(at.declaredAt, format, 'file', 'encoding');
  const path = isAbsolute(source.file) ? source.file : join(folder, source.file);
  return { ...format, name, path, ...at };
}

function slicesOf(line: string, declaredAt: string): Slices {
  const [, count, quoted, plain] = /^slices\s+(?:(\d{1,4})\s+)?by\s+(?:"([^"]+)"|(\S+))$/i.exec(line) ?? [];
  const column = quoted ?? plain;
  if (column === undefined || count === '0') {
    throw new InputError(`${declaredAt}: the slices cannot be read; ${EXPECTED_SLICES}.`);
  }
  return { column, count: count === undefined ? undefined : Number(count), declaredAt };
}

/** SQL names are not case-sensitive. */
function refuseSameNames(sources: readonly DeclaredSource[]): void {
  const [first = 0, again = 0] = placesOfSameName(sources.map(({ name }) => name.toLowerCase())) ?? [];
  const [other, source] = [sources[first - 1], sources[again - 1]];
  if (source === undefined) return;
  throw new InputError(
    `${source.declaredAt}: the source ${source.name} is declared twice; the other is at ${other?.declaredAt}. Remove one.`,
  );
}
