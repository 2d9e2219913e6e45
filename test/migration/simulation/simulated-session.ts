/**
 * Exports `createSimulatedSession`, one session of a simulated process, and `onDisk`, a ledger on a disk that survives it. After a crash
 * nothing that the process waits for happens. The disk loses what was not synced, and keeps a part of a write that the crash tears.
 */
import type { Ledger, LedgerRecord } from '../../../src/migration/ledger/ledger.js';

/** The moments of named crashes. */
export const CRASH_POINTS = [
  'before the intent',
  'after the intent',
  'after the send',
  'after the commit',
  'after the answer',
  'torn write',
] as const;

export type CrashPoint = (typeof CRASH_POINTS)[number];

/** Other moments: writes without an intent, and requests that change nothing. */
type Moment = CrashPoint | 'write' | 'written' | 'ask' | 'asked' | 'answered';

/** A session survives `moments` moments of the kind `at` (of any kind without `at`), and is killed at the next one. */
export interface CrashPlan {
  moments: number;
  at?: Moment | undefined;
}

export interface SimulatedSession {
  readonly isOver: boolean;
  /** Where it ended. */
  readonly endedAt: Moment | undefined;
  /** Resolves at its end. */
  readonly crash: Promise<void>;
  /** Lets one more moment pass; false where the process does not survive it, or has not survived an earlier one. */
  survives(moment: Moment): boolean;
  /** Resolves where `survives` returns true; otherwise never resolves. */
  pass(moment: Moment): Promise<void>;
}

export function createSimulatedSession({ moments, at }: CrashPlan): SimulatedSession {
  let left = moments;
  let endedAt: Moment | undefined;
  let end = () => {};
  const crash = new Promise<void>((resolve) => {
    end = resolve;
  });
  const survives = (moment: Moment) => {
    if (endedAt === undefined && (at === undefined || at === moment) && left-- <= 0) {
      endedAt = moment;
      end();
    }
    return endedAt === undefined;
  };
  return {
    get isOver() {
      return endedAt !== undefined;
    },
    get endedAt() {
      return endedAt;
    },
    crash,
    survives,
    pass: (moment) => (survives(moment) ? Promise.resolve() : new Promise<never>(() => {})),
  };
}

interface Write {
  record: LedgerRecord;
  contracts: readonly string[] | undefined;
  acknowledge: (written: Promise<void>) => void;
}

/** Returns the part of a record that a kill during its write leaves on disk, or undefined for none. A sound disk leaves none. */
export type Tear = (before: LedgerRecord | undefined, written: LedgerRecord) => LedgerRecord | undefined;

/** Acknowledges a group of writes once it is synced. Of the group that a crash tears, its first writes are on disk. */
export function onDisk(
  disk: Ledger,
  session: SimulatedSession,
  random: () => number,
  tear: Tear = () => undefined,
): Ledger {
  let group: Write[] = [];

  async function writeTorn(writes: readonly Write[]): Promise<void> {
    const whole = Math.floor(random() * (writes.length + 1));
    for (const { record, contracts } of writes.slice(0, whole)) await disk.write(record, contracts).catch(() => {});
    const torn = writes[whole]?.record;
    const rest = torn && tear(await disk.find(torn), torn);
    if (rest !== undefined) await disk.write(rest).catch(() => {});
  }

  function sync(): void {
    const writes = group;
    group = [];
    if (!session.survives('torn write')) void writeTorn(writes);
    else for (const { record, contracts, acknowledge } of writes) acknowledge(disk.write(record, contracts));
  }

  return {
    ...disk,
    async write(record, contracts) {
      const announces = record.intent !== null;
      await session.pass(announces ? 'before the intent' : 'write');
      await new Promise<void>((resolve, reject) => {
        group.push({ record, contracts, acknowledge: (written) => written.then(resolve, reject) });
        if (group.length === 1) queueMicrotask(sync);
      });
      await session.pass(announces ? 'after the intent' : 'written');
    },
  };
}
