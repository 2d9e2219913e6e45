/** The ledger in a file of SQLite, committing in a thread of its own: what takes longer than the promises of a ledger. */
import { outlivesItsProcess } from '../migration/ledger/durable.js';
import { behavesAsTheModel } from '../migration/ledger/model-property.js';
import { newSqliteStore } from '../migration/ledger/sqlite/store.js';

const newOne = () => newSqliteStore({ thread: 'always' });
behavesAsTheModel(() => newOne().open());
outlivesItsProcess(newOne);
