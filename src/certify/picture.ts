/** Exports what a service has, or should have, as a list of things that can be compared: accounts, businesses and their items. */

import type { DeepReadonly, SandboxState } from '../sandbox/state/sandbox-state.js';
import type { ImportRecord } from '../validation/records/import-record.js';

export interface Thing {
  /** Such as `transaction T-1 of account A-1`. */
  label: string;
  /** `account A-1` or `business B-1`: the record that it belongs to. */
  record: string;
  count: number;
  /** The service does not recognise a repetition of its request. */
  isUnrepeatable: boolean;
  /** The fields of the last one, as the script sent them; of a note none, because the key has its text. */
  fields: Fields;
}

type Fields = Readonly<Record<string, unknown>>;

/** Returns the names of the fields that differ. Datetimes may be those of the execution. */
export function changedFields(one: Fields, other: Fields): string[] {
  const text = (value: unknown) => JSON.stringify(value)?.replace(DATETIME, '');
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter(
    (name) => text(one[name]) !== text(other[name]),
  );
}

/** Returns the names of the fields of the input that the service has not, or has otherwise. A script may add fields. */
export function fieldsNotKept(given: Fields, stored: Fields): string[] {
  return Object.keys(given).filter((name) => !isKept(given[name], stored[name]));
}

/** Without datetimes, as above. What is empty may be left out. */
function isKept(given: unknown, stored: unknown): boolean {
  if (given === null || given === undefined || given === '') return true;
  if (typeof given !== 'object') return changedFields({ given }, { given: stored }).length === 0;
  const names = Object.keys(given);
  if (names.length === 0) return true;
  if (typeof stored !== 'object' || stored === null) return false;
  if (Array.isArray(given) && Object.keys(stored).length !== given.length) return false;
  return names.every((name) => isKept((given as Fields)[name], (stored as Fields)[name]));
}

const DATETIME = /\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)/g;

/** The things by a key that contains their content. */
export type Picture = ReadonlyMap<string, Thing>;

interface Items {
  notes?: readonly { body?: string | undefined; document_paths?: unknown }[] | undefined;
  transactions?: readonly { transaction_id?: string | undefined }[] | undefined;
  statements?: readonly { statement_id?: string | undefined }[] | undefined;
  payment_instructions?: readonly { reference?: string | undefined }[] | undefined;
}

/** By the word with which a label begins. */
const UNREPEATABLE = /^(?:business|(?:a )?(?:statement|payment instruction)|supply point)\b/;

/** The service pins such a note itself (spec: Transactions, query parameters). */
const PINNED_BY_SERVICE = /^(?:Transaction \S+|A \w+ transaction) was imported\. Dated /;

export function pictureOfState({ suppliers, populate_batches }: DeepReadonly<SandboxState>): Picture {
  const picture = newPicture();
  for (const { code, accounts, businesses } of suppliers) {
    for (const { external_account_number, data, imported, duplicates = [] } of accounts) {
      if (imported === null) continue;
      const record = `account ${external_account_number}`;
      for (const created of [...duplicates, imported]) {
        picture.add(code, record, record, data);
        picture.addItems(code, record, created as Items);
      }
    }
    for (const { external_business_identifier, business, payment_instructions } of businesses) {
      const record = `business ${external_business_identifier}`;
      picture.add(code, record, record, business);
      picture.addItems(code, record, { payment_instructions });
    }
  }
  for (const { identifier } of populate_batches.flatMap(({ lookups }) => lookups)) {
    picture.add('', `supply point ${identifier}`, 'supply points');
  }
  return picture.things;
}

export function pictureOfInput(records: readonly ImportRecord[]): Picture {
  const picture = newPicture();
  for (const record of records) {
    if ('account' in record) {
      const { external_account_number, import_supplier: code, notes: staged = [] } = record.account;
      const name = `account ${external_account_number}`;
      const { notes = [], payment_instruction: one, payment_instructions = one === undefined ? [] : [one] } = record;
      // Notes are added below: a script may send them with the account or after it.
      const { notes: _, ...account } = record.account;
      picture.add(code, name, name, account);
      picture.addItems(code, name, { ...record, notes: [...staged, ...notes], payment_instructions });
    } else if ('business' in record) {
      const { external_business_identifier, import_supplier_code } = record.business;
      const name = `business ${external_business_identifier}`;
      picture.add(import_supplier_code, name, name, record.business.business);
      picture.addItems(import_supplier_code, name, { payment_instructions: record.payment_instructions });
    } else {
      const { prm_ids = [], pce_ids = [] } = record.populate;
      for (const identifier of [...prm_ids, ...pce_ids]) picture.add('', `supply point ${identifier}`, 'supply points');
    }
  }
  return picture.things;
}

function newPicture() {
  const things = new Map<string, Thing>();
  const add = (supplier: string, label: string, record: string, fields: object = {}, content: unknown = '') => {
    const key = JSON.stringify([supplier, label, content]);
    const count = (things.get(key)?.count ?? 0) + 1;
    things.set(key, { label, record, count, isUnrepeatable: UNREPEATABLE.test(label), fields: fields as Fields });
  };
  return {
    things: things as Picture,
    add,
    addItems(supplier: string, record: string, items: Items) {
      const named = (kind: string, id: string | undefined, item: object) =>
        id === undefined
          ? add(supplier, `a ${kind} of ${record}`, record, {}, item)
          : add(supplier, `${kind} ${id} of ${record}`, record, item);
      for (const { body, document_paths } of items.notes ?? []) {
        if (PINNED_BY_SERVICE.test(body ?? '')) continue;
        add(supplier, `a note of ${record}`, record, {}, body ?? document_paths);
      }
      for (const item of items.transactions ?? []) {
        const { sent = item } = item as { sent?: { transaction_id?: string } };
        named('transaction', sent.transaction_id, sent);
      }
      for (const item of items.statements ?? []) named('statement', item.statement_id, item);
      for (const item of items.payment_instructions ?? []) named('payment instruction', item.reference, item);
    },
  };
}
