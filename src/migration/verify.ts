/**
 * Ledger and platform held against each other, both ways: what we count as created must be there under the number that
 * we know, and what is there must be known. Reads the platform's lists; changes nothing.
 */
import type { DataImportClient } from '../client.js';
import type { Ledger, LedgerRecord } from './ledger/ledger.js';

/** `-` the platform lacks it, `+` the platform has it and the ledger does not say so, `!` both have it, and differ. */
type DifferenceSign = '-' | '+' | '!';

interface Difference {
  sign: DifferenceSign;
  supplier: string;
  /** External account number. */
  number: string;
  what: string;
}

export interface Comparison {
  /** Accounts that agree. */
  same: number;
  differences: Difference[];
}

/** Holds one list of the platform in memory at a time. Rejects as the client does where a list cannot be had. */
export async function compareWithPlatform(ledger: Ledger, client: DataImportClient): Promise<Comparison> {
  const suppliers = new Set<string>();
  for await (const { supplier } of ledger.list({ kind: 'account' })) suppliers.add(supplier);
  const comparison: Comparison = { same: 0, differences: [] };
  for (const supplier of suppliers) await compareSupplier(supplier, ledger, client, comparison);
  return comparison;
}

async function compareSupplier(
  supplier: string,
  ledger: Ledger,
  client: DataImportClient,
  comparison: Comparison,
): Promise<void> {
  const platform = new Map<string, string | null>();
  for (const entry of await client.imports.all(supplier)) {
    platform.set(entry.external_account_number, entry.service_account_number);
  }
  for await (const record of ledger.list({ kind: 'account', supplier })) {
    const { number } = record;
    const difference = differenceOf(record, platform.get(number));
    platform.delete(number);
    if (difference === undefined) comparison.same++;
    else comparison.differences.push({ ...difference, supplier, number });
  }
  for (const [number, serviceNumber] of platform) {
    // What is only staged is no account yet, whoever staged it.
    if (serviceNumber === null) continue;
    comparison.differences.push({ sign: '+', supplier, number, what: 'imported, and not in the ledger' });
  }
}

/** `found` is the platform's number, null where the account is only staged, undefined where it is not known there. */
function differenceOf(
  { end, platformNumber }: LedgerRecord,
  found: string | null | undefined,
): Pick<Difference, 'sign' | 'what'> | undefined {
  const isOurs = end === 'created' || end === 'alreadyThere';
  if (!isOurs) {
    if (found === null || found === undefined) return undefined;
    return { sign: '+', what: `imported as ${found}, and ${end ?? 'open'} in the ledger` };
  }
  if (found === undefined) return { sign: '-', what: 'created in the ledger, and not known to the platform' };
  if (found === null) return { sign: '!', what: 'created in the ledger, and only staged on the platform' };
  if (platformNumber !== null && platformNumber !== found) {
    return { sign: '!', what: `${platformNumber} in the ledger, and ${found} on the platform` };
  }
  return undefined;
}
