/** What the input holds, as `check`, `plan` and the report list it: columns that the mapping never reads, and present fields. */
import { resolve } from 'node:path';
import { addFieldCounts, createFieldCounter, type FieldCounts } from '../../../validation/records/field-counts.js';
import type { ImportRecord } from '../../../validation/records/import-record.js';
import type { InputFile } from '../../input/input-file.js';
import type { Input } from '../../input/source.js';
import { counted, number } from '../../shared/format.js';

/** The input, as far as it was read. */
export interface InputReport extends FieldCounts {
  files: readonly RunInputFile[];
}

/** One file of the input of a run. */
interface RunInputFile extends InputFile {
  /** The command of the last session that was given it. */
  command?: string;
}

export function inputReport(book: Input, fields: FieldCounts): InputReport {
  return { files: book.files?.() ?? [], ...fields };
}

/** Where a run keeps it from one session to the next. */
interface InputFolder {
  writeInput(input: InputReport): Promise<void>;
  readInput(): Promise<InputReport | undefined>;
}

/** Counts the records of a run while it reads them, over all its sessions. */
export interface InputTally {
  /** A record that the ledger does not have yet. */
  add(record: ImportRecord): void;
  /** Writes what was counted so far. */
  save(): Promise<void>;
  /** The commands that were given these files, each once. */
  commandsOf(sources: ReadonlySet<string>): string[];
}

/** A run that is killed loses this much of its counts. */
const BETWEEN_SAVES_MS = 30_000;
/** How often the clock is read. */
const RECORDS_BETWEEN = 500;

/** `isWholeInput`: not so for corrected lines, whose files are none of the input. `command`: of the session. */
export async function tallyInput(
  folder: InputFolder,
  { book, isWholeInput, command, now }: { book: Input; isWholeInput: boolean; command: string; now: () => Date },
): Promise<InputTally> {
  const former = await folder.readInput();
  const counter = createFieldCounter();
  let added = 0;
  let savedAt = now().getTime();
  let saving: Promise<void> = Promise.resolve();
  const current = (): InputReport => {
    const fields = former === undefined ? counter.counts() : addFieldCounts(former, counter.counts());
    const ofSession = (book.files?.() ?? []).map((file) => ({ ...file, ...(command !== '' && { command }) }));
    return { files: isWholeInput ? mostRead(former?.files ?? [], ofSession) : (former?.files ?? []), ...fields };
  };
  return {
    add(record) {
      counter.add(record);
      if (++added % RECORDS_BETWEEN !== 0 || now().getTime() - savedAt < BETWEEN_SAVES_MS) return;
      savedAt = now().getTime();
      // Counts are no reason to end a run: where the disk is full, the ledger says so.
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
 * All inputs that the run has had: another content of a file counts as another input. Of the same one what the session knows
 * that read more of it: one that was stopped early lists most columns as never read.
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

/** `book.jsonl (1,204 bytes, SHA-256 5f70bf18a086)`; the checksum is cut to twelve digits. */
export function inputFileInWords({ source, bytes, sha256 }: InputFile): string {
  if (bytes === undefined || sha256 === undefined) return `${source} (not read to its end)`;
  return `${source} (${counted(bytes, 'byte')}, SHA-256 ${sha256.slice(0, 12)})`;
}

/** One line for each file of which columns were never read. */
export function unreadColumnsInWords(files: readonly InputFile[]): string[] {
  return files.flatMap(({ source, csv }) => {
    if (csv === undefined || csv.rows === 0 || csv.neverRead.length === 0) return [];
    const isHidden = csv.neverRead.every((name) => name === '*');
    const which = isHidden ? 'their names look like data, so they are not listed' : csv.neverRead.join(', ');
    const words = `${counted(csv.neverRead.length, 'column')} of ${number(csv.columns)}`;
    return [`${source}: in ${counted(csv.rows, 'row')} the mapping never reads ${words}: ${which}`];
  });
}

/** A heading, and one line for each field that a record has. */
export function fieldsInWords({ fields, ...records }: FieldCounts): string[] {
  const lines = Object.entries(fields).map(([path, count]) => `${String(count).padStart(9)}  ${path}`);
  if (lines.length === 0) return [];
  return [`Fields, by the number of records that have them (${recordsInWords(records)}):`, ...lines];
}

/** `2 businesses and 1,000 accounts`. */
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
