/** The ledger in a file of SQLite: every promise of a ledger. */
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openSqliteLedger } from '../../../src/migration/ledger/sqlite.js';
import { loadSqlite } from '../../../src/migration/ledger/sqlite-driver.js';
import { keepsItsPromises } from './conformance.js';
import { outlivesItsProcess, type Store } from './durable.js';
import { behavesAsTheModel } from './model-property.js';
import { emptyFolder } from './records.js';

const now = () => new Date('2026-01-15T09:00:00Z');

function newStore(): Store {
  const path = join(emptyFolder(), 'ledger.db');
  return {
    where: path,
    async open(options = {}) {
      const ledger = await openSqliteLedger(path, { now, ...options });
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

const open = () => newStore().open();

keepsItsPromises(open);
behavesAsTheModel(open);
outlivesItsProcess(newStore);
