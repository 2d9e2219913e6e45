/** Exports the checks of import suppliers, which the operator adds and every payload names by code (spec: What the service does). */
import type { ErrorItem } from '../../../schemas/error-bodies.js';
import type { Outcome } from '../calls/call.js';
import { refused } from '../calls/error-answers.js';
import type { SandboxSettings } from '../settings/settings.js';
import type { SupplierRecord } from '../state/sandbox-state.js';
import type { Store } from '../state/store.js';

/** Returns the error for an unknown supplier code. A sandbox never creates a supplier by itself: a typo must be reported. */
export function unknownSupplierError(store: Store, code: string, attr: string): ErrorItem {
  const known = store.state.suppliers.map((supplier) => supplier.code).join(', ');
  const detail =
    `No import supplier has the code ${JSON.stringify(code)}. This sandbox knows: ${known || 'none'}. ` +
    `Add one with createSandbox({ suppliers: [{ code: ${JSON.stringify(code)} }] }).`;
  return { detail, code: 'import_supplier_not_found', attr };
}

/** Staging, whose refusal is documented, or a call for which a setting decides (U10). */
type Place = 'stage' | SandboxSettings['refusedUnlessOngoing'][number];

/** Returns a 400 if the supplier is Paused or Complete and such calls are refused; undefined otherwise. */
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
