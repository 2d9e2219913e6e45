/** Exports `mappingText`: a mapping module for an export. Every column is matched to a field or listed as unmatched. */
import type { ColumnMatches, MatchedColumn } from './match-columns.js';
import { type ExportFile, valuesOf } from './read-export.js';
import { type FieldCode, fieldCodes, JAVASCRIPT, recordCode, unmatchedColumns } from './record-code.js';
import { areInternational, dateForm, supplyTypes } from './value-forms.js';

/** Settings of the generated code. */
export interface RecordSettings {
  /** Import supplier code. */
  supplier: string;
  /** Region of telephone numbers without a country code, such as FR. */
  region: string;
  /** The last year that a year of two digits can mean. */
  latestYear: number;
}

/** Returns the text of the module. */
export function mappingText(file: ExportFile, matches: ColumnMatches, settings: RecordSettings): string {
  const codeOf = (match: MatchedColumn) => fieldCode(file, match, settings);
  const codes = fieldCodes(settings.supplier, matches, codeOf, quoted);
  const isUsed = (name: string) => [...codes.values()].some(({ code }) => code.startsWith(name));
  const helpers = ['omitEmpty', ...['parseDate', 'parsePhone'].filter(isUsed)];
  return [
    '// @ts-check',
    `// Turns one row of ${file.path} into one record. Compare each field with the export.`,
    `import { ${helpers.join(', ')} } from 'data-import-sdk/mapping';`,
    '',
    ...(isUsed('SUPPLY_TYPES') ? supplyTypesCode(file, matches) : []),
    "/** @type {import('data-import-sdk/migration').RowMap} */",
    'export default function map(row) {',
    '  return {',
    '    account: omitEmpty({',
    ...recordCode(codes, 'account', 6, JAVASCRIPT),
    '    }),',
    '  };',
    '}',
    ...(matches.unmatched.length === 0 ? [] : ['', ...unmatchedColumns(matches, JAVASCRIPT)]),
    '',
  ].join('\n');
}

function fieldCode(
  file: ExportFile,
  { column, field: { kind } }: MatchedColumn,
  { region, latestYear }: RecordSettings,
): FieldCode {
  const values = valuesOf(file, column);
  const cell = `row[${quoted(column)}]`;
  if (kind === 'date') {
    const { form, remark } = dateForm(values);
    const options = form.includes('YYYY') ? '' : `, { latestYear: ${latestYear} }`;
    return { code: form === 'YYYY-MM-DD' ? cell : `parseDate(${cell}, '${form}'${options})`, remark };
  }
  if (kind === 'phone' && !areInternational(values)) return { code: `parsePhone(${cell}, ${quoted(region)})` };
  if (kind === 'supplyType' && values.some((value) => value !== 'ELECTRICITY' && value !== 'GAS')) {
    return { code: `SUPPLY_TYPES[${cell}]` };
  }
  return { code: cell };
}

function supplyTypesCode(file: ExportFile, { matched }: ColumnMatches): string[] {
  const { column = '' } = matched.find(({ field }) => field.kind === 'supplyType') ?? {};
  const entries = [...supplyTypes(valuesOf(file, column))].map(([value, type]) =>
    type === undefined ? `  // ${quoted(value)}: ELECTRICITY or GAS?` : `  ${quoted(value)}: '${type}',`,
  );
  return ["/** @type {Record<string, 'ELECTRICITY' | 'GAS'>} */", 'const SUPPLY_TYPES = {', ...entries, '};', ''];
}

/** Returns a JavaScript string literal with single quotes. */
export function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
