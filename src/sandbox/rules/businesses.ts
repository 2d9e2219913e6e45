/** E2 `businesses.create`: a business with all its contracts, before any of its accounts. */
import type { Business, BusinessDetails } from '../../../schemas/business.js';
import { invalidRequest, refused } from '../answers.js';
import { toDatetime } from '../calendar.js';
import type { Call, Outcome } from '../call.js';
import type { BusinessRecord } from '../state.js';
import { unknownSupplier } from './suppliers.js';

/** The same identifier, name, number and type again is refused (U20). A supplier's status does not matter here. */
export function createBusiness({ operation, payload, store, now, ids }: Call<Business>): Outcome {
  const { import_supplier_code, external_business_identifier, business = {} } = payload;
  const supplier = store.supplier(import_supplier_code);
  if (supplier === undefined) {
    return invalidRequest(operation, [unknownSupplier(store, import_supplier_code, 'import_supplier_code')]);
  }
  const key = keyOf(external_business_identifier, business);
  const exists = store
    .businesses(supplier.code, external_business_identifier)
    .some((other) => sameKey(keyOf(other.external_business_identifier, other.business), key));
  if (exists) {
    const detail = 'A business with this external identifier, name, number and type was created before.';
    return refused('business_already_exists', 'external_business_identifier', detail);
  }
  const record: BusinessRecord = {
    service_business_id: ids.serviceBusinessId(supplier.code, key),
    external_business_identifier,
    created_at: toDatetime(now),
    business,
    payment_instructions: [],
  };
  return {
    status: 201,
    body: { service_business_id: record.service_business_id, external_business_identifier },
    apply: () => store.addBusiness(supplier, record),
  };
}

function keyOf(identifier: string, { company_name, siret, business_type }: BusinessDetails) {
  return [identifier, company_name, siret, business_type] as const;
}

function sameKey(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.every((part, index) => part === other[index]);
}
