/**
 * Exports `createOperator`: actions of the operator of the service that no REST call can do (I3), on suppliers and their status,
 * teams, skip marks, documents and industry switches. Invalid actions throw an Error with the reason.
 */
import { expectKind } from '../../validation/option-kinds.js';
import { locateIn } from '../rules/document-paths.js';
import { knownStatus } from '../settings/complete-options.js';
import type { SandboxSupplier } from '../settings/sandbox-options.js';
import type { ImportSupplierStatus, SwitchStatus } from './sandbox-state.js';
import type { Store } from './store.js';

/** Actions of the operator of the service that no REST call can do (I3). Every sandbox has these methods. */
export interface Operator {
  /**
   * Adds an import supplier (spec: What the service does). Throws if it has no code or the code of another supplier, or if
   * its status is unknown.
   */
  addSupplier(supplier: SandboxSupplier): void;
  /**
   * Sets the status of an import supplier (spec: Import supplier status). Throws if the supplier or the status is unknown.
   */
  setSupplierStatus(supplier: string, status: ImportSupplierStatus): void;
  /** Adds an operations team. Throws if it has no name or exists. */
  addTeam(name: string): void;
  /** Removes an operations team; its accounts stay. Throws if it does not exist. */
  removeTeam(name: string): void;
  /**
   * Marks an account to skip, staged or not: staging it is refused from now on (U23). `marked: false` removes the mark.
   * Throws if the supplier is unknown or the account has no number.
   * @default marked: true
   */
  skip(supplier: string, externalAccountNumber: string, marked?: boolean): void;
  /**
   * Registers documents at these paths of the supplier, for the setting `missingDocuments` (U19). A path resolves to
   * `<bucket>/<root><path>` (C7); nothing is read there. Throws, and registers none, if the supplier is unknown or a path is
   * empty.
   */
  registerDocuments(supplier: string, paths: readonly string[]): void;
  /**
   * Sets the next status of the industry switch of an imported account: PENDING to IN_PROGRESS, IN_PROGRESS to COMPLETED or
   * REJECTED (U8). Throws if the account is not imported or the status cannot follow the current one.
   */
  transition(supplier: string, externalAccountNumber: string, status: SwitchStatus): void;
}

const FOLLOWING: Readonly<Record<SwitchStatus, readonly SwitchStatus[]>> = {
  PENDING: ['IN_PROGRESS'],
  IN_PROGRESS: ['COMPLETED', 'REJECTED'],
  COMPLETED: [],
  REJECTED: [],
};

/** Returns the operator's actions on the current store. */
export function createOperator(store: () => Store, bucket: string): Operator {
  const supplierOf = (code: string) => {
    const supplier = store().supplier(code);
    if (supplier !== undefined) return supplier;
    const known = store().state.suppliers.map((other) => other.code);
    throw new Error(`No import supplier has the code ${code}. There are: ${known.join(', ') || 'none'}.`);
  };
  return {
    addSupplier(supplierToAdd) {
      expectKind('sandbox.addSupplier', supplierToAdd, 'object');
      const { code, status = 'Ongoing', root = '' } = supplierToAdd;
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
      expectKind('sandbox.registerDocuments: paths', paths, 'list');
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
