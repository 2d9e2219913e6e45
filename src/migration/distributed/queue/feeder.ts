/**
 * Exports `startFeeder`, which feeds due records from the ledger to the work queue, about five seconds of work ahead. All processes try
 * at intervals, and one of them succeeds each second: no leader is needed, and records that the queue lost are fed again.
 */
import { setTimeout as after } from 'node:timers/promises';
import { isProcessingStep } from '../../throttle/processing.js';
import type { DistributedLedger } from '../ledger/distributed-ledger.js';
import type { DueRecord } from '../ledger/due-records.js';
import { type RunState, withRate } from '../state/run-state.js';
import type { SharedState } from '../state/shared-state.js';
import type { WorkQueue } from './work-queue.js';

export interface FeederOptions {
  ledger: Pick<DistributedLedger, 'state' | 'takeDue'>;
  state: Pick<SharedState, 'current' | 'change' | 'now'>;
  queue: Pick<WorkQueue, 'add' | 'waiting' | 'setLimit' | 'setPaused' | 'setServerId'>;
  /** Id of the queue's server in the run that this process has joined. */
  serverId: number;
  onNote: (note: string) => void;
}

const TRY_EVERY_MS = 250;
/** A delayed or stalled job goes to the end of the queue, so a longer queue would delay the records of a dead worker. */
const SECONDS_AHEAD = 5;
const LEAST_AHEAD = 200;
const MOST_AHEAD = 5000;
/** Smallest missing share of the backlog for which a query is sent. */
const SHARE_WORTH_FEEDING = 0.1;

export function startFeeder({ ledger, state, queue, serverId, onNote }: FeederOptions): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let hasFailed = false;

  async function tick(): Promise<void> {
    const now = state.current();
    if (now === undefined || now.phase === 'over' || !(await ledger.state.takeTick())) return;
    const fed = await state.change((one) => withRate(one, state.now()));
    // All three are set again, because the engine may have lost them with its data.
    await queue.setServerId(serverId);
    await queue.setLimit(fed.limit.limit);
    await queue.setPaused(isStopped(fed));
    if (isStopped(fed)) return;
    const ahead = Math.min(MOST_AHEAD, Math.max(LEAST_AHEAD, Math.round(SECONDS_AHEAD * fed.pace.perSecond)));
    const room = ahead - (await queue.waiting());
    if (room < SHARE_WORTH_FEEDING * ahead) return;
    const due = await ledger.takeDue(room);
    await queue.add(
      'free',
      due.filter((record) => !isForProcess(record)),
    );
    await queue.add('process', due.filter(isForProcess));
  }

  async function feed(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await tick();
        if (hasFailed) onNote('the work queue is fed again.');
        hasFailed = false;
      } catch (error) {
        if (!hasFailed)
          onNote(`the work queue is not fed for now. ${error instanceof Error ? error.message : String(error)}`);
        hasFailed = true;
      }
      await after(TRY_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }
  const feeding = feed();
  return {
    async stop() {
      stopping.abort();
      await feeding;
    },
  };
}

/** Returns whether no call may start: the run is paused, draining or halted. */
export function isStopped({ paused, ended, phase }: RunState): boolean {
  return paused !== null || ended !== null || phase === 'over';
}

/** Returns whether the next call is `process`: a staged or dry-run account whose last request was answered. */
function isForProcess({ kind, done, intent }: DueRecord): boolean {
  return (
    kind === 'account' &&
    intent === null &&
    (done === 'stage' || (done !== null && done !== 'process' && isProcessingStep(done)))
  );
}
