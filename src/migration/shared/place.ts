/** Exports the place of a record or a line in messages: `placeOf` with its path, `placeInWords` with the name of its file. */
import { basename } from 'node:path';
import { withoutIndexes } from '../../validation/path-patterns.js';

/** Files with a record, or a row, in each line, and standard input. Those of queries, modules and programs have no lines. */
const WITH_LINES = /\.(?:jsonl|ndjson|json|csv)(?:\.gz)?$|^-$/i;

/** Returns `in/customers.csv:34`, and `customers.sql record 34` for a record that is in no line of a file. */
export function placeOf({ source, line }: { source: string; line: number }): string {
  return WITH_LINES.test(source) ? `${source}:${line}` : `${source} record ${line}`;
}

/**
 * Returns the place with the last part of the path, and with `attr` if that has an index: `customers.csv:34`,
 * `input.jsonl:2 transactions.0.amount`, `customers.sql record 34`.
 */
export function placeInWords({ source, line, attr = '' }: { source: string; line: number; attr?: string }): string {
  const place = placeOf({ source: basename(source), line });
  return attr === withoutIndexes(attr) ? place : `${place} ${attr}`;
}
