/**
 * Exports `readExtract`, which reads the operator's extract: a CSV file with a row for each transaction, or for each account and type with
 * their number.
 */
import { closestName } from '../../../validation/known-names.js';
import { lookLikeData } from '../../input/csv/csv-row.js';
import { openSheet } from '../../input/csv/edited-csv.js';
import { InputError } from '../../input/input-error.js';
import { AMOUNT_TYPES, type AmountType } from '../../ledger/amounts.js';
import { isDecimal } from '../../shared/decimal.js';

/** Amounts of an account in the extract. */
export interface ExtractRow {
  line: number;
  /** undefined if the extract has no column for it. */
  supplier: string | undefined;
  /** The external or the service account number, as the header says. */
  account: string;
  type: AmountType;
  /** Number of transactions. */
  count: number;
  /** Their sum: a decimal in text. */
  amount: string;
}

/** A row that cannot be read. `problem`: without values of the row. */
export interface UnreadRow {
  line: number;
  problem: string;
  /** The account, if the row names one. */
  supplier?: string | undefined;
  account?: string;
}

export interface Extract {
  /** Which number identifies the accounts. */
  numberedBy: 'external_account_number' | 'service_account_number';
  hasSupplier: boolean;
  rows: AsyncIterable<ExtractRow | UnreadRow>;
}

const NUMBERS = ['external_account_number', 'service_account_number'] as const;
const COLUMNS = `${NUMBERS.join(' or ')}, type and amount; optional: import_supplier, count`;
const EXPECTED = `expected a header with ${COLUMNS}`;

/** Opens the file and reads its header. Rejects with an `InputError` that names the missing column. */
export async function readExtract(path: string, encoding?: string): Promise<Extract> {
  const { header, rows } = await openSheet(path, encoding);
  if (header === undefined) throw new InputError(`${path}: it has no line; ${EXPECTED}.`);
  const numberedBy = NUMBERS.find((name) => header.includes(name));
  if (numberedBy === undefined) throw missingColumn(path, NUMBERS[0], header);
  for (const name of ['type', 'amount']) if (!header.includes(name)) throw missingColumn(path, name, header);
  const hasSupplier = header.includes('import_supplier');
  const amountOf = createAmountReader();
  async function* read(): AsyncGenerator<ExtractRow | UnreadRow> {
    for await (const { line, cell, isWhole } of rows) {
      if (!isWhole) {
        yield { line, problem: `expected ${header?.length} fields, as in the header` };
        continue;
      }
      const [account, type, amount] = [cell(numberedBy ?? ''), cell('type'), cell('amount')];
      if (account === '') {
        yield { line, problem: `expected an account number in ${numberedBy}` };
        continue;
      }
      const supplier = hasSupplier ? cell('import_supplier') : undefined;
      const count = header?.includes('count') ? countOf(cell('count')) : 1;
      const decimal = amountOf(amount);
      const unread = (problem: string): UnreadRow => ({ line, problem, supplier, account });
      if (!TYPES.has(type)) yield unread(`expected one of ${AMOUNT_TYPES.join(', ')} in type`);
      else if ('problem' in decimal) yield unread(decimal.problem);
      else if (count === undefined) yield unread('expected a whole number above 0 in count');
      else yield { line, supplier, account, type: type as AmountType, count, amount: decimal.amount };
    }
  }
  return { numberedBy, hasSupplier, rows: read() };
}

const TYPES: ReadonlySet<string> = new Set(AMOUNT_TYPES);

/** A comma before the decimals, with or without groups of three digits, as `1.234,50` and `-12,5`. */
const WITH_COMMA = /^([+-]?(?:\d+|\d{1,3}(?:[. \u00a0\u202f]\d{3})+)),(\d+)$/;
/** Groups of three digits separated by commas, and decimals after a point: `1,234.50`. */
const WITH_GROUPS = /^[+-]?\d{1,3}(?:,\d{3})+\.\d+$/;
/** One group of three digits after a mark: thousands, or three decimals. */
const UNCLEAR = /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/;

const NO_AMOUNT = { problem: 'expected a number such as 1234.50 or 1234,50 in amount' };

/**
 * Returns a function that reads an amount as a decimal with a point. A text that may mean two numbers is none: `1,234`, and `1.234` after
 * an amount with a decimal comma.
 */
function createAmountReader(): (text: string) => { amount: string } | { problem: string } {
  let hasComma = false;
  return (text) => {
    if (isDecimal(text) && !(hasComma && UNCLEAR.test(text))) return { amount: text };
    if (UNCLEAR.test(text)) {
      const problem = 'three digits after the mark in amount may be thousands or decimals; expected 1234.00 or 1.2340';
      return { problem };
    }
    const [, whole, decimals] = WITH_COMMA.exec(text) ?? [];
    if (whole !== undefined) {
      hasComma = true;
      return { amount: `${whole.replaceAll(/[^\d+-]/g, '')}.${decimals}` };
    }
    return WITH_GROUPS.test(text) ? { amount: text.replaceAll(',', '') } : NO_AMOUNT;
  };
}

function countOf(text: string): number | undefined {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
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
