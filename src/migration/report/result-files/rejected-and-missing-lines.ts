/**
 * Exports `writeLineFiles`, which writes rejected.jsonl, skipped.jsonl, incomplete.jsonl and not-in-input.jsonl: every record and line
 * that was not sent completely, with its errors and the original line, so that it can be corrected and sent again.
 */
import * as z from 'zod';
import { filledList } from '../../../../schemas/fields.js';
import type { InputLine } from '../../input/source.js';
import { parseRecord } from '../../input/text/parse-record.js';
import {
  isImported,
  type Ledger,
  type LedgerRecord,
  type ReadStoredLine,
  type RecordKey,
  type RecordKind,
} from '../../ledger/ledger.js';
import { isNotInInput, isRemoved } from '../../record/changed-and-removed.js';
import { hasRefused } from '../../record/items/item-states.js';
import { BUSINESS_FAILED, isWaitingForBusiness } from '../../record/preconditions/waiting-for-business.js';
import type { LineFinding } from '../../run/run-context.js';
import { createHashSet, type HashSet } from '../../shared/hash-set.js';
import { jsonIn, linesOfOwn } from '../../shared/regular-file.js';
import { type LineError, withColumns } from './input-column.js';

/** One line of these files. */
export interface LineEntry {
  source: string;
  line: number;
  /** null if the line has no record. */
  supplier: string | null;
  kind: RecordKind | null;
  number: string | null;
  errors: readonly LineError[];
  /** For a skipped line: the line with the same number that was sent. */
  taken?: { source: string; line: number };
  /** For a changed line of the input: the paths that differ, with `*` for indexes. */
  paths?: readonly string[];
  /** The parts with new items that were not sent, and those that lack items: `transactions`. */
  added?: readonly string[];
  removed?: readonly string[];
  /** For a changed line that was given to `retry`: later sessions do not list it. */
  ofRetry?: true;
  /** For the last entry, if not all unreadable lines are listed: the number of the others. Its place and hash are those of the first of them. */
  further?: number;
  /** SHA-256 of the bytes of the line. */
  hash: string;
  /** The original line; null if neither this input nor an earlier file has it. */
  original: string | null;
}

export interface LineFileWriters {
  rejected: (text: string) => Promise<void>;
  skipped: (text: string) => Promise<void>;
  /** Existing accounts of which items were refused or not sent. */
  incomplete: (text: string) => Promise<void>;
  /** Records whose line is no longer in the input. */
  notInInput: (text: string) => Promise<void>;
}

export interface LineFileSources {
  ledger: Ledger;
  /** The files of the session before: a line that the user has corrected there, and not tried yet, stays as it is. */
  former: readonly string[];
  /** Returns whether a changed line of the record has items that were not sent: the entry is then that of the line. */
  hasUnsentItems: (key: RecordKey) => boolean;
}

/** Writes the files. Uses 16 bytes of memory per record in them. */
export async function writeLineFiles(sources: LineFileSources, write: LineFileWriters): Promise<void> {
  const wanted = createHashSet();
  let count = 0;
  for await (const { record } of recordsToWrite(sources)) if (wanted.add(record.hash)) count++;
  if (count === 0) return;

  const written = createHashSet();
  const put = async ({ record, file, waits, original, errors }: Found): Promise<void> => {
    if (!written.add(record.hash)) return;
    count--;
    await write[file](entryOf(record, waits, original, errors));
  };
  for (const found of [ofFormer(sources, wanted), ofLedger(sources)]) {
    for await (const one of found) {
      await put(one);
      // Stops reading when all entries are found.
      if (count === 0) return;
    }
  }
}

interface Found {
  record: LedgerRecord;
  file: keyof LineFileWriters;
  waits: boolean;
  /** null if the line was not read and only the ledger has the record. */
  original: string | null;
  /** The errors of the record with their columns, if the line was read. */
  errors?: readonly LineError[];
}

/** Returns the file of a record; undefined if it needs none. `waits`: for a business that failed. */
function fileFor(
  record: LedgerRecord,
  waits: boolean,
  { hasUnsentItems }: Pick<LineFileSources, 'hasUnsentItems'>,
): keyof LineFileWriters | undefined {
  const { outcome, errors } = record;
  if (isNotInInput(record) || (isRemoved(record) && outcome !== null && outcome !== 'unknown')) return 'notInInput';
  if (outcome === 'rejected') return 'rejected';
  if (waits) return 'skipped';
  const isListed = isImported(record) && errors.length > 0 && (hasRefused(record) || !hasUnsentItems(record));
  return isListed ? 'incomplete' : undefined;
}

async function* recordsToWrite(sources: LineFileSources): AsyncGenerator<Found> {
  const { ledger } = sources;
  for await (const record of ledger.list({ isSettled: false })) {
    const waits = await isWaitingForBusiness(record, ledger);
    const file = fileFor(record, waits, sources);
    if (file !== undefined) yield { record, file, waits, original: null };
  }
}

async function* ofLedger(sources: LineFileSources): AsyncGenerator<Found> {
  for await (const found of recordsToWrite(sources)) {
    const stored = await sources.ledger.line(found.record, found.record.hash);
    yield stored === undefined ? found : { ...found, original: stored.text, errors: errorsOf(found.record, stored) };
  }
}

function errorsOf({ errors }: LedgerRecord, stored: ReadStoredLine): readonly LineError[] {
  return withColumns(errors, stored.cells ?? [], stored.record);
}

async function* ofFormer(sources: LineFileSources, wanted: HashSet): AsyncGenerator<Found> {
  const { ledger, former } = sources;
  for (const path of former) {
    for await (const { supplier, kind, number, hash, original, errors } of entriesOf(path, FormerRecord)) {
      if (!wanted.has(hash)) continue;
      const record = await ledger.find({ supplier, kind, number });
      if (record?.hash !== hash) continue;
      const waits = await isWaitingForBusiness(record, ledger);
      const file = fileFor(record, waits, sources);
      if (file === undefined) continue;
      const stored = await ledger.line(record, hash);
      yield {
        ...{ record, file, waits, original },
        errors: withFormerColumns(stored === undefined ? record.errors : errorsOf(record, stored), errors),
      };
    }
  }
}

/** The original line, or an unsent correction by the user: as text, or as the record itself. */
const Original = z.union([z.string(), z.record(z.string(), z.unknown()).transform((record) => JSON.stringify(record))]);

const Kind = z.enum(['populate', 'business', 'account']);

/** The key of an entry, which that of a line without a record does not have. */
const MaybeKey = z.object({
  supplier: z.string().nullable(),
  kind: Kind.nullable(),
  number: z.string().nullable(),
});

/** The key of an entry of a record. */
export const EntryKey = z.object({ supplier: z.string(), kind: Kind, number: z.string() });

/** An entry of a record that can be copied to a new file. The file may have been edited. */
const Former = EntryKey.extend({ hash: z.string().regex(/^[0-9a-f]{64}$/), original: Original });

/** The same with the columns of its errors: a corrected file that was given to `retry` has no columns. */
const FormerRecord = Former.extend({
  errors: z
    .array(z.object({ step: z.string(), code: z.string(), attr: z.string(), column: z.string().optional() }))
    .catch([]),
});

function withFormerColumns(
  errors: readonly LineError[],
  former: z.infer<typeof FormerRecord>['errors'],
): readonly LineError[] {
  return errors.map((error) => {
    const same = former.find((one) => one.step === error.step && one.code === error.code && one.attr === error.attr);
    return same?.column === undefined ? error : { ...error, column: same.column };
  });
}

const Position = z.object({ source: z.string(), line: z.number().int() });

/** A line that changed after its record was created, in changed.jsonl. */
const EarlierChangeSchema = Former.extend({ ...Position.shape, ofRetry: z.undefined().optional() });

const AnyEntry = z.looseObject({ ...MaybeKey.shape, errors: z.array(z.looseObject({ step: z.string() })) });

/** Yields the entries of one of these files, without records that the ledger no longer has. */
export async function* entriesOfLedger(path: string, ledger: Ledger): AsyncGenerator<string> {
  for await (const entry of entriesOf(path, AnyEntry)) {
    const { supplier, kind, number, errors } = entry;
    const isLine = errors.some(({ step }) => step === 'read') || supplier === null || kind === null || number === null;
    if (isLine || (await ledger.find({ supplier, kind, number })) !== undefined) yield `${JSON.stringify(entry)}\n`;
  }
}

/** Yields the changed lines of an earlier session. */
export function earlierChanges(path: string): AsyncGenerator<z.infer<typeof EarlierChangeSchema>> {
  return entriesOf(path, EarlierChangeSchema);
}

/** A line without a separate record: it has none, or another line has its number. */
const EarlierLineSchema = z.object({
  ...Position.shape,
  ...MaybeKey.shape,
  // Errors of records have other steps.
  errors: filledList(
    z.object({ step: z.literal('read'), code: z.string(), attr: z.string(), detail: z.string().optional() }),
  ),
  taken: Position.optional(),
  hash: z.string(),
  further: z.number().int().positive().optional(),
  original: Original.nullable(),
});

export type EarlierLine = z.infer<typeof EarlierLineSchema>;

/** Returns a line of an earlier session as `RunContext.onLine` reports it. */
export function reportedIn(as: 'rejected' | 'skipped', entry: EarlierLine): [item: InputLine, finding: LineFinding] {
  const { source, line, hash, errors, original, supplier, kind, number, taken, further } = entry;
  const text = original ?? '';
  const [{ code, attr, detail } = { code: '', attr: '' }] = errors;
  const finding: LineFinding = { as, code, attr, ...(detail !== undefined && { detail }) };
  if (supplier !== null && kind !== null && number !== null) finding.key = { supplier, kind, number };
  if (taken !== undefined) finding.taken = taken;
  if (further !== undefined) finding.count = further;
  return [{ source, line, hash, text, read: () => parseRecord(text) }, finding];
}

/** Returns the entry of a text; undefined if it is none. */
export function earlierLineIn(text: string): EarlierLine | undefined {
  return EarlierLineSchema.safeParse(jsonIn(text)).data;
}

/** Yields the lines without a separate record from a file of an earlier session. */
export function earlierLines(path: string): AsyncGenerator<EarlierLine> {
  return entriesOf(path, EarlierLineSchema);
}

/** Yields the valid entries of a file; none if it does not exist. */
async function* entriesOf<Entry>(path: string, schema: z.ZodType<Entry>): AsyncGenerator<Entry> {
  for await (const line of linesOfOwn(path)) {
    const { data } = schema.safeParse(jsonIn(line));
    if (data !== undefined) yield data;
  }
}

function entryOf(
  record: LedgerRecord,
  waits: boolean,
  original: string | null,
  own: readonly LineError[] = record.errors,
): string {
  const { source, line, supplier, kind, number, hash } = record;
  const errors = waits ? [...own, BUSINESS_FAILED] : own;
  return lineOf({ source, line, supplier, kind, number, errors, hash, original });
}

export function lineOf(entry: LineEntry): string {
  return `${JSON.stringify(entry)}\n`;
}
