/**
 * Exports `compareWithExtract`, which compares the amounts that the ledger has as confirmed with those of the operator's extract, for each
 * account and type, to the last digit. Memory depends on the number of accounts, not of transactions.
 */
import { plainNumber } from '../../../http/transport/other-name.js';
import { inCell } from '../../input/csv/edited-csv.js';
import { AMOUNT_TYPES, type AmountSum, type AmountType } from '../../ledger/amounts.js';
import type { Ledger, LedgerRecord } from '../../ledger/ledger.js';
import { confirmedSums } from '../../record/items/tally.js';
import { csvHeader, csvRow } from '../../report/result-files/csv-cell.js';
import { AmountTotal, DecimalSum, differenceOf, hundredthsOf } from '../../shared/decimal.js';
import type { Extract, ExtractRow } from './extract-rows.js';

/** The result of a comparison with an extract. */
export interface ExtractComparison {
  /** Rows of the extract. */
  rows: number;
  /** Number of accounts whose amounts are the same in both. */
  same: number;
  /** Number of accounts that differ. */
  differing: number;
  /** The first differences, by account and type, and the number of all. */
  first: ExtractDifference[];
  found: number;
  /** Accounts with another number or sum in the extract, missing in the extract, and missing in the ledger. */
  different: number;
  notInExtract: number;
  notInLedger: number;
  /** Those of them whose number the ledger has with other zeros, letter case or signs. */
  otherwiseWritten: number;
  /** Accounts of the ledger with a row that cannot be read: their amounts are not compared. */
  withUnreadRow: number;
  /** Rows that cannot be read, and the first of them. */
  unread: number;
  firstUnread?: { line: number; problem: string };
  /** Sums of the compared accounts by type; only types of either side. */
  totals: { type: AmountType; ledger: AmountSum; extract: AmountSum }[];
  /** Whether statements are left out, because the extract has none. */
  isWithoutStatements: boolean;
}

/** Amounts of one account and type that differ. */
export interface ExtractDifference {
  problem: 'different' | 'not in the extract' | 'not in the ledger';
  /** Empty if the extract has none and the ledger does not have the account. */
  supplier: string;
  /** The external account number; for an account that the ledger does not have, the number of the extract. */
  account: string;
  type: AmountType;
  ledger: AmountSum;
  extract: AmountSum;
  /** Sum of the extract less sum of the ledger. */
  difference: string;
}

export const EXTRACT_HEADER = csvHeader([
  ...['import_supplier', 'external_account_number', 'service_account_number', 'type'],
  ...['ledger_count', 'ledger_sum', 'extract_count', 'extract_sum', 'difference', 'line', 'problem'],
]);

/** Compares, and calls `write` with a CSV row for each difference. `listed`: number of differences that the result lists. */
export async function compareWithExtract(
  ledger: Ledger,
  { numberedBy, hasSupplier, rows }: Extract,
  write: (row: string) => Promise<void>,
  listed = 0,
): Promise<ExtractComparison> {
  const keyOf = (supplier: string, number: string) => (hasSupplier ? `${supplier}\n${number}` : number);
  const keyOfRecord = ({ supplier, number, serviceNumber }: LedgerRecord) => {
    const named = numberedBy === 'external_account_number' ? number : serviceNumber;
    return named === null ? undefined : keyOf(inCell(supplier), inCell(named));
  };
  const accounts = new ExtractAccounts();
  for await (const record of ledger.list({ kind: 'account' })) {
    const key = keyOfRecord(record);
    if (key !== undefined) accounts.addKnown(key);
  }
  const counts = { same: 0, different: 0, notInExtract: 0, notInLedger: 0, withUnreadRow: 0, unread: 0 };
  const first: ExtractDifference[] = [];
  let [read, found] = [0, 0];
  let firstUnread: ExtractComparison['firstUnread'];
  for await (const row of rows) {
    read++;
    const problem = 'problem' in row ? row.problem : accounts.add(keyOf(row.supplier ?? '', row.account), row);
    if (problem === undefined) continue;
    counts.unread++;
    firstUnread ??= { line: row.line, problem };
    await write(csvRow(['', '', '', '', '', '', '', '', '', String(row.line), problem]));
    if (row.account !== undefined) accounts.unread.add(keyOf(row.supplier ?? '', row.account));
  }
  const isWithoutStatements = !accounts.types.has('STATEMENT');
  const types = AMOUNT_TYPES.filter((type) => type !== 'STATEMENT' || !isWithoutStatements);
  const totals = types.map((type) => ({ type, ledger: new AmountTotal(), extract: new AmountTotal() }));
  /** Returns whether all types are the same, and writes those that are not. */
  const compare = async (
    names: readonly [supplier: string, external: string | null, service: string | null],
    { ledger = NONE, extract = NONE }: { ledger?: AccountSums; extract?: AccountSums | undefined },
    problem: ExtractDifference['problem'],
  ): Promise<boolean> => {
    let isSame = true;
    for (const { type, ...total } of totals) {
      const [one, other] = [ledger(type), extract(type)];
      if (one.count + other.count === 0) continue;
      total.ledger.add(one);
      total.extract.add(other);
      if (one.count === other.count && one.sum === other.sum) continue;
      isSame = false;
      const sums = [String(one.count), { decimal: one.sum }, String(other.count), { decimal: other.sum }] as const;
      const rest = differenceOf(other.sum, one.sum);
      await write(csvRow([...names, type, ...sums, { decimal: rest }, '', problem]));
      if (found++ >= listed) continue;
      const [supplier, external, service] = names;
      const account = external ?? service ?? '';
      first.push({ problem, supplier, account, type, ledger: one, extract: other, difference: rest });
    }
    return isSame;
  };
  for await (const record of ledger.list({ kind: 'account' })) {
    const key = keyOfRecord(record);
    if (key !== undefined && accounts.unread.has(key)) {
      counts.withUnreadRow++;
      continue;
    }
    const extract = key === undefined ? undefined : accounts.of(key);
    const names = [record.supplier, record.number, record.serviceNumber] as const;
    const problem = extract === undefined ? 'not in the extract' : 'different';
    const isSame = await compare(names, { ledger: confirmedOf(record), extract }, problem);
    if (!isSame) counts[extract === undefined ? 'notInExtract' : 'different']++;
    else if (extract !== undefined) counts.same++;
  }
  const unknown = new Set<string>();
  for (const [key, extract] of accounts.unknown()) {
    const [supplier, account] = hasSupplier ? (key.split('\n') as [string, string]) : ['', key];
    const names = numberedBy === 'external_account_number' ? ([account, null] as const) : ([null, account] as const);
    if (await compare([supplier, ...names], { extract }, 'not in the ledger')) continue;
    counts.notInLedger++;
    unknown.add(account);
  }
  return {
    rows: read,
    ...counts,
    otherwiseWritten: await countOtherwiseWritten(unknown, ledger, numberedBy),
    differing: counts.different + counts.notInExtract + counts.notInLedger,
    ...{ first, found, ...(firstUnread && { firstUnread }), isWithoutStatements },
    totals: totals
      .map(({ type, ledger, extract }) => ({ type, ledger: ledger.total(), extract: extract.total() }))
      .filter(({ ledger, extract }) => ledger.count + extract.count > 0),
  };
}

/** Returns how many of the numbers the ledger has with other zeros, letter case or signs. */
async function countOtherwiseWritten(
  unknown: ReadonlySet<string>,
  ledger: Ledger,
  numberedBy: Extract['numberedBy'],
): Promise<number> {
  if (unknown.size === 0) return 0;
  const plains = new Set([...unknown].map(plainNumber));
  const found = new Set<string>();
  for await (const { number, serviceNumber } of ledger.list({ kind: 'account' })) {
    const plain = plainNumber((numberedBy === 'external_account_number' ? number : serviceNumber) ?? '');
    if (plains.has(plain)) found.add(plain);
  }
  return [...unknown].filter((account) => found.has(plainNumber(account))).length;
}

const AMBIGUOUS = -1;

/** The accounts of the ledger and of the extract. Typed arrays, because an object for each sum would need several times the memory. */
class ExtractAccounts {
  readonly types = new Set<AmountType>();
  readonly #index = new Map<string, number>();
  #known = 0;
  #counts = new Uint32Array(1024);
  /** Sums of amounts with at most two decimals, in hundredths. */
  #hundredths = new Float64Array(1024);
  /** Sums of all other amounts. */
  readonly #others = new Map<number, DecimalSum>();
  /** Accounts with a row that cannot be read. */
  readonly unread = new Set<string>();

  addKnown(key: string): void {
    this.#index.set(key, this.#index.has(key) ? AMBIGUOUS : this.#known);
    this.#known++;
  }

  /** Returns why the row belongs to no account; undefined if it is added. */
  add(key: string, { type, count, amount }: ExtractRow): string | undefined {
    let index = this.#index.get(key);
    if (index === undefined) {
      // Ambiguous numbers make the size smaller than the number of accounts.
      index = this.#known + this.#index.size;
      this.#index.set(key, index);
    }
    if (index === AMBIGUOUS) return 'several accounts of the ledger have this number; add the column import_supplier';
    this.types.add(type);
    const place = index * AMOUNT_TYPES.length + AMOUNT_TYPES.indexOf(type);
    if (place >= this.#counts.length) this.#grow(place);
    this.#counts[place] = (this.#counts[place] ?? 0) + count;
    const sum = (this.#hundredths[place] ?? 0) + (hundredthsOf(amount) ?? Number.NaN);
    if (Number.isSafeInteger(sum)) this.#hundredths[place] = sum;
    else {
      const others = this.#others.get(place) ?? new DecimalSum();
      others.add(amount);
      this.#others.set(place, others);
    }
    return undefined;
  }

  /** undefined if the extract has no row of the account. */
  of(key: string): AccountSums | undefined {
    const index = this.#index.get(key);
    return index === undefined || index === AMBIGUOUS ? undefined : this.#sumsOf(index);
  }

  *unknown(): Generator<[key: string, sums: AccountSums]> {
    for (const [key, index] of this.#index) {
      const sums = index < this.#known ? undefined : this.#sumsOf(index);
      if (sums !== undefined) yield [key, sums];
    }
  }

  #sumsOf(index: number): AccountSums | undefined {
    const first = index * AMOUNT_TYPES.length;
    if (!AMOUNT_TYPES.some((_, at) => (this.#counts[first + at] ?? 0) > 0)) return undefined;
    return (type) => this.#sumAt(first + AMOUNT_TYPES.indexOf(type));
  }

  #sumAt(place: number): AmountSum {
    const sum = new DecimalSum();
    sum.addHundredths(this.#hundredths[place] ?? 0);
    sum.add(this.#others.get(place)?.text());
    return { count: this.#counts[place] ?? 0, sum: sum.text() };
  }

  #grow(place: number): void {
    const size = Math.max(place + 1, Math.ceil(1.5 * this.#counts.length));
    const [counts, hundredths] = [new Uint32Array(size), new Float64Array(size)];
    counts.set(this.#counts);
    hundredths.set(this.#hundredths);
    this.#counts = counts;
    this.#hundredths = hundredths;
  }
}

/** Number and sum of the amounts of one account, by type. */
type AccountSums = (type: AmountType) => AmountSum;

const NOTHING: AmountSum = { count: 0, sum: '0' };
const NONE: AccountSums = () => NOTHING;

/** Returns the amounts that the service confirmed: added by the run, or there before. */
export function confirmedOf({ items }: LedgerRecord): AccountSums {
  const sums = confirmedSums(items);
  return (type) => sums[type] ?? NOTHING;
}
