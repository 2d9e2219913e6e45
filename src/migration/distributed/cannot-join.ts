/** `CannotJoinError`: what `startWorker` rejects with where a worker cannot work at the run. */

/** Why a worker cannot work at a run, and never will without a person's help. */
export class CannotJoinError extends Error {
  /** Discriminates this class. */
  override readonly name = 'CannotJoinError';
  /**
   * `settings`: the worker's settings differ from the run's, for example the address of the service. `notAccepted`:
   * the service refuses its token. `unreachable`: its machine cannot reach the service.
   */
  readonly because: 'settings' | 'notAccepted' | 'unreachable';

  /** @internal */
  constructor(message: string, because: CannotJoinError['because']) {
    super(message);
    this.because = because;
  }
}
