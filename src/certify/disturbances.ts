/**
 * Exports `DISTURBANCES`, what `certify` does to a script: one row for each kind. `planDisturbances` applies the rows to the requests
 * that the script sent without a disturbance.
 */
import { type OperationName, operations, type ReplayClass } from '../../schemas/operations.js';
import type { LogEntry } from '../sandbox/calls/request-log.js';
import type { SandboxSettings } from '../sandbox/settings/settings.js';
import type { FaultRule } from '../sandbox/state/fault-rules.js';

/** Shorter than `inFlightGraceMs` of a script. */
const STILL_RUNNING_MS = 1500;

/** A wait of this length tells the execution that the disturbed request has arrived, or has been committed. */
export const SIGNAL_MS = 0.5;

type Rule = Pick<FaultRule, 'effect' | 'phase'>;

/** One kind of disturbance. */
interface DisturbanceKind {
  /** A sentence: what happened to `{operation}`. */
  readonly title: string;
  /** The operations whose requests it concerns; undefined if it concerns no request. */
  readonly of?: (operation: OperationName) => boolean;
  /** What the sandbox does to the disturbed request. */
  readonly rules?: readonly Rule[] | ((operation: OperationName) => readonly Rule[]);
  /** It happens to the same record again, also after a restart. */
  readonly isLasting?: true;
  /** What happens at the wait of `SIGNAL_MS`. `outage`: every later request is answered with 503. */
  readonly signal?: 'kill' | 'endToken' | 'outage';
  readonly settings?: Partial<SandboxSettings>;
  /** What is changed in the input. The script must read the input that it is given. */
  readonly input?: 'wrongRecord' | 'duplicate';
  /** The script is started twice at the same time. */
  readonly twice?: true;
  /** How long the service works on the disturbed request after its connection was lost, in ms. */
  readonly runsMs?: number;
  /** The shortest time until the next request of this kind for the record, in ms. */
  readonly restMs?: number;
  /** What a script has to do, with the chapter of the API specification; undefined: as the operation says. */
  readonly remedy?: string;
}

/** A disturbance of one execution. */
export interface Disturbance extends Omit<DisturbanceKind, 'of' | 'rules'> {
  /** `<kind>:<operation>:<which>`, such as `answer-lost:accounts.process:3`; the same id is the same disturbance. */
  readonly id: string;
  readonly operation?: OperationName;
  /** Which request of the operation, from 1; which record of the input, if it has no operation. */
  readonly nth: number;
  readonly faults: readonly FaultRule[];
  /** External account number of the disturbed record, if that is known before. */
  readonly account?: string | undefined;
  readonly remedy: string;
}

const SIGNAL: Rule = { effect: { latencyMs: SIGNAL_MS } };
const PAGE = '<html><body>The service is not available.</body></html>';

/** What an outage answers to every request. */
export const OUTAGE: FaultRule = { effect: { status: 503, body: PAGE } };

const status = (code: number, body: unknown = { detail: 'Unexpected error.' }): Rule => ({
  effect: { status: code, body },
});
const isWrite = (operation: OperationName) =>
  operations[operation].method === 'POST' && operation !== 'accounts.validate';
const isProcess = (operation: OperationName) => operation === 'accounts.process';
const isOfAccount = (operation: OperationName) =>
  isWrite(operation) &&
  !['businesses.create', 'businesses.createPaymentInstruction', 'supplyPoints.populate'].includes(operation);

const STILL_RUNNING: readonly Rule[] = [
  { effect: { latencyMs: STILL_RUNNING_MS }, phase: 'during' },
  { effect: 'drop', phase: 'during' },
];

const WAIT_AND_ASK =
  'A request without an answer may still be running. Store that it was sent before you send it; wait until it must have ended, ask for the status, and process again only if it is UNKNOWN (Status queries, Account import status).';
const RETRY_LATER =
  'Wait longer after each failed request, and end with another exit code than 0 after some (Status codes).';
const REPORT_REFUSED =
  'A 400 is an answer: report the record with its code and attr, continue with the others, and end with another exit code than 0 (Validation error body).';

/** The kinds by name, the most telling and the quickest first. */
export const DISTURBANCES: Readonly<Record<string, DisturbanceKind>> = {
  'status-500': {
    title: '{operation} was answered with 500, without effect.',
    of: () => true,
    rules: [status(500)],
    remedy:
      'A 500 is no success: nothing was done, or it is not known (Status codes). Send the request again as it is, later.',
  },
  refused: {
    title: 'The service refused a record at {operation}, with 400.',
    of: isOfAccount,
    rules: (operation) => [status(400, REFUSALS[operation] ?? REFUSAL)],
    isLasting: true,
    remedy: REPORT_REFUSED,
  },
  'limit-reached': {
    title: '{operation} was answered with 429, and Retry-After: 1.',
    of: isProcess,
    rules: [{ effect: { ...LIMITED(), headers: { 'Retry-After': '1' } } }],
    restMs: 1000,
    remedy:
      'Nothing was done. Send the request again after other accounts finish, not before the seconds of Retry-After (Limits).',
  },
  'token-ended': {
    title: 'The token ended at {operation}; each start of the script has a new one.',
    of: isProcess,
    rules: [SIGNAL],
    signal: 'endToken',
    settings: { latencyMs: 60 },
    remedy:
      'Obtain a new token after a 401, or end with another exit code than 0; never store a token (Authentication).',
  },
  'still-running': {
    title: 'The connection broke while {operation} ran, and it took effect later.',
    of: isWrite,
    rules: STILL_RUNNING,
    runsMs: STILL_RUNNING_MS,
  },
  'request-lost': {
    title: 'The connection broke at {operation}, which had no effect.',
    of: isWrite,
    rules: [{ effect: 'drop' }],
  },
  'killed-after': {
    title: 'The script was killed after {operation} had taken effect, before the answer.',
    of: isWrite,
    rules: [
      { ...SIGNAL, phase: 'afterCommit' },
      { effect: 'drop', phase: 'afterCommit' },
    ],
    signal: 'kill',
  },
  'answer-lost': {
    title: '{operation} took effect, and its answer was lost.',
    of: isWrite,
    rules: [{ effect: 'drop', phase: 'afterCommit' }],
  },
  'killed-during': {
    title: 'The script was killed while {operation} ran, and started again before that ended.',
    of: isWrite,
    rules: [SIGNAL, ...STILL_RUNNING],
    runsMs: STILL_RUNNING_MS,
    signal: 'kill',
  },
  'killed-before': {
    title: 'The script was killed when it sent {operation}, which had no effect.',
    of: isWrite,
    rules: [SIGNAL, { effect: 'drop' }],
    signal: 'kill',
  },
  'wrong-record': {
    title: 'A record of the input had an invalid telephone number.',
    input: 'wrongRecord',
    remedy: REPORT_REFUSED,
  },
  'record-twice': {
    title: 'A record was twice in the input.',
    input: 'duplicate',
    remedy:
      'Recognise the second record by its external account number, and send nothing for it (Account data lifecycle).',
  },
  'limit-without-time': {
    title: '{operation} was answered with 429, without Retry-After.',
    of: isProcess,
    rules: [{ effect: LIMITED() }],
    remedy: 'Nothing was done. Send the request again after other accounts finish (Limits).',
  },
  'running-pending': {
    title: 'The connection broke while {operation} ran; until it took effect, the status was PENDING without a number.',
    of: isProcess,
    rules: STILL_RUNNING,
    runsMs: STILL_RUNNING_MS,
    settings: { statusWhileProcessing: 'PENDING' },
    remedy: `${WAIT_AND_ASK} A status without a number says that it is not finished.`,
  },
  'started-twice': {
    title: 'The script was started twice at the same time.',
    twice: true,
    settings: { processDurationMs: 100, itemDurationMs: 30, businessDurationMs: 100 },
    remedy: 'Lock the folder of the state while the script runs, so that a second start ends at once.',
  },
  outage: {
    title: 'After {operation} every request was answered with 503, until the script ended or some seconds had passed.',
    of: isProcess,
    rules: [SIGNAL],
    signal: 'outage',
    remedy: RETRY_LATER,
  },
  'status-503': {
    title: '{operation} was answered with 503, without effect.',
    of: isWrite,
    rules: [status(503, PAGE)],
    remedy: RETRY_LATER,
  },
  'status-502': {
    title: '{operation} took effect, and a gateway answered with 502.',
    of: isWrite,
    rules: [{ ...status(502, PAGE), phase: 'afterCommit' }],
  },
  'answer-cut': {
    title: '{operation} took effect, and its answer ended half way.',
    of: isWrite,
    rules: [{ effect: 'malformed', phase: 'afterCommit' }],
  },
  'answer-late': {
    title: '{operation} took effect, and its answer came after the time limit of the request.',
    of: isWrite,
    rules: [{ effect: { latencyMs: 3000 }, phase: 'afterCommit' }],
  },
};

function LIMITED() {
  return {
    status: 429,
    body: { detail: 'Too many accounts are being processed.', code: 'concurrency_limit_exceeded' },
  };
}

const REFUSAL = {
  detail: 'The data are not valid.',
  code: 'account_failed_validation',
  errors: [{ detail: 'The value is not accepted.', code: 'invalid', attr: 'external_account_number' }],
};
const REFUSALS: Readonly<Partial<Record<OperationName, unknown>>> = {
  'transactions.create': {
    status: 'TRANSACTION_IMPORT_ERROR',
    error_detail: 'The transaction is not accepted.',
    transaction_data: {},
  },
};

/** What a script has to do if a request got no answer, by the replay class of the operation. */
export const REMEDIES: Readonly<Record<ReplayClass, string>> = {
  pure: 'The request changes nothing: send it again.',
  upsert: 'Staging again replaces the same data: send it again (Account data lifecycle).',
  deduplicated:
    'Wait until the request must have ended, then send the same again, also the same created_at or none: the service skips what it has. Two at the same time may both add (Post-import).',
  reconcilable: WAIT_AND_ASK,
  unknown:
    'The service does not recognise a repetition, and no request asks for it. Store that it was sent before you send it, do not send it again, and report it as unknown, with another exit code than 0 (Business, Post-import).',
};

/** The replay class of a request that the sandbox logged. */
export function replayOf(operation: OperationName, { request, path }: Pick<LogEntry, 'request' | 'path'>): ReplayClass {
  const { replay } = operations[operation];
  const isChecked = !path.includes('check_previously_added=false');
  return typeof replay === 'function'
    ? replay({ payload: request, query: { check_previously_added: isChecked } })
    : replay;
}

/**
 * Returns the disturbances of each kind for each operation in the log: first each kind once, because the time may be short, then each with
 * the next operation, and so on. `accounts`: those of the input, if the script reads it.
 */
export function planDisturbances(log: readonly LogEntry[], seed: number, accounts: readonly string[]): Disturbance[] {
  const byOperation = new Map<OperationName, LogEntry[]>();
  for (const entry of log) {
    if (entry.operation === null || entry.operation === 'token') continue;
    byOperation.set(entry.operation, [...(byOperation.get(entry.operation) ?? []), entry]);
  }
  const planned = Object.entries(DISTURBANCES).map(([name, kind]): Disturbance[] => {
    if (kind.of === undefined) {
      const count = kind.input === undefined ? 1 : accounts.length;
      const nth = draw(seed, name, count);
      return count === 0 ? [] : [disturbanceOf(name, kind, undefined, nth, accounts[nth - 1])];
    }
    const concerned = [...byOperation]
      .filter(([operation]) => kind.of?.(operation))
      .sort(([one], [other]) => rank(one) - rank(other));
    return concerned.map(([operation, entries]) => {
      // A token that ends, or an outage, at one of the last requests disturbs nothing.
      const count =
        kind.signal === 'endToken' || kind.signal === 'outage' ? Math.ceil(entries.length / 3) : entries.length;
      const nth = draw(seed, `${name} ${operation}`, count);
      return disturbanceOf(name, kind, operation, nth, entries[nth - 1]?.account, entries[nth - 1]);
    });
  });
  const rounds = Math.max(...planned.map(({ length }) => length));
  return Array.from({ length: rounds }, (_, round) => planned.flatMap((ofKind) => ofKind[round] ?? [])).flat();
}

/** The operations whose mistakes cost the most. */
const FIRST: readonly OperationName[] = ['accounts.process', 'historicalStatements.create', 'businesses.create'];

function rank(operation: OperationName): number {
  const index = FIRST.indexOf(operation);
  return index < 0 ? FIRST.length : index;
}

/** Returns the disturbance of an id; undefined if the id names none. */
export function disturbanceById(
  id: string,
  log: readonly LogEntry[],
  accounts: readonly string[],
): Disturbance | undefined {
  const [name = '', ...rest] = id.split(':');
  const kind = Object.hasOwn(DISTURBANCES, name) ? DISTURBANCES[name] : undefined;
  const nth = Number(rest.at(-1));
  if (kind === undefined || !(Number.isInteger(nth) && nth > 0)) return undefined;
  if (kind.of === undefined)
    return rest.length === 1 ? disturbanceOf(name, kind, undefined, nth, accounts[nth - 1]) : undefined;
  const operation = rest[0] as OperationName;
  if (rest.length !== 2 || !Object.hasOwn(operations, operation) || !kind.of(operation)) return undefined;
  const entry = log.filter((one) => one.operation === operation)[nth - 1];
  return disturbanceOf(name, kind, operation, nth, entry?.account, entry);
}

function disturbanceOf(
  name: string,
  { of: _, rules = [], ...kind }: DisturbanceKind,
  operation: OperationName | undefined,
  nth: number,
  account?: string | null,
  entry?: LogEntry,
): Disturbance {
  const made = operation === undefined ? [] : typeof rules === 'function' ? rules(operation) : rules;
  const faults = made.map(
    (rule): FaultRule =>
      kind.isLasting
        ? { ...rule, match: { operation, account: account ?? '' } }
        : { ...rule, match: { operation }, when: { nth } },
  );
  const remedy =
    kind.remedy ?? REMEDIES[operation === undefined || entry === undefined ? 'unknown' : replayOf(operation, entry)];
  const id = [name, ...(operation === undefined ? [] : [operation]), nth].join(':');
  const title = kind.title.replace('{operation}', operation ?? '');
  return { ...kind, id, title, nth, faults, remedy, ...(operation && { operation }), ...(account && { account }) };
}

/** Returns a whole number from 1 to `count` that depends only on seed and name. */
function draw(seed: number, name: string, count: number): number {
  let state = seed >>> 0;
  for (const character of name) state = (Math.imul(state ^ character.charCodeAt(0), 0x01000193) >>> 0) ^ (state >>> 15);
  return 1 + ((Math.imul(state, 0x9e3779b1) >>> 0) % count);
}
