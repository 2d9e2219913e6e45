/** The error bodies of the service: types and schemas (spec: Errors; Process rules; Transactions). */
import * as z from 'zod';
import { echoOf, loose, text } from './fields.js';
import { type TransactionEcho, transactionEchoSchema } from './payloads/transaction.js';

/** One error of a payload. */
export interface ErrorItem {
  /** For humans. The wording may change: never parse it. May quote values of the request. */
  detail: string;
  /** Stable, such as `invalid_phone_number`. */
  code: string;
  /** Where: field names and zero-based indexes joined by dots, such as `customers.0.landline`. */
  attr: string;
}

/** 400: the payload is wrong. */
export interface ValidationErrorBody {
  /** For humans. The wording may change: never parse it. */
  detail: string;
  /** Stable, such as `account_failed_validation`. */
  code: string;
  /** All errors, one entry per invalid field. */
  errors: ErrorItem[];
}

/** 400: the account was imported before. The API specification adds the two numbers to the body of an error. */
export interface AlreadyImportedBody {
  /** For humans. The wording may change: never parse it. */
  detail?: string | undefined;
  /** Stable. */
  code?: string | undefined;
  /** As in `ValidationErrorBody`. */
  errors?: ErrorItem[] | undefined;
  /** The caller's identifier of the account. */
  external_account_number: string;
  /** A string: leading zeros count. */
  service_account_number: string;
}

/** 400: a transaction could not be added. */
export interface TransactionImportErrorBody {
  /** Distinguishes this body from the other bodies of status 400. */
  status: 'TRANSACTION_IMPORT_ERROR';
  /** For humans. May quote values of the request. */
  error_detail: string;
  /** The first failing transaction. */
  transaction_data: TransactionEcho;
}

/** 400: the payment vendor did not answer. The API specification does not show this body (U22); some deployments have it. */
export interface PaymentVendorErrorBody {
  /** For humans. The wording may change: never parse it. */
  error_detail: string;
  /** As it was sent. */
  reference?: string | undefined;
}

/** Body of any other error answer: the bodies of 401, 404, 429 and 500 are not documented. */
export type OtherErrorBody = unknown;

/** Message of a successful dry run. It is the only difference between that answer and an error with status 400. */
export const DRY_RUN_MESSAGE = 'Account would successfully import. Rolled back due to Dry Run.';

/** Schema of `ErrorItem`. Loose: keeps undocumented fields. */
export const errorItemSchema = loose<ErrorItem>({
  detail: text,
  code: text,
  attr: text,
});

/** Schema of `ValidationErrorBody`. Loose: keeps undocumented fields. */
export const validationErrorBodySchema = loose<ValidationErrorBody>({
  detail: text,
  code: text,
  errors: z.array(errorItemSchema),
});

/** Schema of `AlreadyImportedBody`. Loose: keeps undocumented fields. */
export const alreadyImportedBodySchema = loose<AlreadyImportedBody>({
  // Not checked: the two numbers are what tells this body from others.
  detail: echoOf(text),
  code: echoOf(text),
  errors: echoOf(z.array(errorItemSchema)),
  external_account_number: text,
  service_account_number: text,
});

/** Schema of `TransactionImportErrorBody`. Loose: keeps undocumented fields. */
export const transactionImportErrorBodySchema = loose<TransactionImportErrorBody>({
  status: z.literal('TRANSACTION_IMPORT_ERROR'),
  error_detail: text,
  transaction_data: transactionEchoSchema,
});

/** Schema of `PaymentVendorErrorBody`. Loose: keeps undocumented fields. */
export const paymentVendorErrorBodySchema = loose<PaymentVendorErrorBody>({
  error_detail: text,
  reference: echoOf(text),
});

/** Schema of the 400 of a successful dry run. Which field contains the message is not documented (U12). */
export const dryRunBodySchema: z.ZodType<unknown> = z.unknown().meta({
  description: `Contains the message "${DRY_RUN_MESSAGE}"`,
});

/** Schema of `OtherErrorBody`: any body. */
export const otherErrorBodySchema: z.ZodType<OtherErrorBody> = z.unknown();
