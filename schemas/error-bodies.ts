/** Every error body that the document shows (document: Errors; Process rules; Transactions). */
import * as z from 'zod';
import { loose, text } from './fields.js';
import { type TransactionEcho, transactionEchoSchema } from './payloads/transaction.js';

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
  /** Everything that is wrong, one entry an offending field. */
  errors: ErrorItem[];
  /** What else the answer carries, as it came. */
  [field: string]: unknown;
}

/** 400: the account was imported before. */
export interface AlreadyImportedBody {
  /** The caller's identifier of the account. */
  external_account_number: string;
  /** A string: leading zeros count. */
  service_account_number: string;
  /** What else the answer carries, as it came. */
  [field: string]: unknown;
}

/** 400: a transaction could not be added. */
export interface TransactionImportErrorBody {
  /** Tells this body from the other bodies of 400. */
  status: 'TRANSACTION_IMPORT_ERROR';
  /** For people. May quote what was sent. */
  error_detail: string;
  /** The first failing transaction. */
  transaction_data: TransactionEcho;
  /** What else the answer carries, as it came. */
  [field: string]: unknown;
}

/** Any other error answer: the document shows no body for 401, 404, 429 and 500. */
export type OtherErrorBody = unknown;

/** The message by which alone a dry run that would succeed can be told from a 400 that failed. */
export const DRY_RUN_MESSAGE = 'Account would successfully import. Rolled back due to Dry Run.';

/** Schema of `ErrorItem`. Loose: what else an answer carries is kept. */
export const errorItemSchema: z.ZodType<ErrorItem> = loose({
  detail: text,
  code: text,
  attr: text,
});

/** Schema of `ValidationErrorBody`. Loose: what else an answer carries is kept. */
export const validationErrorBodySchema: z.ZodType<ValidationErrorBody> = loose({
  detail: text,
  code: text,
  errors: z.array(errorItemSchema),
});

/** Schema of `AlreadyImportedBody`. Loose: what else an answer carries is kept. */
export const alreadyImportedBodySchema: z.ZodType<AlreadyImportedBody> = loose({
  external_account_number: text,
  service_account_number: text,
});

/** Schema of `TransactionImportErrorBody`. Loose: what else an answer carries is kept. */
export const transactionImportErrorBodySchema: z.ZodType<TransactionImportErrorBody> = loose({
  status: z.literal('TRANSACTION_IMPORT_ERROR'),
  error_detail: text,
  transaction_data: transactionEchoSchema,
});

/** 400 of a dry run that would succeed. Which field carries the message is not shown (U12). */
export const dryRunBodySchema: z.ZodType<unknown> = z.unknown().meta({
  description: `Carries the message "${DRY_RUN_MESSAGE}"`,
});

/** Schema of `OtherErrorBody`: any body. */
export const otherErrorBodySchema: z.ZodType<OtherErrorBody> = z.unknown();
