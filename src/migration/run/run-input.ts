/**
 * Exports `runInput`, which reads an input into the ledger, and then works on the records of its lines until they have outcomes,
 * businesses before their accounts. It repeats the pass over the stored lines while another pass may complete further records.
 */

import { hash as digest } from 'node:crypto';
import pLimit from 'p-limit';
import { internalsOf } from '../../client.js';
import type { InputLine } from '../input/source.js';
import { idOf, type LedgerRecord, type RecordKind, type StoredLine, unreadableLineOf } from '../ledger/ledger.js';
import { hasUnsent } from '../record/items/item-states.js';
import { HeldRefusals } from '../record/preconditions/held-refusals.js';
import { createHashSet } from '../shared/hash-set.js';
import { wasRejectedByCheck } from './check-rules.js';
import { findEarlierLine, isLineOfRecord, LINE_SEEN, reportDuplicate, reportKnownDuplicate } from './duplicates.js';
import type { InputPass, Reading, ReadLine, RecordQueue, RunContext } from './input-pass.js';
import { lastReading, storeLastReading } from './last-reading.js';
import { canBeRetried, processLine, readRecord } from './process-line.js';
import { fromStore, toStore } from './stored-lines.js';

/**
 * Maximum number of passes in a row without progress, that is with as many unfinished records as before; fewer if `maxRetries` is
 * lower. So a record is tried five times by default.
 */
const MAX_PASSES_WITHOUT_PROGRESS = 4;

/**
 * While the first records are processed, fewer are in progress: a quarter is enough to fill every call slot. V8 observes the first
 * hundreds of objects of each kind: if most of them survive a garbage collection, it allocates all later ones as long-lived, and
 * memory fills up (decision 11).
 */
const FIRST = 2000;
const atFirst = (most: number): number => Math.min(most, Math.max(64, Math.ceil(most / 4)));

interface ComparedLine {
  record: LedgerRecord;
  isMet: boolean;
}

/** The result of `runInput`. */
export interface RunEnd {
  /** Number of lines of the input; undefined if the work on some of them was not begun. */
  linesRead: number | undefined;
  /** Number of the reading whose lines the ledger stores; 0 if lines were reported, which it does not store. */
  reading: number;
  /** Number of records of the last pass without an outcome. */
  unfinished: number;
  /** Yields the records of the ledger, and whether the input has their lines; none if each record has its line, or if the input was not read to its end. */
  comparedLines: () => AsyncIterable<ComparedLine>;
}

/** Resolves when every record has ended or none can continue. Rejects if the ledger or the input fails. */
export async function runInput(options: RunContext): Promise<RunEnd> {
  const run = { ...options, heldRefusals: new HeldRefusals(options.firstAccount === undefined) };
  return run.recordQueue === undefined ? loadAndWork(run) : distribute(run, run.recordQueue);
}

/** Number of the last reading of an input. */
const READING = 'reading';

/** Records of the first kinds end before those of the next ones begin (spec: What the service does). */
const IN_TURN: readonly (readonly RecordKind[])[] = [['populate'], ['business', 'account']];

/** Stores the lines of the input in the ledger, and works on them until their records have ended. */
async function loadAndWork(run: RunContext): Promise<RunEnd> {
  const isInput = run.isPartOfInput !== true && run.correctedLines === undefined;
  const last = isInput ? await lastReading(run.ledger, run.filesToRead) : undefined;
  const stored = last?.number ? { ...last, isWhole: true, reading: { ...emptyReading(), isNew: false } } : undefined;
  const { number, lines, isWhole, reading } = stored ?? (await load(run, isInput));
  if (isWhole) run.onLoaded?.(lines);
  let isBegun = isWhole;
  let unfinished = 0;
  for (const kinds of IN_TURN) {
    if (unfinished > 0 || !run.isAccepting()) isBegun = false;
    if (!isBegun) break;
    unfinished = await repeatPasses(run, async (isFirst) => {
      const pass = newPass(run, reading, isFirst);
      const isOfAll = await workOn(pass, number, kinds);
      isBegun &&= isOfAll || !isFirst;
      return pass.unfinished;
    });
  }
  const isRead = isBegun && (run.refusedSuppliers?.left ?? 0) === 0;
  return {
    linesRead: isRead ? lines : undefined,
    reading: reading.reported === 0 ? number : 0,
    unfinished,
    comparedLines:
      isRead && isInput && stored === undefined && !reading.isNew ? () => compareLines(run, reading) : none,
  };
}

/** Reads the input to its end. */
async function load(run: RunContext, isInput: boolean) {
  const { ledger, filesToRead: files } = run;
  const number = Number((await ledger.fact(READING)) ?? 0) + 1;
  await ledger.raiseFact(READING, number);
  await storeLastReading(ledger, undefined);
  const pass = await beginReading(run, true);
  const stored = storeInGroups(pass, number);
  const { lines, isWhole } = await readInput(pass, stored.add);
  await stored.end();
  const { reading } = pass;
  if (isWhole && isInput) {
    await ledger.eraseLinesBefore(number);
    // Lines of records that the ledger had before may be reported later.
    const isWithoutFindings = reading.isNew && reading.reported === 0;
    if (files !== undefined) await storeLastReading(ledger, { files, lines, number: isWithoutFindings ? number : 0 });
  }
  return { number, lines, isWhole, reading };
}

/** The workers do the work: this process reads the input and passes its records on. */
async function distribute(run: RunContext, queue: RecordQueue): Promise<RunEnd> {
  let linesRead: number | undefined;
  let comparedLines: RunEnd['comparedLines'] = none;
  const unfinished = await repeatPasses(run, async (isFirst) => {
    const pass = await beginReading(run, isFirst);
    const work = startWork(pass, pLimit(run.recordsAtOnce));
    const { lines, isWhole } = await readInput(pass, work.begin);
    await work.end();
    if (isWhole) linesRead ??= lines;
    if (isWhole && isFirst) run.onLoaded?.(lines);
    if (isWhole && isFirst && !pass.reading.isNew) comparedLines = () => compareLines(run, pass.reading);
    await queue.whenIdle();
    return pass.unfinished;
  });
  return { linesRead, reading: 0, unfinished, comparedLines };
}

/** Repeats a pass while it may complete further records. Returns the number of unfinished records of the last pass. */
async function repeatPasses(run: RunContext, pass: (isFirst: boolean) => Promise<number>): Promise<number> {
  let open = 0;
  let fewestOpen = Number.POSITIVE_INFINITY;
  let passesWithoutProgress = 0;
  const { maxRetries, retryBaseMs } = internalsOf(run.client).settings;
  const mostPassesWithoutProgress = Math.min(MAX_PASSES_WITHOUT_PROGRESS, maxRetries + 1);
  for (let isFirst = true; passesWithoutProgress < mostPassesWithoutProgress && run.isAccepting(); isFirst = false) {
    open = await pass(isFirst);
    if (open === 0) break;
    passesWithoutProgress = open < fewestOpen ? 0 : passesWithoutProgress + 1;
    fewestOpen = Math.min(fewestOpen, open);
    // After a pass without progress the next one waits: 5, 15 and 45 s by default.
    if (passesWithoutProgress > 0 && passesWithoutProgress < mostPassesWithoutProgress)
      await run.sleep(retryBaseMs * 10 * 3 ** (passesWithoutProgress - 1));
  }
  return open;
}

async function beginReading(run: RunContext, isFirst: boolean): Promise<InputPass> {
  const reading = { ...emptyReading(), ...(await endedIn(run, isFirst)) };
  return newPass(run, { ...reading, isNew: isFirst && (await isEmpty(run)) }, isFirst);
}

function emptyReading(): Reading {
  const [seenKeys, endedHashes, equalLines] = [createHashSet(), createHashSet(), new Map<string, number>()];
  return { isNew: true, seenKeys, endedHashes, equalLines, met: 0, reported: 0 };
}

function newPass(options: RunContext, reading: Reading, isFirst: boolean): InputPass {
  const run = { ...options, isWholeInputKnown: !isFirst && options.isPartOfInput !== true };
  const [items, businesses, waitedFor] = [new Map<string, InputLine>(), new Map(), new Set<string>()];
  const of = { run, reading, isFirst, items, businesses, waitedFor };
  return { ...of, over: [], unfinished: 0, waiting: 0, failure: undefined };
}

interface Work {
  /** Resolves when the record has started, so that only lines in progress are in memory. */
  begin(line: ReadLine): Promise<void>;
  /** Resolves when all records have stopped. Rejects if one of them failed. */
  end(): Promise<void>;
}

function startWork(pass: InputPass, limit: ReturnType<typeof pLimit>): Work {
  const underWay = new Set<Promise<void>>();
  return {
    async begin(line) {
      const { supplier, kind } = line.key;
      const isStored = kind === 'populate' ? undefined : pass.run.onSupplier?.(supplier);
      if (isStored !== undefined) await isStored;
      const id = idOf(line.key);
      pass.items.set(id, line.item);
      await new Promise<void>((begun) => {
        const inSlot = <Result>(task: () => Promise<Result>): Promise<Result> =>
          limit(() => {
            begun();
            return task();
          });
        const work: Promise<void> = processLine(line, pass, inSlot)
          .catch((error) => {
            pass.failure ??= { error };
          })
          // A record that takes long does not block others.
          .then(() => {
            underWay.delete(work);
            pass.items.delete(id);
          });
        underWay.add(work);
      });
    },
    async end() {
      await Promise.all(underWay);
      await eraseOver(pass, 1);
      if (pass.failure !== undefined) throw pass.failure.error;
    },
  };
}

/** Works on the stored lines once. Returns whether the work on each of them was begun. */
async function workOn(pass: InputPass, number: number, kinds: readonly RecordKind[]): Promise<boolean> {
  const { run, isFirst } = pass;
  const limit = pLimit(atFirst(run.recordsAtOnce));
  const work = startWork(pass, limit);
  let isOfAll = true;
  let first = FIRST;
  for (const kind of kinds) {
    for await (const stored of run.ledger.lines(number, kind)) {
      if (!run.isAccepting() || pass.failure !== undefined) {
        isOfAll = false;
        break;
      }
      if (run.refusedSuppliers?.has(stored.supplier)) {
        if (isFirst) run.refusedSuppliers.leave();
        continue;
      }
      if (--first === 0) limit.concurrency = run.recordsAtOnce;
      await work.begin(fromStore(stored));
      await eraseOver(pass, OVER_AT_ONCE);
    }
  }
  await work.end();
  return isOfAll;
}

/** Records that were over before whose lines are erased together. */
const OVER_AT_ONCE = 100;

async function eraseOver({ run, over }: InputPass, fewest: number): Promise<void> {
  if (over.length >= fewest) await run.ledger.eraseLines(over.splice(0));
}

/** Reads the input. `take`: called with each line whose record may continue; the next line is read when it resolves. */
async function readInput(
  pass: InputPass,
  take: (line: ReadLine) => Promise<void>,
): Promise<{ lines: number; isWhole: boolean }> {
  const { run, isFirst, reading } = pass;
  const { endedHashes, equalLines, isNew } = reading;
  let lines = 0;
  for await (const item of run.input) {
    if (!run.isAccepting() || pass.failure !== undefined) return { lines, isWhole: false };
    lines++;
    if (isFirst) run.onRead?.(item);
    const note = endedHashes.noteOf(item.hash);
    if (note !== undefined) {
      const others = equalLines.get(item.hash) ?? 0;
      if (note === 0) {
        endedHashes.setNote(item.hash, LINE_SEEN);
        reading.met++;
      } else if (others > 0) equalLines.set(item.hash, others - 1);
      else if (isFirst) {
        const duplicate = readRecord(item, pass);
        if (duplicate !== undefined) await reportKnownDuplicate(duplicate, note, pass);
      }
      continue;
    }
    const found = readRecord(item, pass);
    if (found === undefined) continue;
    const { key } = found;
    const before = findEarlierLine(found, pass);
    if (before !== undefined) {
      await reportDuplicate(item, { key, isSame: before.isSame }, pass);
      continue;
    }
    reading.met++;
    const isStored = key.kind === 'populate' ? undefined : run.onSupplier?.(key.supplier);
    if (isStored !== undefined) await isStored;
    const known = isNew || run.recordQueue !== undefined ? undefined : await run.ledger.find(key);
    if (known === undefined || (await isLineOfRecord(known, found, pass))) await take(found);
  }
  return { lines, isWhole: true };
}

/** Lines that are stored together, and the number of characters from which fewer are. */
const STORED_AT_ONCE = { lines: 200, characters: 4_000_000 };

/** Stores lines in groups: each write waits for the disk. */
function storeInGroups({ run, items }: InputPass, reading: number) {
  let group: StoredLine[] = [];
  let characters = 0;
  const end = async () => {
    const lines = group;
    [group, characters] = [[], 0];
    if (lines.length > 0) await run.ledger.addLines(reading, lines);
    items.clear();
  };
  return {
    async add(line: ReadLine): Promise<void> {
      group.push(toStore(line));
      // A second line of the record names the place of this one.
      items.set(idOf(line.key), line.item);
      characters += line.item.text.length;
      if (group.length === STORED_AT_ONCE.lines || characters > STORED_AT_ONCE.characters) await end();
    },
    end,
  };
}

async function* none(): AsyncGenerator<ComparedLine> {}

/**
 * Yields the records: one has its line if the reading has seen its key, or if a line with its hash was skipped. Usually all have, and then
 * the ledger need not be read.
 */
async function* compareLines(run: RunContext, reading: Reading): AsyncGenerator<ComparedLine> {
  const { seenKeys, endedHashes, met } = reading;
  if ((await run.ledger.counts()).total === met) return;
  for await (const record of run.ledger.list()) {
    const { hash, correctedFrom } = record;
    const lines = [hash, (correctedFrom === null ? undefined : unreadableLineOf(correctedFrom)) ?? hash];
    const isSkipped = lines.some((one) => (endedHashes.noteOf(one) ?? 0) > 0);
    yield { record, isMet: isSkipped || seenKeys.has(digest('sha256', idOf(record))) };
  }
}

async function isEmpty({ ledger }: RunContext): Promise<boolean> {
  for await (const _ of ledger.list()) return false;
  return true;
}

/**
 * Returns the hashes of the lines of ended records, which are skipped. `equalLines`: how many further lines with the same bytes are skipped,
 * because `retry` has corrected several equal lines that had no readable record.
 */
async function endedIn(run: RunContext, isFirst: boolean) {
  const endedHashes = createHashSet();
  const equalLines = new Map<string, number>();
  const add = (hash: string) => {
    if (!endedHashes.add(hash)) equalLines.set(hash, (equalLines.get(hash) ?? 0) + 1);
  };
  // Each corrected line has to be reported, so none is skipped.
  if (isFirst && run.correctedLines !== undefined) return { endedHashes, equalLines };
  if (isFirst && (run.retryRejected || run.addToExisting || run.recheckRejected)) {
    for await (const record of run.ledger.list()) {
      const isRetried =
        (run.retryRejected && canBeRetried(record)) || (run.recheckRejected && wasRejectedByCheck(record));
      const isTried = isRetried || (run.addToExisting && hasUnsent(record));
      const { hash, correctedFrom, outcome, difference } = record;
      const unreadable = correctedFrom === null ? undefined : unreadableLineOf(correctedFrom);
      if (unreadable !== undefined && outcome !== null) add(unreadable);
      if (correctedFrom === null && difference === null && outcome !== null && !isTried) add(hash);
    }
  } else {
    for await (const hash of run.ledger.endedHashes()) add(hash);
  }
  return { endedHashes, equalLines };
}
