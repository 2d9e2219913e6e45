/**
 * `nextLimit`: the concurrency limit for `process` that follows the service's answers (specification: Limits). The service does
 * not say how many calls it accepts at the same time, so the limit grows while all goes well. A 429 says that one call too
 * many was in flight, so each takes one away. Calls without a usable answer, and answers that become slow, cut it by a share.
 *
 * One pure function with typed state that is plain JSON: a run on one machine keeps the state in memory, a distributed run
 * in one row of its ledger, and the simulation calls the same function.
 */
import { type LatencyState, latencyFinding, NO_LATENCIES, withLatency } from './latency-detector.js';

/** Bounds of a limit. */
export interface LimitBounds {
  /** Never fewer. */
  least: number;
  /** Never more. */
  most: number;
}

/** A failure or a slowdown, and the limit at which it came. */
interface Setback {
  /** Such as `429`, `500`, `no answer`, or `300 ms after 101 ms`. */
  cause: string;
  at: number;
}

/** All that the rule remembers. Plain JSON. */
export interface LimitState extends LimitBounds {
  /** Calls that may be in flight. */
  limit: number;
  /** The last setback; null before the first one, while the limit doubles. */
  setback: Setback | null;
  /** The limit at which the last setback came; null once a window at that limit went well. */
  ceiling: number | null;
  /** By how much the limit grows with the next good window, once it has passed the ceiling. */
  step: number;
  /** Good windows directly below the ceiling, and the answers in them. */
  below: { windows: number; answers: number };
  /** Cuts without a good window in between: each is deeper than the one before it. */
  cutsInRow: number;
  isSlow: boolean;
  latency: LatencyState;
  window: {
    /** Milliseconds since 1970; null before the first answer. */
    since: number | null;
    answers: number;
    isCut: boolean;
    /** As many calls as the limit were in flight. */
    isFull: boolean;
    /** Failures of calls that were sent after the cut. */
    failed: number;
  };
}

/** An answer to a call of `process`, or its failure. */
export interface ProcessAnswer {
  /** Why it is no usable answer, such as `429`, `500` or `no answer`; undefined for an answer that decides something. */
  failure?: string | undefined;
  /** Milliseconds, of accounts that were created: other answers take other times. */
  latencyMs?: number | undefined;
  /** When the request was sent, milliseconds since 1970. */
  sentAt?: number | undefined;
  /** Of a 429: the calls that were in flight, itself included; undefined where that is not known: as many as the limit. */
  inFlight?: number | undefined;
}

/** What happened since the report before it. */
export interface LimitReport {
  /** Milliseconds since 1970. */
  at: number;
  /** Whether as many calls as the limit were in flight at some moment. */
  isFull: boolean;
  /** In the order in which they came. */
  answers: readonly ProcessAnswer[];
}

/** The failure that is a 429. */
export const TOO_MANY_CALLS = '429';

/** A limit is judged after at least so long, and after at least as many answers as it has calls. */
const WINDOW_MS = 400;
const CUT = 0.9;
/** This share of what was cut off is added with each good window. */
const REGAIN = 0.25;
/** More failures than these, of calls that were sent after a cut, mean that the cut was too small. */
const STILL_FAILING = { share: 0.25, number: 3 };
/** By how much the limit grows first, once it has passed the ceiling; it doubles with each good window. */
const FIRST_STEP = 2;
/** Good windows directly below the ceiling, and answers in them, before the ceiling is tried again: a trial costs one 429. */
const BELOW_CEILING = { windows: 4, answers: 40 };
const NONE_BELOW = { windows: 0, answers: 0 };

/** The state of a run that begins. */
export function firstLimit(start: number, bounds: LimitBounds): LimitState {
  return {
    ...bounds,
    limit: within(start, bounds),
    setback: null,
    ceiling: null,
    step: FIRST_STEP,
    below: NONE_BELOW,
    cutsInRow: 0,
    isSlow: false,
    latency: NO_LATENCIES,
    window: { since: null, answers: 0, isCut: false, isFull: false, failed: 0 },
  };
}

/** The state after the report. */
export function nextLimit(state: LimitState, { at, isFull, answers }: LimitReport): LimitState {
  const begun = isFull && !state.window.isFull ? { ...state, window: { ...state.window, isFull } } : state;
  return answers.reduce((current, answer) => afterAnswer(current, answer, at), begun);
}

/** The state with other bounds. */
export function withBounds(state: LimitState, { least, most }: LimitBounds): LimitState {
  return { ...state, least, most, limit: within(state.limit, { least, most }) };
}

/** Why the limit is what it is, in a few words. */
export function limitInWords({ limit, most, setback, ceiling }: LimitState): string {
  if (limit === most) return 'at the configured maximum';
  if (setback === null) return 'ramping up';
  const what = `${setback.cause} at ${setback.at}`;
  if (ceiling === null) return `${what}, passed since and growing`;
  return `${what}, ${limit < ceiling - 1 ? 'growing' : limit < ceiling ? 'holding below' : 'trying again'}`;
}

function afterAnswer(before: LimitState, answer: ProcessAnswer, at: number): LimitState {
  const { failure, latencyMs, sentAt } = answer;
  if (failure === TOO_MANY_CALLS) return refused(before, answer, at);
  const { window } = before;
  // A machine's clock may be set back.
  const since = Math.min(window.since ?? at, at);
  const isOfWindow = sentAt !== undefined && sentAt > since;
  const isFailure = failure !== undefined;
  // Copied, then assigned: a property that follows a spread in a literal makes the copy several times slower.
  const counted = { ...window };
  counted.since = since;
  counted.answers++;
  // Calls that were sent before the cut are no evidence for the limit after it.
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
  // A limit that was never reached was not tried.
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
    limit: within(refusedAt - 1, state),
    setback: { cause: TOO_MANY_CALLS, at: refusedAt },
    ceiling: refusedAt,
    step: FIRST_STEP,
    below: NONE_BELOW,
    isSlow: false,
    window: newWindow(at),
  };
}

function cut(state: LimitState, setback: Setback, at: number): LimitState {
  const { limit, ceiling } = state;
  const isDoubling = state.setback === null;
  const isTrial = !isDoubling && limit === ceiling;
  const cutsInRow = isDoubling || isTrial ? state.cutsInRow : state.cutsInRow + 1;
  // Where the limit was only being tried, what went well before it is known.
  const lowered = isDoubling
    ? Math.ceil(limit / 2)
    : isTrial
      ? limit - 1
      : Math.min(limit - 1, Math.floor(limit * CUT ** cutsInRow));
  return {
    ...state,
    limit: within(lowered, state),
    setback,
    ceiling: limit,
    step: FIRST_STEP,
    below: NONE_BELOW,
    cutsInRow,
    isSlow: false,
    window: { ...newWindow(at), isCut: true },
  };
}

function grown(before: LimitState): LimitState {
  const state = { ...before, cutsInRow: 0 };
  const { limit, setback, ceiling } = state;
  const upTo = (next: number): LimitState => ({ ...state, limit: within(next, state) });
  if (setback === null) return upTo(limit * 2);
  if (ceiling === null || limit >= ceiling) {
    // A 429 comes at once where the limit is too high; slowness shows a hundred answers later.
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
