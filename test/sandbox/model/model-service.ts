/**
 * The service in small, written from the document and the acceptance page, and from nothing in src: what the sandbox
 * with its default settings must answer, and what it must know afterwards.
 */
import { expect } from 'vitest';
import {
  addNotes,
  business,
  dataOf,
  instruct,
  instructBusiness,
  isEmpty,
  notes,
  populate,
  statements,
  transactions,
} from './model-additions.js';
import type { AccountKey, Command, StagedData } from './model-commands.js';
import { type Expected, type Imported, type Model, now, REFUSED, type Supplier } from './model-state.js';

/** Numbers and ids are the service's own: the model takes them from the answer, and sees that none comes twice (I2). */
export function step(model: Model, command: Command, answer: unknown): Expected | undefined {
  switch (command.does) {
    case 'validate':
      return validate(model, command);
    case 'stage':
      return stage(model, command);
    case 'process':
      return process(model, command, answer);
    case 'notes':
      return notes(model, command);
    case 'transactions':
      return transactions(model, command);
    case 'statements':
      return statements(model, command);
    case 'instruction':
      return instruct(model, command);
    case 'business':
      return business(model, command, answer);
    case 'business-instruction':
      return instructBusiness(model, command);
    case 'populate':
      return populate(model, answer);
    case 'status':
      return status(model, command);
    case 'list':
      return list(model, command);
    case 'set-status':
      supplierOf(model, command.supplier).status = command.status;
      return undefined;
    case 'skip':
      supplierOf(model, command.supplier).skipped.add(command.account);
      return undefined;
    case 'advance':
      model.now += command.ms;
      return undefined;
    default:
      return undefined;
  }
}

/** Whether the switch may go there: PENDING, IN_PROGRESS, and then either end (U8). It goes there. */
export function transition(
  model: Model,
  { supplier, account, status: next }: AccountKey & { status: string },
): boolean {
  const imported = model.suppliers.get(supplier)?.accounts.get(account)?.imported;
  const before = next === 'IN_PROGRESS' ? 'PENDING' : 'IN_PROGRESS';
  if (imported?.status !== before) return false;
  imported.status = next;
  return true;
}

function supplierOf(model: Model, code: string): Supplier {
  const supplier = model.suppliers.get(code);
  if (supplier === undefined) throw new Error(`The model has no supplier ${code}.`);
  return supplier;
}

/** E4: C3 and the documented error; a supplier's status does not matter (U10). */
function validate(model: Model, { supplier, account, data }: AccountKey & { data: StagedData }): Expected {
  const invalid = invalidData(data);
  if (invalid !== undefined) return invalid;
  const known = model.suppliers.get(supplier);
  // U13: what stage refuses, which is "validated by the same rules first".
  if (known === undefined || lacksContract(known, data)) return REFUSED;
  return { status: 200, body: { import_supplier: supplier, external_account_number: account, ...data } };
}

function invalidData({ customers, notes: sent = [] }: StagedData): Expected | undefined {
  const errors: unknown[] = [];
  if (customers?.[0]?.landline === 'by the door') {
    errors.push(expect.objectContaining({ code: 'invalid_phone_number', attr: 'customers.0.landline' }));
  }
  const empty = sent.flatMap((note, index) => (isEmpty(note) ? [index] : []));
  errors.push(...empty.map((index) => expect.objectContaining({ attr: expect.stringMatching(`^notes\\.${index}`) })));
  if (errors.length === 0) return undefined;
  return { status: 400, body: expect.objectContaining({ code: 'account_failed_validation', errors }) };
}

/** E5 */
function stage(model: Model, { supplier: code, account, data }: AccountKey & { data: StagedData }): Expected {
  const supplier = model.suppliers.get(code);
  const invalid = invalidData(data);
  if (invalid !== undefined) return invalid;
  if (supplier === undefined || lacksContract(supplier, data)) return REFUSED;
  const before = supplier.accounts.get(account);
  if (before?.imported !== undefined || supplier.skipped.has(account) || supplier.status !== 'Ongoing') return REFUSED;
  supplier.accounts.set(account, { data, imported: undefined });
  const isFirst = before === undefined;
  return { status: isFirst ? 201 : 200, body: { import_supplier: code, external_account_number: account } };
}

/** U13: the identifier of a contract that was given when a business was created. */
function lacksContract({ businesses }: Supplier, data: StagedData): boolean {
  const identifier = data.business?.business_contract_identifier;
  return identifier !== undefined && !businesses.some(({ contract }) => contract === identifier);
}

/** E6, in the order of U11. */
function process(
  model: Model,
  { supplier: code, account, team, dryRun }: AccountKey & { team: string; dryRun?: boolean | undefined },
  answer: unknown,
): Expected {
  const supplier = model.suppliers.get(code);
  const staged = supplier?.accounts.get(account);
  if (staged?.imported !== undefined) {
    const numbers = { external_account_number: account, service_account_number: staged.imported.number };
    return { status: 400, body: expect.objectContaining(numbers) };
  }
  if (supplier === undefined || supplier.status !== 'Ongoing' || staged === undefined) return REFUSED;
  if (lacksContract(supplier, staged.data) || team !== 'TEAM') return REFUSED;
  if (dryRun === true) {
    const detail = 'Account would successfully import. Rolled back due to Dry Run.';
    return { status: 400, body: expect.objectContaining({ detail }) };
  }
  const number = (answer as { service_account_number?: unknown } | undefined)?.service_account_number;
  expect(number, 'a new service account number').toEqual(expect.stringMatching(/\d/));
  expect(numbersIn(model), 'a new service account number').not.toContain(number);
  staged.imported = {
    number: String(number),
    createdAt: now(model),
    status: 'PENDING',
    notes: [],
    transactions: [],
    statements: [],
    instructions: [],
  };
  // Staged notes are notes of the account from now on (U17).
  addNotes(model, staged.imported, staged.data.notes ?? []);
  return { status: 201, body: { service_account_number: number } };
}

export function numbersIn(model: Model): string[] {
  return [...model.suppliers.values()].flatMap(({ accounts }) =>
    [...accounts.values()].flatMap(({ imported }) => imported?.number ?? []),
  );
}

/** E11 */
function status(model: Model, { supplier, account }: AccountKey): Expected {
  const found = model.suppliers.get(supplier)?.accounts.get(account);
  if (found === undefined) return { status: 404 };
  const { status: state = 'UNKNOWN', number = '' } = found.imported ?? {};
  return { status: 200, body: { status: state, service_account_number: number } };
}

/** E12, E13, E14; an unknown supplier has none (U4). */
function list(
  model: Model,
  { which, supplier }: { which: 'all' | 'pending' | 'imported'; supplier: string },
): Expected {
  const accounts = [...(model.suppliers.get(supplier)?.accounts ?? [])];
  const body = accounts
    .filter(([, { imported }]) => which === 'all' || (which === 'imported') === (imported !== undefined))
    .map(([number, { imported }]) => ({
      external_account_number: number,
      service_account_number: imported?.number ?? null,
      account_created_at: imported?.createdAt ?? null,
    }));
  return { status: 200, body };
}

/** What the sandbox must know, as its state shows it. */
export function stateOf(model: Model) {
  return [...model.suppliers].map(([code, supplier]) => ({
    code,
    status: supplier.status,
    skipped: [...supplier.skipped],
    accounts: [...supplier.accounts].map(([number, { data, imported }]) => ({
      external_account_number: number,
      data: { import_supplier: code, external_account_number: number, ...data },
      imported: imported === undefined ? null : importedState(imported),
    })),
    businesses: supplier.businesses.map(({ id, identifier, name, contract, instructions }) => ({
      service_business_id: id,
      external_business_identifier: identifier,
      business: { company_name: name, business_contracts: [{ identifier: contract }] },
      payment_instructions: instructions,
    })),
  }));
}

function importedState(imported: Imported) {
  return {
    service_account_number: imported.number,
    account_created_at: imported.createdAt,
    status: imported.status,
    notes: imported.notes.map((note) => ({
      ...('sent' in note ? note.sent : { body: expect.any(String) }),
      created_at: note.createdAt,
      is_pinned: note.isPinned,
    })),
    transactions: imported.transactions.map(dataOf),
    statements: imported.statements,
    payment_instructions: imported.instructions,
  };
}
