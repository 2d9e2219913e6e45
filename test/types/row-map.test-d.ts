/** The type of the row that a mapping function receives. */
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
