/**
 * Exports `isCorrectionSheet` and `correctedEntries`: rejected.csv with the column `new value` filled in becomes entries of rejected.jsonl
 * that are corrected, which `retry` reads.
 */

import { dirname, join } from 'node:path';
import { isObject, valueAt } from '../../../schemas/objects.js';
import { presentablePath } from '../../errors/items.js';
import type { Profile } from '../../validation/profile.js';
import { recordFindings } from '../../validation/records/record-findings.js';
import { openSheet } from '../input/csv/edited-csv.js';
import { isExact, readingsOf } from '../input/csv/mapping/parse-decimal.js';
import { InputError } from '../input/input-error.js';
import { type CorrectedEntry, entryIn, parsed } from '../input/read-corrected-lines.js';
import { firstBytes, readChunks } from '../input/text/read-chunks.js';
import { fullPathOf } from '../report/result-files/input-column.js';
import { contentMark, HASH, REJECTED_CSV } from '../report/result-files/write-rejected-csv.js';
import { linesOfOwn } from '../shared/regular-file.js';
import { type Refused, unusableRows } from './cells-of-row.js';
import { createRowCheck, groupsOf, type NewValue, REMOVE } from './rows-of-entries.js';

/** The columns that a sheet must have. It is recognised by most of them. */
const COLUMNS = ['field', 'new value', HASH, 'file', 'line'];

/** What follows from rows that cannot be used. */
export const NOT_USED = 'no row of the sheet is used';

/** Returns whether the first lines of a CSV file have the columns of rejected.csv. What is wrong with a file is said where it is opened. */
export async function isCorrectionSheet(path: string): Promise<boolean> {
  if (!/\.csv$/i.test(path)) return false;
  const first = await firstBytes(readChunks(path)).catch(() => Buffer.alloc(0));
  // The names are ASCII, so that they are the same in each encoding but UTF-16, which has a 0 beside each character.
  const lines = first
    .toString('latin1')
    .replaceAll('\0', '')
    .trimStart()
    .split(/[\r\n]+/);
  // A spreadsheet may write sep=; above the header.
  const names = lines.slice(0, 2).flatMap((line) => line.split(/[^\w ]/).map((name) => name.trim()));
  const found = COLUMNS.filter((name) => names.includes(name));
  return found.length > (found.includes('new value') ? 1 : 2);
}

class UnusableRow extends Error {
  constructor(
    readonly row: number,
    why: string,
  ) {
    super(why);
  }
}

/**
 * Yields an entry with the corrected record, as a line of JSON, for each record with a new value. `rejected`: path of rejected.jsonl. The
 * content of the line identifies a record: its number may have changed in the input and, in a spreadsheet, in the sheet. Calls `leftOut`
 * for a row that cannot be used: its record stays rejected, with all of its rows. Throws an `InputError` for a file that is no correction
 * sheet and, after the last entry, for one with rows whose cells are of several records: no row may be used then.
 */
export async function* correctedEntries(
  path: string,
  rejected: string,
  leftOut: (row: Refused) => void,
  { encoding, profile }: { encoding?: string | undefined; profile?: Profile | undefined } = {},
): AsyncGenerator<string> {
  const rows = await newValuesIn(path, encoding);
  if (rows.length === 0) {
    throw new InputError(
      `${path}: the column "new value" is empty in every row. Fill it in for the fields to correct, and save the sheet as CSV.`,
    );
  }
  const byHash = groupsOf(rows, ({ cell }) => cell(HASH));
  const check = createRowCheck(rows, join(dirname(rejected), REJECTED_CSV));
  const met = new Set<string>();
  for await (const text of linesOfOwn(rejected)) {
    const entry = entryIn({ text });
    if (entry === undefined) continue;
    check.add(entry);
    const hash = contentMark(entry.hash);
    const values = byHash.get(hash);
    if (values === undefined) continue;
    met.add(hash);
    let original: unknown;
    try {
      original = correctedRecord(entry, values, profile);
    } catch (error) {
      if (!(error instanceof UnusableRow)) throw error;
      leftOut({ row: error.row, why: error.message });
      continue;
    }
    yield `${JSON.stringify({ ...entry, original })}\n`;
  }
  const refused = check.refused();
  if (refused.length > 0) throw new InputError(`${path}: ${unusableRows(path, NOT_USED, refused)}`);
  for (const [hash, [first]] of byHash) {
    if (met.has(hash) || first === undefined) continue;
    const { row, cell } = first;
    leftOut({
      row,
      why: `${rejected} has no entry of the line that was at ${cell('file')}:${cell('line')} (${HASH} ${hash}): it was corrected or changed since the sheet was written. Take the rows from rejected.csv of the last session, or remove this row.`,
    });
  }
}

/** Resolves with the rows that have a new value. */
async function newValuesIn(path: string, encoding: string | undefined): Promise<NewValue[]> {
  const values: NewValue[] = [];
  const { header = [], rows } = await openSheet(path, encoding);
  const missing = COLUMNS.find((name) => !header.includes(name));
  if (missing !== undefined) {
    throw new InputError(
      `${path}: the column "${missing}" is missing. Take rejected.csv of the run again, and keep all of its columns.`,
    );
  }
  for await (const { line: row, cell, flaw } of rows) {
    if (flaw !== undefined) throw new InputError(`${path}:${row}: ${flaw}`);
    const given = cell('new value');
    if (given === '') continue;
    // A spreadsheet program begins a text with a capital.
    const text = given.toLowerCase() === REMOVE ? REMOVE : given;
    values.push({ row, cell, field: cell('field'), text });
  }
  return values;
}

/** Where a value is in a record. */
interface Place {
  parent: Record<string, unknown>;
  name: string;
  /** The path of both. */
  attr: string;
}

function correctedRecord(
  { original }: CorrectedEntry,
  values: readonly NewValue[],
  profile: Profile | undefined,
): unknown {
  const record = typeof original === 'string' ? parsed(original) : original;
  const removed = new Map<string, Place>();
  for (const { row, field, text } of values) {
    const refuse = (why: string) => new UnusableRow(row, why);
    const other = values.find((one) => one.row < row && one.field === field && one.text !== text);
    if (other !== undefined) throw refuse(`row ${other.row} has another new value for this field. Keep one of them.`);
    if (!isObject(record)) {
      throw refuse(
        'the line has no record to correct. Correct it in the export, and give that to data-import-sdk run.',
      );
    }
    if (field.includes('*')) {
      const hidden = hiddenPlaces(field, record, profile);
      if (hidden.length > 0 && text !== REMOVE) {
        throw refuse(
          `${field}: the name of this field is not shown, so that it can only be removed. Write ${REMOVE}, or correct the entry in rejected.jsonl, and give that to retry.`,
        );
      }
      const rows = values.filter((one) => one.field === field).length;
      if (hidden.length > 0 && rows >= hidden.length) {
        for (const place of hidden) removed.set(place.attr, place);
        continue;
      }
      if (hidden.length > 0) {
        throw refuse(
          `${field}: the record has ${hidden.length} fields of which only * is shown, and the sheet removes ${rows}. Write ${REMOVE} into all of their rows, or correct the entry in rejected.jsonl, and give that to retry.`,
        );
      }
    }
    const place = field === '' ? undefined : placeOf(field, record);
    if (place === undefined) {
      throw refuse(
        `the record has no place for ${field === '' ? 'a value without a field' : field}. Correct its entry in rejected.jsonl, and give that to retry.`,
      );
    }
    if (text === REMOVE) {
      removed.set(place.attr, place);
      continue;
    }
    const { parent, name } = place;
    setValue(place, text, record, profile);
    if (typeof parent[name] === 'string' && NUMBER_WITH_DECIMALS.test(text)) {
      throw refuse(
        `${text} has the decimals of a number, as a spreadsheet program adds them to an identifier. Write its digits only, in a cell that is formatted as text.`,
      );
    }
    if (typeof parent[name] === 'number' && readingsOf(text).length > 1) {
      throw refuse(
        `${text} may be a thousand times as much in another language. Write it without a mark for thousands, and with a dot and another number of decimals: 1234 or 1.2340.`,
      );
    }
  }
  // The last items first: removing an item moves those after it.
  const places = [...removed.values()].sort((one, other) => byNumber.compare(other.attr, one.attr));
  for (const { parent, name } of places) {
    if (Array.isArray(parent)) parent.splice(Number(name), 1);
    else delete parent[name];
  }
  return record;
}

const byNumber = new Intl.Collator('en', { numeric: true });

/** Returns the places of the findings whose path is shown as this one, in which \* replaces names. */
function hiddenPlaces(field: string, record: unknown, profile: Profile | undefined): Place[] {
  const attrs = [...recordFindings(record, 0, { profile, warnings: false })]
    .filter(({ attr }) => attr !== field && presentablePath(attr) === field)
    .map(({ attr }) => attr);
  return [...new Set(attrs)].flatMap((attr) => placeOf(attr, record) ?? []);
}

/** Returns the place of a path; undefined if the record has no such place. */
function placeOf(field: string, record: unknown): Place | undefined {
  const names = fullPathOf(field, record);
  const name = names.at(-1);
  const parent = valueAt(record, names.slice(0, -1));
  if (name === undefined || typeof parent !== 'object' || parent === null || names.includes('*')) return undefined;
  return { parent: parent as Record<string, unknown>, name, attr: names.join('.') };
}

/** `12345678901234,00`: a long number with the number format of a spreadsheet program. */
const NUMBER_WITH_DECIMALS = /^\d{5,}[.,]0+$/;

/** Sets the value as the text, number, boolean or date with which the local check has no error at the field; else as the text. */
function setValue({ parent, name, attr }: Place, text: string, record: unknown, profile: Profile | undefined): void {
  const number = numberIn(text);
  const boolean = /^(?:true|false)$/i.test(text) ? [text.toLowerCase() === 'true'] : [];
  const isNumber = typeof parent[name] === 'number';
  const others = [...boolean, ...dateIn(text)];
  for (const value of isNumber ? [...number, text, ...others] : [text, ...number, ...others]) {
    parent[name] = value;
    const isWrong = [...recordFindings(record, 0, { profile, warnings: false })].some((one) => one.attr === attr);
    if (!isWrong) return;
  }
  parent[name] = text;
}

/** Returns the number of a text such as `12,5` and `12,50-`; one of the two if it may be two. */
function numberIn(text: string): number[] {
  const [reading] = readingsOf(text);
  return reading !== undefined && isExact(reading.decimal) ? [Number(reading.decimal)] : [];
}

/** Returns the date of `31.12.2026`, into which a German spreadsheet changes 2026-12-31. */
function dateIn(text: string): string[] {
  const [, day = '', month = '', year] = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text) ?? [];
  return year === undefined ? [] : [`${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`];
}
