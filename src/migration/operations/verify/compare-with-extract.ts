/**
 * Exports `compareWithExtract`, which compares the amounts that the ledger has as confirmed with those of the operator's extract, for each
 * account and type, to the last digit. Memory depends on the number of accounts, not of transactions.
 */
import { plainNumber } from '../../../validation/records/plain-number.js';
import { isScientificNotation } from '../../../validation/warnings/value-forms.js';
import { inCell } from '../../input/csv/edited-csv.js';
import { AMOUNT_TYPES, type AmountSum, type AmountSums, type AmountType } from '../../ledger/amounts.js';
import type { Ledger, LedgerRecord, Step } from '../../ledger/ledger.js';
import { unknownSteps } from '../../record/events/record-state.js';
import { confirmedSums, sumsInDoubt } from '../../record/items/tally.js';
import { csvHeader, csvRow } from '../../report/result-files/csv-cell.js';
import { AmountTotal, DecimalSum, differenceOf, hundredthsOf, isSameDecimal } from '../../shared/decimal.js';
import { type AccountOfRow, type Extract, type ExtractRow, roundedIn } from './extract-rows.js';

/** The result of a comparison with an extract. */
export type ExtractComparison = Awaited<ReturnType<typeof compareWithExtract>>;

/** An unknown outcome of the ledger, and what the extract shows about it. */
export interface UnknownAnswer {
  supplier: string;
  account: string;
  step: Step;
  /** done: the extract has the items that were sent; notDone: it has only what is confirmed; null: neither. */
  as: 'done' | 'notDone' | null;
}

/** Amounts of one account and type that differ, or the service account numbers of an account. */
export type ExtractDifference = AmountDifference | NumberDifference;

interface NumberDifference {
  problem: 'another service account number';
  supplier: string;
  account: string;
  ledger: string | null;
  extract: string;
}

interface AmountDifference {
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
  extract: Extract,
  write: (row: string) => Promise<void>,
  listed = 0,
) {
  const keys = accountKeys(extract);
  const accounts = new ExtractAccounts();
  for await (const record of ledger.list({ kind: 'account' })) accounts.addKnown(keys.ofRecord(record));
  const counts = {
    /** Number of accounts whose amounts are the same in both. */
    same: 0,
    /** Accounts with another service account number in the extract than in the ledger. */
    otherNumber: 0,
    /** Accounts whose only difference is that the extract has items whose outcome is unknown in the ledger. */
    unknownInExtract: 0,
    /** Accounts with another number or sum in the extract, missing in the extract, and missing in the ledger. */
    ...{ different: 0, notInExtract: 0, notInLedger: 0 },
    /** Accounts of the ledger with a row that cannot be read: their amounts are not compared. */
    withUnreadRow: 0,
    /** Rows that cannot be read. */
    unread: 0,
    /** Number of all unknown outcomes of accounts that the extract has. */
    answered: 0,
    /** How often both sides have amounts and they differ. */
    bothDiffer: 0,
  };
  /** In how many of these all differ in the same way. */
  const ways = { oppositeSign: 0, hundredfold: 0, hundredth: 0 };
  const first: ExtractDifference[] = [];
  const answers: UnknownAnswer[] = [];
  let [read, found] = [0, 0];
  let firstUnread: { line: number; problem: string } | undefined;
  for await (const row of extract.rows) {
    read++;
    const [key, serviceKey] = keys.ofRow(row);
    const problem = 'problem' in row ? row.problem : accounts.add(row, key ?? '', serviceKey);
    if (problem === undefined) continue;
    counts.unread++;
    if (firstUnread === undefined || row.line < firstUnread.line) firstUnread = { line: row.line, problem };
    await write(csvRow(['', '', '', '', '', '', '', '', '', String(row.line), problem]));
    if (key !== undefined) accounts.unread.add(key);
  }
  const isWithoutStatements = !accounts.types.has('STATEMENT');
  const types = AMOUNT_TYPES.filter((type) => type !== 'STATEMENT' || !isWithoutStatements);
  const totals = types.map((type) => ({ type, ledger: new AmountTotal(), extract: new AmountTotal() }));
  const list = (difference: ExtractDifference) => {
    if (found++ < listed) first.push(difference);
  };
  /** Returns whether all types are the same, and writes those that are not. */
  const compare = async (
    names: Names,
    { ledger = NONE, extract = NONE }: { ledger?: AccountSums; extract?: AccountSums | undefined },
    problem: AmountDifference['problem'],
  ): Promise<boolean> => {
    let isSame = true;
    for (const { type, ...total } of totals) {
      const [one, other] = [ledger(type), extract(type)];
      if (one.count + other.count === 0) continue;
      total.ledger.add(one);
      total.extract.add(other);
      if (isEqual(one, other)) continue;
      isSame = false;
      const sums = [String(one.count), { decimal: one.sum }, String(other.count), { decimal: other.sum }] as const;
      const rest = differenceOf(other.sum, one.sum);
      await write(csvRow([...names, type, ...sums, { decimal: rest }, '', problem]));
      if (one.count > 0 && other.count > 0) counts.bothDiffer++;
      const way = wayOf(one.sum, other.sum);
      if (way !== undefined) ways[way]++;
      const [supplier] = names;
      list({ problem, supplier, account: accountOf(names), type, ledger: one, extract: other, difference: rest });
    }
    return isSame;
  };
  for await (const record of ledger.list({ kind: 'account' })) {
    const own = keys.ofRecord(record);
    if (own.some((key) => accounts.unread.has(key))) {
      counts.withUnreadRow++;
      continue;
    }
    const index = accounts.indexOf(own);
    const inExtract = index === undefined ? undefined : accounts.sumsOf(index);
    const names = [record.supplier, record.number, record.serviceNumber] as const;
    const confirmed = confirmedOf(record);
    const isSame = await compare(
      names,
      { ledger: confirmed, extract: inExtract },
      inExtract === undefined ? 'not in the extract' : 'different',
    );
    const other = index === undefined ? undefined : accounts.otherNumberOf(index, record);
    if (other !== undefined) {
      const problem = 'another service account number';
      await write(csvRow([...names, '', '', '', '', '', '', String(other.line), `${problem}: ${other.number}`]));
      const { supplier, number: account, serviceNumber } = record;
      list({ problem, supplier, account, ledger: serviceNumber, extract: other.number });
    }
    const shown = answersOf(record, { types, confirmed, extract: inExtract });
    counts.answered += shown.length;
    answers.push(...shown.slice(0, Math.max(0, listed - answers.length)));
    if (other !== undefined) counts.otherNumber++;
    else if (isSame) counts.same += inExtract === undefined ? 0 : 1;
    else if (inExtract === undefined) counts.notInExtract++;
    else if (isAllInDoubt(record, { types, confirmed, extract: inExtract })) counts.unknownInExtract++;
    else counts.different++;
  }
  const unknown: Names[] = [];
  for (const [key, inExtract] of accounts.unknown()) {
    const names = keys.namesIn(key);
    if (await compare(names, { extract: inExtract }, 'not in the ledger')) continue;
    counts.notInLedger++;
    unknown.push(names);
  }
  const { otherNumber, unknownInExtract, different, notInExtract, notInLedger } = counts;
  return {
    /** Rows of the extract. */
    rows: read,
    ...counts,
    /** Those of the accounts missing in the ledger whose number the ledger has with other zeros, letter case or signs. */
    otherwiseWritten: await countOtherwiseWritten(unknown, ledger),
    /** Number of accounts that differ. */
    differing: otherNumber + unknownInExtract + different + notInExtract + notInLedger,
    /** The first differences, by account and type, and the number of all; the first row that cannot be read, and the first unknown outcomes. */
    ...{ first, found, ...(firstUnread && { firstUnread }), answers, ways },
    /** Whether statements are left out, because the extract has none. */
    isWithoutStatements,
    /** Sums of the compared accounts by type; only types of either side. */
    totals: totals
      .map(({ type, ledger, extract }) => ({ type, ledger: ledger.total(), extract: extract.total() }))
      .filter(({ ledger, extract }) => ledger.count + extract.count > 0),
  };
}

type Names = readonly [supplier: string, external: string | null, service: string | null];

function accountOf([, external, service]: Names): string {
  return external ?? service ?? '';
}

/** Returns what gives the texts that identify the accounts by the columns of an extract. */
function accountKeys({ numberedBy, hasSupplier }: Pick<Extract, 'numberedBy' | 'hasSupplier'>) {
  const hasExternal = numberedBy.includes('external_account_number');
  const hasService = numberedBy.includes('service_account_number');
  /** The key of the external number first. */
  const ofRow = ({ supplier = '', external = '', service = '' }: AccountOfRow): string[] => {
    const ofSupplier = hasSupplier ? `${supplier}\n` : '';
    const keys = external === '' ? [] : [`${ofSupplier}${external}`];
    // No number of a cell begins with a line break.
    if (hasService && service !== '') keys.push(`${ofSupplier}${SERVICE}${service}`);
    return keys;
  };
  return {
    ofRow,
    ofRecord({ supplier, number, serviceNumber }: LedgerRecord): string[] {
      const external = hasExternal ? inCell(number) : '';
      return ofRow({ supplier: inCell(supplier), external, service: inCell(serviceNumber ?? '') });
    },
    namesIn(key: string): Names {
      const end = hasSupplier ? key.indexOf('\n') : -1;
      const [supplier, number] = [end < 0 ? '' : key.slice(0, end), key.slice(end + 1)];
      return number.startsWith(SERVICE) ? [supplier, null, number.slice(1)] : [supplier, number, null];
    },
  };
}

const SERVICE = '\n';

function isEqual(one: AmountSum, other: AmountSum): boolean {
  return one.count === other.count && one.sum === other.sum;
}

type Way = 'oppositeSign' | 'hundredfold' | 'hundredth';

/** Returns how the sum of the extract differs from that of the ledger, if it is one of the ways. */
function wayOf(ledger: string, extract: string): Way | undefined {
  if (ledger === '0' || extract === '0') return undefined;
  if (differenceOf('0', ledger) === extract) return 'oppositeSign';
  if (isSameDecimal(`${ledger}e2`, extract)) return 'hundredfold';
  return isSameDecimal(ledger, `${extract}e2`) ? 'hundredth' : undefined;
}

interface SumsOfAccount {
  types: readonly AmountType[];
  confirmed: AccountSums;
  extract: AccountSums | undefined;
}

/** Returns what the extract shows about each unknown step with amounts, and about an account that may not exist. */
function answersOf(record: LedgerRecord, { types, confirmed, extract }: SumsOfAccount): UnknownAnswer[] {
  const steps = unknownSteps(record);
  if (steps.size === 0) return [];
  const { supplier, number: account } = record;
  const inDoubt = sumsInDoubt(record.items);
  const found: UnknownAnswer[] = [];
  if (steps.has('process') && extract !== undefined) found.push({ supplier, account, step: 'process', as: null });
  for (const step of ['statements', 'transactions'] as const) {
    const ofStep = types.filter((type) => (type === 'STATEMENT') === (step === 'statements') && inDoubt[type]);
    if (!steps.has(step) || ofStep.length === 0) continue;
    const has = (sums: AccountSums) => ofStep.every((type) => isEqual(sums(type), (extract ?? NONE)(type)));
    const as = has(withDoubt(confirmed, inDoubt)) ? 'done' : has(confirmed) ? 'notDone' : null;
    found.push({ supplier, account, step, as });
  }
  return found;
}

function isAllInDoubt(record: LedgerRecord, { types, confirmed, extract = NONE }: SumsOfAccount): boolean {
  const expected = withDoubt(confirmed, sumsInDoubt(record.items));
  return types.every((type) => isEqual(expected(type), extract(type)));
}

function withDoubt(confirmed: AccountSums, inDoubt: AmountSums): AccountSums {
  return (type) => {
    const total = new AmountTotal();
    total.add(confirmed(type));
    total.add(inDoubt[type] ?? NOTHING);
    return total.total();
  };
}

/** Returns how many of the accounts the ledger has with other zeros, letter case or signs. */
async function countOtherwiseWritten(unknown: readonly Names[], ledger: Ledger): Promise<number> {
  if (unknown.length === 0) return 0;
  const plainOf = ([, external, service]: Names) =>
    external === null ? `${SERVICE}${plainNumber(service ?? '')}` : plainNumber(external);
  const plains = new Set(unknown.map(plainOf));
  const found = new Set<string>();
  for await (const { number, serviceNumber } of ledger.list({ kind: 'account' })) {
    for (const plain of [plainOf(['', number, null]), plainOf(['', null, serviceNumber])]) {
      if (plains.has(plain)) found.add(plain);
    }
  }
  return unknown.filter((names) => found.has(plainOf(names))).length;
}

const AMBIGUOUS = -1;

/** The accounts of the ledger and of the extract. Typed arrays, because an object for each sum would need several times the memory. */
class ExtractAccounts {
  readonly types = new Set<AmountType>();
  readonly #index = new Map<string, number>();
  #known = 0;
  #size = 0;
  #counts = new Uint32Array(1024);
  /** Sums of amounts with at most two decimals, in hundredths. */
  #hundredths = new Float64Array(1024);
  /** Sums of all other amounts. */
  readonly #others = new Map<number, DecimalSum>();
  /** Keys of accounts with a row that cannot be read. */
  readonly unread = new Set<string>();
  /** Service account numbers beside external ones that are not those of one and the same account, each with its first line. */
  readonly #otherNumbers = new Map<number, Map<string, { key: string; line: number }>>();

  addKnown(keys: readonly string[]): void {
    for (const key of keys) this.#index.set(key, this.#index.has(key) ? AMBIGUOUS : this.#known);
    this.#known = ++this.#size;
  }

  /** Returns why the row belongs to no account; undefined if it is added. `serviceKey`: of a row with both numbers. */
  add(row: ExtractRow, key: string, serviceKey: string | undefined): string | undefined {
    const { type, count, amount, external = '', service = '' } = row;
    let index = this.#index.get(key);
    if (index === undefined) {
      if (isScientificNotation(external || service)) return roundedIn('the account number');
      index = this.#size++;
      this.#index.set(key, index);
    }
    if (index === AMBIGUOUS) return 'several accounts of the ledger have this number; add the column import_supplier';
    const other = serviceKey && this.#index.get(serviceKey);
    if (serviceKey !== undefined && other !== index && index < this.#known) {
      if (other === undefined && isScientificNotation(service)) return roundedIn('service_account_number');
      const numbers = this.#otherNumbers.get(index) ?? new Map<string, { key: string; line: number }>();
      this.#otherNumbers.set(index, numbers);
      if (!numbers.has(service)) numbers.set(service, { key: serviceKey, line: row.line });
    }
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

  /** Returns the place of an account of the ledger; undefined if others have all of its numbers. */
  indexOf(keys: readonly string[]): number | undefined {
    return keys.map((key) => this.#index.get(key)).find((index) => index !== undefined && index !== AMBIGUOUS);
  }

  /** Returns a service account number that the extract has for the account, and that is not its own. */
  otherNumberOf(index: number, { serviceNumber }: LedgerRecord): { number: string; line: number } | undefined {
    for (const [number, { key, line }] of this.#otherNumbers.get(index) ?? []) {
      // An account whose number the ledger does not know may have any that no other one has.
      const isOther = serviceNumber === null ? this.#index.has(key) : number !== inCell(serviceNumber);
      if (isOther) return { number, line };
    }
    return undefined;
  }

  *unknown(): Generator<[key: string, sums: AccountSums]> {
    for (const [key, index] of this.#index) {
      const sums = index < this.#known ? undefined : this.sumsOf(index);
      if (sums !== undefined) yield [key, sums];
    }
  }

  /** undefined if the extract has no row of the account. */
  sumsOf(index: number): AccountSums | undefined {
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
