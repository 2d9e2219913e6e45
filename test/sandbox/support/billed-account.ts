/** An account that was billed to the end of 2025, and the transactions that the tests add to it. */
import { importAccount, openSandbox } from './requests.js';

export const PATH = 'transactions/create/';
export const payload = (...transactions: Record<string, unknown>[]) => ({
  import_supplier: 'SANDBOX_SUPPLIER',
  external_account_number: 'A-1',
  transactions,
});
export const charge = (more: Record<string, unknown> = {}) => ({
  transaction_id: 'T-1',
  transaction_date: '2026-01-10',
  amount: 12.5,
  type: 'CHARGE',
  reason: 'IMPORTED_CHARGE',
  ...more,
});

/** A charge as the service answers it. */
export const answered = (more: Record<string, unknown> = {}) => ({ ...charge(), amount: '12.50', ...more });
export const added = (transaction_data: object) => ({ status: 'TRANSACTION_ADDED_TO_ACCOUNT', transaction_data });
export const existing = (transaction_data: object) => ({ status: 'TRANSACTION_ALREADY_EXISTS', transaction_data });

/** Billed to the end of 2025, and the clock stands on 2026-01-15: open from 2026-01-01 to 2026-01-15. */
export const withAccount = async (more: Record<string, unknown> = { last_billed_to_date: '2025-12-31' }) => {
  const talk = openSandbox();
  await importAccount(talk, 'A-1', more);
  const imported = () => talk.sandbox.state.suppliers[0]?.accounts[0]?.imported;
  return { ...talk, imported };
};

export const resultsOf = (answer: { body: unknown }) =>
  (answer.body as { results: { status: string; transaction_data: Record<string, unknown> }[] }).results;
