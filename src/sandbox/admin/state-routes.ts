/** Exports the admin routes of the whole state: view, reset, snapshots and named snapshots. */
import * as z from 'zod';
import type { Outcome } from '../calls/call.js';
import { failed, refused } from '../calls/error-answers.js';
import { maskPersonalData } from '../calls/mask-personal-data.js';
import type { Space } from '../spaces.js';
import type { SandboxState } from '../state/sandbox-state.js';
import { checkSnapshot, copyJson, type SandboxSnapshot, takeSnapshot } from '../state/snapshot.js';
import { attempt, someText } from './admin-input.js';
import { type AdminRoute, ok, route } from './admin-route.js';

/** Bytes of a snapshot with 100,000 accounts of usual size. */
const SNAPSHOT_LIMIT = 256 * 1024 * 1024;
/** Each is a copy of the whole state. */
const MAX_SNAPSHOTS = 20;

interface NamedSnapshot {
  name: string;
  /** By the sandbox's clock. */
  taken_at: string;
  accounts: number;
  snapshot: SandboxSnapshot;
}

/** Kept in memory as long as the space exists; a reset keeps them. */
const named = new WeakMap<Space, Map<string, NamedSnapshot>>();

export const stateRoutes: readonly AdminRoute[] = [
  /** The whole state. Personal data is masked unless `showPersonalData` is on. */
  route({
    method: 'GET',
    path: '/state',
    answer: ({ space }) => {
      const { state } = space.store();
      return ok(space.config.showPersonalData ? state : maskState(state));
    },
  }),
  /** Restores the state after `createSandbox`, including clock and request log. */
  route({
    method: 'POST',
    path: '/reset',
    answer: ({ space }) => {
      space.reset();
      return ok({});
    },
  }),
  /** The whole state, for `PUT snapshot` and `sandbox.restore`. It CONTAINS PERSONAL DATA, whatever `showPersonalData` is. */
  route({ method: 'GET', path: '/snapshot', answer: ({ space }) => ok(takeSnapshot(space.store().state)) }),
  /** Replaces the state by a snapshot of `GET snapshot`. */
  route({
    method: 'PUT',
    path: '/snapshot',
    body: z.looseObject({}),
    bodyLimit: SNAPSHOT_LIMIT,
    answer: ({ space, body }) => attempt('invalid_snapshot', '', () => space.replace(checkSnapshot(body))) ?? ok({}),
  }),
  /** The named snapshots, oldest first: name, when each was taken, how many accounts it holds. */
  route({
    method: 'GET',
    path: '/snapshots',
    answer: ({ space }) => ok([...snapshotsOf(space).values()].map(describeSnapshot)),
  }),
  /** `{name}`: keeps a copy of the state under this name, in memory. 400 if the name is taken. */
  route({
    method: 'POST',
    path: '/snapshots',
    body: z.strictObject({ name: someText }),
    answer: ({ space, body: { name } }) => {
      const snapshots = snapshotsOf(space);
      if (snapshots.has(name)) {
        return refused('snapshot_exists', 'name', 'There is a snapshot of this name already; delete it first.');
      }
      if (snapshots.size >= MAX_SNAPSHOTS) {
        return refused('too_many_snapshots', '', `There are ${MAX_SNAPSHOTS} snapshots already; delete one first.`);
      }
      const { state } = space.store();
      const accounts = state.suppliers.reduce((sum, supplier) => sum + supplier.accounts.length, 0);
      const taken = { name, taken_at: space.clock.now().toISOString(), accounts, snapshot: takeSnapshot(state) };
      snapshots.set(name, taken);
      return { status: 201, body: describeSnapshot(taken) };
    },
  }),
  /** Replaces the state by a named snapshot, which is kept. */
  route({
    method: 'POST',
    path: '/snapshots/:name/restore',
    answer: ({ space, params }) => {
      const taken = snapshotsOf(space).get(params['name'] ?? '');
      if (taken === undefined) return noSnapshot();
      space.replace(copyJson(taken.snapshot.state));
      return ok(describeSnapshot(taken));
    },
  }),
  /** Deletes a named snapshot. */
  route({
    method: 'DELETE',
    path: '/snapshots/:name',
    answer: ({ space, params }) => (snapshotsOf(space).delete(params['name'] ?? '') ? ok({}) : noSnapshot()),
  }),
];

function snapshotsOf(space: Space): Map<string, NamedSnapshot> {
  const snapshots = named.get(space) ?? new Map<string, NamedSnapshot>();
  named.set(space, snapshots);
  return snapshots;
}

function describeSnapshot({ snapshot: _, ...rest }: NamedSnapshot): Omit<NamedSnapshot, 'snapshot'> {
  return rest;
}

function noSnapshot(): Outcome {
  return failed(404, 'snapshot_not_found', 'No snapshot has this name; GET snapshots lists those that exist.');
}

/** Masks accounts, businesses and supply points, but not what the operator set up. */
function maskState({ suppliers, populate_batches, ...rest }: SandboxState): unknown {
  return {
    ...rest,
    suppliers: suppliers.map(({ accounts, businesses, ...supplier }) => ({
      ...supplier,
      accounts: maskPersonalData(accounts),
      businesses: maskPersonalData(businesses),
    })),
    populate_batches: maskPersonalData(populate_batches),
  };
}
