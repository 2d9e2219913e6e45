/** Exports `queryText`: a query for exports. Every column of the first one is matched to a field or listed as unmatched. */

import { isVisible, jsonText, sqlName, sqlText } from './literals.js';
import { latestYearOf, type RecordSettings } from './mapping-text.js';
import type { ColumnMatches, MatchedColumn } from './match-columns.js';
import { type ExportFile, valuesOf } from './read-export.js';
import { type FieldCode, fieldCodes, recordCode, remarkOn, SQL } from './record-code.js';
import { areParsed, dateForm, supplyTypes } from './value-forms.js';

/** Returns the text of the query. `others`: exports that the user joins by hand. */
export function queryText(
  file: ExportFile,
  others: readonly ExportFile[],
  matches: ColumnMatches,
  { supplier, region, latestYear }: RecordSettings,
): string {
  const codes = fieldCodes(supplier, matches, (match) => fieldCode(file, match, region, latestYear), sqlText);
  return [
    ...[file, ...others].map(
      ({ table, path, encoding }) => `-- source ${table}: ${jsonText(path)}, encoding ${encoding}`,
    ),
    '-- Each row of the result is one record. Compare each field with the export.',
    'SELECT {',
    ...recordCode(codes, 'account', 4, SQL),
    '  } AS account',
    `FROM ${tableCode(file)}`,
    ...(matches.unmatched.length === 0
      ? []
      : [
          '-- Columns without a field. Add them above, or leave them out:',
          ...matches.unmatched.map((column) => `--   ${jsonText(column)}${remarkOn(column, ':')}`),
        ]),
    ...others.flatMap(({ table, columns }) => [
      `-- Join ${table} by the column that both files have. Its columns:`,
      ...columns.map(({ name }) => `--   ${jsonText(name)}`),
    ]),
    '',
  ].join('\n');
}

/** Returns the table, with other names for its columns if one cannot be written in SQL. */
function tableCode({ table, columns }: ExportFile): string {
  if (columns.every(({ name }) => isVisible(name))) return sqlName(table);
  return `${sqlName(table)} AS ${sqlName(table)} (${columns.map(({ name }) => columnCode(name, columns)).join(', ')})`;
}

function columnCode(column: string, columns: ExportFile['columns']): string {
  return sqlName(isVisible(column) ? column : `column_${columns.findIndex(({ name }) => name === column) + 1}`);
}

/** The forms that DuckDB and its functions of this package read: others are texts that the check reports. */
const DATES: Readonly<Record<string, (cell: string, latestYear: number) => string>> = {
  'YYYY-MM-DD': (cell) => cell,
  'DD/MM/YYYY': (cell) => `date_dmy(${cell})`,
  'DD.MM.YYYY': (cell) => `date_dmy(${cell})`,
  'DD-MM-YYYY': (cell) => `date_dmy(${cell})`,
  'DD/MM/YY': (cell, latestYear) => `date_dmyy(${cell}, ${latestYear})`,
  'DD.MM.YY': (cell, latestYear) => `date_dmyy(${cell}, ${latestYear})`,
};

const STRPTIME: Readonly<Record<string, string>> = { YYYY: '%Y', MM: '%m', DD: '%d' };

function dateCode(cell: string, form: string, latestYear: number): string {
  // They read one digit and two digits alike.
  const padded = form.replace(/D+/, 'DD').replace(/M+/, 'MM');
  const known = DATES[padded];
  if (known !== undefined) return known(cell, latestYear);
  const format = padded.replace(/YYYY|MM|DD/g, (part) => STRPTIME[part] ?? part);
  // A text without this form stays as it is, so that the check names it.
  return `coalesce(strftime(try_strptime(${cell}, '${format}'), '%Y-%m-%d'), ${cell})`;
}

function fieldCode(file: ExportFile, match: MatchedColumn, region: string | undefined, latestYear: number): FieldCode {
  const {
    column,
    field: { kind },
  } = match;
  const values = valuesOf(file, column);
  const cell = columnCode(column, file.columns);
  if (kind === 'date') {
    const { form, remark } = dateForm(values);
    return { code: dateCode(cell, form, latestYearOf(match, latestYear)), remark };
  }
  if (kind === 'phone' && areParsed(values, region)) return { code: `phone_e164(${cell}, ${sqlText(region ?? '')})` };
  if (kind === 'supplyType' && values.some((value) => value !== 'ELECTRICITY' && value !== 'GAS')) {
    const cases = [...supplyTypes(values)].flatMap(([value, type]) =>
      type === undefined ? [] : [` WHEN ${sqlText(value)} THEN '${type}'`],
    );
    return { code: cases.length === 0 ? cell : `CASE ${cell}${cases.join('')} ELSE ${cell} END` };
  }
  return { code: cell };
}
