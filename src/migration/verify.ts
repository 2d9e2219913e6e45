/**
 * Ledger and platform held against each other, both ways: what we count as created must be there under the number that
 * we know, and what is there must be known. Reads the platform's lists; changes nothing.
 */
import type { AccountImportProcess } from '../../schemas/status.js';
import type { DataImportClient } from '../client.js';
import { isNotFoundError } from '../errors/guards.js';
import type { Ledger, LedgerRecord } from './ledger/ledger.js';
import { masked } from './report/groups.js';
import {
  addRecord,
  ITEM_KINDS,
  ITEM_OUTCOME_WORDS,
  type ItemKind,
  type ItemSummary,
  noItems,
} from './report/item-totals.js';
import type { Verification } from './report/report.js';
import { counted } from './report/words.js';

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
    remedy: 'Ask the operator what became of them before anything is sent again.',
  },
  otherNumber: {
    sign: '!',
    what: 'Known by another number on the platform than in the ledger',
    remedy: 'Ask the operator which number counts. ok.csv has that of the ledger.',
  },
  notCreated: {
    sign: '+',
    what: 'Imported on the platform, and not created in the ledger',
    remedy: 'Run the same command again: what is open is looked up. What was rejected came from somebody else.',
  },
  notInLedger: {
    sign: '+',
    what: 'Imported on the platform, and not in the ledger',
    remedy: 'They came with another run, or by hand. If that was not meant, ask the operator.',
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

export interface Comparison {
  /** Accounts that the ledger says exist, and that the platform has under the same number. */
  same: number;
  /** Accounts of the ledger that exist on neither side: rejected, skipped, or without an outcome. */
  notImported: number;
  differences: Difference[];
  /** Items of the accounts that exist, as the ledger counts them: the service does not list items. */
  items: ItemSummary;
}

const MOST_SAMPLES = 3;

/** Differences counted by their kind, in the order of the table; kinds that were not found are left out. */
export function countsOf({ differences }: Comparison): { kind: Difference['kind']; count: number; words: string }[] {
  const counts = new Map<Difference['kind'], number>();
  for (const { kind } of differences) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return (Object.keys(KINDS) as Difference['kind'][]).flatMap((kind) => {
    const count = counts.get(kind);
    const { sign, what, remedy } = KINDS[kind];
    return count === undefined ? [] : [{ kind, count, words: `${sign} ${what}. ${remedy}` }];
  });
}

const LACKING = ['notSent', 'rejected', 'unknown'] as const;

/** Of accounts that exist, how many items were not sent, rejected, or are unknown; and in words, empty for none. */
export function lackingItems(items: ItemSummary): Record<(typeof LACKING)[number], number> & { words: string } {
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
export function verificationOf({ same, notImported, differences }: Comparison, at: string): Verification {
  const groups = Object.entries(KINDS).map(([kind, { what, remedy }]) => {
    const own = differences.filter((difference) => difference.kind === kind);
    return { what, count: own.length, samples: own.slice(0, MOST_SAMPLES).map(({ number }) => masked(number)), remedy };
  });
  const compared = same + notImported + differences.length;
  return { at, compared, differences: groups.filter(({ count }) => count > 0) };
}

/** Holds one list of the platform in memory at a time. Rejects as the client does where a list cannot be had. */
export async function compareWithPlatform(ledger: Ledger, client: DataImportClient): Promise<Comparison> {
  const suppliers = new Set<string>();
  for await (const { supplier } of ledger.list({ kind: 'account' })) suppliers.add(supplier);
  const comparison: Comparison = { same: 0, notImported: 0, differences: [], items: noItems() };
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
  for (const entry of await listOf(supplier, ledger, client)) {
    platform.set(entry.external_account_number, entry.service_account_number);
  }
  for await (const record of ledger.list({ kind: 'account', supplier })) {
    const { number, end } = record;
    if (isOurs(record)) addRecord(comparison.items, record, end !== null);
    const found = differenceOf(record, platform.get(number));
    platform.delete(number);
    if (found === 'agrees') comparison.same++;
    else if (found === 'notImported') comparison.notImported++;
    else comparison.differences.push(difference(supplier, number, ...found));
  }
  for (const [number, serviceNumber] of platform) {
    // What is only staged is no account yet, whoever staged it.
    if (serviceNumber === null) continue;
    comparison.differences.push(difference(supplier, number, 'notInLedger', 'imported, and not in the ledger'));
  }
}

/** Some deployments answer 404 where a supplier has nothing (U4). Where it should have something, the address is wrong. */
async function listOf(supplier: string, ledger: Ledger, client: DataImportClient): Promise<AccountImportProcess[]> {
  try {
    return await client.imports.all(supplier);
  } catch (error) {
    if (!isNotFoundError(error)) throw error;
    for await (const _ of ledger.list({ kind: 'account', supplier, end: 'created' })) throw error;
    return [];
  }
}

function difference(supplier: string, number: string, kind: Difference['kind'], what: string): Difference {
  return { kind, sign: KINDS[kind].sign, supplier, number, what };
}

/** Of one that ended unknown or is open the creation may be known all the same. */
function isOurs({ end, platformNumber }: LedgerRecord): boolean {
  return end === 'created' || end === 'alreadyThere' || platformNumber !== null;
}

/** `found` is the platform's number, null where the account is only staged, undefined where it is not known there. */
function differenceOf(
  record: LedgerRecord,
  found: string | null | undefined,
): [kind: Difference['kind'], what: string] | 'agrees' | 'notImported' {
  const { end, platformNumber } = record;
  if (!isOurs(record)) {
    if (found === null || found === undefined) return 'notImported';
    return ['notCreated', `imported as ${found}, and ${end ?? 'open'} in the ledger`];
  }
  if (found === undefined) return ['missing', 'created in the ledger, and not known to the platform'];
  if (found === null) return ['onlyStaged', 'created in the ledger, and only staged on the platform'];
  if (platformNumber === null || platformNumber === found) return 'agrees';
  return ['otherNumber', `${platformNumber} in the ledger, and ${found} on the platform`];
}
