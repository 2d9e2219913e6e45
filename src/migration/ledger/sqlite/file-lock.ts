/**
 * Locks a ledger for one run. The lock is an SQLite write lock on a file next to the ledger, so the system releases
 * it when the process ends for any reason. The file names the holder, and is not deleted.
 */
import { hostname } from 'node:os';
import { type Holder, lockedError } from '../locked-error.js';
import type { OpenSqlite, SqliteConnection } from './driver.js';
import { isBusy, ledgerFileError } from './file-error.js';

/** Number of tries: two processes that start at the same time can each see the name of the other. */
const TRIES = 5;
/** Longest wait: the system may not have released the lock of a killed process yet. */
const PATIENCE_MS = 500;

/** Takes the lock. Returns a function that releases it. Throws a `LedgerLockedError` that names the holder. */
export function takeLock(ledgerPath: string, lockPath: string, open: OpenSqlite, now: Date): () => void {
  const me: Holder = { pid: process.pid, host: hostname(), since: now.toISOString() };
  let file: SqliteConnection | undefined;
  try {
    file = open(lockPath, { readOnly: false });
    const held = file;
    hold(held, me);
    return () => {
      // Released here: closing may wait until statements are garbage collected.
      held.exec('rollback');
      held.close();
    };
  } catch (error) {
    const busy = isBusy(error) && file !== undefined ? lockedError(ledgerPath, holderIn(file)) : undefined;
    file?.close();
    throw busy ?? ledgerFileError('lock', lockPath, error);
  }
}

/** Writes the name in one transaction, and holds the lock with the next one, which allows others to read the name. */
function hold(file: SqliteConnection, me: Holder): void {
  file.exec(`pragma busy_timeout = ${PATIENCE_MS}`);
  for (let left = TRIES; ; left--) {
    file.exec('begin immediate');
    file.exec('create table if not exists holder (pid integer, host text, since text)');
    file.exec('delete from holder');
    file.prepare('insert into holder values (?, ?, ?)').run(me.pid, me.host, me.since);
    file.exec('commit');
    file.exec('begin immediate');
    const holder = holderIn(file);
    if (left === 0 || (holder?.pid === me.pid && holder.host === me.host)) return;
    file.exec('rollback');
  }
}

function holderIn(file: SqliteConnection): Holder | undefined {
  try {
    return file.prepare('select pid, host, since from holder').get() as Holder | undefined;
  } catch {
    // The holder has not written its name yet; only the lock counts.
    return undefined;
  }
}
