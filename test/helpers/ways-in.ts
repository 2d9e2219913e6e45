/**
 * The three ways into a sandbox: all tests of test/sandbox run in process, and those of what a way carries in each
 * (test/sandbox/ways), with the same literal expectations.
 */
import { readdirSync } from 'node:fs';
import { type SetupServer, setupServer } from 'msw/node';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.js';
import { sandboxHandlers } from '../../src/sandbox/msw.js';

const SUFFIX = '.test.ts';

type Send = (path: string, init: RequestInit) => Promise<Response>;

type Way = (sandbox: Sandbox) => Send;

let way: Way = inProcess;

/** `path` begins at the root. To be called while a test runs, which closes again what is opened. */
export function wayInto(sandbox: Sandbox): Send {
  return way(sandbox);
}

/** For the tests of the file that calls it. */
export function testThrough(other: Way): void {
  beforeAll(() => {
    way = other;
  });
  afterAll(() => {
    way = inProcess;
    server?.close();
    server = undefined;
  });
}

/** What a way carries: methods, paths, headers, bodies of every kind, lost connections, calls at the same time. */
export const CARRIED = [
  ...testsIn('calls'),
  ...testsIn('server').filter((name) => !['listen', 'msw', 'transcript'].includes(name.slice('server/'.length))),
  ...['settings/access', 'settings/error-bodies'],
];

function testsIn(folder: string): string[] {
  const files = readdirSync(new URL(`../sandbox/${folder}/`, import.meta.url));
  return files.flatMap((file) => (file.endsWith(SUFFIX) ? `${folder}/${file.slice(0, -SUFFIX.length)}` : []));
}

function inProcess(sandbox: Sandbox): Send {
  return (path, init) => sandbox.fetch(new Request(`http://sandbox.example.com${path}`, init));
}

export function overHttp(sandbox: Sandbox): Send {
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

export function behindMsw(sandbox: Sandbox): Send {
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
