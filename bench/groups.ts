/** Maps each group of the plan to the module that measures it, loaded in the process of the group. */
import type { Sheet } from './frame/sheet.js';
import type { GroupName } from './plan.js';

export const GROUPS: { readonly [Name in GroupName]: (sheet: Sheet<Name>) => Promise<void> } = {
  client: async (sheet) => (await import('./groups/client.js')).measure(sheet),
  peers: async (sheet) => (await import('./groups/peers.js')).measure(sheet),
  check: async (sheet) => (await import('./groups/check.js')).measure(sheet),
  input: async (sheet) => (await import('./groups/input.js')).measure(sheet),
  sql: async (sheet) => (await import('./groups/sql.js')).measure(sheet),
  totals: async (sheet) => (await import('./groups/totals.js')).measure(sheet),
  import: async (sheet) => (await import('./groups/import.js')).measure(sheet),
  types: async (sheet) => (await import('./groups/types.js')).measure(sheet),
  size: async (sheet) => (await import('./groups/size.js')).measure(sheet),
  path: async (sheet) => (await import('./groups/path.js')).measure(sheet),
  sandbox: async (sheet) => (await import('./groups/sandbox.js')).measure(sheet),
  run: async (sheet) => (await import('./migration/rate.js')).measureRate(sheet),
  ledger: async (sheet) => (await import('./groups/ledger.js')).measure(sheet),
  distributed: async (sheet) => (await import('./groups/distributed.js')).measure(sheet),
  'distributed-cap': async (sheet) => (await import('./groups/distributed-cap.js')).measure(sheet),
  migration: async (sheet) => (await import('./groups/migration.js')).measure(sheet),
};
