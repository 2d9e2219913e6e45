/**
 * Exports `createAdmin`: the admin interface of a sandbox's server below `/__sandbox/`, as JSON routes and a console in the
 * browser. It is no part of the service: clients of the service do not call it.
 *
 * Every route takes `?space=<name>` for the state of `sandbox.isolated(name)`. A refusal is `{detail, code}`, or
 * `{detail, code, errors}` if it concerns a field.
 */
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { openApiDocument } from '../../../schemas/openapi.js';
import type { Outcome } from '../calls/call.js';
import { failed, refused } from '../calls/error-answers.js';
import { checkName, SHARED } from '../server/access-tokens.js';
import type { Space, Spaces } from '../spaces.js';
import { accountRoutes } from './account-routes.js';
import { ADMIN_HEADERS, checkAccess } from './admin-guard.js';
import { readInput } from './admin-input.js';
import { type AdminRoute, ok, route } from './admin-route.js';
import { controlRoutes } from './clock-and-fault-routes.js';
import { readConsoleFile } from './console-files.js';
import { operatorRoutes } from './operator-routes.js';
import { overviewRoutes } from './overview-routes.js';
import { requestRoutes } from './request-log-routes.js';
import { stateRoutes } from './state-routes.js';

const ADMIN_PREFIX = '/__sandbox';

/** Returns whether the request target belongs to the admin interface. */
export function isAdminPath(target: string): boolean {
  return /^\/__sandbox(?:[/?]|$)/.test(target);
}

const routes: readonly AdminRoute[] = [
  ...overviewRoutes,
  ...stateRoutes,
  ...controlRoutes,
  ...requestRoutes,
  ...operatorRoutes,
  ...accountRoutes,
  /** The OpenAPI document of the service. */
  route('GET', '/openapi.json', {}, () => ok(openApiDocument())),
];

export type Admin = (request: Request, bindings: HttpBindings) => Promise<Response>;

export function createAdmin(spaces: Spaces): Admin {
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.use(async (context, next) => {
    const { raw, path, method } = context.req;
    const peer = context.env.incoming.socket.remoteAddress;
    const refusal = checkAccess({ method, headers: raw.headers, peer, isPage: path === `${ADMIN_PREFIX}/` });
    if (refusal !== undefined) return toResponse(refusal);
    await next();
    return undefined;
  });
  app.get(ADMIN_PREFIX, ({ req }) => {
    const { search } = new URL(req.url);
    return new Response(null, { status: 302, headers: { ...ADMIN_HEADERS, Location: `${ADMIN_PREFIX}/${search}` } });
  });
  app.get(`${ADMIN_PREFIX}/`, () => answerFile('index.html'));
  app.get(`${ADMIN_PREFIX}/assets/:path{.+}`, ({ req }) => answerFile(req.param('path')));
  for (const row of routes) {
    app.on(row.method, ADMIN_PREFIX + row.path, async ({ req }) => {
      const space = spaceOf(spaces, req.query('space'));
      if ('refusal' in space) return toResponse(space.refusal);
      const input = await readInput(row.input, req.raw);
      if ('refusal' in input) return toResponse(input.refusal);
      const baseUrl = `http://${req.header('host')}`;
      return toResponse(row.answer({ ...space, ...input, params: req.param(), baseUrl }));
    });
  }
  for (const path of new Set(routes.map((row) => row.path))) {
    const allowed = routes.filter((row) => row.path === path).map(({ method }) => method);
    app.all(ADMIN_PREFIX + path, () => toResponse(methodNotAllowed(allowed)));
  }
  app.notFound(() => toResponse(failed(404, 'not_found', 'The admin interface has no such path.')));
  app.onError((error) => toResponse(failed(500, 'internal', `The admin interface failed: ${error.message}`)));
  return async (request, bindings) => app.fetch(request, bindings);
}

function spaceOf(spaces: Spaces, name: string = SHARED): { space: Space } | { refusal: Outcome } {
  try {
    const space = spaces(name === SHARED ? SHARED : checkName(name));
    if (space !== undefined) return { space };
  } catch {
    return { refusal: refused('invalid_name', 'space', 'Expected 1 to 64 letters, digits, - or _.') };
  }
  return { refusal: refused('too_many_spaces', 'space', 'This sandbox has the maximum number of isolated states.') };
}

function methodNotAllowed(allowed: readonly string[]): Outcome {
  const list = allowed.join(', ');
  return failed(405, 'method_not_allowed', `This path takes ${list}.`, { Allow: list });
}

async function answerFile(path: string): Promise<Response> {
  const file = await readConsoleFile(path);
  if (file === undefined) {
    const detail = 'The console has no such file. If a bundler included the sandbox, keep data-import-sdk external.';
    return toResponse(failed(404, 'not_found', detail));
  }
  return new Response(file.content, { headers: { ...ADMIN_HEADERS, 'Content-Type': file.type } });
}

function toResponse({ status, body, headers }: Outcome): Response {
  return Response.json(body, { status, headers: { ...ADMIN_HEADERS, ...headers } });
}
