/**
 * The halt rules of a run (`--halt fail=2%,min=1000,same=50`): `parseHalt` parses them, and `HaltMonitor` decides by the events of the records
 * when a run that fails too often halts. The API specification names no error codes, so the rules use only counts and `attr`.
 */
import { expectKind } from '../../validation/option-kinds.js';
import type { LedgerRecord, Step } from '../ledger/ledger.js';
import type { RecordEvent } from '../record/events/record-event.js';
import { refusalInWords } from '../record/preconditions/refused-suppliers.js';
import { askAboutRefusal, causeInWords, failureInWords } from '../shared/connection-failure.js';
import { counted, spaced } from '../shared/format.js';
import { type CompactEvent, compactEventsOf, type FailedCall, failedStep } from './compact-event.js';

/** Failure rates at which a run stops itself. */
export interface HaltRules {
  /** Share of rejected records, 0 to 1, at which the run halts; undefined for none. */
  fail: number | undefined;
  /** Number of ended records from which the share counts. */
  min: number;
  /** Maximum number of records in a row that the same step rejects with the same code; 0 for no limit. A record that passes the step ends the row. */
  same: number;
  /** Number of failed calls in a row, not counting rejections, that begins an outage; 0 for none. */
  failed: number;
  /**
   * Seconds that an outage may last before the run halts: meanwhile it sends one call at a time, and the first usable answer ends the
   * outage. 0: the run halts at once.
   */
  outage: number;
}

/** The halt rules of a run without `--halt`. */
export const DEFAULT_HALT: HaltRules = { fail: undefined, min: 1000, same: 50, failed: 20, outage: 60 };

/**
 * Parses rules such as `fail=2%,min=500`. Defaults: `min=1000`, `same=50`, `failed=20`, `outage=60`, no share. Throws a
 * `RangeError` that quotes the invalid part.
 *
 * @example
 * runMigration({ ...options, throttle: { halt: parseHalt('fail=2%,min=1000') } });
 */
export function parseHalt(text: string): HaltRules {
  expectKind('parseHalt', text, 'string');
  const rules: HaltRules = { ...DEFAULT_HALT };
  const seen = new Set<string>();
  for (const rule of text.split(',')) {
    const [, name, value = ''] = /^\s*(\w+)=(\S+)\s*$/.exec(rule) ?? [];
    if (name === undefined || seen.has(name)) throw wrong(text, rule, name && `${name} is given twice`);
    seen.add(name);
    if (name === 'fail') rules.fail = shareOf(value, text, rule);
    else if (name === 'min' || name === 'same' || name === 'failed' || name === 'outage')
      rules[name] = countOf(value, text, rule);
    else throw wrong(text, rule);
  }
  return rules;
}

function shareOf(value: string, text: string, rule: string): number {
  const percent = /^(\d{1,3}(\.\d+)?)%$/.exec(value)?.[1];
  const share = Number(percent) / 100;
  if (!(share > 0 && share <= 1)) throw wrong(text, rule, 'fail is a share such as 2% or 0.5%, above 0% up to 100%');
  return share;
}

function countOf(value: string, text: string, rule: string): number {
  if (!/^\d{1,9}$/.test(value)) throw wrong(text, rule, 'expected a whole number');
  return Number(value);
}

function wrong(text: string, rule: string, why?: string): RangeError {
  return new RangeError(
    `halt ${JSON.stringify(text)}, at ${JSON.stringify(rule.trim())}: ${why || 'expected rules such as fail=2%,min=1000,same=50,failed=20,outage=60'}.`,
  );
}

/** The counts of the halt rules. Plain JSON: a distributed run stores it in its ledger. */
export interface HaltState {
  ended: number;
  rejected: number;
  /**
   * Calls without a usable answer in a row: of all kinds, and of each kind, because staging may succeed while process
   * fails.
   */
  failuresInRow: number;
  failuresOfCall: Counts;
  outage: Outage | null;
  /**
   * For each step, and each code of the last record that it rejected: how many records in a row it rejected with that code. A record ends
   * the row of a step when it passes that step, because records pass the steps in different orders.
   */
  rejectedAt: readonly (readonly [step: Step, codes: Counts])[];
}

type Counts = readonly (readonly [name: string, count: number])[];

/** A time in which every call fails. Times in milliseconds since 1970. */
export interface Outage {
  since: number;
  /** No call starts before. */
  heldUntil: number;
  /** Number of waits so far. */
  waits: number;
}

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 15_000;

export class HaltMonitor {
  readonly #rules: HaltRules;
  #state: HaltState;

  /** `former`: the state of a monitor that counted before. */
  constructor(rules: HaltRules, former?: HaltState) {
    this.#rules = rules;
    const nothing = {
      ended: 0,
      rejected: 0,
      failuresInRow: 0,
      failuresOfCall: [],
      outage: null,
      rejectedAt: [],
    };
    this.#state = { ...(former ?? nothing) };
  }

  /** The current outage: one call at a time may start, from `heldUntil` on. null while the service answers. */
  get outage(): Outage | null {
    return this.#state.outage;
  }

  /** Returns why the run must halt now; undefined if it may continue. `now`: milliseconds since 1970. */
  onEvent(record: LedgerRecord, event: RecordEvent, now: number): string | undefined {
    let reason: string | undefined;
    for (const one of compactEventsOf(record, event)) reason = this.onCompactEvent(one, now) ?? reason;
    return reason;
  }

  /** The same for an event of any worker. */
  onCompactEvent(event: CompactEvent, now: number): string | undefined {
    switch (event.type) {
      case 'failed':
        return this.#onFailure(event, now);
      case 'answered':
        this.#onAnswer(event.call);
        return undefined;
      case 'ended':
        return this.#onEnd(event);
      case 'passed':
        this.#setRow(event.step);
        return undefined;
      case 'otherAnswer':
        return `the answer to ${spaced(event.step)} of ${event.record} (${event.place}) belongs to another request: answers may reach the wrong requests. Ask the operator whether a proxy or the service mixes them up, and settle this record with data-import-sdk resolve`;
    }
  }

  /** All that it has counted, for the next monitor. */
  state(): HaltState {
    return { ...this.#state };
  }

  #setRow(step: Step, codes: Counts = []): void {
    const others = this.#state.rejectedAt.filter(([at]) => at !== step);
    this.#state.rejectedAt = codes.length === 0 ? others : [...others, [step, codes]];
  }

  #onEnd({ outcome, codes, step }: Extract<CompactEvent, { type: 'ended' }>): string | undefined {
    const { fail, min, same } = this.#rules;
    const state = this.#state;
    state.ended++;
    if (outcome === 'rejected') state.rejected++;
    const before = new Map(state.rejectedAt.find(([at]) => at === step)?.[1]);
    const inRow = codes.map((code) => [code, (before.get(code) ?? 0) + 1] as const);
    if (step !== undefined) this.#setRow(step, inRow);
    const repeated = inRow.find(([, count]) => same > 0 && count >= same);
    if (repeated !== undefined) {
      return `${repeated[1]} records in a row were rejected for ${repeated[0]} (same=${same})`;
    }
    const { ended, rejected } = state;
    if (fail === undefined || ended < Math.max(1, min) || rejected < fail * ended) return undefined;
    return `${rejected} of ${ended} records were rejected (fail=${fail * 100}%)`;
  }

  #onAnswer(call: string): void {
    const state = this.#state;
    const hadAllFailed = state.failuresInRow >= this.#rules.failed;
    state.failuresInRow = 0;
    // While all calls fail, each kind has failures, and there may be no further call of some kind. A status query asks about a process call.
    state.failuresOfCall = state.failuresOfCall.filter(
      ([name]) => !hadAllFailed && name !== call && (name !== 'status' || call !== 'process'),
    );
    // Staging may succeed while `process` fails.
    if (!state.failuresOfCall.some(([, count]) => count >= this.#rules.failed)) state.outage = null;
  }

  #onFailure(failed: FailedCall, now: number): string | undefined {
    const { call, supplier, notAccepted, isRefusal, code = '', detail } = failed;
    const limit = this.#rules.failed;
    // The service does answer, so a refusal is no outage.
    const state = this.#state;
    if (!isRefusal) state.failuresInRow++;
    const counts = new Map(state.failuresOfCall);
    const ofCall = (counts.get(call) ?? 0) + 1;
    state.failuresOfCall = [...counts.set(call, ofCall)];
    const said = code === '' ? '' : ` (${code})`;
    if (notAccepted === 'address') {
      return `the address has no such path: ${call} was answered with ${failed.status}. Check the path of the base URL (--base-url)`;
    }
    if (notAccepted === 'supplier') return refusalInWords(supplier, code);
    if (notAccepted === 'team') {
      return `the service does not accept the operations team of this run${said}: ask the operator for its name, and continue with --team <name>`;
    }
    if (notAccepted === 'token')
      return `no valid token${said}: check the token, or the API key that it is fetched with`;
    if (failed.isFinal) return causeInWords(failed);
    if (isRefusal) {
      if (limit === 0 || ofCall < limit) return undefined;
      return `the service refused ${ofCall} ${call} calls in a row${said} and named neither a field nor a known code, so these records stay unfinished: ${askAboutRefusal(detail)} (failed=${limit})`;
    }
    if (limit === 0 || Math.max(state.failuresInRow, ofCall) < limit || !this.#isOutageOver(now)) return undefined;
    const { outage } = this.#rules;
    const within = outage === 0 ? '' : ` and none succeeded for ${outage} s`;
    const todo = `look at the service and the network (failed=${limit},outage=${outage})`;
    if (state.failuresInRow >= limit) {
      return `${counted(state.failuresInRow, 'call')} in a row failed${within}, the last ${failureInWords(failedStep(failed))}: ${todo}`;
    }
    return `${counted(ofCall, `${call} call`)} in a row failed${within}, the last: ${causeInWords(failed)}: ${todo}`;
  }

  /**
   * Returns whether the outage has lasted for so long that the run halts. Otherwise the next call waits: twice as long as the last one,
   * and not after the time of the outage, at whose end one call decides.
   */
  #isOutageOver(now: number): boolean {
    const { since, heldUntil, waits } = this.#state.outage ?? { since: now, heldUntil: 0, waits: 0 };
    const endsAt = since + this.#rules.outage * 1000;
    if (now >= endsAt) return true;
    // Calls that were in flight when the wait began fail later.
    const isWaiting = now < heldUntil;
    const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** waits);
    this.#state.outage = isWaiting
      ? this.#state.outage
      : { since, heldUntil: Math.min(now + waitMs, endsAt), waits: waits + 1 };
    return false;
  }
}
