/** What members have done, added up and told apart. */
import type { MemberWork } from './fleet-ledger.js';

export const NO_WORK: MemberWork = { ended: 0, requests: 0, throttled: 0, takenOver: 0 };

export function difference(of: MemberWork, less: MemberWork): MemberWork {
  return {
    ended: of.ended - less.ended,
    requests: of.requests - less.requests,
    throttled: of.throttled - less.throttled,
    takenOver: of.takenOver - less.takenOver,
  };
}

export function sum(a: MemberWork, b: MemberWork): MemberWork {
  return {
    ended: a.ended + b.ended,
    requests: a.requests + b.requests,
    throttled: a.throttled + b.throttled,
    takenOver: a.takenOver + b.takenOver,
  };
}
