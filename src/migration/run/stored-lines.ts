/** Exports the conversion between the lines of an input and those that the ledger stores. */
import type { InputLine } from '../input/source.js';
import type { ReadStoredLine, StoredLine } from '../ledger/ledger.js';
import type { ReadLine } from './input-pass.js';

export function toStore({ item, key, contentHash }: ReadLine): StoredLine {
  const { hash, source, line, text, label = null, cells, corrects = null } = item;
  const { supplier, kind, number } = key;
  const row = cells?.() ?? null;
  return { supplier, kind, number, hash, contentHash, source, line, text, label, cells: row, corrects };
}

export function fromStore(stored: ReadStoredLine): ReadLine {
  const { supplier, kind, number, hash, contentHash, source, line, text, record, label, cells, corrects } = stored;
  const item: InputLine = { source, line, text, hash, read: () => ({ record }) };
  if (label !== null) item.label = label;
  if (corrects !== null) item.corrects = corrects;
  if (cells !== null) item.cells = () => cells;
  return { item, payload: record, key: { supplier, kind, number }, contentHash };
}
