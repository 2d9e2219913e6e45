/**
 * Exports `countBeforeOpenPeriod` and `beforeOpenPeriodFinding`: transactions that are dated before the open statement period of their
 * account, if the input has that period (spec: Transactions, force_add_to_current_statement; U16). The service moves or rejects them.
 */
import type { ImportRecord } from '../../validation/records/import-record.js';
import { counted } from '../shared/format.js';
import { type LinePlace, linePlace, type Placed } from '../shared/place.js';

export interface BeforeOpenPeriod {
  transactions: number;
  accounts: number;
  /** The first three accounts, with the place of their first such transaction. */
  first: (LinePlace & { attr: string })[];
}

const MOST_PLACES = 3;

export function countBeforeOpenPeriod() {
  const found: BeforeOpenPeriod = { transactions: 0, accounts: 0, first: [] };
  return {
    add(record: ImportRecord, place: Placed): void {
      const positions = positionsBeforeOpenPeriod(record);
      if (positions.length === 0) return;
      found.transactions += positions.length;
      found.accounts++;
      if (found.first.length >= MOST_PLACES) return;
      found.first.push({ ...linePlace(place), attr: `transactions.${positions[0]}.transaction_date` });
    },
    counts: () => found,
  };
}

/** Returns one finding for all such transactions, at the place of the first; undefined if there are none. */
export function beforeOpenPeriodFinding({ transactions, accounts, first }: BeforeOpenPeriod) {
  const [place, ...others] = first;
  if (place === undefined) return undefined;
  const are = transactions === 1 ? 'is' : 'are';
  return {
    ...place,
    code: BEFORE_OPEN_PERIOD,
    severity: 'warning' as const,
    detail: `${counted(transactions, 'transaction')} of ${counted(accounts, 'account')} ${are} dated before the open statement period, which begins after the last billed day. The service moves them into it and pins a note, or rejects them with --no-force-current-statement.`,
    count: transactions,
    others,
  };
}

/** Code of the warning, and its message in a run. */
export const BEFORE_OPEN_PERIOD = 'transaction_before_open_period';
export const BEFORE_OPEN_PERIOD_DETAIL =
  'Dated before the open statement period, which begins after the last billed day. The service moves these transactions into it and pins a note, or rejects them with --no-force-current-statement.';

/** Returns the positions of such transactions. The record was not checked, so its fields may have any type. */
export function positionsBeforeOpenPeriod(record: ImportRecord): number[] {
  if (typeof record !== 'object' || record === null || !('transactions' in record)) return [];
  const billedTo = billedToDate(record);
  if (billedTo === undefined) return [];
  return datesIn(record.transactions, 'transaction_date').flatMap(({ date, position }) =>
    date <= billedTo ? [position] : [],
  );
}

/** Returns the last billed day. The open period begins on the next day. */
function billedToDate(record: ImportRecord): string | undefined {
  const { last_billed_to_date, statements } = record.account ?? {};
  if (isDate(last_billed_to_date)) return last_billed_to_date;
  const ends = [...datesIn(statements, 'bill_period_to_date'), ...datesIn(record.statements, 'bill_period_to_date')];
  return ends
    .map(({ date }) => date)
    .sort()
    .at(-1);
}

function datesIn(list: unknown, field: string): { date: string; position: number }[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: Record<string, unknown> | null, position) => {
    const date = item?.[field];
    return isDate(date) ? [{ date, position }] : [];
  });
}

function isDate(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value);
}
