/** Exports the conversion between the lines of an input and those that the ledger stores. */
import type { ImportRecord } from '../../validation/records/import-record.js';
import type { Cells, InputLine } from '../input/source.js';
import type { StoredLine } from '../ledger/ledger.js';
import type { ReadLine } from './input-pass.js';

export function toStore({ item, key, contentHash }: ReadLine): StoredLine {
  const { hash, source, line, text, label = null, cells, corrects = null } = item;
  const { supplier, kind, number } = key;
  const row = cells === undefined ? null : JSON.stringify(cells());
  return { supplier, kind, number, hash, contentHash, source, line, text, label, cells: row, corrects };
}

/** The text was checked before it was stored. */
export function fromStore(stored: StoredLine): ReadLine {
  const { supplier, kind, number, hash, contentHash, source, line, text, label, corrects } = stored;
  const payload = JSON.parse(text) as ImportRecord;
  const item: InputLine = { source, line, text, hash, read: () => ({ record: payload }) };
  if (label !== null) item.label = label;
  if (corrects !== null) item.corrects = corrects;
  if (stored.cells !== null) item.cells = () => cellsOf(stored);
  return { item, payload, key: { supplier, kind, number }, contentHash };
}

export function cellsOf({ cells }: StoredLine): Cells {
  return cells === null ? [] : JSON.parse(cells);
}
