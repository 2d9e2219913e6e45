/** Every error body that the document shows (document: Errors; Process rules; Transactions). */
import * as z from 'zod';
import { type TransactionEcho, transactionEchoSchema } from './transaction.js';

/** One thing that is wrong with a payload. */
export interface ErrorItem {
  /** For people. The wording may change: never parse it. May quote what was sent. */
  detail: string;
  /** Stable, such as `invalid_phone_number`. */
  code: string;
  /** Where: field names and zero-based indexes joined by dots, such as `customers.0.landline`. */
  attr: string;
}

/** 400: the payload is wrong. */
export interface ValidationErrorBody {
  /** For people. The wording may change: never parse it. */
  detail: string;
  /** Stable, such as `account_failed_validation`. */
  code: string;
  errors: ErrorItem[];
  [field: string]: unknown;
}

/** 400: the account was imported before. */
export interface AlreadyImportedBody {
  external_account_number: string;
  /** A string: leading zeros count. */
  service_account_number: string;
  [field: string]: unknown;
}

/** 400: a transaction could not be added. */
export interface TransactionImportErrorBody {
  status: 'TRANSACTION_IMPORT_ERROR';
  error_detail: string;
  /** The first failing transaction. */
  transaction_data: TransactionEcho;
  [field: string]: unknown;
}

/** Any other error answer: the document shows no body for 401, 404, 429 and 500. */
export type OtherErrorBody = unknown;

/** The message by which alone a dry run that would succeed can be told from a 400 that failed. */
export const DRY_RUN_MESSAGE = 'Account would successfully import. Rolled back due to Dry Run.';

export const errorItemSchema: z.ZodType<ErrorItem> = z.looseObject({
  detail: z.string(),
  code: z.string(),
  attr: z.string(),
});

export const validationErrorBodySchema: z.ZodType<ValidationErrorBody> = z.looseObject({
  detail: z.string(),
  code: z.string(),
  errors: z.array(errorItemSchema),
});

export const alreadyImportedBodySchema: z.ZodType<AlreadyImportedBody> = z.looseObject({
  external_account_number: z.string(),
  service_account_number: z.string(),
});

export const transactionImportErrorBodySchema: z.ZodType<TransactionImportErrorBody> = z.looseObject({
  status: z.literal('TRANSACTION_IMPORT_ERROR'),
  error_detail: z.string(),
  transaction_data: transactionEchoSchema,
});

/** 400 of a dry run that would succeed. Which field carries the message is not shown (U12). */
export const dryRunBodySchema: z.ZodType<unknown> = z.unknown().meta({
  description: `Carries the message "${DRY_RUN_MESSAGE}"`,
});

export const otherErrorBodySchema: z.ZodType<OtherErrorBody> = z.unknown();
