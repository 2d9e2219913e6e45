/** The payloads that can be checked, by the name of their type. */
import type * as z from 'zod';
import { accountSchema } from '../../schemas/account.js';
import { businessSchema } from '../../schemas/business.js';
import { historicalStatementsPayloadSchema } from '../../schemas/historical-statement.js';
import { notesPayloadSchema } from '../../schemas/note.js';
import type { Operation } from '../../schemas/operations.js';
import { businessPaymentInstructionSchema, paymentInstructionSchema } from '../../schemas/payment-instruction.js';
import { populateSchema } from '../../schemas/populate.js';
import { processSchema } from '../../schemas/process.js';
import { transactionsPayloadSchema } from '../../schemas/transaction.js';

export const payloads = {
  Account: accountSchema,
  Business: businessSchema,
  BusinessPaymentInstruction: businessPaymentInstructionSchema,
  HistoricalStatementsPayload: historicalStatementsPayloadSchema,
  NotesPayload: notesPayloadSchema,
  PaymentInstruction: paymentInstructionSchema,
  Populate: populateSchema,
  Process: processSchema,
  TransactionsPayload: transactionsPayloadSchema,
} as const satisfies Record<string, z.ZodType>;

/** Names of the payloads that a profile can speak of: those of their types. */
export type PayloadName = keyof typeof payloads;

const NAMES = new Map(Object.entries(payloads).map(([name, schema]) => [schema as z.ZodType, name as PayloadName]));

/** Which payload an operation sends. */
export function payloadOf({ request }: Operation): PayloadName | undefined {
  return request && NAMES.get(request);
}
