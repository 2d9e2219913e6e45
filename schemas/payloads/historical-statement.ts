/** Statements that were issued before the account moved, added after the import (spec: Historical statement). */
import * as z from 'zod';
import { echoesOf, loose, optionalDate, optionalNumber, optionalText, strict, text } from '../fields.js';

/** A statement that was issued before the account moved (spec: Historical statement). */
export interface HistoricalStatement {
  /** YYYY-MM-DD */
  bill_period_from_date?: string | undefined;
  /** YYYY-MM-DD */
  bill_period_to_date?: string | undefined;
  /** The caller's identifier of the statement. */
  statement_id?: string | undefined;
  /** YYYY-MM-DD */
  issued_date?: string | undefined;
  /** Number of the statement, as a string. */
  number?: string | undefined;
  /** A number. Not documented: whether in major or minor units. */
  gross_amount?: number | undefined;
  /** Path of the PDF, relative to the root that is configured for the import supplier. Optional. */
  statement_path?: string | undefined;
}

/** Body of `historicalStatements.create`. */
export interface HistoricalStatementsPayload {
  /** Import supplier code. */
  import_supplier: string;
  /** The caller's identifier of the account. */
  external_account_number: string;
  /** The statements; no limit to their number is documented. */
  statements: readonly HistoricalStatement[];
}

/**
 * Answer to `historicalStatements.create`: the validated data. It is not documented: a list is returned
 * unchanged, and an answer without a body is `{}`.
 */
export type HistoricalStatementsAnswer = {
  [Field in keyof HistoricalStatementsPayload]?: HistoricalStatementsPayload[Field] | undefined;
};

/** Schema of `HistoricalStatement`. Strict: rejects undocumented fields. */
export const historicalStatementSchema = strict<HistoricalStatement>({
  bill_period_from_date: optionalDate,
  bill_period_to_date: optionalDate,
  statement_id: optionalText,
  issued_date: optionalDate,
  number: optionalText,
  gross_amount: optionalNumber,
  statement_path: optionalText,
});

/** Schema of `HistoricalStatementsPayload`. Strict: rejects undocumented fields. */
export const historicalStatementsPayloadSchema = strict<HistoricalStatementsPayload>({
  import_supplier: text,
  external_account_number: text,
  statements: z.array(historicalStatementSchema),
});

/** Schema of `HistoricalStatementsAnswer`: an object with any fields, or a list of such. */
export const historicalStatementsAnswerSchema: z.ZodType<HistoricalStatementsAnswer> = z.union(
  [
    loose<HistoricalStatementsAnswer>(echoesOf(historicalStatementsPayloadSchema.shape)),
    z.array(loose<HistoricalStatement>(echoesOf(historicalStatementSchema.shape))),
  ],
  { error: 'Expected an object or an array.' },
) as unknown as z.ZodType<HistoricalStatementsAnswer>;
