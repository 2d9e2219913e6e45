/** A member that takes part in a run, by its orders: its pace, the ringer where it leads, and its work. */
import type { DataImportClient } from '../../client.js';
import { defineProfile, type Profile } from '../../validation/profile.js';
import { triedBeforehand } from '../dry-run.js';
import { machineClock } from '../pace/clock.js';
import type { AtWork, AtWorkParts } from './at-work.js';
import { beginWork } from './at-work.js';
import type { FleetSettings } from './board.js';
import { firstAccountOfFleet } from './first-account-of-fleet.js';
import { type FleetPace, joinFleetPace } from './fleet-pace.js';
import type { Joined } from './join.js';
import { createLineReader } from './line-reader.js';
import { createRinger } from './ringer.js';

export interface MemberOptions extends Pick<AtWorkParts, 'now' | 'onEvent' | 'onNote' | 'isCoordinator'> {
  bookAt?: string | undefined;
  /** Calls under way at once. */
  concurrency: number;
}

/** Joins the pace of the fleet, and rings where it leads. */
export function takePart(
  { ledger, board, doorbell }: Joined,
  client: DataImportClient,
  {
    concurrency,
    isCoordinator,
    onNote,
  }: { concurrency: number; isCoordinator: boolean; onNote: (note: string) => void },
): { pace: FleetPace; end(): Promise<void> } {
  const pace = joinFleetPace({ board, ledger, client, concurrency, clock: machineClock, isCoordinator, onNote });
  const ringer = createRinger({
    ledger,
    doorbell,
    clock: machineClock,
    mayRing: () => {
      const orders = board.orders();
      return orders?.state === 'open' && orders.paused === null && orders.ended === null;
    },
    onNote,
  });
  ringer.start();
  return {
    pace,
    async end() {
      await ringer.stop();
      await pace.close();
    },
  };
}

/** Works as the run was told to. */
export function work(
  { ledger, doorbell, board }: Joined,
  { client, pace, settings }: { client: DataImportClient; pace: FleetPace; settings: FleetSettings },
  { bookAt, concurrency, ...told }: MemberOptions,
): AtWork {
  const lines = createLineReader({ bookAt });
  const { team, validateRemotely, dryRun, setAside, resendAfter500, transactionsAtOnce } = settings;
  const { forceAddToCurrentStatement, checkPreviouslyAdded, addToExisting } = settings;
  // The settings of a run that an earlier version began have neither.
  const { statementsAtOnce = 100, notesAtOnce = 100 } = settings;
  const profile = settings.profile === null ? undefined : defineProfile(settings.profile as Profile);
  const { mayBegin } = pace;
  const first = firstAccountOfFleet({ ledger, board, mayBegin, after: machineClock.after });
  const atWork = beginWork({
    ...told,
    first,
    client,
    ledger,
    doorbell,
    lines,
    pace,
    settings: {
      team,
      validateRemotely,
      dryRun: triedBeforehand(dryRun, first.firstAccount),
      setAside,
      resendAfter500,
      forceAddToCurrentStatement,
      checkPreviouslyAdded,
      addToExisting,
      transactionsAtOnce,
      statementsAtOnce,
      notesAtOnce,
      profile,
    },
    recordsAtOnce: 2 * concurrency,
  });
  return {
    ...atWork,
    async end() {
      first.close();
      await atWork.end();
      await lines.close();
    },
  };
}
