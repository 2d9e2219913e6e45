/**
 * Exports `expectSameRecords`: files, mapping and query as in the last session must give the records of the ledger again. A mapping with
 * `new Date()` gives others, and items that differ would be sent a second time. No function here sends a request.
 */
import type { Input } from '../input/source.js';
import { idOf, type Ledger, type LedgerRecord } from '../ledger/ledger.js';
import { differingSteps, itemsIn } from '../record/items/item-states.js';
import { keyedRecord } from '../record/record-key.js';
import { createHashSet } from '../shared/hash-set.js';
import { RunTargetError } from './expect-target.js';

export interface SameRecordsOptions {
  /** By file path: number of records that the ledger had when the content was first used; later ones are compared. */
  since: ReadonlyMap<string, number>;
  /** Returns the path of the `source` of a record. */
  placeOf: (source: string) => string;
  /** What computes the records. */
  computedBy: 'mapping' | 'query';
}

const MET = 1;

/** Rejects with a `RunTargetError` for a record that is not computed again. Reads the input up to the last record of the ledger. */
export async function expectSameRecords(ledger: Ledger, input: Input, options: SameRecordsOptions): Promise<void> {
  const hashes = createHashSet();
  let unmet = 0;
  for await (const { hash } of comparable(ledger, options)) if (hashes.add(hash)) unmet++;
  if (unmet === 0) return;
  for await (const { hash } of input) {
    if (hashes.noteOf(hash) !== 0) continue;
    hashes.setNote(hash, MET);
    if (--unmet === 0) return;
  }
  for await (const record of comparable(ledger, options)) {
    if (hashes.noteOf(record.hash) !== 0) continue;
    const { kind, number, supplier } = record;
    const what = options.computedBy;
    const place = what === 'query' ? record.source : `${record.source}:${record.line}`;
    throw new RunTargetError(
      `${place}: the ${what} no longer gives ${kind} ${number} of ${supplier} as in the last session${await differenceIn(record, input)}, although ${FILES[what]} the same: ${CAUSES[what]}. ` +
        `Make the ${what} give the same each time, or accept other records with --changed-sources (changedSources of runMigration).`,
    );
  }
}

const FILES = { mapping: 'file and mapping are', query: 'query and sources are' };

const CAUSES = {
  mapping: 'it uses the date, a random number, or a file or service that has changed',
  query: 'it uses the date, a random number, or a list without an order',
};

/** Yields the records that have the hash of their line in the input. */
async function* comparable(ledger: Ledger, { since, placeOf }: SameRecordsOptions): AsyncGenerator<LedgerRecord> {
  let position = 0;
  for await (const record of ledger.list()) {
    const from = since.get(placeOf(record.source));
    if (from !== undefined && position >= from && record.correctedFrom === null) yield record;
    position++;
  }
}

/** Returns the parts of the record that differ, such as ` (notes)`; empty if the input has no such record. */
async function differenceIn(record: LedgerRecord, input: Input): Promise<string> {
  const id = idOf(record);
  for await (const item of input) {
    const keyed = keyedRecord(item);
    if (keyed === undefined || idOf(keyed.key) !== id) continue;
    const steps = differingSteps(record.items, itemsIn(keyed.record));
    return ` (${steps.length === 0 ? record.kind : steps.join(', ')})`;
  }
  return '';
}
