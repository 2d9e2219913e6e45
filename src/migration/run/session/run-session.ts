/**
 * Exports `runSession`, which executes one session of a run: it reads the input, imports the records, and writes the results into
 * the run folder.
 */

import { internalsOf } from '../../../client.js';
import { noRecord } from '../../input/expect-records.js';
import { needsDryRun } from '../../record/preconditions/dry-run.js';
import { rememberInFlight } from '../../record/preconditions/quiet-time.js';
import { settingsOf } from '../../record/steps/call-settings.js';
import { rewriteReport } from '../../report/folder/write-report.js';
import { addItems } from '../../report/summary/item-totals.js';
import { firstOf } from '../canary.js';
import { RunTargetError } from '../expect-target.js';
import type { MigrationOptions } from '../options.js';
import { RenumberedError } from '../renumbered-error.js';
import { runInput } from '../repeat-passes.js';
import type { RunContext } from '../run-context.js';
import { endSession, type MigrationResult, storeLines } from './end-session.js';
import { type OpenSession, openSession, type SessionParts } from './open-session.js';
import { SessionEvents } from './session-events.js';

/**
 * Records in progress per call slot: while some wait for the disk, others call. More would cost memory, and leave
 * more intents after a crash, each of which is reconciled with a request (decision 11).
 */
const RECORDS_PER_CALL = 4;

/** Records on their way to the processes of a distributed run: they are written together. */
const RECORDS_REGISTERED_AT_ONCE = 2000;

/**
 * Resolves when every record has an outcome or none can continue. Rejects if the ledger, the input or the run folder
 * fails, and for an input without a record.
 */
export async function runSession(options: MigrationOptions, parts: SessionParts): Promise<MigrationResult> {
  const session = await openSession(options, parts);
  const { distributed } = session;
  const events = new SessionEvents(
    session,
    await rememberInFlight(session.ledger, internalsOf(options.client).shared.inFlight),
  );
  try {
    const reading = runInput(contextOf(session, events));
    // Other processes work on the records of a distributed run, so that it would not end soon.
    const failed = distributed && [distributed.failed, session.callbacks.failed];
    const end = await Promise.race([reading, ...(failed ?? [])]);
    await distributed?.end();
    await session.acceptedTeamStored();
    await session.callbacks.settled();
    if (end.linesRead === 0 && options.canary === undefined) throw noRecord(options.input);
    return await endSession(session, end, events);
  } catch (error) {
    // The error is rethrown. A failure to save the tally would add nothing to it.
    await session.tally.save().catch(() => {});
    await endWith(error, session).catch(() => {});
    throw error;
  } finally {
    events.stop();
  }
}

/** Stores how the session ended. After a question that was not answered with yes the report is that of this session, too. */
async function endWith(
  error: unknown,
  { log, runFolder, ledger, options, ignoredLines }: OpenSession,
): Promise<unknown> {
  const reason = error instanceof Error ? error.message.replace(/\.$/, '') : '';
  // Another error may quote anything.
  if (!(error instanceof RenumberedError)) return log.brokeOff(error instanceof RunTargetError ? reason : null);
  await log.refused(reason);
  const { endingOf } = options;
  return rewriteReport(runFolder, ledger, endingOf && ((run, summary) => endingOf(run, summary, ignoredLines.counts)));
}

function contextOf(session: OpenSession, events: SessionEvents): RunContext {
  const { options, signal, throttle, distributed, corrected, runFolder } = session;
  const { canary, dryRun = 'first' } = options;
  const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  return {
    client: options.client,
    ledger: session.ledger,
    input: canary === undefined ? session.input : firstOf(session.input, canary),
    // Changes that were accepted need not be changes of the files.
    filesToRead: options.changedSources ? undefined : session.filesToRead,
    wholeInput: canary === undefined ? undefined : session.input,
    folder: options.folder,
    areChangesAccepted: options.changedSources ?? false,
    onRenumbered: options.onRenumbered ?? (() => false),
    team: options.team,
    profile: options.profile,
    showPersonalData: options.showPersonalData,
    ...settingsOf(options),
    dryRun: needsDryRun(dryRun, session.firstAccount),
    firstAccount: session.firstAccount,
    refusedSuppliers: session.refusedSuppliers,
    retryRejected: corrected !== undefined || (options.retryRejected ?? false),
    recheckRejected: session.checkRules.haveChanged,
    correctedLines: corrected && { ignore: session.ignoredLines.add },
    recordsAtOnce:
      distributed === undefined ? RECORDS_PER_CALL * throttle.status().concurrency.most : RECORDS_REGISTERED_AT_ONCE,
    signal,
    now: session.now,
    schedule: throttle.schedule,
    inFlight: session.inFlight,
    sleep: (ms) => Promise.race([throttle.sleep(ms), aborted]),
    isAccepting: () => throttle.isAccepting() && !signal.aborted && !session.callbacks.hasFailed(),
    onEvent: (record, event, before) => events.onEvent(record, event, before),
    onRead: session.readProgress.add,
    async onLoaded(lines, toBegin) {
      session.readProgress.end(lines);
      await storeLines(session, toBegin);
    },
    onReadRecord: session.tally.read,
    onNewRecord: session.tally.add,
    onComplete: session.tally.complete,
    onRecord(items) {
      addItems(session.itemsRead, items, true);
      session.amountsRead.addLine('', items, 'input');
    },
    onSupplier(supplier) {
      session.seenSuppliers.add(supplier);
      return session.suppliers.add(supplier);
    },
    onLine(item, finding) {
      runFolder.lines.add(item, finding);
      options.onLine?.(item, finding);
    },
    keepReported: runFolder.lines.keep,
    reportKept: (count) => runFolder.lines.addKept(count, options.onLine),
    workers: distributed?.workers,
  };
}
