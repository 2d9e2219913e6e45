/** Exports `queryText`: a query for exports. Every column is matched to a field or listed as unmatched. */
import { quoted } from '../../../migration/input/sql/engine.js';
import { isVisible, jsonText, sqlText } from './literals.js';
import type { ExportFile } from './read-export.js';
import {
  type ColumnUses,
  type FieldCodes,
  fieldCodes,
  type Language,
  pointCode,
  type RecordSettings,
  recordCode,
} from './record-code.js';
import { type Plan, pointsOf, type Related } from './related-exports.js';
import { TIME } from './value-forms.js';

/** Returns the code of the fields. */
export function queryCodes(plan: Plan, settings: RecordSettings): FieldCodes {
  const points = pointsOf(plan);
  const list = points && pointCode(points, plan, sql(false), settings).list(`${pointsTable(points)}.list`);
  return fieldCodes(plan, languageOf(plan), settings, list);
}

function languageOf({ related }: Plan): Language {
  return sql(related.some(({ isUsed }) => isUsed));
}

/** Returns the text of the query. */
export function queryText(plan: Plan, settings: RecordSettings, codes: FieldCodes, left: ColumnUses): string {
  const { file, related } = plan;
  const points = pointsOf(plan);
  return [
    ...[plan, ...related].map(
      ({ file: { table, path, encoding, skipLines } }) =>
        `-- source ${table}: ${jsonText(path)}, encoding ${encoding}${skipLines === 0 ? '' : `, skipLines ${skipLines}`}`,
    ),
    '-- Each row of the result is one record. Compare each field with the export.',
    ...(points === undefined ? [] : pointsCode(points, plan, settings)),
    'SELECT {',
    ...recordCode(codes, 'account', 4, languageOf(plan)),
    '  } AS account',
    `FROM ${tableCode(file)}`,
    ...related.flatMap((one) => joinCode(one, file)),
    ...related.flatMap((one) => lostRowsCode(one, file)),
    ...(left.length === 0 ? [] : ['-- Columns without a field. Add them above, or leave them out:']),
    ...left.map(
      (one) =>
        `--   ${one.file === file ? '' : `${one.file.table}: `}${jsonText(one.column.trim())}${one.remark === undefined ? '' : `: ${one.remark}`}`,
    ),
    '',
  ].join('\n');
}

/** `isJoined`: several tables may have a column of the same name. */
function sql(isJoined: boolean): Language {
  return {
    comment: '--',
    afterLast: '',
    text: sqlText,
    cell: ({ file }, column) => `${isJoined ? `${quoted(file.table)}.` : ''}${columnCode(column, file)}`,
    joined: (cells) => `nullif(concat_ws(' ', ${cells.join(', ')}), '')`,
    date: dateCode,
    phone: (cell, region) => `phone_e164(${cell}, ${region})`,
    supplyType(cell, types) {
      const cases = [...types].flatMap(([value, type]) =>
        type === undefined ? [] : [` WHEN ${sqlText(value)} THEN '${type}'`],
      );
      return cases.length === 0 ? cell : `CASE trim(${cell})${cases.join('')} ELSE ${cell} END`;
    },
    agreed: (cell, type, values) =>
      `CASE WHEN trim(coalesce(${cell}, '')) IN (${values.map(sqlText).join(', ')}) THEN '${type}' ELSE ${cell} || ' (not ${type})' END`,
    points: ['list_filter(', ', lambda point: point.identifier IS NOT NULL)'],
  };
}

/** No source has a name with a space. */
function pointsTable({ file }: Related): string {
  return quoted(`points of ${file.table}`);
}

function pointsCode(related: Related, plan: Plan, settings: RecordSettings): string[] {
  const { file, key } = related;
  const { point, address } = pointCode(related, plan, sql(false), settings);
  const own = `SELECT ${columnCode(key?.column ?? '', file)} AS key`;
  const from = `FROM ${tableCode(file)} GROUP BY ALL)`;
  if (address === undefined)
    return [`WITH ${pointsTable(related)} AS (`, `  ${own}, json_list(${point}) AS list`, `  ${from}`];
  return [
    '-- Supply points with the same address are in one supply address.',
    `WITH ${pointsTable(related)} AS (`,
    '  SELECT key, json_list(struct_insert(address, supply_points := points)) AS list FROM (',
    `    ${own}, ${address} AS address,`,
    `      json_list(${point}) AS points`,
    `    ${from}`,
    '  GROUP BY ALL)',
  ];
}

function joinCode(related: Related, first: ExportFile): string[] {
  const { file, key, near, isUsed, points } = related;
  if (key === undefined) {
    const found =
      near === undefined
        ? 'none was found'
        : `perhaps ${jsonText(near.column)}, which has values of ${jsonText(near.inFirst)} of ${first.table}`;
    return [
      `-- Join ${file.table} by a column that both files have: ${found}. Until it makes a field, check rejects it.`,
    ];
  }
  const remark = key.remark === undefined ? '' : ` -- ${key.remark}`;
  const own = `${quoted(first.table)}.${columnCode(key.inFirst, first)}`;
  if (points.length > 0) return [`LEFT JOIN ${pointsTable(related)} ON ${pointsTable(related)}.key = ${own}${remark}`];
  if (isUsed)
    return [`LEFT JOIN ${tableCode(file)} ON ${quoted(file.table)}.${columnCode(key.column, file)} = ${own}${remark}`];
  return [
    `-- ${file.table} makes no field, and check rejects it until it does: make items of its rows with json_list (docs/sql-input.md), and join them:`,
    `--   ${jsonText(key.column.trim())} of ${file.table} is ${jsonText(key.inFirst.trim())} of ${first.table}${remark}`,
  ];
}

/** A join drops rows without a partner: each of their keys is an account with an error in its number, and without a supplier, so that a new number does not make it valid. */
function lostRowsCode({ file, key, isUsed }: Related, first: ExportFile): string[] {
  if (key === undefined || !isUsed) return [];
  const own = `${quoted(file.table)}.${columnCode(key.column, file)}`;
  const number = `unreadable(concat(${own}, ${sqlText(` of ${file.table} is not in ${first.table}`)}))`;
  return [
    'UNION ALL BY NAME',
    `-- Rows of ${file.table} that no row of ${first.table} has: check rejects them, and they are not sent.`,
    `SELECT DISTINCT { external_account_number: ${number} } AS account`,
    `FROM ${tableCode(file)} ANTI JOIN ${tableCode(first)} ON ${own} = ${quoted(first.table)}.${columnCode(key.inFirst, first)}`,
  ];
}

/** Returns the table, with other names for its columns if one cannot be written in SQL. */
function tableCode(file: ExportFile): string {
  const { table, columns } = file;
  if (columns.every(({ name }) => isVisible(name))) return quoted(table);
  return `${quoted(table)} AS ${quoted(table)} (${columns.map(({ name }) => columnCode(name, file)).join(', ')})`;
}

/** A table of a file has the names of its header without spaces around them. SQL has no escapes: a column whose name is not visible is renamed. */
function columnCode(column: string, { columns }: ExportFile): string {
  return quoted(isVisible(column) ? column.trim() : `column_${columns.findIndex(({ name }) => name === column) + 1}`);
}

const STRPTIME: Readonly<Record<string, string>> = { YYYY: '%Y', MM: '%m', DD: '%d' };

function dateCode(text: string, form: string, latestYear: number): string {
  const [day = ''] = form.split(/[T ]/);
  // A time must be one: otherwise the text stays as it is, and the check reports it.
  const cell = day === form ? text : `regexp_replace(trim(${text}), ${sqlText(TIME.source)}, '', 'i')`;
  // They read one digit and two digits alike.
  const padded = day.replace(/D+/, 'DD').replace(/M+/, 'MM');
  if (padded === 'YYYY-MM-DD') return cell;
  // The forms that the functions of this package read: others are texts that the check reports.
  if (/^DD(.)MM\1YYYY$/.test(padded)) return `date_dmy(${cell})`;
  if (/^DD(.)MM\1YY$/.test(padded)) return `date_dmyy(${cell}, ${latestYear})`;
  if (padded === 'MM/DD/YY') return `date_dmyy(regexp_replace(${cell}, '^(\\d+)/(\\d+)/', '\\2/\\1/'), ${latestYear})`;
  return `date_as(${cell}, '${padded.replace(/YYYY|MM|DD/g, (part) => STRPTIME[part] ?? part)}')`;
}
