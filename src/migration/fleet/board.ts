/**
 * What the members of a fleet tell each other: messages that reach all within milliseconds (and are lost where nobody
 * listens), and orders, which are kept and hold for whoever joins later.
 */

import type { CooldownScope } from '../../http/cooldown.js';
import type { DryRunOption } from '../dry-run.js';
import type { End, Step } from '../ledger/ledger.js';
import type { LimitState } from '../pace/adaptive-limit.js';

/** What is told to all; compact, since a message has a few thousand characters at most. */
export type FleetMessage =
  /** The service answered 429: no member starts a call of this scope for so many milliseconds. */
  | { is: 'cooldown'; from: string; forMs: number; scope: CooldownScope }
  /** What happened at a member since its last report: for the leader, who sets the limit, and for whoever shows it. */
  | { is: 'report'; from: string; report: MemberReport };

export interface MemberReport {
  /** Answers to calls that process or try an account: all of them, and up to 50 latencies (ms) of those created. */
  answers: number;
  latenciesMs: number[];
  /** Of those without a usable answer, up to 50: how many milliseconds before this report their requests left, and why. */
  troubles: [agoMs: number, why: string][];
  /** Whether its share of the limit was used up at some moment. */
  isFull: boolean;
  /** Answers to requests of all operations, and those with 429. */
  requests: number;
  throttled: number;
  /** In their order. */
  events: CompactEvent[];
}

/**
 * `['ended', end, codes, whether it never came to the service]`; `['failed', of, code, call, supplier, host, HTTP status]`
 * with empty texts and 0 for what is not known, where a call is a step or `status`; `['answered', call, how many in a row]`;
 * `['passed', step, how many]`; `['otherAccount', step, masked number of the account that was sent, file:line]`.
 */
export type CompactEvent =
  | ['ended', End, string[], boolean?]
  | ['failed', string, string, string, string, string, number]
  | ['answered', string, number]
  | ['passed', Step, number]
  | ['otherAccount', Step, string, string];

/** What holds for the whole fleet. JSON; no secrets. */
export interface FleetOrders {
  /** `open`: there is a run. `over`: it has finished, and members may go home. */
  state: 'open' | 'over';
  /** As the run was told to work; what a member must know to do as it does. */
  settings: FleetSettings;
  /** The reason, while it is paused. */
  paused: string | null;
  /** No call leaves any more until the run is begun again. */
  ended: { state: 'draining' | 'halted'; reason: string | null; notAccepted: 'token' | 'supplier' | null } | null;
  /** Calls that process, of all members together, and why it is that many. Set by the leader. */
  limit: { now: number; why: string; state?: LimitState };
  /** Bounds of that limit. */
  process: { least: number; most: number };
  /** Requests a second of all members together; 0 for no cap. */
  rps: number;
  /** Those who share limit and rate, in their order, and a number that counts up so that none goes short for ever. */
  members: string[];
  turn: number;
  /** Until the service has taken the team: the worker that carries the first account, by its lease. Else null. */
  firstAccount?: { worker: string | null } | null;
}

export interface FleetSettings {
  /** Address of the service: a member that has another one does not join. */
  address: string;
  team: string;
  validateRemotely: boolean;
  dryRun: DryRunOption;
  setAside: boolean;
  resendAfter500: boolean;
  forceAddToCurrentStatement: boolean;
  checkPreviouslyAdded: boolean;
  addToExisting: boolean;
  transactionsAtOnce: number;
  statementsAtOnce?: number;
  notesAtOnce?: number;
  /** As JSON; null for none. */
  profile: unknown;
  /** `TimeWindow.text`; null for always. */
  window: string | null;
  /** What rings: a member that has another one does not join. */
  queue: 'postgres' | 'redis';
  /** Rules of the breaker. */
  halt: { fail: number | null; min: number; same: number; failed: number };
}

export interface Board {
  /** Resolves when it was told; a message that cannot be told is lost, and nobody waits for it. */
  say(message: FleetMessage): Promise<void>;
  /** Gives how to listen no more. A member hears its own messages too. */
  hear(listener: (message: FleetMessage) => void): () => void;
  /** As they are now, also after the connection was lost; undefined where no run was begun. */
  orders(): FleetOrders | undefined;
  /** Told after each change, with the orders that hold then. */
  onOrders(listener: (orders: FleetOrders) => void): () => void;
  /** One change at a time in the whole fleet; resolves when it is kept, with the orders that hold then. */
  change(change: (orders: FleetOrders | undefined) => FleetOrders): Promise<FleetOrders>;
  isConnected(): boolean;
  close(): Promise<void>;
}
