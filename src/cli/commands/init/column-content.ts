/** Exports `fits` and `contentOf`: what the cells of a column are, by their form. */
import { namesSupply, supplyTypes } from './value-forms.js';

/** How the text of a cell becomes the value of a field. */
export type ValueKind =
  | 'text'
  | 'number'
  | 'name'
  | 'email'
  | 'date'
  | 'phone'
  | 'address'
  | 'postcode'
  | 'point'
  | 'supplyType';

const IBAN = /^[A-Z]{2}\d{2} ?(?:[A-Z0-9]{4} ?){2,7}[A-Z0-9]{0,4}$/;
const EMAIL = /^[^\s@]+@[^\s@]+$/;
const DATE = /^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}(?:[ T].*)?$|^(?:19|20)\d{6}$/;
const PHONE = /^(?:\+|00)?[\d ()./-]{6,22}$/;

/** Forms of supply points: electricity and gas in France (14 digits), ES, IT, DE, and EAN of BE and NL. */
const POINTS = [
  /^\d{14}$/,
  /^ES\d{16}[A-Z]{2}(?:\d[A-Z])?$/,
  /^IT\d{3}E\d{8,9}$/,
  /^DE[0-9A-Z]{31}$/,
  /^(?:54|87)\d{16}$/,
];

const compact = (text: string) => text.replace(/[ .]/g, '').toUpperCase();
const isIban = (text: string) => IBAN.test(text.trim().toUpperCase()) && !isPoint(text);
const isPoint = (text: string) => POINTS.some((form) => form.test(compact(text)));

/** Whether a cell can be a value of the kind. A name of a column is doubtful if fewer than half of its cells can. */
const CAN_BE: Readonly<Record<ValueKind, (text: string) => boolean>> = {
  text: () => true,
  number: (text) => !isIban(text) && !EMAIL.test(text),
  name: (text) => !EMAIL.test(text) && !DATE.test(text) && !/^\d+$/.test(text),
  email: (text) => EMAIL.test(text),
  date: (text) => DATE.test(text),
  phone: (text) => PHONE.test(text),
  address: (text) => !EMAIL.test(text) && !DATE.test(text) && !isPoint(text),
  postcode: (text) => text.length <= 10 && /\d/.test(text),
  point: (text) =>
    /^[A-Z0-9]{6,34}$/.test(compact(text).replaceAll('-', '')) && /\d{4}/.test(text) && !EMAIL.test(text),
  supplyType: namesSupply,
};

const isHalf = (values: readonly string[], is: (text: string) => boolean) =>
  values.filter(is).length * 2 >= values.length;

/** Returns whether the cells can be values of the kind; true without a cell. */
export function fits(kind: ValueKind, values: readonly string[]): boolean {
  return isHalf(values, CAN_BE[kind]);
}

/** Share of the cells that must have the form, if nothing else tells what the column is. */
const NEARLY_ALL = 0.95;

/** Returns what the cells certainly are; undefined if several kinds have their form. */
export function contentOf(values: readonly string[]): 'email' | 'point' | 'supplyType' | 'iban' | undefined {
  const are = (is: (text: string) => boolean) =>
    values.length > 0 && values.filter(is).length >= NEARLY_ALL * values.length;
  if (are((text) => EMAIL.test(text))) return 'email';
  if (are(isPoint)) return 'point';
  // A column with only one of them may have any word that begins so.
  const types = new Set(supplyTypes(values).values());
  if (types.size === 2 && !types.has(undefined)) return 'supplyType';
  return are(isIban) ? 'iban' : undefined;
}

/** An e-mail address, a date, an IBAN, a telephone number, a supply point: no name of a column. */
const DATA = [EMAIL, DATE, IBAN, /^\+?\d[\d ()./-]{5,}$/];

/** Returns whether the text is a value, and no name of a column. */
export function isValue(text: string): boolean {
  return DATA.some((form) => form.test(text.trim()));
}
