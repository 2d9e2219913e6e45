/** Exports `writeReport` and `rewriteReport`: the report of a run from its folder, at the end of a session and for `report`. */
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Ledger, LedgerCounts } from '../../ledger/ledger.js';
import { SANDBOX_TARGET, storedTarget, targetName } from '../../run/expect-target.js';
import { readOwn } from '../../shared/regular-file.js';
import { exitCodeOfSession } from '../exit-code.js';
import type { Report, RunEnding, RunFacts } from '../report.js';
import { allWarnings, withPlaces } from '../summary/error-groups.js';
import { createInputProfile } from '../summary/input-profile.js';
import { NO_LINES } from '../summary/line-counts.js';
import { type LeftSummary, type Summary, summarise } from '../summary/summary.js';
import { areAsWritten, noteAsKept } from './edited-files.js';
import type { RunFolder } from './run-folder.js';

/** Returns how the last session ended, and what is next. */
export type EndingOf = (run: RunFacts, summary: Summary) => RunEnding | Promise<RunEnding>;

/** Writes report.json and report.html. `run`: as run.json has it. `workers`: those of the former report, if none are given. Resolves with the report, whose summary has all warnings. */
export async function writeReport(
  folder: RunFolder,
  { run, summary, workers }: Pick<Report, 'run' | 'summary' | 'workers'>,
  ledger: Pick<Ledger, 'fact' | 'setFact' | 'counts'>,
  endingOf: EndingOf = endingOfProgram,
  counts?: LedgerCounts,
): Promise<Report> {
  const target = await storedTarget(ledger);
  const [sessions, audit, verification, stored] = [
    (await folder.read('samples')) ?? [],
    await folder.audit.entries(),
    await folder.read('verification'),
    await folder.read('input'),
  ];
  const { total, writes } = counts ?? (await ledger.counts());
  const report = {
    target: target === undefined ? null : { name: targetName(target), url: target === SANDBOX_TARGET ? null : target },
    run,
    ending: await endingOf(run, summary),
    summary: { ...summary, warnings: allWarnings(summary.warnings, stored?.warnings) },
    sessions,
    audit,
    verification,
    workers: workers ?? (await storedReport(folder.path))?.workers,
    input: stored && { ...stored, warnings: undefined, profile: createInputProfile(stored.profile).profile() },
    ledger: { total, writes },
  };
  await folder.writeReport(report);
  await noteAsKept([folder.at(REPORT)]);
  return report;
}

/** The ending of a run that a program has started: without the commands for records in a state. */
function endingOfProgram(run: RunFacts, summary: Summary): RunEnding {
  const exitCode = exitCodeOfSession(run, summary);
  const { continueWith } = run;
  return {
    exitCode,
    next: exitCode === 0 || continueWith === '' ? [] : [{ state: 'Next', text: '', command: continueWith }],
  };
}

/** Resolves with report.json as it was written last; undefined if it has other content now. */
async function storedReport(path: string): Promise<Report | undefined> {
  const file = join(path, REPORT);
  // One that cannot be read cannot be written either, and that error is reported.
  const isAsWritten = await areAsWritten([file]).catch(() => false);
  return isAsWritten ? (JSON.parse(await readOwn(file)) as Report) : undefined;
}

/** Returns the summary of the report, if nothing was written since: to read all records takes 12 s for 700,000 of them. undefined otherwise. */
function summaryOf(
  stored: Report | undefined,
  { lines, records }: Pick<RunFacts, 'lines' | 'records'>,
  { total, writes }: LedgerCounts,
): Summary | undefined {
  const { run } = stored ?? {};
  const isSame = isDeepStrictEqual([stored?.ledger, run?.lines, run?.records], [{ total, writes }, lines, records]);
  return isSame ? stored?.summary : undefined;
}

/**
 * Writes the report and, if they are not as they were written or records have changed since, ok.csv, unknown.jsonl and unfinished.jsonl from
 * the ledger. It does not need the input, so rejected.jsonl and skipped.jsonl stay as the last session wrote them. `showPersonalData`: writes
 * rejected.csv again, with the values of the rejected fields, which report.html has then too. If no session of a run has worked in the folder,
 * there is no report, and the summary is without lines that have no record.
 */
export async function rewriteReport(
  folder: RunFolder,
  ledger: Ledger,
  endingOf?: EndingOf,
  { showPersonalData = false, workers }: { showPersonalData?: boolean | undefined } & Pick<Report, 'workers'> = {},
): Promise<{ summary: Summary; report?: Report }> {
  const run = await folder.readRun();
  if (run === undefined) return { summary: await folder.writeEnded(ledger, { lines: NO_LINES }) };
  const { lines, records, steps } = run;
  const counts = await ledger.counts();
  const former = await storedReport(folder.path);
  const stored = summaryOf(former, run, counts);
  const isWritten = stored !== undefined && (await folder.isEndedWritten());
  const counted = isWritten ? stored : await folder.writeEnded(ledger, { lines: lines ?? NO_LINES, records, steps });
  // The ledger does not have the columns of a CSV file.
  const located = showPersonalData ? await folder.writeRejectedWithValues(ledger) : (former?.summary.errors ?? []);
  const summary = { ...counted, errors: withPlaces(counted.errors, located) };
  // The caller has the lock, so a run that is recorded as running was killed.
  const state = run.state === 'running' ? 'brokenOff' : run.state;
  const report = await writeReport(folder, { run: { ...run, state }, summary, workers }, ledger, endingOf, counts);
  return { summary: report.summary, report };
}

/** Resolves with the part of the summary of the ledger, which has these counts, that `status` shows. Writes nothing. */
export async function currentSummary(
  path: string,
  run: RunFacts,
  ledger: Ledger,
  counts: LedgerCounts,
): Promise<LeftSummary> {
  const { lines, records, steps } = run;
  const stored = summaryOf(await storedReport(path), run, counts);
  return stored ?? summarise(ledger, { lines: lines ?? NO_LINES, records, steps, ended: counts.ended });
}

const REPORT = 'report.json';
