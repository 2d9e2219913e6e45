/** Import suppliers: set up by the operator, named by code in every payload (document: What the service does). */
import type { ErrorItem } from '../../../schemas/error-bodies.js';
import type { Outcome } from '../calls/call.js';
import { refused } from '../calls/error-answers.js';
import type { SandboxSettings } from '../settings/settings.js';
import type { SupplierRecord } from '../state/sandbox-state.js';
import type { Store } from '../state/store.js';

/** The finding for a code that no supplier has. A sandbox creates none by itself: a slip in a code must not pass. */
export function unknownSupplierError(store: Store, code: string, attr: string): ErrorItem {
  const known = store.state.suppliers.map((supplier) => supplier.code).join(', ');
  const detail =
    `No import supplier has the code ${JSON.stringify(code)}. This sandbox knows: ${known || 'none'}. ` +
    `Add one with createSandbox({ suppliers: [{ code: ${JSON.stringify(code)} }] }).`;
  return { detail, code: 'import_supplier_not_found', attr };
}

/** Staging, which the document itself refuses, or a place for which a setting decides (U10). */
type Place = 'stage' | SandboxSettings['refusedUnlessOngoing'][number];

/** undefined when the call may go on; the 400 when the supplier is Paused or Complete. */
export function refuseUnlessOngoing(
  { code, status }: SupplierRecord,
  attr: string,
  place: Place,
  settings: SandboxSettings,
): Outcome | undefined {
  if (status === 'Ongoing') return undefined;
  if (place !== 'stage' && !settings.refusedUnlessOngoing.includes(place)) return undefined;
  const detail = `Import supplier ${code} is ${status}: no account can be migrated.`;
  return refused('import_supplier_not_ongoing', attr, detail);
}
