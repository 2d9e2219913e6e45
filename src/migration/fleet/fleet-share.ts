/** What of the fleet's limit and rate is a member's: the same arithmetic at all of them, so nobody needs to ask. */
import type { FleetOrders } from './board.js';

export interface Share {
  /** Calls that process. */
  process: number;
  /** 0 for no cap. */
  rps: number;
}

/** undefined for whoever is not, or not yet, among those who share: it starts nothing. */
export function shareOf(
  { limit, rps, members, turn }: Pick<FleetOrders, 'limit' | 'rps' | 'members' | 'turn'>,
  member: string,
): Share | undefined {
  const index = members.indexOf(member);
  if (index < 0) return undefined;
  const rest = limit.now % members.length;
  // What cannot be divided goes to those whose turn it is.
  const hasOneMore = (index + turn) % members.length < rest;
  return { process: Math.floor(limit.now / members.length) + (hasOneMore ? 1 : 0), rps: rps / members.length };
}
