/** Exports `ruleOf`: the table from operations to rules. */

import type * as z from 'zod';
import type { OperationName, operations } from '../../../schemas/operations.js';
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

/** The payload that the schema of the operation accepts. */
type PayloadOf<Name extends OperationName> = (typeof operations)[Name] extends {
  readonly request: infer Schema extends z.ZodType;
}
  ? z.output<Schema>
  : unknown;

const rules: { readonly [Name in OperationName]: Rule<PayloadOf<Name>> } = {
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
