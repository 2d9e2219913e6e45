/** Why a worker cannot work at a run, and never will without somebody's help. */
export class CannotJoinError extends Error {
  override readonly name = 'CannotJoinError';

  /**
   * `settings`: it was told something else than the run, such as the address of another service. `notAccepted`: the
   * service does not take its token, or the import supplier.
   */
  constructor(
    message: string,
    readonly because: 'settings' | 'notAccepted',
  ) {
    super(message);
  }
}
