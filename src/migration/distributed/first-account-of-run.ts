/**
 * `firstAccountOfRun`: the first account of a distributed run. One worker advances accounts until the service has accepted the
 * team of the run, and the others wait before they take one. The state names that worker.
 */

import type { Ledger } from '../ledger/ledger.js';
import { createFirstAccount, type FirstAccount, storeAcceptedTeam } from '../record/preconditions/first-account.js';
import type { PaceClock } from '../throttle/clock.js';
import { liveWorkers, newWorker } from './run-state.js';
import type { SharedState } from './shared-state.js';

export interface FirstAccountOfRun {
  firstAccount: FirstAccount;
  /** Resolves with true when this worker may take accounts; with false when none may be begun any more. */
  mayTake(): Promise<boolean>;
  /** Ends all waits. */
  close(): void;
}

export interface FirstAccountOptions {
  ledger: Pick<Ledger, 'setFact'>;
  workerId: string;
  state: Pick<SharedState, 'current' | 'onChange' | 'change' | 'now'>;
  mayBegin: () => boolean;
  after: PaceClock['after'];
}

const TRY_AGAIN_MS = 1000;

export function firstAccountOfRun({
  ledger,
  workerId,
  state,
  mayBegin,
  after,
}: FirstAccountOptions): FirstAccountOfRun {
  let isClosed = false;
  let waiting: (() => void)[] = [];
  let taking: Promise<unknown> | undefined;
  const wake = () => {
    const all = waiting;
    waiting = [];
    for (const go of all) go();
  };
  const changed = () =>
    new Promise<void>((resolve) => {
      const stop = after(TRY_AGAIN_MS, resolve);
      waiting.push(() => {
        stop();
        resolve();
      });
    });
  const isOver = () => (state.current()?.firstAccount ?? null) === null;
  /** Tried until it is stored: the other workers wait for it. */
  const storeThatItIsOver = async (): Promise<void> => {
    while (!isClosed && !isOver()) {
      await state.change((now) => ({ ...now, firstAccount: null })).catch(changed);
    }
  };
  const create = () =>
    createFirstAccount({
      onAccepted() {
        const team = state.current()?.settings.team;
        if (team !== undefined) storeAcceptedTeam(ledger, team).catch(() => {});
      },
      onOver: () => void storeThatItIsOver(),
    });
  let own = create();
  let wasOver = false;
  const obey = () => {
    // A run that was begun again, perhaps with another team.
    if (wasOver && !isOver()) own = create();
    wasOver = isOver();
    if (wasOver) own.open();
    wake();
  };
  const stopListening = state.onChange(obey);
  if (state.current() !== undefined) obey();

  const holder = (): string | null | undefined => {
    const now = state.current();
    const worker = now?.firstAccount?.worker ?? null;
    if (now === undefined || worker === null) return null;
    // One that is gone has it no longer.
    return worker === workerId || liveWorkers(now, state.now()).some(([id]) => id === worker) ? worker : null;
  };
  const take = () =>
    state.change((now) => {
      const worker = now.firstAccount?.worker ?? null;
      const isTaken = worker !== null && liveWorkers(now, state.now()).some(([id]) => id === worker);
      if (now.firstAccount === null || isTaken) return now;
      // Known to the others before its first report.
      const me = { ...(now.workers[workerId] ?? newWorker()), seenAt: state.now() };
      return { ...now, firstAccount: { worker: workerId }, workers: { ...now.workers, [workerId]: me } };
    });

  return {
    firstAccount: {
      isOver: () => own.isOver(),
      isAlone: (record) => own.isAlone(record),
      enter: (record) => own.enter(record),
      observe: (record, event) => own.observe(record, event),
      leave: (record) => own.leave(record),
      open: () => own.open(),
    },
    async mayTake() {
      while (!isClosed && mayBegin()) {
        if (isOver() || holder() === workerId) return true;
        if (holder() === null) {
          taking ??= take().finally(() => {
            taking = undefined;
          });
          await taking.catch(changed);
        } else await changed();
      }
      return false;
    },
    close() {
      isClosed = true;
      stopListening();
      wake();
    },
  };
}
