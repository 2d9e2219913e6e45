/** Exports `expectMovedService`: before a run changes its target, asks the new service for accounts that the run has imported. */
import type { DataImportClient } from '../../../client.js';
import { ApiError } from '../../../errors/api-errors.js';
import { IMPORTED, type Ledger, type LedgerRecord } from '../../ledger/ledger.js';
import { statusQuery } from '../../record/steps/service-number.js';
import { expectTarget, RunTargetError, type TargetOptions } from '../../run/expect-target.js';
import { counted } from '../../shared/format.js';
import { ONE_CALL } from './check.js';

const MOST_ACCOUNTS = 5;

/**
 * As `expectTarget`. If the ledger has another target, also sends a status query for each of the first five accounts that exist
 * according to the ledger, until the new service knows one. Rejects with a `RunTargetError` if it knows none of them, and as the
 * client if the service does not answer. Changes nothing.
 */
export async function expectMovedService(
  ledger: Pick<Ledger, 'fact' | 'list'>,
  client: DataImportClient,
  options: TargetOptions,
): Promise<void> {
  const { stored, target } = await expectTarget(ledger, options);
  if (stored === undefined || stored === target) return;
  let unknown = 0;
  for await (const record of firstAccounts(ledger)) {
    if (await isKnown(client, record)) return;
    unknown++;
  }
  if (unknown === 0) return;
  throw new RunTargetError(
    `target: ${target} knows none of ${counted(unknown, 'account')} that the run in ${options.folder} has at ${stored}. ` +
      `No record was sent. Check --base-url: --retarget is only for a service that has moved with its accounts. For another service, give another folder with --run <folder>.`,
  );
}

async function* firstAccounts(ledger: Pick<Ledger, 'list'>): AsyncGenerator<LedgerRecord> {
  let left = MOST_ACCOUNTS;
  for (const outcome of IMPORTED) {
    for await (const record of ledger.list({ kind: 'account', outcome })) {
      if (left-- <= 0) return;
      yield record;
    }
  }
}

async function isKnown(client: DataImportClient, record: LedgerRecord): Promise<boolean> {
  try {
    await client.imports.status(statusQuery(record), ONE_CALL);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return false;
    throw error;
  }
}
