/** One isolated state with everything that works on it. A server holds several, told apart by the token. */

import { type Core, createCore } from './calls/call-handler.js';
import { createProcessing, type Processing } from './calls/process-slots.js';
import { createLog, type Log } from './calls/request-log.js';
import { initialState, type SandboxConfig } from './settings/sandbox-options.js';
import { createClock, type SandboxClock } from './state/clock.js';
import { createFaults, type Faults } from './state/fault-rules.js';
import { createIds } from './state/generated-ids.js';
import { createOperator, type Operator } from './state/operator.js';
import type { SandboxState } from './state/sandbox-state.js';
import { createPassTime } from './state/scheduled-changes.js';
import type { StateFile } from './state/state-file.js';
import { createStore, type Store } from './state/store.js';

export interface Space {
  readonly name: string;
  readonly config: SandboxConfig;
  readonly clock: SandboxClock;
  readonly core: Core;
  readonly faults: Faults;
  readonly log: Log;
  readonly operator: Operator;
  readonly processing: Processing;
  /** Brought to the instant of the clock. */
  store(): Store;
  /** Calls that are under way have no effect on the new state. */
  replace(state: SandboxState): void;
  /** Writes every change to the file from now on; undefined ends that. */
  keepIn(file: StateFile | undefined): void;
  readonly isKept: boolean;
  reset(): void;
}

function createSpace(name: string, config: SandboxConfig): Space {
  const ids = createIds(config.seed);
  let file: StateFile | undefined;
  const open = (state: SandboxState): Store => {
    const opened = createStore(state, (changes) => {
      // A call that began before a reset still has the state from before.
      if (opened === store) file?.append(changes, state);
    });
    return opened;
  };
  let store = open(initialState(config));
  const current = () => store;
  const clock = createClock(current);
  const passTime = createPassTime(config.settings, ids);
  const log = createLog(config.logLimit, config.logRoom, config.showPersonalData);
  const processing = createProcessing();
  const replace = (state: SandboxState): void => {
    file?.rewrite(state);
    store = open(state);
  };
  return {
    name,
    config,
    clock,
    core: createCore({ name, config, clock, ids, log, processing, passTime, store: current }),
    faults: createFaults(current),
    log,
    operator: createOperator(current, config.bucket),
    processing,
    store() {
      passTime(store.state, clock.now());
      return store;
    },
    replace,
    keepIn(opened) {
      file = opened;
    },
    get isKept() {
      return file !== undefined;
    },
    reset() {
      replace(initialState(config));
      log.clear();
    },
  };
}

/** Finds the space of a name, and makes it where there is none; undefined where there are too many. */
export type Spaces = (name: string) => Space | undefined;

/** A thousand test files may share a server. More names than that are a slip, and each holds a state. */
const MOST_SPACES = 1000;

export function createSpaces(config: SandboxConfig): Spaces {
  const spaces = new Map<string, Space>();
  return (name) => {
    let space = spaces.get(name);
    if (space === undefined && spaces.size < MOST_SPACES) {
      space = createSpace(name, config);
      spaces.set(name, space);
    }
    return space;
  };
}
