/** What a record says of itself and of what it belongs to. Payloads were not checked yet when this is asked. */

import { fieldOf } from '../../validation/objects.js';
import { select } from '../../validation/path-patterns.js';
import type { ImportRecord, PopulateRecord } from '../../validation/records/import-record.js';
import type { RecordKey } from '../ledger/ledger.js';
import { contentHashOf } from '../shared/content-hash.js';

/** undefined where the record lacks what identifies it. */
export function keyOf(record: ImportRecord): RecordKey | undefined {
  if ('business' in record) {
    const supplier = text(record, 'business', 'import_supplier_code');
    const number = text(record, 'business', 'external_business_identifier');
    return supplier && number ? { supplier, kind: 'business', number } : undefined;
  }
  if (isPopulate(record)) return { supplier: '', kind: 'populate', number: contentHashOf(record) };
  const supplier = text(record, 'account', 'import_supplier');
  const number = text(record, 'account', 'external_account_number');
  return supplier && number ? { supplier, kind: 'account', number } : undefined;
}

/** Supply points that are to be looked up: they are of no import supplier, and their content is their key. */
export function isPopulate(record: ImportRecord): record is PopulateRecord {
  return 'populate' in record && !('account' in record) && !('business' in record);
}

/** Half a character, such as `\ud800`: JSON can hold it, UTF-8 cannot, so that two keys would be one in a ledger. */
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

/** Identifiers of the contracts that a business declares. */
export function contractsOf(record: ImportRecord): string[] {
  if (!('business' in record)) return [];
  const found = select(record, 'business.business.business_contracts.*.identifier');
  return found.flatMap(({ value }) => (typeof value === 'string' ? [value] : []));
}

/** Identifier of the contract by which an account belongs to a business. */
export function contractOf(record: ImportRecord): string | undefined {
  return text(record, 'account', 'business', 'business_contract_identifier');
}

/** Every record is asked for these, so they go past `select`. */
function text(record: ImportRecord, ...path: readonly string[]): string | undefined {
  let value: unknown = record;
  for (const name of path) value = fieldOf(value, name);
  return typeof value === 'string' ? value : undefined;
}
