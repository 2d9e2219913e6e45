/**
 * For the sheets that people fill in, rejected.csv and unknown.csv. Exports `otherCellsIn`, which finds a row whose cells are of another record
 * than its hash; `namesRecord`, `mayBecome`; and `unusableRows`, the message about rows that cannot be used.
 */
import { inCell, type SheetRow } from '../input/csv/edited-csv.js';
import { counted } from '../shared/format.js';
import { placeOf } from '../shared/place.js';

/** What the hash of a row stands for. */
export interface Owner {
  source: string;
  line: number;
  kind: string | null;
  number: string | null;
}

/** The further cells of a row: what it has, and what its hash expects, in words. */
export interface ExpectedCell {
  column: string;
  found: string;
  expected: string;
}

type Cells = Pick<SheetRow, 'cell'>;

/**
 * Returns a sentence about the cells that are not those of the hash of the row; undefined if all are. A spreadsheet may change the number, and
 * a new input the place: not both. `others`: further cells that differ. `isOther`: whether the number and place are those of another record.
 */
export function otherCellsIn(
  { cell }: Cells,
  owner: Owner,
  template: string,
  { others = [], isOther = false }: { others?: readonly ExpectedCell[]; isOther?: boolean } = {},
): string | undefined {
  const { source, line, number } = owner;
  const key = cell('key');
  const place = `${cell('file')}:${cell('line')}`;
  const isKey = isNumber(key, number);
  const isPlace = cell('line') === String(line) && nameOf(cell('file')) === nameOf(source);
  const found: string[] = [];
  const isMoved = key !== '' && key === inCell(number ?? '');
  if (!isKey || isOther || !(isPlace || isMoved)) {
    found.push(key === '' || (isKey && !isOther && isMoved) ? place : `key ${key} at ${place}`);
  }
  for (const { column, found: other } of others) found.push(inWords(column, other));
  if (found.length === 0) return undefined;
  const name = number === null ? 'the line' : `${owner.kind} ${number}`;
  const expected = others.map((one) => ` with ${inWords(one.column, one.expected)}`).join('');
  return `the hash is that of ${name} at ${placeOf({ source, line })}${expected}, and the row has ${found.join(' and ')}. ${template} has the rows as they belong together: data-import-sdk report writes it again.`;
}

function inWords(column: string, text: string): string {
  return text === '' ? `no ${column}` : `${column} ${text}`;
}

/** Returns whether the number and place of a row are those of the record. */
export function namesRecord({ cell }: Cells, { source, line, number }: Omit<Owner, 'kind'>): boolean {
  return cell('file') === inCell(source) && cell('line') === String(line) && isNumber(cell('key'), number);
}

/** An empty cell, or a column that was deleted, contradicts nothing. */
function isNumber(key: string, number: string | null): boolean {
  return key === '' || (number !== null && mayBecome(number, key));
}

/** The folder may have moved. */
function nameOf(path: string): string | undefined {
  return path.split(/[\\/]/).at(-1);
}

const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:E[+-]?\d+)?$/i;
/** A spreadsheet keeps no more digits of a number. */
const DIGITS = 15;
/** What a spreadsheet takes for a date, and dates as it shows them. */
const DATE = /^(?:\d{1,4}|\p{L}{3,9})[-/. ]?\d{1,4}(?:[-/.]\d{1,4})?$/u;
const SHOWN_DATE = /^(?:\d{1,4}|\p{L}{3,9})\.?[-/. ]{1,2}(?:\d{1,4}|\p{L}{3,9})\.?(?:[-/. ]\d{2,4})?(?: [\d:]+)?$/u;
const MONTH = /^(?:jan|f[eé]v|feb|m[aä]r|a[pv]r|ma[iy]|ju[inl]|ao[uû]|aug|sep|o[ck]t|nov|d[eé][cz])/i;

/** Returns whether a spreadsheet may show a text as this cell: it takes texts for numbers and dates. */
export function mayBecome(text: string, cell: string): boolean {
  if (cell === inCell(text)) return true;
  const [from = '', to = ''] = [text, cell].map((one) => one.replaceAll(/[\s']/g, '').replace(',', '.'));
  if (NUMBER.test(from) && NUMBER.test(to)) {
    const digits = to.replace(/E.*/i, '').replaceAll(/\D/g, '').length;
    const isRounded = digits > DIGITS || /E/i.test(to);
    const tolerance = isRounded ? Math.abs(Number(from)) * 10 ** (1 - Math.min(digits, DIGITS)) : 0;
    return Math.abs(Number(from) - Number(to)) <= tolerance;
  }
  const isDate = DATE.test(text) && (/^\d/.test(text) || MONTH.test(text));
  return isDate && SHOWN_DATE.test(cell) && formOf(cell) !== formOf(text);
}

function formOf(text: string): string {
  return text.replaceAll(/\d+/g, '0');
}

/** A row that cannot be used. */
export interface Refused {
  row: number;
  why: string;
}

/** Further rows that cannot be used are counted. */
export const MOST_LISTED = 20;

/** Returns the message about rows that cannot be used: `result` says what the command has not done therefore. */
export function unusableRows(path: string, result: string, refused: readonly Refused[]): string {
  const listed = [...refused].sort((one, other) => one.row - other.row).slice(0, MOST_LISTED);
  const more = refused.length - listed.length;
  return [
    `${counted(refused.length, 'row')} cannot be used, so that ${result}. Correct ${refused.length === 1 ? 'it' : 'them'}, and give the sheet again:`,
    ...listed.map(({ row, why }) => `${path}:${row}: ${why}`),
    ...(more > 0 ? [`and ${counted(more, 'more row')}`] : []),
  ].join('\n');
}
