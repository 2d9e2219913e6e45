/** Exports the rules of E3 and E10: payment instructions of businesses and accounts, after the upstream vendor has confirmed them. */
import type {
  BusinessPaymentInstruction,
  PaymentInstruction,
} from '../../../../schemas/payloads/payment-instruction.js';
import type { Call, Outcome } from '../../calls/call.js';
import { failed, invalidRequest, refused } from '../../calls/error-answers.js';
import { refuseUnlessOngoing, unknownSupplierError } from '../import-suppliers.js';
import { accountToAddTo, describeMissingAccount, itemsAdded } from './imported-account.js';
import { refuseByVendor } from './payment-vendor.js';

const ADDED = { change: 'payment instruction added' };

export function createPaymentInstruction(call: Call<PaymentInstruction>): Outcome {
  const { import_supplier, external_account_number, ...instruction } = call.payload;
  const found = accountToAddTo(call);
  if ('status' in found) return found;
  const refusal = refuseByVendor(call, { import_supplier, external_account_number }, instruction);
  if (refusal !== undefined) return refusal;
  return {
    status: 201,
    body: { service_account_number: found.imported.service_account_number, reference: instruction.reference },
    commit: () => ({ changes: [itemsAdded(found, { payment_instructions: [instruction] })] }),
    ...ADDED,
  };
}

/** E3. The named accounts must exist; it is not documented whether they must be imported (U21). */
export function createBusinessPaymentInstruction(call: Call<BusinessPaymentInstruction>): Outcome {
  const { operation, store, settings } = call;
  const { import_supplier_code, external_business_identifier, ...instruction } = call.payload;
  const { accounts = [] } = instruction;
  if (accounts.length === 0 && settings.businessInstructionAccounts === 'required') {
    const detail = 'Name at least one account of the business.';
    return invalidRequest(operation, [{ detail, code: 'required', attr: 'accounts' }]);
  }
  const supplier = store.supplier(import_supplier_code);
  if (supplier === undefined) {
    const error = unknownSupplierError(store, import_supplier_code, 'import_supplier_code');
    return notFoundOr(call, error.code, error.detail, invalidRequest(operation, [error]));
  }
  // Several businesses may share the identifier; the instruction belongs to the first one.
  const [business] = store.businesses(supplier.code, external_business_identifier);
  if (business === undefined) {
    const detail = 'No business of this import supplier has this identifier; create it first.';
    return missing(call, 'business_not_found', 'external_business_identifier', detail);
  }
  const unknownAccount = accounts.find(({ external_account_number }) => {
    const account = store.account(supplier.code, external_account_number);
    return account === undefined || (account.imported === null && settings.businessInstructionStaged === 'refuse');
  });
  if (unknownAccount !== undefined) {
    const { external_account_number } = unknownAccount;
    const attr = `accounts.${accounts.indexOf(unknownAccount)}.external_account_number`;
    const detail = describeMissingAccount(store, { import_supplier: supplier.code, external_account_number });
    return missing(call, 'account_not_found', attr, detail);
  }
  const refusal =
    refuseUnlessOngoing(supplier, 'import_supplier_code', 'post-import', settings) ??
    refuseByVendor(call, { import_supplier_code, external_business_identifier }, instruction);
  if (refusal !== undefined) return refusal;
  const { service_business_id } = business;
  return {
    status: 201,
    body: { reference: instruction.reference, external_business_identifier },
    commit: () => ({
      changes: [{ type: 'businessInstructionAdded', supplier: supplier.code, service_business_id, instruction }],
    }),
    ...ADDED,
  };
}

function missing(call: Call<unknown>, code: string, attr: string, detail: string): Outcome {
  return notFoundOr(call, code, detail, refused(code, attr, detail));
}

/** U21: returns 404 or the given 400. */
function notFoundOr({ settings }: Call<unknown>, code: string, detail: string, refusal: Outcome): Outcome {
  return settings.businessInstructionNotFound === 404 ? failed(404, code, detail) : refusal;
}
