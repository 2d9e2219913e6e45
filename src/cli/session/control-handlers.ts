/** `createControlHandlers`: what `pause`, `resume`, `drain`, `set` and `status` do in the process that runs the migration. */
import type { Migration } from '../../migration/migrate.js';
import type { ControlHandlers } from '../../migration/operations/control/control.js';

import { type ChangedLimits, noteLimits } from './command-again.js';

/** The migration of the current session; undefined between two sessions. */
export interface CurrentMigration {
  migration: Migration | undefined;
  /** For the commands that are printed at the end. */
  changed: ChangedLimits;
}

/** Each command is noted in the audit log. A handler throws if no session is running; the sender gets the message. */
export function createControlHandlers(current: CurrentMigration): ControlHandlers {
  const migration = (): Migration => {
    if (current.migration !== undefined) return current.migration;
    throw new Error('no session is running now: the run starts, or waits for an answer at its terminal.');
  };
  const note = (what: string) => {
    const { audit } = migration().runFolder;
    // The ledger reports a full disk.
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
      const { throttle } = migration();
      throttle.set(settings);
      noteLimits(current.changed, Object.keys(settings), throttle.status());
      note(`set ${JSON.stringify(settings)}`);
    },
    status() {
      const { throttle, inFlight, runFolder } = migration();
      const { rejected, skipped } = runFolder.lines.counts();
      return { ...throttle.status(), inFlight: inFlight.waiting(), lines: { rejected, skipped } };
    },
  };
}
