/**
 * Exports `compareWithService`, which compares ledger and service in both directions: each account that the ledger has as created must
 * exist under its number, and each account of the service must be in the ledger. Reads the service's lists, asks for the status of accounts
 * that these do not show, and changes nothing.
 */
import { hash } from 'node:crypto';
import { setTimeout as after } from 'node:timers/promises';
import { type AccountImportProcess, existingAccount } from '../../../../schemas/import-status.js';
import { type DataImportClient, internalsOf } from '../../../client.js';
import { NotFoundError } from '../../../errors/api-errors.js';
import { ResponseMismatchError } from '../../../errors/client-errors.js';
import { ConnectionError, TimeoutError } from '../../../errors/no-answer-errors.js';
import { backoffMs } from '../../../http/time/delay.js';
import { isImported, type Ledger, type LedgerRecord } from '../../ledger/ledger.js';
import { queryAccount, statusQuery } from '../../record/steps/service-number.js';
import { addItems, noItemTotals } from '../../report/summary/item-totals.js';
import { createHashSet, type HashSet } from '../../shared/hash-set.js';
import { type Comparison, type DifferenceKind, Findings } from './comparison.js';

/**
 * Needs about twenty bytes of memory per account, and the stored differences. Rejects as the client if a list is not available. After
 * a lost connection a list is read again from its beginning, at most `maxRetries` times.
 */
export async function compareWithService(
  ledger: Ledger,
  client: DataImportClient,
  { limit = Number.POSITIVE_INFINITY }: { limit?: number } = {},
): Promise<Comparison> {
  const found = new Findings(limit);
  const items = noItemTotals();
  // Hash of the number and the expected list entry of each account, so that equal entries need no query to the ledger. The note is
  // the number of the list reading that had the entry.
  const { total: expected } = await ledger.counts({ kind: 'account' });
  const known = createHashSet(expected);
  const numbers = createHashSet(expected);
  const readings = new Map<string, number>();
  for await (const record of ledger.list({ kind: 'account' })) {
    readings.set(record.supplier, 0);
    compareNumber(record, numbers, found);
    if (isOurs(record)) addItems(items, record.items, record.outcome !== null);
    known.add(hashOf(record, stateOf(record)));
  }
  for await (const record of ledger.list({ kind: 'business' })) compareNumber(record, numbers, found);
  for (const supplier of readings.keys()) {
    readings.set(supplier, await readWhole({ supplier, ledger, client, known, found }));
  }
  let unlisted: LedgerRecord[] = [];
  for await (const record of ledger.list({ kind: 'account' })) {
    const reading = known.noteOf(hashOf(record, stateOf(record)));
    if (reading !== undefined && reading === readings.get(record.supplier)) continue;
    if (!isOurs(record)) addOutcome(record, undefined, found);
    else if (reading === undefined) found.changed++;
    else if (unlisted.push(record) === GROUP) {
      await compareUnlisted(unlisted, client, found);
      unlisted = [];
    }
  }
  await compareUnlisted(unlisted, client, found);
  const { same, notListed, notImported, changed, differences, differing, byKind } = found;
  return { same, notListed, notImported, changed, differences, differing, byKind, items };
}

/** Two records under one number of the service: the answer to one of them belonged to another request. */
function compareNumber(record: LedgerRecord, numbers: HashSet, found: Findings): void {
  const { kind, serviceNumber } = record;
  if (serviceNumber === null || numbers.add(hash('sha256', JSON.stringify([kind, serviceNumber]), 'hex'))) return;
  found.add(record, 'sharedNumber', `${serviceNumber} in the ledger, as another ${kind}`);
}

/** Compares every entry of the list. An incomplete list is read again from its beginning. Returns the note of the last reading. */
async function readWhole(of: Omit<Reading, 'reading'>): Promise<number> {
  const { supplier, ledger, client, found } = of;
  const { maxRetries, retryBaseMs } = internalsOf(client).settings;
  for (let retry = 0; ; retry++) {
    const takeBack = found.mark();
    // Notes have 8 bits; 0 is no note.
    const reading = 1 + (retry % 255);
    try {
      await compareEntriesOf({ ...of, reading }, client.imports.streamAll(supplier));
      return reading;
    } catch (error) {
      if (error instanceof NotFoundError) {
        await expectNothingCreated(supplier, ledger, error);
        return reading;
      }
      if (!isBrokenOff(error, maxRetries) || retry >= maxRetries) throw error;
      takeBack();
      await after(backoffMs(retryBaseMs, retry));
    }
  }
}

/** Returns whether the list was aborted after its first byte. Earlier failures the client has retried itself. */
function isBrokenOff(error: unknown, maxRetries: number): boolean {
  const isCutShort = error instanceof ConnectionError || (error instanceof TimeoutError && error.limit === 'timeoutMs');
  return isCutShort && error.sent && error.attempts <= maxRetries;
}

/** Number of entries per query to the ledger. */
const GROUP = 100;

interface Reading {
  supplier: string;
  /** Its note in `known`. */
  reading: number;
  ledger: Ledger;
  client: DataImportClient;
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
  { supplier, reading, ledger, client, known, found }: Reading,
  entries: readonly AccountImportProcess[],
): Promise<void> {
  const compared = await Promise.all(
    entries.map(async (entry) => {
      const key = { supplier, number: entry.external_account_number };
      const account = saysNothing(entry) ? await queryAccount(key, { client }) : existingAccount(entry);
      const service = account === undefined ? null : (account.number ?? WITHOUT_NUMBER);
      const hash = hashOf(key, service ?? NOT_OURS);
      if (known.noteOf(hash) !== undefined) return { key, service, hash, record: 'agrees' as const };
      const record = await ledger.find({ ...key, kind: 'account' });
      return { key, service, hash: hashOf(key, record === undefined ? NOT_IN_LEDGER : stateOf(record)), record };
    }),
  );
  for (const { key, service, hash, record } of compared) {
    if (known.noteOf(hash) === reading) {
      found.add(key, 'listedTwice', `listed again, ${service === null ? 'only staged' : importedAs(service)}`);
      continue;
    }
    if (!known.add(hash, reading)) known.setNote(hash, reading);
    if (record === 'agrees') found.count(service === null ? 'notImported' : 'agrees');
    else if (record !== undefined) addOutcome(record, service, found);
    // A staged account does not exist yet.
    else if (service !== null) found.add(key, 'notInLedger', 'imported, and not in the ledger');
  }
}

/** A list may leave out accounts that exist, so each one is asked about before it counts as missing. */
async function compareUnlisted(records: readonly LedgerRecord[], client: DataImportClient, found: Findings) {
  const services = await Promise.all(records.map((record) => statusOf(record, client)));
  const before = found.same;
  for (const [index, record] of records.entries()) addOutcome(record, services[index], found);
  found.notListed += found.same - before;
}

/** Resolves with the service's number; null if the account is only staged, undefined if the service does not know it. */
async function statusOf(record: LedgerRecord, client: DataImportClient): Promise<string | null | undefined> {
  try {
    const account = existingAccount(await client.imports.status(statusQuery(record)));
    return account === undefined ? null : (account.number ?? WITHOUT_NUMBER);
  } catch (error) {
    // An answer that cannot be read does not show the account either.
    if (error instanceof NotFoundError || error instanceof ResponseMismatchError) return undefined;
    throw error;
  }
}

function addOutcome(record: LedgerRecord, service: string | null | undefined, found: Findings): void {
  const outcome = differenceOf(record, service);
  if (typeof outcome === 'string') found.count(outcome);
  else found.add(record, ...outcome);
}

/** Some deployments list only the external account number, which does not say whether the account exists. */
function saysNothing({ service_account_number, account_created_at }: AccountImportProcess): boolean {
  return service_account_number === undefined && account_created_at === undefined;
}

/** Differ from all numbers of the service, which do not contain U+0000. */
const WITHOUT_NUMBER = '\u0000without number';
const NOT_OURS = '\u0000not ours';
const NUMBER_UNKNOWN = '\u0000unknown';
const NOT_IN_LEDGER = '\u0000not in the ledger';

/** Returns the list entry that agrees with the ledger. */
function stateOf(record: LedgerRecord): string {
  return isOurs(record) ? (record.serviceNumber ?? NUMBER_UNKNOWN) : NOT_OURS;
}

function hashOf({ supplier, number }: { supplier: string; number: string }, state: string): string {
  return hash('sha256', JSON.stringify([supplier, number, state]), 'hex');
}

/** Some deployments answer 404 if a supplier has no accounts (U4). Throws the 404 if the ledger has created accounts of the supplier. */
async function expectNothingCreated(supplier: string, ledger: Ledger, error: unknown): Promise<void> {
  for await (const _ of ledger.list({ kind: 'account', supplier, outcome: 'created' })) throw error;
}

/** Returns whether the ledger knows that the account was created, also if its outcome is unknown or open. */
export function isOurs(record: LedgerRecord): boolean {
  return isImported(record) || record.serviceNumber !== null;
}

function importedAs(number: string): string {
  return number === WITHOUT_NUMBER ? 'imported, without a number' : `imported as ${number}`;
}

/** `found`: the service's number; null if the account is only staged, undefined if the service does not know it. */
function differenceOf(
  record: LedgerRecord,
  found: string | null | undefined,
): [kind: DifferenceKind, what: string] | 'agrees' | 'notImported' {
  const { outcome, serviceNumber } = record;
  if (!isOurs(record)) {
    if (found === null || found === undefined) return 'notImported';
    return ['notCreated', `${importedAs(found)}, and ${outcome ?? 'open'} in the ledger`];
  }
  if (found === undefined) return ['missing', 'created in the ledger, and not known to the service'];
  if (found === null) return ['onlyStaged', 'created in the ledger, and only staged on the service'];
  if (serviceNumber === null || serviceNumber === found || found === WITHOUT_NUMBER) return 'agrees';
  return ['otherNumber', `${serviceNumber} in the ledger, and ${found} on the service`];
}
