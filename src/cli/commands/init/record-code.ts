/** Exports `recordCode` and others: the code that builds a record from the columns of exports, as JavaScript or as SQL. */
import { lastName } from '../../../validation/known-names.js';
import { FIELDS_OF_EXPORT, POINT, SECOND_POINT, type UnmatchedColumn } from './match-columns.js';
import { valuesOf } from './read-export.js';
import type { Plan, PlannedColumn, Related } from './related-exports.js';
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

/** The code of a value, and a remark for the user. */
interface FieldCode {
  code: string;
  remark?: string | undefined;
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
  /** Around the list of two supply points, of which the one without an identifier is left out. */
  points: readonly [before: string, after: string];
}

const NUMBER = 'account.external_account_number';
const ADDRESS = 'account.supply_addresses.0';
const LIST = `${ADDRESS}.supply_points`;

/** The address of an export with one address. */
const SAME_ADDRESS = [
  ['account.billing_address1', `${ADDRESS}.supply_address1`],
  ['account.billing_address2', `${ADDRESS}.supply_address2`],
  ['account.billing_address3', `${ADDRESS}.supply_address3`],
  ['account.billing_postcode', `${ADDRESS}.supply_postcode`],
] as const;

/**
 * Returns the code of the fields of an account in the order of the payload. `list`: the code of the supply points, if a related export has them. An export
 * with one address supplies energy there.
 */
export function fieldCodes(
  plan: Plan,
  language: Language,
  settings: RecordSettings,
  list: string | undefined,
): FieldCodes {
  const codes = new Map(
    plan.columns.map((match) => [match.field.path, withQuestion(fieldCode(match, language, settings), match)]),
  );
  const hasAddress = [...codes.keys()].some((path) => path.startsWith(`${ADDRESS}.`) && !path.startsWith(LIST));
  const hasPoint = list !== undefined || codes.has(`${POINT}.identifier`);
  if (hasPoint) {
    for (const [from, to] of hasAddress ? [] : SAME_ADDRESS) {
      const code = codes.get(from);
      if (code !== undefined) codes.set(to, code);
    }
  }
  if (list !== undefined) {
    codes.set(LIST, { code: list });
  } else if (hasPoint) {
    for (const [path, code] of typeCodes(plan, codes, language)) codes.set(path, code);
  }
  if (!codes.has(NUMBER)) codes.set(NUMBER, { code: language.text(''), remark: 'no column matched: name the column' });
  codes.set('account.import_supplier', { code: language.text(settings.supplier) });
  const paths = ['account.import_supplier', ...FIELDS_OF_EXPORT.map(({ path }) => path), LIST];
  return new Map(paths.flatMap((path) => (codes.has(path) ? [[path, codes.get(path) as FieldCode]] : [])));
}

function fieldCode(match: PlannedColumn, language: Language, { region, latestYear }: RecordSettings): FieldCode {
  const { file, column, house, field } = match;
  const values = valuesOf(file, column);
  const cell = language.cell(match, column);
  if (house !== undefined) {
    const names = file.columns.map(({ name }) => name).filter((name) => name === column || name === house);
    return { code: language.joined(names.map((name) => language.cell(match, name))) };
  }
  if (field.kind === 'date') {
    const { form, remark } = dateForm(values);
    return { code: language.date(cell, form, latestYearOf(match, latestYear)), remark };
  }
  if (field.kind === 'phone' && areParsed(values, region)) {
    return { code: language.phone(cell, language.text(region ?? '')) };
  }
  return { code: isTranslated(match) ? language.supplyType(cell, supplyTypes(values)) : cell };
}

/** Age of the youngest account holder, in years. */
const YOUNGEST = 16;

/** Returns the last year that a year of two digits can mean in a column. */
function latestYearOf({ field }: PlannedColumn, latestYear: number): number {
  return field.path.endsWith('.date_of_birth') ? latestYear - YOUNGEST : latestYear;
}

/** Returns whether the values of a supply type are words of the export. */
export function isTranslated({ file, column, field: { kind } }: PlannedColumn): boolean {
  return kind === 'supplyType' && valuesOf(file, column).some((value) => value !== 'ELECTRICITY' && value !== 'GAS');
}

/** Returns the object of a supply point of a related export. */
export function pointCode(
  { points }: Related,
  { supplyType }: Plan,
  language: Language,
  settings: RecordSettings,
): string {
  const fields = points.map((match) => [lastName(match.field.path), fieldCode(match, language, settings).code]);
  if (!fields.some(([name]) => name === 'supply_type'))
    fields.push(['supply_type', typeCode(supplyType, language.text).code]);
  return `{ ${fields.map(([name, code]) => `${name}: ${code}`).join(', ')} }`;
}

function withQuestion({ code, remark }: FieldCode, { question }: PlannedColumn): FieldCode {
  const remarks = [remark, question].filter((one) => one !== undefined);
  return { code, remark: remarks.length === 0 ? undefined : remarks.join('; ') };
}

/** The energy of the points. Two points of a row have the start of the first one too. */
function typeCodes({ supplyType }: Plan, codes: FieldCodes, { text }: Language): [path: string, code: FieldCode][] {
  const type = `${POINT}.supply_type`;
  if (codes.has(`${SECOND_POINT}.identifier`)) {
    const start = codes.get(`${POINT}.supply_start_date`);
    return [
      [type, { code: text('ELECTRICITY') }],
      [`${SECOND_POINT}.supply_type`, { code: text('GAS') }],
      ...(start === undefined ? [] : [[`${SECOND_POINT}.supply_start_date`, start] as [string, FieldCode]]),
    ];
  }
  return codes.has(type) ? [] : [[type, typeCode(supplyType, text)]];
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

/** A column without a field, with what it may be. */
export interface LeftColumn {
  file: string;
  column: string;
  remark: string | undefined;
}

/** Returns the columns of all exports that make no field. */
export function leftColumns({ file, unmatched, related }: Plan): LeftColumn[] {
  const all = [{ file, unmatched }, ...related].flatMap(({ file: { table }, unmatched: columns }) =>
    columns.map((one) => ({ ...one, table })),
  );
  return all.map(({ table, ...one }) => ({ file: table, column: one.column, remark: remarkOn(one) }));
}

/** Says for which field a column may be, or in which part of a record its data belong. */
function remarkOn({ column, candidate, point }: UnmatchedColumn): string | undefined {
  if (candidate !== undefined) {
    return `${candidate.replaceAll('.0.', '[0].').replace('.1.', '[1].')}?${point === undefined ? '' : ` ${point}`}`;
  }
  const place = PLACES.find(([words]) => words.test(column))?.[1];
  return place === undefined ? undefined : `${place} (docs/fields.md)`;
}

const PLACES = [
  [/saldo|solde|balance|kontostand/i, 'an opening balance is a transaction'],
  [/bemerk|remar|notes?$|comment|observ|opmerk/i, 'a remark is a note'],
  [/iban|mandat/i, 'a mandate is a payment instruction of its supply point; an IBAN has no field'],
  [
    /instal+ment|abschlag|mensualit|acompte|termijnbedrag|cuota/i,
    'an instalment is a payment schedule of its supply point',
  ],
  [/tari[fe]/i, 'a tariff is an agreement of its supply point'],
  [/consent|einwillig|toestemming/i, 'a consent is consent_data of its supply point'],
] as const;
