/** Exports `keyOf` and others: the key of a record and its contracts. Payloads may be unchecked. */

import { hash } from 'node:crypto';
import { fieldOf } from '../../../schemas/objects.js';
import { select } from '../../validation/path-patterns.js';
import { canonicalJson } from '../../validation/records/canonical-json.js';
import type { ImportRecord, PopulateRecord } from '../../validation/records/import-record.js';
import { isScientificNotation } from '../../validation/warnings/value-forms.js';
import type { InputLine } from '../input/source.js';
import { idOf, type Ledger, type LedgerRecord, type RecordKey, type RecordKind } from '../ledger/ledger.js';

/** A batch of supply points has no number: 128 bits of its content tell it from others. */
const DIGITS_OF_BATCH = 32;

/** Returns the key of a record; undefined if an identifier is missing, or if its number has lost its digits and tells no records apart. */
export function keyOf(record: ImportRecord): RecordKey | undefined {
  if ('business' in record) {
    const supplier = text(record, 'business', 'import_supplier_code');
    const number = numberOf(record, 'business', 'external_business_identifier');
    return supplier && number ? { supplier, kind: 'business', number } : undefined;
  }
  if (isPopulate(record))
    return { supplier: '', kind: 'populate', number: hash('sha256', canonicalJson(record)).slice(0, DIGITS_OF_BATCH) };
  const supplier = text(record, 'account', 'import_supplier');
  const number = numberOf(record, 'account', 'external_account_number');
  return supplier && number ? { supplier, kind: 'account', number } : undefined;
}

/** Returns a key for a `HashSet`. */
export function hashOfKey(key: RecordKey): string {
  return hash('sha256', idOf(key));
}

/** Resolves with the records of the ledger that have this number: one for each supplier, if none is given. */
export async function recordsWith(
  { kind, number, supplier }: { kind: RecordKind; number: string; supplier: string | undefined },
  ledger: Ledger,
): Promise<LedgerRecord[]> {
  const found: LedgerRecord[] = [];
  const records = supplier === undefined ? ledger.list({ kind }) : [await ledger.find({ kind, number, supplier })];
  for await (const record of records) if (record?.number === number) found.push(record);
  return found;
}

/** Returns the record of a line with its key; undefined if the line has no record, or the record has no key. */
export function keyedRecord(item: Pick<InputLine, 'read'>): { record: ImportRecord; key: RecordKey } | undefined {
  const read = item.read();
  const key = 'record' in read ? keyOf(read.record) : undefined;
  return 'record' in read && key !== undefined ? { record: read.record, key } : undefined;
}

/** Returns whether the record is a batch of supply points. These have no import supplier, and their content is their key. */
export function isPopulate(record: ImportRecord): record is PopulateRecord {
  return 'populate' in record && !('account' in record) && !('business' in record);
}

/** A single surrogate, such as `\ud800`: valid in JSON, not in UTF-8, so that two keys would be equal in the ledger. */
const HALF_A_CHARACTER = /\p{Surrogate}/u;

const OF_BUSINESS = [
  ['business', 'import_supplier_code'],
  ['business', 'external_business_identifier'],
] as const;
const OF_ACCOUNT = [
  ['account', 'import_supplier'],
  ['account', 'external_account_number'],
] as const;

/** Returns the part of the record's key that the ledger cannot store unchanged; undefined if it can store all parts. */
export function illFormedKey(record: ImportRecord): string | undefined {
  const parts = 'business' in record ? OF_BUSINESS : OF_ACCOUNT;
  return parts.find((part) => HALF_A_CHARACTER.test(text(record, ...part) ?? ''))?.join('.');
}

/** Returns the identifiers of the contracts that a business declares. */
export function contractsOf(record: ImportRecord): string[] {
  if (!('business' in record)) return [];
  const found = select(record, 'business.business.business_contracts.*.identifier');
  return found.flatMap(({ value }) => (typeof value === 'string' ? [value] : []));
}

/** Returns the identifier of the contract by which an account belongs to a business; undefined for other accounts. */
export function contractOf(record: ImportRecord): string | undefined {
  return text(record, 'account', 'business', 'business_contract_identifier');
}

function numberOf(record: ImportRecord, part: string, field: string): string | undefined {
  const number = text(record, part, field);
  return number === undefined || isScientificNotation(number) ? undefined : number;
}

/** Does not use `select`, because this is called for every record. */
function text(record: ImportRecord, ...path: readonly string[]): string | undefined {
  let value: unknown = record;
  for (const name of path) value = fieldOf(value, name);
  return typeof value === 'string' ? value : undefined;
}

/** Identifies a business contract among those of all suppliers. */
export function contractId(supplier: string, contract: string): string {
  return JSON.stringify([supplier, contract]);
}
