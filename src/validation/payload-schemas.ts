/** The payloads that can be checked, by the name of their type. */
import type * as z from 'zod';
import type { Operation } from '../../schemas/operations.js';
import { accountSchema } from '../../schemas/payloads/account.js';
import { businessPayloadSchema } from '../../schemas/payloads/business.js';
import { historicalStatementsPayloadSchema } from '../../schemas/payloads/historical-statement.js';
import { notesPayloadSchema } from '../../schemas/payloads/note.js';
import {
  businessPaymentInstructionSchema,
  paymentInstructionSchema,
} from '../../schemas/payloads/payment-instruction.js';
import { populatePayloadSchema } from '../../schemas/payloads/populate.js';
import { processPayloadSchema } from '../../schemas/payloads/process.js';
import { transactionsPayloadSchema } from '../../schemas/payloads/transaction.js';

export const payloads = {
  Account: accountSchema,
  BusinessPayload: businessPayloadSchema,
  BusinessPaymentInstruction: businessPaymentInstructionSchema,
  HistoricalStatementsPayload: historicalStatementsPayloadSchema,
  NotesPayload: notesPayloadSchema,
  PaymentInstruction: paymentInstructionSchema,
  PopulatePayload: populatePayloadSchema,
  ProcessPayload: processPayloadSchema,
  TransactionsPayload: transactionsPayloadSchema,
} as const satisfies Record<string, z.ZodType>;

/** Names of the payloads that a profile can speak of: those of their types. */
export type PayloadName = keyof typeof payloads;

const NAMES = new Map(Object.entries(payloads).map(([name, schema]) => [schema as z.ZodType, name as PayloadName]));

/** Which payload an operation sends. */
export function payloadOf({ request }: Operation): PayloadName | undefined {
  return request && NAMES.get(request);
}
