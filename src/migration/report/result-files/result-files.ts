/**
 * rejected.jsonl, skipped.jsonl, incomplete.jsonl and not-in-input.jsonl: every record and line that did not get through, or
 * not with all that belongs to it, with its errors and as it stood, so that it can be corrected and sent again. Written at the
 * end by reading the input once more: the ledger knows what is rejected now, whichever session rejected it.
 */
import * as z from 'zod';
import { filledList } from '../../../../schemas/fields.js';
import type { Input } from '../../input/source.js';
import { splitLines } from '../../input/text/split-lines.js';
import type { Ledger, LedgerRecord, RecordKey, RecordKind } from '../../ledger/ledger.js';
import { idOf } from '../../ledger/record-id.js';
import { keyOf } from '../../record/record-key.js';
import { createHashSet, type HashSet } from '../../shared/hash-set.js';
import { streamOwn } from '../../shared/regular-file.js';
import { cannotRead } from '../folder/run-folder-error.js';
import type { Place } from '../summary/error-groups.js';
import { type HasNoLine, isNotInInput } from './not-in-input.js';
import { isWaiting, WAITS } from './waiting-accounts.js';

/** One line of these files. */
export interface SetAside {
  source: string;
  line: number;
  /** null where the line holds no record. */
  supplier: string | null;
  kind: RecordKind | null;
  number: string | null;
  errors: readonly { step: Place; code: string; attr: string; didYouMean?: string; detail?: string }[];
  /** Of a line that was skipped: the line with the same number that was taken. */
  taken?: { source: string; line: number };
  /** Of a changed line that was given to `retry`: the sessions that follow do not list it. */
  ofRetry?: true;
  /** SHA-256 of the record as it was read. */
  hash: string;
  /** The line as it stood; null where neither this book nor an earlier file has it. */
  original: string | null;
}

export interface ResultFileWriters {
  rejected: (text: string) => Promise<void>;
  skipped: (text: string) => Promise<void>;
  /** Accounts that exist, of which something was refused or not sent. */
  incomplete: (text: string) => Promise<void>;
  /** Records that are not on the service, and whose line the input has no more. */
  notInInput: (text: string) => Promise<void>;
}

export interface ResultFileSources {
  ledger: Ledger;
  book: Input;
  /** The files of an earlier run, for records that are rejected still and that this book does not show. */
  former: readonly string[];
  /** Whether a changed line of the record has items that were not sent, so that its entry is that of the line. */
  hasUnsentItems: (key: RecordKey) => boolean;
  hasNoLine: HasNoLine;
}

/** Memory use: 16 bytes per record that is set aside, none for the others. */
export async function writeResultFiles(sources: ResultFileSources, write: ResultFileWriters): Promise<void> {
  const { ledger, book, hasNoLine } = sources;
  const wanted = createHashSet();
  let count = 0;
  for await (const { record } of setAsideOf(sources)) if (wanted.add(record.hash)) count++;
  if (count === 0) return;

  const written = createHashSet();
  const put = async (record: LedgerRecord, waits: boolean, original: string | null): Promise<void> => {
    if (!written.add(record.hash)) return;
    count--;
    const file = isNotInInput(record, hasNoLine) ? 'notInInput' : fileOf(record);
    await write[file](entryOf(record, waits, original));
  };
  const inOrderOfWorth = [ofBook(book, ledger, wanted), ofFormer(sources, wanted), setAsideOf(sources)];
  for (const found of inOrderOfWorth) {
    for await (const { record, waits, original } of found) {
      await put(record, waits, original);
      // A book is read no further than it must be.
      if (count === 0) return;
    }
  }
}

interface Found {
  record: LedgerRecord;
  waits: boolean;
  /** null if the line was not read and only the ledger has the record. */
  original: string | null;
}

function fileOf({ outcome }: LedgerRecord): keyof ResultFileWriters {
  if (outcome === 'rejected') return 'rejected';
  return outcome === 'created' || outcome === 'alreadyImported' ? 'incomplete' : 'skipped';
}

async function* setAsideOf({ ledger, hasUnsentItems, hasNoLine }: ResultFileSources): AsyncGenerator<Found> {
  for (const outcome of ['rejected', 'skipped'] as const) {
    for await (const record of ledger.list({ outcome })) yield { record, waits: false, original: null };
  }
  for (const outcome of ['created', 'alreadyImported'] as const) {
    for await (const record of ledger.list({ outcome, hasErrors: true })) {
      if (record.missing === null && hasUnsentItems(record)) continue;
      yield { record, waits: false, original: null };
    }
  }
  for await (const record of ledger.list({ outcome: null })) {
    const waits = await isWaiting(record, ledger);
    if (waits || isNotInInput(record, hasNoLine)) yield { record, waits, original: null };
  }
}

async function* ofBook(book: Input, ledger: Ledger, wanted: HashSet): AsyncGenerator<Found> {
  for await (const item of book) {
    if (!wanted.has(item.hash)) continue;
    const read = item.read();
    const key = 'record' in read ? keyOf(read.record) : undefined;
    const record = key && (await ledger.find(key));
    if (record?.hash !== item.hash) continue;
    yield { record, waits: record.outcome === null, original: item.text };
  }
}

async function* ofFormer({ ledger, former }: ResultFileSources, wanted: HashSet): AsyncGenerator<Found> {
  for (const path of former) {
    for await (const { supplier, kind, number, hash, original } of entriesOf(path, Former)) {
      if (!wanted.has(hash)) continue;
      const record = await ledger.find({ supplier, kind, number });
      if (record?.hash !== hash) continue;
      yield { record, waits: record.outcome === null, original };
    }
  }
}

/** The original line, or an unsent correction by the user: as text, or as the record itself. */
const Original = z.union([z.string(), z.record(z.string(), z.unknown()).transform((record) => JSON.stringify(record))]);

/** What tells an entry of a record from that of a line that became none. */
const EarlierEntry = z.object({
  supplier: z.string().nullable(),
  kind: z.enum(['populate', 'business', 'account']).nullable(),
  number: z.string().nullable(),
  errors: z.array(z.looseObject({ step: z.string() })),
});

/** The file may have been edited since. */
const EarlierRecord = z.object({
  supplier: z.string(),
  kind: z.enum(['populate', 'business', 'account']),
  number: z.string(),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
});

/** An entry that can be carried over. */
const Former = EarlierRecord.extend({ original: Original });

const Position = z.object({ source: z.string(), line: z.number().int() });

/** A line that changed after its record was created, in changed.jsonl. */
const EarlierChangeSchema = Former.extend({ ...Position.shape, ofRetry: z.undefined().optional() });

/** What the last session that read the whole input found, from its not-in-input.jsonl. */
export async function earlierNotInInput(path: string): Promise<HasNoLine> {
  const hashes = new Map<string, string>();
  for await (const { hash, ...key } of earlierRecords(path)) hashes.set(idOf(key), hash);
  return (record) => hashes.get(idOf(record)) === record.hash;
}

/** The records of one of these files; none where there is no such file. */
export function earlierRecords(path: string): AsyncGenerator<RecordKey & { hash: string }> {
  return entriesOf(path, EarlierRecord);
}

/** A file of these without the records that the ledger does not have any more. */
export async function* entriesOfLedger(path: string, ledger: Ledger): AsyncGenerator<string> {
  for await (const entry of entriesOf(path, z.looseObject(EarlierEntry.shape))) {
    const { supplier, kind, number, errors } = entry;
    const isLine = errors.some(({ step }) => step === 'read') || supplier === null || kind === null || number === null;
    if (isLine || (await ledger.find({ supplier, kind, number })) !== undefined) yield `${JSON.stringify(entry)}\n`;
  }
}

/** The changed lines of the input of an earlier session. */
export function earlierChanges(path: string): AsyncGenerator<z.infer<typeof EarlierChangeSchema>> {
  return entriesOf(path, EarlierChangeSchema);
}

/** A line that became no record: it held none, or another line has its number. */
const EarlierLineSchema = z.object({
  ...Position.shape,
  supplier: z.string().nullable(),
  kind: z.enum(['populate', 'business', 'account']).nullable(),
  number: z.string().nullable(),
  // What happened to a record has another step.
  errors: filledList(
    z.object({ step: z.literal('read'), code: z.string(), attr: z.string(), detail: z.string().optional() }),
  ),
  taken: Position.optional(),
  hash: z.string(),
  original: Original,
});

export type EarlierLine = z.infer<typeof EarlierLineSchema>;

/** The lines that became no record, of a file of an earlier session. */
export function earlierLines(path: string): AsyncGenerator<EarlierLine> {
  return entriesOf(path, EarlierLineSchema);
}

/** Nothing where there is no such file yet. */
async function* entriesOf<Entry>(path: string, schema: z.ZodType<Entry>): AsyncGenerator<Entry> {
  try {
    for await (const lines of splitLines(await streamOwn(path), Number.POSITIVE_INFINITY)) {
      for (const { bytes } of lines) {
        const { data } = schema.safeParse(parsed(bytes.toString()));
        if (data !== undefined) yield data;
      }
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw cannotRead(path, error);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function entryOf(record: LedgerRecord, waits: boolean, original: string | null): string {
  const { source, line, supplier, kind, number, hash } = record;
  const errors = waits ? [...record.errors, WAITS] : record.errors;
  return lineOf({ source, line, supplier, kind, number, errors, hash, original });
}

export function lineOf(entry: SetAside): string {
  return `${JSON.stringify(entry)}\n`;
}
