/** The ledger in a file of SQLite: every promise of a ledger. */
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openSqliteLedger } from '../../../src/migration/ledger/sqlite.js';
import { keepsItsPromises } from './conformance.js';
import { behavesAsTheModel } from './model-property.js';
import { emptyFolder } from './records.js';

async function open() {
  const ledger = await openSqliteLedger(join(emptyFolder(), 'ledger.db'));
  onTestFinished(() => ledger.close());
  return ledger;
}

keepsItsPromises(open);
behavesAsTheModel(open);
