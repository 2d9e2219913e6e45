/** Work in a run folder with its lock held: nobody else runs in it meanwhile. */
import { join } from 'node:path';
import { LedgerFileError } from '../migration/ledger/file-error.js';
import type { Ledger } from '../migration/ledger/ledger.js';
import { LedgerLockedError } from '../migration/ledger/lock.js';
import { openSqliteLedger } from '../migration/ledger/sqlite.js';
import { expectRun, type RunFolder } from '../migration/report/folder.js';
import { RunFolderError } from '../migration/report/folder-error.js';
import { EXIT } from './exit-codes.js';
import { type Surroundings, UsageError } from './surroundings.js';

/** Does nothing but say so where a run has the folder. Rejects with a UsageError where it cannot be used. */
export async function inRunFolder(
  opening: Promise<RunFolder>,
  { err, exit }: Pick<Surroundings, 'err' | 'exit'>,
  work: (folder: RunFolder, ledger: Ledger) => Promise<void>,
): Promise<void> {
  const opened = await openWithLock(opening).catch((error: unknown) => {
    if (error instanceof LedgerLockedError) return error;
    throw asUsage(error);
  });
  if (opened instanceof LedgerLockedError) {
    err(`data-import: ${opened.message}\n`);
    exit(EXIT.inUse);
    return;
  }
  const { folder, ledger } = opened;
  try {
    await work(folder, ledger);
  } catch (error) {
    throw error instanceof RunFolderError ? asUsage(error) : error;
  } finally {
    await ledger.close();
  }
}

/** To look at what the ledger of a run holds, also while the run goes on. Rejects with a UsageError. */
export async function readLedger(folder: string): Promise<Ledger> {
  try {
    await expectRun(folder);
    return await openSqliteLedger(join(folder, 'ledger.sqlite'), { readOnly: true });
  } catch (error) {
    throw asUsage(error);
  }
}

async function openWithLock(opening: Promise<RunFolder>): Promise<{ folder: RunFolder; ledger: Ledger }> {
  const folder = await opening;
  return { folder, ledger: await openSqliteLedger(folder.at('ledger.sqlite')) };
}

function asUsage(error: unknown): unknown {
  const isOfFolder = error instanceof RunFolderError || error instanceof LedgerFileError;
  return isOfFolder ? new UsageError(error.message, { cause: error }) : error;
}
