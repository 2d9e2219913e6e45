/** Exports `keysOf`: what identifies the items of a list, and their amounts. */
import { hash } from 'node:crypto';
import { TRANSACTION_TYPES } from '../../../../schemas/values.js';
import { canonicalJson } from '../../../validation/records/canonical-json.js';
import type { AmountType } from '../../ledger/amounts.js';
import type { ItemKey } from '../../ledger/items.js';
import type { ItemStep } from '../../ledger/ledger.js';
import { decimalText } from '../../shared/decimal.js';

/** The field that identifies an item of the step, and the one with its amount. */
const FIELDS: Readonly<Record<ItemStep, { id?: string; amount?: string }>> = {
  paymentInstruction: { id: 'reference' },
  statements: { id: 'statement_id', amount: 'gross_amount' },
  transactions: { id: 'transaction_id', amount: 'amount' },
  notes: {},
};

/** 48 bits: a digest is compared only with those of the same list. */
const CHARACTERS = 8;

/** Returns the keys of the items, which may be unchecked. */
export function keysOf(step: ItemStep, list: readonly unknown[]): ItemKey[] {
  const { id: field = '' } = FIELDS[step];
  return list.map((item) => {
    const identifier = fieldOf(item, field);
    const id = typeof identifier === 'string' && identifier !== '' ? digestOf(identifier) : '';
    const { type, amount } = hasAmounts(step) ? typedAmount(step, item) : NO_AMOUNT;
    const content = id === '' ? item : { ...(item as object), [field]: undefined };
    return { digest: digestOf(canonicalJson(content) ?? ''), id, type, amount: decimalText(amount) ?? null };
  });
}

/** Returns a text that two items have in common only if their content is the same. */
export function contentIn({ digest, id }: ItemKey): string {
  return digest + id;
}

const NO_AMOUNT = { type: null, amount: undefined };

type AmountStep = 'statements' | 'transactions';

function hasAmounts(step: ItemStep): step is AmountStep {
  return FIELDS[step].amount !== undefined;
}

/** Returns type and amount of an item, which may be unchecked. */
export function typedAmount(step: AmountStep, item: unknown): { type: AmountType; amount: unknown } {
  const amount = fieldOf(item, FIELDS[step].amount ?? '');
  if (step === 'statements') return { type: 'STATEMENT', amount };
  const type = fieldOf(item, 'type');
  return { type: (TRANSACTION_TYPES as readonly unknown[]).includes(type) ? (type as AmountType) : 'OTHER', amount };
}

function fieldOf(item: unknown, field: string): unknown {
  return (item as Readonly<Record<string, unknown>> | null | undefined)?.[field];
}

function digestOf(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, CHARACTERS);
}
