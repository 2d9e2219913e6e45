/** What a member of a fleet has of it: ledger, board and doorbell, opened one after the other and closed together. */
import { hostname } from 'node:os';
import type { Doorbell } from './bell.js';
import type { Board } from './board.js';
import { openDoorbell } from './doorbell.js';
import type { FleetLedger } from './fleet-ledger.js';
import { postgresBoard } from './postgres-board.js';
import { fleetLedger } from './postgres-fleet.js';

export interface JoinOptions {
  database: string;
  schema?: string | undefined;
  queue?: string | undefined;
  name?: string | undefined;
  /** Of the one that reads the book; there is one at most. */
  isCoordinator: boolean;
  onNote: (note: string) => void;
}

export interface Joined {
  ledger: FleetLedger;
  board: Board;
  doorbell: Doorbell;
  /** What rings here. */
  queue: 'postgres' | 'redis';
  /** Leaves the fleet. */
  close(): Promise<void>;
}

/** Rejects as ledgers on PostgreSQL do, and where the engine of the doorbell cannot be used. */
export async function joinFleet(options: JoinOptions): Promise<Joined> {
  const { database, schema, queue = database, name = `${hostname()}-${process.pid}`, isCoordinator, onNote } = options;
  const opened: { close(): Promise<void> }[] = [];
  const close = async () => {
    for (const one of opened.splice(0).reverse()) await one.close();
  };
  const keep = <One extends { close(): Promise<void> }>(one: One): One => {
    opened.push(one);
    return one;
  };
  try {
    const ledger = keep(
      await fleetLedger({
        connectionString: database,
        ...(schema !== undefined && { schema }),
        name,
        isCoordinator,
        onNote,
      }),
    );
    const { connectionString, ledgerId } = ledger;
    const board = keep(await postgresBoard({ connectionString, schema: ledger.schema, onNote }));
    const doorbell = keep(await openDoorbell({ queue, ledgerId, schema: ledger.schema, name, onNote }));
    return { ledger, board, doorbell, queue: queue.startsWith('redis') ? 'redis' : 'postgres', close };
  } catch (error) {
    await close();
    throw error;
  }
}
