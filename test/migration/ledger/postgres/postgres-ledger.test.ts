/**
 * The ledger on PostgreSQL: every promise of a ledger, on the server that TEST_DATABASE_URL names. Without one
 * this file says so; test/full starts its own server and tests all of it there.
 */
import { describe } from 'vitest';
import { keepsItsPromises } from '../conformance.js';
import { outlivesItsProcess } from '../durable.js';
import { behavesAsTheModel } from '../model-property.js';
import { newPostgresStore } from './store.js';

const url = process.env['TEST_DATABASE_URL'];
if (url === undefined) {
  process.stdout.write('SKIPPED: the ledger on PostgreSQL; npm run test:full has it, or TEST_DATABASE_URL.\n');
}

describe.skipIf(url === undefined)('on PostgreSQL', () => {
  const newStore = () => newPostgresStore(() => url ?? '');
  keepsItsPromises(() => newStore().open());
  behavesAsTheModel(() => newStore().open(), 10);
  outlivesItsProcess(newStore);
});
