/** A sandbox: one state, one core, and the ways in. */
import { createClock, type SandboxClock } from './clock.js';
import { createCore } from './core.js';
import { type ListenOptions, listen, type SandboxServer } from './http.js';
import { createIds } from './ids.js';
import { createOperator, type Operator } from './operator.js';
import { completeOptions, initialState, SANDBOX_API_KEY, SANDBOX_TOKEN, type SandboxOptions } from './options.js';
import { createProcessing, type ProcessingHold } from './processing.js';
import { createRouter } from './router.js';
import type { DeepReadonly, SandboxState } from './state.js';
import { createStore } from './store.js';

export interface Sandbox extends Operator {
  /** Answers a request in process, whatever host its URL names. Never rejects for what the request holds. */
  fetch(request: Request): Promise<Response>;
  /** Serves HTTP on 127.0.0.1 and a free port, unless told otherwise. Rejects with Node's error where it cannot. */
  listen(options?: ListenOptions): Promise<SandboxServer>;
  /** Everything that the sandbox knows, as plain JSON. A view of the living value: copy it to compare it later. */
  readonly state: DeepReadonly<SandboxState>;
  readonly clock: SandboxClock;
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
  let store = createStore(initialState(config));
  const clock = createClock(() => store.state);
  const processing = createProcessing();
  const core = createCore({ config, clock, ids: createIds(config.seed), processing, store: () => store });
  const fetch = createRouter(core, config.settings.graphqlPath);
  return {
    ...createOperator(() => store),
    fetch,
    listen: (listenOptions = {}) => listen(fetch, listenOptions),
    get state() {
      return store.state;
    },
    clock,
    holdProcessing: processing.hold,
    reset() {
      store = createStore(initialState(config));
    },
    token: SANDBOX_TOKEN,
    apiKey: SANDBOX_API_KEY,
    graphqlPath: config.settings.graphqlPath,
  };
}
