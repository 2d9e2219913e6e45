/** E2 `businesses.create`: a business with all its contracts, before any of its accounts. */
import type { Business, BusinessDetails } from '../../../schemas/business.js';
import { invalidRequest, refused } from '../answers.js';
import { toDatetime } from '../calendar.js';
import type { Call, Outcome } from '../call.js';
import type { BusinessRecord } from '../state.js';
import { refuseUnlessOngoing, unknownSupplier } from './suppliers.js';

export function createBusiness({ operation, payload, store, now, settings, ids }: Call<Business>): Outcome {
  const { import_supplier_code, external_business_identifier, business = {} } = payload;
  const supplier = store.supplier(import_supplier_code);
  if (supplier === undefined) {
    return invalidRequest(operation, [unknownSupplier(store, import_supplier_code, 'import_supplier_code')]);
  }
  const refusal = refuseUnlessOngoing(supplier, 'import_supplier_code', 'business', settings);
  if (refusal !== undefined) return refusal;
  const key = keyOf(external_business_identifier, business);
  const before = store
    .businesses(supplier.code, external_business_identifier)
    .find((other) => sameKey(keyOf(other.external_business_identifier, other.business), key));
  if (before !== undefined) return again(before, settings.businessAgain);
  const record: BusinessRecord = {
    service_business_id: ids.serviceBusinessId(supplier.code, key),
    external_business_identifier,
    created_at: toDatetime(now),
    business,
    payment_instructions: [],
  };
  return created(record, { apply: () => store.addBusiness(supplier, record), change: 'business created' });
}

function created(record: BusinessRecord, effect: Pick<Outcome, 'apply' | 'change'>): Outcome {
  const { service_business_id, external_business_identifier } = record;
  return { status: 201, body: { service_business_id, external_business_identifier }, ...effect };
}

/** U20: the same identifier, name, number and type. Where that is taken, the business stays as it was. */
function again(before: BusinessRecord, handling: 'refuse' | 'same-id'): Outcome {
  if (handling === 'same-id') return created(before, {});
  const detail = 'A business with this external identifier, name, number and type was created before.';
  return refused('business_already_exists', 'external_business_identifier', detail);
}

function keyOf(identifier: string, { company_name, siret, business_type }: BusinessDetails) {
  return [identifier, company_name, siret, business_type] as const;
}

function sameKey(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.every((part, index) => part === other[index]);
}
