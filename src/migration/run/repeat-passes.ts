/**
 * Exports `runInput`, which works on the records of the stored lines of an input until they have outcomes, businesses before their accounts.
 * It repeats the pass over these lines while another pass may complete further records.
 */

import pLimit from 'p-limit';
import { internalsOf } from '../../client.js';
import { idOf, type RecordKind } from '../ledger/ledger.js';
import { HeldRefusals } from '../record/preconditions/held-refusals.js';
import type { FileNames } from './file-names.js';
import { type ComparedLine, compareLines, emptyReading } from './input-against-ledger.js';
import { correctionsLeft, fromStore, loadInput, newPass, openCorrections } from './load-input.js';
import { processLine } from './process-line.js';
import type { InputPass, ReadLine, RunContext } from './run-context.js';
import { type LastReading, lastReading } from './unchanged-input.js';

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

/** The result of `runInput`. */
export interface RunEnd {
  /** Number of lines of the input; undefined if the work on some of them was not begun. */
  linesRead: number | undefined;
  /** See `LastReading`. */
  reading: Pick<LastReading, 'number' | 'reported'>;
  /** Number of records of the last pass without an outcome. */
  unfinished: number;
  /**
   * Yields the records of the ledger, and whether the input has their lines; none if each record has its line, or if the input was not read
   * to its end. Undefined if the lines of an earlier session were used.
   */
  comparedLines: (() => AsyncIterable<ComparedLine>) | undefined;
  /** See `Reading`: a record that is sent again has its new file in the ledger at the end. */
  fileNames: FileNames | undefined;
}

/** Records of the first kinds end before those of the next ones begin (spec: What the service does). */
const IN_TURN: readonly (readonly RecordKind[])[] = [['populate'], ['business', 'account']];

/**
 * Stores the lines of the input in the ledger, and works on them until every record has ended or none can continue. Rejects if the ledger or
 * the input fails.
 */
export async function runInput(options: RunContext): Promise<RunEnd> {
  const run = { ...options, heldRefusals: new HeldRefusals(options.firstAccount === undefined) };
  const isInput = run.wholeInput === undefined && run.correctedLines === undefined;
  const corrections = await openCorrections(run.ledger);
  const last = isInput && corrections.length === 0 ? await lastReading(run.ledger, run.filesToRead) : undefined;
  const isStored =
    last !== undefined && last.number > 0 && (last.reported === 0 || (await run.reportKept?.(last.reported)));
  const stored = isStored
    ? { ...last, isWhole: true, reading: { ...emptyReading(), isNew: false, kept: last.reported } }
    : undefined;
  const { number, lines, isWhole, reading } = stored ?? (await loadInput(run, isInput, corrections));
  if (isWhole) await run.onLoaded?.(lines, stored === undefined ? reading.toBegin : undefined);
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
    reading: { number: reading.reported === 0 ? number : 0, reported: reading.kept },
    unfinished,
    comparedLines: stored !== undefined ? undefined : isRead && isInput ? () => compareLines(run, reading) : none,
    fileNames: reading.fileNames,
  };
}

/** Repeats a pass while it may complete further records. Returns the number of unfinished records of the last pass. */
async function repeatPasses(run: RunContext, pass: (isFirst: boolean) => Promise<number>): Promise<number> {
  let open = 0;
  let fewestOpen = Number.POSITIVE_INFINITY;
  let passesWithoutProgress = 0;
  const { maxRetries, retryBaseMs } = internalsOf(run.client).settings;
  const mostPassesWithoutProgress = Math.min(MAX_PASSES_WITHOUT_PROGRESS, maxRetries + 1);
  for (let isFirst = true; passesWithoutProgress < mostPassesWithoutProgress && run.isAccepting(); isFirst = false) {
    if (passesWithoutProgress === mostPassesWithoutProgress - 1) await run.heldRefusals?.addEarlier(run.ledger);
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

function startWork(pass: InputPass, limit: ReturnType<typeof pLimit>) {
  const underWay = new Set<Promise<void>>();
  return {
    async begin(line: ReadLine): Promise<void> {
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
    async end(): Promise<void> {
      await Promise.all(underWay);
      await eraseOver(pass, 1);
      if (pass.failure !== undefined) throw pass.failure.error;
    },
  };
}

async function* linesOf(pass: InputPass, number: number, kind: RecordKind): AsyncGenerator<ReadLine> {
  for await (const stored of pass.run.ledger.lines(number, kind)) yield fromStore(stored);
  yield* correctionsLeft(pass, kind);
}

/** Works on the stored lines once. Returns whether the work on each of them was begun. */
async function workOn(pass: InputPass, number: number, kinds: readonly RecordKind[]): Promise<boolean> {
  const { run, isFirst } = pass;
  const limit = pLimit(atFirst(run.recordsAtOnce));
  const work = startWork(pass, limit);
  let isOfAll = true;
  /** After the last kind: an earlier wait has counted some of them too. */
  let left = 0;
  let first = FIRST;
  for (const kind of kinds) {
    for await (const line of linesOf(pass, number, kind)) {
      if (!run.isAccepting() || pass.failure !== undefined) {
        isOfAll = false;
        break;
      }
      if (run.refusedSuppliers?.has(line.key.supplier)) {
        if (isFirst) run.refusedSuppliers.leave();
        continue;
      }
      if (--first === 0) limit.concurrency = run.recordsAtOnce;
      await work.begin(line);
      await eraseOver(pass, OVER_AT_ONCE);
    }
    if (run.workers === undefined) continue;
    // Workers take records in any order: the businesses end before their accounts are registered.
    await work.end();
    left = await run.workers.whenIdle(kinds);
  }
  await work.end();
  pass.unfinished += left;
  return isOfAll;
}

/** Records that were over before whose lines are erased together. */
const OVER_AT_ONCE = 100;

async function eraseOver({ run, over }: InputPass, fewest: number): Promise<void> {
  if (over.length >= fewest) await run.ledger.eraseLines(over.splice(0));
}

async function* none(): AsyncGenerator<ComparedLine> {}
