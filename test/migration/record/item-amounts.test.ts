/** The amounts of a record, by outcome, after each event: every amount is in one outcome, and none is rounded. */
import { describe, expect, test } from 'vitest';
import type { ItemAmounts } from '../../../src/migration/ledger/amounts.js';
import type { LedgerRecord } from '../../../src/migration/ledger/ledger.js';
import { applyEvent } from '../../../src/migration/record/events/apply-event.js';
import { outcomesByDefault } from '../../../src/migration/record/events/apply-items-sent.js';
import type { ItemsSentEvent, RecordEvent } from '../../../src/migration/record/events/record-event.js';
import { amountsOfStep, sumsAt, sumsOf } from '../../../src/migration/record/items/item-amounts.js';
import { itemsIn, sentList } from '../../../src/migration/record/items/item-counts.js';
import type { ItemOutcomes } from '../../../src/migration/record/items/item-outcomes.js';
import { itemListOf } from '../../../src/migration/record/items/items.js';
import { positionsOf } from '../../../src/migration/record/items/missing-items.js';
import type { ImportRecord } from '../../../src/validation/records/import-record.js';
import { record } from '../ledger/records.js';
import { account } from '../rehearsal.js';

type ListStep = 'transactions' | 'statements';

const TRANSACTIONS = [
  { type: 'CHARGE', amount: 0.1 },
  { type: 'CHARGE', amount: 0.2 },
  { type: 'PAYMENT', amount: 30 },
];
const STATEMENTS = [{ gross_amount: 10 }, { gross_amount: 20 }, { gross_amount: 40 }];

/** An account that was created, and the events of its items. */
function open(items: { transactions?: object[]; statements?: object[] }) {
  const payload = account('A-1', {}, items) as ImportRecord;
  let current: LedgerRecord = record('A-1', { done: 'process', serviceNumber: 'S', items: itemsIn(payload) });
  const apply = (event: RecordEvent) => {
    current = applyEvent(current, event, '2026-01-15T09:00:00.000Z');
  };
  return {
    apply,
    amounts: (step: ListStep): ItemAmounts | null => current.items?.[step]?.amounts ?? null,
    start: (step: ListStep, positions?: readonly number[]) => {
      const sending = positions ?? positionsOf(current, step);
      apply({
        ...{ type: 'stepStarted', step },
        ...(positions && { part: { positions, list: sentList(step, payload) } }),
        ...(sending && { amounts: sumsAt(step, itemListOf(step, payload), sending) ?? {} }),
      });
    },
    end: (step: ListStep, type: ItemsSentEvent['type'], outcomes?: ItemOutcomes) => {
      const list = itemListOf(step, payload);
      const attempted = positionsOf(current, step);
      const items = outcomes ?? outcomesByDefault(type, attempted ?? [...list.keys()]);
      const amounts = amountsOfStep(step, list, attempted, items, sumsOf(step, list));
      apply({
        ...({
          type,
          step,
          list: sentList(step, payload),
          ...(type === 'stepRejected' && { errors: [] }),
        } as ItemsSentEvent),
        ...(outcomes && { items: outcomes }),
        ...(amounts && { amounts }),
      });
    },
  };
}

const none = { sent: {}, alreadyImported: {}, rejected: {}, unknown: {}, sending: {}, others: [], earlier: {} };
const TOTAL = { CHARGE: { count: 2, sum: '0.3' }, PAYMENT: { count: 1, sum: '30' } };
const ofStatements = (count: number, sum: number) => ({ STATEMENT: { count, sum: String(sum) } });

describe('one request', () => {
  test('before it, nothing has an outcome', () => {
    expect(open({ transactions: TRANSACTIONS }).amounts('transactions')).toEqual({ ...none, total: TOTAL });
  });

  test.each([
    ['stepSucceeded', 'sent'],
    ['stepRejected', 'rejected'],
    ['outcomeUnknown', 'unknown'],
  ] as const)('%s: all amounts are %s', (type, outcome) => {
    const { start, end, amounts } = open({ transactions: TRANSACTIONS });
    start('transactions');
    end('transactions', type);
    expect(amounts('transactions')).toEqual({ ...none, total: TOTAL, [outcome]: TOTAL });
  });

  test('an answer with an outcome for each item', () => {
    const { start, end, amounts } = open({ transactions: [...TRANSACTIONS, { type: 'CREDIT', amount: -5 }] });
    start('transactions');
    const otherAmounts = [{ position: 0, amount: '0.11' }];
    end('transactions', 'stepSucceeded', {
      alreadyImported: [0],
      rejected: [1],
      unknown: [2],
      notSent: [3],
      otherAmounts,
    });
    expect(amounts('transactions')).toEqual({
      total: { ...TOTAL, CREDIT: { count: 1, sum: '-5' } },
      sent: {},
      alreadyImported: { CHARGE: { count: 1, sum: '0.11' } },
      rejected: { CHARGE: { count: 1, sum: '0.2' } },
      unknown: { PAYMENT: { count: 1, sum: '30' } },
      sending: {},
      others: [{ position: 0, type: 'CHARGE', sent: '0.1', confirmed: '0.11' }],
      earlier: {},
    });
  });

  test('without an answer, all are added if a person says so', () => {
    const { start, apply, amounts } = open({ transactions: TRANSACTIONS });
    start('transactions');
    apply({ type: 'resolved', step: 'transactions', as: 'done' });
    expect(amounts('transactions')).toEqual({ ...none, total: TOTAL, sent: TOTAL });
  });

  test('unknown items are added if a person says so, and else are sent again', () => {
    for (const as of ['done', 'notDone'] as const) {
      const { start, end, apply, amounts } = open({ transactions: TRANSACTIONS });
      start('transactions');
      end('transactions', 'stepSucceeded', { unknown: [1] });
      apply({ type: 'ended' });
      apply({ type: 'resolved', step: 'transactions', as });
      const sent = as === 'done' ? TOTAL : { ...TOTAL, CHARGE: { count: 1, sum: '0.1' } };
      expect(amounts('transactions')).toEqual({ ...none, total: TOTAL, sent });
    }
  });

  test('a type that is unknown, an amount that is none, and an item that is none count, and add nothing', () => {
    const unchecked = [
      { type: 'GIFT', amount: 1 },
      { type: 'CHARGE', amount: '12,50' },
      { type: 'CHARGE' },
      null,
    ] as object[];
    expect(open({ transactions: unchecked }).amounts('transactions')?.total).toEqual({
      OTHER: { count: 2, sum: '1' },
      CHARGE: { count: 2, sum: '0' },
    });
  });
});

describe('several requests', () => {
  test('each adds the amounts of its items', () => {
    const { start, end, amounts } = open({ statements: STATEMENTS });
    start('statements', [0]);
    expect(amounts('statements')).toEqual({ ...none, total: ofStatements(3, 70), sending: ofStatements(1, 10) });
    end('statements', 'stepSucceeded');
    start('statements', [1]);
    end('statements', 'stepRejected');
    start('statements', [2]);
    end('statements', 'outcomeUnknown');
    expect(amounts('statements')).toEqual({
      ...none,
      total: ofStatements(3, 70),
      sent: ofStatements(1, 10),
      rejected: ofStatements(1, 20),
      unknown: ofStatements(1, 40),
    });
  });

  test.each(['done', 'notDone'] as const)('one without an answer, and one that is unknown, resolved as %s', (as) => {
    const { start, end, apply, amounts } = open({ statements: STATEMENTS });
    start('statements', [0]);
    end('statements', 'outcomeUnknown');
    start('statements', [1]);
    apply({ type: 'resolved', step: 'statements', as });
    const sent = as === 'done' ? ofStatements(2, 30) : {};
    expect(amounts('statements')).toEqual({ ...none, total: ofStatements(3, 70), sent });
  });

  test('a request that was revoked counts nothing', () => {
    const { start, end, apply, amounts } = open({ statements: STATEMENTS });
    start('statements', [0]);
    apply({ type: 'intentRevoked', step: 'statements' });
    start('statements', [0, 1, 2]);
    end('statements', 'stepSucceeded');
    expect(amounts('statements')).toEqual({ ...none, total: ofStatements(3, 70), sent: ofStatements(3, 70) });
  });
});

test('counts of an earlier version stay without amounts', () => {
  const counts = {
    total: 1,
    sent: 0,
    alreadyImported: 0,
    rejected: 0,
    unknown: 1,
    earlier: 0,
    digest: null,
    moved: [],
  };
  const known = record('A-1', {
    ...{ done: 'notes', outcome: 'unknown', unknown: ['transactions'] },
    items: {
      existed: false,
      replaced: null,
      paymentInstruction: null,
      statements: null,
      notes: null,
      transactions: { ...counts, amounts: null },
    },
  });
  const resolved = applyEvent(
    known,
    { type: 'resolved', step: 'transactions', as: 'done' },
    '2026-01-15T09:00:00.000Z',
  );
  expect(resolved.items?.transactions).toMatchObject({ sent: 1, amounts: null });
});
