/** Exports `payloads`: the schemas of the payloads by the names of their types. */
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

/** Names of payload types, as profiles use them. */
export type PayloadName = keyof typeof payloads;

const NAMES = new Map(Object.entries(payloads).map(([name, schema]) => [schema as z.ZodType, name as PayloadName]));

/** Returns the payload type of an operation; undefined if it has no body. */
export function payloadOf({ request }: Operation): PayloadName | undefined {
  return request && NAMES.get(request);
}
