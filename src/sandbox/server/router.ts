/** Exports `createRouter`, which finds space and operation of a request. All routes derive from the table of operations (C1). */
import { Hono } from 'hono';
import { type OperationName, operations, PATH_PREFIX } from '../../../schemas/operations.js';
import type { Outcome } from '../calls/call.js';
import { failed } from '../calls/error-answers.js';
import type { SandboxSettings } from '../settings/settings.js';
import type { Space, Spaces } from '../spaces.js';
import { nameInApiKey, nameInToken, SHARED } from './access-tokens.js';
import { readJsonBody } from './json-body.js';
import { type Reply, SANDBOX_CLOCK, toReply } from './reply.js';
import type { ServiceRequest } from './service-request.js';
import { apiKeyIn } from './token-call.js';

/** Answers a request. Resolves with undefined if a fault closes the connection. */
export type Route = (request: ServiceRequest) => Promise<Reply | undefined>;

/** Returns the router. U1: a path without its trailing slash, or any other unknown path, is 404; another method is 405. */
export function createRouter(spaces: Spaces, settings: SandboxSettings): Route {
  const app = new Hono<{ Bindings: ReplyHolder }>();
  // Hono requires a Response; it is ignored. Not at the start of each command: Node.js loads its fetch with it, which reserves memory.
  const done = new Response(null);
  type RouteContext = { req: { raw: ServiceRequest }; env: ReplyHolder };
  const within = async (
    name: string,
    { env }: RouteContext,
    task: (space: Space) => Promise<Reply | undefined> | Reply,
  ) => {
    const space = spaces(name);
    const reply = space === undefined ? toReply(tooManySpaces()) : await task(space);
    if (reply !== undefined && space !== undefined) reply.headers[SANDBOX_CLOCK] = space.clock.now().toISOString();
    env.reply = reply;
    return done;
  };
  const ofToken = (context: RouteContext, task: (space: Space) => Promise<Reply | undefined> | Reply) =>
    within(nameInToken(context.req.raw.headers.get('authorization')), context, task);
  const answerWith = (context: RouteContext, outcome: Outcome) =>
    ofToken(context, ({ calls }) => calls.answerWith(outcome, context.req.raw));

  for (const [name, { method, path }] of Object.entries(operations)) {
    const route = PATH_PREFIX + path.replace(/\{(\w+)\}/g, ':$1');
    // One handler per path: with two, the router builds a chain for every request. HEAD is answered like GET.
    app.all(route, (context) =>
      context.req.method === method || (context.req.method === 'HEAD' && method === 'GET')
        ? ofToken(context, ({ calls }) => calls.answer(name as OperationName, context.req.raw, context.req.param()))
        : answerWith(context, methodNotAllowed(method)),
    );
    if (settings.missingSlash === 'redirect') {
      app.all(route.slice(0, -1), (context) => answerWith(context, redirectToSlash(context.req.url)));
    }
  }
  app.post(settings.graphqlPath, async (context) => {
    const body = await readJsonBody(context.req.raw);
    const name = 'payload' in body ? nameInApiKey(apiKeyIn(body.payload, settings)) : SHARED;
    return within(name, context, ({ calls }) => calls.answerTokenCall(context.req.raw, body));
  });
  app.all(settings.graphqlPath, (context) => answerWith(context, methodNotAllowed('POST')));
  app.notFound((context) => {
    const detail = 'There is no such path. Check the trailing slash and the version in the prefix.';
    return answerWith(context, failed(404, 'not_found', detail));
  });
  return async (request) => {
    const holder: ReplyHolder = {};
    // The router reads only method and URL of the Request.
    await app.fetch(request as Request, holder);
    return holder.reply;
  };
}

/** A route stores its reply here. */
interface ReplyHolder {
  reply?: Reply | undefined;
}

function methodNotAllowed(allowed: string): Outcome {
  return failed(405, 'method_not_allowed', `This path takes ${allowed}.`, { Allow: allowed });
}

function redirectToSlash(url: string): Outcome {
  const { pathname, search } = new URL(url);
  return { status: 301, body: undefined, headers: { Location: `${pathname}/${search}` } };
}

function tooManySpaces(): Outcome {
  return failed(
    401,
    'authentication_failed',
    'This sandbox has the maximum number of isolated states; use fewer names.',
  );
}
