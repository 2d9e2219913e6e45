/** Exports `openSqlInput`, which returns the rows of a SQL file as records, and `describeSql`, which returns columns and reads no rows. */
import { hash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { resolve } from 'node:path';
import { counted } from '../../shared/format.js';
import { lookLikeData } from '../csv/csv-row.js';
import { refuseIncomplete } from '../incomplete-records.js';
import { InputError } from '../input-error.js';
import { createFileFacts, type FileReading, type InputFile } from '../input-file.js';
import type { InputLine } from '../source.js';
import { problem, problemItem } from '../text/parse-record.js';
import { readChunks } from '../text/read-chunks.js';
import { computeRecords } from './compute-records.js';
import { type ConfiguredSources, readSqlFile, type SqlFile } from './declarations.js';
import { describeDuckDbError, describeSourceError } from './duckdb-error.js';
import { type Engine, loadDuckDb, openEngine, quoted } from './engine.js';
import { BEFORE_QUERY, checkQuery, columnsRead, createRecordView, isRead, type ResultColumn } from './query.js';
import {
  type CopiedSource,
  copySource,
  type IdentifiedSource,
  identifySource,
  NOTHING_COPIED,
  type SourceDefaults,
} from './source-text.js';
import { createEmptyTable, createView, describeTable, loadTable, type Table } from './tables.js';
import { openWorkFolder, type WorkFolder } from './work-folder.js';

export interface SqlOptions extends SourceDefaults {
  /** Sources in addition to those that the file declares. */
  sources?: ConfiguredSources | undefined;
  /** Folder of temporary files. */
  spoolFolder: string;
  showPersonalData: boolean;
}

/** Memory limit of a sliced query. Others may use most of the memory, because they cannot be computed in parts. */
const MEMORY_MIB = 800;
const SHARE_OF_MEMORY = 0.6;
const BYTES_OF_A_SLICE = 27e6;
const MOST_SLICES = 1000;

/** Rejects with an `InputError` if the query or a source is invalid, before a record is computed. */
export async function openSqlInput(name: string, options: SqlOptions) {
  return withSources(name, options, async (opened) => {
    const { columns, read } = await checked(opened);
    return load(opened, columns, read);
  });
}

/** Resolves with the columns of the sources and of the result. Rejects as `openSqlInput`, but does not find errors in the rows of a source. */
export async function describeSql(name: string, options: SqlOptions) {
  return withSources(name, options, async (opened) => {
    const { columns } = await checked(opened);
    opened.engine.close();
    await opened.work.remove();
    return { duckDb: opened.engine.duckDb, tables: opened.sources.map(({ table }) => table), columns };
  });
}

/** A source whose columns are known. */
interface KnownSource {
  source: IdentifiedSource;
  table: Table;
  /** The copy, or the Parquet file itself. */
  file: string;
  /** undefined before it was created. */
  copied: CopiedSource | undefined;
  facts: ReturnType<typeof createFileFacts>;
  reading: FileReading;
}

interface Opened {
  sql: SqlFile;
  engine: Engine;
  work: WorkFolder;
  sources: KnownSource[];
  options: SqlOptions;
}

async function withSources<Result>(
  name: string,
  options: SqlOptions,
  use: (opened: Opened) => Promise<Result>,
): Promise<Result> {
  const sql = await readSqlFile(name, options.sources);
  const duckDb = await loadDuckDb();
  const identified: IdentifiedSource[] = [];
  for (const source of sql.sources) identified.push(await identifySource(source, options));
  const work = await openWorkFolder(options.spoolFolder);
  let engine: Engine | undefined;
  try {
    const memoryMiB = sql.slices === undefined ? mostMemory() : MEMORY_MIB;
    engine = await openEngine(duckDb, { memoryMiB, spillFolder: work.at('spill') });
    const sources: KnownSource[] = [];
    for (const source of identified) sources.push(await know(source, engine, work, options));
    await engine.lock(
      work.path,
      sources.flatMap(({ source, file }) => (source.kind === 'parquet' ? file : [])),
    );
    return await use({ sql, engine, work, sources, options });
  } catch (error) {
    engine?.close();
    await work.remove();
    throw describeDuckDbError(error, sql, { hasValues: true, showPersonalData: options.showPersonalData });
  }
}

function mostMemory(): number {
  const constrained = process.constrainedMemory?.() ?? 0;
  const all = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  return Math.floor((all * SHARE_OF_MEMORY) / 2 ** 20);
}

/** Returns the columns of a source. A JSON source is copied for that, because its types are known only after all of it was read. */
async function know(
  source: IdentifiedSource,
  engine: Engine,
  work: WorkFolder,
  { showPersonalData }: SqlOptions,
): Promise<KnownSource> {
  const { name, path } = source.declared;
  const file = source.kind === 'parquet' ? path : work.at(`${name}.${source.kind}`);
  const facts = createFileFacts(path, showPersonalData);
  const reading = facts.beginReading();
  const copied = source.kind === 'json' ? await copySource(source, file, reading) : undefined;
  try {
    const table = await describeTable(engine, source, file);
    const rounded = table.columns.find(({ type }) => /\bDOUBLE\b/.test(type));
    if (copied?.hasLongInteger && rounded !== undefined)
      throw new InputError(
        `${source.declared.file}: an integer has more than 15 digits, and the numbers of the column ${lookLikeData([rounded.name]) ? '*' : JSON.stringify(rounded.name)} would be rounded. Write such integers as texts.`,
      );
    return { source, file, copied, table, facts, reading };
  } catch (error) {
    throw describeSourceError(error, source);
  }
}

/** Checks the query against tables without rows, so that a misspelt column is found before large sources are read. */
async function checked({ sql, engine, sources }: Opened) {
  const tables = sources.map(({ table }) => table);
  for (const table of tables) await createEmptyTable(engine, table);
  const columns = await checkQuery(engine, sql, tables);
  const read = await columnsRead(engine, sql);
  await engine.lockSettings();
  for (const { name } of tables) await engine.run(`DROP TABLE ${quoted(name)}`);
  return { columns, read };
}

/** `read`: the columns that the query reads, by table. */
async function load(opened: Opened, columns: readonly ResultColumn[], read: ReadonlyMap<string, readonly string[]>) {
  const { sql, engine, work, sources, options } = opened;
  const files: InputFile[] = [
    { source: sql.name, bytes: Buffer.byteLength(sql.text), sha256: hash('sha256', sql.text) },
  ];
  const unreadable: InputLine[] = [];
  const unreadSources: InputLine[] = [];
  // The next source is copied while one is loaded.
  let next = copyOf(sources[0]);
  for (const [index, source] of sources.entries()) {
    const copied = await next;
    next = copyOf(sources[index + 1]);
    if (copied === undefined) continue;
    const { name, isOfQuery } = source.source.declared;
    const readOfIt = read.get(name);
    const rows = await loadSource(source, copied, engine);
    files.push(factsOf(source, rows + copied.unreadable.length, readOfIt ?? []));
    if (readOfIt === undefined && isOfQuery && rows > 0) unreadSources.push(unreadSource(source, rows));
    unreadable.push(...copied.unreadable);
  }
  const slices = slicesOf(opened);
  for (const { table } of sources) await createView(engine, table, slices?.column);
  await createRecordView(engine, sql, columns);
  // A query may read any of its files.
  const identity = hash('sha256', JSON.stringify(files.map(({ source, sha256 }) => [resolve(source), sha256])));
  const details = { before: BEFORE_QUERY, hasValues: true, showPersonalData: options.showPersonalData };
  const describe = (error: unknown) => describeDuckDbError(error, sql, details);
  const records = computeRecords({ engine, work, source: sql.name, slices, describe });
  return {
    async *lines(): AsyncGenerator<InputLine[]> {
      const refuse = refuseIncomplete(unreadable);
      for await (const lines of records.lines())
        yield unreadable.length === 0 ? lines : lines.map((line) => refuse(line));
      yield unreadable;
    },
    /** Sources that the query declares and never reads, each as a line that is rejected. */
    unreadSources: () => unreadSources,
    /** The SQL file, and its sources. */
    files: () => files,
    identity: () => identity,
    contents: async () => files.map(({ source, sha256 = '' }) => ({ source, sha256, mapping: identity })),
    async close(): Promise<void> {
      await records.close();
      await work.remove();
    },
  };
}

/** Its error is that of the caller who waits for it. */
function copyOf(known: KnownSource | undefined): Promise<CopiedSource | undefined> {
  const copying = copied(known);
  copying.catch(() => {});
  return copying;
}

async function copied(known: KnownSource | undefined): Promise<CopiedSource | undefined> {
  if (known === undefined || known.copied !== undefined) return known?.copied;
  const { source, file, reading } = known;
  if (source.kind === 'csv') return copySource(source, file, reading);
  for await (const _ of reading.chunks(readChunks(source.declared.path)));
  return NOTHING_COPIED;
}

/** Resolves with the number of rows. */
async function loadSource(
  { source, table, file, reading }: KnownSource,
  { longest }: CopiedSource,
  engine: Engine,
): Promise<number> {
  try {
    const rows = await loadTable(engine, source, table, { file, longest });
    if (source.kind === 'csv' && reading.rows !== rows)
      throw new InputError(
        `${source.declared.file}: ${reading.rows} rows were read, and the database has ${rows}. Report this as a bug.`,
      );
    reading.rows = rows;
    return rows;
  } catch (error) {
    throw describeSourceError(error, source);
  } finally {
    if (source.kind !== 'parquet') await rm(file, { force: true });
  }
}

/** `items`: number of its rows, with those that cannot be read. `read`: the columns that the query reads. */
function factsOf(
  { table: { columns }, facts, reading }: KnownSource,
  items: number,
  read: readonly string[],
): InputFile {
  const names = columns.map(({ name }) => name);
  const readNames = reading.header(names);
  for (const name of names) if (isRead(name, read)) readNames.add(name);
  reading.items = items;
  reading.end();
  const { csv, ...file } = facts.facts();
  return { ...file, ...(csv !== undefined && { csv: { ...csv, reader: 'query' } }) };
}

function unreadSource({ source: { declared } }: KnownSource, rows: number): InputLine {
  const { name, path, declaredAt } = declared;
  const detail = `The query never reads the source ${name}: none of its ${counted(rows, 'row')} is in a record of the query, and none is sent. Read it in the query, or remove its declaration (${declaredAt}).`;
  return problemItem(path, 1, name, problem('row_in_no_record', detail));
}

/** Returns the slices by the values of the first source with the column. */
function slicesOf({ sql: { slices }, sources }: Opened) {
  if (slices === undefined) return undefined;
  const { column, count, declaredAt } = slices;
  const has = ({ columns }: Table) => columns.some(({ name }) => name.toLowerCase() === column.toLowerCase());
  const table = sources.map((one) => one.table).find(has)?.name;
  if (table === undefined) throw new InputError(`${declaredAt}: slices by ${column}: no source has this column.`);
  const bytes = sources.reduce((sum, { source }) => sum + source.bytes, 0);
  return { table, column, count: count ?? Math.min(Math.ceil(bytes / BYTES_OF_A_SLICE), MOST_SLICES) };
}
