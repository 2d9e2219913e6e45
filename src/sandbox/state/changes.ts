/**
 * Exports `Change`: every change of the state as plain data. `Store.commit` applies it, and a state file stores it as a line. Changes by the clock (`scheduled-changes.ts`) are not stored: they are computed again.
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

/** Returns whether the change replaces a value: many of them make a file grow, but not the state. */
export function isReplacement({ type }: Change): boolean {
  return !ADDITIONS.has(type);
}

/** What these add stays in the state. */
const ADDITIONS: ReadonlySet<ChangeType> = new Set([
  'accountStaged',
  'accountImported',
  'itemsAdded',
  'businessCreated',
  'businessInstructionAdded',
  'supplyPointsQueued',
  'supplierAdded',
  'documentsRegistered',
]);
