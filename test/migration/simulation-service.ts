/**
 * The service of a simulated migration: the sandbox, reached as undici's dispatcher reaches a server, without sockets,
 * streams or a machine's clock. It outlives its callers; what they sent before their death may reach it late.
 */
import type { Dispatcher } from 'undici';
import { completeOptions, type SandboxOptions } from '../../src/sandbox/options.js';
import type { Reply } from '../../src/sandbox/reply.js';
import { createRouter } from '../../src/sandbox/router.js';
import type { ServiceRequest } from '../../src/sandbox/service-request.js';
import { createSpaces } from '../../src/sandbox/space.js';
import { SHARED } from '../../src/sandbox/tokens.js';
import { createLife, type Life } from './simulation-life.js';

type Handler = Dispatcher.DispatchHandler;
type Controller = Parameters<NonNullable<Handler['onRequestStart']>>[0];

export function createService(options: SandboxOptions, random: () => number) {
  const config = completeOptions(options);
  const spaces = createSpaces(config);
  const route = createRouter(spaces, config.settings);
  const space = spaces(SHARED);
  if (space === undefined) throw new Error('There is room for one space.');
  /** Requests of the dead that are still on their way. */
  const late: ServiceRequest[] = [];

  const arrive = async (request: ServiceRequest) => {
    if (late.length > 0 && random() < 0.2) await letArrive(1);
    return route(request);
  };
  const letArrive = async (count: number) => {
    for (const request of late.splice(0, count)) await route(request);
  };

  return {
    requests: space.log.entries,
    /** Its limits may change while it runs. */
    settings: config.settings,
    clock: space.clock,
    /** What it has in the end. */
    state: () => space.store().state,
    letAllArrive: () => letArrive(late.length),
    /** The way of one process to it. */
    dispatcherFor(life: Life = createLife({ moments: Number.POSITIVE_INFINITY })): Dispatcher {
      const dispatch = (options: Dispatcher.DispatchOptions, handler: Handler): boolean => {
        if (life.isOver) return true;
        handler.onRequestStart?.(CONTROLLER, {});
        const request = requestOf(options);
        const changes = options.method === 'POST';
        if (!life.survives(changes ? 'after the send' : 'ask')) {
          // On its way at the death of its sender: it comes to nothing, or it arrives all the same.
          if (random() < 0.5) late.push(request);
          return true;
        }
        void arrive(request).then((reply) => {
          if (!life.survives(changes ? 'after the commit' : 'asked')) return;
          deliver(reply, handler);
          life.survives(changes ? 'after the answer' : 'told');
        });
        return true;
      };
      return { dispatch } as unknown as Dispatcher;
    },
  };
}

const CONTROLLER = { abort() {}, pause() {}, resume() {} } as unknown as Controller;

function requestOf({ method, path, headers, body }: Dispatcher.DispatchOptions): ServiceRequest {
  const bytes = Buffer.from(typeof body === 'string' ? body : '');
  const sent: Record<string, unknown> = { ...headers, 'content-length': bytes.length };
  return {
    method,
    url: `http://service${path}`,
    headers: { get: (name) => (sent[name] === undefined ? null : String(sent[name])) },
    body: null,
    arrayBuffer: async () => bytes,
    signal: NEVER,
  };
}

const NEVER = new AbortController().signal;

function deliver(reply: Reply | undefined, handler: Handler): void {
  if (reply === undefined) {
    handler.onResponseError?.(CONTROLLER, Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }));
    return;
  }
  handler.onResponseStart?.(CONTROLLER, reply.status, reply.headers, '');
  if (reply.text !== null) handler.onResponseData?.(CONTROLLER, Buffer.from(reply.text));
  handler.onResponseEnd?.(CONTROLLER, {});
}
