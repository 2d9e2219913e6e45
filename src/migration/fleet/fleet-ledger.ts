/**
 * A ledger at which several members work: each claims a record before it touches it, for as long as its lease holds. A
 * claim is a write: it counts up the version, so whoever had the record before writes nothing more.
 */
import type { Ledger, LedgerRecord, RecordKey } from '../ledger/ledger.js';
import type { Bell } from './bell.js';

/** Where the text of a record is: in the ledger's database, or in a file that every member can read. */
export type LinePlace = { text: string } | { source: string; start: number; length: number };

/** A record that this member has now, at the version of the claim. */
export interface Claimed {
  record: LedgerRecord;
  /** undefined where its line was taken out of the database. */
  line: LinePlace | undefined;
  /** Whether another member, whose lease is over, had it before. */
  isTakenOver: boolean;
}

/** One process that works at the run. */
export interface Member {
  /** Of this lease: a member that lost one joins again by another. */
  id: string;
  /** As it was named: `--name`, or the machine's name and the process. */
  name: string;
  /** Name of its machine. */
  host: string;
  /** Its process there. */
  pid: number;
  /** ISO datetime by the database's clock. */
  joinedAt: string;
  /** The same; null while it is there, and for one that was killed. */
  leftAt: string | null;
  /** Whether its lease holds. */
  isThere: boolean;
  /** What it has done, as it told the ledger last. */
  work: MemberWork;
}

/** What a member has done in this run. */
export interface MemberWork {
  /** Records that ended, by it. */
  ended: number;
  /** Requests that were answered, or failed. */
  requests: number;
  /** Answers 429. */
  throttled: number;
  /** Records that another had whose lease was over. */
  takenOver: number;
}

/** The right to send, for as long as the ledger's server hears of this member. */
export interface Lease {
  /** Of this member; another one after a lease was lost. */
  readonly id: string;
  /** Counts up when a lease is lost: what was begun before sends nothing more. */
  readonly generation: number;
  /** By the machine's own clocks, earlier than the server would say it. */
  isValid(generation: number): boolean;
  /** Aborts when this generation's lease is lost, or its member leaves. */
  signal(): AbortSignal;
  /** Told to the ledger with the next beat. */
  readonly work: MemberWork;
  /** Gives back what it claims, and leaves. */
  leave(): Promise<void>;
}

export interface FleetLedger extends Ledger {
  readonly lease: Lease;
  /** Where it is, for the doorbell and the board. */
  readonly connectionString: string;
  readonly schema: string;
  /** An identifier of the ledger, of letters, digits and dashes. */
  readonly ledgerId: string;
  /**
   * Resolves when record and line are on disk. Version 0 is written as version 1, with the contracts that a business
   * declares; of others only the line is kept. An account waits where its contract's business is there and has not come
   * to be. Many at a time go together.
   */
  register(record: LedgerRecord, contracts: readonly string[], line: LinePlace): Promise<LedgerRecord>;
  /**
   * undefined where it is at another version, has ended, waits, or is another's whose lease holds. `alsoWaiting`: also an
   * account that waits for its business.
   */
  claim(bell: Bell, alsoWaiting?: boolean): Promise<Claimed | undefined>;
  /** Open still, and to be rung for again. Nothing where it is not this member's at that version. */
  release(record: RecordKey & { version: number }): Promise<void>;
  /** Open records that wait for nothing and are nobody's whose lease holds, in the order of first writing. */
  unclaimed(after: number, most: number): Promise<{ bells: Bell[]; last: number }>;
  /** Whether a record is open that does not wait for its business; also where a member has it. */
  hasWork(): Promise<boolean>;
  /** Whether a member whose lease holds has a record. One that has none any more says so with its next beat. */
  isClaimed(): Promise<boolean>;
  /** All that were ever there, the first to join first. */
  members(): Promise<Member[]>;
  /** Whether this member leads now; tries to, where nobody does. Lost with the connection. */
  leads(): Promise<boolean>;
  /** Takes the lines of the book out of the database. */
  forgetLines(): Promise<void>;
}
