/** Opens the ledger of a run: `inRunFolder` with its lock held, `withLedgerOf` for reading. */
import { join } from 'node:path';
import type { Ledger } from '../../migration/ledger/ledger.js';
import { LedgerLockedError } from '../../migration/ledger/locked-error.js';
import { NoLedgerError } from '../../migration/ledger/postgres/database-error.js';
import { isOfSqlite, ledgerFileError } from '../../migration/ledger/sqlite/file-error.js';
import { expectMovedService } from '../../migration/operations/preflight/moved-service.js';
import type { KeptFile } from '../../migration/report/folder/edited-files.js';
import { readLedgerNote, removeLedgerNote } from '../../migration/report/folder/ledger-note.js';
import {
  expectRun,
  isOfRun,
  LEDGER_FILE,
  openExistingRunFolder,
  openRunFolder,
  type RunFolder,
} from '../../migration/report/folder/run-folder.js';
import type { CommandData } from '../../migration/report/folder/stored-command.js';
import { claimTarget, expectTarget, RunTargetError, storedTarget } from '../../migration/run/expect-target.js';
import type { ConnectionFlags } from '../options/connection-options.js';
import { type RunFlags, targetIn } from '../options/run-options.js';
import { lastCommand } from '../session/command-again.js';
import type { CommandContext } from '../shared/command-context.js';
import { shellWord } from '../shared/command-text.js';
import { openConnection } from './connection.js';
import { openLedger } from './ledger.js';

/**
 * Does the work with the lock of the ledger held. Rejects with a `LedgerLockedError` if another run has it, and with an error that `isToCorrect` if the
 * ledger cannot be used, or belongs to another target than the flags name.
 */
export async function inRunFolder(
  opening: Promise<RunFolder>,
  flags: RunFlags,
  context: Pick<CommandContext, 'err' | 'program'>,
  work: (folder: RunFolder, ledger: Ledger) => Promise<void>,
  open: (flags: RunFlags) => Promise<Ledger> = (given) => openLedger(given, false),
): Promise<void> {
  let hadNote = true;
  try {
    const folder = await opening;
    hadNote = (await readLedgerNote(flags.run)) !== undefined;
    const ledger = await open(flags).catch(async (error: unknown) => {
      throw await withCommandOfRun(error, flags, context);
    });
    await working(ledger, flags, () => work(folder, ledger));
    for (const one of folder.edited) context.err(keptInWords(one));
  } catch (error) {
    // The ledger belongs to another run: a note of it would make the folder useless.
    if (error instanceof RunTargetError && !hadNote) await removeLedgerNote(flags.run);
    throw error;
  }
}

/** Returns an error that names the command of the run, if its workers have the ledger and wait for that command. */
async function withCommandOfRun(
  error: unknown,
  flags: RunFlags,
  context: Pick<CommandContext, 'program'>,
): Promise<unknown> {
  if (!(error instanceof LedgerLockedError && error.isWithoutCoordinator)) return error;
  const command = await withLedgerOf(flags, (ledger) => lastCommand(ledger, context)).catch(() => undefined);
  return command === undefined ? error : new LedgerLockedError(`${error.message}\nNext: ${command}`, true);
}

/**
 * Opens the folder of a run that exists. A program with `migrateRecord` has a ledger on a server, and no folder until a person decides about
 * its records. Rejects with a `RunFolderError` or an error of the ledger if there is no such run or ledger.
 */
export async function openFolderOf(flags: RunFlags): Promise<RunFolder> {
  if (flags.database === undefined || (await isOfRun(flags.run))) return openExistingRunFolder(flags.run);
  await withLedgerOf(flags, async () => {});
  return openRunFolder(flags.run);
}

/** Returns the line about a folder without run.json. `command`: of the last session, on `host`. */
export function withoutFactsInWords(
  { run, database }: RunFlags,
  command?: CommandData,
  host = 'the machine of the run',
): string {
  const folder = command?.parts.find(({ flag }) => flag === '--run')?.value;
  return database === undefined
    ? `${run}/run.json is missing: lines without a record are in no number, and there is no report page. The next run writes it.`
    : `The lines that need you are in the run folder${folder === undefined ? '' : ` ${shellWord(folder)}`} on ${host}; ${run} has no run.`;
}

/** Returns the line about a file that a person has edited, or has given to the command edited or not, and that the command writes again. */
export function keptInWords({ source, copy }: KeptFile, what: 'edited' | 'given' = 'edited'): string {
  return `Kept the ${what} ${source} as ${copy}; this command writes the file again.\n`;
}

/**
 * Stores the target of the flags in the ledger, whose lock is held. Does nothing if the flags name no target. Asks a service that has
 * moved whether it has the accounts of the run.
 */
export async function claimTargetOf(
  flags: RunFlags & ConnectionFlags,
  { audit }: RunFolder,
  ledger: Ledger,
): Promise<void> {
  const target = targetIn(flags);
  if (target === undefined) return;
  const { run: folder, retarget } = flags;
  if (![undefined, target].includes(await storedTarget(ledger))) {
    const { client, close } = await openConnection(flags);
    await expectMovedService(ledger, client, { target, retarget, folder }).finally(close);
  }
  await claimTarget(ledger, audit, { target, retarget, folder, now: () => new Date() });
}

/** Reads the ledger of a run, also while the run is active. Rejects with a `RunFolderError` or an error of the ledger if there is no such run or ledger. */
export async function withLedgerOf<Result>(
  flags: RunFlags,
  work: (ledger: Ledger) => Promise<Result>,
): Promise<Result> {
  // A ledger on a server can be read from a machine that has no run folder.
  if (flags.database === undefined) await expectRun(flags.run);
  const ledger = await openLedger(flags, true);
  return working(ledger, flags, () => work(ledger));
}

/** As `withLedgerOf`; the work gets undefined if there is no ledger yet. */
export async function withLedgerIfAny<Result>(
  flags: RunFlags,
  work: (ledger: Ledger | undefined) => Promise<Result>,
): Promise<Result> {
  try {
    if (flags.database !== undefined || (await isOfRun(flags.run))) return await withLedgerOf(flags, work);
  } catch (error) {
    if (!(error instanceof NoLedgerError)) throw error;
  }
  return work(undefined);
}

async function working<Result>(ledger: Ledger, flags: RunFlags, work: () => Promise<Result>): Promise<Result> {
  const { run, retarget } = flags;
  let result: Result;
  try {
    const target = targetIn(flags);
    const isOnServer = flags.database !== undefined;
    if (target !== undefined) await expectTarget(ledger, { target, retarget, folder: run, isOnServer });
    result = await work();
  } catch (error) {
    // The first error is the cause: an error of closing would hide it.
    await ledger.close().catch(() => {});
    // An error of SQLite does not name the file.
    throw isOfSqlite(error) ? ledgerFileError('read', join(run, LEDGER_FILE), error) : error;
  }
  await ledger.close();
  return result;
}
