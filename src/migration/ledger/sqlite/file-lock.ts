/**
 * Locks a ledger for one run. The lock is an SQLite write lock on a file next to the ledger, so the system releases
 * it when the process ends for any reason. The file names the holder, and is not deleted.
 */
import { hostname } from 'node:os';
import { type Holder, lockedError } from '../locked-error.js';
import type { OpenSqlite, SqliteConnection } from './driver.js';
import { isBusy, ledgerFileError } from './file-error.js';

/** Two that start at the same moment can each see the other's name; then both try again. */
const TRIES = 5;
/** A process that was killed just now may still be giving its lock back. */
const PATIENCE_MS = 500;

/** Gives the function that gives the lock back. Throws a `LedgerLockedError` that says who has it. */
export function takeLock(ledgerPath: string, lockPath: string, open: OpenSqlite, now: Date): () => void {
  const me: Holder = { pid: process.pid, host: hostname(), since: now.toISOString() };
  let file: SqliteConnection | undefined;
  try {
    file = open(lockPath, { readOnly: false });
    const held = file;
    hold(held, me);
    return () => {
      // Given back here: closing may wait for statements that are collected later.
      held.exec('rollback');
      held.close();
    };
  } catch (error) {
    const busy = isBusy(error) && file !== undefined ? lockedError(ledgerPath, holderIn(file)) : undefined;
    file?.close();
    throw busy ?? ledgerFileError('lock', lockPath, error);
  }
}

/** The name is written under the lock of one transaction and held by the next, which lets others read it. */
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
