/** The packed package together with the oldest and the newest versions of its peers: npm finds no conflict, and the sandbox answers behind MSW. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { emptyFolder, pack, run, write } from './consumer.js';

const { folder, remove } = emptyFolder();
let tarball = '';

beforeAll(() => {
  tarball = pack(folder);
});

afterAll(remove);

/** The folder of an empty project; removed when the test has ended. */
function project(name: string): string {
  const empty = emptyFolder();
  onTestFinished(empty.remove);
  write(empty.folder, { 'package.json': JSON.stringify({ name, private: true, type: 'module' }) });
  return empty.folder;
}

test.each([
  ['the oldest', ['msw@2.7.0']],
  ['the newest', ['msw@3']],
])('npm finds no conflict with %s peers', (_, peers) => {
  const place = project('peers');
  // Ends with ERESOLVE where a version is not admitted.
  run(place, 'npm', 'install', '--package-lock-only', '--no-audit', '--no-fund', tarball, ...peers);
});

test('a version beyond them is refused', () => {
  const place = project('beyond');
  const install = () =>
    run(place, 'npm', 'install', '--package-lock-only', '--no-audit', '--no-fund', tarball, 'msw@1');
  expect(install).toThrow('ERESOLVE');
});

// MSW 3 needs Node 22.12.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
test.each(major > 22 || (major === 22 && minor >= 12) ? ['2.7.0', '3'] : ['2.7.0'])(
  'the sandbox answers behind MSW %s',
  (version) => {
    const place = project('msw');
    run(place, 'npm', 'install', '--no-audit', '--no-fund', '--ignore-scripts', tarball, `msw@${version}`);
    write(place, {
      'behind.mjs': `
      import { setupServer } from 'msw/node';
      import { DataImportClient } from 'data-import-sdk';
      import { sandboxHandlers } from 'data-import-sdk/msw';
      import { createSandbox, SANDBOX_SUPPLIER } from 'data-import-sdk/sandbox';
      const sandbox = createSandbox();
      const baseUrl = 'https://platform.example.com';
      const server = setupServer(...sandboxHandlers(sandbox, { baseUrl }));
      server.listen({ onUnhandledRequest: 'error' });
      const fetch = (...request) => globalThis.fetch(...request);
      const client = new DataImportClient({ baseUrl, token: sandbox.token, fetch });
      const account = { import_supplier: SANDBOX_SUPPLIER, external_account_number: 'A-1' };
      console.log((await client.accounts.stage(account)).callOutcome);
      server.close();`,
    });
    expect(run(place, 'node', 'behind.mjs')).toBe('created\n');
  },
);
