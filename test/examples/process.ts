/** Processing of a staged account, for real and as a dry run (document: Account import, Process rules). */
import type { ProcessPayload } from '../../schemas/index.js';

export const process: ProcessPayload = {
  external_account_number: 'ACC-0001',
  import_supplier_code: 'SANDBOX_SUPPLIER',
  operations_team_name: 'SANDBOX_TEAM',
};

export const dryRun: ProcessPayload = {
  external_account_number: 'ACC-0001',
  import_supplier_code: 'SANDBOX_SUPPLIER',
  operations_team_name: 'SANDBOX_TEAM',
  dry_run: true,
};
