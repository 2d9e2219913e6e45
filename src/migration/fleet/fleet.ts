/** A run that other machines join: opened by the one that reads the book, and handed to the migration. */
import type { Ledger } from '../ledger/ledger.js';
import type { Joined } from './join.js';
import { memberStatus, outsideStatus, type Part } from './member-status.js';
import type { WorkerStatus } from './worker.js';

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
  ledger: Ledger;
  /** How this member stands now. */
  status(): WorkerStatus;
  /** Leaves. Workers go on with what they know of. */
  close(): Promise<void>;
}

/** What a migration needs of one. */
export interface OpenedFleet {
  joined: Joined;
  address: string;
  bookIn: 'database' | 'place';
  works: boolean;
  onNote: (note: string) => void;
  /** Told by the run, of what it has under way. */
  part: Part | undefined;
}

const opened = new WeakMap<Fleet, OpenedFleet>();

/**
 * Joins, as the one that reads the book. Rejects with a `LedgerLockedError` where another does, or a run of one machine
 * has the ledger; with a `LedgerDatabaseError` where the database, and a `QueueError` where the engine cannot be used.
 */
export async function openFleet(options: FleetOptions): Promise<Fleet> {
  const { database, schema, queue, name, onNote = () => {} } = options;
  // What a fleet needs is loaded by whoever has one.
  const { joinFleet } = await import('./join.js');
  return createFleet(await joinFleet({ database, schema, queue, name, isCoordinator: true, onNote }), options);
}

/** Of what was joined. */
export function createFleet(
  joined: Joined,
  { address, bookIn = 'database', works = true, onNote = () => {} }: Omit<FleetOptions, 'database'>,
): Fleet {
  const { ledger } = joined;
  const parts: OpenedFleet = { joined, address, bookIn, works, onNote, part: undefined };
  let hasLeft = false;
  const fleet: Fleet = {
    ledger,
    status() {
      if (hasLeft) return outsideStatus('left', { ...ledger.lease.work });
      const { part } = parts;
      return memberStatus(joined, { part, isDraining: part?.pace().state === 'draining' });
    },
    async close() {
      hasLeft = true;
      await joined.close();
    },
  };
  opened.set(fleet, parts);
  return fleet;
}

/** Throws a `TypeError` for what `openFleet` did not give. */
export function openedFleet(fleet: Fleet): OpenedFleet {
  const found = opened.get(fleet);
  if (found === undefined) throw new TypeError('fleet: expected what openFleet gives.');
  return found;
}
