/** Statements that were issued before the account moved, added after the import (document: Historical statement). */
import * as z from 'zod';
import { dateSchema } from './fields.js';

export interface HistoricalStatement {
  /** YYYY-MM-DD */
  bill_period_from_date?: string | undefined;
  /** YYYY-MM-DD */
  bill_period_to_date?: string | undefined;
  statement_id?: string | undefined;
  /** YYYY-MM-DD */
  issued_date?: string | undefined;
  number?: string | undefined;
  gross_amount?: number | undefined;
  /** Where the PDF lies, relative to the root that is configured for the import supplier. Optional. */
  statement_path?: string | undefined;
}

/** Body of `historicalStatements.create`. */
export interface HistoricalStatementsPayload {
  /** Import supplier code. */
  import_supplier: string;
  external_account_number: string;
  statements: HistoricalStatement[];
}

/** Answer to `historicalStatements.create`: the validated data. */
export type HistoricalStatementsAnswer = Partial<HistoricalStatementsPayload> & { [field: string]: unknown };

export const historicalStatementSchema: z.ZodType<HistoricalStatement> = z.strictObject({
  bill_period_from_date: dateSchema.optional(),
  bill_period_to_date: dateSchema.optional(),
  statement_id: z.string().optional(),
  issued_date: dateSchema.optional(),
  number: z.string().optional(),
  gross_amount: z.number().optional(),
  statement_path: z.string().optional(),
});

export const historicalStatementsPayloadSchema: z.ZodType<HistoricalStatementsPayload> = z.strictObject({
  import_supplier: z.string(),
  external_account_number: z.string(),
  statements: z.array(historicalStatementSchema),
});

// Not checked any deeper: what the echo holds is the service's to say.
export const historicalStatementsAnswerSchema: z.ZodType<HistoricalStatementsAnswer> = z.looseObject(
  {},
) as unknown as z.ZodType<HistoricalStatementsAnswer>;
