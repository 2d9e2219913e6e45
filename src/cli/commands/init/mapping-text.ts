/** Exports `mappingText`: a mapping module for exports. Every column is matched to a field or listed as unmatched. */
import { readFileSync } from 'node:fs';
import { isAbsolute, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { jsonText } from './literals.js';
import { valuesOf } from './read-export.js';
import {
  type ColumnUses,
  type FieldCodes,
  fieldCodes,
  isTranslated,
  type Language,
  pointCode,
  type RecordSettings,
  recordCode,
} from './record-code.js';
import { type Plan, type PlannedColumn, pointsOf, type Related } from './related-exports.js';
import { supplyTypes } from './value-forms.js';

// The build puts the text of the file here (build/text-files.ts).
/** Those that the code calls are in the module. Each value of a key is once in the first rows of a file: a second row (`only`) is an error. */
const FUNCTIONS = readFileSync(new URL('templates/mapping-functions.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n\n');

const PARSERS = [
  { name: 'date', from: 'parseDate' },
  { name: 'phone', from: 'parsePhone' },
] as const;

/** Returns the code of the fields. */
export function mappingCodes(plan: Plan, settings: RecordSettings): FieldCodes {
  const language = javascript(plan);
  const points = pointsOf(plan);
  const inList = { ...language, cell: (_: PlannedColumn, column: string) => cellCode('one', column) };
  const code = points && pointCode(points, plan, inList, settings);
  const rows = (type: string) =>
    `${points?.file.table}OfRow.map(/** @returns {import('data-import-sdk').${type}} */ (one) => (`;
  const list = code?.list(
    code.address === undefined
      ? `${rows('SupplyPoint')}${code.point}))`
      : `perAddress(${rows('SupplyAddress')}${code.address.replace(/ }$/, '')}, supply_points: [${code.point}] })))`,
  );
  return fieldCodes(plan, language, settings, list);
}

/** Returns the text of the module. */
export function mappingText(plan: Plan, codes: FieldCodes, left: ColumnUses): string {
  const { file, related } = plan;
  const language = javascript(plan);
  const ofRow = related.flatMap((one) => rowCode(one, plan));
  // The column names of an export may contain the names of functions.
  const all = [...ofRow, ...[...codes.values()].map(({ code }) => code)].join('\n').replace(/"(?:[^"\\]|\\.)*"/g, '');
  const calls = (name: string) => new RegExp(`\\b${name}\\(`).test(all);
  const parsers = PARSERS.filter(({ name }) => calls(name));
  const imports = [
    ...(related.length > 0 ? ['groupRows'] : []),
    ...(parsers.length > 0 ? ['keepInvalid'] : []),
    'omitEmpty',
    ...parsers.map(({ from }) => from),
    ...(related.length > 0 ? ['readCsv'] : []),
  ];
  const typed = [...plan.columns, ...(pointsOf(plan)?.points ?? [])].find(isTranslated);
  return [
    '// @ts-check',
    '// Turns one row of the export into one record. Compare each field with the export.',
    `import { ${imports.join(', ')} } from 'data-import-sdk/mapping';`,
    "/** @import { CsvRow, ImportRecord } from 'data-import-sdk/migration' */",
    '',
    ...(parsers.length === 0
      ? []
      : ['// A value that cannot be parsed gets the mark ⁇: the check then names its account and its field.']),
    ...parsers.map(({ name, from }) => `const ${name} = keepInvalid(${from});`),
    ...(parsers.length === 0 ? [] : ['']),
    ...(typed !== undefined && calls('supplyType') ? supplyTypesCode(typed) : []),
    ...FUNCTIONS.filter((text) => calls(/^(?:const|function) (\w+)/m.exec(text)?.[1] ?? '')).flatMap((text) => [
      text,
      '',
    ]),
    ...related.flatMap((one) => rowsCode(one, plan)),
    '/** @param {CsvRow} row @returns {ImportRecord} */',
    `${file.skipLines === 0 ? 'export default ' : ''}function map(row) {`,
    ...ofRow,
    '  return {',
    '    account: omitEmpty({',
    ...recordCode(codes, 'account', 6, language),
    '    }),',
    '  };',
    '}',
    ...(file.skipLines === 0 ? [] : ['', `export default { skipLines: ${file.skipLines}, map };`]),
    ...leftCode(plan, left),
    '',
  ].join('\n');
}

function javascript(plan: Plan): Language {
  return {
    comment: '//',
    afterLast: ',',
    text: jsonText,
    cell: ({ file }, column) => cellCode(file === plan.file ? 'row' : `${file.table}Row?.`, column),
    joined: (cells) => `[${cells.join(', ')}].join(' ').trim()`,
    date(cell, form, latestYear) {
      const options = form.includes('YYYY') ? '' : `, { latestYear: ${latestYear} }`;
      return form === 'YYYY-MM-DD' ? cell : `date(${cell}, '${form}'${options})`;
    },
    phone: (cell, region) => `phone(${cell}, ${region})`,
    supplyType: (cell) => `supplyType(${cell})`,
    agreed: (cell, type, values) => `agreed('${type}', [${values.map(jsonText).join(', ')}], ${cell})`,
    points: ['', '.filter(({ identifier }) => identifier?.trim())'],
  };
}

function cellCode(row: string, column: string): string {
  return `${row}[${jsonText(column)}]`;
}

/** Further exports are read once, and their rows are found by the key. */
function rowsCode(one: Related, plan: Plan): string[] {
  const { table, path, encoding, skipLines } = one.file;
  const key = keyOf(one, plan);
  const options = `{ encoding: ${jsonText(encoding)}${skipLines === 0 ? '' : `, skipLines: ${skipLines}`} }`;
  return [
    ...(key.remark === undefined ? [] : [`// The key of the next file: ${key.remark}.`]),
    `const ${table}Rows = await groupRows(readCsv(new URL(${jsonText(asUrl(path))}, import.meta.url), ${options}), ${jsonText(key.column)});`,
    '',
  ];
}

/** Returns the path as a URL that is relative to the module, which is written into the current folder. */
function asUrl(path: string): string {
  if (isAbsolute(path)) return pathToFileURL(path).href;
  // In a URL these have another meaning, or are left out.
  return path
    .split(sep)
    .join('/')
    .replace(/[%?#:\\\s\p{Cc}]/gu, encodeURIComponent);
}

/** The columns by which an export belongs to the first one: if none was found, those that the user corrects. */
function keyOf({ file, key, near }: Related, { file: first, columns }: Plan): NonNullable<Related['key']> {
  const number = columns.find(({ field }) => field.path.endsWith('.external_account_number'))?.column;
  if (near !== undefined) return { ...near, remark: 'some of their values are the same: check it' };
  return (
    key ?? {
      column: file.columns[0]?.name ?? '',
      inFirst: number ?? first.columns[0]?.name ?? '',
      remark: `no column has values of a column of ${first.table}; expected the one by which its rows belong to a record`,
    }
  );
}

/** Rows that nothing asks for are rejected lines (docs/mapping.md): the code of an export without a field is a comment. */
function rowCode(one: Related, plan: Plan): string[] {
  const { file, isSingle, isUsed } = one;
  const { table } = file;
  const rows = `${table}Rows.get(row[${jsonText(keyOf(one, plan).inFirst)}])`;
  if (isSingle && isUsed) return [`  const ${table}Row = only(${rows});`];
  const code = `const ${table}OfRow = ${rows} ?? [];`;
  if (isUsed) return [`  ${code}`];
  return [
    `  // The rows of ${table} make no field, and check rejects them until they do (docs/mapping.md, Related files):`,
    `  // ${code}`,
  ];
}

/** As data, and not in comments, which some characters of a name would end. */
function leftCode(plan: Plan, left: ColumnUses): string[] {
  if (left.length === 0) return [];
  return [
    '',
    '/** Columns without a field. Add them above, or leave them out. */',
    'export const columnsWithoutField = [',
    ...left.map(({ file, column, remark }) => {
      const notes = [file === plan.file ? undefined : `of ${file.table}`, remark].filter((note) => note !== undefined);
      return `  ${jsonText(column)},${notes.length === 0 ? '' : ` // ${notes.join(': ')}`}`;
    }),
    '];',
  ];
}

function supplyTypesCode({ file, column }: PlannedColumn): string[] {
  const entries = [...supplyTypes(valuesOf(file, column))].map(([value, type]) =>
    type === undefined
      ? `  [${jsonText(value)}, undefined], // ELECTRICITY or GAS?`
      : `  [${jsonText(value)}, '${type}'],`,
  );
  return [
    "/** @type {Map<string, 'ELECTRICITY' | 'GAS' | undefined>} */",
    'const SUPPLY_TYPES = new Map([',
    ...entries,
    ']);',
  ];
}
