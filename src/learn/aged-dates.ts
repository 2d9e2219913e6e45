/**
 * Exports `daysOfDates`: for each date whose age a recording shows, how many days ago the invented one is. Dates of one age are in the
 * order that the answers show, because it decides which transactions are outside the open period.
 */
import type { Masked } from './mask.js';
import { partsOf } from './mask.js';
import type { RecordedCall } from './record.js';

type Fields = { readonly [name: string]: Masked };

/** Returns days before today by token; negative for a date in the future. `leaves`: the masked values of the requests. */
export function daysOfDates(calls: readonly RecordedCall[], leaves: readonly string[]): Map<string, number> {
  const { pairs, firstDays } = orderOf(calls);
  const ranks = ranksOf(pairs);
  const ages = new Map<number, Set<string>>();
  const seen = new Set<string>();
  for (const leaf of leaves) {
    const { token, age } = partsOf(leaf) ?? {};
    if (token === undefined || age === undefined || seen.has(token)) continue;
    seen.add(token);
    ages.set(age, (ages.get(age) ?? new Set()).add(token));
  }
  const days = new Map<string, number>();
  for (const [age, tokens] of ages) {
    const latestFirst = [...tokens].sort((one, other) => (ranks.get(other) ?? 0) - (ranks.get(one) ?? 0));
    for (const [place, token] of latestFirst.entries()) days.set(token, dayOfAge(age, place / latestFirst.length));
  }
  for (const [first, end] of firstDays) days.set(first, (days.get(end) ?? 0) - 1);
  return days;
}

/** `share`: 0 for the latest day of this age, up to 1. */
function dayOfAge(age: number, share: number): number {
  if (age === 0) return 0;
  const first = 2 ** (Math.abs(age) - 1);
  const later = Math.floor(share * first);
  return age > 0 ? first + later : later + 1 - 2 * first;
}

/**
 * Returns pairs of dates, the earlier first: the last billed day of an account, and a transaction before or after it; and the first days of
 * the open period to which a transaction was moved, with the last billed day.
 */
function orderOf(calls: readonly RecordedCall[]) {
  const pairs = new Map<string, [string, string]>();
  const firstDays = new Map<string, string>();
  const billed = new Map<string, string | undefined>();
  for (const { operation, request, status, answer } of calls) {
    if (!isFields(request) || status === null) continue;
    const account = JSON.stringify([request['import_supplier'], request['external_account_number']]);
    if (operation === 'accounts.stage' && status < 300) billed.set(account, lastBilled(request));
    const end = billed.get(account);
    if (operation !== 'transactions.create' || end === undefined) continue;
    for (const { date, isInside, movedTo } of judged(request, answer)) {
      const pair: [string, string] = isInside ? [end, date] : [date, end];
      if (date !== end) pairs.set(pair.join(), pair);
      if (movedTo?.age !== undefined && movedTo.age > 0) firstDays.set(movedTo.token, end);
    }
  }
  for (const pair of firstDays) pairs.set(pair.join(), [pair[1], pair[0]]);
  return { pairs: [...pairs.values()], firstDays };
}

function lastBilled(account: Fields): string | undefined {
  const statement = listOf(account['statements']).at(-1);
  return tokenOf(account['last_billed_to_date'] ?? statement?.['bill_period_to_date']);
}

interface Judged {
  date: string;
  isInside: boolean;
  movedTo?: ReturnType<typeof partsOf>;
}

/** The transactions of which the answer shows whether they are in the open period: one outside is moved, or is the first that fails. */
function judged(request: Fields, answer: Masked | undefined): Judged[] {
  if (!isFields(answer)) return [];
  const sent = listOf(request['transactions']);
  const failing = answer['transaction_data'];
  const failed = sent.findIndex(
    ({ transaction_id: id }) => id !== undefined && isFields(failing) && id === failing['transaction_id'],
  );
  const results = listOf(answer['results']);
  return sent.flatMap(({ transaction_date }, index): Judged[] => {
    const date = tokenOf(transaction_date);
    if (date === undefined) return [];
    if (failed !== -1) return index > failed ? [] : [{ date, isInside: index < failed }];
    const echo = results.length === sent.length ? results[index]?.['transaction_data'] : undefined;
    const given = isFields(echo) ? echo['transaction_date'] : undefined;
    if (typeof given !== 'string') return [];
    return given === transaction_date
      ? [{ date, isInside: true }]
      : [{ date, isInside: false, movedTo: partsOf(given) }];
  });
}

/** Returns a rank for each date, higher for a later one. Pairs that contradict each other end after as many rounds as there are dates. */
function ranksOf(pairs: readonly [string, string][]): Map<string, number> {
  const ranks = new Map<string, number>(pairs.flat().map((token) => [token, 0]));
  for (let round = 0, isChanged = true; isChanged && round < ranks.size; round++) {
    isChanged = false;
    for (const [earlier, later] of pairs) {
      const least = (ranks.get(earlier) ?? 0) + 1;
      if ((ranks.get(later) ?? 0) >= least) continue;
      ranks.set(later, least);
      isChanged = true;
    }
  }
  return ranks;
}

function tokenOf(masked: Masked | undefined): string | undefined {
  return typeof masked === 'string' ? partsOf(masked)?.token : undefined;
}

function listOf(masked: Masked | undefined): Fields[] {
  return Array.isArray(masked) ? masked.filter(isFields) : [];
}

/** Whether a masked value is an object. */
export function isFields(masked: Masked | undefined): masked is Fields {
  return typeof masked === 'object' && masked !== null && !Array.isArray(masked);
}
