/** Exports `createStore`: applies changes to the state, and has lookups, so that finding one account does not scan all of them. */

import type { Change } from './changes.js';
import { createRunningCalls } from './running-calls.js';
import type { AccountRecord, BusinessRecord, ImportedRecord, SandboxState, SupplierRecord } from './sandbox-state.js';

type Lookups = ReturnType<typeof lookupsOf>;

/** Returns the store of a state. `keep` is called before changes are applied; if it throws, nothing changes. */
export function createStore(state: SandboxState, keep?: (changes: readonly Change[]) => void) {
  const suppliers = new Map<string, Lookups>();
  for (const record of state.suppliers) suppliers.set(record.code, lookupsOf(record));
  const documents = new Set(state.documents);
  const lookupsFor = (supplier: string) => found(suppliers.get(supplier));
  const accountOf = (supplier: string, number: string) => found(lookupsFor(supplier).accounts.get(number));
  const applyTo: { readonly [Type in Change['type']]: (change: Extract<Change, { type: Type }>) => void } = {
    accountStaged({ supplier, account }) {
      const { record, accounts } = lookupsFor(supplier);
      record.accounts.push(account);
      accounts.set(account.external_account_number, account);
    },
    accountRestaged({ supplier, number, data, documents }) {
      const account = accountOf(supplier, number);
      account.data = data;
      account.documents = documents;
    },
    accountImported({ supplier, number, imported }) {
      const account = accountOf(supplier, number);
      // Created twice (U30): the newer one is the imported account.
      if (account.imported !== null) account.duplicates = [...(account.duplicates ?? []), account.imported];
      account.imported = imported;
    },
    itemsAdded({ supplier, number, ...added }) {
      const account = accountOf(supplier, number);
      const imported = importedOf(account);
      account.documents.push(...(added.documents ?? []));
      imported.notes.push(...(added.notes ?? []));
      imported.transactions.push(...(added.transactions ?? []));
      imported.statements.push(...(added.statements ?? []));
      imported.payment_instructions.push(...(added.payment_instructions ?? []));
    },
    businessCreated({ supplier, business }) {
      const lookups = lookupsFor(supplier);
      lookups.record.businesses.push(business);
      addToLookups(lookups, business);
    },
    businessInstructionAdded({ supplier, service_business_id, instruction }) {
      const { businesses } = lookupsFor(supplier).record;
      const business = found(businesses.find((other) => other.service_business_id === service_business_id));
      business.payment_instructions.push(instruction);
    },
    supplyPointsQueued: ({ batch }) => void state.populate_batches.push(batch),
    vendorAsked({ key, tries }) {
      state.vendor_tries[key] = tries;
    },
    supplierAdded({ supplier }) {
      state.suppliers.push(supplier);
      suppliers.set(supplier.code, lookupsOf(supplier));
    },
    supplierStatusSet({ supplier, status }) {
      lookupsFor(supplier).record.status = status;
    },
    teamAdded: ({ name }) => void state.teams.push(name),
    teamRemoved({ name }) {
      state.teams = state.teams.filter((other) => other !== name);
    },
    skipMarked({ supplier, number, marked }) {
      const { record } = lookupsFor(supplier);
      if (marked) record.skipped.push(number);
      else record.skipped = record.skipped.filter((other) => other !== number);
    },
    documentsRegistered({ locations }) {
      for (const location of locations) {
        if (!documents.has(location)) state.documents.push(location);
        documents.add(location);
      }
    },
    switchMoved({ supplier, number, status }) {
      importedOf(accountOf(supplier, number)).status = status;
    },
    clockSet({ clock }) {
      state.clock = clock;
    },
    faultAdded: ({ fault }) => void state.faults.push(fault),
    faultRemoved({ id }) {
      state.faults = state.faults.filter((fault) => fault.id !== id);
    },
    faultsCleared() {
      state.faults = [];
    },
    faultMet({ id, met, fired, tries }) {
      const fault = found(state.faults.find((other) => other.id === id));
      fault.met = met;
      fault.fired = fired;
      if (tries !== undefined) fault.tries[tries[0]] = tries[1];
    },
  };
  const apply = (changes: readonly Change[]) => {
    for (const change of changes) (applyTo[change.type] as (change: Change) => void)(change);
  };
  return {
    state,
    /** Calls that are running on this state. */
    running: createRunningCalls(),
    /** Applies all the changes or none. Throws if a state file cannot be written. */
    commit(changes: readonly Change[]): void {
      keep?.(changes);
      apply(changes);
    },
    /** Applies changes that are already in a state file. Throws if they do not fit the state. */
    apply,
    supplier: (code: string) => suppliers.get(code)?.record,
    account: (supplier: string, externalAccountNumber: string) =>
      suppliers.get(supplier)?.accounts.get(externalAccountNumber),
    /** Returns the businesses of the supplier with this external identifier, oldest first; several may share it (U20). */
    businesses: (supplier: string, identifier: string): readonly BusinessRecord[] =>
      suppliers.get(supplier)?.businesses.get(identifier) ?? [],
    /** Returns whether a business of the supplier has a contract with this identifier (U13). */
    hasContract: (supplier: string, identifier: string): boolean =>
      suppliers.get(supplier)?.contracts.has(identifier) === true,
    /** Returns whether a document is registered at `<bucket>/<root><path>` (U19). */
    hasDocument: (location: string): boolean => documents.has(location),
  };
}

export type Store = ReturnType<typeof createStore>;

function importedOf({ imported }: AccountRecord): ImportedRecord {
  return found(imported ?? undefined);
}

function found<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('The change names something that the state does not have.');
  return value;
}

function lookupsOf(record: SupplierRecord) {
  const accounts = new Map<string, AccountRecord>();
  const lookups = { record, accounts, businesses: new Map<string, BusinessRecord[]>(), contracts: new Set<string>() };
  for (const account of record.accounts) accounts.set(account.external_account_number, account);
  for (const business of record.businesses) addToLookups(lookups, business);
  return lookups;
}

function addToLookups({ businesses, contracts }: Pick<Lookups, 'businesses' | 'contracts'>, business: BusinessRecord) {
  const same = businesses.get(business.external_business_identifier) ?? [];
  businesses.set(business.external_business_identifier, [...same, business]);
  for (const { identifier } of business.business.business_contracts ?? []) {
    if (identifier !== undefined) contracts.add(identifier);
  }
}
