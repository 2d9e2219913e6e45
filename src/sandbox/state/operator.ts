/**
 * What the platform operator does, and no REST call can (I3): suppliers and their status, teams, skip marks, documents
 * in the storage, switch transitions. What cannot be throws an Error that says why.
 */
import { locateIn } from '../rules/document-paths.js';
import { knownStatus } from '../settings/complete-options.js';
import type { SandboxSupplier } from '../settings/sandbox-options.js';
import type { ImportSupplierStatus, SwitchStatus } from './sandbox-state.js';
import type { Store } from './store.js';

/** What the platform operator does, and no REST call can (I3). Every sandbox has these methods. */
export interface Operator {
  /**
   * Sets up an import supplier (document: What the service does). Throws where it has no code, where another has the
   * same one, and where the document has no such status.
   */
  addSupplier(supplier: SandboxSupplier): void;
  /**
   * Sets the status of an import supplier (document: Import supplier status).
   * Throws where the sandbox has no such supplier or the document no such status.
   */
  setSupplierStatus(supplier: string, status: ImportSupplierStatus): void;
  /** Adds an operations team, for process to name. Throws where it has no name or exists. */
  addTeam(name: string): void;
  /** Takes an operations team away; accounts that were processed for it stay. Throws where it does not exist. */
  removeTeam(name: string): void;
  /**
   * Marks an account to skip: from now on staging it is refused (U23). It need not be staged yet. `marked: false` takes
   * the mark away. Throws where the sandbox has no such supplier or the account has no number.
   * @default marked: true
   */
  skip(supplier: string, externalAccountNumber: string, marked?: boolean): void;
  /**
   * Says that there is a document at each of these paths of the supplier, for the setting `missingDocuments` (U19).
   * A path resolves to `<bucket>/<root><path>` (C7); nothing is ever read there. Throws where the sandbox has no such
   * supplier or a path is empty; then none is registered.
   */
  registerDocuments(supplier: string, paths: readonly string[]): void;
  /**
   * Moves the industry switch of an imported account along: PENDING to IN_PROGRESS, and that to COMPLETED or REJECTED
   * (U8). Throws where the account is not imported, or the status cannot follow the one it has.
   */
  transition(supplier: string, externalAccountNumber: string, status: SwitchStatus): void;
}

const FOLLOWING: Readonly<Record<SwitchStatus, readonly SwitchStatus[]>> = {
  PENDING: ['IN_PROGRESS'],
  IN_PROGRESS: ['COMPLETED', 'REJECTED'],
  COMPLETED: [],
  REJECTED: [],
};

export function createOperator(store: () => Store, bucket: string): Operator {
  const supplierOf = (code: string) => {
    const supplier = store().supplier(code);
    if (supplier !== undefined) return supplier;
    const known = store().state.suppliers.map((other) => other.code);
    throw new Error(`No import supplier has the code ${code}. There are: ${known.join(', ') || 'none'}.`);
  };
  return {
    addSupplier({ code, status = 'Ongoing', root = '' }) {
      needText(code, 'An import supplier needs a code');
      if (store().supplier(code) !== undefined) throw new Error(`An import supplier with the code ${code} exists.`);
      if (typeof root !== 'string') throw new Error(`The root of import supplier ${code} must be a string.`);
      const supplier = { code, status: knownStatus(status), root, skipped: [], accounts: [], businesses: [] };
      store().commit([{ type: 'supplierAdded', supplier }]);
    },
    setSupplierStatus(supplier, status) {
      const { code } = supplierOf(supplier);
      store().commit([{ type: 'supplierStatusSet', supplier: code, status: knownStatus(status) }]);
    },
    addTeam(name) {
      needText(name, 'An operations team needs a name');
      if (store().state.teams.includes(name)) throw new Error(`An operations team with the name ${name} exists.`);
      store().commit([{ type: 'teamAdded', name }]);
    },
    removeTeam(name) {
      const { teams } = store().state;
      if (!teams.includes(name))
        throw new Error(`No operations team has the name ${name}. There are: ${teams.join(', ') || 'none'}.`);
      store().commit([{ type: 'teamRemoved', name }]);
    },
    skip(supplier, externalAccountNumber, marked = true) {
      const record = supplierOf(supplier);
      needText(externalAccountNumber, 'An account to skip needs its external account number');
      if (record.skipped.includes(externalAccountNumber) === marked) return;
      store().commit([{ type: 'skipMarked', supplier, number: externalAccountNumber, marked }]);
    },
    registerDocuments(supplier, paths) {
      const locate = locateIn(bucket, supplierOf(supplier));
      for (const path of paths) needText(path, 'A document needs a path');
      const locations = paths.map((path) => locate(path).location);
      store().commit([{ type: 'documentsRegistered', locations }]);
    },
    transition(supplier, externalAccountNumber, status) {
      const imported = store().account(supplierOf(supplier).code, externalAccountNumber)?.imported;
      if (!imported) throw new Error(`Account ${externalAccountNumber} of ${supplier} is not imported.`);
      const following = FOLLOWING[imported.status];
      if (!following.includes(status)) {
        const possible = following.join(' or ') || 'nothing';
        throw new Error(
          `Account ${externalAccountNumber} is ${imported.status}: ${possible} can follow, not ${status}.`,
        );
      }
      store().commit([{ type: 'switchMoved', supplier, number: externalAccountNumber, status }]);
    },
  };
}

function needText(value: unknown, sentence: string): void {
  if (typeof value !== 'string' || value === '') throw new Error(`${sentence}: expected a string that is not empty.`);
}
