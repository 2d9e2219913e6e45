/**
 * Compares ledger and service in both directions: each record created according to the ledger must exist under its
 * number, and each account in the service must be in the ledger. Reads the service's lists and changes nothing.
 */

import { hash } from 'node:crypto';
import { setTimeout as after } from 'node:timers/promises';
import type { AccountImportProcess } from '../../../../schemas/import-status.js';
import type { DataImportClient } from '../../../client.js';
import { isConnectionError, isNotFoundError, isTimeoutError } from '../../../errors/guards.js';
import { backoffMs } from '../../../http/delay.js';
import type { Ledger, LedgerRecord } from '../../ledger/ledger.js';
import type { Verification } from '../../report/report.js';
import { masked } from '../../report/summary/error-groups.js';
import {
  addRecord,
  ITEM_KINDS,
  ITEM_OUTCOME_WORDS,
  type ItemKind,
  type ItemSummary,
  noItemTotals,
} from '../../report/summary/item-totals.js';
import { counted } from '../../shared/format.js';
import { createDenseHashSet, type HashSet } from '../../shared/hash-set.js';

/** `-` the platform lacks it, `+` the platform has it and the ledger does not say so, `!` both have it, and differ. */
type DifferenceSign = '-' | '+' | '!';

/** What can differ, and what to do about it. */
const KINDS = {
  missing: {
    sign: '-',
    what: 'Created in the ledger, and not known to the platform',
    remedy: 'Ask the operator whether they were removed. If they were, run them in a new folder.',
  },
  onlyStaged: {
    sign: '!',
    what: 'Created in the ledger, and only staged on the platform',
    remedy: 'Ask the operator whether they were deleted or renumbered before you send anything again.',
  },
  otherNumber: {
    sign: '!',
    what: 'Known by another number on the platform than in the ledger',
    remedy: 'Ask the operator which number counts. ok.csv has that of the ledger.',
  },
  notCreated: {
    sign: '+',
    what: 'Imported on the platform, and not created in the ledger',
    remedy:
      'Run the same command again: it looks up unfinished records. Rejected records were imported by another program.',
  },
  notInLedger: {
    sign: '+',
    what: 'Imported on the platform, and not in the ledger',
    remedy: 'They came with another run, or by hand. If that was not meant, ask the operator.',
  },
  listedTwice: {
    sign: '!',
    what: 'More than once in the list of the service',
    remedy: 'Ask the operator which entry counts: an account has one.',
  },
} as const satisfies Record<string, { sign: DifferenceSign; what: string; remedy: string }>;

interface Difference {
  kind: keyof typeof KINDS;
  sign: DifferenceSign;
  supplier: string;
  /** External account number. */
  number: string;
  what: string;
}

type Kind = Difference['kind'];

export interface Comparison {
  /** Accounts that the ledger says exist, and that the platform has under the same number. */
  same: number;
  /** Accounts of the ledger that exist on neither side: rejected, skipped, or without an outcome. */
  notImported: number;
  /** Accounts that a run changed meanwhile, and whose entry in the list was read before that. */
  changed: number;
  /** The first differences that were found, as many as were asked for. */
  differences: Difference[];
  /** How many differences there are. */
  differing: number;
  /** Differences by kind, in the order of the table; kinds that were not found are left out. */
  byKind: ReadonlyMap<Kind, KindCount>;
  /** Items of the accounts that exist, as the ledger counts them: the service does not list items. */
  items: ItemSummary;
}

interface KindCount {
  count: number;
  /** The external account numbers of the first of them. */
  samples: readonly string[];
}

const MOST_SAMPLES = 3;

/** Differences counted by their kind. */
export function countsOf({ byKind }: Comparison): { kind: Kind; count: number; words: string }[] {
  return [...byKind].map(([kind, { count }]) => {
    const { sign, what, remedy } = KINDS[kind];
    return { kind, count, words: `${sign} ${what}. ${remedy}` };
  });
}

const LACKING = ['notSent', 'rejected', 'unknown'] as const;

/** Of accounts that exist, how many items were not sent, rejected, or are unknown; and in words, empty for none. */
export function missingItems(items: ItemSummary): Record<(typeof LACKING)[number], number> & { words: string } {
  const counts = { notSent: 0, rejected: 0, unknown: 0 };
  const said = LACKING.flatMap((outcome) => {
    const kinds = ITEM_KINDS.filter((kind) => items[kind][outcome] > 0);
    for (const kind of kinds) counts[outcome] += items[kind][outcome];
    const each = kinds.map((kind) => counted(items[kind][outcome], ONE[kind]));
    return kinds.length === 0 ? [] : [`${counts[outcome]} ${ITEM_OUTCOME_WORDS[outcome]} (${each.join(', ')})`];
  });
  return { ...counts, words: said.length === 0 ? '' : `items of accounts that exist: ${said.join(', ')}` };
}

const ONE: Readonly<Record<ItemKind, string>> = {
  paymentInstructions: 'payment instruction',
  statements: 'statement',
  transactions: 'transaction',
  notes: 'note',
};

/** For the report: by kind, with a few to look at. */
export function verificationOf({ same, notImported, differing, byKind }: Comparison, at: string): Verification {
  const differences = [...byKind].map(([kind, { count, samples }]) => {
    const { what, remedy } = KINDS[kind];
    return { what, count, samples: samples.map(masked), remedy };
  });
  // Of an account that is listed twice its first entry is counted, too.
  const twice = byKind.get('listedTwice')?.count ?? 0;
  return { at, compared: same + notImported + differing - twice, differences };
}

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

/** What a comparison has found so far. What an incomplete list added can be taken back. */
class Findings {
  same = 0;
  notImported = 0;
  changed = 0;
  differences: Difference[] = [];
  readonly #counts = new Map<Kind, { count: number; samples: string[] }>();

  constructor(readonly limit: number) {}

  get differing(): number {
    return [...this.#counts.values()].reduce((sum, { count }) => sum + count, 0);
  }

  get byKind(): ReadonlyMap<Kind, KindCount> {
    const kinds = Object.keys(KINDS) as Kind[];
    return new Map(kinds.flatMap((kind) => [...this.#counts].filter(([one]) => one === kind)));
  }

  count(outcome: 'agrees' | 'notImported'): void {
    if (outcome === 'agrees') this.same++;
    else this.notImported++;
  }

  add({ supplier, number }: { supplier: string; number: string }, kind: Kind, what: string): void {
    if (this.differences.length < this.limit) {
      this.differences.push({ kind, sign: KINDS[kind].sign, supplier, number, what });
    }
    const counted = this.#counts.get(kind) ?? { count: 0, samples: [] };
    this.#counts.set(kind, counted);
    counted.count++;
    if (counted.samples.length < MOST_SAMPLES) counted.samples.push(number);
  }

  /** A function that takes back what is added from now on. */
  mark(): () => void {
    const { same, notImported, differences } = this;
    const kept = differences.length;
    const counts = structuredClone(this.#counts);
    return () => {
      Object.assign(this, { same, notImported });
      differences.length = kept;
      this.#counts.clear();
      for (const [kind, { count, samples }] of counts) this.#counts.set(kind, { count, samples: [...samples] });
    };
  }
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

/** `found` is the platform's number, null where the account is only staged, undefined where it is not known there. */
function differenceOf(
  record: LedgerRecord,
  found: string | null | undefined,
): [kind: Difference['kind'], what: string] | 'agrees' | 'notImported' {
  const { outcome, serviceNumber } = record;
  if (!isOurs(record)) {
    if (found === null || found === undefined) return 'notImported';
    return ['notCreated', `imported as ${found}, and ${outcome ?? 'open'} in the ledger`];
  }
  if (found === undefined) return ['missing', 'created in the ledger, and not known to the platform'];
  if (found === null) return ['onlyStaged', 'created in the ledger, and only staged on the platform'];
  if (serviceNumber === null || serviceNumber === found) return 'agrees';
  return ['otherNumber', `${serviceNumber} in the ledger, and ${found} on the platform`];
}
