/**
 * The first account of a distributed run: one worker carries accounts until the service has taken the team of the run,
 * and the others wait before they claim one. Who that worker is stands in the orders.
 */
import { createFirstAccount, type FirstAccount, storeAcceptedTeam } from '../first-account.js';
import type { Board, FleetOrders } from './board.js';
import type { FleetLedger } from './fleet-ledger.js';

export interface FirstAccountOfFleet {
  firstAccount: FirstAccount;
  /** Resolves with true when this worker may claim accounts; with false when none may be begun any more. */
  mayClaim(): Promise<boolean>;
  /** Lets everybody go who waits. */
  close(): void;
}

export interface FirstAccountOptions {
  ledger: Pick<FleetLedger, 'lease' | 'setFact'>;
  board: Pick<Board, 'orders' | 'onOrders' | 'change'>;
  /** `Pace.mayBegin`. */
  mayBegin: () => boolean;
  /** Calls back after so many milliseconds; gives how to take that back. */
  after: (ms: number, then: () => void) => () => void;
}

const TRY_AGAIN_MS = 1000;

export function firstAccountOfFleet({ ledger, board, mayBegin, after }: FirstAccountOptions): FirstAccountOfFleet {
  let isClosed = false;
  let waiting: (() => void)[] = [];
  const wake = () => {
    const everybody = waiting;
    waiting = [];
    for (const go of everybody) go();
  };
  const changed = () =>
    new Promise<void>((resolve) => {
      const stop = after(TRY_AGAIN_MS, resolve);
      waiting.push(() => {
        stop();
        resolve();
      });
    });

  const isOver = () => (board.orders()?.firstAccount ?? null) === null;
  const change = async (how: (orders: FleetOrders) => FleetOrders): Promise<void> => {
    await board.change((orders) => {
      if (orders === undefined) throw new Error('fleet: no run was begun, so no account can be the first.');
      return how(orders);
    });
  };
  /** Tried until it is kept: the other workers wait for it. */
  const tellThatItIsOver = async (): Promise<void> => {
    while (!isClosed && !isOver()) {
      await change((orders) => ({ ...orders, firstAccount: null })).catch(changed);
    }
  };

  const create = () =>
    createFirstAccount({
      onAccepted() {
        const team = board.orders()?.settings.team;
        if (team !== undefined) storeAcceptedTeam(ledger, team).catch(() => {});
      },
      onOver: () => void tellThatItIsOver(),
    });
  let own = create();
  let wasOver = false;
  const obey = () => {
    if (board.orders() === undefined) return;
    // A run that was begun again, perhaps with another team.
    if (wasOver && !isOver()) own = create();
    wasOver = isOver();
    if (wasOver) own.open();
    wake();
  };
  const stopHearing = board.onOrders(obey);
  obey();

  const take = (me: string) => (orders: FleetOrders) => {
    const holder = orders.firstAccount?.worker;
    const isTaken = holder === undefined || (holder !== null && orders.members.includes(holder));
    return isTaken ? orders : { ...orders, firstAccount: { worker: me } };
  };

  return {
    firstAccount: {
      isOver: () => own.isOver(),
      isAlone: (record) => own.isAlone(record),
      enter: (record) => own.enter(record),
      observe: (record, event) => own.observe(record, event),
      leave: (record) => own.leave(record),
      open: () => own.open(),
    },
    async mayClaim() {
      while (!isClosed && mayBegin()) {
        const orders = board.orders();
        if (orders === undefined || isOver()) return true;
        const me = ledger.lease.id;
        const holder = orders.firstAccount?.worker;
        if (holder === me) return true;
        // One that has no share yet starts nothing, and one that is gone has none any more.
        const isFree = holder == null || !orders.members.includes(holder);
        if (isFree && orders.members.includes(me)) await change(take(me)).catch(changed);
        else await changed();
      }
      return false;
    },
    close() {
      isClosed = true;
      stopHearing();
      wake();
    },
  };
}
