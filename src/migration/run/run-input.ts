/**
 * Exports `runInput`, which processes the records of an input until they have outcomes, businesses before their accounts. It
 * repeats the pass over the input while another pass may complete further records.
 */

import { hash as digest } from 'node:crypto';
import pLimit from 'p-limit';
import { internalsOf } from '../../client.js';
import type { InputLine } from '../input/source.js';
import { idOf, type LedgerRecord, unreadableLineOf } from '../ledger/ledger.js';
import { hasUnsent } from '../record/items/item-states.js';
import { HeldRefusals } from '../record/preconditions/held-refusals.js';
import { isPopulate } from '../record/record-key.js';
import { createHashSet } from '../shared/hash-set.js';
import { wasRejectedByCheck } from './check-rules.js';
import { findEarlierLine, LINE_SEEN, reportDuplicate, reportKnownDuplicate } from './duplicates.js';
import type { InputPass, ReadLine, RunContext } from './input-pass.js';
import { canBeRetried, processLine, readRecord } from './process-line.js';

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
  /** Number of lines of the input; undefined if no pass was completed. */
  linesRead: number | undefined;
  /** Number of records of the last pass without an outcome. */
  unfinished: number;
  /** Yields the records of the ledger, and whether the input has their lines; none if each record has its line, or if the input was not read to its end. */
  comparedLines: () => AsyncIterable<ComparedLine>;
}

/** Resolves when every record has ended or none can continue. Rejects if the ledger or the input fails. */
export async function runInput(options: RunContext): Promise<RunEnd> {
  const run = { ...options, heldRefusals: new HeldRefusals(options.firstAccount === undefined) };
  let linesRead: number | undefined;
  let comparedLines: RunEnd['comparedLines'] = none;
  const populated: string[] = [];
  // An input that can be read only once is sent in the order of its records.
  if (run.recordQueue === undefined && run.input.isReadOnce !== true) {
    const left = await repeatPasses(run, (isFirst) => populatePass(run, isFirst, populated));
    if (left > 0) return { linesRead, unfinished: left, comparedLines };
  }
  const unfinished = await repeatPasses(run, async (isFirst) => {
    const ended = await runPass(run, isFirst, populated);
    if (isFirst) comparedLines = ended.comparedLines;
    linesRead ??= ended.lines;
    await run.recordQueue?.whenIdle();
    return ended.open;
  });
  return { linesRead, unfinished, comparedLines };
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

/** Lines without this text are neither decoded nor parsed by `populatePass`. */
const MAY_POPULATE = '"populate"';

/**
 * Sends the supply points to look up, at any place in the input: the first stage of a migration (spec: What the service does). Adds
 * the hashes of their lines to `populated`. Skips other lines.
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
  /**
   * Resolves when the record has started, so that only lines in progress are in memory. `ended` resolves when it has stopped.
   */
  begin(line: ReadLine): Promise<{ ended: Promise<void> }>;
  /** Resolves when all records have stopped. Rejects if one of them failed. */
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
          // A record that takes long does not block others.
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
  /** After a complete first pass. */
  comparedLines: RunEnd['comparedLines'];
  /** Number of lines; undefined if the pass was not completed. */
  lines: number | undefined;
}

async function runPass(options: RunContext, isFirst: boolean, populated: readonly string[]): Promise<PassEnd> {
  const run = { ...options, isWholeInputKnown: !isFirst && options.isPartOfInput !== true };
  const isNew = isFirst && (await isEmpty(run));
  const { endedHashes, equalLines } = await endedIn(run, isFirst);
  let met = 0;
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
      const others = equalLines.get(item.hash) ?? 0;
      if (note === 0) {
        endedHashes.setNote(item.hash, LINE_SEEN);
        met++;
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
    met++;
    const isStored = key.kind === 'populate' ? undefined : run.onSupplier?.(key.supplier);
    if (isStored !== undefined) await isStored;
    if (--first === 0) limit.concurrency = run.recordsAtOnce;
    const { ended: stopped } = await work.begin(found);
    // If the input can be read only once, the lines after it wait.
    if (key.kind === 'populate') await stopped;
  }
  await work.end();
  const isRead = isWhole && (run.refusedSuppliers?.left ?? 0) === 0;
  const comparedLines = isFirst && isRead && !isNew ? () => compareLines(pass, met) : none;
  return { open: pass.unfinished, lines: isRead ? lines : undefined, comparedLines };
}

async function* none(): AsyncGenerator<ComparedLine> {}

/**
 * Yields the records: one has its line if the pass has seen its key, or if a line with its hash was skipped. `met`: how many do; usually
 * all, and then the ledger need not be read.
 */
async function* compareLines({ run, seenKeys, endedHashes }: InputPass, met: number): AsyncGenerator<ComparedLine> {
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
