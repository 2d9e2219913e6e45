/** Exports the types of the records of an input: a business, an account or supply points, each with its items. */
import type { Account } from '../../../schemas/payloads/account.js';
import type { BusinessPayload } from '../../../schemas/payloads/business.js';
import type { HistoricalStatement } from '../../../schemas/payloads/historical-statement.js';
import type { Note } from '../../../schemas/payloads/note.js';
import type { BusinessPaymentInstruction, PaymentInstruction } from '../../../schemas/payloads/payment-instruction.js';
import type { PopulatePayload } from '../../../schemas/payloads/populate.js';
import type { Transaction } from '../../../schemas/payloads/transaction.js';

/** A record that is a business. */
export interface BusinessRecord {
  /** The payload of `businesses.create`. */
  business: BusinessPayload;
  /** For `businesses.createPaymentInstruction`, one request each, without the identifiers of the business. */
  payment_instructions?:
    | readonly Omit<BusinessPaymentInstruction, 'import_supplier_code' | 'external_business_identifier'>[]
    | undefined;
}

/** A record that is an account, with the items to add after its import. */
export interface AccountRecord {
  /** The payload of `accounts.stage`. */
  account: Account;
  /** For `notes.create`. */
  notes?: readonly Note[] | undefined;
  /** For `transactions.create`. */
  transactions?: readonly Transaction[] | undefined;
  /** For `historicalStatements.create`. */
  statements?: readonly HistoricalStatement[] | undefined;
  /** For `paymentInstructions.create`; without the identifiers of the account. */
  payment_instruction?: Omit<PaymentInstruction, 'import_supplier' | 'external_account_number'> | undefined;
  /** Several instructions in place of `payment_instruction`: one request each. */
  payment_instructions?: readonly Omit<PaymentInstruction, 'import_supplier' | 'external_account_number'>[] | undefined;
}

/** A record of supply points, which the service looks up before other records are sent. */
export interface PopulateRecord {
  /** The payload of `supplyPoints.populate`. */
  populate: PopulatePayload;
}

/** A record of an input, discriminated by `business`, `account` and `populate`; it has no field of another kind of record. */
export type ImportRecord =
  | (BusinessRecord & { [Field in Exclude<keyof AccountRecord, keyof BusinessRecord> | 'populate']?: never })
  | (AccountRecord & { [Field in 'business' | 'populate']?: never })
  | (PopulateRecord & { [Field in keyof AccountRecord | 'business']?: never });
