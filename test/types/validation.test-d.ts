/** A payload that was checked has its type, without a cast. */
import {
  type Account,
  type Finding,
  type NotesPayload,
  parseAccount,
  parseTransactions,
  type TransactionsPayload,
  validateAccount,
  validateNotes,
} from 'data-import-sdk';
import { expectTypeOf, it } from 'vitest';

declare const row: unknown;

it('validate narrows the payload, also if the result is taken apart', () => {
  const result = validateAccount(row);
  expectTypeOf(result.findings).toEqualTypeOf<Finding[]>();
  if (result.ok) expectTypeOf(result.payload).toEqualTypeOf<Account>();
  else expectTypeOf(result.payload).toEqualTypeOf<undefined>();
  const { ok, payload } = validateNotes(row);
  if (ok) expectTypeOf(payload).toEqualTypeOf<NotesPayload>();
});

it('parse returns the payload', () => {
  expectTypeOf(parseAccount(row)).toEqualTypeOf<Account>();
  expectTypeOf(parseTransactions(row)).toEqualTypeOf<TransactionsPayload>();
});
