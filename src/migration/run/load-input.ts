/**
 * Exports `loadInput`, which reads an input and stores its lines in the ledger, and `fromStore`, which returns a stored line. `readInput`
 * decides which lines become the lines of records.
 */
import type { Input, InputLine } from '../input/source.js';
import { idOf, type LedgerRecord, type ReadStoredLine, type RecordKind, type StoredLine } from '../ledger/ledger.js';
import { isRemoved } from '../record/changed-and-removed.js';
import { isOver } from '../record/is-over.js';
import { isLineOf } from '../record/items-to-send-again.js';
import { isMovedInFile } from '../record/line-of-known-record.js';
import { hashOfKey, keyedRecord } from '../record/record-key.js';
import { DUPLICATE_RECORD } from '../report/summary/line-counts.js';
import { placeInWords } from '../shared/place.js';
import { fileNamesOf } from './file-names.js';
import {
  correctedLinesIn,
  emptyReading,
  hasEarlierLine,
  isSeen,
  isUnreadableLineMet,
  newLines,
  setDiffering,
} from './input-against-ledger.js';
import { CORRECTED, readRecord } from './process-line.js';
import { expectNotRenumbered } from './renumbered.js';
import { type InputPass, lineReporter, type Reading, type ReadLine, type RunContext } from './run-context.js';
import { expectSameRecords, type KnownSources, knownSources } from './same-records-again.js';
import { storeLastReading } from './unchanged-input.js';

/** Number of the last reading of an input. */
const READING = 'reading';

/** Reads the input to its end. */
export async function loadInput(run: RunContext, isInput: boolean, corrections: readonly LedgerRecord[]) {
  const { ledger, filesToRead: files } = run;
  const number = Number((await ledger.fact(READING)) ?? 0) + 1;
  await ledger.raiseFact(READING, number);
  await storeLastReading(ledger, undefined);
  const pass = await beginReading(run, corrections);
  const { wholeInput = run.input, areChangesAccepted, correctedLines } = run;
  const sources = correctedLines === undefined ? await knownSources(ledger, wholeInput, areChangesAccepted) : undefined;
  const stored = storeInGroups(pass, number);
  const { lines, isWhole } = await readInput(pass, stored.add);
  await stored.end();
  const { reading } = pass;
  if (isWhole && sources !== undefined) await expectNoOtherRecords(pass, number, sources);
  if (isWhole) await run.onComplete?.(newRecords(pass, number), reading.isNew);
  // Without a record, no line of an earlier reading has been sent.
  if (isWhole && (isInput || reading.isNew)) await ledger.eraseLinesBefore(number);
  if (isWhole && isInput) {
    const { reported } = reading;
    // Lines of records that the ledger had before may be reported later.
    const isKept = reading.isNew && (reported === 0 || (files !== undefined && run.keepReported?.() === true));
    if (isKept) [reading.kept, reading.reported] = [reported, 0];
    if (files !== undefined) await storeLastReading(ledger, { files, lines, number: isKept ? number : 0, reported });
  }
  return { number, lines, isWhole, reading };
}

/** Yields the lines of the records that begin with this reading. Only a corrected line that had no readable record may become a new record. */
async function* newRecords({ run, reading }: InputPass, number: number): AsyncGenerator<ReadStoredLine> {
  for await (const line of newLines(run.ledger, number, reading.isNew)) {
    if (mayBegin(run, line.corrects) && !reading.stored.has(hashOfKey(line))) yield line;
  }
}

function mayBegin({ correctedLines }: RunContext, corrects: string | null | undefined): boolean {
  return correctedLines === undefined || corrects != null;
}

/** Call it before anything of the reading is sent. Rejects if the same files give other records than before, or if records are renumbered. */
async function expectNoOtherRecords({ run, reading }: InputPass, number: number, sources: KnownSources): Promise<void> {
  try {
    await addKeysOfRest(run, reading, number, sources);
    await expectSameRecords(run, reading, number, sources);
    await expectNotRenumbered(run, reading, number);
  } catch (error) {
    await run.ledger.eraseLinesBefore(number + 1);
    throw error;
  }
  await sources.store();
}

/**
 * Adds the keys of the lines that a canary does not read, if files have to give the same records again, or if it has new records: these are
 * compared with records that the whole input lacks.
 */
async function addKeysOfRest(
  { ledger, wholeInput }: RunContext,
  reading: Reading,
  number: number,
  { same }: KnownSources,
): Promise<void> {
  if (wholeInput === undefined || wholeInput.isReadOnce || reading.isNew) return;
  if (same.size > 0) return addKeysOf(wholeInput, reading);
  for await (const _ of newLines(ledger, number)) return addKeysOf(wholeInput, reading);
}

async function addKeysOf(input: Input, { seenKeys }: Reading): Promise<void> {
  for await (const item of input) {
    const { key } = keyedRecord(item) ?? {};
    if (key !== undefined) seenKeys.add(hashOfKey(key));
  }
}

async function beginReading(run: RunContext, corrections: readonly LedgerRecord[]): Promise<InputPass> {
  const correctedLines = await correctedLinesIn(run);
  const { total } = await run.ledger.counts();
  const fileNames = await fileNamesOf(run.ledger);
  const reading = { ...emptyReading(), correctedLines, corrections, isNew: total === 0, missing: total, fileNames };
  return newPass(run, reading, true);
}

export function newPass(options: RunContext, reading: Reading, isFirst: boolean): InputPass {
  const run = { ...options, isWholeInputKnown: !isFirst && options.wholeInput === undefined };
  const [items, businesses, waitedFor] = [new Map<string, InputLine>(), new Map(), new Set<string>()];
  const of = { run, reading, isFirst, items, businesses, waitedFor };
  return { ...of, over: [], unfinished: 0, waiting: 0, failure: undefined };
}

/** Reads the input. `take`: called with the first line of each record; the next line is read when it resolves. */
async function readInput(
  pass: InputPass,
  take: (line: ReadLine) => Promise<void>,
): Promise<{ lines: number; isWhole: boolean }> {
  const { run, reading } = pass;
  let lines = 0;
  for await (const item of whileAccepting(run)) {
    if (item === undefined || !run.isAccepting() || pass.failure !== undefined) return { lines, isWhole: false };
    lines++;
    run.onRead?.(item);
    const corrected = reading.correctedLines.get(item.hash);
    if (corrected !== undefined && corrected.met < corrected.records) {
      corrected.met++;
      lineReporter(item, pass)(CORRECTED);
      continue;
    }
    const found = readRecord(item, pass);
    if (found === undefined) continue;
    const isSame = hasEarlierLine(found, reading);
    if (isSame !== undefined) {
      await reportDuplicate(found, isSame, pass);
      continue;
    }
    run.onReadRecord?.(found.payload);
    await take(found);
  }
  return { lines, isWhole: true };
}

/** How often a run whose source yields nothing looks whether it has to end. */
const LOOK_EVERY_MS = 100;

/** Yields the lines of the input, and undefined at last if the run accepts no more while the source yields nothing. */
async function* whileAccepting({ input, isAccepting }: RunContext): AsyncGenerator<InputLine | undefined> {
  const lines = input[Symbol.asyncIterator]();
  let stop = () => {};
  let isStopped = false;
  let isOver = false;
  const look = setInterval(() => {
    if (!isAccepting()) stop();
  }, LOOK_EVERY_MS);
  try {
    for (;;) {
      const next = await new Promise<IteratorResult<InputLine> | undefined>((resolve, reject) => {
        stop = () => {
          isStopped = true;
          resolve(undefined);
        };
        lines.next().then(resolve, reject);
      }).catch((error) => {
        isOver = true;
        throw error;
      });
      if (next?.done) {
        isOver = true;
        return;
      }
      yield next?.value;
    }
  } finally {
    clearInterval(look);
    // As `for await`: not after the end or an error of the source.
    const closed = isOver ? undefined : lines.return?.().catch(() => {});
    // A source that yields nothing may not end either.
    if (!isStopped) await closed;
  }
}

/** Reports a line whose number another line has, with the place of that line. */
async function reportDuplicate({ item, key }: ReadLine, isSame: boolean, pass: InputPass): Promise<void> {
  const { supplier, kind, number } = key;
  const { ledger } = pass.run;
  // undefined if the record was not started.
  const taken = pass.items.get(idOf(key)) ?? (await ledger.line(key)) ?? (await ledger.find(key));
  const report = lineReporter(item, pass);
  report({
    as: 'skipped',
    code: isSame ? DUPLICATE_RECORD : 'contradicting_record',
    attr: '',
    key: { supplier, kind, number },
    ...(taken !== undefined && {
      taken: { source: taken.source, line: taken.line },
      detail: `${placeInWords(taken)} was taken.`,
    }),
  });
}

/** Lines that are stored together, and the number of characters from which fewer are. */
const STORED_AT_ONCE = { lines: 500, characters: 4_000_000 };

/** Stores lines in groups, because each write waits for the disk; but for those of records that are over. */
function storeInGroups({ run, items, reading }: InputPass, number: number) {
  let group: ReadLine[] = [];
  let characters = 0;
  const NEW = { isNew: true, isNeeded: true };
  const stateOf = async (line: ReadLine) => {
    const known = await run.ledger.find(line.key);
    if (known === undefined && mayBegin(run, line.item.corrects)) reading.toBegin++;
    if (known === undefined) {
      if ((await run.ledger.line(line.key)) === undefined) return NEW;
      reading.stored.add(hashOfKey(line.key));
    } else {
      reading.missing--;
      reading.fileNames?.add(known, known.source, line.item);
      if (!isLineOf(known, line)) setDiffering(known, reading);
    }
    // Each corrected line has to be reported.
    const isNeeded =
      run.correctedLines !== undefined || known === undefined || !isOver(known) || !isAsSent(known, line);
    return { isNew: false, isNeeded };
  };
  const end = async () => {
    const lines = group;
    [group, characters] = [[], 0];
    const states = reading.isNew ? lines.map(() => NEW) : await Promise.all(lines.map(stateOf));
    if (reading.isNew) reading.toBegin += lines.length;
    for (const [index, { payload, item }] of lines.entries()) {
      if (states[index]?.isNew && mayBegin(run, item.corrects)) run.onNewRecord?.(payload, item, reading.isNew);
    }
    const stored = lines.filter((_, index) => states[index]?.isNeeded).map(toStore);
    if (stored.length > 0) await run.ledger.addLines(number, stored);
    items.clear();
  };
  return {
    async add(line: ReadLine): Promise<void> {
      group.push(line);
      // A second line of the record names the place of this one.
      items.set(idOf(line.key), line.item);
      characters += line.item.text.length;
      if (group.length === STORED_AT_ONCE.lines || characters > STORED_AT_ONCE.characters) await end();
    },
    end,
  };
}

/** Whether the line has the content that was sent, and the ledger knows it and the line that reports name. */
function isAsSent(record: LedgerRecord, line: ReadLine): boolean {
  const isKnown = isLineOf(record, line) && record.correctedFrom === null && record.difference === null;
  return isKnown && !isMovedInFile(record, line.item);
}

function toStore({ item, key, contentHash }: ReadLine): StoredLine {
  const { hash, source, line, text, label = null, cells, corrects = null } = item;
  const { supplier, kind, number } = key;
  const row = cells?.() ?? null;
  return { supplier, kind, number, hash, contentHash, source, line, text, label, cells: row, corrects };
}

export function fromStore(stored: ReadStoredLine): ReadLine {
  const { supplier, kind, number, hash, contentHash, source, line, text, record, label, cells, corrects } = stored;
  const item: InputLine = { source, line, text, hash, read: () => ({ record }) };
  if (label !== null) item.label = label;
  if (corrects !== null) item.corrects = corrects;
  if (cells !== null) item.cells = () => cells;
  return { item, payload: record, key: { supplier, kind, number }, contentHash };
}

/** Resolves with the unfinished records whose corrected lines the ledger has. Those whose line was removed from the input stay as they are. */
export async function openCorrections(ledger: RunContext['ledger']): Promise<LedgerRecord[]> {
  const found: LedgerRecord[] = [];
  for await (const record of ledger.list({ outcome: null, isCorrected: true })) {
    if (!isRemoved(record)) found.push(record);
  }
  return found;
}

/**
 * Yields the corrected lines of this kind that no line of this reading leads to: of a retry, those that other files had; of the whole input,
 * those of lines without a readable record.
 */
export async function* correctionsLeft({ run, reading }: InputPass, kind: RecordKind): AsyncGenerator<ReadLine> {
  for (const record of reading.corrections) {
    const isLeft = run.correctedLines === undefined ? isUnreadableLineMet(record, reading) : !isSeen(record, reading);
    const stored = isLeft && record.kind === kind ? await run.ledger.line(record, record.hash) : undefined;
    if (stored !== undefined) yield fromStore(stored);
  }
}
