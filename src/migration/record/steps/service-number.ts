/** Exports queries for the service's number of an account, after a call without a usable answer. */
import { isApiError } from '../../../errors/guards.js';
import type { LedgerRecord } from '../../ledger/ledger.js';
import type { CallSettings } from './call-settings.js';

/** The service account number; empty if the service has no such account, undefined if it did not answer. */
export async function findServiceNumber(
  record: LedgerRecord,
  settings: Pick<CallSettings, 'client' | 'signal'>,
): Promise<string | undefined> {
  try {
    return await queryServiceNumber(record, settings);
  } catch {
    return undefined;
  }
}

/** The service account number; empty if the service has no such account. Rejects if it did not answer. */
export async function queryServiceNumber(
  { supplier, number }: LedgerRecord,
  { client, signal }: Pick<CallSettings, 'client' | 'signal'>,
): Promise<string> {
  try {
    const { service_account_number } = await client.imports.status(
      { import_supplier_code: supplier, external_account_number: number },
      { signal },
    );
    return service_account_number;
  } catch (error) {
    if (isApiError(error) && error.status === 404) return '';
    throw error;
  }
}
