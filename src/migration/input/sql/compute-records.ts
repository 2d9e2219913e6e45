/** Exports `computeRecords`, which executes a query in parts, stores each part in a file without a name, and reads the sorted records from it. */
import { type FileHandle, open, rm } from 'node:fs/promises';
import { valuesThatAreNotJson } from '../../../../schemas/fields.js';
import { presentablePath } from '../../../errors/items.js';
import type { InputLine, ReadRecord } from '../source.js';
import { LineItem } from '../text/json-lines.js';
import { problem } from '../text/parse-record.js';
import { type Engine, literal, quoted } from './engine.js';
import { RECORD } from './query.js';
import type { WorkFolder } from './work-folder.js';

export interface ComputeOptions {
  engine: Engine;
  work: WorkFolder;
  /** Name of the SQL file. */
  source: string;
  slices: { table: string; column: string; count: number } | undefined;
  /** Converts an error of DuckDB to one with a message for users. */
  describe: (error: unknown) => Error;
}

/** Rows of the result that are computed together. `high` undefined: without an upper bound. */
interface Part {
  kinds: string;
  low: string;
  high: string | undefined;
}

const RECORDS_AT_ONCE = 1000;
/** Separates key and record. JSON escapes it. */
const SEPARATOR = 1;
const LF = 10;

export function computeRecords(options: ComputeOptions) {
  const { engine, source } = options;
  let parts: Promise<Part[]> | undefined;
  const files: Promise<FileHandle>[] = [];
  let isClosed = false;

  /** Each part is computed once, and one after another: a connection runs one statement at a time. */
  function fileOf(part: Part, index: number): Promise<FileHandle> {
    const before = files[index - 1];
    files[index] ??= (async () => {
      await before;
      return await computePart(options, part, index);
    })();
    // The reader of this part receives the error.
    files[index].catch(() => {});
    return files[index];
  }

  async function* lines(): AsyncGenerator<InputLine[]> {
    parts ??= partsOf(options);
    const all = await parts;
    let line = 1;
    for (const [index, part] of all.entries()) {
      const handle = await fileOf(part, index);
      const next = all[index + 1];
      // The next part is computed while this one is read.
      if (next !== undefined) void fileOf(next, index + 1);
      for await (const batch of readSorted(handle, source, line)) {
        line += batch.length;
        yield batch;
      }
    }
  }
  return {
    lines,
    async close(): Promise<void> {
      if (isClosed) return;
      isClosed = true;
      engine.connection.interrupt();
      for (const file of await Promise.allSettled(files)) if (file.status === 'fulfilled') await file.value.close();
      engine.close();
    },
  };
}

/** Pre-populations and businesses first. Bounds are values of the column, so that each part has about as many accounts. */
async function partsOf({ engine, slices }: ComputeOptions): Promise<Part[]> {
  const first = { kinds: 'kind < 2', low: '', high: undefined };
  const bounds = slices === undefined ? [] : await boundsOf(engine, slices);
  const accounts = ['', ...bounds].map((low, index) => ({ kinds: 'kind = 2', low, high: bounds[index] }));
  return [first, ...accounts];
}

async function boundsOf(engine: Engine, { table, column, count }: { table: string; column: string; count: number }) {
  if (count < 2) return [];
  const shares = Array.from({ length: count - 1 }, (_, index) => (index + 1) / count);
  const sql = `SELECT unnest(quantile_disc(coalesce(${quoted(column)}::VARCHAR, ''), [${shares.join(', ')}])) FROM loaded.${quoted(table)}`;
  const values = (await engine.column(sql)).map(String);
  // As DuckDB compares.
  const byCodePoints = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));
  return [...new Set(values)].filter((value) => value !== '').sort(byCodePoints);
}

async function computePart(
  { engine, work, describe }: ComputeOptions,
  { kinds, low, high }: Part,
  index: number,
): Promise<FileHandle> {
  const path = work.at(`records-${index}.jsonl`);
  // DuckDB keeps the mode of a file that exists.
  const file = await open(path, 'wx+', 0o600);
  try {
    await engine.run(
      `SET VARIABLE low = ${literal(low)}`,
      `SET VARIABLE high = ${high === undefined ? 'NULL' : literal(high)}`,
      `COPY (SELECT kind || key, text FROM ${RECORD} WHERE ${kinds}) TO ${literal(path)} (FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER '${String.fromCharCode(SEPARATOR)}', USE_TMP_FILE false)`,
    );
  } catch (error) {
    await file.close();
    throw describe(error);
  } finally {
    // Without a name, the file ends with the process. On Windows a file in use keeps its name, and `close` removes it.
    await rm(path, { force: true }).catch(() => {});
  }
  return file;
}

async function* readSorted(file: FileHandle, source: string, firstLine: number): AsyncGenerator<InputLine[]> {
  const bytes = dropNulls(await readWhole(file));
  const keys: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  for (let from = 0, end = bytes.indexOf(LF); end >= 0; from = end + 1, end = bytes.indexOf(LF, from)) {
    const middle = bytes.indexOf(SEPARATOR, from);
    keys.push(bytes.toString('latin1', from, middle));
    starts.push(middle + 1);
    ends.push(end);
  }
  const textAt = (index: number) => bytes.subarray(starts[index], ends[index]);
  const order = Uint32Array.from(keys.keys()).sort((one, other) => {
    const [key = '', otherKey = ''] = [keys[one], keys[other]];
    if (key !== otherKey) return key < otherKey ? -1 : 1;
    // Records with equal keys have the same order in each session.
    return Buffer.compare(textAt(one), textAt(other));
  });
  for (let at = 0; at < order.length; at += RECORDS_AT_ONCE) {
    const batch = [...order.subarray(at, at + RECORDS_AT_ONCE)];
    yield batch.map((of, index) => new RecordLine(source, firstLine + at + index, textAt(of), keys[of] ?? ''));
  }
}

async function readWhole(file: FileHandle): Promise<Buffer> {
  const { size } = await file.stat();
  const bytes = Buffer.allocUnsafe(size);
  for (let done = 0; done < size; ) {
    const { bytesRead } = await file.read(bytes, done, Math.min(size - done, MOST_READ), done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return bytes;
}

const MOST_READ = 2 ** 26;

const KINDS = ['populate', 'business', 'account'];

/** A class, because there are millions of them: see `LineItem` of JSON Lines. */
class RecordLine extends LineItem {
  constructor(
    source: string,
    line: number,
    bytes: Buffer,
    /** The kind, and the number as JSON in UTF-8. */
    readonly key: string,
  ) {
    super(source, line, bytes);
  }

  get label(): string {
    const kind = KINDS[Number(this.key[0])] ?? '';
    const number: unknown = JSON.parse(Buffer.from(this.key.slice(1), 'latin1').toString());
    // The row of the result, in its order.
    return number === '' && kind !== 'populate'
      ? `${kind} without a number (row ${this.line})`
      : `${kind} ${number}`.trim();
  }

  override read(): ReadRecord {
    const read = super.read();
    const isBroken = 'problem' in read && read.problem.code === 'invalid_json';
    return (isBroken ? problemOfNumber(this.text) : undefined) ?? read;
  }
}

const NULL = Buffer.from(':null');
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const QUOTE = 0x22;
const N = 0x6e;

/** Changes `bytes`, JSON without blanks, and returns the part of them that has the result: without the fields of objects that are null. */
function dropNulls(bytes: Buffer): Buffer {
  if (!bytes.includes(NULL)) return bytes;
  /** Up to here the bytes were read, and up to there they were written. */
  let read = 0;
  let written = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] !== QUOTE) continue;
    let start = at;
    at = endOfString(bytes, at);
    // A string before a colon is a name, and of all values only null begins so.
    if (bytes[at + 1] !== COLON || bytes[at + 2] !== N) continue;
    at += NULL.length;
    // The comma before it may have gone with the field before it.
    if (bytes[start - 1] === COMMA && start > read) start--;
    else if (bytes[at + 1] === COMMA) at++;
    if (written < read) bytes.copyWithin(written, read, start);
    written += start - read;
    read = at + 1;
  }
  if (read === 0) return bytes;
  bytes.copyWithin(written, read);
  return bytes.subarray(0, written + bytes.length - read);
}

/** Returns the position of the quote that ends a string. */
function endOfString(bytes: Buffer, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** Returns the problem of a record with a number that JSON does not have. DuckDB writes it as JavaScript would. */
function problemOfNumber(text: string): ReadRecord | undefined {
  // JavaScript reads 1e999 as Infinity.
  const json = text.replace(/"(?:[^"\\]|\\.)*"|-?(?:NaN|Infinity)/g, (token) =>
    token.startsWith('"') ? token : '1e999',
  );
  if (json === text) return undefined;
  const [found] = valuesThatAreNotJson(JSON.parse(json));
  return problem('invalid_json_value', NOT_A_NUMBER, presentablePath((found?.path ?? []).join('.')));
}

const NOT_A_NUMBER =
  'The query computes Infinity or NaN, which JSON does not have. A division by 0 gives it: divide by nullif(<divisor>, 0).';
