/** Exports the tables of a ledger, and the conversion between records and rows. */
import type { Generated, Insertable, Selectable } from 'kysely';
import type { ImportRecord } from '../../../validation/records/import-record.js';
import type { Cells } from '../../input/source.js';
import {
  type Decision,
  type Difference,
  type LedgerError,
  type LedgerRecord,
  type LedgerWarning,
  OUTCOMES,
  type Outcome,
  type ReadStoredLine,
  type RecordKind,
  STEPS,
  type Step,
  type StoredLine,
} from '../ledger.js';
import { fromColumn, toColumn } from './column-text.js';
import { DamagedRowError } from './damaged-row.js';
import { itemsFromColumn, itemsToColumn, listFromText, listToText } from './items-column.js';

export interface Tables {
  record: RecordTable;
  payload: PayloadTable;
  contract: ContractTable;
  fact: FactTable;
}

interface RecordTable {
  /** Order of first writing. */
  seq: Generated<number>;
  supplier: string;
  kind: RecordKind;
  number: string;
  version: number;
  hash: string;
  content_hash: string;
  corrected_from: string | null;
  done: Step | null;
  intent: Step | null;
  intent_at: string | null;
  intent_hash: string | null;
  /** 1 for true. */
  intent_once: number | null;
  stage_unanswered_at: string | null;
  outcome: Outcome | null;
  service_number: string | null;
  /** JSON: a list of steps. */
  unknown: string;
  /** JSON: a list of errors. */
  errors: string;
  /** JSON: a list of warnings; null for none. */
  warnings: string | null;
  /** JSON of its difference from the input, which begins with `{"is":"changed"` or `{"is":"removed"`. */
  difference: string | null;
  /** JSON of its items and what has become of them. */
  items: string;
  /** JSON: a list of decisions; null for none. */
  decisions: string | null;
  contract: string | null;
  source: string;
  line: number;
  updated_at: string;
  /** Worker that wrote it last. Only after a distributed run. */
  owner: Generated<string | null>;
}

/** A line of the input that is still needed. */
interface PayloadTable {
  /** Order of first storing. */
  seq: Generated<number>;
  /** Number of the reading that found it last. */
  reading: number;
  supplier: string;
  kind: RecordKind;
  number: string;
  hash: string;
  content_hash: string;
  source: string;
  line: number;
  label: string | null;
  cells: string | null;
  corrects: string | null;
  /** The record as JSON. */
  body: string;
}

/** A contract, and the business of the same supplier that declares it. */
interface ContractTable {
  supplier: string;
  contract: string;
  kind: 'business';
  number: string;
}

interface FactTable {
  name: string;
  value: string;
}

/** A row of a record. */
export type Row = Insertable<RecordTable>;

/** An empty list in a column, as most lists are. */
export const NO_ERRORS = '[]';

function textOf(list: readonly unknown[]): string {
  return list.length === 0 ? NO_ERRORS : JSON.stringify(list);
}

function listIn<Item>(text: string, isItem: (item: unknown) => item is Item): Item[] {
  if (text === NO_ERRORS) return [];
  const list: unknown = JSON.parse(text);
  expect(Array.isArray(list) && list.every(isItem));
  return list as Item[];
}

/** Returns the row of a record. Field by field: an object literal that begins with a spread takes ten times as long. */
export function rowOf(record: LedgerRecord): Row {
  return {
    supplier: toColumn(record.supplier),
    kind: record.kind,
    number: toColumn(record.number),
    version: record.version,
    hash: record.hash,
    content_hash: record.contentHash,
    corrected_from: record.correctedFrom,
    done: record.done,
    intent: record.intent,
    intent_at: record.intentAt,
    intent_hash: record.intentHash,
    intent_once: record.intentOnce ? 1 : null,
    stage_unanswered_at: record.stageUnansweredAt,
    outcome: record.outcome,
    service_number: record.serviceNumber && toColumn(record.serviceNumber),
    unknown: textOf(record.unknown),
    errors: textOf(record.errors),
    warnings: record.warnings.length === 0 ? null : JSON.stringify(record.warnings),
    difference: record.difference && JSON.stringify(record.difference),
    items: itemsToColumn(record.items),
    decisions: record.decisions.length === 0 ? null : decisionsToText(record.decisions),
    contract: record.contract && toColumn(record.contract),
    source: toColumn(record.source),
    line: record.line,
    updated_at: record.updatedAt,
  };
}

export type LineRow = Insertable<PayloadTable>;

export function rowOfLine(line: StoredLine, reading: number): LineRow {
  return {
    reading,
    supplier: toColumn(line.supplier),
    kind: line.kind,
    number: toColumn(line.number),
    hash: line.hash,
    content_hash: line.contentHash,
    source: toColumn(line.source),
    line: line.line,
    label: line.label && toColumn(line.label),
    cells: line.cells && JSON.stringify(line.cells),
    corrects: line.corrects,
    // JSON has no control character that a column cannot hold.
    body: line.text,
  };
}

/** Throws a `DamagedRowError` for an invalid row. */
export function lineOfRow(row: Selectable<PayloadTable>): ReadStoredLine {
  try {
    expect([row.supplier, row.number, row.hash, row.content_hash, row.source].every(isText) && KINDS.has(row.kind));
    expect([row.label, row.cells, row.corrects].every(isTextOrNull) && Number.isInteger(row.line));
    const record: unknown = JSON.parse(row.body);
    expect(typeof record === 'object' && record !== null && row.kind in record);
    return {
      supplier: fromColumn(row.supplier),
      kind: row.kind,
      number: fromColumn(row.number),
      hash: row.hash,
      contentHash: row.content_hash,
      source: fromColumn(row.source),
      line: row.line,
      text: row.body,
      record: record as ImportRecord,
      label: row.label && fromColumn(row.label),
      cells: row.cells === null ? null : cellsIn(row.cells),
      corrects: row.corrects,
    };
  } catch {
    throw new DamagedRowError(`row ${Number(row.seq)} of its table payload`);
  }
}

function cellsIn(text: string): Cells {
  const cells: unknown = JSON.parse(text);
  expect(Array.isArray(cells) && cells.every((cell) => Array.isArray(cell) && cell.length === 2 && cell.every(isText)));
  return cells as unknown as Cells;
}

/** Returns the record of a row. Throws a `DamagedRowError` for an invalid row. */
export function recordOf(row: Selectable<RecordTable>): LedgerRecord {
  try {
    expectColumns(row);
    return recordIn(row);
  } catch {
    throw new DamagedRowError(`row ${Number(row.seq)} of its table record`);
  }
}

function recordIn(row: Selectable<RecordTable>): LedgerRecord {
  return {
    supplier: fromColumn(row.supplier),
    kind: row.kind,
    number: fromColumn(row.number),
    version: row.version,
    hash: row.hash,
    contentHash: row.content_hash,
    correctedFrom: row.corrected_from,
    done: row.done,
    intent: row.intent,
    intentAt: row.intent_at,
    intentHash: row.intent_hash,
    intentOnce: row.intent_once === 1,
    stageUnansweredAt: row.stage_unanswered_at,
    outcome: row.outcome,
    serviceNumber: row.service_number && fromColumn(row.service_number),
    unknown: listIn(row.unknown, isStep),
    errors: listIn(row.errors, isLedgerError),
    warnings: row.warnings === null ? [] : listIn(row.warnings, isLedgerWarning),
    difference: row.difference === null ? null : differenceIn(row.difference),
    items: itemsFromColumn(row.items),
    decisions: row.decisions === null ? NO_DECISIONS : decisionsIn(row.decisions),
    contract: row.contract && fromColumn(row.contract),
    source: fromColumn(row.source),
    line: row.line,
    updatedAt: row.updated_at,
  };
}

/** Throws for values of other types: SQLite accepts a value of any type in any column. */
function expectColumns(row: Selectable<RecordTable>): void {
  expect(isText(row.supplier) && isText(row.number) && isText(row.hash) && isText(row.source));
  expect(isTextOrNull(row.service_number) && isTextOrNull(row.contract) && isText(row.content_hash));
  expect(isTextOrNull(row.corrected_from) && isTextOrNull(row.stage_unanswered_at));
  expect(isTextOrNull(row.intent_at) && isTextOrNull(row.intent_hash) && isText(row.updated_at));
  expect(KINDS.has(row.kind) && (row.outcome === null || ENDS.has(row.outcome)));
  expect((row.done === null || isStep(row.done)) && (row.intent === null || isStep(row.intent)));
  expect(Number.isInteger(row.version) && Number.isInteger(row.line));
}

function expect(isExpected: boolean): void {
  if (!isExpected) throw new TypeError('not what a run writes');
}

const KINDS: ReadonlySet<unknown> = new Set<RecordKind>(['business', 'account', 'populate']);
const ENDS: ReadonlySet<unknown> = new Set(OUTCOMES);
const ALL_STEPS: ReadonlySet<unknown> = new Set(STEPS);

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}

function isStep(value: unknown): value is Step {
  return ALL_STEPS.has(value);
}

function isLedgerError(value: unknown): value is LedgerError {
  if (typeof value !== 'object' || value === null) return false;
  const { step, code, attr, didYouMean, detail, count } = value as Partial<LedgerError>;
  const isCount = count === undefined || Number.isSafeInteger(count);
  const areTexts = [didYouMean, detail].every((text) => text === undefined || isText(text));
  return isStep(step) && isText(code) && isText(attr) && areTexts && isCount;
}

function isLedgerWarning(value: unknown): value is LedgerWarning {
  if (typeof value !== 'object' || value === null) return false;
  const { code, attr, count } = value as Partial<LedgerWarning>;
  return isText(code) && isText(attr) && Number.isSafeInteger(count);
}

function differenceIn(text: string): Difference {
  const found = JSON.parse(text) as Difference;
  const { is, contentHash, paths = [], added = [], removed = [], source, line, isAccepted } = found;
  expect(is === 'removed' || (is === 'changed' && isText(contentHash) && isText(source) && Number.isInteger(line)));
  expect([...paths, ...added, ...removed].every(isText) && (isAccepted === undefined || isAccepted === true));
  return found;
}

const NO_DECISIONS: readonly Decision[] = [];

function decisionsToText(decisions: readonly Decision[]): string {
  return JSON.stringify(
    decisions.map((one) => ({ ...one, items: one.items.length === 0 ? null : listToText(one.items) })),
  );
}

function decisionsIn(text: string): Decision[] {
  return (JSON.parse(text) as (Omit<Decision, 'items'> & { items: unknown })[]).map((found) => {
    const { step, as, at, isUsed, done, intentAt, items } = found;
    expect(isStep(step) && (as === 'done' || as === 'notDone') && isText(at) && typeof isUsed === 'boolean');
    expect((done === null || isStep(done)) && isTextOrNull(intentAt));
    return { step, as, at, isUsed, done, intentAt, items: items === null ? [] : listFromText(items) };
  });
}
