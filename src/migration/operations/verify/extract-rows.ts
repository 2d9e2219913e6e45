/**
 * Exports `readExtract`, which reads the operator's extract: a CSV file with a row for each transaction, or for each account and type with
 * their number.
 */
import { closestName } from '../../../validation/known-names.js';
import { lookLikeData } from '../../input/csv/csv-row.js';
import { openSheet, type SheetRow } from '../../input/csv/edited-csv.js';
import { type DecimalMark, readingsOf } from '../../input/csv/mapping/parse-decimal.js';
import { InputError } from '../../input/input-error.js';
import { AMOUNT_TYPES, type AmountType } from '../../ledger/amounts.js';
import { hundredthsOf, isDecimal } from '../../shared/decimal.js';

/** The account of a row: at least one of its numbers. */
export interface AccountOfRow {
  /** undefined if the extract has no column for it. */
  supplier?: string | undefined;
  /** Empty, or left out, if the row has none. */
  external?: string;
  service?: string;
}

/** Amounts of an account in the extract. */
export interface ExtractRow extends AccountOfRow {
  line: number;
  type: AmountType;
  /** Number of transactions. */
  count: number;
  /** Their sum: a decimal in text. */
  amount: string;
}

/** A row that cannot be read. `problem`: without values of the row. */
export interface UnreadRow extends AccountOfRow {
  line: number;
  problem: string;
}

const NUMBERS = ['external_account_number', 'service_account_number'] as const;

export type Extract = Awaited<ReturnType<typeof readExtract>>;

const COLUMNS = `${NUMBERS.join(' or ')}, type and amount; optional: import_supplier, count`;
const EXPECTED = `expected a header with ${COLUMNS}`;

/** Opens the file and reads its header. Rejects with an `InputError` for a header that cannot be used. */
export async function readExtract(path: string, encoding?: string) {
  const { header, rows } = await openSheet(path, encoding);
  if (header === undefined) throw new InputError(`${path}: it has no line; ${EXPECTED}.`);
  /** The columns that the extract has. */
  const numberedBy: readonly (typeof NUMBERS)[number][] = NUMBERS.filter((name) => header.includes(name));
  if (numberedBy.length === 0) throw missingColumn(path, NUMBERS[0], header);
  for (const name of ['type', 'amount']) if (!header.includes(name)) throw missingColumn(path, name, header);
  const hasSupplier = header.includes('import_supplier');
  const columns = { hasSupplier, hasCount: header.includes('count'), numberedBy };
  async function* read(): AsyncGenerator<ExtractRow | UnreadRow> {
    const amounts = new AmountReader();
    for await (const row of rows) {
      const found = rowOf(row, columns, (text) => amounts.read(text));
      if (found !== undefined) yield found;
    }
    if (!amounts.hasUnclear) return;
    // Any row may show the decimal mark of the file.
    const again = await openSheet(path, encoding);
    for await (const row of again.rows) {
      const found = rowOf(row, columns, (text) => amounts.readUnclear(text));
      if (found !== undefined) yield found;
    }
  }
  /** `rows`: in any order. */
  return { numberedBy, hasSupplier, rows: read() };
}

type Columns = Pick<Extract, 'numberedBy' | 'hasSupplier'> & { hasCount: boolean };

type Amount = { amount: string } | { problem: string };

/** Returns the row; undefined if `amountOf` returns undefined. */
function rowOf(
  { line, cell, flaw }: SheetRow,
  { hasSupplier, hasCount, numberedBy }: Columns,
  amountOf: (text: string) => Amount | undefined,
): ExtractRow | UnreadRow | undefined {
  const decimal = amountOf(cell('amount'));
  if (decimal === undefined) return undefined;
  if (flaw !== undefined) return { line, problem: flaw.replace(/\.$/, '') };
  const supplier = hasSupplier ? cell('import_supplier') : undefined;
  const [external, service] = [cell('external_account_number'), cell('service_account_number')];
  const [type, countText] = [cell('type'), hasCount ? cell('count') : '1'];
  const count = /^[1-9]\d{0,8}$/.test(countText) ? Number(countText) : undefined;
  const unread = (problem: string): UnreadRow => ({ line, supplier, external, service, problem });
  if (external === '' && service === '') return unread(`expected an account number in ${numberedBy.join(' or ')}`);
  if (supplier === '') return unread('expected the code of the supplier in import_supplier');
  if (!TYPES.has(type)) return unread(`expected one of ${AMOUNT_TYPES.join(', ')} in type`);
  if ('problem' in decimal) return unread(decimal.problem);
  if (count === undefined) {
    return unread(EXPONENT.test(countText) ? roundedIn('count') : 'expected a whole number above 0 in count');
  }
  return { line, supplier, external, service, type: type as AmountType, count, amount: decimal.amount };
}

const TYPES: ReadonlySet<string> = new Set(AMOUNT_TYPES);

const EXPONENT = /\dE[+-]?\d/i;

/** The problem of a number in scientific notation. */
export function roundedIn(column: string): string {
  return `a spreadsheet has written ${column} in scientific notation, such as 6.32773E+15, and its last digits are lost; export the column as text`;
}

const NO_AMOUNT = { problem: 'expected a number such as 1234.50 or 1234,50 in amount' };
const UNCLEAR = {
  problem: 'three digits after the mark in amount may be thousands or decimals; expected 1234.00 or 1.2340',
};

/** Reads amounts as decimals with a point. What may be two numbers, such as `1.234`, is read when all others have shown their marks. */
class AmountReader {
  hasUnclear = false;
  readonly #marks = new Set<DecimalMark>();

  /** Returns undefined for an amount that may be two numbers. */
  read(text: string): Amount | undefined {
    if (hundredthsOf(text) !== undefined) {
      if (text.includes('.')) this.#marks.add('.');
      return { amount: text };
    }
    const [reading, other] = readingsOf(text);
    if (other !== undefined) {
      this.hasUnclear = true;
      return undefined;
    }
    if (reading === undefined || !isDecimal(reading.decimal)) {
      return EXPONENT.test(text) ? { problem: roundedIn('amount') } : NO_AMOUNT;
    }
    if (reading.mark !== undefined) this.#marks.add(reading.mark);
    return { amount: reading.decimal };
  }

  /** Returns undefined for an amount that `read` has returned. Its mark is that of the decimals if all others have only this one. */
  readUnclear(text: string): Amount | undefined {
    if (hundredthsOf(text) !== undefined) return undefined;
    const readings = readingsOf(text);
    if (readings.length < 2) return undefined;
    const [mark] = this.#marks.size === 1 ? this.#marks : [];
    const reading = mark !== undefined && text.includes(mark) ? readings.find((one) => one.mark === mark) : undefined;
    return reading === undefined ? UNCLEAR : { amount: reading.decimal };
  }
}

function missingColumn(path: string, name: string, header: readonly string[]): InputError {
  if (lookLikeData(header)) {
    return new InputError(`${path}: the first line looks like data and not like a header; ${EXPECTED}.`);
  }
  const closest = closestName(name, header);
  const remedy = closest === undefined ? '' : ` Rename ${closest} to ${name}.`;
  return new InputError(
    `${path}: no column ${name}; its columns are ${header.join(', ')}.${remedy} It needs ${COLUMNS}.`,
  );
}
