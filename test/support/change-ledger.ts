/** Exports `changeLedger`, which changes the ledger of a run folder as another program would. */
import { join } from 'node:path';
import { loadSqlite } from '../../src/migration/ledger/sqlite/driver.js';

export async function changeLedger(folder: string, statement: string): Promise<void> {
  const connection = (await loadSqlite())(join(folder, 'ledger.sqlite'), { readOnly: false });
  connection.exec(statement);
  connection.exec('pragma wal_checkpoint(truncate)');
  connection.close();
}

/** Lets a copy count as the run itself: for tests that begin with the same run. */
export const countAsOriginal = (folder: string) => changeLedger(folder, "delete from fact where name = 'last session'");
