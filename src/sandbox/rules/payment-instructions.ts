/** E3 and E10: payment instructions of businesses and accounts, which the upstream vendor must confirm first. */
import type { BusinessPaymentInstruction, PaymentInstruction } from '../../../schemas/payment-instruction.js';
import { invalidRequest, refused } from '../answers.js';
import type { Call, Outcome } from '../call.js';
import { refuseByVendor } from '../vendor.js';
import { findImported, refuseMissing } from './imported-accounts.js';
import { unknownSupplier } from './suppliers.js';

export function createPaymentInstruction(call: Call<PaymentInstruction>): Outcome {
  const { import_supplier, external_account_number, ...instruction } = call.payload;
  const found = findImported(call.store, call.payload);
  if (found === undefined) return refuseMissing(call);
  const { imported } = found;
  const refusal = refuseByVendor(call, [import_supplier, external_account_number], instruction);
  if (refusal !== undefined) return refusal;
  return {
    status: 201,
    body: { service_account_number: imported.service_account_number, reference: instruction.reference },
    apply: () => imported.payment_instructions.push(instruction),
  };
}

/** A business or an account that is not there is refused (U21); accounts must be imported, and may be left out. */
export function createBusinessPaymentInstruction(call: Call<BusinessPaymentInstruction>): Outcome {
  const { operation, store } = call;
  const { import_supplier_code, external_business_identifier, ...instruction } = call.payload;
  const supplier = store.supplier(import_supplier_code);
  if (supplier === undefined) {
    return invalidRequest(operation, [unknownSupplier(store, import_supplier_code, 'import_supplier_code')]);
  }
  // Several businesses may share the identifier; the first one stands for them, whatever came later.
  const [business] = store.businesses(supplier.code, external_business_identifier);
  if (business === undefined) {
    const detail = 'No business of this import supplier has this identifier; create it first.';
    return refused('business_not_found', 'external_business_identifier', detail);
  }
  const missing = (instruction.accounts ?? []).findIndex(
    ({ external_account_number }) => !store.account(supplier.code, external_account_number)?.imported,
  );
  if (missing >= 0) {
    const detail = 'No imported account of this import supplier has this number.';
    return refused('account_not_found', `accounts.${missing}.external_account_number`, detail);
  }
  const refusal = refuseByVendor(call, [import_supplier_code, external_business_identifier], instruction);
  if (refusal !== undefined) return refusal;
  return {
    status: 201,
    body: { reference: instruction.reference, external_business_identifier },
    apply: () => business.payment_instructions.push(instruction),
  };
}
