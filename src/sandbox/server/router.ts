/** From a request to the operation it names. Every route comes from the table of operations; none is written here (C1). */
import { Hono } from 'hono';
import { type OperationName, operations, PATH_PREFIX } from '../../../schemas/operations.js';
import type { Outcome } from '../calls/call.js';
import { failed } from '../calls/error-answers.js';
import type { SandboxSettings } from '../settings/settings.js';
import type { Space, Spaces } from '../spaces.js';
import { nameInApiKey, nameInToken, SHARED } from './access-tokens.js';
import { readJsonBody } from './json-body.js';
import { type Reply, toReply } from './reply.js';
import type { ServiceRequest } from './service-request.js';
import { apiKeyIn } from './token-call.js';

/** undefined where a fault closes the connection. */
export type Route = (request: ServiceRequest) => Promise<Reply | undefined>;

/** U1: a path without its trailing slash, or any other that is not listed, is 404; another method is 405. */
export function createRouter(spaces: Spaces, settings: SandboxSettings): Route {
  const app = new Hono<{ Bindings: Answered }>();
  type Asked = { req: { raw: ServiceRequest }; env: Answered };
  const within = async (name: string, { env }: Asked, task: (space: Space) => Promise<Reply | undefined> | Reply) => {
    const space = spaces(name);
    env.reply = space === undefined ? toReply(tooManySpaces()) : await task(space);
    return DONE;
  };
  const ofToken = (asked: Asked, task: (space: Space) => Promise<Reply | undefined> | Reply) =>
    within(nameInToken(asked.req.raw.headers.get('authorization')), asked, task);
  const instead = (asked: Asked, outcome: Outcome) =>
    ofToken(asked, ({ calls }) => calls.answerWith(outcome, asked.req.raw));

  for (const [name, { method, path }] of Object.entries(operations)) {
    const route = PATH_PREFIX + path.replace(/\{(\w+)\}/g, ':$1');
    // One handler a path: for two, the router puts together a chain with every call. HEAD asks as GET does.
    app.all(route, (asked) =>
      asked.req.method === method || (asked.req.method === 'HEAD' && method === 'GET')
        ? ofToken(asked, ({ calls }) => calls.answer(name as OperationName, asked.req.raw, asked.req.param()))
        : instead(asked, methodNotAllowed(method)),
    );
    if (settings.missingSlash === 'redirect') {
      app.all(route.slice(0, -1), (asked) => instead(asked, redirectToSlash(asked.req.url)));
    }
  }
  app.post(settings.graphqlPath, async (asked) => {
    const body = await readJsonBody(asked.req.raw);
    const name = 'payload' in body ? nameInApiKey(apiKeyIn(body.payload, settings)) : SHARED;
    return within(name, asked, ({ calls }) => calls.answerTokenCall(asked.req.raw, body));
  });
  app.all(settings.graphqlPath, (asked) => instead(asked, methodNotAllowed('POST')));
  app.notFound((asked) => {
    const detail = 'There is no such path. Mind the trailing slash and the version in the prefix.';
    return instead(asked, failed(404, 'not_found', detail));
  });
  return async (request) => {
    const answered: Answered = {};
    // Of a Request the router looks at method and URL alone.
    await app.fetch(request as Request, answered);
    return answered.reply;
  };
}

/** Where a route leaves its reply. */
interface Answered {
  reply?: Reply | undefined;
}

/** What the router wants to see; nobody else does. */
const DONE = new Response(null);

function methodNotAllowed(allowed: string): Outcome {
  return failed(405, 'method_not_allowed', `This path takes ${allowed}.`, { Allow: allowed });
}

function redirectToSlash(url: string): Outcome {
  const { pathname, search } = new URL(url);
  return { status: 301, body: undefined, headers: { Location: `${pathname}/${search}` } };
}

function tooManySpaces(): Outcome {
  return failed(401, 'authentication_failed', 'This sandbox holds too many isolated states already; use fewer names.');
}
