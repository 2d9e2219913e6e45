/**
 * A whole book, from its first record to its last: businesses before their accounts, so many records at a time, each
 * by `runRecord`. The book is read again until nothing is left open that another try might end.
 */
import { hash as digest } from 'node:crypto';
import pLimit from 'p-limit';
import type { ImportRecord } from '../../validation/records/check-records.js';
import type { Input, InputLine } from '../input/source.js';
import type { LedgerRecord, Outcome, RecordKey } from '../ledger/ledger.js';
import { idOf } from '../ledger/record-id.js';
import type { ChangedItems } from '../record/items/item-counts.js';
import { isPopulate } from '../record/record-key.js';
import { hasUnsent } from '../record/resume-record.js';
import type { RecordContext } from '../record/run-record.js';
import { createHashSet, type HashSet } from '../shared/hash-set.js';
import { wasRejectedByCheck } from './check-rules.js';
import { findEarlierLine, LINE_SEEN, reportDuplicate, reportKnownDuplicate } from './duplicates.js';
import type { InputPass, ReadLine } from './input-pass.js';
import { canBeRetried, processLine, readRecord } from './process-line.js';

export interface RunContext extends RecordContext {
  input: Input;
  /** Records under way at the same time. */
  recordsAtOnce: number;
  /**
   * Whether what was refused is tried again, also where the line is the same: records that were rejected, and of
   * accounts that exist what could not be added to them.
   */
  retryRejected: boolean;
  /** Whether records that the local check rejected are checked again, because its rules have changed. */
  recheckRejected?: boolean | undefined;
  /** Where the book is not the whole one, but lines of it that were corrected: nothing else is begun. */
  correctedLines?: CorrectedLineRules | undefined;
  /** Whether the book is the beginning of the input, as a canary has it. */
  isPartOfInput?: boolean | undefined;
  /** Whether records are still begun: false once the run drains. */
  isAccepting: () => boolean;
  /** Resolves after so many milliseconds, or as soon as no record is begun any more. */
  sleep: (ms: number) => Promise<void>;
  /** Told of every line of the first reading, before anything is done about it. */
  onRead?: ((item: InputLine) => void) | undefined;
  /** Called with the import supplier of each record before the record begins; the record waits for the promise. */
  onSupplier?: ((supplier: string) => Promise<void> | undefined) | undefined;
  /** Receives every record that the ledger does not have yet, before any of it is sent. */
  onNewRecord?: ((record: ImportRecord) => void) | undefined;
  /** Receives every line of the first pass that stands for a record, once: its items must be in the ledger in the end. */
  onRecord?: ((payload: ImportRecord) => void) | undefined;
  /** Told of every line that is not carried through as a record of its own. */
  onLine: (item: InputLine, finding: LineFinding) => void;
  /** Where others carry the records through, and this run only reads the book. */
  recordQueue?: RecordQueue | undefined;
}

/** Who carries records through in place of the run that reads the book. */
export interface RecordQueue {
  /** Hands them an unfinished record; returns it as it is on disk. They keep accounts waiting for their business. */
  enqueue(record: LedgerRecord, payload: ImportRecord, item: InputLine): Promise<LedgerRecord>;
  /** Resolves when nothing is left that any of them can do, or none may go on. */
  whenIdle(): Promise<void>;
}

interface CorrectedLineRules {
  /** Whether the line may become a record that the ledger does not know. */
  mayStart: (item: InputLine) => boolean;
  /** Told of every line of which nothing is done. */
  ignore: (item: InputLine, why: IgnoredReason) => void;
}

/** Why nothing is done about a corrected line: how its record ended, or that there is none, or that it is there twice. */
export type IgnoredReason = Outcome | 'notInRun' | 'noRecord' | 'twice';

/** Why a line is not carried through as a record of its own. */
export interface LineFinding {
  /**
   * `rejected`: it holds no record. `skipped`: another record has its number. `changed`: it differs from what exists.
   * `corrected`: `retry` sent a corrected line in its place.
   */
  as: 'rejected' | 'skipped' | 'changed' | 'corrected';
  /**
   * Stable. Of a line that is skipped `duplicate_record`: it holds the same record as the one that was taken; or
   * `contradicting_record`: it has the same number and other content.
   */
  code: string;
  /** Where; empty for the line as a whole. */
  attr: string;
  /** What helps whoever corrects it; nothing of the line. */
  detail?: string;
  /** The record whose number the line has, where it is skipped or changed. */
  key?: RecordKey;
  /** The line that was taken in its place; undefined where none was. */
  taken?: { source: string; line: number };
  /**
   * Of a changed line of the input: its record, and the items that the line has otherwise than they were sent. undefined for a
   * corrected line that is given to `retry`.
   */
  change?: { record: LedgerRecord; items: readonly ChangedItems[] };
}

/**
 * How many passes over the input in a row may leave as many records unfinished as before; fewer where the client retries
 * less often. A single record has five tries then, so that a service which fails now and then leaves none behind.
 */
const MAX_PASSES_WITHOUT_PROGRESS = 4;

/**
 * While the first records are begun, fewer are under way; a quarter still fills every call. V8 looks at what becomes of the
 * first hundreds of each kind of object: where most of them outlive a collection, it takes all that follow for old, for
 * good, and memory fills with them (decision 11).
 */
const FIRST = 2000;
const atFirst = (most: number): number => Math.min(most, Math.max(64, Math.ceil(most / 4)));

/** How far a session came with its input. */
export interface RunEnd {
  /** Lines of the input; undefined where no pass came to its end. */
  linesRead: number | undefined;
  /** Records of the lines of the last pass that have not ended. */
  unfinished: number;
  /** Whether the input, which was read to its end, has no line for a record that is not on the service. */
  hasNoLine: (record: LedgerRecord) => boolean;
}

/** Resolves when every record has ended, or none can go on. Rejects where the ledger or the book does. */
export async function runInput(run: RunContext): Promise<RunEnd> {
  let linesRead: number | undefined;
  let withoutLine: ReadonlySet<string> = new Set();
  const populated: string[] = [];
  // What can be read once alone is sent in the order of its records.
  if (run.recordQueue === undefined && run.input.isReadOnce !== true) {
    const left = await repeatPasses(run, (isFirst) => populatePass(run, isFirst, populated));
    if (left > 0) return { linesRead, unfinished: left, hasNoLine: () => false };
  }
  const unfinished = await repeatPasses(run, async (isFirst) => {
    const ended = await runPass(run, isFirst, populated);
    if (isFirst) withoutLine = ended.withoutLine;
    linesRead ??= ended.lines;
    await run.recordQueue?.whenIdle();
    return ended.open;
  });
  return { linesRead, unfinished, hasNoLine: (record) => withoutLine.has(idOf(record)) };
}

/** Repeats a pass while it may end further records; gives how many the last one left unfinished. */
async function repeatPasses(run: RunContext, pass: (isFirst: boolean) => Promise<number>): Promise<number> {
  let open = 0;
  let fewestOpen = Number.POSITIVE_INFINITY;
  let vainPasses = 0;
  const { maxRetries, retryBaseMs } = run.client.retries;
  const mostVainPasses = Math.min(MAX_PASSES_WITHOUT_PROGRESS, maxRetries + 1);
  for (let isFirst = true; vainPasses < mostVainPasses && run.isAccepting(); isFirst = false) {
    open = await pass(isFirst);
    if (open === 0) break;
    vainPasses = open < fewestOpen ? 0 : vainPasses + 1;
    fewestOpen = Math.min(fewestOpen, open);
    // 5, 15 and 45 s by default: what made no progress is not repeated at once.
    if (vainPasses > 0 && vainPasses < mostVainPasses) await run.sleep(retryBaseMs * 10 * 3 ** (vainPasses - 1));
  }
  return open;
}

/** Looked for in a line, so that most lines are neither decoded nor parsed for this. */
const MAY_POPULATE = '"populate"';

/**
 * Sends the supply points that are to be looked up, wherever in the input they stand: the first stage of a migration
 * (specification: What the service does). `populated` receives the hashes of their lines; other lines are left alone.
 */
async function populatePass(options: RunContext, isFirst: boolean, populated: string[]): Promise<number> {
  const run = { ...options };
  const pass = newPass(run, { isFirst, isNew: false, endedHashes: createHashSet() });
  const work = startWork(pass, pLimit(run.recordsAtOnce));
  for await (const item of run.input) {
    if (!run.isAccepting() || pass.failure !== undefined) break;
    if (!(item.bytes ?? item.text).includes(MAY_POPULATE)) continue;
    const read = item.read();
    if (!('record' in read) || !isPopulate(read.record)) continue;
    const found = readRecord(item, pass);
    if (found === undefined || findEarlierLine(found, pass) !== undefined) continue;
    if (isFirst) populated.push(item.hash);
    await work.begin(found);
  }
  await work.end();
  return pass.unfinished;
}

function newPass(
  run: RunContext,
  { isFirst, isNew, endedHashes }: Pick<InputPass, 'isFirst' | 'isNew' | 'endedHashes'>,
): InputPass {
  const [items, businesses, waitedFor] = [new Map<string, InputLine>(), new Map(), new Set<string>()];
  const seenKeys = createHashSet();
  return {
    run,
    isFirst,
    isNew,
    seenKeys,
    endedHashes,
    items,
    businesses,
    waitedFor,
    unfinished: 0,
    waiting: 0,
    failure: undefined,
  };
}

interface Work {
  /** Resolves once the record has begun: memory holds no more lines than what is under way. `ended`: once it has stopped. */
  begin(line: ReadLine): Promise<{ ended: Promise<void> }>;
  /** Resolves when all have stopped; rejects where one of them failed. */
  end(): Promise<void>;
}

function startWork(pass: InputPass, limit: ReturnType<typeof pLimit>): Work {
  const underWay = new Set<Promise<void>>();
  return {
    async begin(line) {
      const id = idOf(line.key);
      pass.items.set(id, line.item);
      let ended: Promise<void> = Promise.resolve();
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
          // One that takes long holds up no other.
          .then(() => {
            underWay.delete(work);
            pass.items.delete(id);
          });
        underWay.add(work);
        ended = work;
      });
      return { ended };
    },
    async end() {
      await Promise.all(underWay);
      if (pass.failure !== undefined) throw pass.failure.error;
    },
  };
}

interface PassEnd {
  open: number;
  /** Of the first pass, where it came to the book's end: records that are not on the service and that no line stands for. */
  withoutLine: ReadonlySet<string>;
  /** undefined where it did not come to the book's end. */
  lines: number | undefined;
}

async function runPass(options: RunContext, isFirst: boolean, populated: readonly string[]): Promise<PassEnd> {
  const run = { ...options, isWholeInputKnown: !isFirst && options.isPartOfInput !== true };
  const isNew = isFirst && (await isEmpty(run));
  const endedHashes = await endedIn(run, isFirst);
  for (const hash of populated) endedHashes.add(hash);
  const pass = newPass(run, { isFirst, isNew, endedHashes });
  const limit = pLimit(atFirst(run.recordsAtOnce));
  const work = startWork(pass, limit);
  let first = FIRST;
  let [lines, isWhole] = [0, true];
  for await (const item of run.input) {
    if (!run.isAccepting() || pass.failure !== undefined) {
      isWhole = false;
      break;
    }
    lines++;
    if (isFirst) run.onRead?.(item);
    const note = endedHashes.noteOf(item.hash);
    if (note !== undefined) {
      if (note === 0) endedHashes.setNote(item.hash, LINE_SEEN);
      else if (isFirst) await reportKnownDuplicate(item, note, pass);
      continue;
    }
    const found = readRecord(item, pass);
    if (found === undefined) continue;
    const { key } = found;
    if (run.refusedSuppliers?.has(key.supplier)) {
      run.refusedSuppliers.leave();
      isWhole = false;
      continue;
    }
    const before = findEarlierLine(found, pass);
    if (before !== undefined) {
      await reportDuplicate(item, { key, isSame: before.isSame }, pass);
      continue;
    }
    const isStored = key.kind === 'populate' ? undefined : run.onSupplier?.(key.supplier);
    if (isStored !== undefined) await isStored;
    if (--first === 0) limit.concurrency = run.recordsAtOnce;
    const { ended: stopped } = await work.begin(found);
    // Of an input that can be read once alone, what comes after it waits.
    if (key.kind === 'populate') await stopped;
  }
  await work.end();
  const isRead = isWhole && (run.refusedSuppliers?.left ?? 0) === 0;
  const withoutLine = isFirst && isRead && !isNew ? await recordsWithoutLine(pass) : new Set<string>();
  return { open: pass.unfinished, lines: isRead ? lines : undefined, withoutLine };
}

/** A record whose line was met has its key among those of the pass, or its hash among those that were passed over. */
async function recordsWithoutLine({ run, seenKeys, endedHashes }: InputPass): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const outcome of ['rejected', 'skipped', null] as const) {
    for await (const record of run.ledger.list({ outcome })) {
      const isMet = (endedHashes.noteOf(record.hash) ?? 0) > 0 || seenKeys.has(digest('sha256', idOf(record)));
      if (!isMet) found.add(idOf(record));
    }
  }
  return found;
}

async function isEmpty({ ledger }: RunContext): Promise<boolean> {
  for await (const _ of ledger.list()) return false;
  return true;
}

/** Hashes of what need not be looked at. */
async function endedIn(run: RunContext, isFirst: boolean): Promise<HashSet> {
  const ended = createHashSet();
  // Of corrected lines each is told of.
  if (isFirst && run.correctedLines !== undefined) return ended;
  if (isFirst && (run.retryRejected || run.addToExisting || run.recheckRejected)) {
    for await (const record of run.ledger.list()) {
      const isRetried =
        (run.retryRejected && canBeRetried(record)) || (run.recheckRejected && wasRejectedByCheck(record));
      const isTried = isRetried || (run.addToExisting && hasUnsent(record));
      if (record.outcome !== null && !isTried) ended.add(record.hash);
    }
  } else {
    for await (const hash of run.ledger.endedHashes()) ended.add(hash);
  }
  return ended;
}
