/** Exports `endSession`, which writes the results of a session: the result files, run.json and the report. */
import type { Input } from '../../input/source.js';
import { pathOf } from '../../input/text/input-files.js';
import { idOf, type LedgerRecord } from '../../ledger/ledger.js';
import type { NotAccepted } from '../../record/events/record-event.js';
import { writeReport } from '../../report/folder/write-report.js';
import type { EndState, Report, RunFacts } from '../../report/report.js';
import { keepEarlierLines, withEarlierLines } from '../../report/result-files/earlier-lines.js';
import { createRemainingInputs } from '../../report/result-files/remaining-inputs.js';
import { DUPLICATE_RECORD } from '../../report/summary/line-counts.js';
import type { Summary } from '../../report/summary/summary.js';
import { askAboutRefusal, failureInWords } from '../../shared/connection-failure.js';
import { counted, firstInWords } from '../../shared/format.js';
import type { FailedCall } from '../../throttle/compact-event.js';
import { releaseTarget } from '../expect-target.js';
import { stepsOf } from '../options.js';
import type { RunEnd } from '../repeat-passes.js';
import { storeLastReading } from '../unchanged-input.js';
import { FINISHED, type OpenSession } from './open-session.js';
import type { IgnoredLineCounts, ReadProgress } from './read-progress.js';
import { mayHaveNoLine, storeRemoved } from './removed-records.js';
import type { SessionEvents } from './session-events.js';

/** The result of a run. */
export interface MigrationResult {
  /**
   * `finished`: every record has an outcome. `stopped`: it was drained or aborted. `halted`: the halt rules stopped
   * it. `unfinished`: records remain that something other than themselves blocked, or a file of the input was written
   * meanwhile. The same options resume it.
   */
  state: EndState;
  /** The reason, if it was halted or is unfinished. */
  reason: string | undefined;
  /** What the service does not accept, if that halted the run. */
  notAccepted: NotAccepted | undefined;
  /** The balance of the whole input, including former sessions of the run. */
  summary: Summary;
  /**
   * The content of report.json.
   * @internal
   */
  report: Report;
  /** With `retry`: ignored lines, by the outcome of their record; up to three of each as `file:line`. */
  ignoredLines: IgnoredLineCounts;
}

/** Rejects if the ledger or the run folder fails. */
export async function endSession(
  session: OpenSession,
  end: RunEnd,
  failures: Pick<SessionEvents, 'lastFailure' | 'notAccepted'>,
): Promise<MigrationResult> {
  const { options, runFolder, distributed, corrected, tally } = session;
  if (end.linesRead !== undefined) session.log.reached((await session.ledger.counts()).total);
  const isWhole = end.linesRead !== undefined && options.canary === undefined;
  const refusal = haltForRefusedSuppliers(session);
  if (isWhole && corrected === undefined) await session.checkRules.store();
  const isInFiles = isInFilesOf(options.input, session.readProgress);
  const isInput = isWhole && corrected === undefined;
  const { withoutLine, isEachMet, isRenamed } =
    isInput && end.comparedLines !== undefined && end.fileNames !== undefined
      ? await storeRemoved(session, end.comparedLines(), end.fileNames, isInFiles)
      : { withoutLine: new Set(), isEachMet: true, isRenamed: () => false };
  const remaining = createRemainingInputs((record) => {
    // The ledger has the corrected line.
    if (isInFiles(record) || isRenamed(record.source) || record.correctedFrom !== null) return 'yes';
    if (withoutLine.has(idOf(record))) return 'no';
    return isInput && mayHaveNoLine(record) ? 'yes' : 'maybe';
  });
  await keepEarlierLines(
    runFolder,
    session.ledger,
    await replacedLines(session, isWhole, isRenamed),
    remaining.earlierLine,
  );
  const lines = runFolder.lines.counts();
  const totals = await writeResultFiles(session, end, { isWhole, onLeft: remaining.record });
  const { filesToRead: files, ledger } = session;
  if (isWhole && end.linesRead !== undefined && files !== undefined) {
    // Of a record whose line may be in another file, only the next reading tells where it is.
    const reading = { files, ...end.reading, lines: end.linesRead };
    await storeLastReading(ledger, isEachMet ? reading : undefined);
  }
  const { state: ended, haltedFor } = endStateOf(session, end, totals);
  const stale = ended === 'finished' && isInput ? otherFiles(options.input, files) : undefined;
  const state = stale === undefined ? ended : 'unfinished';
  if (state === 'finished') runFolder.lines.dropKept();
  const { lastFailure } = failures;
  const { canary } = options;
  const causes = [
    canary === undefined ? undefined : `this session read only ${counted(canary, 'record')} of the input (--canary)`,
    haltedFor,
    lastFailure && `calls failed, the last ${failureInWords(lastFailure)}${toDoAfter(lastFailure)}`,
  ];
  const unfinished = stale ?? refusal ?? remaining.inWords(totals.unfinished, causes);
  const reason = state === 'halted' ? haltedFor : state === 'unfinished' ? unfinished : undefined;
  const isOwnLeft =
    remaining.isOwnLeft() || lines.rejected + lines.skipped + lines.changed.count > remaining.earlierLines();
  const command = session.continueWith(FINISHED);
  const own = isOwnLeft && command !== '' ? [command] : [];
  const refused = failures.notAccepted ?? distributed?.notAccepted();
  if (refused === 'address') await releaseTarget(session.ledger);
  const run = await session.log.end({
    ...{ state, reason, lines, notAccepted: refused },
    hasEndedLines: end.linesRead !== undefined && end.unfinished === 0,
    runAgainWith: [...new Set([...own, ...tally.commandsOf(remaining.others())])],
    openWith: state === 'unfinished' ? tally.commandsOf(remaining.othersWithOpen()) : [],
  });
  await tally.save();
  const workers = await distributed?.rows();
  const ignoredLines = session.ignoredLines.counts;
  const { endingOf } = options;
  const ending = endingOf && ((facts: RunFacts) => endingOf(facts, totals, ignoredLines));
  const report = await writeReport(runFolder, { run, summary: totals, workers }, session.ledger, ending);
  const isOver = state === 'finished' && canary === undefined;
  if (isOver || state === 'unfinished') await distributed?.over(reason);
  return { state, reason, notAccepted: refused, summary: report.summary, report, ignoredLines };
}

/**
 * Stores, once the input is read, the numbers of lines without a separate record and of lines to begin, so that they are known if the process
 * is killed.
 */
export async function storeLines(session: OpenSession, toBegin: number | undefined): Promise<void> {
  const { options, runFolder, ledger, corrected, log } = session;
  const { total } = await ledger.counts();
  // A line that was corrected counts until its record has ended.
  if (corrected !== undefined) return log.loaded(total, toBegin);
  const isGone = await replacedLines(session, options.canary === undefined);
  await log.loaded(total, toBegin, await withEarlierLines(runFolder, isGone));
}

/** Returns why the service refused suppliers, undefined if it refused none. Halts the run if it refused all of them. */
function haltForRefusedSuppliers({ refusedSuppliers, seenSuppliers, throttle }: OpenSession): string | undefined {
  const refusal = refusedSuppliers?.describe();
  if (refusal !== undefined && refusedSuppliers?.areAll(seenSuppliers)) throttle.halt(refusal);
  return refusal;
}

/** Returns which reported lines of earlier sessions are replaced by lines of this session. */
async function replacedLines(
  { options, corrected, ledger, readProgress }: OpenSession,
  isWhole: boolean,
  isRenamed: (source: string) => boolean = () => false,
): Promise<(line: KeptLine) => boolean> {
  if (corrected !== undefined) return corrected.becameRecords(ledger);
  if (!isWhole) return readProgress.has;
  const { input } = options;
  const isInFiles = isInFilesOf(input, readProgress);
  // The content of a duplicate is not missing, so it may go with its file; a rejected line may be the only one of its record.
  const hasLeft = ({ source, errors }: KeptLine) =>
    errors?.[0]?.code === DUPLICATE_RECORD && input.isInFolder?.(source) === true;
  return (line) => isInFiles(line) || isRenamed(line.source) || hasLeft(line);
}

type KeptLine = Parameters<Parameters<typeof keepEarlierLines>[2]>[0];

interface ReadState {
  isWhole: boolean;
  onLeft: (record: LedgerRecord, isOpen: boolean) => void;
}

async function writeResultFiles(
  { options, runFolder, ledger, corrected, itemsRead, amountsRead, log }: OpenSession,
  { linesRead }: RunEnd,
  { isWhole, onLeft }: ReadState,
): Promise<Summary> {
  // Corrected lines are only a part of the input.
  const ofInput = corrected === undefined ? { linesRead, ...(isWhole && { itemsRead, amountsRead }) } : {};
  return runFolder.writeOutcome(ledger, {
    steps: stepsOf(options),
    records: log.records(),
    onLeft,
    ...ofInput,
  });
}

function toDoAfter({ isRefusal, detail }: Pick<FailedCall, 'isRefusal' | 'detail'>): string {
  if (!isRefusal) return '';
  return ` and names neither a field nor a known code: ${askAboutRefusal(detail)}, or correct the record`;
}

const MOST_ADDED = 3;

/**
 * Says which file of the input is not as it was before it was read, or is new in a folder; undefined if none, and for one that is not there
 * any more.
 */
function otherFiles(input: Input, before: string | undefined): string | undefined {
  const notRead = 'lines that were not read are in none of the numbers';
  const added = input.addedFiles?.() ?? [];
  if (added.length > 0) {
    const names = firstInWords(added, MOST_ADDED);
    return `${names} ${added.length === 1 ? 'was' : 'were'} added to a folder of the input since this session opened it: ${notRead}`;
  }
  const now = before === undefined ? undefined : input.identity?.();
  if (now === undefined || now === before) return undefined;
  return `a file of the input has been written since this session began to read it: ${notRead}`;
}

function endStateOf(
  { throttle, signal }: OpenSession,
  { linesRead }: RunEnd,
  { unfinished }: Summary,
): { state: EndState; haltedFor: string | undefined } {
  const { state, reason } = throttle.status();
  const haltedFor = state === 'halted' || state === 'draining' ? reason : undefined;
  if (state === 'halted') return { state, haltedFor };
  if (unfinished === 0 && linesRead !== undefined) return { state: 'finished', haltedFor };
  // A run that drains for a reason has ended itself.
  const isStopped = (state === 'draining' && haltedFor === undefined) || signal.aborted;
  return { state: isStopped ? 'stopped' : 'unfinished', haltedFor };
}

/** Returns whether a line of an earlier session is in a file of this session's input, which was read to its end. */
function isInFilesOf(input: Input, readProgress: ReadProgress): (line: { source: string }) => boolean {
  const files = new Set(input.files?.().map(({ source }) => pathOf(source)));
  return ({ source }) => readProgress.hasSource(source) || files.has(pathOf(source));
}
