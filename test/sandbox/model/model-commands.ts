/**
 * What may happen to the service, as plain data, so that a counterexample can be read, shrunk and run again. Suppliers,
 * accounts and contents are few: what matters happens when the same comes twice.
 */
import fc from 'fast-check';
import type { Sandbox } from '../../../src/sandbox/index.js';
import type { Talk } from '../support/requests.js';

export interface AccountKey {
  supplier: string;
  account: string;
}

/** Documented parts of payloads. */
export interface StagedData {
  last_billed_to_date?: string | undefined;
  statements?: Statement[] | undefined;
  notes?: NoteSent[] | undefined;
  business?: { business_contract_identifier: string } | undefined;
  customers?: { landline: string }[] | undefined;
}

export interface NoteSent {
  body?: string | undefined;
  document_paths?: { document_path: string }[] | undefined;
  created_at?: string | undefined;
  is_pinned?: boolean | undefined;
}

export interface TransactionSent {
  type: string;
  transaction_id?: string | undefined;
  transaction_date?: string | undefined;
  amount?: number | undefined;
}

export interface Statement {
  statement_id: string;
  bill_period_to_date?: string | undefined;
}

export interface InstructionSent {
  vendor: string;
  reference: string;
}

export type Command =
  | ({ does: 'validate' | 'stage'; data: StagedData } & AccountKey)
  | ({ does: 'process'; team: string; dryRun?: boolean | undefined } & AccountKey)
  | ({ does: 'notes'; notes: NoteSent[] } & AccountKey)
  | ({
      does: 'transactions';
      transactions: TransactionSent[];
      check?: boolean | undefined;
      force?: boolean | undefined;
    } & AccountKey)
  | ({ does: 'statements'; statements: Statement[] } & AccountKey)
  | ({ does: 'instruction'; instruction: InstructionSent } & AccountKey)
  | { does: 'business'; supplier: string; identifier: string; name: string; contract: string }
  | {
      does: 'business-instruction';
      supplier: string;
      identifier: string;
      instruction: InstructionSent;
      accounts?: string[] | undefined;
    }
  | { does: 'populate'; points: string[] }
  | ({ does: 'status' } & AccountKey)
  | { does: 'list'; which: 'all' | 'pending' | 'imported'; supplier: string }
  | { does: 'set-status'; supplier: string; status: 'Ongoing' | 'Paused' | 'Complete' }
  | ({ does: 'skip' } & AccountKey)
  | ({ does: 'transition'; status: 'IN_PROGRESS' | 'COMPLETED' | 'REJECTED' } & AccountKey)
  | { does: 'advance'; ms: number }
  | { does: 'reset' | 'snapshot' | 'restore' };

export const SUPPLIERS = ['NORTH', 'SOUTH'] as const;

const mostly = <Value>(usual: readonly Value[], rare: Value) =>
  fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...usual) }, { weight: 1, arbitrary: fc.constant(rare) });
const perhaps = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });

const supplier = mostly([...Array.from({ length: 8 }, () => 'NORTH'), 'SOUTH'], 'UNKNOWN');
const key = { supplier, account: fc.constantFrom('A-1', 'A-1', 'A-1', 'A-2', '0001') };

/** The third and the fourth are one instant. */
const TIMES = ['2026-01-01T00:00:00Z', '2026-01-15T09:00:00Z', '2026-01-15T11:00:00+02:00', '2026-02-01T00:00:00Z'];
const note: fc.Arbitrary<NoteSent> = fc.record({
  body: mostly<string | undefined>(['Call back.', 'Moved.'], undefined),
  document_paths: perhaps(fc.constantFrom([{ document_path: '/a.pdf' }], [{ document_path: '/b.pdf' }])),
  created_at: perhaps(fc.constantFrom(...TIMES)),
  is_pinned: perhaps(fc.boolean()),
});

const DATES = ['2025-06-01', '2025-12-31', '2026-01-01', '2026-01-10', '2026-01-15', '2026-01-16', '2026-03-01'];
const transaction: fc.Arbitrary<TransactionSent> = fc.record({
  type: mostly(['CHARGE', 'CREDIT'], 'GIFT'),
  transaction_id: perhaps(fc.constantFrom('T-1', 'T-2', 'T-3')),
  transaction_date: perhaps(fc.constantFrom(...DATES)),
  amount: perhaps(fc.constantFrom(12.5, 100, 0.1, -3, 1.005)),
});

const statement: fc.Arbitrary<Statement> = fc.record({
  statement_id: fc.constantFrom('S-1', 'S-2'),
  bill_period_to_date: perhaps(fc.constantFrom('2025-11-30', '2026-01-05')),
});

const instruction: fc.Arbitrary<InstructionSent> = fc.record({
  vendor: mostly(['VENDOR'], 'OTHER'),
  reference: fc.constantFrom('R-1', 'sbx-vendor-flaky-1', 'sbx-vendor-flaky-2', 'sbx-vendor-persistent'),
});

const data: fc.Arbitrary<StagedData> = fc.record({
  last_billed_to_date: perhaps(fc.constantFrom('2025-12-31', '2026-01-09')),
  statements: perhaps(fc.array(statement, { maxLength: 2 })),
  notes: perhaps(fc.array(note, { maxLength: 3 })),
  business: fc.option(fc.constantFrom({ business_contract_identifier: 'C-1' }), { nil: undefined, freq: 6 }),
  customers: perhaps(mostly([[{ landline: '' }], [{ landline: '+33123456789' }]], [{ landline: 'by the door' }])),
});

const is = <const Does extends string>(does: Does) => fc.constant(does);
const weighted = (weight: number, arbitrary: fc.Arbitrary<Command>) => ({ weight, arbitrary });

const anyCommand: fc.Arbitrary<Command> = fc.oneof(
  weighted(8, fc.record({ does: is('stage'), ...key, data })),
  weighted(2, fc.record({ does: is('validate'), ...key, data })),
  weighted(
    8,
    fc.record({
      does: is('process'),
      ...key,
      team: mostly(['TEAM'], 'NO TEAM'),
      dryRun: fc.constantFrom(undefined, undefined, false, true),
    }),
  ),
  weighted(6, fc.record({ does: is('notes'), ...key, notes: fc.array(note, { maxLength: 3 }) })),
  weighted(
    8,
    fc.record({
      does: is('transactions'),
      ...key,
      transactions: fc.array(transaction, { maxLength: 3 }),
      check: fc.constantFrom(undefined, true, false),
      force: fc.constantFrom(undefined, true, false),
    }),
  ),
  weighted(3, fc.record({ does: is('statements'), ...key, statements: fc.array(statement, { maxLength: 2 }) })),
  weighted(4, fc.record({ does: is('instruction'), ...key, instruction })),
  weighted(
    3,
    fc.record({
      does: is('business'),
      supplier,
      identifier: fc.constantFrom('B-1', 'B-2'),
      name: fc.constantFrom('Placeholder Ltd', 'Sample Ltd'),
      contract: fc.constantFrom('C-1', 'C-2'),
    }),
  ),
  weighted(
    3,
    fc.record({
      does: is('business-instruction'),
      supplier,
      identifier: fc.constantFrom('B-1', 'B-2'),
      instruction,
      accounts: perhaps(fc.array(key.account, { maxLength: 2 })),
    }),
  ),
  weighted(1, fc.record({ does: is('populate'), points: fc.constantFrom<string[][]>(['1'], ['1', '2'], []) })),
  weighted(3, fc.record({ does: is('status'), ...key })),
  weighted(3, fc.record({ does: is('list'), which: fc.constantFrom('all', 'pending', 'imported'), supplier })),
  weighted(
    2,
    fc.record({
      does: is('set-status'),
      supplier: fc.constantFrom(...SUPPLIERS),
      status: fc.constantFrom('Ongoing', 'Ongoing', 'Paused', 'Complete'),
    }),
  ),
  weighted(1, fc.record({ does: is('skip'), ...key, supplier: fc.constantFrom(...SUPPLIERS) })),
  weighted(
    3,
    fc.record({
      does: is('transition'),
      ...key,
      supplier: fc.constantFrom(...SUPPLIERS),
      status: fc.constantFrom('IN_PROGRESS', 'COMPLETED', 'REJECTED'),
    }),
  ),
  weighted(2, fc.record({ does: is('advance'), ms: fc.constantFrom(1000, 3_600_000, 86_400_000) })),
  weighted(1, fc.record({ does: fc.constantFrom('reset', 'snapshot', 'snapshot', 'restore', 'restore') })),
);

/** An imported account, for sequences that should not depend on chance for one. */
const IMPORTED: readonly Command[] = [
  { does: 'stage', supplier: 'NORTH', account: 'A-1', data: { notes: [{ body: 'Moved.' }] } },
  { does: 'process', supplier: 'NORTH', account: 'A-1', team: 'TEAM' },
];

/** As many long ones as short ones, in the form of JSON: without undefined properties. */
export const sequence: fc.Arbitrary<readonly Command[]> = fc
  .tuple(
    fc.constantFrom([], IMPORTED, IMPORTED),
    fc.noBias(fc.array(anyCommand, { minLength: 1, maxLength: 40, size: 'max' })),
  )
  .map(([before, commands]) => JSON.parse(JSON.stringify([...before, ...commands])) as Command[]);

export const OPTIONS = { suppliers: SUPPLIERS.map((code) => ({ code })), teams: ['TEAM'] };

/** What a REST command sends. */
export type Sent = { path: string; body?: unknown };

/** undefined for what the operator does, or the clock. */
export function requestOf(given: Command): Sent | undefined {
  switch (given.does) {
    case 'validate':
      return { path: 'validate-account/', body: { ...keyOf(given), ...given.data } };
    case 'stage':
      return { path: 'account-import-process/create-or-update/', body: { ...keyOf(given), ...given.data } };
    case 'process':
      return {
        path: 'account-import-process/process/',
        body: {
          import_supplier_code: given.supplier,
          external_account_number: given.account,
          operations_team_name: given.team,
          dry_run: given.dryRun,
        },
      };
    case 'notes':
      return { path: 'notes/create/', body: { ...keyOf(given), notes: given.notes } };
    case 'transactions': {
      const flags = new URLSearchParams();
      if (given.check !== undefined) flags.set('check_previously_added', String(given.check));
      if (given.force !== undefined) flags.set('force_add_to_current_statement', String(given.force));
      return { path: `transactions/create/?${flags}`, body: { ...keyOf(given), transactions: given.transactions } };
    }
    case 'statements':
      return { path: 'historical-statements/create/', body: { ...keyOf(given), statements: given.statements } };
    case 'instruction':
      return { path: 'payment-instruction/create/', body: { ...keyOf(given), ...given.instruction } };
    case 'business':
      return {
        path: 'business/',
        body: {
          import_supplier_code: given.supplier,
          external_business_identifier: given.identifier,
          business: { company_name: given.name, business_contracts: [{ identifier: given.contract }] },
        },
      };
    case 'business-instruction':
      return {
        path: 'business-payment-instruction/create/',
        body: {
          import_supplier_code: given.supplier,
          external_business_identifier: given.identifier,
          ...given.instruction,
          accounts: given.accounts?.map((account) => ({ external_account_number: account })),
        },
      };
    case 'populate':
      return { path: 'supply-point/populate/', body: { prm_ids: given.points } };
    case 'status':
      return { path: `account-transfer-status/${given.supplier}/${given.account}/` };
    case 'list':
      return { path: `${given.which}-account-import-processes/${given.supplier}/` };
    default:
      return undefined;
  }
}

function keyOf({ supplier: import_supplier, account: external_account_number }: AccountKey) {
  return { import_supplier, external_account_number };
}

/** Does to the sandbox what is no request. A snapshot goes through a file, as it were. */
export function operate(sandbox: Sandbox, given: Command, kept: { snapshot?: string }): void {
  if (given.does === 'set-status') sandbox.setSupplierStatus(given.supplier, given.status);
  if (given.does === 'skip') sandbox.skip(given.supplier, given.account);
  if (given.does === 'transition') sandbox.transition(given.supplier, given.account, given.status);
  if (given.does === 'advance') sandbox.clock.advance(given.ms);
  if (given.does === 'reset') sandbox.reset();
  if (given.does === 'snapshot') kept.snapshot = JSON.stringify(sandbox.snapshot());
  if (given.does === 'restore' && kept.snapshot !== undefined) sandbox.restore(JSON.parse(kept.snapshot));
}

/** Sends what the command sends, by the way in that the test takes. */
export function sendTo({ post, get }: Talk, { path, body }: Sent) {
  return body === undefined ? get(path) : post(path, body);
}
