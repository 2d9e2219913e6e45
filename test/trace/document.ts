/** The document, sentence by sentence and in its order: what checks each. The rows stand in `document/`. */
import type { Chapter } from './chapter.js';
import { account } from './document/account.js';
import { accountImport } from './document/account-import.js';
import { addingNotes } from './document/adding-notes.js';
import { addingStatements } from './document/adding-statements.js';
import { addingTransactions } from './document/adding-transactions.js';
import { authenticationAndEvents } from './document/authentication-and-events.js';
import { beforeAccounts } from './document/before-accounts.js';
import { contractAndBusiness } from './document/contract-and-business.js';
import { conventions } from './document/conventions.js';
import { customer } from './document/customer.js';
import { errors } from './document/errors.js';
import { introduction } from './document/introduction.js';
import { limitsAndVersioning } from './document/limits-and-versioning.js';
import { note } from './document/note.js';
import { statementAndInstruction } from './document/statement-and-instruction.js';
import { states } from './document/states.js';
import { statusQueries } from './document/status-queries.js';
import { supplyAddress } from './document/supply-address.js';
import { transaction } from './document/transaction.js';

export const document: readonly Chapter[] = [
  ...introduction,
  ...conventions,
  ...account,
  ...customer,
  ...supplyAddress,
  ...contractAndBusiness,
  ...note,
  ...transaction,
  ...statementAndInstruction,
  ...states,
  ...beforeAccounts,
  ...accountImport,
  ...addingNotes,
  ...addingTransactions,
  ...addingStatements,
  ...statusQueries,
  ...authenticationAndEvents,
  ...errors,
  ...limitsAndVersioning,
];
