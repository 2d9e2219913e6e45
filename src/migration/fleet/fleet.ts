/** A run that other machines join: the one that begins it reads the book, and works like the others. */
import type { DataImportClient } from '../../client.js';
import type { Profile } from '../../validation/profile.js';
import type { LedgerRecord } from '../ledger/ledger.js';
import { DEFAULT_HALT } from '../pace/breaker.js';
import { type PaceOptions, paceSettings } from '../pace/settings.js';
import type { Summary } from '../report/summary.js';
import type { Carriers } from '../run.js';
import type { RecordEvent } from '../step.js';
import type { CompactEvent, FleetOrders, FleetSettings } from './board.js';
import { carriersOf } from './carriers.js';
import type { FleetLedger } from './fleet-ledger.js';
import type { FleetPace } from './fleet-pace.js';
import { type Joined, joinFleet } from './join.js';
import { takePart, work } from './member.js';

/** Of `openFleet`. */
export interface FleetOptions {
  /** `postgres://user@host:5432/database`: where the ledger is. */
  database: string;
  /**
   * Schema that holds it.
   * @default 'data_import'
   */
  schema?: string | undefined;
  /**
   * What tells the members of work: `redis://…` or `postgres://…`. Nothing is lost where it is.
   * @default the database of the ledger
   */
  queue?: string | undefined;
  /** Address of the service, as its members call it: a worker that calls another one does not join. */
  address: string;
  /**
   * Whether the book's lines are copied into the database until the run is over, or every member reads them where they
   * are: files of JSON Lines that are not compressed, on a path or at an address that all can read.
   * @default 'database'
   */
  bookIn?: 'database' | 'place' | undefined;
  /**
   * Whether this process carries records through as well.
   * @default true
   */
  works?: boolean | undefined;
  /**
   * By which it is known in status and report.
   * @default the machine's name and the process
   */
  name?: string | undefined;
  /** Told, in one line for people, of what somebody who looks after it should know. */
  onNote?: ((note: string) => void) | undefined;
}

/** For `runMigration({ fleet })`. Whoever opens it closes it, after the run. */
export interface Fleet {
  /** What the run remembers. */
  ledger: FleetLedger;
  /** @internal */
  begin(run: FleetRunOptions): Promise<FleetRun>;
  /** Leaves. Workers go on with what they know of. */
  close(): Promise<void>;
}

export interface FleetRunOptions {
  client: DataImportClient;
  pace: PaceOptions | undefined;
  settings: Omit<FleetSettings, 'address' | 'queue' | 'window' | 'halt' | 'profile'>;
  profile: Profile | undefined;
}

export interface FleetRun {
  pace: FleetPace;
  /** Begins to work, and takes records from whoever reads the book. */
  work(told: { now: () => Date; onEvent: (record: LedgerRecord, event: RecordEvent) => void; signal: AbortSignal }): {
    carriers: Carriers;
    /** Rejects where the ledger cannot be worked with. */
    failed: Promise<never>;
    end(): Promise<void>;
  };
  /** Of the other members. */
  onOthers(listener: (event: CompactEvent) => void): () => void;
  /** What the platform does not accept, where that halted the fleet. */
  notAccepted(): 'token' | 'supplier' | undefined;
  /** Members may go home. The lines of the book are taken out of the database, unless accounts wait for a business. */
  over(summary: Pick<Summary, 'waiting'>): Promise<void>;
  end(): Promise<void>;
}

/**
 * Joins, as the one that reads the book. Rejects with a `LedgerLockedError` where another does, or a run of one machine
 * has the ledger; with a `LedgerDatabaseError` where the database, and a `DoorbellError` where the engine cannot be used.
 */
export async function openFleet(options: FleetOptions): Promise<Fleet> {
  const { database, schema, queue, name, onNote = () => {} } = options;
  return createFleet(await joinFleet({ database, schema, queue, name, isCoordinator: true, onNote }), options);
}

/** Of what was joined, as tests put it together. */
export function createFleet(
  joined: Joined,
  { address, bookIn = 'database', works = true, onNote = () => {} }: Omit<FleetOptions, 'database'>,
): Fleet {
  const { ledger, board } = joined;
  return {
    ledger,
    close: joined.close,
    async begin({ client, pace: paceOptions = {}, settings, profile }) {
      const { concurrency } = paceSettings(paceOptions);
      const halt = paceOptions.halt ?? DEFAULT_HALT;
      const begun = await board.change((former) =>
        ordersFor(
          former,
          paceOptions,
          {
            ...settings,
            address,
            queue: joined.queue,
            window: paceOptions.window?.text ?? null,
            halt: { ...halt, fail: halt.fail ?? null },
            profile: profile ?? null,
          },
          ledger.lease.id,
        ),
      );
      const { pace, end } = takePart(joined, client, { concurrency, isCoordinator: true, onNote });
      return {
        pace,
        work({ now, onEvent, signal }) {
          const carriers = carriersOf({ ledger, board, pace, bookIn, signal });
          const atWork = works
            ? work(
                joined,
                { client, pace, settings: begun.settings },
                { concurrency, isCoordinator: true, now, onEvent, onNote },
              )
            : undefined;
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
        },
        onOthers: (listener) => pace.onFleetEvent(listener),
        notAccepted: () => board.orders()?.ended?.notAccepted ?? undefined,
        async over({ waiting }) {
          await board.change((orders) => ({ ...(orders ?? begun), state: 'over' }));
          if (waiting === 0) await ledger.forgetLines();
        },
        end,
      };
    },
  };
}

/** Calls that process, of all members: each has a bound of its own by its concurrency. */
const MOST_AT_ONCE = 10_000;

/** A run that goes on keeps the limit that it had found. */
function ordersFor(
  former: FleetOrders | undefined,
  options: PaceOptions,
  settings: FleetSettings,
  member: string,
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
