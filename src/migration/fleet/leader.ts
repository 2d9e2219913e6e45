/**
 * Whoever leads sets the limit of the fleet by what all members report, says who shares it, and halts it. Every member
 * listens as if it led, so that another one can go on where the leader dies.
 */
import { firstLimit, type LimitState, limitInWords, nextLimit, withBounds } from '../pace/adaptive-limit.js';
import { type Breaker, createBreaker } from '../pace/breaker.js';
import type { PaceClock } from '../pace/clock.js';
import type { Board, CompactEvent, FleetMessage, FleetOrders, FleetSettings, MemberReport } from './board.js';
import type { FleetLedger } from './fleet-ledger.js';
import { halted } from './fleet-orders.js';
import { shareOf } from './fleet-share.js';

export interface LeaderOptions {
  board: Board;
  ledger: Pick<FleetLedger, 'leads' | 'members'>;
  clock: PaceClock;
  onNote: (note: string) => void;
}

export interface Leader {
  heard(message: FleetMessage): void;
  /** The orders have changed. */
  ordered(orders: FleetOrders): void;
  close(): Promise<void>;
}

const ASK_EVERY_MS = 1000;
/** With fewer calls than members: so long has each of them its turn. Where turns change, two calls may overlap. */
const TURN_MS = 20_000;
/** For so long a share that was used up counts as used up. */
const FULL_MS = 5000;
/** Of the limit, at least so much must be used before more of it is tried. A member without work does not hold it down. */
const FULL_SHARE = 0.5;
/** A member may hear of a cut so much later. */
const ON_THE_WAY_MS = 100;

export function createLeader({ board, ledger, clock, onNote }: LeaderOptions): Leader {
  let limit: LimitState | undefined;
  let breaker: Breaker | undefined;
  let known: FleetOrders | undefined;
  let members: readonly string[] = [];
  let turns = 0;
  let turnedAt = clock.now();
  const fullAt = new Map<string, number>();
  let publishing: Promise<void> | undefined;
  let isOutdated = false;
  let isClosed = false;
  let stopTimer = (): void => {};
  let asking: Promise<void> = Promise.resolve();

  const ask = async (): Promise<void> => {
    const orders = board.orders();
    const leads = board.isConnected() && orders !== undefined && (await ledger.leads().catch(() => false));
    if (isClosed || !leads || orders === undefined) {
      limit = undefined;
      return;
    }
    limit ??= limitOf(orders);
    const there = await ledger.members().catch(() => undefined);
    if (there !== undefined) members = there.filter(({ isThere }) => isThere).map(({ id }) => id);
    const now = clock.now();
    const isShort = limit.limit < members.length;
    if (!isShort) turnedAt = now;
    else if (now - turnedAt >= TURN_MS) {
      turns++;
      turnedAt = now;
    }
    publish();
  };

  const askAgain = (): void => {
    asking = ask().finally(() => {
      if (!isClosed) stopTimer = clock.after(ASK_EVERY_MS, askAgain);
    });
  };

  /** As they should be. Whoever does not lead any more changes nothing, also where the board was away in between. */
  const led = (orders: FleetOrders): FleetOrders => {
    if (limit === undefined || members.length === 0) return orders;
    const why = limitInWords(limit);
    const isAsWritten = limit.limit === orders.limit.now && why === orders.limit.why;
    const areSame = members.join() === orders.members.join();
    if (isAsWritten && areSame && turns === 0) return orders;
    return {
      ...orders,
      limit: { now: limit.limit, why, state: limit },
      members: [...members],
      turn: orders.turn + turns,
    };
  };

  /** One change after the other; what comes in between goes with the next. */
  const publish = (): void => {
    const orders = board.orders();
    if (orders === undefined || led(orders) === orders) return;
    if (publishing !== undefined) {
      isOutdated = true;
      return;
    }
    isOutdated = false;
    publishing = board
      .change((before) => led(before ?? orders))
      .then(
        () => {
          turns = 0;
        },
        (error: unknown) => onNote(`fleet: its limit cannot be told: ${error instanceof Error ? error.message : ''}`),
      )
      .finally(() => {
        publishing = undefined;
        if (isOutdated && !isClosed) publish();
      });
  };

  const onReport = (from: string, report: MemberReport): void => {
    for (const event of report.events) hearEvent(event);
    if (limit === undefined) return;
    const now = clock.now();
    if (report.isFull) fullAt.set(from, now);
    const { latenciesMs, troubles } = report;
    const wentWell = Math.max(latenciesMs.length, report.answers - troubles.length);
    const answers = Array.from({ length: wentWell }, (_, index) => ({ latencyMs: latenciesMs[index] }));
    const failures = troubles.map(([agoMs, failure]) => ({ failure, sentAt: now - agoMs - ON_THE_WAY_MS }));
    limit = nextLimit(limit, { at: now, isFull: isFull(now), answers: [...answers, ...failures] });
    publish();
  };

  const isFull = (now: number): boolean => {
    const orders = board.orders();
    if (orders === undefined || limit === undefined) return false;
    let used = 0;
    for (const [member, at] of fullAt) {
      if (now - at > FULL_MS) fullAt.delete(member);
      else used += shareOf(orders, member)?.process ?? 0;
    }
    return used >= FULL_SHARE * limit.limit;
  };

  const hearEvent = (event: CompactEvent): void => {
    const orders = board.orders();
    // What was held back or broken off says nothing.
    if (orders === undefined || orders.ended !== null) return;
    breaker ??= createBreaker(rulesOf(orders.settings));
    const reason = breaker.hear(event);
    if (reason === undefined || limit === undefined) return;
    const of = event[0] === 'failed' ? event[1] : '';
    board.change(halted(reason, of === 'token' || of === 'supplier' ? of : null)).catch((error: unknown) => {
      onNote(`fleet: that it must halt cannot be told: ${error instanceof Error ? error.message : ''}`);
    });
  };

  askAgain();
  return {
    heard(message) {
      if (message.is === 'report') onReport(message.from, message.report);
    },
    ordered(orders) {
      const hasBegun = known !== undefined && isBegunAnew(known, orders);
      known = orders;
      if (hasBegun) {
        breaker = undefined;
        limit &&= limitOf(orders);
      }
      if (limit === undefined) return;
      const { least, most } = orders.process;
      if (limit.least === least && limit.most === most) return;
      // Nothing else is answered at once: two that lead for a moment would answer each other without end.
      limit = withBounds(limit, { least, most });
      publish();
    },
    async close() {
      isClosed = true;
      stopTimer();
      await asking;
      limit = undefined;
      await publishing;
    },
  };
}

/** The run goes on with the limit that it had found. */
function limitOf({ limit: { now, state }, process }: FleetOrders): LimitState {
  return state === undefined ? firstLimit(now, process) : withBounds({ ...state, limit: now }, process);
}

/** The rules as the breaker has them. */
export function rulesOf({ halt }: Pick<FleetSettings, 'halt'>) {
  return { ...halt, fail: halt.fail ?? undefined };
}

function isBegunAnew(before: FleetOrders, now: FleetOrders): boolean {
  const hadEnded = before.ended !== null || before.state === 'over';
  return hadEnded && now.ended === null && now.state === 'open';
}
