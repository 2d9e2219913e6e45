/** What the steering commands do to the migration that is under way. Each is noted in the audit log. */

import type { Migration } from '../../migration/migrate.js';
import type { ControlHandlers } from '../../migration/operations/control/control.js';

/** `current` changes where one life of the run follows another. */
export function handlersOf(current: () => Migration | undefined): ControlHandlers {
  const migration = (): Migration => {
    const found = current();
    // Whoever sent the command is told.
    if (found === undefined)
      throw new Error(
        'control: nothing is under way just now: the run begins, or waits for an answer at its terminal.',
      );
    return found;
  };
  const note = (what: string) => {
    const { audit } = migration().runFolder;
    // A disk that is full is told of by the ledger.
    audit.append({ at: new Date().toISOString(), by: 'operator', what }).catch(() => {});
  };
  return {
    pause() {
      migration().throttle.pause('by the operator');
      note('pause');
    },
    resume() {
      migration().throttle.resume();
      note('resume');
    },
    drain() {
      migration().throttle.drain();
      note('drain');
    },
    set(settings) {
      migration().throttle.set(settings);
      note(`set ${JSON.stringify(settings)}`);
    },
    status: () => ({ ...migration().throttle.status(), inFlight: migration().inFlight.waiting() }),
  };
}
