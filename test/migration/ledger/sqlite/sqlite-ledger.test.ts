/** The ledger in a file of SQLite: every promise of a ledger. */
import { describe } from 'vitest';
import { keepsItsPromises } from '../conformance.js';
import { outlivesItsProcess } from '../durable.js';
import { behavesAsTheModel } from '../model-property.js';
import { newSqliteStore } from './store.js';

describe('committing in the thread of the run', () => {
  const newOne = () => newSqliteStore({ thread: 'never' });
  keepsItsPromises(() => newOne().open());
  behavesAsTheModel(() => newOne().open());
  outlivesItsProcess(newOne);
});

// The rest of it, which takes longer, is in test/full/sqlite-thread.test.ts.
describe('committing in a separate thread', () => {
  keepsItsPromises(() => newSqliteStore({ thread: 'always' }).open());
});
