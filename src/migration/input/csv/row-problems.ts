/** Exports `problemOfRow`: why a row of a CSV file cannot be read. */
import { isUtf8 } from 'node:buffer';
import type { InputLine, ReadRecord } from '../source.js';
import { flawedItem, NOT_UTF8 } from '../text/json-lines.js';
import { problem, problemItem } from '../text/parse-record.js';
import type { Row } from './split-rows.js';

/** Returns the problem of a row; undefined if it can be read. `columns`: undefined for the header. */
export function problemOfRow(source: string, row: Row, columns: readonly string[] | undefined): InputLine | undefined {
  const [first] = row.lines;
  if (first.flaw !== undefined) return flawedItem(source, first);
  const found = columns === undefined ? problemOfHeader(row) : problemOfFields(row, columns);
  return found && problemItem(source, first.number, row.text, found);
}

const BAD_HEADER = problem(
  'invalid_csv',
  'The header is invalid: expected UTF-8, and column names that are not empty and differ. The file was not read.',
);

function problemOfHeader({ fields, lines }: Row): ReadRecord | undefined {
  const isValid =
    fields !== undefined &&
    lines.every(({ bytes }) => isUtf8(bytes)) &&
    fields.every((name) => name !== '') &&
    new Set(fields).size === fields.length;
  return isValid ? undefined : BAD_HEADER;
}

function problemOfFields({ fields, lines }: Row, columns: readonly string[]): ReadRecord | undefined {
  if (!lines.every(({ bytes }) => isUtf8(bytes))) return NOT_UTF8;
  if (fields?.length === columns.length) return undefined;
  const what =
    fields === undefined
      ? 'The quotes of the row are unbalanced: write a quote inside a field twice, and the field in quotes'
      : `The row has ${fields.length} fields, and the header ${columns.length} columns`;
  return problem('invalid_csv', `${what}. Correct the row, or export the file again.`);
}
