/**
 * The service of a simulated migration: the sandbox, reached as undici's dispatcher reaches a server, without sockets,
 * streams or a machine's clock. It outlives its callers: what they sent before they were killed may reach it late, and
 * what it works on it completes, also where the connection is lost or the caller has given up.
 */
import type { Dispatcher } from 'undici';
import { SHARED } from '../../../src/sandbox/server/access-tokens.js';
import type { Reply } from '../../../src/sandbox/server/reply.js';
import { createRouter } from '../../../src/sandbox/server/router.js';
import type { ServiceRequest } from '../../../src/sandbox/server/service-request.js';
import { completeOptions } from '../../../src/sandbox/settings/complete-options.js';
import type { SandboxOptions } from '../../../src/sandbox/settings/sandbox-options.js';
import { createSpaces } from '../../../src/sandbox/spaces.js';
import { createSimulatedSession, type SimulatedSession } from './simulated-session.js';

type Handler = Dispatcher.DispatchHandler;
type Controller = Parameters<NonNullable<Handler['onRequestStart']>>[0];

/** Response times of the service, and a network that loses answers while the service still processes the request. */
export interface Slowness {
  sleep: (ms: number) => Promise<void>;
  /** Settings of the sandbox that say how long a call takes, with the longest time; most calls take a tenth of it at most. */
  longestMs: Readonly<
    Partial<Record<'stageDurationMs' | 'processDurationMs' | 'itemDurationMs' | 'businessDurationMs', number>>
  >;
  /** Share of the requests whose connection is lost, or to which a gateway answers 504, before the service does. */
  cutShare: number;
  /** A request that was on its way when its sender was killed arrives at most so much later. */
  longestDelayMs: number;
}

const SHARE_OF_LONG = 0.15;

/** After at most this a connection is cut. */
const LONGEST_CONNECTION_MS = 10_000;

/** Without `slowness` every answer arrives at once, unless a fault keeps it. */
export function createService(options: SandboxOptions, random: () => number, slowness?: Slowness) {
  const config = completeOptions(options);
  for (const [name, longestMs] of Object.entries(slowness?.longestMs ?? {})) {
    const draw = () => (random() < SHARE_OF_LONG ? random() : random() / 10) * longestMs;
    // A new one for each call, also of the same account: the sandbox itself draws one per account.
    Object.defineProperty(config.settings, name, { get: draw, enumerable: true });
  }
  const spaces = createSpaces(config);
  const route = createRouter(spaces, config.settings);
  const space = spaces(SHARED);
  if (space === undefined) throw new Error('There is room for one space.');
  /** Requests of the dead that are still on their way. */
  const late: ServiceRequest[] = [];
  /** Requests that the service works on. */
  const running = new Set<Promise<unknown>>();
  let cuts = 0;
  let misdirected = 0;

  const serve = (request: ServiceRequest): Promise<Reply | undefined> => {
    const reply = route(request);
    running.add(reply);
    void reply.finally(() => running.delete(reply));
    return reply;
  };

  /** On the way from a killed process: it comes to nothing, or it arrives all the same. */
  const lose = (request: ServiceRequest): void => {
    if (random() >= 0.5) return;
    if (slowness === undefined) late.push(request);
    else {
      const delayed = slowness.sleep(random() * slowness.longestDelayMs).then(() => serve(request));
      running.add(delayed);
      void delayed.finally(() => running.delete(delayed));
    }
  };

  const cut = async ({ sleep }: Slowness): Promise<Reply | undefined> => {
    cuts++;
    await sleep(random() * LONGEST_CONNECTION_MS);
    return random() < 0.5 ? undefined : GATEWAY_TIMEOUT;
  };

  const arrive = async (request: ServiceRequest) => {
    if (late.length > 0 && random() < 0.2) await letArrive(1);
    const reply = serve(request);
    return slowness !== undefined && random() < slowness.cutShare ? Promise.race([reply, cut(slowness)]) : reply;
  };
  const letArrive = async (count: number) => {
    for (const request of late.splice(0, count)) await serve(request);
  };

  return {
    requests: space.log.entries,
    /** Its limits may change while it runs. */
    settings: config.settings,
    clock: space.clock,
    /** What it has in the end. */
    state: () => space.store().state,
    /** How many answers the network lost. */
    cuts: () => cuts,
    /** Until nothing is on its way, and nothing is worked on. */
    async letAllArrive() {
      await letArrive(late.length);
      while (running.size > 0) await Promise.all(running);
    },
    /** Requests of runs that belong to another service. */
    misdirected: () => misdirected,
    /** The way of one process to it. `isAstray`: the process works on a run that belongs to another service. */
    dispatcherFor(
      session: SimulatedSession = createSimulatedSession({ moments: Number.POSITIVE_INFINITY }),
      isAstray = false,
    ): Dispatcher {
      const dispatch = (options: Dispatcher.DispatchOptions, handler: Handler): boolean => {
        if (session.isOver) return true;
        if (isAstray) misdirected++;
        handler.onRequestStart?.(CONTROLLER, {});
        const request = requestOf(options);
        const changes = options.method === 'POST';
        if (!session.survives(changes ? 'after the send' : 'ask')) {
          lose(request);
          return true;
        }
        void arrive(request).then((reply) => {
          if (!session.survives(changes ? 'after the commit' : 'asked')) return;
          deliver(reply, handler);
          session.survives(changes ? 'after the answer' : 'answered');
        });
        return true;
      };
      return { dispatch } as unknown as Dispatcher;
    },
  };
}

/** Of a gateway that grew tired of waiting for the service. */
const GATEWAY_TIMEOUT: Reply = {
  status: 504,
  headers: { 'Content-Type': 'text/html' },
  text: '<html><body>504 Gateway Time-out</body></html>',
};

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
