/** Which rule answers which operation. */
import type { Account } from '../../../schemas/account.js';
import type { Business } from '../../../schemas/business.js';
import type { HistoricalStatementsPayload } from '../../../schemas/historical-statement.js';
import type { NotesPayload } from '../../../schemas/note.js';
import type { OperationName } from '../../../schemas/operations.js';
import type { BusinessPaymentInstruction, PaymentInstruction } from '../../../schemas/payment-instruction.js';
import type { Populate } from '../../../schemas/populate.js';
import type { Process } from '../../../schemas/process.js';
import type { TransactionsPayload } from '../../../schemas/transaction.js';
import type { Rule } from '../call.js';
import { stageAccount, validateAccount } from './accounts.js';
import { createBusiness } from './businesses.js';
import { createHistoricalStatements } from './historical-statements.js';
import { listAll, listImported, listPending, tellStatus } from './imports.js';
import { createNotes } from './notes.js';
import { createBusinessPaymentInstruction, createPaymentInstruction } from './payment-instructions.js';
import { processAccount } from './process.js';
import { populate } from './supply-points.js';
import { createTransactions } from './transactions.js';

interface Payloads extends Record<OperationName, unknown> {
  'supplyPoints.populate': Populate;
  'businesses.create': Business;
  'businesses.createPaymentInstruction': BusinessPaymentInstruction;
  'accounts.validate': Account;
  'accounts.stage': Account;
  'accounts.process': Process;
  'notes.create': NotesPayload;
  'transactions.create': TransactionsPayload;
  'historicalStatements.create': HistoricalStatementsPayload;
  'paymentInstructions.create': PaymentInstruction;
}

const rules: { readonly [Name in OperationName]: Rule<Payloads[Name]> } = {
  'supplyPoints.populate': populate,
  'businesses.create': createBusiness,
  'businesses.createPaymentInstruction': createBusinessPaymentInstruction,
  'accounts.validate': validateAccount,
  'accounts.stage': stageAccount,
  'accounts.process': processAccount,
  'notes.create': createNotes,
  'transactions.create': createTransactions,
  'historicalStatements.create': createHistoricalStatements,
  'paymentInstructions.create': createPaymentInstruction,
  'imports.status': tellStatus,
  'imports.all': listAll,
  'imports.pending': listPending,
  'imports.imported': listImported,
};

/** The core has checked the payload with the operation's schema before the rule sees it. */
export function ruleOf(operation: OperationName): Rule<unknown> {
  return rules[operation] as Rule<unknown>;
}
