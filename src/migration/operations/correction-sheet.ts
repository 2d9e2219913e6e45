/**
 * Exports `isCorrectionSheet` and `correctedEntries`: rejected.csv with the column `new value` filled in becomes entries of rejected.jsonl
 * that are corrected, which `retry` reads.
 */

import { isObject, valueAt } from '../../../schemas/objects.js';
import { recordFindings } from '../../validation/records/record-findings.js';
import { type CorrectedEntry, entryIn, parsed } from '../input/corrected-lines.js';
import { openSheet } from '../input/csv/sheet.js';
import { InputError } from '../input/input-error.js';
import { fullPathOf } from '../report/result-files/input-column.js';
import { linesOfOwn } from '../shared/regular-file.js';

/** The columns that `retry` reads. */
const COLUMNS = ['file', 'line', 'key', 'field', 'new value'];

/** As a new value: removes the field. */
const REMOVE = '<remove>';

/** Returns whether the file is a CSV file with the columns of rejected.csv. */
export async function isCorrectionSheet(path: string, encoding?: string): Promise<boolean> {
  if (!/\.csv$/i.test(path)) return false;
  // What is wrong with an input is said where inputs are opened.
  const sheet = await openSheet(path, encoding).catch((error: unknown) => {
    if (error instanceof InputError) return undefined;
    throw error;
  });
  if (sheet === undefined) return false;
  const { header = [], rows } = sheet;
  await rows.return(undefined);
  return COLUMNS.every((name) => header.includes(name));
}

interface NewValue {
  row: number;
  field: string;
  text: string;
}

/**
 * Yields an entry with the corrected record, as a line of JSON, for each record with a new value. `rejected`: path of rejected.jsonl.
 * Throws an `InputError` for a row that corrects nothing, before the first entry or at the end.
 */
export async function* correctedEntries(path: string, rejected: string, encoding?: string): AsyncGenerator<string> {
  const byRecord = await newValuesIn(path, encoding);
  if (byRecord.size === 0) {
    throw new InputError(
      `${path}: the column "new value" is empty in every row. Fill it in for the fields to correct, and save the sheet as CSV.`,
    );
  }
  for await (const entry of entriesIn(rejected)) {
    const id = idOf(entry.source, String(entry.line), entry.number ?? '');
    const values = byRecord.get(id);
    if (values === undefined) continue;
    byRecord.delete(id);
    yield `${JSON.stringify({ ...entry, original: correctedRecord(entry, values, path) })}\n`;
  }
  for (const [{ row }] of byRecord.values()) {
    throw new InputError(
      `${path}:${row}: ${rejected} has no record with this file, line and key. Leave these cells as they are in rejected.csv of the run, and remove rows of records that are not rejected any more.`,
    );
  }
}

async function* entriesIn(path: string): AsyncGenerator<CorrectedEntry> {
  for await (const text of linesOfOwn(path)) {
    const entry = entryIn({ text });
    if (entry !== undefined) yield entry;
  }
}

/** Resolves with the rows that have a new value, by record. */
async function newValuesIn(
  path: string,
  encoding: string | undefined,
): Promise<Map<string, [NewValue, ...NewValue[]]>> {
  const byRecord = new Map<string, [NewValue, ...NewValue[]]>();
  const { rows } = await openSheet(path, encoding);
  for await (const { line: row, cell, isWhole } of rows) {
    if (!isWhole) throw new InputError(`${path}:${row}: expected as many cells as the header has.`);
    const [text, field] = [cell('new value'), cell('field')];
    if (text === '') continue;
    const id = idOf(cell('file'), cell('line'), cell('key'));
    const values = byRecord.get(id);
    const other = values?.find((one) => one.field === field && one.text !== text);
    if (other !== undefined) {
      throw new InputError(`${path}:${row}: row ${other.row} has another new value for this field. Keep one of them.`);
    }
    if (values === undefined) byRecord.set(id, [{ row, field, text }]);
    else values.push({ row, field, text });
  }
  return byRecord;
}

function idOf(...key: readonly string[]): string {
  return JSON.stringify(key);
}

function correctedRecord({ original }: CorrectedEntry, values: readonly NewValue[], path: string): unknown {
  const record = typeof original === 'string' ? parsed(original) : original;
  for (const { row, field, text } of values) {
    const refuse = (why: string) => new InputError(`${path}:${row}: ${why}`);
    if (!isObject(record)) {
      throw refuse(
        'the line has no record to correct. Correct it in the export, and give that to data-import-sdk run.',
      );
    }
    const names = field === '' ? [] : fullPathOf(field, record);
    const name = names.at(-1);
    const parent = valueAt(record, names.slice(0, -1));
    if (name === undefined || typeof parent !== 'object' || parent === null || names.includes('*')) {
      throw refuse(
        `the record has no place for ${field === '' ? 'a value without a field' : field}. Correct its entry in rejected.jsonl, and give that to retry.`,
      );
    }
    setValue(parent as Record<string, unknown>, name, text, record, names.join('.'));
    if (typeof (parent as Record<string, unknown>)[name] === 'number' && MAY_BE_THOUSANDS.test(text)) {
      throw refuse(
        `${text} may be a thousand times as much in another language. Write it without a mark for thousands, and with a dot and another number of decimals: 1234 or 1.2340.`,
      );
    }
  }
  return record;
}

/** `1,234` and `1.234`: one of the two is a thousand in each language. */
const MAY_BE_THOUSANDS = /^-?\d{1,3}[.,]\d{3}$/;

/** Sets the value as the text, number or boolean with which the local check has no error at the field; else as the text. */
function setValue(parent: Record<string, unknown>, name: string, text: string, record: unknown, attr: string): void {
  if (text === REMOVE) {
    if (Array.isArray(parent)) parent.splice(Number(name), 1);
    else delete parent[name];
    return;
  }
  const number = /^-?\d{1,15}(?:[.,]\d{1,10})?$/.test(text) ? [Number(text.replace(',', '.'))] : [];
  const boolean = /^(?:true|false)$/i.test(text) ? [text.toLowerCase() === 'true'] : [];
  const isNumber = typeof parent[name] === 'number';
  for (const value of isNumber ? [...number, text, ...boolean] : [text, ...number, ...boolean]) {
    parent[name] = value;
    const isWrong = [...recordFindings(record, 0, { warnings: false })].some((finding) => finding.attr === attr);
    if (!isWrong) return;
  }
  parent[name] = text;
}
