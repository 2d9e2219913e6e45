/**
 * The doorbell of a fleet: it tells members that there is work, and nothing else. A job carries the key of a record and
 * its version, never a payload. A job that is lost, comes twice or comes late does no harm: whether the record may be
 * taken, the ledger says.
 */
import type { RecordKey } from '../ledger/ledger.js';

/** "This record, as it stood at this version, is open and nobody's." */
export interface Bell extends RecordKey {
  /** Of the record in the ledger. One that differs from the ledger's is answered by nobody. */
  version: number;
}

/** A way to ring, and to answer. What goes wrong in between is tried again by the engine, or told by `onError`. */
export interface Doorbell {
  /** The same bell may be rung again: as long as it waits there is one of it. */
  ring(bells: readonly Bell[]): Promise<void>;
  /** How many wait to be answered. */
  waiting(): Promise<number>;
  /** Answers so many at once until it is closed. `answer` does not reject; a bell is forgotten when it resolves. */
  answer(answer: (bell: Bell) => Promise<void>, atOnce: number): Answering;
  /** Whether its engine was reached the last time that it was asked. */
  isReachable(): boolean;
  close(): Promise<void>;
}

/** Somebody who answers. */
export interface Answering {
  /** Takes no more bells; resolves when those that were taken are answered. */
  close(): Promise<void>;
}
