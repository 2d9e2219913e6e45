/** The payment instructions of an account and of a business (document: Payment instruction). */
import type { BusinessPaymentInstruction, PaymentInstruction } from '../../schemas/index.js';

export const paymentInstruction: PaymentInstruction = {
  import_supplier: 'SANDBOX_SUPPLIER',
  external_account_number: 'ACC-0001',
  vendor: 'SANDBOX_VENDOR',
  reference: 'CARD-0001',
  type: 'CARD',
};

export const businessPaymentInstruction: BusinessPaymentInstruction = {
  import_supplier_code: 'SANDBOX_SUPPLIER',
  external_business_identifier: 'BUSINESS-0001',
  vendor: 'SANDBOX_VENDOR',
  reference: 'CARD-0002',
  type: 'CARD',
  accounts: [{ external_account_number: 'ACC-0002' }, { external_account_number: 'ACC-0003' }],
};
