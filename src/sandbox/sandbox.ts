/** Exports `createSandbox` and the type `Sandbox`: the service in memory, called by `fetch`, over HTTP or behind MSW. */

import type { Faults } from './calls/faults.js';
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
import type { Operator } from './state/operator.js';
import type { DeepReadonly, SandboxState } from './state/sandbox-state.js';
import { checkSnapshot, type SandboxSnapshot, takeSnapshot } from './state/snapshot.js';

/** The whole service in memory, returned by `createSandbox`. */
export interface Sandbox extends Operator {
  /**
   * Answers a request in process, for any host in its URL; takes what fetch takes, so it is a `fetch` for the client. Rejects, like
   * fetch, with a TypeError if the request is invalid or a fault closes the connection, and with the reason of the request's signal
   * if that aborts during a call that takes time (`processDurationMs` and the like). Does not reject otherwise.
   *
   * @example
   * const sandbox = createSandbox();
   * const client = new DataImportClient({ baseUrl: 'https://api.example.com', token: sandbox.token, fetch: sandbox.fetch });
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /**
   * Serves HTTP, by default on 127.0.0.1 and a free port. Rejects with a TypeError for invalid options, and with an error
   * that has Node's error as its cause if it cannot listen there.
   */
  listen(options?: ListenOptions): Promise<SandboxServer>;
  /** The whole state as plain JSON. A live view: copy it to compare it later. */
  readonly state: DeepReadonly<SandboxState>;
  /** Reads and sets the time of the sandbox. */
  readonly clock: SandboxClock;
  /** Rules that make calls fail. */
  readonly faults: Faults;
  /**
   * Returns the newest requests, oldest first, each with its answer, its change of the state and the settings that decided
   * the answer. Personal data is masked unless `showPersonalData` is on.
   */
  requests(): readonly LogEntry[];
  /**
   * Holds every process call that arrives until `release()` (spec: Limits):
   *
   *     const hold = sandbox.holdProcessing();
   *     const first = sandbox.fetch(processOneAccount);
   *     await hold.waiting();
   *     // with the setting processConcurrency: 1, any other process call now gets 429
   *     hold.release();
   */
  holdProcessing(): ProcessingHold;
  /** Restores the state after `createSandbox`, including the clock. A running call has no effect on the new state. */
  reset(): void;
  /** Returns a copy of the state for `restore`, here or in another sandbox. It can be stored as JSON. */
  snapshot(): SandboxSnapshot;
  /** Replaces the state by a snapshot. Throws a TypeError, and changes nothing, if the value is no snapshot. */
  restore(snapshot: SandboxSnapshot): void;
  /**
   * Keeps the state in a file from now on. If the file exists, its state replaces the current one. Each change is written
   * before its call is answered, so that a killed process loses no answered call. The file is not synced: a crash of the
   * machine may lose changes. It contains all payloads, with personal data; only its owner may read it. Rejects with an
   * error that names the file if it is damaged or cannot be read or written.
   */
  keepIn(path: string): Promise<KeptState>;
  /**
   * Returns an isolated sandbox behind the same `fetch` and server. Requests with its token use its state, so that test
   * files that run in parallel can share a server. The same name returns the same state.
   * Throws a TypeError for a name that is not 1 to 64 letters, digits, `-` or `_`.
   */
  isolated(name: string): Sandbox;
  /** For the header `Authorization: Token <token>`. It never expires. */
  readonly token: string;
  /** The GraphQL call returns a token for this API key (spec: Authentication). */
  readonly apiKey: string;
  /** Path of the GraphQL call: the setting `graphqlPath`. */
  readonly graphqlPath: string;
}

/**
 * Returns the whole service as an object in this process.
 *
 *     const sandbox = createSandbox();
 *     const { url } = await sandbox.listen();
 *
 * Two sandboxes share nothing. Throws a TypeError for invalid options.
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const config = completeOptions(options);
  const spaces = createSpaces(config);
  return sandboxOf(SHARED, spaces, createRouter(spaces, config.settings));
}

function sandboxOf(name: string, spaces: Spaces, route: Route): Sandbox {
  const space = spaces(name);
  if (space === undefined)
    throw new TypeError(`sandbox.isolated: too many isolated states; no state for ${name}. Use fewer names.`);
  const { config, clock, faults, log, operator, processSlots } = space;
  const mayTakeTime = hasDurations(config.settings);
  return {
    ...operator,
    async fetch(input, init) {
      // A Request without other options is used as it is: a copy would need the undici that created it.
      const request = input instanceof Request && init === undefined ? input : new Request(input, init);
      const reply = await (mayTakeTime || faults.list().length > 0
        ? untilAborted(route(request), request.signal)
        : route(request));
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

/** Rejects when the signal aborts; the call itself continues without a caller. */
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
