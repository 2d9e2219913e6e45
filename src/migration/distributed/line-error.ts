/** Why a line of the book cannot be had by a member: where it was sought, the cause, what to do. Nothing of the line. */
export class LineError extends Error {
  override readonly name = 'LineError';
  /** Whether it may be had later, as things are: the record is nobody's fault, and is left open. */
  readonly mayPass: boolean;

  constructor(message: string, { mayPass, cause }: { mayPass: boolean; cause?: unknown }) {
    super(message, cause === undefined ? undefined : { cause });
    this.mayPass = mayPass;
  }
}

/** The bytes there are not those that the run began with. */
export function bookChanged(source: string, start: number): LineError {
  return new LineError(
    `the book was changed while the run goes on: ${source} at byte ${start}. Put the file back as it was, and begin the run again with the same command.`,
    { mayPass: false },
  );
}
