/** The type of the row that a mapping function receives. */
import type { Account, ImportRecord, Transaction } from 'data-import-sdk';
import { keepInvalid, omitEmpty, parseDate, parseDecimal } from 'data-import-sdk/mapping';
import { type CsvRow, openInput, type RowMap } from 'data-import-sdk/migration';
import { expectTypeOf, it } from 'vitest';

it('a column is text by its name, and an optional one may be missing', () => {
  expectTypeOf<CsvRow[string]>().toEqualTypeOf<string>();
  expectTypeOf<CsvRow['get']>().toBeCallableWith('Phone');
  expectTypeOf<ReturnType<CsvRow['get']>>().toEqualTypeOf<string | undefined>();
});

it('a mapping that names its columns gets text of each, and does not compile with another one', () => {
  const map: RowMap<'Number' | 'Name'> = (row, { file, line }) => {
    expectTypeOf(row.Number).toEqualTypeOf<string>();
    expectTypeOf(row.get('Phone')).toEqualTypeOf<string | undefined>();
    expectTypeOf(file).toEqualTypeOf<string>();
    expectTypeOf(line).toEqualTypeOf<number>();
    // @ts-expect-error Nmae
    row.Nmae;
    return { account: { import_supplier: 'S', external_account_number: row.Number } };
  };
  expectTypeOf(openInput).toBeCallableWith(['a.csv'], { map });
  expectTypeOf(map).toExtend<RowMap>();
});

it('a function of a plain object of texts is a mapping as well', () => {
  const map = (row: Record<string, string>) => ({
    account: { import_supplier: 'S', external_account_number: row['Number'] ?? '' },
  });
  expectTypeOf(map).toExtend<RowMap>();
  expectTypeOf(openInput).toBeCallableWith(['a.csv'], { map });
});

it('a mapping returns records, or nothing for a row that holds none', () => {
  expectTypeOf<undefined>().toExtend<ReturnType<RowMap>>();
  // @ts-expect-error a promise of a record
  const map: RowMap = async () => ({ account: { import_supplier: 'S', external_account_number: 'A-1' } });
  expectTypeOf(map).toBeFunction();
});

declare const number: string;
declare const isDebt: boolean;
const decimal = keepInvalid(parseDecimal);
type Result = ReturnType<RowMap>;

it('a mapping that names its result has the fields of the records, also in omitEmpty and with values that keepInvalid leaves', () => {
  const account: Account = { import_supplier: 'S', external_account_number: number };
  const business = { import_supplier_code: 'S', external_business_identifier: number, business: {} };
  const transactions: Transaction[] = [];
  expectTypeOf((): ImportRecord => ({ account, transactions })).toExtend<RowMap>();
  expectTypeOf((): ImportRecord[] => omitEmpty([{ business }, { account }])).toExtend<RowMap>();
  expectTypeOf((): Result => {
    const type = isDebt ? 'CHARGE' : 'CREDIT';
    return omitEmpty({ account, transactions: [{ type, amount: decimal(number, ',') }] });
  }).toExtend<RowMap>();
  expectTypeOf((): ImportRecord | undefined => ({
    account: omitEmpty({
      import_supplier: 'S',
      external_account_number: number,
      supply_addresses: [{ supply_points: [{ supply_type: isDebt ? 'GAS' : 'ELECTRICITY' }] }],
    }),
  })).toExtend<RowMap>();
});

it('a mapping that names its result does not compile with a misspelt field', () => {
  const account = { import_supplier: 'S', external_account_number: number };
  return [
    // @ts-expect-error custmers
    (): ImportRecord => ({ account: { ...account, custmers: [] } }),
    // @ts-expect-error custmers
    (): ImportRecord => ({ account: omitEmpty({ ...account, custmers: [] }) }),
    // @ts-expect-error custmers
    (): ImportRecord | undefined => ({ account: omitEmpty({ ...account, custmers: [] }) }),
    // @ts-expect-error custmers
    (): ImportRecord[] => [{ account: { ...account, custmers: [] } }],
    // @ts-expect-error custmers
    (): Result => omitEmpty([{ account: { ...account, custmers: [] } }]),
    // @ts-expect-error transaction
    (): Result => ({ account, transaction: [] }),
    // @ts-expect-error transaction
    (): ImportRecord => omitEmpty({ account, transaction: [] }),
    // @ts-expect-error ammount
    (): Result => omitEmpty({ account, transactions: [{ type: 'CHARGE', ammount: 1 }] }),
  ];
});

it('a record is of one kind: fields of another do not compile', () => {
  const account = { import_supplier: 'S', external_account_number: number };
  const business = { import_supplier_code: 'S', external_business_identifier: number, business: {} };
  return [
    // @ts-expect-error two kinds
    (): ImportRecord => ({ account, business }),
    // @ts-expect-error transactions of a business
    (): ImportRecord => ({ business, transactions: [{ type: 'CHARGE' }] }),
    // @ts-expect-error an account of supply points
    (): ImportRecord => ({ populate: { prm_ids: [] }, account }),
    // @ts-expect-error items of supply points
    (): ImportRecord => ({ populate: { prm_ids: [] }, notes: [] }),
  ];
});

it('what keepInvalid leaves is no number outside of a field, and the fields of what omitEmpty returns may be missing', () => {
  expectTypeOf(decimal(number, ',')).toEqualTypeOf<string | number | undefined>();
  // @ts-expect-error a text
  isDebt || decimal(number, ',') < 0;
  // @ts-expect-error a number is no identifier
  const transaction: Transaction = { type: 'CHARGE', transaction_id: decimal(number, ',') };
  // @ts-expect-error a text is no amount
  const dated: Transaction = { type: 'CHARGE', amount: keepInvalid(parseDate)(number, 'DD/MM/YYYY') };
  expectTypeOf(omitEmpty({ a: { b: '' } })).toEqualTypeOf<object>();
  return [transaction, dated];
});
