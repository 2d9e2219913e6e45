/** Exports `createStore`: the state with lookups, so that finding one account does not scan all of them. */

import { applyChange, type Change, type ChangeTarget } from './changes.js';
import { createRunningCalls, type RunningCalls } from './running-calls.js';
import type { AccountRecord, BusinessRecord, SandboxState, SupplierRecord } from './sandbox-state.js';

export interface Store extends ChangeTarget {
  /** Calls that are running on this state. */
  readonly running: RunningCalls;
  /** Applies all the changes or none. Throws if a state file cannot be written. */
  commit(changes: readonly Change[]): void;
  /** Applies changes that are already in a state file. Throws if they do not fit the state. */
  apply(changes: readonly Change[]): void;
  /** Returns the businesses of the supplier with this external identifier, oldest first; several may share it (U20). */
  businesses(supplier: string, externalBusinessIdentifier: string): readonly BusinessRecord[];
  /** Returns whether a business of the supplier has a contract with this identifier (U13). */
  hasContract(supplier: string, identifier: string): boolean;
  /** Returns whether a document is registered at `<bucket>/<root><path>` (U19). */
  hasDocument(location: string): boolean;
}

interface Lookups {
  record: SupplierRecord;
  accounts: Map<string, AccountRecord>;
  businesses: Map<string, BusinessRecord[]>;
  contracts: Set<string>;
}

/** Returns the store of a state. `keep` is called before changes are applied; if it throws, nothing changes. */
export function createStore(state: SandboxState, keep?: (changes: readonly Change[]) => void): Store {
  const suppliers = new Map<string, Lookups>();
  for (const record of state.suppliers) suppliers.set(record.code, lookupsOf(record));
  const documents = new Set(state.documents);
  const store: Store = {
    state,
    running: createRunningCalls(),
    commit(changes) {
      keep?.(changes);
      store.apply(changes);
    },
    apply(changes) {
      for (const change of changes) applyChange(store, change);
    },
    supplier: (code) => suppliers.get(code)?.record,
    account: (supplier, number) => suppliers.get(supplier)?.accounts.get(number),
    businesses: (supplier, identifier) => suppliers.get(supplier)?.businesses.get(identifier) ?? [],
    hasContract: (supplier, identifier) => suppliers.get(supplier)?.contracts.has(identifier) === true,
    hasDocument: (location) => documents.has(location),
    addDocument(location) {
      if (documents.has(location)) return;
      documents.add(location);
      state.documents.push(location);
    },
    addSupplier(supplier) {
      state.suppliers.push(supplier);
      suppliers.set(supplier.code, lookupsOf(supplier));
    },
    addAccount(supplier, account) {
      supplier.accounts.push(account);
      suppliers.get(supplier.code)?.accounts.set(account.external_account_number, account);
    },
    addBusiness(supplier, business) {
      supplier.businesses.push(business);
      const lookups = suppliers.get(supplier.code);
      if (lookups !== undefined) addToLookups(lookups, business);
    },
  };
  return store;
}

function lookupsOf(record: SupplierRecord): Lookups {
  const lookups: Lookups = { record, accounts: new Map(), businesses: new Map(), contracts: new Set() };
  for (const account of record.accounts) lookups.accounts.set(account.external_account_number, account);
  for (const business of record.businesses) addToLookups(lookups, business);
  return lookups;
}

function addToLookups({ businesses, contracts }: Lookups, business: BusinessRecord): void {
  const same = businesses.get(business.external_business_identifier) ?? [];
  businesses.set(business.external_business_identifier, [...same, business]);
  for (const { identifier } of business.business.business_contracts ?? []) {
    if (identifier !== undefined) contracts.add(identifier);
  }
}
