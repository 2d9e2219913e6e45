/** Exports `runMigration` and `startMigration`, which import a whole input. The command line and other programs use them. */

import { Callbacks } from '../callbacks.js';
import { internalsOf } from '../client.js';
import { clockOf } from '../validation/option-kinds.js';
import { expectRecords } from './input/expect-records.js';
import type { Ledger, LedgerRecord } from './ledger/ledger.js';
import { openSqliteLedger } from './ledger/sqlite/sqlite-ledger.js';
import { expectMovedService } from './operations/preflight/moved-service.js';
import type { RecordEvent } from './record/events/record-event.js';
import { InFlightRecords } from './record/preconditions/quiet-time.js';
import { settingsOf } from './record/steps/call-settings.js';
import type { KeptFile } from './report/folder/edited-files.js';
import { LEDGER_FILE, openRunFolder, type RunFolder } from './report/folder/run-folder.js';
import { claimLedger, expectNotCopied } from './run/copied-ledger.js';
import { claimTarget, SANDBOX_TARGET } from './run/expect-target.js';
import { expectSharedSupplier } from './run/known-suppliers.js';
import { checkOptions, type MigrationOptions } from './run/options.js';
import { keepRetriedFiles, withCopies } from './run/retried-files.js';
import type { MigrationResult } from './run/session/end-session.js';
import type { SessionParts } from './run/session/open-session.js';
import { createReadProgress, type ReadProgress } from './run/session/read-progress.js';
import { runSession } from './run/session/run-session.js';
import { expectOpen } from './shared/connection-failure.js';
import { createThrottle, type Throttle } from './throttle/throttle.js';

/** A running migration. */
export interface Migration {
  /** Pauses, resumes, drains and changes the run, and returns its state. */
  throttle: Throttle;
  /** The states of all records. Closed when the run ends, unless the caller passed it. */
  ledger: Ledger;
  /** @internal */
  inFlight: InFlightRecords;
  /** @internal */
  readProgress: ReadProgress;
  /** @internal */
  runFolder: RunFolder;
  /** Files of the run folder that are the input of a retry, and their copies: the session writes these files again. */
  keptFiles: readonly KeptFile[];
  /** Rejects if the ledger, the input or the run folder fails. The ledger has the state until then. */
  finished: Promise<MigrationResult>;
}

/**
 * Migrates a whole input into the service. After a crash, the same call resumes the run: no record is lost, and no
 * request is repeated that must not be. Resolves with the summary, also if records were rejected. Rejects if the run
 * folder, the ledger or the input cannot be used, and for an input without a record (an empty file, only a header, an
 * empty array), because an export that is empty by mistake must not count as a migration.
 *
 * @example
 * const input = await openInput(['accounts.jsonl']);
 * const { summary } = await runMigration({ client, input, folder: 'data-import-run', team: 'EAST' });
 * console.log(summary.balance.text);
 */
export async function runMigration(options: MigrationOptions): Promise<MigrationResult> {
  const { finished } = await startMigration(options);
  return finished;
}

/**
 * Starts a migration like `runMigration` and returns an object that controls it. Before anything is written it
 * rejects if the client is closed, or if the run folder or the ledger cannot be used, with a `RunTargetError` if they belong to another target or
 * input or are a copy of a folder that still exists, with a `CopiedLedgerError` if the ledger was copied or restored, with a `TypeError` or `RangeError` that names an invalid option, and with "the input has no record" for an empty input. If
 * the input can be read only once, `finished` rejects for an empty input instead.
 */
export async function startMigration(options: MigrationOptions): Promise<Migration> {
  checkOptions(options);
  expectOpen('runMigration', options.client);
  const callbacks = new Callbacks();
  const onEvent = callbacks.watched(options.onEvent);
  const onLine = callbacks.watched(options.onLine);
  const onOthers = callbacks.watched(options.onOthers);
  const canary = options.canary || undefined;
  return start({ ...options, canary, onEvent, onLine, onOthers }, callbacks);
}

async function start(options: MigrationOptions, callbacks: Callbacks): Promise<Migration> {
  await expectRecords(options.input);
  const runFolder = await openRunFolder(options.folder);
  const now = clockOf('runMigration', options.now);
  const given = options.distributed?.ledger ?? options.ledger;
  const ledger = given ?? (await openSqliteLedger(runFolder.at(LEDGER_FILE), { now }));
  const close = async () => {
    if (given === undefined) await ledger.close();
  };
  let keptFiles: KeptFile[] = [];
  let filesToRead: string | undefined;
  try {
    filesToRead = await beginTarget(options, { runFolder, ledger, now });
    if (options.retry) keptFiles = await keepRetriedFiles(runFolder, options.input, now);
  } catch (error) {
    await close();
    throw error;
  }
  const listener = { onEvent: (_record: LedgerRecord, _event: RecordEvent) => {} };
  const { client, throttle: throttleOptions, profile, team, dryRun = 'first', showPersonalData = false } = options;
  const distributed = await options.distributed?.begin({
    ...{ client, throttle: throttleOptions, profile, now },
    settings: { team, dryRun, showPersonalData, ...settingsOf(options) },
    onEvent: (record, event) => listener.onEvent(record, event),
    signal: options.signal,
  });
  const throttle = distributed?.throttle ?? createThrottle(options.throttle);
  const inFlight = new InFlightRecords(internalsOf(options.client).shared.inFlight, now, options.serviceStartedAt);
  const readProgress = createReadProgress();
  const parts = {
    ...{ runFolder, ledger, throttle, distributed, listener, inFlight, readProgress, filesToRead, now },
    callbacks,
  };
  const finished = runSession(withCopiesIn(options, keptFiles), parts).finally(async () => {
    await distributed?.end();
    await close();
  });
  // The caller awaits `finished` later; until then a rejection must not count as unhandled.
  finished.catch(() => {});
  return { throttle, ledger, inFlight, readProgress, runFolder, keptFiles, finished };
}

/** The command that continues a retry names the copies. */
function withCopiesIn(options: MigrationOptions, kept: readonly KeptFile[]): MigrationOptions {
  const { continueWith } = options;
  if (kept.length === 0 || continueWith === undefined) return options;
  const command = typeof continueWith === 'string' ? () => continueWith : continueWith;
  return { ...options, continueWith: (end) => withCopies(command(end), kept) };
}

/**
 * Runs before the first request that changes anything, and before workers learn about the run. Resolves with the state of the files of the
 * whole input.
 */
async function beginTarget(
  options: MigrationOptions,
  { runFolder, ledger, now }: Pick<SessionParts, 'runFolder' | 'ledger' | 'now'>,
): Promise<string | undefined> {
  const { client, target = client.baseUrl, retarget, input, folder, retry, onCopied } = options;
  const { audit } = runFolder;
  // The sandbox of a rehearsal is a part of its folder, so that a copy has another one.
  const isRehearsal = target === SANDBOX_TARGET;
  if (!isRehearsal) await expectNotCopied(ledger, { folder, onCopied, audit, now });
  await expectMovedService(ledger, client, { target, retarget, folder });
  // Corrected lines may have any supplier; those of other runs are ignored.
  if (!retry) await expectSharedSupplier(ledger, input, folder);
  await claimTarget(ledger, audit, { target, retarget, folder, now });
  if (!isRehearsal) await claimLedger(ledger, { folder, now });
  return retry || input.isReadOnce ? undefined : input.identity?.();
}
