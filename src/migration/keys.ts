/** What a record says of itself and of what it belongs to. Payloads were not checked yet when this is asked. */
import type { BookRecord } from '../validation/book.js';
import { select } from '../validation/select.js';
import type { RecordKey } from './ledger/ledger.js';

/** undefined where the record lacks what identifies it. */
export function keyOf(record: BookRecord): RecordKey | undefined {
  if ('business' in record) {
    const supplier = text(record, 'business.import_supplier_code');
    const number = text(record, 'business.external_business_identifier');
    return supplier && number ? { supplier, kind: 'business', number } : undefined;
  }
  const supplier = text(record, 'account.import_supplier');
  const number = text(record, 'account.external_account_number');
  return supplier && number ? { supplier, kind: 'account', number } : undefined;
}

/** Identifiers of the contracts that a business declares. */
export function contractsOf(record: BookRecord): string[] {
  return texts(record, 'business.business.business_contracts.*.identifier');
}

/** Identifier of the contract by which an account belongs to a business. */
export function contractOf(record: BookRecord): string | undefined {
  return text(record, 'account.business.business_contract_identifier');
}

function text(record: BookRecord, path: string): string | undefined {
  return texts(record, path)[0];
}

function texts(record: BookRecord, path: string): string[] {
  return select(record, path).flatMap(({ value }) => (typeof value === 'string' ? [value] : []));
}
