/** Exports `createScheduledChanges`: changes of the state by the clock, that is industry switches on a schedule (U8) and unpinned notes (U18). */

import type { SandboxSettings } from '../settings/settings.js';
import { toDatetime } from './dates.js';
import type { Ids } from './generated-ids.js';
import type { ImportedRecord, SandboxState, SwitchStatus } from './sandbox-state.js';

/** Applies the changes that are due at this time. Scans all accounts; at most once per second if the settings allow that. */
export type ApplyScheduledChanges = (state: SandboxState, now: Date) => void;

/** Returns a function that applies due changes to a state. */
export function createScheduledChanges({ switchSchedule, unpinAt }: SandboxSettings, ids: Ids): ApplyScheduledChanges {
  if (switchSchedule === null && unpinAt === 'stored') return () => {};
  const { inProgressAfterSeconds = 1, endAfterSeconds = 1 } = switchSchedule ?? {};
  // Otherwise a switch may change within a second, for example in the second in which its account is created.
  const changesAtFullSeconds =
    inProgressAfterSeconds >= 1 && [inProgressAfterSeconds, endAfterSeconds].every(Number.isInteger);
  let state: SandboxState | undefined;
  let instant = '';
  return (current, now) => {
    const datetime = toDatetime(now);
    if (changesAtFullSeconds && current === state && datetime === instant) return;
    state = current;
    instant = datetime;
    for (const { code, accounts } of state.suppliers) {
      for (const { external_account_number, imported } of accounts) {
        if (imported === null) continue;
        if (switchSchedule !== null) {
          const seconds = (now.getTime() - Date.parse(imported.account_created_at)) / 1000;
          const isRejected = () => ids.draw('switch', code, external_account_number) < switchSchedule.rejectedShare;
          advanceStatus(imported, scheduledStatus(switchSchedule, seconds, isRejected));
        }
        if (unpinAt === 'unpins') unpin(imported, now);
      }
    }
  };
}

function scheduledStatus(
  { inProgressAfterSeconds, endAfterSeconds }: NonNullable<SandboxSettings['switchSchedule']>,
  seconds: number,
  isRejected: () => boolean,
): SwitchStatus {
  if (seconds < inProgressAfterSeconds) return 'PENDING';
  if (seconds < endAfterSeconds) return 'IN_PROGRESS';
  return isRejected() ? 'REJECTED' : 'COMPLETED';
}

const ORDER: readonly SwitchStatus[] = ['PENDING', 'IN_PROGRESS', 'REJECTED', 'COMPLETED'];
const ENDS: readonly SwitchStatus[] = ['REJECTED', 'COMPLETED'];

/** Sets a later status. Never goes back, and never changes a final status, so that manual transitions stay. */
function advanceStatus(imported: ImportedRecord, status: SwitchStatus): void {
  if (ENDS.includes(imported.status)) return;
  if (ORDER.indexOf(status) > ORDER.indexOf(imported.status)) imported.status = status;
}

function unpin({ notes }: ImportedRecord, now: Date): void {
  for (const note of notes) {
    if (note.is_pinned && note.unpin_at !== undefined && Date.parse(note.unpin_at) <= now.getTime()) {
      note.is_pinned = false;
    }
  }
}
