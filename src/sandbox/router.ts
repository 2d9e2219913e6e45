/** From a request to the operation it names. Every route comes from the table of operations; none is written here (C1). */
import { Hono } from 'hono';
import { type OperationName, operations, PATH_PREFIX } from '../../schemas/operations.js';
import { failed } from './answers.js';
import { readJsonBody } from './body.js';
import type { Outcome } from './call.js';
import { apiKeyIn } from './graphql.js';
import type { SandboxSettings } from './settings.js';
import type { Space, Spaces } from './space.js';
import { nameInApiKey, nameInToken, SHARED } from './tokens.js';

/** Answers with `Response.error()` where a fault closes the connection. */
export type Fetch = (request: Request) => Promise<Response>;

/** U1: a path without its trailing slash, or any other that is not listed, is 404; another method is 405. */
export function createRouter(spaces: Spaces, settings: SandboxSettings): Fetch {
  const app = new Hono();
  const within = async (name: string, task: (space: Space) => Promise<Outcome> | Outcome) => {
    const space = spaces(name);
    return toResponse(space === undefined ? tooManySpaces() : await task(space));
  };
  const ofToken = (request: Request, task: (space: Space) => Promise<Outcome> | Outcome) =>
    within(nameInToken(request.headers.get('authorization')), task);

  for (const [name, { method, path }] of Object.entries(operations)) {
    const route = PATH_PREFIX + path.replace(/\{(\w+)\}/g, ':$1');
    app.on(method, route, ({ req }) =>
      ofToken(req.raw, ({ core }) => core.answer(name as OperationName, req.raw, req.param())),
    );
    app.all(route, ({ req }) => ofToken(req.raw, ({ core }) => core.answerWith(methodNotAllowed(method), req.raw)));
    if (settings.missingSlash === 'redirect') {
      app.all(route.slice(0, -1), ({ req }) =>
        ofToken(req.raw, ({ core }) => core.answerWith(redirectToSlash(req.raw.url), req.raw)),
      );
    }
  }
  app.post(settings.graphqlPath, async ({ req }) => {
    const body = await readJsonBody(req.raw);
    const name = 'payload' in body ? nameInApiKey(apiKeyIn(body.payload, settings)) : SHARED;
    return within(name, ({ core }) => core.answerTokenCall(req.raw, body));
  });
  app.all(settings.graphqlPath, ({ req }) =>
    ofToken(req.raw, ({ core }) => core.answerWith(methodNotAllowed('POST'), req.raw)),
  );
  app.notFound(({ req }) => {
    const detail = 'There is no such path. Mind the trailing slash and the version in the prefix.';
    return ofToken(req.raw, ({ core }) => core.answerWith(failed(404, 'not_found', detail), req.raw));
  });
  return async (request) => app.fetch(request);
}

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

function toResponse({ status, body, headers, onTheWay }: Outcome): Response {
  if (onTheWay === 'drop') return Response.error();
  if (body === undefined) return new Response(null, { status, ...(headers && { headers }) });
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const sent = onTheWay === 'malformed' ? text.slice(0, Math.floor(text.length / 2)) : text;
  const type = typeof body === 'string' ? 'text/html' : 'application/json';
  return new Response(sent, { status, headers: { 'Content-Type': type, ...headers } });
}
