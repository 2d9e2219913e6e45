/**
 * Exports `FirstAccountOfRun`. Until the service has accepted the team of a distributed run, only one worker takes accounts. The shared
 * state names that worker.
 */
import type { Ledger } from '../../ledger/ledger.js';
import { createFirstAccount, type FirstAccount, storeAcceptedTeam } from '../../record/preconditions/first-account.js';
import { liveWorkers, type RunState } from './run-state.js';
import type { SharedState } from './shared-state.js';

export interface FirstAccountOptions {
  ledger: Pick<Ledger, 'setFact'>;
  workerId: string;
  state: Pick<SharedState, 'current' | 'onChange' | 'apply' | 'store' | 'now'>;
}

export class FirstAccountOfRun {
  /** Ends the use of the state. */
  readonly close: () => void;
  readonly #options: FirstAccountOptions;
  #own: FirstAccount;
  #wasOver = false;

  constructor(options: FirstAccountOptions) {
    const { state } = options;
    this.#options = options;
    this.#own = this.#create();
    this.close = state.onChange(() => this.#apply());
    if (state.current() !== undefined) this.#apply();
  }

  /** Returns the `FirstAccount` of this worker; a new one if the run is begun again. */
  get firstAccount(): FirstAccount {
    return this.#own;
  }

  /** Resolves with whether this worker may take accounts now. Rejects if the state cannot be stored. */
  async mayTake(): Promise<boolean> {
    const { state, workerId } = this.#options;
    const isFree = (now: RunState) => now.firstAccount !== null && this.#holderIn(now) === undefined;
    const now = state.current();
    if (now !== undefined && isFree(now)) {
      await state.store((stored) => (isFree(stored) ? { ...stored, firstAccount: { worker: workerId } } : stored));
    }
    return this.#isOver() || state.current()?.firstAccount?.worker === workerId;
  }

  #create(): FirstAccount {
    const { ledger, state } = this.#options;
    const team = state.current()?.settings.team;
    return createFirstAccount({
      onAccepted() {
        if (team !== undefined) storeAcceptedTeam(ledger, team).catch(() => {});
      },
      onOver: () => {
        if (this.#isOver()) return;
        state.apply((now) => (now.settings.team === team ? { ...now, firstAccount: null } : now));
      },
    });
  }

  #apply(): void {
    // The run was begun again, with a team that the service has not accepted yet.
    if (this.#wasOver && !this.#isOver()) this.#own = this.#create();
    this.#wasOver = this.#isOver();
    if (this.#wasOver) this.#own.open();
  }

  #isOver(): boolean {
    return (this.#options.state.current()?.firstAccount ?? null) === null;
  }

  /** Returns the worker that has the first account, while that worker is present. */
  #holderIn(now: RunState): string | undefined {
    const { state, workerId } = this.#options;
    const worker = now.firstAccount?.worker ?? undefined;
    return worker === workerId || liveWorkers(now, state.now()).some(([id]) => id === worker) ? worker : undefined;
  }
}
