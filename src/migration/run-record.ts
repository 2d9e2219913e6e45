/**
 * One record, from where it is to its end: the one way in which every run, worker and simulation takes it. What is
 * announced is on disk before the call leaves; the result of a call and the announcement of the next are one write.
 */
import { isConcurrencyLimitError } from '../errors/guards.js';
import type { BookRecord } from '../validation/book.js';
import { accountNumberOf, type CallSettings, lookUp, perform } from './calls.js';
import { isItemStep, sentList } from './item-counts.js';
import { hashWithout } from './items.js';
import { contractsOf } from './keys.js';
import { itemsAtEnd } from './lacking.js';
import type { ItemStep, Ledger, LedgerRecord, Step } from './ledger/ledger.js';
import { type Next, nextFor, type PlanSettings } from './plan.js';
import { type Result, resultOf } from './result.js';
import { happen, type RecordEvent } from './step.js';

export interface RecordRun extends PlanSettings, CallSettings {
  ledger: Ledger;
  /** By the run's clock. */
  now: () => Date;
  /** Holds a call back until it may leave; rejects where it may no more. */
  inTurn: <T>(step: Step, call: () => Promise<T>) => Promise<T>;
  /**
   * Called after each event is on disk. `before`: the record as an earlier session left it, where its line begins it anew.
   */
  onEvent: (record: LedgerRecord, event: RecordEvent, before?: LedgerRecord) => void;
}

/**
 * Gives the record as it is on disk at the end: ended, or open where something that is not its own fault stands in its
 * way. `record` is the version that the ledger has, or version 0 where it has none. Rejects where the ledger does.
 */
export async function runRecord(record: LedgerRecord, payload: BookRecord, run: RecordRun): Promise<LedgerRecord> {
  let stored = record;
  let current = record;
  let untold: RecordEvent[] = [];
  const happens = (event: RecordEvent): void => {
    current = happen(current, event, isoText(run.now()));
    untold.push(event);
  };
  const store = async (): Promise<LedgerRecord> => {
    if (untold.length === 0) return stored;
    current = { ...current };
    current.version = stored.version + 1;
    await run.ledger.write(current, contractsOf(payload));
    stored = current;
    for (const event of untold) run.onEvent(stored, event);
    untold = [];
    return stored;
  };

  for (;;) {
    const next = nextFor(current, payload, run);
    if (next.do === 'end') {
      const without = itemsAtEnd(current);
      happens({ happens: 'ended', ...(without.length > 0 && { restHash: hashWithout(payload, without) }) });
      return store();
    }
    const { step } = next;
    const call = next.do === 'lookUp' ? lookUp : perform;
    // What changes nothing needs no announcement.
    if (next.do === 'step' && !PURE.has(step)) {
      happens({ happens: 'announced', step });
      await store();
    }
    const answered = await attempt(next, () => call(step, current, payload, run), run);
    const event = answered === undefined ? undefined : await ofExisting(answered, current, run);
    // Open: the announcement stays, and the next run asks.
    if (event === undefined) return store();
    happens(withList(event, payload));
    if (current.end !== null || event.happens === 'failed') return store();
  }
}

/** With the list whose items the step sent. Not by a spread: it costs ten times as much. */
function withList(event: RecordEvent, payload: BookRecord): RecordEvent {
  const { happens } = event;
  const isOfItems = (happens === 'done' || happens === 'refused' || happens === 'lost') && isItemStep(event.step);
  if (isOfItems && !('business' in payload)) event.list = sentList(event.step as ItemStep, payload);
  return event;
}

let last = { ms: Number.NaN, text: '' };

/** Of the same millisecond once: to write a moment takes longer than all else that makes up an event. */
function isoText(moment: Date): string {
  const ms = moment.getTime();
  if (ms !== last.ms) last = { ms, text: moment.toISOString() };
  return last.text;
}

const PURE: ReadonlySet<Step> = new Set(['check', 'validate', 'dryRun']);

/** What this run announced and did not send is known not to be done, and is taken back; what it only asks about is not. */
async function attempt(
  next: Exclude<Next, { do: 'end' }>,
  call: () => Promise<Result>,
  run: RecordRun,
): Promise<Result> {
  if (next.step === 'check') return call();
  try {
    return await run.inTurn(next.step, call);
  } catch (error) {
    const isRefusedForNow = isConcurrencyLimitError(error);
    if (!(error instanceof HeldBackError) && !isRefusedForNow) throw error;
    if (next.do === 'lookUp') return undefined;
    return isRefusedForNow ? resultOf(error, next.step) : { happens: 'failed', step: next.step };
  }
}

/** The run does not let this call leave any more. */
export class HeldBackError extends Error {
  override readonly name = 'HeldBackError';
}

/** An account that exists is refused at its staging; deployments differ in how they say so. */
async function ofExisting(event: RecordEvent, record: LedgerRecord, run: RecordRun): Promise<RecordEvent> {
  if (event.happens !== 'refused' || event.step !== 'stage') return event;
  const number = await accountNumberOf(record, run);
  return number === undefined || number === '' ? event : { happens: 'found', platformNumber: number };
}
