/**
 * Payment instructions of an imported account or business (spec: Payment instruction). The service asks the
 * payment vendor whether the instruction exists, so vendor and reference are required.
 */
import { loose, type OpenEnum, openEnum, optionalList, strict, text } from '../fields.js';
import { INSTRUCTION_TYPES } from '../values.js';

/** Body of `paymentInstructions.create`. */
export interface PaymentInstruction {
  /** Import supplier code. */
  import_supplier: string;
  /** The caller's identifier of the account. It must be imported. */
  external_account_number: string;
  /** Payment vendor code. */
  vendor: string;
  /** The vendor's reference of the instruction. */
  reference: string;
  /** Documented value: CARD. */
  type?: OpenEnum<'CARD'> | undefined;
}

/** Answer to `paymentInstructions.create`. */
export interface PaymentInstructionAnswer {
  /** A string: leading zeros count. */
  service_account_number: string;
  /** As it was sent. */
  reference: string;
}

/** An account that is paid by a payment instruction of its business. */
export interface InstructedAccount {
  /** The caller's identifier of the account. */
  external_account_number: string;
}

/** Body of `businesses.createPaymentInstruction`. */
export interface BusinessPaymentInstruction {
  /** Import supplier code. */
  import_supplier_code: string;
  /** The caller's identifier of the business. It must exist. */
  external_business_identifier: string;
  /** Payment vendor code. */
  vendor: string;
  /** The vendor's reference of the instruction. */
  reference: string;
  /** Documented value: CARD. */
  type?: OpenEnum<'CARD'> | undefined;
  /** The accounts of the business that are paid by it. */
  accounts?: readonly InstructedAccount[] | undefined;
}

/** Answer to `businesses.createPaymentInstruction`. */
export interface BusinessPaymentInstructionAnswer {
  /** As it was sent. */
  reference: string;
  /** As it was sent. */
  external_business_identifier: string;
}

/** Schema of `PaymentInstruction`. Strict: rejects undocumented fields. */
export const paymentInstructionSchema = strict<PaymentInstruction>({
  import_supplier: text,
  external_account_number: text,
  vendor: text,
  reference: text,
  type: openEnum(INSTRUCTION_TYPES).optional(),
});

/** Schema of `BusinessPaymentInstruction`. Strict: rejects undocumented fields. */
export const businessPaymentInstructionSchema = strict<BusinessPaymentInstruction>({
  import_supplier_code: text,
  external_business_identifier: text,
  vendor: text,
  reference: text,
  type: openEnum(INSTRUCTION_TYPES).optional(),
  accounts: optionalList(strict<InstructedAccount>({ external_account_number: text })),
});

/** Schema of `PaymentInstructionAnswer`. Loose: keeps undocumented fields. */
export const paymentInstructionAnswerSchema = loose<PaymentInstructionAnswer>({
  service_account_number: text,
  reference: text,
});

/** Schema of `BusinessPaymentInstructionAnswer`. Loose: keeps undocumented fields. */
export const businessPaymentInstructionAnswerSchema = loose<BusinessPaymentInstructionAnswer>({
  reference: text,
  external_business_identifier: text,
});
