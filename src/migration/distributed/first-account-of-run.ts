/**
 * `firstAccountOfRun`: the first account of a distributed run. One worker advances accounts until the service has accepted the
 * team of the run, and the others wait before they take one. The state names that worker.
 */

import type { Ledger } from '../ledger/ledger.js';
import { createFirstAccount, type FirstAccount, storeAcceptedTeam } from '../record/preconditions/first-account.js';
import { liveWorkers, newWorker } from './run-state.js';
import type { SharedState } from './shared-state.js';

export interface FirstAccountOfRun {
  readonly firstAccount: FirstAccount;
  /** Resolves with true when this worker may take accounts; with false when none may be begun any more. */
  mayTake(): Promise<boolean>;
  /** Ends all waits. */
  close(): void;
}

export interface FirstAccountOptions {
  ledger: Pick<Ledger, 'setFact'>;
  workerId: string;
  state: Pick<SharedState, 'current' | 'onChange' | 'nextChange' | 'change' | 'now'>;
  isAccepting: () => boolean;
}

const TRY_AGAIN_MS = 1000;

export function firstAccountOfRun({ ledger, workerId, state, isAccepting }: FirstAccountOptions): FirstAccountOfRun {
  const closing = new AbortController();
  let changing: Promise<void> | undefined;
  /** One wait for all records. */
  const changed = (): Promise<void> => {
    changing ??= state.nextChange(TRY_AGAIN_MS, closing.signal).finally(() => {
      changing = undefined;
    });
    return changing;
  };
  const isOver = () => (state.current()?.firstAccount ?? null) === null;
  let taking: Promise<unknown> | undefined;

  const create = () =>
    createFirstAccount({
      onAccepted() {
        const team = state.current()?.settings.team;
        if (team !== undefined) storeAcceptedTeam(ledger, team).catch(() => {});
      },
      onOver: () => void storeThatItIsOver(),
    });
  /** Tried until it is stored: the other workers wait for it. */
  async function storeThatItIsOver(): Promise<void> {
    while (!closing.signal.aborted && !isOver()) {
      await state.change((now) => ({ ...now, firstAccount: null })).catch(changed);
    }
  }
  let own = create();
  let wasOver = false;
  const apply = (): void => {
    // The run was begun again, and the service has not accepted its team.
    if (wasOver && !isOver()) own = create();
    wasOver = isOver();
    if (wasOver) own.open();
  };
  const stopListening = state.onChange(apply);
  if (state.current() !== undefined) apply();

  /** Returns the worker that has the first account, while that worker is present. */
  const holderIn = (now = state.current()): string | undefined => {
    const worker = now?.firstAccount?.worker ?? undefined;
    if (now === undefined || worker === workerId) return worker;
    return liveWorkers(now, state.now()).some(([id]) => id === worker) ? worker : undefined;
  };
  const take = () =>
    state.change((now) => {
      if (now.firstAccount === null || holderIn(now) !== undefined) return now;
      // Known to the others before its first report.
      const me = { ...(now.workers[workerId] ?? newWorker()), seenAt: state.now() };
      return { ...now, firstAccount: { worker: workerId }, workers: { ...now.workers, [workerId]: me } };
    });

  return {
    get firstAccount() {
      return own;
    },
    async mayTake() {
      while (!closing.signal.aborted && isAccepting()) {
        if (isOver() || holderIn() === workerId) return true;
        if (holderIn() !== undefined) await changed();
        else {
          taking ??= take().finally(() => {
            taking = undefined;
          });
          await taking.catch(changed);
        }
      }
      return false;
    },
    close() {
      closing.abort();
      stopListening();
    },
  };
}
