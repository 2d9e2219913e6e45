/** A sandbox: a state, what works on it, and the ways in. */

import type { ProcessingHold } from './calls/process-slots.js';
import type { LogEntry } from './calls/request-log.js';
import { hasDurations } from './calls/slow-calls.js';
import { apiKeyOf, checkName, SHARED, tokenOf } from './server/access-tokens.js';
import { type ListenOptions, listen, type SandboxServer } from './server/listen.js';
import { createRouter, type Route } from './server/router.js';
import { completeOptions } from './settings/complete-options.js';
import type { SandboxOptions } from './settings/sandbox-options.js';
import { createSpaces, type KeptState, keepIn, type Spaces } from './spaces.js';
import type { SandboxClock } from './state/clock.js';
import type { Faults } from './state/fault-rules.js';
import type { Operator } from './state/operator.js';
import type { DeepReadonly, SandboxState } from './state/sandbox-state.js';
import { checkSnapshot, type SandboxSnapshot, takeSnapshot } from './state/snapshot.js';

/** The whole service in memory: `createSandbox` makes one. */
export interface Sandbox extends Operator {
  /**
   * Answers a request in process, whatever host its URL names. Rejects as fetch does: with a TypeError where a fault
   * closes the connection, and with the reason of the request's signal where that ends while the call takes its time
   * (`processDurationMs` and the like). For nothing else.
   */
  fetch(request: Request): Promise<Response>;
  /**
   * Serves HTTP on 127.0.0.1 and a free port, unless told otherwise. Rejects with a TypeError for options that cannot be
   * meant, and where it cannot listen there with an error that has Node's as its cause.
   */
  listen(options?: ListenOptions): Promise<SandboxServer>;
  /** Everything that the sandbox knows, as plain JSON. A view of the living value: copy it to compare it later. */
  readonly state: DeepReadonly<SandboxState>;
  /** Tells and moves the time of the sandbox. */
  readonly clock: SandboxClock;
  /** Failures on demand. */
  readonly faults: Faults;
  /**
   * The newest requests, oldest first, each with its answer, what it changed and what the answer rests on. Personal
   * data is masked, unless `showPersonalData` is on.
   */
  requests(): readonly LogEntry[];
  /**
   * Keeps every process call that arrives in processing until `release()` (document: Limits):
   *
   *     const hold = sandbox.holdProcessing();
   *     const first = sandbox.fetch(processOneAccount);
   *     await hold.waiting();
   *     // with the setting processConcurrency: 1, any other process call now gets 429
   *     hold.release();
   */
  holdProcessing(): ProcessingHold;
  /** Back to the state after `createSandbox`, clock included. A call that is under way has no effect on the new state. */
  reset(): void;
  /** A copy of the state, to be restored later, here or in another sandbox; it may be written to a file as JSON. */
  snapshot(): SandboxSnapshot;
  /** Puts a snapshot in place of the state. Throws a TypeError for what is no snapshot; then nothing is changed. */
  restore(snapshot: SandboxSnapshot): void;
  /**
   * Keeps the state in a file from now on. What the file holds takes the place of the state; a call is answered when the
   * file has what it changed, so that nothing that was answered is lost where the process is killed (it is not synced, and
   * may be lost where the machine stops). The file holds all that was sent, personal data included, and only its owner
   * may read it. Rejects with an error that names the file, where that is damaged or cannot be read or written.
   */
  keepIn(path: string): Promise<KeptState>;
  /**
   * A sandbox of its own behind the same `fetch` and the same server: whoever sends its token sees its state, so that
   * test files that run side by side can share a server. The same name gives the same state.
   * Throws a TypeError for a name that is not 1 to 64 letters, digits, `-` or `_`.
   */
  isolated(name: string): Sandbox;
  /** For the header `Authorization: Token <token>`. Valid for ever. */
  readonly token: string;
  /** For this API key the GraphQL call gives a token (document: Authentication). */
  readonly apiKey: string;
  /** Path of the GraphQL call, as the setting says. */
  readonly graphqlPath: string;
}

/**
 * The whole service, on your machine (document: all of it).
 *
 *     const sandbox = createSandbox();
 *     const { url } = await sandbox.listen();
 *
 * Two sandboxes share nothing. Throws a TypeError for options that cannot be meant.
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const config = completeOptions(options);
  const spaces = createSpaces(config);
  return sandboxOf(SHARED, spaces, createRouter(spaces, config.settings));
}

function sandboxOf(name: string, spaces: Spaces, route: Route): Sandbox {
  const space = spaces(name);
  if (space === undefined) throw new TypeError(`sandbox.isolated: no room for ${name}; use fewer names.`);
  const { config, clock, faults, log, operator, processSlots } = space;
  const mayTakeTime = hasDurations(config.settings);
  return {
    ...operator,
    async fetch(request) {
      const reply = await (mayTakeTime ? untilAborted(route(request), request.signal) : route(request));
      if (reply === undefined) throw new TypeError('fetch failed', { cause: connectionLost() });
      return new Response(reply.text, reply);
    },
    listen: (listenOptions = {}) => listen(route, spaces, listenOptions),
    get state() {
      return space.store().state;
    },
    clock,
    faults,
    requests: log.entries,
    holdProcessing: processSlots.hold,
    reset: space.reset,
    snapshot: () => takeSnapshot(space.store().state),
    restore: (snapshot) => space.replace(checkSnapshot(snapshot)),
    keepIn: (path) => keepIn(path, space),
    isolated: (other) => sandboxOf(checkName(other), spaces, route),
    token: tokenOf(name),
    apiKey: apiKeyOf(name),
    graphqlPath: config.settings.graphqlPath,
  };
}

/** The call itself may go on: nobody waits for it any more. */
async function untilAborted<Result>(call: Promise<Result>, signal: AbortSignal): Promise<Result> {
  let leave = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason);
  });
  signal.addEventListener('abort', leave, { once: true });
  try {
    return await Promise.race([call, aborted]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

function connectionLost(): Error {
  return Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' });
}
