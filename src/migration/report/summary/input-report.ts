/** Exports the report about the input for `check`, `plan` and the report page: columns that the mapping never reads, and fields. */
import { resolve } from 'node:path';
import { addFieldCounts, createFieldCounter, type FieldCounts } from '../../../validation/records/field-counts.js';
import type { ImportRecord } from '../../../validation/records/import-record.js';
import type { InputFile } from '../../input/input-file.js';
import type { Input } from '../../input/source.js';
import { counted, number } from '../../shared/format.js';

/** Facts about the input, from the part read so far. */
export interface InputReport extends FieldCounts {
  files: readonly RunInputFile[];
}

/** One file of the input of a run. */
interface RunInputFile extends InputFile {
  /** The command of the last session with this file. */
  command?: string;
}

export function inputReport(input: Input, fields: FieldCounts): InputReport {
  return { files: input.files?.() ?? [], ...fields };
}

/** Stores the report between sessions. */
interface InputFolder {
  writeInput(input: InputReport): Promise<void>;
  readInput(): Promise<InputReport | undefined>;
}

/** Counts the records of a run while it reads them, over all its sessions. */
export interface InputTally {
  /** Counts a record that the ledger does not have yet. */
  add(record: ImportRecord): void;
  /** Writes the counts so far. */
  save(): Promise<void>;
  /** Returns the commands with these files, each once. */
  commandsOf(sources: ReadonlySet<string>): string[];
}

/** Time between two writes: a killed run loses at most the counts of this time. */
const BETWEEN_SAVES_MS = 30_000;
/** Number of records between two reads of the clock. */
const RECORDS_BETWEEN = 500;

/** Resolves with a tally. `isWholeInput`: false for corrected lines, whose files are no part of the input. `command`: of the session. */
export async function tallyInput(
  folder: InputFolder,
  { input, isWholeInput, command, now }: { input: Input; isWholeInput: boolean; command: string; now: () => Date },
): Promise<InputTally> {
  const former = await folder.readInput();
  const counter = createFieldCounter();
  let added = 0;
  let savedAt = now().getTime();
  let saving: Promise<void> = Promise.resolve();
  const current = (): InputReport => {
    const fields = former === undefined ? counter.counts() : addFieldCounts(former, counter.counts());
    const ofSession = (input.files?.() ?? []).map((file) => ({ ...file, ...(command !== '' && { command }) }));
    return { files: isWholeInput ? mostRead(former?.files ?? [], ofSession) : (former?.files ?? []), ...fields };
  };
  return {
    add(record) {
      counter.add(record);
      if (++added % RECORDS_BETWEEN !== 0 || now().getTime() - savedAt < BETWEEN_SAVES_MS) return;
      savedAt = now().getTime();
      // An error of the counts does not end the run: the ledger reports a full disk.
      saving = saving.then(() => folder.writeInput(current())).catch(() => {});
    },
    async save() {
      await saving;
      await folder.writeInput(current());
    },
    commandsOf(sources) {
      const commands = new Map(current().files.map(({ source, command: given }) => [resolve(source), given]));
      const found = [...sources].map((source) => commands.get(resolve(source)));
      return [...new Set(found.filter((one) => one !== undefined))];
    },
  };
}

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

/** Returns a line for each file with columns that were never read. */
export function unreadColumnsInWords(files: readonly InputFile[]): string[] {
  return files.flatMap(({ source, csv }) => {
    if (csv === undefined || csv.rows === 0 || csv.neverRead.length === 0) return [];
    const isHidden = csv.neverRead.every((name) => name === '*');
    const which = isHidden ? 'their names look like data, so they are not listed' : csv.neverRead.join(', ');
    const words = `${counted(csv.neverRead.length, 'column')} of ${number(csv.columns)}`;
    return [`${source}: in ${counted(csv.rows, 'row')} the mapping never reads ${words}: ${which}`];
  });
}

/** Returns a heading, and a line for each field that a record has. */
export function fieldsInWords({ fields, ...records }: FieldCounts): string[] {
  const lines = Object.entries(fields).map(([path, count]) => `${String(count).padStart(9)}  ${path}`);
  if (lines.length === 0) return [];
  return [`Fields, by the number of records that have them (${recordsInWords(records)}):`, ...lines];
}

/** Returns a text such as `2 businesses and 1,000 accounts`. */
export function recordsInWords({
  populates = 0,
  businesses,
  accounts,
}: Pick<FieldCounts, 'populates' | 'businesses' | 'accounts'>): string {
  const kinds = [
    ...(populates > 0 ? [counted(populates, 'pre-population')] : []),
    ...(businesses > 0 ? [counted(businesses, 'business', 'businesses')] : []),
    ...(accounts > 0 || populates + businesses === 0 ? [counted(accounts, 'account')] : []),
  ];
  return kinds.length > 2 ? `${kinds.slice(0, -1).join(', ')} and ${kinds.at(-1)}` : kinds.join(' and ');
}
