/**
 * Whoever leads rings for what the ledger has open: page after page, as long as few bells wait, and from the beginning
 * again when the end was reached. Nothing but the ledger says what is open, so bells that were lost come again.
 */
import { createHash, type Hash } from 'node:crypto';
import type { PaceClock } from '../pace/clock.js';
import type { Doorbell } from './bell.js';
import type { FleetLedger } from './fleet-ledger.js';

export interface RingerOptions {
  ledger: Pick<FleetLedger, 'leads' | 'unclaimed'>;
  doorbell: Pick<Doorbell, 'ring' | 'waiting'>;
  clock: PaceClock;
  /** Whether members may begin something: not while the run is paused or ends. */
  mayRing: () => boolean;
  /**
   * Bells that wait, about.
   * @default 1000
   */
  keepWaiting?: number | undefined;
  onNote: (note: string) => void;
}

export interface Ringer {
  start(): void;
  /** Resolves when nothing of it is under way any more. */
  stop(): Promise<void>;
  /** How often the end of the ledger was reached. */
  sweeps(): number;
}

const PAGE = 500;
const ASK_WHO_LEADS_MS = 1000;
/** Between looks at how many bells wait. */
const LOOK_MS = 100;
const SHORTEST_REST_MS = 1000;
const LONGEST_REST_MS = 5000;
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 5000;

export function createRinger({ ledger, doorbell, clock, mayRing, keepWaiting = 1000, onNote }: RingerOptions): Ringer {
  let isStopped = true;
  let stopping = () => {};
  let going: Promise<void> = Promise.resolve();
  let sweeps = 0;
  /** Where the sweep stands, what it found, and what the one before had found. */
  let after = 0;
  let found: Hash = createHash('sha256');
  let foundBefore = '';
  let restMs = SHORTEST_REST_MS;
  let leadsAskedAt = Number.NEGATIVE_INFINITY;
  let isLeader = false;

  /** Ends at once when the ringer is stopped. */
  function rest(ms: number): Promise<void> {
    if (isStopped) return Promise.resolve();
    return new Promise((resolve) => {
      const end = clock.after(ms, resolve);
      stopping = () => {
        end();
        resolve();
      };
    });
  }

  async function leads(): Promise<boolean> {
    if (clock.now() - leadsAskedAt < ASK_WHO_LEADS_MS) return isLeader;
    const [was, now] = [isLeader, await ledger.leads()];
    leadsAskedAt = clock.now();
    isLeader = now;
    // What whoever led before has rung for, nobody knows.
    if (!was && now) begin();
    return now;
  }
  function begin(): void {
    after = 0;
    found = createHash('sha256');
  }

  /** One look; gives how long to rest before the next. */
  async function look(): Promise<number> {
    if (!(await leads()) || !mayRing()) return ASK_WHO_LEADS_MS;
    if ((await doorbell.waiting()) >= keepWaiting) return LOOK_MS;
    const page = await ledger.unclaimed(after, PAGE);
    if (isStopped) return 0;
    if (page.bells.length > 0) {
      await doorbell.ring(page.bells);
      for (const bell of page.bells) found.update(JSON.stringify(bell));
      after = page.last;
    }
    if (page.bells.length === PAGE) return 0;
    sweeps++;
    const foundNow = found.digest('hex');
    // The same as before: nobody answers, and ringing faster does not help.
    restMs = foundNow === foundBefore ? Math.min(2 * restMs, LONGEST_REST_MS) : SHORTEST_REST_MS;
    foundBefore = foundNow;
    begin();
    return restMs;
  }

  async function go(): Promise<void> {
    let retryMs = 0;
    while (!isStopped) {
      try {
        const ms = await look();
        if (retryMs > 0) onNote('ringer: members are told of work again.');
        retryMs = 0;
        await rest(ms);
      } catch (error) {
        if (retryMs === 0) onNote(`ringer: members are told of no new work for now. ${messageOf(error)}`);
        retryMs = Math.min(Math.max(2 * retryMs, FIRST_RETRY_MS), LONGEST_RETRY_MS);
        await rest(retryMs);
      }
    }
  }

  return {
    start() {
      if (!isStopped) return;
      isStopped = false;
      going = go();
    },
    async stop() {
      isStopped = true;
      stopping();
      await going;
    },
    sweeps: () => sweeps,
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
