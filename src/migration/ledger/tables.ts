/** The tables of a ledger in a database, and how a record lies in them. */
import type { Generated, Insertable, Selectable } from 'kysely';
import { fromColumn, toColumn } from './column-text.js';
import { itemsFromColumn, itemsToColumn } from './items-column.js';
import type { End, Lacking, LedgerError, LedgerRecord, RecordKind, Step } from './ledger.js';

export interface Tables {
  record: RecordTable;
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
  /** null in a row that an earlier version wrote. */
  content_hash: string | null;
  done: Step | null;
  intent: Step | null;
  intent_at: string | null;
  intent_hash: string | null;
  /** 1 for true. */
  intent_once: number | null;
  end: End | null;
  platform_number: string | null;
  /** JSON: a list of steps. */
  unknown: string;
  /** JSON: a list of errors. */
  errors: string;
  /** JSON of what an account lacks. */
  lacking: string | null;
  /** JSON of its items and their outcomes; null in a row that an earlier version wrote. */
  items: string | null;
  contract: string | null;
  source: string;
  line: number;
  updated_at: string;
  /** Member of a fleet that has it. Only where a fleet was, as what follows. */
  owner: Generated<string | null>;
  /** An account whose business has not come to be. */
  waits: Generated<boolean>;
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

/** A record as it is written. */
export type Row = Insertable<RecordTable>;

/** How an empty list lies in a column, as most of them are. */
export const NO_ERRORS = '[]';

function textOf(list: readonly unknown[]): string {
  return list.length === 0 ? NO_ERRORS : JSON.stringify(list);
}

function listIn<Item>(text: string): Item[] {
  return text === NO_ERRORS ? [] : JSON.parse(text);
}

/** Field by field, both ways: a literal that begins with a spread costs over ten times as much, and there are a million. */
export function rowOf(record: LedgerRecord): Row {
  return {
    supplier: toColumn(record.supplier),
    kind: record.kind,
    number: toColumn(record.number),
    version: record.version,
    hash: record.hash,
    content_hash: record.contentHash,
    done: record.done,
    intent: record.intent,
    intent_at: record.intentAt,
    intent_hash: record.intentHash,
    intent_once: record.intentOnce ? 1 : null,
    end: record.end,
    platform_number: record.platformNumber && toColumn(record.platformNumber),
    unknown: textOf(record.unknown),
    errors: textOf(record.errors),
    lacking: record.lacking && JSON.stringify(record.lacking),
    items: record.items && itemsToColumn(record.items),
    contract: record.contract && toColumn(record.contract),
    source: toColumn(record.source),
    line: record.line,
    updated_at: record.updatedAt,
  };
}

export function recordOf(row: Selectable<RecordTable>): LedgerRecord {
  return {
    supplier: fromColumn(row.supplier),
    kind: row.kind,
    number: fromColumn(row.number),
    version: row.version,
    hash: row.hash,
    contentHash: row.content_hash,
    done: row.done,
    intent: row.intent,
    intentAt: row.intent_at,
    intentHash: row.intent_hash,
    intentOnce: row.intent_once === 1,
    end: row.end,
    platformNumber: row.platform_number && fromColumn(row.platform_number),
    unknown: listIn<Step>(row.unknown),
    errors: listIn<LedgerError>(row.errors),
    lacking: row.lacking === null ? null : (JSON.parse(row.lacking) as Lacking),
    items: row.items === null ? null : itemsFromColumn(row.items),
    contract: row.contract && fromColumn(row.contract),
    source: fromColumn(row.source),
    line: row.line,
    updatedAt: row.updated_at,
  };
}
