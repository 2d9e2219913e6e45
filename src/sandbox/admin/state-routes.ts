/** Exports the admin routes of the whole state: view, reset, snapshots and named snapshots. */
import * as z from 'zod';
import type { Outcome } from '../calls/call.js';
import { refused } from '../calls/error-answers.js';
import { maskPersonalData } from '../calls/mask-personal-data.js';
import type { Space } from '../spaces.js';
import type { SandboxState } from '../state/sandbox-state.js';
import { checkSnapshot, copyJson, type SandboxSnapshot, takeSnapshot } from '../state/snapshot.js';
import { attempt, someText } from './admin-input.js';
import { type AdminRoute, created, notListed, ok, route } from './admin-route.js';

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
  route('GET', '/state', {}, ({ space }) => {
    const { state } = space.store();
    return ok(space.config.showPersonalData ? state : maskState(state));
  }),
  /** Restores the state after `createSandbox`, including clock and request log. */
  route('POST', '/reset', {}, ({ space }) => {
    space.reset();
    return ok({});
  }),
  /** The whole state, for `PUT snapshot` and `sandbox.restore`. It CONTAINS PERSONAL DATA, whatever `showPersonalData` is. */
  route('GET', '/snapshot', {}, ({ space }) => ok(takeSnapshot(space.store().state))),
  /** Replaces the state by a snapshot of `GET snapshot`. */
  route(
    'PUT',
    '/snapshot',
    { body: z.looseObject({}), bodyLimit: SNAPSHOT_LIMIT },
    ({ space, body }) => attempt('invalid_snapshot', '', () => space.replace(checkSnapshot(body))) ?? ok({}),
  ),
  /** The named snapshots, oldest first: name, when each was taken, how many accounts it holds. */
  route('GET', '/snapshots', {}, ({ space }) => ok([...snapshotsOf(space).values()].map(describeSnapshot))),
  /** `{name}`: keeps a copy of the state under this name, in memory. 400 if the name is taken. */
  route('POST', '/snapshots', { body: z.strictObject({ name: someText }) }, ({ space, body: { name } }) => {
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
    return created(describeSnapshot(taken));
  }),
  /** Replaces the state by a named snapshot, which is kept. */
  route('POST', '/snapshots/:name/restore', {}, ({ space, params }) => {
    const taken = snapshotsOf(space).get(params['name'] ?? '');
    if (taken === undefined) return noSnapshot();
    space.replace(copyJson(taken.snapshot.state));
    return ok(describeSnapshot(taken));
  }),
  /** Deletes a named snapshot. */
  route('DELETE', '/snapshots/:name', {}, ({ space, params }) =>
    snapshotsOf(space).delete(params['name'] ?? '') ? ok({}) : noSnapshot(),
  ),
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
  return notListed('snapshot_not_found', 'No snapshot has this name', 'snapshots');
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
