/** Exports `mappingText`: a mapping module for an export. Every column is matched to a field or listed as unmatched. */
import { jsonText } from './literals.js';
import type { ColumnMatches, MatchedColumn } from './match-columns.js';
import { type ExportFile, valuesOf } from './read-export.js';
import { type FieldCode, fieldCodes, JAVASCRIPT, recordCode, remarkOn } from './record-code.js';
import { areParsed, dateForm, supplyTypes } from './value-forms.js';

/** Settings of the generated code. */
export interface RecordSettings {
  /** Import supplier code. */
  supplier: string;
  /** Region of telephone numbers without a country code, such as FR; undefined if there are none. */
  region: string | undefined;
  /** The last year that a year of two digits can mean, except in a date of birth. */
  latestYear: number;
}

/** Age of the youngest account holder, in years. */
const YOUNGEST = 16;

/** Returns the last year that a year of two digits can mean in a column. */
export function latestYearOf({ field }: MatchedColumn, latestYear: number): number {
  return field.path.endsWith('.date_of_birth') ? latestYear - YOUNGEST : latestYear;
}

const PARSERS = [
  { name: 'date', from: 'parseDate' },
  { name: 'phone', from: 'parsePhone' },
] as const;

/** Returns the text of the module. */
export function mappingText(file: ExportFile, matches: ColumnMatches, settings: RecordSettings): string {
  const codeOf = (match: MatchedColumn) => fieldCode(file, match, settings);
  const codes = fieldCodes(settings.supplier, matches, codeOf, jsonText);
  const isUsed = (name: string) => [...codes.values()].some(({ code }) => code.startsWith(name));
  const parsers = PARSERS.filter(({ name }) => isUsed(`${name}(`));
  const helpers = ['omitEmpty', ...parsers.map(({ from }) => from)];
  return [
    '// @ts-check',
    '// Turns one row of the export into one record. Compare each field with the export.',
    `import { ${[...(parsers.length > 0 ? ['keepInvalid'] : []), ...helpers].join(', ')} } from 'data-import-sdk/mapping';`,
    '',
    ...(parsers.length === 0
      ? []
      : ['// A value that cannot be parsed stays as it is: the check then names its account and its field.']),
    ...parsers.map(({ name, from }) => `const ${name} = keepInvalid(${from});`),
    ...(parsers.length === 0 ? [] : ['']),
    ...(isUsed('supplyType(') ? supplyTypesCode(file, matches) : []),
    "/** @type {import('data-import-sdk/migration').RowMap} */",
    'export default function map(row) {',
    '  return {',
    '    account: omitEmpty({',
    ...recordCode(codes, 'account', 6, JAVASCRIPT),
    '    }),',
    '  };',
    '}',
    ...unmatchedCode(matches),
    '',
  ].join('\n');
}

/** As data, and not in comments, which some characters of a name would end. */
function unmatchedCode({ unmatched }: ColumnMatches): string[] {
  if (unmatched.length === 0) return [];
  return [
    '',
    '/** Columns without a field. Add them above, or leave them out. */',
    'export const columnsWithoutField = [',
    ...unmatched.map((column) => `  ${jsonText(column)},${remarkOn(column, ' //')}`),
    '];',
  ];
}

function fieldCode(file: ExportFile, match: MatchedColumn, { region, latestYear }: RecordSettings): FieldCode {
  const {
    column,
    field: { kind },
  } = match;
  const values = valuesOf(file, column);
  const cell = `row[${jsonText(column)}]`;
  if (kind === 'date') {
    const { form, remark } = dateForm(values);
    const options = form.includes('YYYY') ? '' : `, { latestYear: ${latestYearOf(match, latestYear)} }`;
    return { code: form === 'YYYY-MM-DD' ? cell : `date(${cell}, '${form}'${options})`, remark };
  }
  if (kind === 'phone' && areParsed(values, region)) return { code: `phone(${cell}, ${jsonText(region ?? '')})` };
  if (kind === 'supplyType' && values.some((value) => value !== 'ELECTRICITY' && value !== 'GAS')) {
    return { code: `supplyType(${cell})` };
  }
  return { code: cell };
}

function supplyTypesCode(file: ExportFile, { matched }: ColumnMatches): string[] {
  const { column = '' } = matched.find(({ field }) => field.kind === 'supplyType') ?? {};
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
    '/** Another value stays as it is: the check then names it. @param {string} value */',
    'const supplyType = (value) => SUPPLY_TYPES.get(value) ?? /** @type {any} */ (value);',
    '',
  ];
}
