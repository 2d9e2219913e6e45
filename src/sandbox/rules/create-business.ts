/** Exports the rule of E2 `businesses.create`: creates a business with all its contracts, before its accounts. */
import type { BusinessDetails, BusinessPayload } from '../../../schemas/payloads/business.js';
import type { Call, Committed, Outcome } from '../calls/call.js';
import { invalidRequest, refused } from '../calls/error-answers.js';
import type { Change } from '../state/changes.js';
import { toDatetime } from '../state/dates.js';
import type { BusinessRecord } from '../state/sandbox-state.js';
import { refuseUnlessOngoing, unknownSupplierError } from './import-suppliers.js';

export function createBusiness({ operation, payload, store, settings, ids }: Call<BusinessPayload>): Outcome {
  const { import_supplier_code, external_business_identifier, business = {} } = payload;
  const supplier = store.supplier(import_supplier_code);
  if (supplier === undefined) {
    return invalidRequest(operation, [unknownSupplierError(store, import_supplier_code, 'import_supplier_code')]);
  }
  const refusal = refuseUnlessOngoing(supplier, 'import_supplier_code', 'business', settings);
  if (refusal !== undefined) return refusal;
  const key = keyOf(external_business_identifier, business);
  const same = () =>
    store
      .businesses(supplier.code, external_business_identifier)
      .filter((other) => sameKey(keyOf(other.external_business_identifier, other.business), key));
  const [before] = same();
  if (before !== undefined) return answerExisting(before, settings.businessAgain);
  const idAfter = (count: number) => ids.serviceBusinessId(supplier.code, key, count);
  const commit = (now: Date): Committed => {
    // Another call may have created it during this one (U30): the service does not check again.
    const others = same();
    const service_business_id = idAfter(others.length);
    const created_at = toDatetime(now);
    const record = {
      service_business_id,
      external_business_identifier,
      created_at,
      business,
      payment_instructions: [],
    };
    const changes: Change[] = [{ type: 'businessCreated', supplier: supplier.code, business: record }];
    if (others.length === 0) return { changes };
    void settings.businessRace;
    return { changes, body: answerOf(record) };
  };
  const body = { service_business_id: idAfter(0), external_business_identifier };
  return { status: 201, body, commit, change: 'business created' };
}

function answerOf({ service_business_id, external_business_identifier }: BusinessRecord) {
  return { service_business_id, external_business_identifier };
}

/** U20: a business with the same identifier, name, number and type exists. It is never changed. */
function answerExisting(before: BusinessRecord, handling: 'refuse' | 'same-id'): Outcome {
  if (handling === 'same-id') return { status: 201, body: answerOf(before) };
  const detail = 'A business with this external identifier, name, number and type was created before.';
  return refused('business_already_exists', 'external_business_identifier', detail);
}

function keyOf(identifier: string, { company_name, siret, business_type }: BusinessDetails) {
  return [identifier, company_name, siret, business_type] as const;
}

function sameKey(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.every((part, index) => part === other[index]);
}
