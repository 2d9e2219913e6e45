/** Exports the facts about an input for the report of a run, and the columns and rows that are in no record. */
import { hash as digest } from 'node:crypto';
import { resolve } from 'node:path';
import type { ImportRecord } from '../../../validation/records/import-record.js';
import { type OwnValue, ownValues, SHARED } from '../../../validation/records/own-values.js';
import { type Comparisons, createComparisons } from '../../../validation/records/warnings-between-records.js';
import type { InputFile, SomeRows } from '../../input/input-file.js';
import type { Input } from '../../input/source.js';
import { countRecord } from '../../record/items/count-items.js';
import { counted, number } from '../../shared/format.js';
import { createHashSet } from '../../shared/hash-set.js';
import { type LinePlace, linePlace, type Placed, placeInWords } from '../../shared/place.js';
import { oneLine } from '../../shared/printable.js';
import { createGroups, type ErrorGroup } from './error-groups.js';
import { createInputProfile, type ProfileState } from './input-profile.js';

/** Facts about the input, from the part read so far. */
export interface InputReport {
  files: readonly RunInputFile[];
  /** Missing if there are none. */
  populates?: number;
  businesses: number;
  accounts: number;
  /** Of a run: warnings that compare its records, by code and path, with their number and the first places. */
  warnings?: readonly ErrorGroup[] | undefined;
  /** Of a run: what is in the fields, so that its next session continues it. */
  profile: ProfileState;
}

/** One file of the input of a run. */
interface RunInputFile extends InputFile {
  /** The command of the last session with this file. */
  command?: string;
}

/** Stores the report between sessions. */
interface InputFolder {
  write(name: 'input', input: InputReport): Promise<void>;
  read(name: 'input'): Promise<InputReport | undefined>;
}

/**
 * Resolves with the tally of the records of a run, over all its sessions. `isWholeInput`: false for corrected lines, whose files are no part of
 * the input. `command`: of the session.
 */
export async function tallyInput(folder: InputFolder, { input, isWholeInput, command }: TallyOptions) {
  const former = await folder.read('input');
  const values = createOwnValueIndex();
  let facts = factCounter(former).facts();
  let counter: ReturnType<typeof factCounter> | undefined;
  const counterOf = (isFirst: boolean) => {
    counter ??= factCounter(isFirst ? undefined : former);
    return counter;
  };
  const files = () => {
    const ofSession = (input.files?.() ?? []).map((file) => ({
      ...file,
      ...(command() !== '' && { command: command() }),
    }));
    return isWholeInput ? mostRead(former?.files ?? [], ofSession) : (former?.files ?? []);
  };
  const save = () => folder.write('input', { files: files(), ...facts });
  return {
    read: values.read,
    /** Counts a new record of a reading. `isFirst`: the run had no records before, so that it has none of earlier readings either. */
    add(record: ImportRecord, place: Placed, isFirst: boolean): void {
      counterOf(isFirst).add(record, place);
    },
    /**
     * Call it with the new records of a reading once that is complete. Resolves when the facts are stored: before any of the records is sent,
     * so that a kill does not lose them.
     */
    async complete(records: AsyncIterable<CountedRecord>, isFirst: boolean): Promise<void> {
      if (values.areShared()) for await (const { record, ...place } of records) values.add(record, place);
      facts = counterOf(isFirst).facts(values);
      await save();
    },
    /** Writes the facts of the complete readings, and the files of this session. */
    save,
    /** Returns the commands with these files, each once. */
    commandsOf(sources: ReadonlySet<string>): string[] {
      const commands = new Map(files().map(({ source, command: given }) => [resolve(source), given]));
      const found = [...sources].map((source) => commands.get(resolve(source)));
      return [...new Set(found.filter((one) => one !== undefined))];
    },
  };
}

interface TallyOptions {
  input: Input;
  isWholeInput: boolean;
  command: () => string;
}

/** A record with the place of its line. */
type CountedRecord = Placed & { record: ImportRecord };

/** Adds the facts about records to the former ones: their fields, and what their comparison with each other shows. */
function factCounter(former: InputReport | undefined) {
  const { populates, businesses = 0, accounts = 0 } = former ?? {};
  const records = { ...(populates !== undefined && { populates }), businesses, accounts };
  const profiler = createInputProfile(former?.profile);
  const comparisons = createComparisons<LinePlace>();
  return {
    add(record: ImportRecord, place: Placed): void {
      countRecord(record, records);
      profiler.add(record);
      comparisons.add({ ...record }, linePlace(place));
    },
    facts(values = createOwnValueIndex()): Omit<InputReport, 'files'> {
      const warnings = groupsOf([...comparisons.findings(), ...values.findings()], former?.warnings);
      return { ...records, warnings, profile: profiler.state() };
    },
  };
}

/** Finds new records with a value that only one record of the input should have, and another one has: see `ownValues`. */
export function createOwnValueIndex() {
  const [seen, shared] = [createHashSet(), createHashSet()];
  const found = new Map<OwnValue['what'], { count: number; first: { place: LinePlace; attr: string }[] }>();
  let hasRead = false;
  const hashesOf = (record: ImportRecord) =>
    [...ownValues({ ...record })].map(({ key, ...value }) => ({ ...value, hash: digest('sha256', key) }));
  const index = (record: ImportRecord) => {
    // A record may have a value twice.
    const own = new Map(hashesOf(record).map(({ hash, isDigits = false }) => [hash, isDigits]));
    for (const [hash, isDigits] of own) {
      if (!seen.add(hash, isDigits ? OF_DIGITS : 0) && !(isDigits && seen.noteOf(hash) === OF_DIGITS)) shared.add(hash);
    }
  };
  return {
    read(record: ImportRecord): void {
      hasRead = true;
      index(record);
    },
    add(record: ImportRecord, placed: Placed): void {
      // A session that resumes may not read the input.
      if (!hasRead) index(record);
      if (shared.isEmpty()) return;
      const place = linePlace(placed);
      const attrs = new Map(
        hashesOf(record).flatMap(({ what, attr, hash }) => (shared.has(hash) ? [[attr, what]] : [])),
      );
      for (const [attr, what] of attrs) {
        const { count, first } = found.get(what) ?? { count: 0, first: [] };
        found.set(what, { count: count + 1, first: [...first, { place, attr }].slice(0, MOST_PLACES) });
      }
    },
    areShared: () => !shared.isEmpty(),
    findings: () => [...found].map(([what, counted]) => ({ ...SHARED[what], ...counted })),
  };
}

const MOST_PLACES = 3;
/** Note of a number that has only digits. */
const OF_DIGITS = 1;

function groupsOf(
  findings: ReturnType<Comparisons<LinePlace>['findings']>,
  former: readonly ErrorGroup[] | undefined,
): ErrorGroup[] {
  const groups = createGroups(former);
  for (const { count, first, ...found } of findings) {
    const places = first.map(({ place, attr }) => placeInWords({ ...place, attr }));
    groups.add(places, [{ step: 'check', ...found }], count);
  }
  return groups.list();
}

/** Returns a heading, and a line for each kind of warning: with its number, its meaning and the first places. */
export function warningsInWords(warnings: readonly ErrorGroup[]): string[] {
  if (warnings.length === 0) return [];
  const lines = warnings.slice(0, MOST_WARNINGS).map((group) => warningInWords(group));
  const more = warnings.length - lines.length;
  return [
    'Warnings of the local check, which keep no record from being sent:',
    ...lines,
    ...(more > 0
      ? [`         … and ${counted(more, 'more kind', 'more kinds')} of warnings; report.html lists all`]
      : []),
  ];
}

/** Returns `   1200  email_in_unusual_form at account.customers.*.email: Expected one e-mail address without spaces. (in.jsonl:1 account.customers.0.email, …)`. */
function warningInWords({ code, attr, count, samples, detail }: ErrorGroup): string {
  const more = count > samples.length ? ', …' : '';
  const parts = [
    `${String(count).padStart(9)}  ${code}`,
    ...(attr === '' ? [] : [` at ${attr}`]),
    ...(detail === undefined ? [] : [`: ${detail}`]),
    ...(samples.length === 0 ? [] : [` (${samples.join(', ')}${more})`]),
  ];
  return oneLine(parts.join(''));
}

const MOST_WARNINGS = 20;

/**
 * Returns all inputs of the run. A file with other content counts as another input. For the same content, the facts of the session that
 * read more of it are used: a session that was stopped early lists most columns as never read.
 */
function mostRead(former: readonly RunInputFile[], current: readonly RunInputFile[]): RunInputFile[] {
  const isSame = (one: InputFile, other: InputFile) =>
    one.source === other.source &&
    (one.sha256 === undefined || other.sha256 === undefined || one.sha256 === other.sha256);
  const read = current.map((file) => {
    const known = former.find((one) => isSame(one, file));
    if (known === undefined || (known.csv?.rows ?? 0) <= (file.csv?.rows ?? 0)) return { ...known, ...file };
    return { ...file, ...known, ...(file.command !== undefined && { command: file.command }) };
  });
  return [...former.filter((one) => !current.some((file) => isSame(one, file))), ...read];
}

/** Returns `input.jsonl (1,204 bytes, SHA-256 5f70bf18a086)`, with the first twelve digits of the hash. */
export function inputFileInWords({ source, bytes, sha256 }: InputFile): string {
  if (bytes === undefined || sha256 === undefined) return `${source} (not read to its end)`;
  return `${source} (${counted(bytes, 'byte')}, SHA-256 ${sha256.slice(0, 12)})`;
}

/** Returns a line for each file with columns that were never read or with rows without data, and for each related file with rows that are in no record. */
export function unreadInWords(files: readonly InputFile[]): string[] {
  return files.flatMap((file) => [...rowsWithoutData(file), ...unmappedRows(file), ...unreadColumns(file)]);
}

function rowsWithoutData({ source, csv }: InputFile): string[] {
  if (csv?.rowsWithoutData === undefined) return [];
  const { rows } = csv.rowsWithoutData;
  return [
    `${source}: ${counted(rows, 'row')} without data skipped: only delimiters, or the header again${placesOf(source, csv.rowsWithoutData)}`,
  ];
}

function unmappedRows({ source, csv }: InputFile): string[] {
  if (csv?.unmapped === undefined) return [];
  const rows = `${number(csv.unmapped.rows)} of ${counted(csv.rows, 'row')}`;
  return [`${source}: the mapping returned no record for ${rows}${placesOf(source, csv.unmapped)}`];
}

/** Returns ` (payments.csv:3, payments.csv:7, payments.csv:9, …)`. */
function placesOf(source: string, { rows, lines }: SomeRows): string {
  const places = lines.map((line) => placeInWords({ source, line }));
  return ` (${places.join(', ')}${rows > lines.length ? ', …' : ''})`;
}

function unreadColumns({ source, csv }: InputFile): string[] {
  if (csv === undefined || csv.rows === 0 || csv.neverRead.length === 0) return [];
  const isHidden = csv.neverRead.every((name) => name === '*');
  const which = isHidden ? 'their names look like data, so they are not listed' : csv.neverRead.join(', ');
  const words = `${counted(csv.neverRead.length, 'column')} of ${number(csv.columns)}`;
  return [`${source}: in ${counted(csv.rows, 'row')} the ${csv.reader ?? 'mapping'} never reads ${words}: ${which}`];
}

/** Returns a text such as `2 businesses and 1,000 accounts`. */
export function recordsInWords({
  populates = 0,
  businesses,
  accounts,
}: Pick<InputReport, 'populates' | 'businesses' | 'accounts'>): string {
  const kinds = [
    ...(populates > 0 ? [counted(populates, 'pre-population')] : []),
    ...(businesses > 0 ? [counted(businesses, 'business', 'businesses')] : []),
    ...(accounts > 0 || populates + businesses === 0 ? [counted(accounts, 'account')] : []),
  ];
  return kinds.length > 2 ? `${kinds.slice(0, -1).join(', ')} and ${kinds.at(-1)}` : kinds.join(' and ');
}
