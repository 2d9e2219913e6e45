/**
 * Exports `followImports`, which queries the import status of every existing account, in rounds, until each is final. Use it after a
 * run: an account that was created can still be rejected by the industry switch.
 */
import { hash } from 'node:crypto';
import { existingAccount } from '../../../../schemas/import-status.js';
import { ACCOUNT_IMPORT_STATUSES } from '../../../../schemas/values.js';
import type { DataImportClient } from '../../../client.js';
import { ApiError, NotFoundError } from '../../../errors/api-errors.js';
import { TokenError } from '../../../errors/client-errors.js';
import { isDataImportError } from '../../../errors/guards.js';
import { AbortedError } from '../../../errors/no-answer-errors.js';
import type { Ledger, LedgerRecord } from '../../ledger/ledger.js';
import { CallNotAdmittedError } from '../../record/record-context.js';
import { statusQuery } from '../../record/steps/service-number.js';
import type { ImportCounts } from '../../shared/format.js';
import { createHashSet, type HashSet } from '../../shared/hash-set.js';
import { zeros } from '../../shared/zero-counts.js';
import type { Throttle } from '../../throttle/throttle.js';
import { isOurs } from './compare-with-service.js';
import type { StatusLog } from './follow-log.js';

type Outcome = (typeof OUTCOMES)[number];

/** Result of an account; its note is the index. */
const OUTCOMES = ['notAnswered', ...ACCOUNT_IMPORT_STATUSES, 'other', 'notFound', 'otherNumber'] as const;

/** Final statuses. The specification has no transitions; these end an industry switch. */
const FINAL: ReadonlySet<Outcome> = new Set(['REJECTED', 'COMPLETED', 'notFound', 'otherNumber']);

/** Flag in a note: the account is in the ledger, and counted. */
const IS_COUNTED = 16;

export interface FollowOptions {
  ledger: Ledger;
  client: DataImportClient;
  /** Concurrency, rate and time window of the status queries. */
  throttle: Throttle;
  /** Statuses of earlier commands; receives those of this one. undefined for a run without a folder on this machine. */
  log: StatusLog | undefined;
  /** Milliseconds between two rounds; doubled after a round without a change, up to a quarter of an hour. */
  everyMs: number;
  /** Aborting it ends the command after the answers in flight. */
  signal: AbortSignal;
  /** Aborting it aborts the queries in flight. */
  breakOff?: AbortSignal | undefined;
  /** Called after each answer. */
  onAnswer?: ((counts: ImportCounts) => void) | undefined;
  /** Called after each round; `waitMs` until the next one, undefined after the last. */
  onRound: (counts: ImportCounts, waitMs: number | undefined) => void;
}

/** Longest wait between two rounds. */
const MOST_WAIT_MS = 15 * 60_000;

/** Number of consecutive rounds without any answer after which it stops. */
const MOST_VAIN_ROUNDS = 3;

/**
 * Needs about ten bytes of memory per account. Accounts that an earlier command found COMPLETED are not queried again; REJECTED ones are
 * queried once. Rejects if the token is not accepted, and after three consecutive rounds without any answer.
 */
export async function followImports(
  options: FollowOptions,
): Promise<{ counts: ImportCounts; state: 'finished' | 'stopped' }> {
  const { ledger, log, throttle, signal, everyMs, onRound } = options;
  const counts: ImportCounts = zeros(OUTCOMES);
  const { total: expected } = await ledger.counts({ kind: 'account' });
  const known = await statusesIn(log, expected);
  const stop = () => throttle.drain();
  signal.addEventListener('abort', stop, { once: true });
  const state: Round = { options, counts, known, isFirst: true, changed: 0, answered: 0, failure: undefined };
  try {
    let waitMs = everyMs;
    for (let vainRounds = 0; ; state.isFirst = false) {
      Object.assign(state, { changed: 0, answered: 0, failure: undefined });
      await askAll(state);
      const left = OUTCOMES.reduce((sum, outcome) => sum + (FINAL.has(outcome) ? 0 : counts[outcome]), 0);
      const isOver = left === 0 || signal.aborted;
      const isVain = state.failure !== undefined && state.answered === 0;
      vainRounds = isVain ? vainRounds + 1 : 0;
      if (!isOver && vainRounds >= MOST_VAIN_ROUNDS) throw state.failure;
      waitMs =
        state.changed > 0 ? everyMs : Math.max(everyMs, Math.min(waitMs * (state.isFirst ? 1 : 2), MOST_WAIT_MS));
      onRound(counts, isOver ? undefined : waitMs);
      if (isOver) return { counts, state: left === 0 ? 'finished' : 'stopped' };
      await throttle.sleep(waitMs);
    }
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Yields the accounts of the ledger that are REJECTED according to the log. */
export async function* rejectedOf(ledger: Ledger, log: StatusLog): AsyncGenerator<LedgerRecord> {
  const known = await statusesIn(log);
  for await (const record of ledger.list({ kind: 'account' })) {
    if (known.noteOf(hashOf(record.supplier, record.number)) === indexOf('REJECTED')) yield record;
  }
}

async function statusesIn(log: StatusLog | undefined, expected = 0): Promise<HashSet> {
  const known = createHashSet(expected);
  for await (const [supplier, number, status] of log?.read() ?? [])
    setNote(known, hashOf(supplier, number), indexOf(status));
  return known;
}

interface Round {
  options: FollowOptions;
  counts: ImportCounts;
  known: HashSet;
  isFirst: boolean;
  /** Number of accounts with a new status. */
  changed: number;
  answered: number;
  /** The error of the last query without an answer. */
  failure: Error | undefined;
}

async function askAll(round: Round): Promise<void> {
  const { ledger, throttle, signal } = round.options;
  const underWay = new Set<Promise<void>>();
  let fatal: { error: unknown } | undefined;
  const most = 2 * throttle.status().concurrency.most;
  for await (const record of ledger.list({ kind: 'account' })) {
    if (signal.aborted || fatal !== undefined) break;
    if (!isOurs(record) || !isToBeAsked(record, round)) continue;
    const work: Promise<void> = ask(record, round)
      .catch((error) => {
        fatal ??= { error };
      })
      .then(() => void underWay.delete(work));
    underWay.add(work);
    if (underWay.size >= most) await Promise.race(underWay);
  }
  await Promise.all(underWay);
  if (fatal !== undefined) throw fatal.error;
}

/** Returns whether to query the account. Counts it, if the ledger returns it for the first time. */
function isToBeAsked({ supplier, number }: LedgerRecord, { known, counts, isFirst }: Round): boolean {
  const id = hashOf(supplier, number);
  const note = known.noteOf(id) ?? 0;
  const outcome = outcomeOf(note);
  if ((note & IS_COUNTED) === 0) {
    counts[outcome]++;
    setNote(known, id, note | IS_COUNTED);
  }
  // A REJECTED status of an earlier command may have changed since.
  return !FINAL.has(outcome) || (isFirst && outcome === 'REJECTED');
}

async function ask(record: LedgerRecord, round: Round): Promise<void> {
  const { client, throttle, breakOff, log, onAnswer } = round.options;
  const { supplier, number } = record;
  let found: Outcome;
  try {
    // A status query needs no slot of `process`. After a 429 it waits with all other calls.
    const call = () => client.imports.status(statusQuery(record), { signal: breakOff, maxThrottleWaitMs: 0 });
    const answer = await throttle.schedule('validate', async () => call());
    const { status } = answer;
    const { serviceNumber } = record;
    const answered = existingAccount(answer)?.number ?? serviceNumber;
    // The number in the answer differs, so the status may be of another account.
    if (serviceNumber !== null && answered !== serviceNumber) found = 'otherNumber';
    else found = (ACCOUNT_IMPORT_STATUSES as readonly string[]).includes(status) ? (status as Outcome) : 'other';
  } catch (error) {
    if (error instanceof CallNotAdmittedError || error instanceof AbortedError) return;
    if (!isDataImportError(error) || error instanceof TokenError || (error instanceof ApiError && error.status === 401))
      throw error;
    if (!(error instanceof NotFoundError)) {
      round.failure = error;
      return;
    }
    found = 'notFound';
  }
  round.answered++;
  const { known, counts } = round;
  const id = hashOf(supplier, number);
  const before = outcomeOf(known.noteOf(id) ?? 0);
  if (before !== found) {
    round.changed++;
    counts[before]--;
    counts[found]++;
    setNote(known, id, OUTCOMES.indexOf(found) | IS_COUNTED);
    // A status that is not final is queried again anyway, so it is logged only if a final one was logged before.
    if (found === 'REJECTED' || found === 'COMPLETED' || before === 'REJECTED') {
      await log?.add(supplier, number, found);
    }
  }
  onAnswer?.(counts);
}

function outcomeOf(note: number): Outcome {
  return OUTCOMES[note & (IS_COUNTED - 1)] ?? 'notAnswered';
}

function indexOf(status: string): number {
  return Math.max(0, (OUTCOMES as readonly string[]).indexOf(status));
}

function setNote(known: HashSet, id: string, note: number): void {
  if (!known.add(id, note)) known.setNote(id, note);
}

function hashOf(supplier: string, number: string): string {
  return hash('sha256', JSON.stringify([supplier, number]));
}
