/**
 * Compares ledger and service in both directions: each record created according to the ledger must exist under its
 * number, and each account in the service must be in the ledger. Reads the service's lists and changes nothing.
 */
import { hash } from 'node:crypto';
import { setTimeout as after } from 'node:timers/promises';
import type { AccountImportProcess } from '../../../../schemas/import-status.js';
import type { DataImportClient } from '../../../client.js';
import { isConnectionError, isNotFoundError, isTimeoutError } from '../../../errors/guards.js';
import { backoffMs } from '../../../http/time/delay.js';
import type { Ledger, LedgerRecord } from '../../ledger/ledger.js';
import { addRecord, noItemTotals } from '../../report/summary/item-totals.js';
import { createDenseHashSet, type HashSet } from '../../shared/hash-set.js';
import { type Comparison, type DifferenceKind, Findings } from './comparison.js';

interface CompareOptions {
  /** Differences that are kept; by default all, each of which takes memory. */
  limit?: number;
}

/**
 * Holds some ten bytes for each account in memory, and the differences that are kept. Rejects as the client does
 * where a list is not available; a list whose connection breaks is read again from its beginning, `maxRetries` times at most.
 */
export async function compareWithService(
  ledger: Ledger,
  client: DataImportClient,
  { limit = Number.POSITIVE_INFINITY }: CompareOptions = {},
): Promise<Comparison> {
  const found = new Findings(limit);
  const items = noItemTotals();
  // Of each account its number and what the list has to say of it, so that what is in needs no look into the ledger. The
  // note says which reading of the list had it.
  const { total: expected } = await ledger.counts({ kind: 'account' });
  const known = createDenseHashSet(expected);
  const readings = new Map<string, number>();
  for await (const record of ledger.list({ kind: 'account' })) {
    readings.set(record.supplier, 0);
    if (isOurs(record)) addRecord(items, record, record.outcome !== null);
    known.add(hashOf(record, stateOf(record)));
  }
  for (const supplier of readings.keys()) {
    readings.set(supplier, await readWhole(supplier, ledger, client, known, found));
  }
  for await (const record of ledger.list({ kind: 'account' })) {
    const reading = known.noteOf(hashOf(record, stateOf(record)));
    if (reading !== undefined && reading === readings.get(record.supplier)) continue;
    if (reading === undefined && isOurs(record)) found.changed++;
    else addOutcome(record, undefined, found);
  }
  const { same, notImported, changed, differences, differing, byKind } = found;
  return { same, notImported, changed, differences, differing, byKind, items };
}

/** Compares every entry of the list. An incomplete one is read again from its beginning. Gives the note of the last reading. */
async function readWhole(
  supplier: string,
  ledger: Ledger,
  client: DataImportClient,
  known: HashSet,
  found: Findings,
): Promise<number> {
  const { maxRetries, retryBaseMs } = client.retries;
  for (let retry = 0; ; retry++) {
    const takeBack = found.mark();
    // A note of 8 bits, and 0 is none.
    const reading = 1 + (retry % 255);
    try {
      await compareEntriesOf({ supplier, reading, ledger, known, found }, client.imports.streamAll(supplier));
      return reading;
    } catch (error) {
      if (isNotFoundError(error)) {
        await expectNothingCreated(supplier, ledger, error);
        return reading;
      }
      if (!isBrokenOff(error, maxRetries) || retry >= maxRetries) throw error;
      takeBack();
      await after(backoffMs(retryBaseMs, retry));
    }
  }
}

/** What fails before the answer begins the client itself has tried as often as it may. */
function isBrokenOff(error: unknown, maxRetries: number): boolean {
  const isCutShort = isConnectionError(error) || (isTimeoutError(error) && error.limit === 'timeoutMs');
  return isCutShort && error.sent && error.attempts <= maxRetries;
}

/** As many entries as are looked up in the ledger at once. */
const GROUP = 100;

interface Reading {
  supplier: string;
  /** Its note in `known`. */
  reading: number;
  ledger: Ledger;
  known: HashSet;
  found: Findings;
}

async function compareEntriesOf(reading: Reading, entries: AsyncIterable<AccountImportProcess>): Promise<void> {
  let group: AccountImportProcess[] = [];
  for await (const entry of entries) {
    if (group.push(entry) < GROUP) continue;
    await compareEntries(reading, group);
    group = [];
  }
  await compareEntries(reading, group);
}

async function compareEntries(
  { supplier, reading, ledger, known, found }: Reading,
  entries: readonly AccountImportProcess[],
): Promise<void> {
  const compared = await Promise.all(
    entries.map(async ({ external_account_number: number, service_account_number }) => {
      // The status query has an empty text where no account is created yet, and a list may have it too.
      const service = service_account_number || null;
      const key = { supplier, number };
      const hash = hashOf(key, service ?? NOT_OURS);
      if (known.noteOf(hash) !== undefined) return { key, service, hash, record: 'agrees' as const };
      const record = await ledger.find({ ...key, kind: 'account' });
      return { key, service, hash: hashOf(key, record === undefined ? NOT_IN_LEDGER : stateOf(record)), record };
    }),
  );
  for (const { key, service, hash, record } of compared) {
    if (known.noteOf(hash) === reading) {
      found.add(key, 'listedTwice', `listed again, ${service === null ? 'only staged' : `imported as ${service}`}`);
      continue;
    }
    if (!known.add(hash, reading)) known.setNote(hash, reading);
    if (record === 'agrees') found.count(service === null ? 'notImported' : 'agrees');
    else if (record !== undefined) addOutcome(record, service, found);
    // A staged account is no account yet.
    else if (service !== null) found.add(key, 'notInLedger', 'imported, and not in the ledger');
  }
}

function addOutcome(record: LedgerRecord, service: string | null | undefined, found: Findings): void {
  const outcome = differenceOf(record, service);
  if (typeof outcome === 'string') found.count(outcome);
  else found.add(record, ...outcome);
}

/** Besides the numbers of the service, which hold no such character. */
const NOT_OURS = '\u0000not ours';
const NUMBER_UNKNOWN = '\u0000unknown';
const NOT_IN_LEDGER = '\u0000not in the ledger';

/** What the list has to say of an account for the two to agree. */
function stateOf(record: LedgerRecord): string {
  return isOurs(record) ? (record.serviceNumber ?? NUMBER_UNKNOWN) : NOT_OURS;
}

function hashOf({ supplier, number }: { supplier: string; number: string }, state: string): string {
  return hash('sha256', JSON.stringify([supplier, number, state]), 'hex');
}

/** Some deployments answer 404 where a supplier has nothing (U4). Where it should have something, the address is wrong. */
async function expectNothingCreated(supplier: string, ledger: Ledger, error: unknown): Promise<void> {
  for await (const _ of ledger.list({ kind: 'account', supplier, outcome: 'created' })) throw error;
}

/** Of one that ended unknown or is open the creation may be known all the same. */
function isOurs({ outcome, serviceNumber }: LedgerRecord): boolean {
  return outcome === 'created' || outcome === 'alreadyImported' || serviceNumber !== null;
}

/** `found` is the service's number, null where the account is only staged, undefined where it is not known there. */
function differenceOf(
  record: LedgerRecord,
  found: string | null | undefined,
): [kind: DifferenceKind, what: string] | 'agrees' | 'notImported' {
  const { outcome, serviceNumber } = record;
  if (!isOurs(record)) {
    if (found === null || found === undefined) return 'notImported';
    return ['notCreated', `imported as ${found}, and ${outcome ?? 'open'} in the ledger`];
  }
  if (found === undefined) return ['missing', 'created in the ledger, and not known to the service'];
  if (found === null) return ['onlyStaged', 'created in the ledger, and only staged on the service'];
  if (serviceNumber === null || serviceNumber === found) return 'agrees';
  return ['otherNumber', `${serviceNumber} in the ledger, and ${found} on the service`];
}
