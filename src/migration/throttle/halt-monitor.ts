/**
 * `HaltMonitor` decides when a run that fails too often halts. It receives every event of the records. The API
 * specification names no error codes, so the rules use only counts and `attr`.
 */
import type { LedgerRecord } from '../ledger/ledger.js';
import type { RecordEvent } from '../record/events/record-event.js';
import { refusalInWords } from '../record/preconditions/refused-suppliers.js';
import { causeInWords, failureInWords } from '../shared/connection-failure.js';
import { type CompactEvent, compactEventsOf, type FailedCall, failedStep } from './compact-event.js';
import type { HaltRules } from './halt-rules.js';

/** The counts of the halt rules. Plain JSON: a distributed run stores it in its ledger. */
export interface HaltState {
  ended: number;
  rejected: number;
  failuresInRow: number;
  failuresOfCall: [call: string, count: number][];
  locally: [code: string, count: number][];
  remotely: [code: string, count: number][];
}

export class HaltMonitor {
  readonly #rules: HaltRules;
  #ended: number;
  #rejected: number;
  /**
   * Calls without a usable answer in a row: of all kinds, and of each kind, because staging may succeed while process
   * fails.
   */
  #failuresInRow: number;
  readonly #failuresOfCall: Map<string, number>;
  /**
   * For each code of the last rejected record: how many records in a row were rejected with it, by the local check
   * and by the service. A rejection by the check is no evidence about the service; a record that reached the service
   * passed the check.
   */
  #rejectedLocally: ReadonlyMap<string, number>;
  #rejectedByService: ReadonlyMap<string, number>;

  /** `former`: the state of a monitor that counted before. */
  constructor(rules: HaltRules, former?: HaltState) {
    this.#rules = rules;
    this.#ended = former?.ended ?? 0;
    this.#rejected = former?.rejected ?? 0;
    this.#failuresInRow = former?.failuresInRow ?? 0;
    this.#failuresOfCall = new Map(former?.failuresOfCall);
    this.#rejectedLocally = new Map(former?.locally);
    this.#rejectedByService = new Map(former?.remotely);
  }

  /** Returns why the run must halt now; undefined if it may continue. */
  onEvent(record: LedgerRecord, event: RecordEvent): string | undefined {
    let reason: string | undefined;
    for (const one of compactEventsOf(record, event)) reason = this.onCompactEvent(one) ?? reason;
    return reason;
  }

  /** The same for an event of any worker. */
  onCompactEvent(event: CompactEvent): string | undefined {
    switch (event.type) {
      case 'failed':
        return this.#onFailure(event);
      case 'answered':
        this.#failuresInRow = 0;
        this.#failuresOfCall.delete(event.call);
        return undefined;
      case 'ended':
        return this.#onEnd(event);
      case 'passed':
        return undefined;
      case 'otherAccount':
        return `the answer to ${event.step} of account ${event.number} (${event.place}) names another account: answers may reach the wrong requests. Ask the operator whether a proxy or the service mixes them up, and settle this account with data-import resolve`;
    }
  }

  /** All that it has counted, for the next monitor. */
  state(): HaltState {
    return {
      ended: this.#ended,
      rejected: this.#rejected,
      failuresInRow: this.#failuresInRow,
      failuresOfCall: [...this.#failuresOfCall],
      locally: [...this.#rejectedLocally],
      remotely: [...this.#rejectedByService],
    };
  }

  #onEnd({ outcome, codes, isLocal }: Extract<CompactEvent, { type: 'ended' }>): string | undefined {
    const { fail, min, same } = this.#rules;
    this.#ended++;
    if (outcome === 'rejected') this.#rejected++;
    const before = isLocal ? this.#rejectedLocally : this.#rejectedByService;
    const inRow = new Map(codes.map((code) => [code, (before.get(code) ?? 0) + 1]));
    this.#rejectedLocally = isLocal ? inRow : new Map();
    if (!isLocal) this.#rejectedByService = inRow;
    const repeated = [...inRow].find(([, count]) => same > 0 && count >= same);
    if (repeated !== undefined) {
      return `${repeated[1]} records in a row were rejected for ${repeated[0]} (same=${same})`;
    }
    if (fail === undefined || this.#ended < Math.max(1, min) || this.#rejected < fail * this.#ended) return undefined;
    return `${this.#rejected} of ${this.#ended} records were rejected (fail=${fail * 100}%)`;
  }

  #onFailure(failed: FailedCall): string | undefined {
    const { call, supplier, notAccepted, code = '' } = failed;
    const limit = this.#rules.failed;
    this.#failuresInRow++;
    const ofCall = (this.#failuresOfCall.get(call) ?? 0) + 1;
    this.#failuresOfCall.set(call, ofCall);
    const said = code === '' ? '' : ` (${code})`;
    if (notAccepted === 'supplier') return refusalInWords(supplier, code);
    if (notAccepted === 'team') {
      return `the service does not accept the operations team of this run${said}: ask the operator for its name, and continue with --team <name>`;
    }
    if (notAccepted === 'token') return `no valid token${said}: check the token and the API key behind it`;
    if (limit === 0) return undefined;
    const todo = `look at the service and the network (failed=${limit})`;
    if (this.#failuresInRow >= limit) {
      return `${this.#failuresInRow} calls in a row failed, the last ${failureInWords(failedStep(failed))}: ${todo}`;
    }
    if (ofCall < limit) return undefined;
    return `${ofCall} ${call} calls in a row failed, the last: ${causeInWords(failed)}: ${todo}`;
  }
}
