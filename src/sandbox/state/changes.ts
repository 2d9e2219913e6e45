/**
 * Exports `Change` and `applyChange`: every change of the state as plain data. `Store.commit` applies it, and a state file
 * stores it as a line. Changes by the clock (`scheduled-changes.ts`) are not stored: they are computed again.
 */
import type { Account } from '../../../schemas/payloads/account.js';
import type { FaultRecord } from './fault-rules.js';
import type {
  AccountRecord,
  BusinessRecord,
  DocumentReference,
  ImportedRecord,
  ImportSupplierStatus,
  PopulateBatch,
  SandboxState,
  SupplierRecord,
  SwitchStatus,
} from './sandbox-state.js';

/** What a change is applied to: the parts of a store that it needs. */
export interface ChangeTarget {
  readonly state: SandboxState;
  supplier(code: string): SupplierRecord | undefined;
  account(supplier: string, externalAccountNumber: string): AccountRecord | undefined;
  /** Like the next three, only for `applyChange`: all other code calls `commit` of the store. */
  addDocument(location: string): void;
  addSupplier(supplier: SupplierRecord): void;
  addAccount(supplier: SupplierRecord, account: AccountRecord): void;
  addBusiness(supplier: SupplierRecord, business: BusinessRecord): void;
}

interface Changes {
  accountStaged: { supplier: string; account: AccountRecord };
  accountRestaged: { supplier: string; number: string; data: Account; documents: DocumentReference[] };
  accountImported: { supplier: string; number: string; imported: ImportedRecord };
  itemsAdded: { supplier: string; number: string; documents?: readonly DocumentReference[] } & Partial<
    Pick<ImportedRecord, 'notes' | 'transactions' | 'statements' | 'payment_instructions'>
  >;
  businessCreated: { supplier: string; business: BusinessRecord };
  businessInstructionAdded: {
    supplier: string;
    service_business_id: number;
    instruction: BusinessRecord['payment_instructions'][number];
  };
  supplyPointsQueued: { batch: PopulateBatch };
  vendorAsked: { key: string; tries: number };
  supplierAdded: { supplier: SupplierRecord };
  supplierStatusSet: { supplier: string; status: ImportSupplierStatus };
  teamAdded: { name: string };
  teamRemoved: { name: string };
  skipMarked: { supplier: string; number: string; marked: boolean };
  documentsRegistered: { locations: readonly string[] };
  switchMoved: { supplier: string; number: string; status: SwitchStatus };
  clockSet: { clock: SandboxState['clock'] };
  faultAdded: { fault: FaultRecord };
  faultRemoved: { id: string };
  faultsCleared: Record<never, never>;
  /** Counters of a fault rule; `tries` for one operation and account. */
  faultMet: { id: string; met: number; fired: number; tries?: readonly [key: string, count: number] };
}

type ChangeType = keyof Changes;

/** One change, with its type. */
export type Change = { readonly [Type in ChangeType]: { readonly type: Type } & Readonly<Changes[Type]> }[ChangeType];

type Apply<Type extends ChangeType> = (store: ChangeTarget, change: Changes[Type]) => void;

const APPLY: { readonly [Type in ChangeType]: Apply<Type> } = {
  accountStaged: (store, { supplier, account }) => store.addAccount(supplierOf(store, supplier), account),
  accountRestaged(store, { supplier, number, data, documents }) {
    const account = accountOf(store, supplier, number);
    account.data = data;
    account.documents = documents;
  },
  accountImported(store, { supplier, number, imported }) {
    const account = accountOf(store, supplier, number);
    // Created twice (U30): the newer one is the imported account.
    if (account.imported !== null) account.duplicates = [...(account.duplicates ?? []), account.imported];
    account.imported = imported;
  },
  itemsAdded(store, { supplier, number, ...added }) {
    const account = accountOf(store, supplier, number);
    const imported = importedOf(account);
    if (added.documents !== undefined) account.documents.push(...added.documents);
    if (added.notes !== undefined) imported.notes.push(...added.notes);
    if (added.transactions !== undefined) imported.transactions.push(...added.transactions);
    if (added.statements !== undefined) imported.statements.push(...added.statements);
    if (added.payment_instructions !== undefined) imported.payment_instructions.push(...added.payment_instructions);
  },
  businessCreated: (store, { supplier, business }) => store.addBusiness(supplierOf(store, supplier), business),
  businessInstructionAdded(store, { supplier, service_business_id, instruction }) {
    const { businesses } = supplierOf(store, supplier);
    found(
      businesses.find((business) => business.service_business_id === service_business_id),
    ).payment_instructions.push(instruction);
  },
  supplyPointsQueued: ({ state }, { batch }) => void state.populate_batches.push(batch),
  vendorAsked({ state }, { key, tries }) {
    state.vendor_tries[key] = tries;
  },
  supplierAdded: (store, { supplier }) => store.addSupplier(supplier),
  supplierStatusSet(store, { supplier, status }) {
    supplierOf(store, supplier).status = status;
  },
  teamAdded: ({ state }, { name }) => void state.teams.push(name),
  teamRemoved({ state }, { name }) {
    state.teams = state.teams.filter((other) => other !== name);
  },
  skipMarked(store, { supplier, number, marked }) {
    const record = supplierOf(store, supplier);
    if (marked) record.skipped.push(number);
    else record.skipped = record.skipped.filter((other) => other !== number);
  },
  documentsRegistered(store, { locations }) {
    for (const location of locations) store.addDocument(location);
  },
  switchMoved(store, { supplier, number, status }) {
    importedOf(accountOf(store, supplier, number)).status = status;
  },
  clockSet({ state }, { clock }) {
    state.clock = clock;
  },
  faultAdded: ({ state }, { fault }) => void state.faults.push(fault),
  faultRemoved({ state }, { id }) {
    state.faults = state.faults.filter((fault) => fault.id !== id);
  },
  faultsCleared({ state }) {
    state.faults = [];
  },
  faultMet({ state }, { id, met, fired, tries }) {
    const fault = found(state.faults.find((other) => other.id === id));
    fault.met = met;
    fault.fired = fired;
    if (tries !== undefined) fault.tries[tries[0]] = tries[1];
  },
};

/** Applies a change. Throws if it does not fit the state, which happens only with a damaged file. */
export function applyChange(store: ChangeTarget, change: Change): void {
  const apply = APPLY[change.type] as Apply<ChangeType>;
  apply(store, change as Changes[ChangeType]);
}

/** Returns whether the change replaces a value: many of them make a file grow, but not the state. */
export function isReplacement({ type }: Change): boolean {
  return REPLACEMENTS.has(type);
}

const REPLACEMENTS: ReadonlySet<ChangeType> = new Set([
  'accountRestaged',
  'vendorAsked',
  'supplierStatusSet',
  'teamAdded',
  'teamRemoved',
  'skipMarked',
  'switchMoved',
  'clockSet',
  'faultAdded',
  'faultRemoved',
  'faultsCleared',
  'faultMet',
]);

function supplierOf(store: ChangeTarget, code: string): SupplierRecord {
  return found(store.supplier(code));
}

function accountOf(store: ChangeTarget, supplier: string, number: string): AccountRecord {
  return found(store.account(supplier, number));
}

function importedOf({ imported }: AccountRecord): ImportedRecord {
  return found(imported ?? undefined);
}

function found<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('The change names something that the state does not have.');
  return value;
}
