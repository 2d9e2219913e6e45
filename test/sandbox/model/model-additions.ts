/** The model of the service: what is added to accounts that are imported, and businesses (E1 to E3, E7 to E10). */
import { expect } from 'vitest';
import type { AccountKey, InstructionSent, NoteSent, Statement, TransactionSent } from './model-commands.js';
import { type Added, type Expected, type Imported, type Model, now, REFUSED } from './model-state.js';

/** Amounts in answers as documented: decimals in strings. */
const DECIMALS = new Map([
  [12.5, '12.50'],
  [100, '100.00'],
  [0.1, '0.10'],
  [-3, '-3.00'],
  [1.005, '1.005'],
]);

/** A note must contain at least one of body or document_paths (spec: Note). */
export function isEmpty({ body, document_paths }: NoteSent): boolean {
  return body === undefined && document_paths === undefined;
}

/** E7 */
export function notes(model: Model, command: AccountKey & { notes: NoteSent[] }): Expected {
  if (command.notes.some(isEmpty)) return REFUSED;
  const imported = importedOf(model, command);
  if (imported === undefined) return { status: 404 };
  return { status: 201, body: addNotes(model, imported, command.notes) };
}

export function addNotes(model: Model, imported: Imported, sent: NoteSent[]) {
  return sent.map((note) => {
    const before = imported.notes.find((other) => 'sent' in other && isSame(other.sent, other.createdAt, note));
    const body = note.body ?? null;
    if (before !== undefined) return { created_at: before.createdAt, body, status: 'NOTE_ALREADY_EXISTS' };
    const createdAt = note.created_at ?? now(model);
    imported.notes.push({ sent: note, createdAt, isPinned: note.is_pinned ?? false });
    return { created_at: createdAt, body, status: 'NOTE_CREATION_SUCCESS' };
  });
}

/** The same body, and the same created_at where the new one gives it; without a body the same paths (U17). */
function isSame(existing: NoteSent, createdAt: string, note: NoteSent): boolean {
  const paths = ({ document_paths = [] }: NoteSent) => document_paths.map(({ document_path }) => document_path).join();
  const isAlike = existing.body === note.body && (note.body !== undefined || paths(existing) === paths(note));
  return isAlike && (note.created_at === undefined || Date.parse(note.created_at) === Date.parse(createdAt));
}

/** E8 */
export function transactions(
  model: Model,
  command: AccountKey & { transactions: TransactionSent[]; check?: boolean | undefined; force?: boolean | undefined },
): Expected {
  if (command.transactions.some(({ type }) => type === 'GIFT')) return REFUSED;
  const account = model.suppliers.get(command.supplier)?.accounts.get(command.account);
  if (account?.imported === undefined) return REFUSED;
  const { imported, data } = account;
  const ends = [...(data.statements ?? []), ...imported.statements].map((one) => one.bill_period_to_date ?? '').sort();
  const billedTo = data.last_billed_to_date ?? (ends.at(-1) || undefined);
  const from = billedTo === undefined ? '' : day(Date.parse(billedTo) + 86_400_000);
  const today = day(model.now);

  // The latest one of the same identity stands for them.
  const known = imported.transactions.toReversed();
  const added: Added[] = [];
  const results: unknown[] = [];
  for (const sent of command.transactions) {
    const before = known.find((other) => isSameTransaction(other.sent, sent));
    if (before !== undefined && command.check !== false) {
      results.push({ status: 'TRANSACTION_ALREADY_EXISTS', transaction_data: dataOf(before) });
      continue;
    }
    const { transaction_date: date } = sent;
    const moved = date === undefined ? undefined : [from, date, today].sort()[1];
    // The middle one of the three is the nearest day of the period.
    if (moved !== date && command.force === false) {
      const transaction_data = dataOf({ sent, date, isMoved: false });
      const error = { status: 'TRANSACTION_IMPORT_ERROR', error_detail: expect.any(String), transaction_data };
      return { status: 400, body: error };
    }
    const one = { sent, date: moved, isMoved: moved !== date };
    known.unshift(one);
    added.push(one);
    results.push({ status: 'TRANSACTION_ADDED_TO_ACCOUNT', transaction_data: dataOf(one) });
  }
  imported.transactions.push(...added);
  for (const { isMoved } of added) {
    if (isMoved) imported.notes.push({ explains: true, createdAt: now(model), isPinned: true });
  }
  return { status: 201, body: { results } };
}

function day(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** U15: the id, or the whole item where there is none. */
function isSameTransaction(one: TransactionSent, other: TransactionSent): boolean {
  if (one.transaction_id !== undefined || other.transaction_id !== undefined) {
    return one.transaction_id === other.transaction_id;
  }
  return one.type === other.type && one.amount === other.amount && one.transaction_date === other.transaction_date;
}

export function dataOf({ sent, date, isMoved }: Added) {
  const { amount } = sent;
  return {
    ...sent,
    ...(amount !== undefined && { amount: DECIMALS.get(amount) }),
    ...(date !== undefined && { transaction_date: date }),
    ...(isMoved && { description: expect.any(String) }),
  };
}

/** E9; what comes twice is kept twice. */
export function statements(model: Model, command: AccountKey & { statements: Statement[] }): Expected {
  const imported = importedOf(model, command);
  if (imported === undefined) return REFUSED;
  imported.statements.push(...command.statements);
  const { supplier: import_supplier, account: external_account_number } = command;
  return { status: 201, body: { import_supplier, external_account_number, statements: command.statements } };
}

/** E10 */
export function instruct(model: Model, command: AccountKey & { instruction: InstructionSent }): Expected {
  const imported = importedOf(model, command);
  if (imported === undefined) return REFUSED;
  const { supplier, account, instruction } = command;
  const failure = askVendor(model, ['account', supplier, account], instruction);
  if (failure !== undefined) return failure;
  imported.instructions.push(instruction);
  return { status: 201, body: { service_account_number: imported.number, reference: instruction.reference } };
}

function askVendor(model: Model, holder: string[], { vendor, reference }: InstructionSent): Expected | undefined {
  if (reference === 'sbx-vendor-persistent') return REFUSED;
  const failures = reference === 'sbx-vendor-flaky-1' ? 1 : reference === 'sbx-vendor-flaky-2' ? 2 : 0;
  const key = [...holder, vendor, reference].join();
  const tries = model.vendorTries.get(key) ?? 0;
  if (tries >= failures) return undefined;
  model.vendorTries.set(key, tries + 1);
  return { status: 500 };
}

/** E2; the same identifier and name again is refused (U20). */
export function business(
  model: Model,
  {
    supplier: code,
    identifier,
    name,
    contract,
  }: { supplier: string; identifier: string; name: string; contract: string },
  answer: unknown,
): Expected {
  const supplier = model.suppliers.get(code);
  if (supplier === undefined) return REFUSED;
  if (supplier.businesses.some((other) => other.identifier === identifier && other.name === name)) return REFUSED;
  const id = (answer as { service_business_id?: unknown } | undefined)?.service_business_id;
  const used = [...model.suppliers.values()].flatMap(({ businesses }) => businesses.map((other) => other.id));
  expect(Number.isSafeInteger(id), 'a new service business id').toBe(true);
  expect(used, 'a new service business id').not.toContain(id);
  supplier.businesses.push({ id: Number(id), identifier, name, contract, instructions: [] });
  return { status: 201, body: { service_business_id: id, external_business_identifier: identifier } };
}

/** E3; the accounts must be imported (U21). */
export function instructBusiness(
  model: Model,
  command: { supplier: string; identifier: string; instruction: InstructionSent; accounts?: string[] | undefined },
): Expected {
  const { supplier: code, identifier, instruction, accounts } = command;
  const supplier = model.suppliers.get(code);
  const holder = supplier?.businesses.find((other) => other.identifier === identifier);
  if (supplier === undefined || holder === undefined) return REFUSED;
  if (accounts?.some((account) => !supplier.accounts.has(account))) return REFUSED;
  const failure = askVendor(model, ['business', code, identifier], instruction);
  if (failure !== undefined) return failure;
  const named = accounts?.map((account) => ({ external_account_number: account }));
  holder.instructions.push({ ...instruction, ...(named !== undefined && { accounts: named }) });
  return { status: 201, body: { reference: instruction.reference, external_business_identifier: identifier } };
}

/** E1 */
export function populate(model: Model, answer: unknown): Expected {
  const batch_id = (answer as { batch_id?: unknown } | undefined)?.batch_id;
  expect(model.batches.has(String(batch_id)), 'a new batch id').toBe(false);
  model.batches.add(String(batch_id));
  return { status: 201, body: { batch_id: expect.any(String) } };
}

function importedOf(model: Model, { supplier, account }: AccountKey): Imported | undefined {
  return model.suppliers.get(supplier)?.accounts.get(account)?.imported;
}
