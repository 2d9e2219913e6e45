/**
 * How many accounts are processed at the same time (document: Limits). The service does not say how many it takes, so
 * the limit feels its way: up while all goes well, down when it is told "too many" (429), when calls end without a usable
 * answer, or when answers get slow.
 * Numbers in, a number out: it knows neither clock nor calls.
 */
import { createSlowness } from './slowness.js';

/** At least so long, and at least as many answers as calls at a time: then a limit has been tried. */
const WINDOW_MS = 1000;
const CUT = 0.9;
/** This share of what was cut off is tried with each window that goes well. */
const BACK = 0.25;
/** More refusals of calls that left after a cut, as a share of the limit or as a number, and the cut was too small. */
const STILL_REFUSED = { share: 0.25, number: 3 };
/** Windows that go well right below the number that was refused, before that number is tried again. */
const WINDOWS_BELOW_CEILING = 10;

const DOUBLING = 'doubling until the first 429';
const PASSED = 'passed since and growing';

/** Between what a limit moves. */
export interface LimitBounds {
  /** Never fewer. */
  least: number;
  /** Never more. */
  most: number;
}

interface ProcessAnswer {
  /** Why it is no usable answer, such as `429`, `500` or `no answer`; undefined for one that decides something. */
  trouble?: string | undefined;
  /** Milliseconds, of accounts that were created: other answers come at other speeds. */
  latencyMs?: number | undefined;
  /** When the request left. */
  leftAt?: number;
}

export interface ProcessLimit {
  /** Calls that may be under way. */
  readonly limit: number;
  readonly bounds: LimitBounds;
  /** Why the limit is what it is, in a few words. */
  readonly why: string;
  /** A call left; so many are under way now. */
  started(underWay: number): void;
  answered(answer: ProcessAnswer, now: number): void;
  bound(bounds: LimitBounds): void;
}

/** `former`: in whose words another has left it. It goes on from there. */
export function createProcessLimit(start: number, initial: LimitBounds, former: string = DOUBLING): ProcessLimit {
  let bounds = initial;
  let limit = within(start, bounds);
  let window = { since: undefined as number | undefined, answers: 0, isCut: false, isFull: false, refused: 0 };
  /** The number at which the last trouble came, and in words which; undefined for none, or none since it was passed. */
  let { ceiling, trouble } = troubleIn(former, limit);
  let isDoubling = trouble === undefined;
  /** Growth begins at 1 a window and gains 1 with each, once the ceiling is passed. */
  let step = 1;
  let windowsBelow = 0;
  /** Each is deeper than the one before it, until a window goes well. */
  let cutsInRow = 0;
  let isOfSlowness = trouble !== undefined && / ms after /.test(trouble);
  const slowness = createSlowness();

  /** Where the number was only being tried, what went well before it is known. */
  const lowered = (): number => {
    if (isDoubling) return Math.ceil(limit / 2);
    if (limit === ceiling) return limit - 1;
    return Math.min(limit - 1, Math.floor(limit * CUT ** ++cutsInRow));
  };

  const cut = (what: string, now: number, isSlow = false): void => {
    const refused = limit;
    trouble = `${what} at ${refused}`;
    isOfSlowness = isSlow;
    limit = within(lowered(), bounds);
    ceiling = refused;
    isDoubling = false;
    step = 1;
    windowsBelow = 0;
    window = { since: now, answers: 0, isCut: true, isFull: false, refused: 0 };
  };

  const grow = (): void => {
    cutsInRow = 0;
    if (isDoubling) {
      limit = within(limit * 2, bounds);
      return;
    }
    if (ceiling !== undefined && limit >= ceiling) ceiling = undefined;
    if (ceiling === undefined) {
      limit = within(limit + step, bounds);
      // A 429 comes at once where it goes too far; slowness is seen a hundred answers later.
      if (!isOfSlowness) step++;
    } else if (limit < ceiling - 1) {
      limit = within(limit + Math.max(1, Math.floor((ceiling - limit) * BACK)), bounds);
    } else if (++windowsBelow >= WINDOWS_BELOW_CEILING) {
      limit = within(ceiling, bounds);
    }
  };

  return {
    get limit() {
      return limit;
    },
    get bounds() {
      return bounds;
    },
    get why() {
      if (limit === bounds.most) return 'at the most that is allowed';
      if (trouble === undefined) return DOUBLING;
      if (ceiling === undefined) return `${trouble}, ${PASSED}`;
      return `${trouble}, ${limit < ceiling - 1 ? 'growing' : limit < ceiling ? 'holding below' : 'trying again'}`;
    },
    started(underWay) {
      if (underWay >= limit) window.isFull = true;
    },
    answered({ trouble: said, latencyMs, leftAt = Number.NEGATIVE_INFINITY }, now) {
      if (latencyMs !== undefined) slowness.add(latencyMs);
      // A machine's clock may be set back.
      window.since = Math.min(window.since ?? now, now);
      window.answers++;
      if (said !== undefined && !window.isCut) return cut(said, now);
      // Those that left before the cut say nothing of it.
      if (said !== undefined && leftAt > window.since) {
        window.refused++;
        if (window.refused > Math.max(STILL_REFUSED.number, limit * STILL_REFUSED.share)) return cut(said, now);
      }
      if (window.answers < limit || now - window.since < WINDOW_MS) return;
      const slow = slowness.finding();
      if (slow !== undefined && !window.isCut) return cut(slow, now, true);
      // A limit that nothing ran into was not tried.
      if (window.isFull && !window.isCut && !slowness.lasts) grow();
      window = { since: now, answers: 0, isCut: false, isFull: false, refused: 0 };
    },
    bound(next) {
      bounds = next;
      limit = within(limit, bounds);
    },
  };
}

/** What the words say of the last trouble, and of the number at which it came. */
function troubleIn(why: string, limit: number): { trouble: string | undefined; ceiling: number | undefined } {
  if (why === DOUBLING) return { trouble: undefined, ceiling: undefined };
  const [, trouble, number, since] = /^(.* at (\d+)), (.*)$/.exec(why) ?? [];
  // At the most that is allowed, the words tell of no trouble; there may have been some.
  if (trouble === undefined) return { trouble: `taken over at ${limit}`, ceiling: undefined };
  return { trouble, ceiling: since === PASSED ? undefined : Number(number) };
}

function within(limit: number, { least, most }: LimitBounds): number {
  return Math.max(least, Math.min(most, limit));
}
