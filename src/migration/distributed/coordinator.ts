/** `createCoordinator`: the distributed run as the process sees it that reads the input: records are handed to the workers. */
import { setTimeout as after } from 'node:timers/promises';
import type { SourceItem } from '../input/source.js';
import { contractsOf } from '../record/record-key.js';
import type { Carriers } from '../run/run-input.js';
import type { DistributedLedger, LinePlace } from './distributed-ledger.js';
import { notInPlace, placeOf } from './line-place.js';
import { liveWorkers } from './run-state.js';
import type { SharedState } from './shared-state.js';
import type { WorkerThrottle } from './worker-throttle.js';

export interface CoordinatorOptions {
  ledger: DistributedLedger;
  state: SharedState;
  throttle: WorkerThrottle;
  /** `place`: lines stay where they are, and workers read them there. */
  bookIn: 'database' | 'place';
  signal: AbortSignal;
}

const BETWEEN_LOOKS_MS = 250;
/** So often each unfinished record has failed for no fault of its own, with none ended in between, before the run stops. */
const TRIES = 3;
/** No more are counted: so many failures in a row halt any run. */
const MOST_COUNTED = 1000;

export function createCoordinator({ ledger, state, throttle, bookIn, signal }: CoordinatorOptions): Carriers {
  const isStuck = async (): Promise<boolean> => {
    const failed = state.current()?.failedInRow ?? 0;
    if (failed < TRIES) return false;
    const left = await ledger.countWork(MOST_COUNTED);
    return left > 0 && failed >= TRIES * left;
  };
  const isBusy = (): boolean => {
    const now = state.current();
    return now !== undefined && liveWorkers(now, state.now()).some(([, { records }]) => records > 0);
  };
  return {
    // Every write is a compare-and-set: whoever works on the record meanwhile writes nothing more, or this process does not.
    hold: (known) => Promise.resolve(known),
    giveBack: () => Promise.resolve(),
    async handOn(record, payload, item) {
      return ledger.register(record, contractsOf(payload), placeIn(item, bookIn));
    },
    async settled() {
      while (await ledger.hasWork()) {
        // Whoever breaks it off waits for no other worker.
        if (signal.aborted || (!throttle.mayBegin() && !isBusy())) return;
        // Whoever gives the command again has another look.
        if (throttle.mayBegin() && (await isStuck())) throttle.drain();
        await after(BETWEEN_LOOKS_MS);
      }
    },
  };
}

function placeIn(item: SourceItem, bookIn: CoordinatorOptions['bookIn']): LinePlace {
  if (bookIn === 'database') return { text: item.text };
  const place = placeOf(item);
  if (place === undefined) throw notInPlace(item.source);
  return place;
}
