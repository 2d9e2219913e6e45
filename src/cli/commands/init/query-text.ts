/** Exports `queryText`: a query for exports. Every column is matched to a field or listed as unmatched. */
import { isVisible, jsonText, sqlName, sqlText } from './literals.js';
import { inOrder, isTranslated, latestYearOf, nameOf, type RecordSettings } from './mapping-text.js';
import { type ExportFile, valuesOf } from './read-export.js';
import { type FieldCode, fieldCodes, type Language, leftColumns, recordCode, typeCode } from './record-code.js';
import type { Plan, PlannedColumn, Related } from './related-exports.js';
import { areParsed, dateForm, supplyTypes } from './value-forms.js';

/** Returns the text of the query. */
export function queryText(plan: Plan, settings: RecordSettings): string {
  const { file, related } = plan;
  const isJoined = related.some(({ isUsed }) => isUsed);
  const language = sql(isJoined, settings);
  const points = related.find((one) => one.points.length > 0);
  const list = points && `${pointsTable(points)}.supply_points`;
  const left = leftColumns(plan);
  return [
    ...[plan, ...related].map(
      ({ file: { table, path, encoding, skipLines } }) =>
        `-- source ${table}: ${jsonText(path)}, encoding ${encoding}${skipLines === 0 ? '' : `, skipLines ${skipLines}`}`,
    ),
    '-- Each row of the result is one record. Compare each field with the export.',
    ...(points === undefined ? [] : pointsCode(points, plan, settings)),
    'SELECT {',
    ...recordCode(fieldCodes(settings.supplier, plan, language, list), 'account', 4, language),
    '  } AS account',
    `FROM ${tableCode(file)}`,
    ...related.flatMap((one) => joinCode(one, file)),
    ...(left.length === 0 ? [] : ['-- Columns without a field. Add them above, or leave them out:']),
    ...left.map(
      ({ file: table, column, remark }) =>
        `--   ${table === file.table ? '' : `${table}: `}${jsonText(column.trim())}${remark === undefined ? '' : `: ${remark}`}`,
    ),
    '',
  ].join('\n');
}

function sql(isJoined: boolean, settings: RecordSettings): Language {
  return {
    comment: '--',
    afterLast: '',
    text: sqlText,
    field: (match) => fieldCode(match, isJoined, settings),
    points: ['list_filter(', ', lambda point: point.identifier IS NOT NULL)'],
  };
}

/** No source has a name with a space. */
function pointsTable({ file }: Related): string {
  return sqlName(`points of ${file.table}`);
}

function pointsCode(related: Related, { supplyType }: Plan, settings: RecordSettings): string[] {
  const { file, points, key } = related;
  const fields = points.map((match) => `${nameOf(match)}: ${fieldCode(match, false, settings).code}`);
  if (!points.some((match) => nameOf(match) === 'supply_type'))
    fields.push(`supply_type: ${typeCode(supplyType, sqlText).code}`);
  return [
    `WITH ${pointsTable(related)} AS (`,
    `  SELECT ${columnCode(key?.column ?? '', file)} AS key, json_list({ ${fields.join(', ')} }) AS supply_points`,
    `  FROM ${tableCode(file)} GROUP BY ALL)`,
  ];
}

function joinCode(related: Related, first: ExportFile): string[] {
  const { file, key, isUsed, points } = related;
  if (key === undefined)
    return [
      `-- Join ${file.table} by a column that both files have: none was found. Until it makes a field, check rejects it.`,
    ];
  const remark = key.remark === undefined ? '' : ` -- ${key.remark}`;
  const own = `${sqlName(first.table)}.${columnCode(key.inFirst, first)}`;
  if (points.length > 0) return [`LEFT JOIN ${pointsTable(related)} ON ${pointsTable(related)}.key = ${own}${remark}`];
  if (isUsed)
    return [`LEFT JOIN ${tableCode(file)} ON ${sqlName(file.table)}.${columnCode(key.column, file)} = ${own}${remark}`];
  return [
    `-- ${file.table} makes no field, and check rejects it until it does: make items of its rows with json_list (docs/sql-input.md), and join them:`,
    `--   ${jsonText(key.column.trim())} of ${file.table} is ${jsonText(key.inFirst.trim())} of ${first.table}${remark}`,
  ];
}

/** Returns the table, with other names for its columns if one cannot be written in SQL. */
function tableCode(file: ExportFile): string {
  const { table, columns } = file;
  if (columns.every(({ name }) => isVisible(name))) return sqlName(table);
  return `${sqlName(table)} AS ${sqlName(table)} (${columns.map(({ name }) => columnCode(name, file)).join(', ')})`;
}

/** A table of a file has the names of its header without spaces around them. */
function columnCode(column: string, { columns }: ExportFile): string {
  return sqlName(isVisible(column) ? column.trim() : `column_${columns.findIndex(({ name }) => name === column) + 1}`);
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
  return `date_as(${cell}, '${padded.replace(/YYYY|MM|DD/g, (part) => STRPTIME[part] ?? part)}')`;
}

function fieldCode(match: PlannedColumn, isJoined: boolean, { region, latestYear }: RecordSettings): FieldCode {
  const {
    file,
    column,
    house,
    field: { kind },
  } = match;
  const values = valuesOf(file, column);
  const cellOf = (name: string) => `${isJoined ? `${sqlName(file.table)}.` : ''}${columnCode(name, file)}`;
  const cell = cellOf(column);
  if (house !== undefined) {
    return { code: `nullif(concat_ws(' ', ${inOrder(file, [column, house]).map(cellOf).join(', ')}), '')` };
  }
  if (kind === 'date') {
    const { form, remark } = dateForm(values);
    return { code: dateCode(cell, form, latestYearOf(match, latestYear)), remark };
  }
  if (kind === 'phone' && areParsed(values, region)) return { code: `phone_e164(${cell}, ${sqlText(region ?? '')})` };
  if (isTranslated(match)) {
    const cases = [...supplyTypes(values)].flatMap(([value, type]) =>
      type === undefined ? [] : [` WHEN ${sqlText(value)} THEN '${type}'`],
    );
    return { code: cases.length === 0 ? cell : `CASE trim(${cell})${cases.join('')} ELSE ${cell} END` };
  }
  return { code: cell };
}
