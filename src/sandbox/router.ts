/** From a request to the operation it names. Every route comes from the table of operations; none is written here (C1). */
import { Hono } from 'hono';
import { type OperationName, operations, PATH_PREFIX } from '../../schemas/operations.js';
import { failed } from './answers.js';
import type { Outcome } from './call.js';
import type { Core } from './core.js';

export type Fetch = (request: Request) => Promise<Response>;

/** U1: a path without its trailing slash, or any other that is not listed, is 404; another method is 405. */
export function createRouter(core: Core, graphqlPath: string): Fetch {
  const app = new Hono();
  for (const [name, { method, path }] of Object.entries(operations)) {
    const route = PATH_PREFIX + path.replace(/\{(\w+)\}/g, ':$1');
    app.on(method, route, async ({ req }) =>
      toResponse(await core.answer(name as OperationName, req.raw, req.param())),
    );
    app.all(route, () => methodNotAllowed(method));
  }
  app.post(graphqlPath, async ({ req }) => toResponse(await core.answerTokenCall(req.raw)));
  app.all(graphqlPath, () => methodNotAllowed('POST'));
  app.notFound(() => {
    const detail = 'There is no such path. Mind the trailing slash and the version in the prefix.';
    return toResponse(failed(404, 'not_found', detail));
  });
  return async (request) => app.fetch(request);
}

function methodNotAllowed(allowed: string): Response {
  return toResponse(failed(405, 'method_not_allowed', `This path takes ${allowed}.`, { Allow: allowed }));
}

function toResponse({ status, body, headers }: Outcome): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json', ...headers } });
}
