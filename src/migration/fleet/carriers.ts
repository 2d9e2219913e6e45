/** The fleet as the run that reads the book sees it: records are handed to it, and it is waited for. */
import { setTimeout as after } from 'node:timers/promises';
import { contractsOf } from '../keys.js';
import type { Pace } from '../pace/pace.js';
import type { Carriers } from '../run.js';
import type { SourceItem } from '../source/source.js';
import type { Board } from './board.js';
import type { FleetLedger, LinePlace } from './fleet-ledger.js';
import { notInPlace, placeOf } from './line-place.js';

export interface CarriersOptions {
  ledger: FleetLedger;
  board: Board;
  pace: Pace;
  /** `place`: lines stay where they are, and members read them there. */
  bookIn: 'database' | 'place';
  signal: AbortSignal;
}

const BETWEEN_LOOKS_MS = 250;

/** So often each open record has failed for no fault of its own, with none ended in between, before nobody goes on. */
const TRIES = 3;
/** Of those, no more are counted: so many failures in a row halt any run. */
const MOST_OPEN = 1000;

export function carriersOf({ ledger, board, pace, bookIn, signal }: CarriersOptions): Carriers & { end(): void } {
  /** Calls that failed since a record ended. */
  let failed = 0;
  const stopHearing = board.hear((message) => {
    if (message.is !== 'report') return;
    for (const [what] of message.report.events) {
      if (what === 'ended') failed = 0;
      else if (what === 'failed') failed++;
    }
  });

  const isStuck = async (): Promise<boolean> => {
    if (failed < TRIES) return false;
    const { bells } = await ledger.unclaimed(0, MOST_OPEN);
    return bells.length > 0 && failed >= TRIES * bells.length;
  };

  return {
    hold: async (known) => (await ledger.claim(known, true))?.record,
    giveBack: (held) => ledger.release(held),
    async handOn(record, payload, item) {
      const registered = await ledger.register(record, contractsOf(payload), placeIn(item, bookIn));
      // What was written here before was this member's.
      if (record.version > 0) await ledger.release(record);
      return registered;
    },
    async settled() {
      failed = 0;
      while (await ledger.hasWork()) {
        // Whoever breaks it off waits for no other member.
        if (signal.aborted || (!pace.mayBegin() && !(await ledger.isClaimed()))) return;
        // Whoever gives the command again has another look.
        if (pace.mayBegin() && (await isStuck())) pace.drain();
        await after(BETWEEN_LOOKS_MS);
      }
    },
    end: stopHearing,
  };
}

function placeIn(item: SourceItem, bookIn: CarriersOptions['bookIn']): LinePlace {
  if (bookIn === 'database') return { text: item.text };
  const place = placeOf(item);
  if (place === undefined) throw notInPlace(item.source);
  return place;
}
