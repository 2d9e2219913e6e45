/**
 * The thread in which the tests run for one mutant after another (vitest.mutation.config.ts). A thread for each mutant would load Vitest
 * and the sandbox again, which takes longer than the tests.
 */
import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Plugin } from 'vitest/config';
import type { PoolOptions, PoolWorker, WorkerRequest } from 'vitest/node';

const NAME = 'kept thread';
/** Of a thread: each run loads the test files again, and the memory of the ones before is not released. */
const MOST_RUNS = 200;

let thread: Worker | undefined;
let runs = 0;

/** Vitest starts and stops one for each run; all of them use the thread that is there. */
class KeptThread implements PoolWorker {
  readonly name = NAME;
  readonly #events = new EventEmitter();
  readonly #emitMessage = (message: unknown) => this.#events.emit('message', message);
  readonly #options: PoolOptions;
  #isThreadNew = false;
  #config: object = {};

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  on: PoolWorker['on'] = (event, callback) => void this.#events.on(event, callback);
  off: PoolWorker['off'] = (event, callback) => void this.#events.off(event, callback);
  deserialize = (data: unknown) => data;

  async start(): Promise<void> {
    if (++runs % MOST_RUNS === 0) await endThread();
    if (thread === undefined) {
      this.#isThreadNew = true;
      const { distPath, env, execArgv } = this.#options;
      thread = new Worker(join(distPath, 'workers/threads.js'), { env: env as NodeJS.Dict<string>, execArgv });
    }
    thread.on('message', this.#emitMessage);
  }

  send(message: WorkerRequest): void {
    if (message.type === 'start') this.#config = { config: message.context.config };
    if (message.type === 'stop' || (message.type === 'start' && !this.#isThreadNew)) {
      const type = message.type === 'stop' ? 'stopped' : 'started';
      queueMicrotask(() => this.#emitMessage({ type, __vitest_worker_response__: true }));
    } else if (message.type === 'run') {
      // The thread knows the configuration of its start only, and the names of the tests are those of this run.
      thread?.postMessage({ ...message, context: { ...this.#config, ...message.context } });
    } else {
      thread?.postMessage(message);
    }
  }

  async stop(): Promise<void> {
    thread?.off('message', this.#emitMessage);
  }
}

async function endThread(): Promise<void> {
  const ended = thread;
  thread = undefined;
  await ended?.terminate();
}

/** Stryker asks for the pool `threads`; this is used in its place. */
export const keptThread: Plugin = {
  name: NAME,
  configureVitest({ vitest, project }) {
    Object.assign(project.config, {
      pool: NAME,
      poolRunner: { name: NAME, createPoolWorker: (options: PoolOptions) => new KeptThread(options) },
    });
    vitest.onClose(endThread);
  },
};
