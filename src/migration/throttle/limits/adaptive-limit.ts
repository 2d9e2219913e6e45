/**
 * Exports `nextLimit`: the concurrency limit for `process` by the answers of the service (spec: Limits). The service does not state
 * how many calls it accepts at the same time, so the limit grows while calls succeed. A 429 means that one call too many was in
 * flight, so each lowers the limit by one. Calls without a usable answer, and slow answers, lower it by a share.
 *
 * One pure function with typed state that is plain JSON: a run on one machine keeps the state in memory, a distributed run
 * in one row of its ledger, and the simulation calls the same function.
 */
import { type LatencyState, latencyFinding, NO_LATENCIES, withLatency } from './latency-detector.js';

/** Bounds of a limit. */
export interface LimitBounds {
  /** Lower bound. */
  least: number;
  /** Upper bound. */
  most: number;
}

/** A failure or a slowdown, and the limit at that time. */
interface Setback {
  /** Such as `429`, `500`, `no answer`, or `latency 101 to 300 ms`. */
  cause: string;
  at: number;
}

/** The state of the rule, as plain JSON. */
export interface LimitState extends LimitBounds {
  /** Calls that may be in flight. */
  limit: number;
  /** The last setback; null before the first one, while the limit doubles. */
  setback: Setback | null;
  /** The limit at the last setback; null once a window at that limit succeeded. */
  ceiling: number | null;
  /** Growth of the limit after the next successful window above the ceiling. */
  step: number;
  /** Number of successful windows directly below the ceiling, and of the answers in them. */
  below: { windows: number; answers: number };
  /** Number of cuts without a successful window between them. Each cut is larger than the one before. */
  cutsInRow: number;
  isSlow: boolean;
  latency: LatencyState;
  window: {
    /** Milliseconds since 1970; null before the first answer. */
    since: number | null;
    answers: number;
    isCut: boolean;
    /** Whether as many calls as the limit were in flight. */
    isFull: boolean;
    /** Number of failed calls that were sent after the cut. */
    failed: number;
  };
}

/** The result of a `process` call. */
export interface ProcessAnswer {
  /** Why there is no usable answer, such as `429`, `500` or `no answer`; undefined for a success or a refusal. */
  failure?: string | undefined;
  /** Latency in milliseconds, only for created accounts: other answers take other times. */
  latencyMs?: number | undefined;
  /** When the request was sent, milliseconds since 1970. */
  sentAt?: number | undefined;
  /** For a 429: number of calls in flight, including it; undefined if unknown, which counts as the limit. */
  inFlight?: number | undefined;
}

/** The calls since the last report. */
export interface LimitReport {
  /** Milliseconds since 1970. */
  at: number;
  /** Whether as many calls as the limit were in flight at some moment. */
  isFull: boolean;
  /** In order of arrival. */
  answers: readonly ProcessAnswer[];
}

/** The failure that is a 429. */
export const TOO_MANY_CALLS = '429';

/** Shortest window. A limit is evaluated after this time, and after at least as many answers as the limit. */
const WINDOW_MS = 400;
const CUT = 0.9;
/** Share of the last cut that is added after each successful window. */
const REGAIN = 0.25;
/** If more calls than these fail that were sent after a cut, the cut was too small. */
const STILL_FAILING = { share: 0.25, number: 3 };
/** First growth of the limit above the ceiling. It doubles with each successful window. */
const FIRST_STEP = 2;
/** Successful windows directly below the ceiling, and answers in them, before the ceiling is tried again: a trial costs one 429. */
const BELOW_CEILING = { windows: 4, answers: 40 };
const NONE_BELOW = { windows: 0, answers: 0 };

/** Returns the state at the start of a run. */
export function firstLimit(start: number, bounds: LimitBounds): LimitState {
  return {
    ...bounds,
    ...{ limit: within(start, bounds), setback: null, ceiling: null, cutsInRow: 0 },
    ...{ step: FIRST_STEP, below: NONE_BELOW, isSlow: false, latency: NO_LATENCIES },
    window: { since: null, answers: 0, isCut: false, isFull: false, failed: 0 },
  };
}

/** Returns the state after a report. */
export function nextLimit(state: LimitState, { at, isFull, answers }: LimitReport): LimitState {
  const begun = isFull && !state.window.isFull ? { ...state, window: { ...state.window, isFull } } : state;
  return answers.reduce((current, answer) => afterAnswer(current, answer, at), begun);
}

/** Returns the state with other bounds. Without `least` the lower bound stays, or is lowered to `most`. */
export function withBounds(
  state: LimitState,
  { most, least = Math.min(state.least, most) }: { least?: number | undefined; most: number },
): LimitState {
  return { ...state, least, most, limit: within(state.limit, { least, most }) };
}

/** Returns the reason for the current limit in a few words. */
export function limitInWords({ limit, most, setback, ceiling }: LimitState): string {
  if (limit === most) return 'at the configured maximum';
  if (setback === null) return 'ramping up';
  const what = `${setback.cause} at ${setback.at}`;
  if (ceiling === null) return `${what}, growing above it since`;
  return `${what}, ${limit < ceiling - 1 ? 'growing' : limit < ceiling ? 'staying below it' : 'trying it again'}`;
}

function afterAnswer(before: LimitState, answer: ProcessAnswer, at: number): LimitState {
  const { failure, latencyMs, sentAt } = answer;
  if (failure === TOO_MANY_CALLS) return refused(before, answer, at);
  const { window } = before;
  // The clock of the machine may be set back.
  const since = Math.min(window.since ?? at, at);
  const isOfWindow = sentAt !== undefined && sentAt > since;
  const isFailure = failure !== undefined;
  // Copied, then assigned: a property after a spread makes the copy several times slower.
  const counted = { ...window };
  counted.since = since;
  counted.answers++;
  // Calls that were sent before the cut say nothing about the limit after it.
  if (isFailure && window.isCut && isOfWindow) counted.failed++;
  const state = { ...before };
  state.window = counted;
  if (latencyMs !== undefined) state.latency = withLatency(before.latency, latencyMs);
  if (isFailure && !window.isCut) return cut(state, { cause: failure, at: state.limit }, at);
  const tolerated = Math.max(STILL_FAILING.number, state.limit * STILL_FAILING.share);
  if (isFailure && counted.failed > window.failed && counted.failed > tolerated) {
    return cut(state, { cause: failure, at: state.limit }, at);
  }
  const isOver = counted.answers >= state.limit && at - since >= WINDOW_MS;
  return isOver ? afterWindow(state, at) : state;
}

function afterWindow(state: LimitState, at: number): LimitState {
  const { window } = state;
  const found = latencyFinding(state.latency);
  const judged = { ...state, latency: found.state };
  if (found.slowdown !== undefined && !window.isCut) {
    return { ...cut(judged, { cause: found.slowdown, at: state.limit }, at), isSlow: true };
  }
  // If the limit was never reached, the window says nothing about it.
  const isGood = window.isFull && !window.isCut && found.state.spell === null;
  return { ...(isGood ? grown(judged) : judged), window: newWindow(at) };
}

/**
 * After a 429. A limit of 32 at a service that processes 24 gets eight: each of the eight calls keeps its slot until it is
 * answered, so the limit is 24 after the last one.
 */
function refused(state: LimitState, { inFlight = state.limit }: ProcessAnswer, at: number): LimitState {
  const refusedAt = Math.min(state.limit, inFlight);
  return {
    ...state,
    ...{ limit: within(refusedAt - 1, state), setback: { cause: TOO_MANY_CALLS, at: refusedAt }, ceiling: refusedAt },
    ...{ step: FIRST_STEP, below: NONE_BELOW, isSlow: false, window: newWindow(at) },
  };
}

function cut(state: LimitState, setback: Setback, at: number): LimitState {
  const { limit, ceiling } = state;
  const isDoubling = state.setback === null;
  const isTrial = !isDoubling && limit === ceiling;
  const cutsInRow = isDoubling || isTrial ? state.cutsInRow : state.cutsInRow + 1;
  // While the limit doubles, half of it is known to work. While the ceiling is tried again, one less is.
  const lowered = isDoubling
    ? Math.ceil(limit / 2)
    : isTrial
      ? limit - 1
      : Math.min(limit - 1, Math.floor(limit * CUT ** cutsInRow));
  return {
    ...state,
    ...{ limit: within(lowered, state), setback, ceiling: limit, cutsInRow },
    ...{ step: FIRST_STEP, below: NONE_BELOW, isSlow: false, window: { ...newWindow(at), isCut: true } },
  };
}

function grown(before: LimitState): LimitState {
  const state = { ...before, cutsInRow: 0 };
  const { limit, setback, ceiling } = state;
  const upTo = (next: number): LimitState => ({ ...state, limit: within(next, state) });
  if (setback === null) return upTo(limit * 2);
  if (ceiling === null || limit >= ceiling) {
    // A 429 comes at once if the limit is too high; slow answers show only after a hundred answers.
    return { ...upTo(limit + state.step), ceiling: null, step: state.isSlow ? state.step : state.step * 2 };
  }
  if (limit < ceiling - 1) return upTo(limit + Math.max(1, Math.floor((ceiling - limit) * REGAIN)));
  const below = { windows: state.below.windows + 1, answers: state.below.answers + state.window.answers };
  const isDue = below.windows >= BELOW_CEILING.windows && below.answers >= BELOW_CEILING.answers;
  return isDue ? { ...upTo(ceiling), below } : { ...state, below };
}

function newWindow(since: number): LimitState['window'] {
  return { since, answers: 0, isCut: false, isFull: false, failed: 0 };
}

function within(limit: number, { least, most }: LimitBounds): number {
  return Math.max(least, Math.min(most, limit));
}
