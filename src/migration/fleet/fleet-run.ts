/** A run of a fleet, as the migration that begins it has it: orders for all, its own part in the work, and its end. */
import type { DataImportClient } from '../../client.js';
import type { Profile } from '../../validation/profile.js';
import { isAcceptedTeam } from '../first-account.js';
import type { LedgerRecord } from '../ledger/ledger.js';
import { DEFAULT_HALT } from '../pace/breaker.js';
import { type PaceOptions, paceSettings } from '../pace/settings.js';
import type { Summary } from '../report/summary.js';
import type { Carriers } from '../run.js';
import type { RecordEvent } from '../step.js';
import type { CompactEvent, FleetOrders, FleetSettings } from './board.js';
import { carriersOf } from './carriers.js';
import type { OpenedFleet } from './fleet.js';
import type { Member } from './fleet-ledger.js';
import type { FleetPace } from './fleet-pace.js';
import { takePart, work } from './member.js';

export interface FleetRunOptions {
  client: DataImportClient;
  pace: PaceOptions | undefined;
  settings: Omit<FleetSettings, 'address' | 'queue' | 'window' | 'halt' | 'profile'>;
  profile: Profile | undefined;
}

export interface FleetRun {
  pace: FleetPace;
  /** Begins to work, and takes records from whoever reads the book. */
  work(told: Told): Working;
  /** All that have worked at it. */
  members(): Promise<Member[]>;
  /** Of the other members. */
  onOthers(listener: (event: CompactEvent) => void): () => void;
  /** What the platform does not accept, where that halted the fleet. */
  notAccepted(): 'token' | 'supplier' | undefined;
  /** Members may go home. The lines of the book are taken out of the database, unless accounts wait for a business. */
  over(summary: Pick<Summary, 'waiting'>): Promise<void>;
  end(): Promise<void>;
}

interface Told {
  now: () => Date;
  onEvent: (record: LedgerRecord, event: RecordEvent) => void;
  /** Breaks off what is under way here. */
  signal: AbortSignal;
}

interface Working {
  carriers: Carriers;
  /** Rejects where the ledger cannot be worked with. */
  failed: Promise<never>;
  end(): Promise<void>;
}

/** Gives the orders that begin the run, or let it go on, and takes part. */
export async function beginFleetRun(
  opened: OpenedFleet,
  { client, pace: options = {}, settings, profile }: FleetRunOptions,
): Promise<FleetRun> {
  const { joined, address, bookIn, works, onNote } = opened;
  const { ledger, board } = joined;
  const { concurrency } = paceSettings(options);
  const isAccepted = await isAcceptedTeam(ledger, settings.team);
  const begun = await board.change((former) => {
    const { fail = null, ...halt } = options.halt ?? DEFAULT_HALT;
    const orders = ordersFor(former, options, ledger.lease.id, {
      ...settings,
      address,
      queue: joined.queue,
      window: options.window?.text ?? null,
      halt: { ...halt, fail },
      profile: profile ?? null,
    });
    return { ...orders, firstAccount: isAccepted ? null : { worker: null } };
  });
  const { pace, end } = takePart(joined, client, { concurrency, isCoordinator: true, onNote });

  function begin({ now, onEvent, signal }: Told): Working {
    const carriers = carriersOf({ ledger, board, pace, bookIn, signal });
    const told = { concurrency, isCoordinator: true, now, onEvent, onNote };
    const atWork = works ? work(joined, { client, pace, settings: begun.settings }, told) : undefined;
    opened.part = { records: atWork?.records ?? (() => 0), pace: pace.status };
    const breakOff = () => atWork?.breakOff();
    signal.addEventListener('abort', breakOff);
    return {
      carriers,
      failed: atWork?.failed ?? new Promise<never>(() => {}),
      async end() {
        await atWork?.end();
        signal.removeEventListener('abort', breakOff);
        carriers.end();
      },
    };
  }

  return {
    pace,
    work: begin,
    members: () => ledger.members(),
    onOthers: (listener) => pace.onFleetEvent(listener),
    notAccepted: () => board.orders()?.ended?.notAccepted ?? undefined,
    async over({ waiting }) {
      await board.change((orders) => ({ ...(orders ?? begun), state: 'over' }));
      if (waiting === 0) await ledger.forgetLines();
    },
    end,
  };
}

/** Calls that process, of all members: each has a bound of its own by its concurrency. */
const MOST_AT_ONCE = 10_000;

/** A run that goes on keeps the limit that it had found. */
function ordersFor(
  former: FleetOrders | undefined,
  options: PaceOptions,
  member: string,
  settings: FleetSettings,
): FleetOrders {
  const { start, bounds, rps } = paceSettings({ ...options, process: { most: MOST_AT_ONCE, ...options.process } });
  const limit = former?.limit ?? { now: start, why: 'doubling until the first 429' };
  return {
    state: 'open',
    settings,
    paused: null,
    ended: null,
    limit: { ...limit, now: Math.max(bounds.least, Math.min(bounds.most, limit.now)) },
    process: bounds,
    rps,
    members: former?.members ?? [member],
    turn: former?.turn ?? 0,
  };
}
