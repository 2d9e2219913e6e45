/** Exports the types of the records of an input: a business, an account or supply points, each with its items. */
import type { Account } from '../../../schemas/payloads/account.js';
import type { BusinessPayload } from '../../../schemas/payloads/business.js';
import type { HistoricalStatement } from '../../../schemas/payloads/historical-statement.js';
import type { Note } from '../../../schemas/payloads/note.js';
import type { BusinessPaymentInstruction, PaymentInstruction } from '../../../schemas/payloads/payment-instruction.js';
import type { PopulatePayload } from '../../../schemas/payloads/populate.js';
import type { Transaction } from '../../../schemas/payloads/transaction.js';

/** A business of a book. */
export interface BusinessRecord {
  /** The payload of `businesses.create`. */
  business: BusinessPayload;
  /** For `businesses.createPaymentInstruction`, one request each; the business says already whose they are. */
  payment_instructions?:
    | readonly Omit<BusinessPaymentInstruction, 'import_supplier_code' | 'external_business_identifier'>[]
    | undefined;
}

/** An account of a book, with what is added to it after its import. */
export interface AccountRecord {
  /** The payload of `accounts.stage`. */
  account: Account;
  /** For `notes.create`. */
  notes?: readonly Note[] | undefined;
  /** For `transactions.create`. */
  transactions?: readonly Transaction[] | undefined;
  /** For `historicalStatements.create`. */
  statements?: readonly HistoricalStatement[] | undefined;
  /** For `paymentInstructions.create`; the account says already whose it is. */
  payment_instruction?: Omit<PaymentInstruction, 'import_supplier' | 'external_account_number'> | undefined;
  /** In place of `payment_instruction`, where there may be several: one request each. */
  payment_instructions?: readonly Omit<PaymentInstruction, 'import_supplier' | 'external_account_number'>[] | undefined;
}

/** Supply points of a book that are to be looked up before anything else is sent. */
export interface PopulateRecord {
  /** The payload of `supplyPoints.populate`. */
  populate: PopulatePayload;
}

/** A record of a book: told apart by `business`, `account` and `populate`. */
export type ImportRecord = BusinessRecord | AccountRecord | PopulateRecord;
