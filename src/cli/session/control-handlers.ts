/** `createControlHandlers`: what `pause`, `resume`, `drain`, `set` and `status` do in the process that runs the migration. */
import type { Migration } from '../../migration/migrate.js';
import type { ControlHandlers } from '../../migration/operations/control/control.js';
import type { ChangedLimits } from './command-again.js';

/** The migration of the current session; undefined between two sessions. */
export interface CurrentMigration {
  migration: Migration | undefined;
  /** For the commands that are printed at the end. */
  changed: ChangedLimits;
}

/** The words of `/readyz` (docs/monitoring.md). */
const STARTING = 'the run counts its input, makes its checks, or waits for an answer at its terminal';

/**
 * Each command is noted in the audit log. Before a session, and between two, `status` tells that; the others throw, and the sender gets the
 * message.
 */
export function createControlHandlers(current: Pick<CurrentMigration, 'migration'>): ControlHandlers {
  const migration = (): Migration => {
    if (current.migration !== undefined) return current.migration;
    throw new Error(`${STARTING}. Repeat the command when it sends; Ctrl-C at its terminal ends it now.`);
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
      migration().throttle.set(settings);
      note(`set ${JSON.stringify(settings)}`);
    },
    status() {
      if (current.migration === undefined) return { state: 'starting', reason: STARTING };
      const { throttle, inFlight, runFolder } = current.migration;
      const { rejected, skipped } = runFolder.lines.counts();
      return { ...throttle.status(), inFlight: inFlight.waiting(), lines: { rejected, skipped } };
    },
  };
}
