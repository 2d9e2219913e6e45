/** The ledger on a PostgreSQL that is started here: the same promises as everywhere. */
import { afterAll, beforeAll, describe } from 'vitest';
import { keepsItsPromises } from '../migration/ledger/conformance.js';
import { outlivesItsProcess } from '../migration/ledger/durable.js';
import { behavesAsTheModel } from '../migration/ledger/model-property.js';
import { hasPostgres, type PostgresServer, startPostgres } from '../migration/ledger/postgres-server.js';
import { newPostgresStore } from '../migration/ledger/postgres-store.js';

describe.skipIf(!hasPostgres())('on PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.remove());

  const newStore = () => newPostgresStore(() => server.url);
  keepsItsPromises(() => newStore().open());
  behavesAsTheModel(() => newStore().open(), 10);
  outlivesItsProcess(newStore);
});
