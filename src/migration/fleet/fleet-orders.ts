/** Changes of the orders that several make. Each leaves them as they are where it has nothing to change. */
import type { PaceSettings } from '../pace/settings.js';
import type { FleetOrders } from './board.js';

export type OrdersChange = (orders: FleetOrders | undefined) => FleetOrders;

export function paused(reason: string | null): OrdersChange {
  return (orders) => ({ ...begun(orders), paused: reason });
}

export function draining(orders: FleetOrders | undefined): FleetOrders {
  const now = begun(orders);
  return now.ended === null ? { ...now, ended: { state: 'draining', reason: null, notAccepted: null } } : now;
}

/** The first reason stays. */
export function halted(reason: string, notAccepted: 'token' | 'supplier' | null): OrdersChange {
  return (orders) => {
    const now = begun(orders);
    return now.ended?.state === 'halted' ? now : { ...now, ended: { state: 'halted', reason, notAccepted } };
  };
}

export function set({ processConcurrency: most, rps }: PaceSettings): OrdersChange {
  return (orders) => {
    const now = begun(orders);
    const process = most === undefined ? now.process : { least: Math.min(now.process.least, most), most };
    const limit = { ...now.limit, now: Math.min(now.limit.now, process.most) };
    return { ...now, process, limit, rps: rps ?? now.rps };
  };
}

function begun(orders: FleetOrders | undefined): FleetOrders {
  if (orders === undefined) throw new Error('fleet: no run was begun, so there is nothing to steer.');
  return orders;
}
