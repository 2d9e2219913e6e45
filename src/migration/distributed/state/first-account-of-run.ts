/**
 * Exports `FirstAccountOfRun`. Until the service has accepted the team of a distributed run, only one worker imports an account, and
 * the others wait. The shared state names that worker.
 */

import type { Ledger } from '../../ledger/ledger.js';
import { createFirstAccount, type FirstAccount, storeAcceptedTeam } from '../../record/preconditions/first-account.js';
import { liveWorkers, newWorker, type RunState } from './run-state.js';
import type { SharedState } from './shared-state.js';

export interface FirstAccountOptions {
  ledger: Pick<Ledger, 'setFact'>;
  workerId: string;
  state: Pick<SharedState, 'current' | 'onChange' | 'nextChange' | 'change' | 'now'>;
  isAccepting: () => boolean;
}

const TRY_AGAIN_MS = 1000;

export class FirstAccountOfRun {
  readonly #options: FirstAccountOptions;
  readonly #closing = new AbortController();
  #own: FirstAccount;
  #wasOver = false;
  /** All records share one wait. */
  #changing: Promise<void> | undefined;
  #taking: Promise<unknown> | undefined;
  readonly #stopListening: () => void;

  constructor(options: FirstAccountOptions) {
    const { state } = options;
    this.#options = options;
    this.#own = this.#create();
    this.#stopListening = state.onChange(() => this.#apply());
    if (state.current() !== undefined) this.#apply();
  }

  /** Returns the `FirstAccount` of this worker; a new one if the run is begun again. */
  get firstAccount(): FirstAccount {
    return this.#own;
  }

  /** Resolves with true when this worker may take accounts, or with false when no more records may be begun. */
  async mayTake(): Promise<boolean> {
    while (!this.#closing.signal.aborted && this.#options.isAccepting()) {
      const holder = this.#holderIn(this.#options.state.current());
      if (this.#isOver() || holder === this.#options.workerId) return true;
      if (holder !== undefined) await this.#nextChange();
      else await this.#take().catch(() => this.#nextChange());
    }
    return false;
  }

  /** Ends all waits. */
  close(): void {
    this.#closing.abort();
    this.#stopListening();
  }

  #create(): FirstAccount {
    const { ledger, state } = this.#options;
    return createFirstAccount({
      onAccepted() {
        const team = state.current()?.settings.team;
        if (team !== undefined) storeAcceptedTeam(ledger, team).catch(() => {});
      },
      onOver: () => void this.#storeThatItIsOver(),
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

  /** Repeated until it is stored, because the other workers wait for it. */
  async #storeThatItIsOver(): Promise<void> {
    while (!this.#closing.signal.aborted && !this.#isOver()) {
      const change = this.#options.state.change((now) => ({ ...now, firstAccount: null }));
      await change.catch(() => this.#nextChange());
    }
  }

  #nextChange(): Promise<void> {
    this.#changing ??= this.#options.state.nextChange(TRY_AGAIN_MS, this.#closing.signal).finally(() => {
      this.#changing = undefined;
    });
    return this.#changing;
  }

  /** Returns the worker that has the first account, while that worker is present. */
  #holderIn(now: RunState | undefined): string | undefined {
    const { state, workerId } = this.#options;
    const worker = now?.firstAccount?.worker ?? undefined;
    if (now === undefined || worker === workerId) return worker;
    return liveWorkers(now, state.now()).some(([id]) => id === worker) ? worker : undefined;
  }

  #take(): Promise<unknown> {
    const { state, workerId } = this.#options;
    this.#taking ??= state
      .change((now) => {
        if (now.firstAccount === null || this.#holderIn(now) !== undefined) return now;
        // Adds this worker to the state, because it has not sent a report yet.
        const me = { ...(now.workers[workerId] ?? newWorker()), seenAt: state.now() };
        return { ...now, firstAccount: { worker: workerId }, workers: { ...now.workers, [workerId]: me } };
      })
      .finally(() => {
        this.#taking = undefined;
      });
    return this.#taking;
  }
}
