/** Work in a run folder with its lock held: nobody else runs in it meanwhile. */
import { join } from 'node:path';
import { isOfSqlite, LedgerFileError, ledgerFileError } from '../migration/ledger/file-error.js';
import type { Ledger } from '../migration/ledger/ledger.js';
import { LedgerLockedError } from '../migration/ledger/locked-error.js';
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
  await working(ledger, folder.at(LEDGER), () => work(folder, ledger));
}

/** Looks at what the ledger of a run holds, also while the run goes on. Rejects with a UsageError where it cannot. */
export async function withLedgerOf<Result>(folder: string, work: (ledger: Ledger) => Promise<Result>): Promise<Result> {
  const path = join(folder, LEDGER);
  const ledger = await expectRun(folder)
    .then(() => openSqliteLedger(path, { readOnly: true }))
    .catch((error: unknown) => {
      throw asUsage(error);
    });
  return working(ledger, path, () => work(ledger));
}

const LEDGER = 'ledger.sqlite';

async function working<Result>(ledger: Ledger, path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    // What SQLite finds wrong while it reads does not say with which file.
    throw asUsage(isOfSqlite(error) ? ledgerFileError('read', path, error) : error);
  } finally {
    await ledger.close().catch((error: unknown) => {
      throw asUsage(error);
    });
  }
}

async function openWithLock(opening: Promise<RunFolder>): Promise<{ folder: RunFolder; ledger: Ledger }> {
  const folder = await opening;
  return { folder, ledger: await openSqliteLedger(folder.at(LEDGER)) };
}

function asUsage(error: unknown): unknown {
  const isOfFolder = error instanceof RunFolderError || error instanceof LedgerFileError;
  return isOfFolder ? new UsageError(error.message, { cause: error }) : error;
}
