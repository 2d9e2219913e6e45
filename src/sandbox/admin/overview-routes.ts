/** Exports the route `GET /__sandbox/overview`: a summary of the sandbox, small enough to poll. */
import { operations } from '../../../schemas/operations.js';
import { SANDBOX_SETTINGS } from '../settings/settings-table.js';
import type { Space } from '../spaces.js';
import type { SupplierRecord } from '../state/sandbox-state.js';
import { type AdminRoute, ok, route } from './admin-route.js';

export const overviewRoutes: readonly AdminRoute[] = [
  /**
   * Clock, import suppliers with their numbers of staged and imported accounts, teams, ids of the first and last request,
   * number of faults, held process calls, names of the operations, and every setting with its register entry, default and value.
   */
  route('GET', '/overview', {}, ({ space }) => {
    const { state } = space.store();
    const { settings, bucket, showPersonalData } = space.config;
    return ok({
      space: space.name,
      clock: describeClock(space),
      suppliers: state.suppliers.map(describeSupplier),
      teams: state.teams,
      requests: { first: space.log.first, last: space.log.last },
      faults: state.faults.length,
      processing: space.processSlots.status(),
      documents: { bucket, registered: state.documents.length },
      personal_data_shown: showPersonalData,
      operations: Object.keys(operations),
      settings: SANDBOX_SETTINGS.map((setting) => ({ ...setting, value: settings[setting.name] })),
    });
  }),
];

export function describeClock({ clock, store }: Space) {
  return { kind: store().state.clock.kind, now: clock.now().toISOString() };
}

export function describeSupplier({ code, status, root, skipped, accounts, businesses }: SupplierRecord) {
  let imported = 0;
  for (const account of accounts) if (account.imported !== null) imported++;
  const staged = accounts.length - imported;
  return { code, status, root, staged, imported, skipped: skipped.length, businesses: businesses.length };
}
