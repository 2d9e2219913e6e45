/** Exports the documented values of enumerated fields. Without Zod, so that a program that needs only a list bundles only the list. */

/** The documented statuses of an account import; an answer may have another one. */
export const ACCOUNT_IMPORT_STATUSES = ['UNKNOWN', 'PENDING', 'IN_PROGRESS', 'REJECTED', 'COMPLETED'] as const;

/** A documented status. */
export type KnownAccountImportStatus = (typeof ACCOUNT_IMPORT_STATUSES)[number];

/**
 * Returns whether the status of an account import is documented, so that a `switch` over the five values is exhaustive.
 *
 * @example
 * if (!isKnownStatus(answer.status)) console.warn('undocumented status:', answer.status);
 */
export function isKnownStatus(status: unknown): status is KnownAccountImportStatus {
  return (ACCOUNT_IMPORT_STATUSES as readonly unknown[]).includes(status);
}

/** Documented values of `account_type`; a value that similar services do not have either passes with a warning. */
export const ACCOUNT_TYPES = ['BUSINESS'] as const;

/** All values of `supply_type`. The list is closed: other values are errors. */
export const SUPPLY_TYPES = ['ELECTRICITY', 'GAS'] as const;

/** Documented values of `frequency` of a payment schedule; a value that similar services do not have either passes with a warning. */
export const SCHEDULE_FREQUENCIES = ['MONTHLY'] as const;

/** Documented values of `means` of a payment schedule; a value that similar services do not have either passes with a warning. */
export const SCHEDULE_MEANS = ['DD'] as const;

/** Documented values of `type` of a supply point's payment instruction; a value that similar services do not have either passes with a warning. */
export const SUPPLY_POINT_INSTRUCTION_TYPES = ['DIRECT_DEBIT'] as const;

/** Documented names of consents; other names pass with a warning. */
export const CONSENTS = ['ELEC_CURVES', 'ELEC_INDEXES', 'GAS_INDEXES'] as const;

/** Documented values of `frequency` of an issuance term; a value that similar services do not have either passes with a warning. */
export const CONTRACT_FREQUENCIES = ['MONTHLY'] as const;

/** Documented values of `fee_type` of a termination fee; a value that similar services do not have either passes with a warning. */
export const FEE_TYPES = ['FLAT'] as const;

/** Documented values of `strategy` of a delayer term; a value that similar services do not have either passes with a warning. */
export const DELAYER_STRATEGIES = ['FIXED'] as const;

/** Documented values of `status` in the result of a note; other values pass too. */
export const NOTE_STATUSES = ['NOTE_CREATION_SUCCESS', 'NOTE_ALREADY_EXISTS'] as const;

/** All values of `type` of a transaction. The list is closed: other values are errors. */
export const TRANSACTION_TYPES = ['CHARGE', 'CREDIT', 'PAYMENT', 'REPAYMENT', 'SUPPLY_CHARGE'] as const;

/** Values of `reason` that the API specification gives as "seen"; a value that similar services do not have either passes with a warning. */
export const TRANSACTION_REASONS = [
  'IMPORTED_CHARGE',
  'IMPORTED_CREDIT',
  'ACCOUNT_CHARGE_PAYMENT',
  'FULL_CREDIT_REFUND',
  'GENERAL_CREDIT',
] as const;

/** Values of `payment_type` that the API specification gives as "seen"; a value that similar services do not have either passes with a warning. */
export const PAYMENT_TYPES = ['DD_REGULAR_COLLECTION', 'DIRECT_CREDIT', 'DEBIT_CARD'] as const;

/** Documented values of `tax_type`; a value that similar services do not have either passes with a warning. */
export const TAX_TYPES = ['VAT'] as const;

/** Documented values of `unit_type`; a value that similar services do not have either passes with a warning. */
export const TAX_UNIT_TYPES = ['PROPORTION'] as const;

/** Documented values of `status` in the result of a transaction; other values pass too. */
export const TRANSACTION_STATUSES = ['TRANSACTION_ADDED_TO_ACCOUNT', 'TRANSACTION_ALREADY_EXISTS'] as const;

/** Documented values of `type` of a payment instruction; a value that similar services do not have either passes with a warning. */
export const INSTRUCTION_TYPES = ['CARD'] as const;
