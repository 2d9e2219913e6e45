/** `CannotJoinError`: what `startWorker` rejects with where a worker cannot work at the run. */

/** Why a worker cannot work at a run, and never will without a person's help. */
export class CannotJoinError extends Error {
  /** Tells it from other errors. */
  override readonly name = 'CannotJoinError';
  /**
   * `settings`: it was told something else than the run, such as the address of another service. `notAccepted`: the
   * service does not take its token. `unreachable`: the service cannot be reached from its machine.
   */
  readonly because: 'settings' | 'notAccepted' | 'unreachable';

  /** @internal */
  constructor(message: string, because: CannotJoinError['because']) {
    super(message);
    this.because = because;
  }
}
