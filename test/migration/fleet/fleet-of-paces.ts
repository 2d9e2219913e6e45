/** A fleet of paces at one board in memory and one fake clock: who is there and who leads, the test says. */
import type { CooldownScope } from '../../../src/http/cooldown.js';
import type { Hooks } from '../../../src/http/observe.js';
import type { FleetOrders } from '../../../src/migration/fleet/board.js';
import type { FleetLedger, Member } from '../../../src/migration/fleet/fleet-ledger.js';
import { type FleetPace, joinFleetPace } from '../../../src/migration/fleet/fleet-pace.js';
import type { LedgerRecord, Step } from '../../../src/migration/ledger/ledger.js';
import { HeldBackError } from '../../../src/migration/run-record.js';
import { type FakeClock, fakeClock } from '../pace/fake-clock.js';
import { type BoardOfMember, type MemoryBoard, memoryBoard } from './memory-board.js';

export const ORDERS: FleetOrders = {
  state: 'open',
  settings: {
    ...{ address: 'https://api.example.com', team: 'EAST', validateRemotely: false, dryRun: 'none', setAside: false },
    ...{ resendAfter500: false, forceAddToCurrentStatement: true, checkPreviouslyAdded: true, addToExisting: false },
    ...{ transactionsAtOnce: 100, profile: null, window: null, queue: 'postgres' },
    halt: { fail: null, min: 1000, same: 50, failed: 20 },
  },
  ...{ paused: null, ended: null, limit: { now: 2, why: 'doubling until the first 429' } },
  ...{ process: { least: 1, most: 64 }, rps: 0, members: [], turn: 0 },
};

export interface PaceOfMember {
  pace: FleetPace;
  board: BoardOfMember;
  /** How long its client was told to wait, each time, and which of its calls. */
  cooledDown: [ms: number, scope: CooldownScope | undefined][];
  /** What left, as `name at`, milliseconds since the fleet began. */
  left: string[];
  held: string[];
  /** Told whenever its client is. */
  onCoolDown: (ms: number) => void;
  ask(step: Step, ...names: string[]): void;
  answer(...names: string[]): void;
  /** Its client is answered 429, by default when it processes an account. */
  refused(delayMs: number, operation?: string): void;
  notes: string[];
}

export interface FleetOfPaces {
  clock: FakeClock;
  board: MemoryBoard;
  join(id: string, options?: { concurrency?: number; isCoordinator?: boolean }): PaceOfMember;
  /** Its lease is over, and its session at the server is gone. */
  die(id: string): void;
  /** The lease was lost; the member has joined under another id. */
  rename(id: string, next: string): void;
}

/** `onTheWayMs`: how long a message or a change takes to the others. */
export function fleetOfPaces(orders: Partial<FleetOrders> = {}, onTheWayMs = 0): FleetOfPaces {
  const clock = fakeClock();
  const begun = clock.now();
  const onTheWay = () => new Promise<void>((resolve) => void clock.after(onTheWayMs, resolve));
  const board = memoryBoard({ ...ORDERS, ...orders }, onTheWayMs > 0 ? onTheWay : undefined);
  const there = new Map<string, { id: string }>();
  /** All that were ever there. */
  const known = new Set<string>();
  return {
    clock,
    board,
    die: (id) => void there.delete(id),
    rename(id, next) {
      const lease = there.get(id);
      if (lease === undefined) return;
      there.delete(id);
      lease.id = next;
      there.set(next, lease);
      known.add(next);
    },
    join(id, { concurrency = 64, isCoordinator = false } = {}) {
      const lease = { ...leaseOf(id) };
      there.set(id, lease);
      known.add(id);
      const mine = board.join();
      const hooks = new Set<Hooks>();
      const [left, held, notes]: [string[], string[], string[]] = [[], [], []];
      const cooledDown: PaceOfMember['cooledDown'] = [];
      const answers = new Map<string, () => void>();
      const pace = joinFleetPace({
        board: mine,
        ledger: {
          lease,
          // The one who is longest there.
          leads: async () => there.has(lease.id) && [...there.keys()][0] === lease.id,
          members: async () => [...known].map((one) => memberOf(one, there.has(one))),
        },
        client: {
          observe(one) {
            hooks.add(one);
            return () => void hooks.delete(one);
          },
          coolDown(ms, scope) {
            cooledDown.push([ms, scope]);
            member.onCoolDown(ms);
          },
        },
        ...{ concurrency, clock, isCoordinator, onNote: (note: string) => void notes.push(note) },
      });
      const member: PaceOfMember = {
        onCoolDown: () => {},
        ...{ pace, board: mine, cooledDown, left, held, notes },
        ask(step, ...names) {
          for (const name of names) {
            const call = () => {
              left.push(`${name} ${clock.now() - begun}`);
              return new Promise<void>((resolve) => answers.set(name, resolve));
            };
            pace.inTurn(step, call).catch((error: unknown) => {
              held.push(error instanceof HeldBackError ? name : String(error));
            });
          }
        },
        answer(...names) {
          for (const name of names) answers.get(name)?.();
        },
        refused(delayMs, operation = 'accounts.process') {
          const scope = operation === 'accounts.process' ? 'process' : 'all';
          pace.answered({ operation, status: 429, latencyMs: 5 });
          for (const { onCooldown } of hooks) onCooldown?.({ operation, delayMs, scope });
        },
      };
      return member;
    },
  };
}

export const record = (end: LedgerRecord['end'], code?: string): LedgerRecord => ({
  ...{
    supplier: 'ACME',
    kind: 'account',
    number: 'A-1',
    version: 1,
    hash: '',
    contentHash: null,
    intent: null,
    intentAt: null,
    intentHash: null,
    intentOnce: false,
  },
  ...{ done: 'check', end, platformNumber: null, unknown: [], lacking: null, items: null, contract: null },
  errors: code === undefined ? [] : [{ step: 'stage', code, attr: '' }],
  ...{ source: 'book', line: 1, updatedAt: '' },
});

function leaseOf(id: string): FleetLedger['lease'] & { id: string } {
  return {
    ...{ id, generation: 1, work: { ended: 0, requests: 0, throttled: 0, takenOver: 0 } },
    isValid: () => true,
    signal: () => new AbortController().signal,
    leave: async () => {},
  };
}

function memberOf(id: string, isThere: boolean): Member {
  const at = '2026-01-15T09:00:00.000Z';
  const work = { ended: 0, requests: 0, throttled: 0, takenOver: 0 };
  return { id, name: id, host: 'host', pid: 1, joinedAt: at, leftAt: null, isThere, work };
}
