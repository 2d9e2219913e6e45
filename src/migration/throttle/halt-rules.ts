/**
 * `--halt fail=2%,min=1000,same=50`: stops a run that fails too often. It receives every event of the records and
 * returns once the reason to halt. The API specification names no error codes, so the rules use only counts and
 * `attr`.
 */

import type { LedgerRecord, Outcome } from '../ledger/ledger.js';
import type { RecordEvent } from '../record/events/record-event.js';
import { refusalInWords } from '../record/preconditions/refused-suppliers.js';
import { causeInWords, failureInWords } from '../shared/connection-failure.js';
import { type CompactEvent, compactEventsOf } from './compact-event.js';

/** What stops a run before it does harm. */
export interface HaltRules {
  /** Share of rejected records, 0 to 1, at which the run halts; undefined for none. */
  fail: number | undefined;
  /** How many records must have ended before the share counts. */
  min: number;
  /** How many records in a row may be rejected for the same code; 0 for any number. */
  same: number;
  /** How many calls in a row may fail for no fault of their records; 0 for any number. */
  failed: number;
}

/** The halt rules of a run without `--halt`. */
export const DEFAULT_HALT: HaltRules = { fail: undefined, min: 1000, same: 50, failed: 20 };

/**
 * Parses rules such as `fail=2%,min=500`. Defaults: `min=1000`, `same=50`, `failed=20`, no share. Throws a
 * `RangeError` that quotes the invalid part.
 *
 * @example
 * runMigration({ ...options, throttle: { halt: parseHalt('fail=2%,min=1000') } });
 */
export function parseHalt(text: string): HaltRules {
  const rules: HaltRules = { ...DEFAULT_HALT };
  const seen = new Set<string>();
  for (const rule of text.split(',')) {
    const [, name, value = ''] = /^\s*(\w+)=(\S+)\s*$/.exec(rule) ?? [];
    if (name === undefined || seen.has(name)) throw wrong(text, rule, name && `${name} is given twice`);
    seen.add(name);
    if (name === 'fail') rules.fail = shareOf(value, text, rule);
    else if (name === 'min' || name === 'same' || name === 'failed') rules[name] = countOf(value, text, rule);
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
    `halt ${JSON.stringify(text)}, at ${JSON.stringify(rule.trim())}: ${why || 'expected rules such as fail=2%,min=1000,same=50,failed=20'}.`,
  );
}

export interface HaltMonitor {
  /** Returns why the run must halt now, or undefined if it may continue. */
  onEvent(record: LedgerRecord, event: RecordEvent): string | undefined;
  /** The same, of what happened on another machine. */
  hear(sign: CompactEvent): string | undefined;
  /** What it has counted. */
  state(): HaltState;
}

/** What the halt rules have counted. Plain JSON: a distributed run keeps it in its ledger. */
export interface HaltState {
  ended: number;
  rejected: number;
  failuresInRow: number;
  failuresOfCall: [call: string, count: number][];
  locally: [code: string, count: number][];
  remotely: [code: string, count: number][];
}

/** `former`: what was counted before. */
export function createHaltMonitor({ fail, min, same, failed }: HaltRules, former?: HaltState): HaltMonitor {
  let ended = former?.ended ?? 0;
  let rejected = former?.rejected ?? 0;
  /**
   * Calls without a usable answer in a row: of all kinds, and of each kind, because staging may succeed while process
   * fails.
   */
  let failuresInRow = former?.failuresInRow ?? 0;
  const failuresOfCall = new Map<string, number>(former?.failuresOfCall);
  /**
   * For each code of the last rejected record: how many records in a row were rejected with it, by the local check
   * and by the service. A rejection by the check is no evidence about the service; a record that reached the service
   * passed the check.
   */
  let inRow = {
    locally: new Map<string, number>(former?.locally),
    remotely: new Map<string, number>(former?.remotely),
  };

  const onEnd = (end: Outcome, codes: readonly string[], isLocal: boolean): string | undefined => {
    ended++;
    if (end === 'rejected') rejected++;
    const before = isLocal ? inRow.locally : inRow.remotely;
    const row = new Map(codes.map((code) => [code, (before.get(code) ?? 0) + 1]));
    inRow = isLocal ? { ...inRow, locally: row } : { locally: new Map(), remotely: row };
    const repeated = [...row].find(([, count]) => same > 0 && count >= same);
    if (repeated !== undefined)
      return `${repeated[1]} records in a row were rejected for ${repeated[0]} (same=${same})`;
    if (fail === undefined || ended < Math.max(1, min) || rejected < fail * ended) return undefined;
    return `${rejected} of ${ended} records were rejected (fail=${fail * 100}%)`;
  };

  const onFailure = ([, of, code, call, supplier, host, status]: Extract<CompactEvent, ['failed', ...unknown[]]>):
    | string
    | undefined => {
    failuresInRow++;
    const ofCall = (failuresOfCall.get(call) ?? 0) + 1;
    failuresOfCall.set(call, ofCall);
    const said = code === '' ? '' : ` (${code})`;
    if (of === 'supplier') return refusalInWords(supplier, code);
    if (of === 'team') {
      return `the platform does not accept the operations team of this run${said}: ask the operator for its name, and continue with --team <name>`;
    }
    if (of === 'token') return `no valid token${said}: check the token and the API key behind it`;
    if (failed === 0) return undefined;
    const cause = { code, host, ...(status !== 0 && { status }) };
    const todo = `look at the service and the network (failed=${failed})`;
    if (failuresInRow >= failed) {
      return `${failuresInRow} calls in a row failed, the last ${failureInWords({ step: call, ...cause })}: ${todo}`;
    }
    if (ofCall < failed) return undefined;
    return `${ofCall} ${call} calls in a row failed, the last: ${causeInWords(cause)}: ${todo}`;
  };

  const hear = (sign: CompactEvent): string | undefined => {
    switch (sign[0]) {
      case 'failed':
        return onFailure(sign);
      case 'answered':
        failuresInRow = 0;
        failuresOfCall.delete(sign[1]);
        return undefined;
      case 'ended':
        return onEnd(sign[1], sign[2], sign[3] === true);
      case 'passed':
        return undefined;
      case 'otherAccount':
        return `the answer to ${sign[1]} of account ${sign[2]} (${sign[3]}) names another account: answers may reach the wrong requests. Ask the operator whether a proxy or the service mixes them up, and settle this account with data-import resolve`;
    }
  };

  return {
    hear,
    state: () => ({
      ...{ ended, rejected, failuresInRow, failuresOfCall: [...failuresOfCall] },
      ...{ locally: [...inRow.locally], remotely: [...inRow.remotely] },
    }),
    onEvent(record, event) {
      let reason: string | undefined;
      for (const sign of compactEventsOf(record, event)) reason = hear(sign) ?? reason;
      return reason;
    },
  };
}
