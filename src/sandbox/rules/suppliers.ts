/** Import suppliers: set up by the operator, named by code in every payload (document: What the service does). */
import type { ErrorItem } from '../../../schemas/errors.js';
import { refused } from '../answers.js';
import type { Outcome } from '../call.js';
import type { SupplierRecord } from '../state.js';
import type { Store } from '../store.js';

/** The finding for a code that no supplier has. A sandbox creates none by itself: a slip in a code must not pass. */
export function unknownSupplier(store: Store, code: string, attr: string): ErrorItem {
  const known = store.state.suppliers.map((supplier) => supplier.code).join(', ');
  const detail =
    `No import supplier has the code ${JSON.stringify(code)}. This sandbox knows: ${known || 'none'}. ` +
    `Add one with createSandbox({ suppliers: [{ code: ${JSON.stringify(code)} }] }).`;
  return { detail, code: 'import_supplier_not_found', attr };
}

/** undefined when accounts may be migrated; the 400 when the supplier is Paused or Complete (U10). */
export function refuseUnlessOngoing({ code, status }: SupplierRecord, attr: string): Outcome | undefined {
  if (status === 'Ongoing') return undefined;
  return refused(
    'import_supplier_not_ongoing',
    attr,
    `Import supplier ${code} is ${status}: no account can be migrated.`,
  );
}
