/** Exports `recordCode` and others: the code that builds a record from the columns of exports, as JavaScript or as SQL. */
import { counted } from '../../../migration/shared/format.js';
import { lastName } from '../../../validation/known-names.js';
import { inOneLine } from './literals.js';
import { ADDRESSES, PATHS, POINT, POINTS, placeOf, SAME_ADDRESS, SECOND_POINT } from './match-columns.js';
import { type ExportFile, valuesOf } from './read-export.js';
import { haveAddress, type Plan, type PlannedColumn, type Related } from './related-exports.js';
import { areParsed, dateForm, type EnergyType, supplyTypes } from './value-forms.js';

/** Settings of the generated code. */
export interface RecordSettings {
  /** Import supplier code. */
  supplier: string;
  /** Region of telephone numbers without a country code, such as FR; undefined if there are none. */
  region: string | undefined;
  /** The last year that a year of two digits can mean, except in a date of birth. */
  latestYear: number;
}

/** The code of a value, and a remark for the user. */
interface FieldCode {
  code: string;
  remark?: string | undefined;
  /** The columns that it reads. */
  columns?: readonly string[];
  /** The export of these columns. */
  file?: ExportFile;
  /** Of a list whose items come from a further export: the fields of an item. */
  items?: FieldCodes;
}

/** The code of each field, by its path in the record such as `account.customers.0.email`. */
export type FieldCodes = ReadonlyMap<string, FieldCode>;

/** How a language writes objects, comments and texts. */
export interface Language {
  /** Begins a comment. */
  comment: '//' | '--';
  /** After the last field. */
  afterLast: ',' | '';
  text(value: string): string;
  /** The value of a column in the row of the match. */
  cell(match: PlannedColumn, column: string): string;
  joined(cells: readonly string[]): string;
  /** `latestYear`: the last one that a year of two digits can mean. */
  date(cell: string, form: string, latestYear: number): string;
  phone(cell: string, region: string): string;
  supplyType(cell: string, types: ReturnType<typeof supplyTypes>): string;
  /** The type of a point whose column names it, if the cell has one of the values; otherwise the cell with a remark, which is no type. */
  agreed(cell: string, type: EnergyType, values: readonly string[]): string;
  /** Around the list of two supply points, of which the one without an identifier is left out. */
  points: readonly [before: string, after: string];
}

const NUMBER = 'account.external_account_number';

/**
 * Returns the code of the fields of an account in the order of the payload. `list`: if a related export has the supply points. An export
 * with one address supplies energy there.
 */
export function fieldCodes(
  plan: Plan,
  language: Language,
  settings: RecordSettings,
  list: { path: string; code: FieldCode } | undefined,
): FieldCodes {
  const codes = new Map(plan.columns.map((match) => [match.field.path, fieldCode(match, language, settings)]));
  const hasAddress = list?.path === ADDRESSES || haveAddress([...codes.keys()]);
  const hasPoint = list !== undefined || codes.has(`${POINT}.identifier`);
  if (hasPoint) {
    for (const [from, to] of hasAddress ? [] : SAME_ADDRESS) {
      const code = codes.get(from);
      if (code !== undefined) codes.set(to, code);
    }
  }
  if (list !== undefined) {
    codes.set(list.path, list.code);
  } else if (hasPoint) {
    for (const [path, code] of typeCodes(plan, codes, language)) codes.set(path, code);
  }
  if (!codes.has(NUMBER)) codes.set(NUMBER, { code: language.text(''), remark: 'no column matched: name the column' });
  codes.set('account.import_supplier', { code: language.text(settings.supplier) });
  const paths = ['account.import_supplier', ...PATHS, POINTS, ADDRESSES];
  return new Map(paths.flatMap((path) => (codes.has(path) ? [[path, codes.get(path) as FieldCode]] : [])));
}

function fieldCode(match: PlannedColumn, language: Language, settings: RecordSettings): FieldCode {
  const { file, column, house, question } = match;
  const columns = file.columns.map(({ name }) => name).filter((name) => name === column || name === house);
  const { code, remark } =
    house === undefined
      ? valueCode(match, language, settings)
      : { code: language.joined(columns.map((name) => language.cell(match, name))) };
  return { code, remark: joined([remark, question]), columns, file };
}

function joined(remarks: readonly (string | undefined)[]): string | undefined {
  return remarks.filter((one) => one !== undefined).join('; ') || undefined;
}

function valueCode(match: PlannedColumn, language: Language, { region, latestYear }: RecordSettings): FieldCode {
  const { file, column, field } = match;
  const values = valuesOf(file, column);
  const cell = language.cell(match, column);
  if (field.kind === 'date') {
    const { form, remark } = dateForm(values);
    const latest = field.path.endsWith('.date_of_birth') ? latestYear - YOUNGEST : latestYear;
    return { code: language.date(cell, form, latest), remark };
  }
  if (field.kind === 'phone' && areParsed(values, region)) {
    return { code: language.phone(cell, language.text(region ?? '')) };
  }
  if (!isTranslated(match)) return { code: cell };
  const types = supplyTypes(values);
  const open = [...types.values()].filter((type) => type === undefined).length;
  const remark =
    open === 0 ? undefined : `${counted(open, 'value')} of the first rows name no energy, or both: complete them`;
  return { code: language.supplyType(cell, types), remark };
}

/** Age of the youngest account holder, in years. */
const YOUNGEST = 16;

/** Returns whether the values of a supply type are words of the export. */
export function isTranslated({ file, column, field: { kind } }: PlannedColumn): boolean {
  return kind === 'supplyType' && valuesOf(file, column).some((value) => value !== 'ELECTRICITY' && value !== 'GAS');
}

/** Returns the objects of a supply point of a related export and of its address, which may be none, and the list with what the user should check. */
export function pointCode({ points }: Related, plan: Plan, language: Language, settings: RecordSettings) {
  const items = new Map(points.map((match) => [match.field.path, fieldCode(match, language, settings)]));
  const type = `${POINT}.supply_type`;
  items.set(type, items.get(type) ?? typeCode(plan.supplyType, language.text));
  const fields = [...items].map(([path, one]) => ({ path, name: lastName(path), ...one }));
  const remarks = fields.map(({ name, remark }) => (remark === undefined ? undefined : `${name}: ${remark}`));
  const object = (isOfPoint: boolean) => {
    const own = fields.filter(({ path }) => path.startsWith(POINTS) === isOfPoint);
    return `{ ${own.map(({ name, code }) => `${name}: ${code}`).join(', ')} }`;
  };
  const hasAddress = haveAddress([...items.keys()]);
  return {
    point: object(true),
    address: hasAddress ? object(false) : undefined,
    list: (code: string) => ({ path: hasAddress ? ADDRESSES : POINTS, code: { code, remark: joined(remarks), items } }),
  };
}

/** The energy of the points. Two points of a row have the start of the first one too. */
function typeCodes(plan: Plan, codes: FieldCodes, language: Language): [path: string, code: FieldCode][] {
  const path = `${POINT}.supply_type`;
  const match = plan.columns.find(({ field }) => field.path === path);
  if (codes.has(`${SECOND_POINT}.identifier`)) {
    const start = codes.get(`${POINT}.supply_start_date`);
    return [
      [path, agreedCode('ELECTRICITY', match, language)],
      [`${SECOND_POINT}.supply_type`, agreedCode('GAS', match, language)],
      ...(start === undefined ? [] : [[`${SECOND_POINT}.supply_start_date`, start] as [string, FieldCode]]),
    ];
  }
  const code = codes.get(path);
  if (code === undefined || match === undefined) return [[path, typeCode(plan.supplyType, language.text)]];
  const types = [...supplyTypes(valuesOf(match.file, match.column)).values()];
  const { supplyType } = plan;
  if (supplyType === undefined || types.every((type) => type === undefined || type === supplyType)) return [];
  const question = `the column of the point names ${supplyType}, and values name the other energy: check it`;
  return [[path, { ...code, remark: joined([code.remark, question]) }]];
}

/** The energy of a point whose column names it. A row that names the other energy contradicts it: the check then names the row. */
function agreedCode(type: EnergyType, match: PlannedColumn | undefined, language: Language): FieldCode {
  if (match === undefined) return { code: language.text(type) };
  const { file, column } = match;
  const types = [...supplyTypes(valuesOf(file, column))];
  const agreeing = types.flatMap(([value, one]) => (one === undefined || one === type ? [value] : []));
  const code = language.agreed(language.cell(match, column), type, [...new Set(['', type, ...agreeing])]);
  return { code, columns: [column], file };
}

/** The energy of a point without a column for it. */
function typeCode(supplyType: Plan['supplyType'], text: Language['text']): FieldCode {
  if (supplyType !== undefined) return { code: text(supplyType) };
  return { code: text('ELECTRICITY'), remark: 'no column matched: ELECTRICITY or GAS?' };
}

/** Returns the lines of the object at a path, without its braces. `indent`: number of spaces. */
export function recordCode(codes: FieldCodes, path: string, indent: number, language: Language): string[] {
  const names = namesAt(codes, path);
  const space = ' '.repeat(indent);
  return names.flatMap((name, index) => {
    const at = `${path}.${name}`;
    const comma = index === names.length - 1 ? language.afterLast : ',';
    const value = codes.get(at);
    if (value !== undefined) {
      const remark = value.remark === undefined ? '' : ` ${language.comment} ${value.remark}`;
      return [`${space}${name}: ${value.code}${comma}${remark}`];
    }
    const items = namesAt(codes, at);
    const [before, after] = items.length > 1 ? language.points : ['', ''];
    return [
      `${space}${name}: ${before}[`,
      ...items.flatMap((item, position) => [
        `${space}  {`,
        ...recordCode(codes, `${at}.${item}`, indent + 4, language),
        `${space}  }${position === items.length - 1 ? language.afterLast : ','}`,
      ]),
      `${space}]${after}${comma}`,
    ];
  });
}

function namesAt(codes: FieldCodes, path: string): string[] {
  const below = [...codes.keys()].filter((one) => one.startsWith(`${path}.`));
  return [...new Set(below.map((one) => one.slice(path.length + 1).split('.')[0] ?? ''))];
}

/** A field that the code writes. */
export interface WrittenField extends FieldCode {
  path: string;
}

/** Returns the fields that the code writes, also those of the items of a list. */
export function writtenFields(codes: FieldCodes): WrittenField[] {
  return [...codes].flatMap(([path, code]) =>
    code.items === undefined ? { path, ...code } : writtenFields(code.items),
  );
}

export type ColumnUses = ReturnType<typeof columnUses>;

/**
 * Returns what each column of all exports is: the fields that the code writes from it, or otherwise the column to which it is joined, or what it
 * may be, and whether that is a field.
 */
export function columnUses(plan: Plan, codes: FieldCodes) {
  const written = writtenFields(codes);
  return [{ file: plan.file, key: undefined }, ...plan.related].flatMap(({ file, key }) =>
    file.columns.map(({ name: column }) => {
      const isOf = (one: { file?: ExportFile }) => one.file === file;
      const isKey = key?.column === column;
      const other = plan.related.find((one) => file === plan.file && one.isUsed && one.key?.inFirst === column);
      const [to, table] = isKey ? [key.inFirst, plan.file.table] : [other?.key?.column, other?.file.table];
      const fields = isKey ? [] : written.filter((one) => isOf(one) && one.columns?.includes(column));
      const { candidate, why } = plan.candidates.find((one) => isOf(one) && one.column === column) ?? {};
      return {
        ...{ file, column, fields, remark: remarkOn(column, candidate, why), isQuestion: candidate !== undefined },
        joined: to && `= ${inOneLine(to)} of ${table}`,
        isLeft: to === undefined && fields.length === 0,
      };
    }),
  );
}

/** Says for which field a column may be, or in which part of a record its data belong. */
function remarkOn(column: string, candidate: string | undefined, why: string | undefined): string | undefined {
  if (candidate !== undefined) return `${shownPath(candidate)}?${why === undefined ? '' : ` ${why}`}`;
  const place = placeOf(column);
  return place === undefined ? undefined : `${place} (docs/fields.md)`;
}

/** Returns a path as the docs write it: `account.customers[0].email`. */
export function shownPath(path: string): string {
  return path.replaceAll('.0.', '[0].').replace('.1.', '[1].');
}
