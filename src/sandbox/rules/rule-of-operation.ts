/** Exports `ruleOf`: the table from operations to rules. */

import type { OperationName } from '../../../schemas/operations.js';
import type { Account } from '../../../schemas/payloads/account.js';
import type { BusinessPayload } from '../../../schemas/payloads/business.js';
import type { HistoricalStatementsPayload } from '../../../schemas/payloads/historical-statement.js';
import type { NotesPayload } from '../../../schemas/payloads/note.js';
import type { BusinessPaymentInstruction, PaymentInstruction } from '../../../schemas/payloads/payment-instruction.js';
import type { PopulatePayload } from '../../../schemas/payloads/populate.js';
import type { ProcessPayload } from '../../../schemas/payloads/process.js';
import type { TransactionsPayload } from '../../../schemas/payloads/transaction.js';
import type { Rule } from '../calls/call.js';
import { createBusiness } from './create-business.js';
import { queueSupplyPoints } from './populate.js';
import { createHistoricalStatements } from './post-import/historical-statements.js';
import { createNotes } from './post-import/notes.js';
import { createBusinessPaymentInstruction, createPaymentInstruction } from './post-import/payment-instructions.js';
import { createTransactions } from './post-import/transactions.js';
import { processAccount } from './process-account.js';
import { answerStatus, listAll, listImported, listPending } from './status-queries.js';
import { stageAccount, validateAccount } from './validate-and-stage.js';

interface Payloads extends Record<OperationName, unknown> {
  'supplyPoints.populate': PopulatePayload;
  'businesses.create': BusinessPayload;
  'businesses.createPaymentInstruction': BusinessPaymentInstruction;
  'accounts.validate': Account;
  'accounts.stage': Account;
  'accounts.process': ProcessPayload;
  'notes.create': NotesPayload;
  'transactions.create': TransactionsPayload;
  'historicalStatements.create': HistoricalStatementsPayload;
  'paymentInstructions.create': PaymentInstruction;
}

const rules: { readonly [Name in OperationName]: Rule<Payloads[Name]> } = {
  'supplyPoints.populate': queueSupplyPoints,
  'businesses.create': createBusiness,
  'businesses.createPaymentInstruction': createBusinessPaymentInstruction,
  'accounts.validate': validateAccount,
  'accounts.stage': stageAccount,
  'accounts.process': processAccount,
  'notes.create': createNotes,
  'transactions.create': createTransactions,
  'historicalStatements.create': createHistoricalStatements,
  'paymentInstructions.create': createPaymentInstruction,
  'imports.status': answerStatus,
  'imports.all': listAll,
  'imports.pending': listPending,
  'imports.imported': listImported,
};

/** Returns the rule of an operation. The call handler checks the payload before it calls the rule. */
export function ruleOf(operation: OperationName): Rule<unknown> {
  return rules[operation] as Rule<unknown>;
}
