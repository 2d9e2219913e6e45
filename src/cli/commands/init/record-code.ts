/** Exports `recordCode` and others: the code that builds a record from the columns of an export, as JavaScript or as SQL. */
import { type ColumnMatches, FIELDS_OF_EXPORT } from './match-columns.js';

/** The code of a value, and a remark for the user. */
export interface FieldCode {
  code: string;
  remark?: string | undefined;
}

/** The code of each field, by its path in the record such as `account.customers.0.email`. */
export type FieldCodes = ReadonlyMap<string, FieldCode>;

const NUMBER = 'account.external_account_number';
const ADDRESS = 'account.supply_addresses.0';
const POINT = `${ADDRESS}.supply_points.0`;

/** The address of an export with one address. */
const SAME_ADDRESS = [
  ['account.billing_address1', `${ADDRESS}.supply_address1`],
  ['account.billing_address2', `${ADDRESS}.supply_address2`],
  ['account.billing_address3', `${ADDRESS}.supply_address3`],
  ['account.billing_postcode', `${ADDRESS}.supply_postcode`],
] as const;

/**
 * Returns the code of the fields of an account in the order of the payload. `text`: a text in the language. An export with one address
 * supplies energy there.
 */
export function fieldCodes(
  supplier: string,
  matches: ColumnMatches,
  codeOf: (match: ColumnMatches['matched'][number]) => FieldCode,
  text: (value: string) => string,
): FieldCodes {
  const codes = new Map(matches.matched.map((match) => [match.field.path, codeOf(match)]));
  const hasAddress = [...codes.keys()].some((path) => path.startsWith(`${ADDRESS}.`) && !path.startsWith(POINT));
  if (codes.has(`${POINT}.identifier`)) {
    for (const [from, to] of hasAddress ? [] : SAME_ADDRESS) {
      const code = codes.get(from);
      if (code !== undefined) codes.set(to, code);
    }
    if (!codes.has(`${POINT}.supply_type`)) {
      codes.set(`${POINT}.supply_type`, {
        code: text('ELECTRICITY'),
        remark: 'no column matched: ELECTRICITY or GAS?',
      });
    }
  }
  if (!codes.has(NUMBER)) codes.set(NUMBER, { code: text(''), remark: 'no column matched: name the column' });
  codes.set('account.import_supplier', { code: text(supplier) });
  const paths = ['account.import_supplier', ...FIELDS_OF_EXPORT.map(({ path }) => path)];
  return new Map(paths.flatMap((path) => (codes.has(path) ? [[path, codes.get(path) as FieldCode]] : [])));
}

/** How the lines of an object are written. */
interface Syntax {
  /** Begins a comment. */
  comment: '//' | '--';
  /** After the last field. */
  afterLast: ',' | '';
}

export const JAVASCRIPT: Syntax = { comment: '//', afterLast: ',' };
export const SQL: Syntax = { comment: '--', afterLast: '' };

/** Returns the lines of the object at a path, without its braces. `indent`: number of spaces. */
export function recordCode(codes: FieldCodes, path: string, indent: number, syntax: Syntax): string[] {
  const names = new Set(
    [...codes.keys()]
      .filter((one) => one.startsWith(`${path}.`))
      .map((one) => one.slice(path.length + 1).split('.')[0]),
  );
  const space = ' '.repeat(indent);
  return [...names].flatMap((name, index) => {
    const at = `${path}.${name}`;
    const comma = index === names.size - 1 ? syntax.afterLast : ',';
    const value = codes.get(at);
    if (value !== undefined) {
      const remark = value.remark === undefined ? '' : ` ${syntax.comment} ${value.remark}`;
      return [`${space}${name}: ${value.code}${comma}${remark}`];
    }
    return [
      `${space}${name}: [`,
      `${space}  {`,
      ...recordCode(codes, `${at}.0`, indent + 4, syntax),
      `${space}  }${syntax.afterLast}`,
      `${space}]${comma}`,
    ];
  });
}

/** Says which columns are items of a record: an account has no field for them. `before`: of a remark. */
export function remarkOn(column: string, before: string): string {
  const item = ITEMS.find(([words]) => words.test(column))?.[1];
  return item === undefined ? '' : `${before} ${item} (docs/input.md, Items)`;
}

const ITEMS = [
  [/saldo|solde|balance|kontostand/i, 'an opening balance is a transaction'],
  [/bemerk|remar|notes?$|comment|observ/i, 'a remark is a note'],
] as const;
