/** Exports the functions `parse…`, which return a payload of unknown type with its type, or throw an `InvalidPayloadError`. */
import type { Account } from '../../schemas/payloads/account.js';
import type { BusinessPayload } from '../../schemas/payloads/business.js';
import type { HistoricalStatementsPayload } from '../../schemas/payloads/historical-statement.js';
import type { NotesPayload } from '../../schemas/payloads/note.js';
import type { BusinessPaymentInstruction, PaymentInstruction } from '../../schemas/payloads/payment-instruction.js';
import type { PopulatePayload } from '../../schemas/payloads/populate.js';
import type { ProcessPayload } from '../../schemas/payloads/process.js';
import type { TransactionsPayload } from '../../schemas/payloads/transaction.js';
import { InvalidPayloadError } from '../errors/client-errors.js';
import type { PayloadName } from '../validation/payload-schemas.js';
import { checkPayload, checkValidateOptions, nameOfFunction, type ValidateOptions } from '../validation/validate.js';

/**
 * Checks a value of any type without sending it. Returns the same value, with its type. Throws an `InvalidPayloadError` with all errors if
 * there are any, and a `TypeError` for an unknown option. Warnings do not count.
 */
export type Parse<Payload> = (payload: unknown, options?: ValidateOptions) => Payload;

// Bundlers leave out the functions that a program does not use.
/* @__NO_SIDE_EFFECTS__ */
function parser<Payload>(name: PayloadName): Parse<Payload> {
  const operation = nameOfFunction('parse', name);
  return (payload, options) => {
    checkValidateOptions(options, operation);
    const { errors } = checkPayload(name, payload, { ...options, warnings: false });
    if (errors.total > 0) throw new InvalidPayloadError(operation, errors.findings, errors.total);
    return payload as Payload;
  };
}

/** Returns the payload of `accounts.validate` and `accounts.stage`; throws an `InvalidPayloadError` if it is invalid. */
export const parseAccount: Parse<Account> = parser('Account');

/** Returns the payload of `businesses.create`; throws an `InvalidPayloadError` if it is invalid. */
export const parseBusiness: Parse<BusinessPayload> = parser('BusinessPayload');

/** Returns the payload of `businesses.createPaymentInstruction`; throws an `InvalidPayloadError` if it is invalid. */
export const parseBusinessPaymentInstruction: Parse<BusinessPaymentInstruction> = parser('BusinessPaymentInstruction');

/** Returns the payload of `historicalStatements.create`; throws an `InvalidPayloadError` if it is invalid. */
export const parseHistoricalStatements: Parse<HistoricalStatementsPayload> = parser('HistoricalStatementsPayload');

/** Returns the payload of `notes.create`; throws an `InvalidPayloadError` if it is invalid. */
export const parseNotes: Parse<NotesPayload> = parser('NotesPayload');

/** Returns the payload of `paymentInstructions.create`; throws an `InvalidPayloadError` if it is invalid. */
export const parsePaymentInstruction: Parse<PaymentInstruction> = parser('PaymentInstruction');

/** Returns the payload of `supplyPoints.populate`; throws an `InvalidPayloadError` if it is invalid. */
export const parsePopulate: Parse<PopulatePayload> = parser('PopulatePayload');

/** Returns the payload of `accounts.process` and `accounts.dryRun`; throws an `InvalidPayloadError` if it is invalid. */
export const parseProcess: Parse<Omit<ProcessPayload, 'dry_run'>> = parser('ProcessPayload');

/** Returns the payload of `transactions.create`; throws an `InvalidPayloadError` if it is invalid. */
export const parseTransactions: Parse<TransactionsPayload> = parser('TransactionsPayload');
