/**
 * The pace of one member of a fleet: its share of the limit and of the rate, as the orders say. What is done to it is
 * done to the whole fleet. Where the board is away it goes on with the share that it has, and with a breaker of its own.
 */
import type { DataImportClient } from '../../client.js';
import { PROBE_AFTER_MS } from '../../http/cooldown.js';
import { type Breaker, createBreaker } from '../pace/breaker.js';
import type { PaceClock } from '../pace/clock.js';
import { createGate } from '../pace/gate.js';
import { type Pace, whyOf } from '../pace/pace.js';
import { isProcessing, isUnusableProcess } from '../pace/processing.js';
import { createRate } from '../pace/rate.js';
import { createSeries } from '../pace/samples.js';
import { checkSettings } from '../pace/settings.js';
import { signsOf } from '../pace/signs.js';
import { windowOf } from '../pace/window.js';
import type { Board, CompactEvent, FleetMessage, FleetOrders, MemberReport } from './board.js';
import type { FleetLedger } from './fleet-ledger.js';
import { draining, halted, type OrdersChange, paused, set } from './fleet-orders.js';
import { shareOf } from './fleet-share.js';
import { createHandover } from './handover.js';
import { createLeader, rulesOf } from './leader.js';
import { gatherReports } from './reports.js';

export interface FleetPaceOptions {
  board: Board;
  ledger: Pick<FleetLedger, 'lease' | 'members' | 'leads'>;
  client: Pick<DataImportClient, 'observe' | 'coolDown'>;
  /** Calls under way at once at this member, of all steps. */
  concurrency: number;
  clock: PaceClock;
  /** Whether samples and rate are those of the whole fleet. */
  isCoordinator: boolean;
  onNote?: ((note: string) => void) | undefined;
}

/** A pace that is one of a fleet: pause, resume, set, drain and halt act on all of it. */
export interface FleetPace extends Pace {
  /** Told what happens at the other members. Gives how to listen no more. */
  onFleetEvent(listener: (event: CompactEvent) => void): () => void;
  /** No call of this member leaves any more; the fleet goes on. */
  leave(): void;
  close(): Promise<void>;
}

const REPORT_EVERY_MS = 200;
const TRY_AGAIN_MS = 1000;

export function joinFleetPace(options: FleetPaceOptions): FleetPace {
  const { board, ledger, client, clock, isCoordinator, onNote = () => {} } = options;
  let { concurrency } = options;
  const startedAt = clock.now();
  const series = createSeries(startedAt);
  const records = createRate(startedAt);
  const requests = createRate(startedAt);
  const gathered = gatherReports();
  const listeners = new Set<(event: CompactEvent) => void>();
  /** Ids under which this member has spoken: a lost lease brings another one. */
  const mine = new Set<string>();
  /** Changes of the orders that are made here and not yet kept: they hold here at once. */
  const pending = new Set<OrdersChange>();
  let orders: FleetOrders | undefined;
  let share = { process: 0, rps: 0 };
  let appliedTo = { window: null as string | null, member: '' };
  let ownBreaker: Breaker | undefined;
  let hasLeft = false;
  let isClosed = false;
  let stopTimer = (): void => {};
  let isReporting = false;

  const gate = createGate({
    ...{ concurrency: 0, rps: 0, window: undefined, clock },
    limit: {
      get limit() {
        return share.process;
      },
      started(underWay) {
        if (underWay >= share.process) gathered.full();
      },
    },
  });
  const handover = createHandover(clock, () => obey());
  const leader = createLeader({ board, ledger, clock, onNote });

  const me = (): string => {
    const { id } = ledger.lease;
    mine.add(id);
    return id;
  };

  /** Does as the orders say; with those that are on their way from here. */
  const obey = (): void => {
    const told = board.orders();
    if (told === undefined) return;
    orders = [...pending].reduce((before, change) => change(before), told);
    const member = me();
    const mineNow = shareOf(orders, member);
    const rps = mineNow?.rps ?? share.rps;
    const isOtherRate = rps !== share.rps;
    share = { process: handover.usable(mineNow?.process ?? 0, orders.turn), rps };
    const { window } = orders.settings;
    if (window !== appliedTo.window) gate.setWindow(window === null ? undefined : windowOf(window));
    appliedTo = { window, member };
    if (orders.ended !== null) gate.end(orders.ended.state, orders.ended.reason ?? undefined);
    else if (gate.ended !== undefined && !hasLeft) gate.reopen();
    if (orders.paused !== null) gate.pause(orders.paused);
    else gate.resume();
    gate.set({ concurrency: mineNow === undefined ? 0 : concurrency, rps: isOtherRate ? rps : undefined });
  };

  /** Holds here at once; kept as soon as the board can. What ends the run is tried until it is. */
  const order = async (change: OrdersChange, isEnd = false): Promise<void> => {
    // Throws here what is no order at all, such as one where no run was begun.
    change(orders);
    pending.add(change);
    obey();
    try {
      while (!isClosed) {
        try {
          await board.change(change);
          return;
        } catch (error) {
          onNote(`fleet: an order cannot be told to the others: ${error instanceof Error ? error.message : ''}`);
          if (!isEnd) return;
          await new Promise<void>((resolve) => clock.after(TRY_AGAIN_MS, resolve));
        }
      }
    } finally {
      pending.delete(change);
      obey();
    }
  };

  const report = (): void => {
    isReporting = false;
    const report = gathered.take(clock.now());
    if (report !== undefined) void board.say({ is: 'report', from: me(), report });
  };
  const reportAgain = (): void => {
    report();
    // A lease that was lost has brought another name, and board or leader may not know it yet.
    if (ledger.lease.id !== appliedTo.member) obey();
    if (!isClosed) stopTimer = clock.after(REPORT_EVERY_MS, reportAgain);
  };
  const reportNow = (): void => {
    if (isReporting) return;
    isReporting = true;
    // The cooldown goes first, and what else was refused at this moment goes with it.
    clock.after(0, report);
  };

  const onReport = ({ requests: answers, throttled, events }: MemberReport): void => {
    const now = clock.now();
    const ended = events.filter(([is]) => is === 'ended').length;
    if (isCoordinator) {
      requests.add(now, answers);
      records.add(now, ended);
      series.add(now, { ended, throttled }, orders?.limit.now ?? 0);
    }
    for (const event of events) for (const listener of listeners) listener(event);
  };
  const onMessage = (message: FleetMessage): void => {
    leader.heard(message);
    if (mine.has(message.from)) return;
    if (message.is === 'report') onReport(message.report);
    else {
      gate.hold(message.forMs, message.scope);
      // The client lets no call through before the end of such a pause, and the gate does after an hour.
      client.coolDown(Math.min(message.forMs, PROBE_AFTER_MS), message.scope);
    }
  };

  /** Why this member alone halts the fleet. */
  const troubleIn = (sign: CompactEvent): string | undefined => {
    if (orders === undefined) return undefined;
    const rules = rulesOf(orders.settings);
    if ((sign[0] === 'failed' && sign[1] !== '') || sign[0] === 'otherAccount') return createBreaker(rules).hear(sign);
    // While there is a board, the leader sees more than this member does.
    ownBreaker = board.isConnected() ? undefined : (ownBreaker ?? createBreaker(rules));
    return ownBreaker?.hear(sign);
  };

  const endings = [
    board.hear(onMessage),
    board.onOrders((changed) => {
      leader.ordered(changed);
      obey();
    }),
    client.observe({
      onCooldown({ delayMs, scope }) {
        gate.hold(delayMs, scope);
        void board.say({ is: 'cooldown', from: me(), forMs: delayMs, scope });
      },
    }),
  ];
  obey();
  stopTimer = clock.after(REPORT_EVERY_MS, reportAgain);

  const steer = (change: OrdersChange, isEnd?: boolean): void => void order(change, isEnd).catch(noteOf(onNote));
  return {
    inTurn: gate.inTurn,
    sleep: gate.sleep,
    mayBegin: () => gate.ended === undefined,
    observe(record, event) {
      if (isUnusableProcess(event)) gathered.notUnderstood(clock.now());
      for (const sign of signsOf(record, event)) {
        if (sign[0] === 'ended') {
          records.add(clock.now());
          series.add(clock.now(), { ended: 1 }, orders?.limit.now ?? 0);
        }
        const reason = gate.ended === undefined ? troubleIn(sign) : undefined;
        if (reason === undefined) {
          gathered.add(sign);
          continue;
        }
        // Not reported: the orders say it, and a report that comes late would halt the run when it goes on.
        const of = sign[0] === 'failed' ? sign[1] : '';
        steer(halted(reason, of === 'token' || of === 'supplier' ? of : null), true);
      }
    },
    answered({ operation, status, latencyMs }) {
      const now = clock.now();
      requests.add(now);
      gate.answered(now);
      if (status === 201 && isProcessing(operation)) handover.took(latencyMs);
      gathered.answered({ status, latencyMs }, { isProcessing: isProcessing(operation), now });
      series.add(now, { throttled: status === 429 ? 1 : 0 }, orders?.limit.now ?? 0);
      if (status === 429) reportNow();
    },
    pause: (reason) => steer(paused(reason)),
    resume: () => steer(paused(null)),
    set(settings) {
      checkSettings(settings);
      concurrency = settings.concurrency ?? concurrency;
      obey();
      if (settings.processConcurrency !== undefined || settings.rps !== undefined) steer(set(settings));
    },
    drain: () => steer(draining, true),
    halt: (reason) => steer(halted(reason, null), true),
    status() {
      const now = clock.now();
      const { processing: underWay, heldMs, ...status } = gate.status();
      const { limit = { now: 0, why: 'no run was begun' }, process = { least: 0, most: 0 }, rps = 0 } = orders ?? {};
      return {
        ...status,
        // Of two that halt at the same time, the board knows who was first.
        ...(orders?.ended && { state: orders.ended.state, reason: orders.ended.reason ?? undefined }),
        concurrency: { ...status.concurrency, most: concurrency },
        process: { underWay, limit: limit.now, ...process, why: whyOf(limit.why, heldMs) },
        rps,
        rate: { records: records.perSecond(now), requests: requests.perSecond(now) },
      };
    },
    samples: () => series.samples(),
    onFleetEvent(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    leave() {
      hasLeft = true;
      gate.end('draining');
    },
    async close() {
      isClosed = true;
      stopTimer();
      handover.close();
      report();
      for (const end of endings) end();
      await leader.close();
    },
  };
}

function noteOf(onNote: (note: string) => void): (error: unknown) => void {
  return (error) => onNote(error instanceof Error ? error.message : 'fleet: an order could not be carried out.');
}
