/**
 * Exports `sampleRecords`: sample inputs of any size, for rehearsals: businesses with their contracts, then accounts, a share of which
 * has mistakes. The same options produce the same input. A record is generated when it is read.
 */

import { checkOptionKinds } from '../../../validation/option-kinds.js';
import type { ImportRecord } from '../../../validation/records/import-record.js';
import { sampleAccount, sampleAdded } from './account.js';
import { sampleBusiness } from './business.js';
import { MISTAKES, type Mistake } from './mistakes.js';
import { seededRandom } from './seeded-random.js';

/** Options of `sampleRecords`. */
export interface SampleOptions {
  /**
   * Number of accounts. Some businesses come before them.
   * @default 200
   */
  accounts?: number;
  /**
   * A whole number from 0. Another seed gives other people, amounts and addresses, with the same numbers and mistakes.
   * @default 1
   */
  seed?: number;
  /**
   * Import supplier code.
   * @default 'SANDBOX_SUPPLIER'
   */
  supplier?: string;
  /**
   * Share of the accounts that have a mistake, from 0 to 1, evenly spread.
   * @default 0.06
   */
  mistakes?: number;
}

/** One line of a sample input. */
export interface SampleLine {
  /** A record as JSON, without a line end. */
  line: string;
  /** The deliberate mistake of this record, if it has one. */
  mistake: Pick<Mistake, 'name' | 'shows'> | undefined;
}

const LEAST_BUSINESSES = 3;
const ACCOUNTS_A_BUSINESS = 500;

/**
 * Returns invented businesses and accounts as lines of JSON; the same options produce the same lines. It can be
 * iterated several times. Throws a `RangeError` for an invalid option, and a `TypeError` for an
 * unknown one.
 *
 * @example
 * for (const { line } of sampleRecords({ accounts: 1000 })) file.write(`${line}\n`);
 */
export function sampleRecords(options: SampleOptions = {}): Iterable<SampleLine> {
  const kinds = { accounts: 'any?', seed: 'any?', supplier: 'any?', mistakes: 'any?' } as const;
  checkOptionKinds('sampleRecords', options, kinds);
  const { accounts = 200, seed = 1, supplier = 'SANDBOX_SUPPLIER', mistakes = 0.06 } = options;
  expectThat(Number.isSafeInteger(accounts) && accounts >= 0, 'accounts', accounts, 'a whole number from 0');
  expectThat(Number.isSafeInteger(seed) && seed >= 0, 'seed', seed, 'a whole number from 0');
  expectThat(typeof supplier === 'string' && supplier !== '', 'supplier', supplier, 'an import supplier code');
  expectThat(mistakes >= 0 && mistakes <= 1, 'mistakes', mistakes, 'a share from 0 to 1');
  return { [Symbol.iterator]: () => linesOf({ accounts, seed, supplier, mistakes }) };
}

function* linesOf({ accounts, seed, supplier, mistakes }: Required<SampleOptions>): Generator<SampleLine> {
  const businesses = Math.max(LEAST_BUSINESSES, Math.floor(accounts / ACCOUNTS_A_BUSINESS));
  for (let index = 0; index < businesses; index++) {
    const business = sampleBusiness(supplier, index, seededRandom(seed, -1 - index));
    yield { line: JSON.stringify({ business } satisfies ImportRecord), mistake: undefined };
  }
  for (let index = 0; index < accounts; index++) {
    const chance = seededRandom(seed, index);
    const account = sampleAccount(supplier, businesses, index, chance);
    const record = { account, ...sampleAdded(index, chance) };
    const mistake = mistakeAt(index, mistakes);
    const line = mistake?.make(record) ?? JSON.stringify(record);
    yield { line, mistake: mistake && { name: mistake.name, shows: mistake.shows } };
  }
}

/** Spreads the mistakes evenly, one kind after another, so that a test can compute their places from the options. */
function mistakeAt(index: number, share: number): Mistake | undefined {
  const before = countUpTo(index, share);
  return countUpTo(index + 1, share) === before ? undefined : MISTAKES[before % MISTAKES.length];
}

function countUpTo(accounts: number, share: number): number {
  // A floating-point product can be just below a whole number: 100 * 0.29 is 28.999999999999996.
  return Math.floor(accounts * share + 1e-9);
}

function expectThat(holds: boolean, option: string, found: unknown, expected: string): void {
  if (!holds) throw new RangeError(`sampleRecords: ${option} is ${String(found)}; expected ${expected}.`);
}
