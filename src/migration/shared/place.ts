/** Exports the place of a record or a line in messages: `placeOf` with its path, `placeInWords` with the name of its file; and `linePlace`. */
import { basename } from 'node:path';
import { withoutIndexes } from '../../validation/path-patterns.js';

/** Files with a record, or a row, in each line, and standard input. Those of queries, modules and programs have no lines. */
const WITH_LINES = /\.(?:jsonl|ndjson|json|csv)(?:\.gz)?$|^-$/i;

/** Place of a record. */
export interface LinePlace {
  source: string;
  line: number;
  /** Description of the record, if `line` is not a line of a file. */
  label?: string;
}

/** What has a place. A line in the ledger has null for no label. */
export type Placed = Omit<LinePlace, 'label'> & { label?: string | null };

/** Returns the place only. */
export function linePlace({ source, line, label }: Placed): LinePlace {
  return { source, line, ...(label && { label }) };
}

const QUERY = /\.sql$/i;

/** Returns the label of a record of a query, as its line has it. The number of supply points is none of the input. */
export function labelOf(record: { source: string; kind: string; number: string }): string | null {
  const { source, kind, number } = record;
  return QUERY.test(source) && kind !== 'populate' ? `${kind} ${number}` : null;
}

/** Returns `in/customers.csv:34`; for a record that is in no line of a file its label, `customers.sql: account A-17`, or `input record 34`. */
export function placeOf({ source, line, label }: Placed): string {
  if (label) return `${source}: ${label}`;
  return WITH_LINES.test(source) ? `${source}:${line}` : `${source} record ${line}`;
}

/**
 * Returns the place with the last part of the path, and with `attr` if that has an index: `customers.csv:34`,
 * `input.jsonl:2 transactions.0.amount`, `customers.sql: account A-17`.
 */
export function placeInWords({ source, attr = '', ...place }: Placed & { attr?: string }): string {
  const words = placeOf({ ...place, source: basename(source) });
  return attr === withoutIndexes(attr) ? words : `${words} ${attr}`;
}
