/** The ledger in a file of SQLite, committing in its own thread: tests that take longer than those of every ledger. */
import { outlivesItsProcess } from '../migration/ledger/durable.js';
import { behavesAsTheModel } from '../migration/ledger/model-property.js';
import { newSqliteStore } from '../migration/ledger/sqlite/store.js';

const newOne = () => newSqliteStore({ thread: 'always' });
behavesAsTheModel(() => newOne().open());
outlivesItsProcess(newOne);
