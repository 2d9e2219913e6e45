/** Exports the admin routes of accounts: a page of the list, and the details of one account. */
import * as z from 'zod';
import { failed } from '../calls/error-answers.js';
import { maskPersonalData } from '../calls/mask-personal-data.js';
import { openPeriod } from '../rules/post-import/open-period.js';
import type { Space } from '../spaces.js';
import { toDateIn } from '../state/dates.js';
import type { AccountRecord, SupplierRecord } from '../state/sandbox-state.js';
import { wholeNumber } from './admin-input.js';
import { type AdminRoute, ok, route } from './admin-route.js';

const MAX_ACCOUNTS = 1000;

const querySchema = z.strictObject({
  supplier: z.string().optional(),
  stage: z.enum(['staged', 'imported', 'skipped']).optional(),
  status: z.enum(['PENDING', 'IN_PROGRESS', 'REJECTED', 'COMPLETED']).optional(),
  q: z.string().optional(),
  offset: wholeNumber(0).default(0),
  limit: wholeNumber(1, MAX_ACCOUNTS).default(100),
});
type Query = z.output<typeof querySchema>;

/** An account, or a mark to skip one that was never staged. */
interface Row {
  supplier: string;
  number: string;
  skipped: boolean;
  account: AccountRecord | undefined;
}

export const accountRoutes: readonly AdminRoute[] = [
  /**
   * `{total, accounts}`: how many match, and up to `limit` (default 100) of them from `offset`, by supplier and first
   * staging. Filters: `supplier`, `stage` (`skipped`: marked to skip, staged or not), `status` of the industry switch,
   * and `q`, a part of the external or service account number.
   */
  route('GET', '/accounts', { query: querySchema }, ({ space, query }) => {
    const rows = [...rowsOf(space, query)];
    const page = rows.slice(query.offset, query.offset + query.limit);
    return ok({ total: rows.length, accounts: page.map(summaryOf) });
  }),
  /**
   * One account: payload, documents with their locations, and once it is imported notes, transactions, statements,
   * instructions and the open statement period (U16). Personal data is masked unless `showPersonalData` is on.
   */
  route('GET', '/accounts/:supplier/:number', {}, ({ space, params }) => {
    const { supplier = '', number = '' } = params;
    const record = space.store().supplier(supplier);
    const account = space.store().account(supplier, number);
    const skipped = record?.skipped.includes(number) === true;
    if (record === undefined || (account === undefined && !skipped)) {
      const detail = 'No account of this supplier has this number, and no mark to skip it.';
      return failed(404, 'account_not_found', detail);
    }
    const summary = summaryOf({ supplier, number, skipped, account });
    return ok(account === undefined ? summary : { ...summary, ...detailsOf(space, account) });
  }),
];

function* rowsOf(space: Space, { supplier, stage, status, q }: Query): Generator<Row> {
  const words = q?.trim().toLowerCase() ?? '';
  const hasWords = (text: string | undefined) => text?.toLowerCase().includes(words) === true;
  for (const record of space.store().state.suppliers) {
    if (supplier !== undefined && record.code !== supplier) continue;
    const skipped = new Set(record.skipped);
    for (const account of record.accounts) {
      const { external_account_number: number, imported } = account;
      const isSkipped = skipped.delete(number);
      if (stage === 'staged' && imported !== null) continue;
      if (stage === 'imported' && imported === null) continue;
      if (stage === 'skipped' && !isSkipped) continue;
      if (status !== undefined && imported?.status !== status) continue;
      if (words !== '' && !hasWords(number) && !hasWords(imported?.service_account_number)) continue;
      yield { supplier: record.code, number, skipped: isSkipped, account };
    }
    if ((stage !== undefined && stage !== 'skipped') || status !== undefined) continue;
    yield* marksOf(record, skipped, hasWords);
  }
}

/** Yields the skip marks of accounts that were never staged. */
function* marksOf(
  { code }: SupplierRecord,
  marks: ReadonlySet<string>,
  hasWords: (number: string) => boolean,
): Generator<Row> {
  for (const number of marks) {
    if (hasWords(number)) yield { supplier: code, number, skipped: true, account: undefined };
  }
}

function summaryOf({ supplier, number, skipped, account }: Row) {
  const imported = account?.imported;
  return {
    supplier,
    external_account_number: number,
    stage: account === undefined ? 'not staged' : imported ? 'imported' : 'staged',
    skipped,
    status: imported?.status ?? null,
    service_account_number: imported?.service_account_number ?? null,
    staged_at: account?.staged_at ?? null,
    account_created_at: imported?.account_created_at ?? null,
  };
}

function detailsOf({ clock, config }: Space, account: AccountRecord) {
  const { data, documents, imported } = account;
  const shown = config.showPersonalData ? (value: unknown) => value : maskPersonalData;
  return {
    documents,
    payload: shown(data),
    ...(imported && {
      operations_team_name: imported.operations_team_name,
      open_period: openPeriod({ account, imported }, toDateIn(config.settings.timeZone, clock.now())),
      notes: shown(imported.notes),
      transactions: shown(imported.transactions.map((transaction) => transaction.data)),
      statements: shown(imported.statements),
      payment_instructions: shown(imported.payment_instructions),
    }),
  };
}
