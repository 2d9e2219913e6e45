/**
 * Exports `createSpaces` and `keepIn`. A space is one isolated sandbox state with its clock, faults, log and call handler;
 * a server holds several, and the token of a request selects one.
 */
import { expectKind } from '../validation/option-kinds.js';
import { createCallHandler } from './calls/call-handler.js';
import { createFaults } from './calls/faults.js';
import { createProcessSlots } from './calls/process-slots.js';
import { createRequestLog } from './calls/request-log.js';
import { initialState, type SandboxConfig } from './settings/complete-options.js';
import { createClock } from './state/clock.js';
import { createIds } from './state/generated-ids.js';
import { createOperator } from './state/operator.js';
import type { SandboxState } from './state/sandbox-state.js';
import { createScheduledChanges } from './state/scheduled-changes.js';
import type { StateFile } from './state/state-file.js';
import { createStore, type Store } from './state/store.js';

/** Returns the space of a name. */
function createSpace(name: string, config: SandboxConfig) {
  const ids = createIds(config.seed);
  let file: StateFile | undefined;
  const open = (state: SandboxState): Store => {
    const opened = createStore(state, (changes) => {
      // A call that began before a reset still has the old store.
      if (opened === store) file?.append(changes, state);
    });
    return opened;
  };
  let store = open(initialState(config));
  const current = () => store;
  const clock = createClock(current);
  const applyScheduledChanges = createScheduledChanges(config.settings, ids);
  const log = createRequestLog(config.logLimit, config.logRoom, config.showPersonalData);
  const processSlots = createProcessSlots();
  const replace = (state: SandboxState): void => {
    file?.rewrite(state);
    store = open(state);
  };
  return {
    name,
    config,
    clock,
    calls: createCallHandler({ name, config, clock, ids, log, processSlots, applyScheduledChanges, store: current }),
    faults: createFaults(current),
    log,
    operator: createOperator(current, config.bucket),
    processSlots,
    /** Returns the store, with the changes that are due at the time of the clock. */
    store(): Store {
      applyScheduledChanges(store.state, clock.now());
      return store;
    },
    /** Replaces the state. Calls that are running have no effect on the new one. */
    replace,
    /** Writes every change to the file from now on; undefined stops that. */
    keepIn(opened: StateFile | undefined) {
      file = opened;
    },
    get isKept(): boolean {
      return file !== undefined;
    },
    reset() {
      replace(initialState(config));
      log.clear();
    },
  };
}

export type Space = ReturnType<typeof createSpace>;

/** Returns the space of a name, and creates it if there is none; undefined if the limit of spaces is reached. */
export type Spaces = (name: string) => Space | undefined;

/** A thousand test files may share a server. More names are probably a mistake, and each needs memory for a state. */
const MAX_SPACES = 1000;

/** Returns the spaces of one `createSandbox` call; all have the same options. */
export function createSpaces(config: SandboxConfig): Spaces {
  const spaces = new Map<string, Space>();
  return (name) => {
    let space = spaces.get(name);
    if (space === undefined && spaces.size < MAX_SPACES) {
      space = createSpace(name, config);
      spaces.set(name, space);
    }
    return space;
  };
}

/** A file that keeps the state of a sandbox. */
export interface KeptState {
  /** Stops writing changes to the file. */
  close(): void;
}

/**
 * Keeps the state of a space in a file, for `sandbox.keepIn` and `listen({ file })`. Rejects with an error that names the
 * file if it is damaged or cannot be read or written, or if another file keeps the state.
 */
export async function keepIn(path: string, space: Space): Promise<KeptState> {
  expectKind('sandbox.keepIn: path', path, 'name');
  if (space.isKept) throw new Error('sandbox.keepIn: a file keeps the state already; close that first.');
  // Loaded on demand: a sandbox without a file needs no file system.
  const { openStateFile } = await import('./state/state-file.js');
  const current = space.store().state;
  const { state, file } = openStateFile(path, current);
  // An unchanged state stays in place, so that running calls still take effect.
  if (state !== current) space.replace(state);
  space.keepIn(file);
  return {
    close() {
      space.keepIn(undefined);
      file.close();
    },
  };
}
