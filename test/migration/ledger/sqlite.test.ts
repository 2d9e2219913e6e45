/** The ledger in a file of SQLite: every promise of a ledger. */
import { join } from 'node:path';
import { describe, onTestFinished } from 'vitest';
import { openSqliteLedger, type SqliteLedgerOptions } from '../../../src/migration/ledger/sqlite.js';
import { loadSqlite } from '../../../src/migration/ledger/sqlite-driver.js';
import { keepsItsPromises } from './conformance.js';
import { outlivesItsProcess, type Store } from './durable.js';
import { behavesAsTheModel } from './model-property.js';
import { emptyFolder } from './records.js';

const now = () => new Date('2026-01-15T09:00:00Z');

function newStore(own: SqliteLedgerOptions = {}): Store {
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
      connection.exec('pragma user_version = 7');
      connection.close();
    },
  };
}

describe.each([
  ["in the run's thread", 'never', undefined],
  ['in a thread of its own', 'always', 8],
] as const)('committing %s', (_, thread, numRuns) => {
  const newOne = () => newStore({ thread });
  keepsItsPromises(() => newOne().open());
  // Each run starts a thread.
  behavesAsTheModel(() => newOne().open(), numRuns);
  outlivesItsProcess(newOne);
});
