/**
 * The three ways into a sandbox: `SANDBOX_WAY` is `fetch` (in process, the default), `http` or `msw`. The projects of vitest.config.ts run
 * all tests of test/sandbox in process, and those of what a way carries in each, with the same literal expectations.
 */
import { type SetupServer, setupServer } from 'msw/node';
import { onTestFinished } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.js';
import { sandboxHandlers } from '../../src/sandbox/msw.js';

type Send = (path: string, init: RequestInit) => Promise<Response>;

const WAYS: Readonly<Record<string, (sandbox: Sandbox) => Send>> = { fetch: inProcess, http: overHttp, msw: behindMsw };

/** `path` begins at the root. To be called while a test runs, which closes again what is opened. */
export function wayInto(sandbox: Sandbox): Send {
  const name = process.env['SANDBOX_WAY'] ?? 'fetch';
  const way = WAYS[name];
  if (way === undefined) throw new Error(`SANDBOX_WAY is ${name}; expected ${Object.keys(WAYS).join(', ')}.`);
  return way(sandbox);
}

function inProcess(sandbox: Sandbox): Send {
  return (path, init) => sandbox.fetch(new Request(`http://sandbox.example.com${path}`, init));
}

function overHttp(sandbox: Sandbox): Send {
  // One server for all calls of the sandbox, from the first on.
  let listening: ReturnType<Sandbox['listen']> | undefined;
  onTestFinished(async () => (await listening)?.close());
  return async (path, init) => {
    listening ??= sandbox.listen();
    return fetch((await listening).url + path, { redirect: 'manual', ...init });
  };
}

let server: SetupServer | undefined;
let sandboxes = 0;

function behindMsw(sandbox: Sandbox): Send {
  const baseUrl = `http://sandbox-${++sandboxes}.example.com`;
  if (server === undefined) {
    server = setupServer();
    server.listen({
      onUnhandledRequest({ url }) {
        if (!new URL(url).hostname.startsWith('127.')) throw new Error(`No sandbox answers ${url}.`);
      },
    });
  }
  server.use(...sandboxHandlers(sandbox, { baseUrl }));
  onTestFinished(() => server?.resetHandlers());
  return (path, init) => fetch(baseUrl + path, { redirect: 'manual', ...init });
}
