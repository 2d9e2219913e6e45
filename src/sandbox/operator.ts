/** What the platform operator does, and no REST call can (I3): supplier status, skip marks, switch transitions. */
import { knownStatus } from './options.js';
import type { ImportSupplierStatus, SwitchStatus } from './state.js';
import type { Store } from './store.js';

export interface Operator {
  /**
   * Sets the status of an import supplier (document: Import supplier status).
   * Throws where the sandbox has no such supplier or the document no such status.
   */
  setSupplierStatus(supplier: string, status: ImportSupplierStatus): void;
  /**
   * Marks an account to skip: from now on staging it is refused (U23). It need not be staged yet, and stays in the
   * lists where it is. Throws where the sandbox has no such supplier.
   */
  skip(supplier: string, externalAccountNumber: string): void;
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

export function createOperator(store: () => Store): Operator {
  const supplierOf = (code: string) => {
    const supplier = store().supplier(code);
    if (supplier === undefined) throw new Error(`No import supplier has the code ${code}.`);
    return supplier;
  };
  return {
    setSupplierStatus(supplier, status) {
      supplierOf(supplier).status = knownStatus(status);
    },
    skip(supplier, externalAccountNumber) {
      const { skipped } = supplierOf(supplier);
      if (!skipped.includes(externalAccountNumber)) skipped.push(externalAccountNumber);
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
      imported.status = status;
    },
  };
}
