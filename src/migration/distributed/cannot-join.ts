/** Exports `CannotJoinError`, with which `startWorker` rejects if the worker cannot take part in the run. */
import { ofAnyCopy } from '../shared/error-of-any-copy.js';

/** A worker cannot take part in a run until a person corrects the cause. */
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
ofAnyCopy(CannotJoinError, 'CannotJoinError');
