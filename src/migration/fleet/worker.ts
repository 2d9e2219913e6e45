/** One member of a fleet at work: it answers the doorbell, claims records, and carries each through by `runRecord`. */
import type { DataImportClient } from '../../client.js';
import type { LedgerRecord } from '../ledger/ledger.js';
import type { PaceStatus } from '../pace/pace.js';
import type { RecordEvent } from '../step.js';
import type { MemberWork } from './fleet-ledger.js';

/** Of `startWorker`. */
export interface WorkerOptions {
  /** The client that the worker calls. It is watched while the worker goes, and not closed. */
  client: DataImportClient;
  /** What the client calls, as the run's `address` has it. */
  address: string;
  /** `postgres://user@host:5432/database`: where the ledger of the run is. */
  database: string;
  /**
   * Schema of the ledger.
   * @default 'data_import'
   */
  schema?: string | undefined;
  /**
   * The engine that tells members of work: `redis://…`, or `postgres://…`.
   * @default the database of the ledger
   */
  queue?: string | undefined;
  /**
   * Where the book is for this member, where the run has left it in its place: the folder or URL that the names in it
   * are relative to.
   * @default the names as the run has them
   */
  bookAt?: string | undefined;
  /**
   * By which it is known in status and report.
   * @default the machine's name and the process
   */
  name?: string | undefined;
  /**
   * Calls under way at once, of all steps.
   * @default 32
   */
  concurrency?: number | undefined;
  /** Told of everything that happens to a record here, after it is on disk. */
  onEvent?: ((record: LedgerRecord, event: RecordEvent) => void) | undefined;
  /**
   * Called before it works at a run whose address is its own; where it rejects, `finished` does, and the worker leaves.
   * @internal
   */
  beforeWork?: (() => Promise<void>) | undefined;
  /** Told, in one line for people, of what somebody who looks after it should know: a lease lost, the engine away. */
  onNote?: ((note: string) => void) | undefined;
}

/** How a worker stands. */
export interface WorkerStatus {
  /** `waiting`: for a run to begin. */
  state: 'waiting' | 'working' | 'draining' | 'left';
  /** It has joined, its lease holds, and ledger, board and doorbell are reached. */
  isReady: boolean;
  /** Whether its lease holds: without one it sends nothing. */
  hasLease: boolean;
  /** What of these is not so, in words. */
  lacks: string[];
  /** Records that it has at this moment. */
  records: number;
  /** What it has done. */
  work: MemberWork;
  /** undefined while it waits. */
  pace: PaceStatus | undefined;
}

/** A worker that is under way. */
export interface Worker {
  /** How it stands now. */
  status(): WorkerStatus;
  /** Takes nothing more; what is under way ends, what has not left is given back. */
  drain(): void;
  /** Breaks off what is under way, too. */
  stop(): void;
  /** Resolves when the run is over, or it was drained. Rejects where it cannot work, as with a `CannotJoinError`. */
  finished: Promise<{ state: 'over' | 'drained'; work: MemberWork }>;
}
