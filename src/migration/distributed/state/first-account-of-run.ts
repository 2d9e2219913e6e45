/**
 * Exports `firstAccountOfRun`. Until the service has accepted the team of a distributed run, only one worker takes accounts. The shared
 * state names that worker.
 */
import type { Ledger } from '../../ledger/ledger.js';
import { createFirstAccount, storeAcceptedTeam } from '../../record/preconditions/first-account.js';
import { liveWorkers, type RunState } from './run-state.js';
import type { SharedState } from './shared-state.js';

export function firstAccountOfRun(ledger: Pick<Ledger, 'setFact'>, workerId: string, state: SharedState) {
  let own = create();
  let wasOver = false;
  const isOver = () => (state.current()?.firstAccount ?? null) === null;
  // A worker that is no longer present does not have the first account.
  const isFree = (now: RunState) => {
    const worker = now.firstAccount?.worker;
    return (
      now.firstAccount !== null && worker !== workerId && liveWorkers(now, state.now()).every(([id]) => id !== worker)
    );
  };

  function create() {
    const team = state.current()?.settings.team;
    return createFirstAccount({
      onAccepted() {
        if (team !== undefined) storeAcceptedTeam(ledger, team).catch(() => {});
      },
      onOver() {
        if (!isOver()) state.apply((now) => (now.settings.team === team ? { ...now, firstAccount: null } : now));
      },
    });
  }

  function apply(): void {
    // The run was begun again, with a team that the service has not accepted yet.
    if (wasOver && !isOver()) own = create();
    wasOver = isOver();
    if (wasOver) own.open();
  }

  const close = state.onChange(apply);
  if (state.current() !== undefined) apply();
  return {
    /** Returns the `FirstAccount` of this worker; a new one if the run is begun again. */
    firstAccount: () => own,
    /** Resolves with whether this worker may take accounts now. Rejects if the state cannot be stored. */
    async mayTake(): Promise<boolean> {
      const now = state.current();
      if (now !== undefined && isFree(now)) {
        await state.store((stored) => (isFree(stored) ? { ...stored, firstAccount: { worker: workerId } } : stored));
      }
      return isOver() || state.current()?.firstAccount?.worker === workerId;
    },
    /** Ends the use of the state. */
    close,
  };
}
