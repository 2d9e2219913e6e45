/** A place for a ledger in a file of SQLite, one a test. */
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { loadSqlite } from '../../../../src/migration/ledger/sqlite/driver.js';
import { openSqliteLedger, type SqliteLedgerOptions } from '../../../../src/migration/ledger/sqlite/sqlite-ledger.js';
import type { Store } from '../durable.js';
import { emptyFolder } from '../records.js';

const now = () => new Date('2026-01-15T09:00:00Z');

export function newSqliteStore(own: SqliteLedgerOptions = {}): Store {
  const path = join(emptyFolder(), 'ledger.db');
  return {
    where: path,
    async open(options = {}) {
      const ledger = await openSqliteLedger(path, { now, ...own, ...options });
      onTestFinished(() => ledger.close());
      return ledger;
    },
    async makeLater() {
      const connection = (await loadSqlite())(path, { readOnly: false });
      connection.exec('pragma user_version = 999');
      connection.close();
    },
  };
}
