/** The packed package in a Next.js server: bundled into it, and with the migration runner as an external package. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { emptyFolder, pack, run, write } from './consumer.js';

const { folder, remove } = emptyFolder();
const next = join(folder, 'node_modules/next/dist/bin/next');

beforeAll(() => {
  write(folder, { 'package.json': JSON.stringify({ name: 'with-next', private: true, type: 'module' }) });
  const packages = ['next@16', 'react@19', 'react-dom@19'];
  run(folder, 'npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', pack(folder), ...packages);
  mkdirSync(join(folder, 'app'));
  write(folder, { 'app/layout.jsx': 'export default ({ children }) => <html><body>{children}</body></html>;' });
});

afterAll(remove);

const page = (imports: string, shown: string) => `
  import { DataImportClient } from 'data-import-sdk';
  import { createSandbox, SANDBOX_SUPPLIER } from 'data-import-sdk/sandbox';
  ${imports}
  export const dynamic = 'force-dynamic';
  export default async function Page() {
    const sandbox = createSandbox();
    const fetch = (...request) => sandbox.fetch(new Request(...request));
    const client = new DataImportClient({ baseUrl: 'https://api.example.com', token: sandbox.token, fetch });
    const account = { external_account_number: 'A-1', import_supplier: SANDBOX_SUPPLIER };
    const { callOutcome: outcome } = await client.accounts.stage(account);
    return <p>{[outcome, ${shown}].join()}</p>;
  }`;

test('Next.js 16 bundles client, sandbox and mapping, and its server stages an account', async () => {
  const shown = "parseDate('1/2/24', 'D/M/YY', { latestYear: 2026 })";
  write(folder, { 'app/page.jsx': page("import { parseDate } from 'data-import-sdk/mapping';", shown) });
  expect(await built()).toContain('<p>created,2024-02-01</p>');
});

test('with the package in serverExternalPackages, a page of Next.js can also use the migration runner', async () => {
  write(folder, {
    'next.config.mjs': "export default { serverExternalPackages: ['data-import-sdk'] };",
    'app/page.jsx': page("import { runMigration } from 'data-import-sdk/migration';", 'typeof runMigration'),
  });
  expect(await built()).toContain('<p>created,function</p>');
});

/** The page, from the server of a new build. */
async function built(): Promise<string> {
  run(folder, 'env', 'NEXT_TELEMETRY_DISABLED=1', 'node', next, 'build');
  const server = spawn(process.execPath, [next, 'start', '-p', '0', '-H', '127.0.0.1'], { cwd: folder });
  onTestFinished(async () => {
    const exit = once(server, 'exit');
    server.kill('SIGTERM');
    await exit;
  });
  return (await fetch(await addressIn(server.stdout))).text();
}

/** The address that the server prints when it listens. */
async function addressIn(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(output)) {
    const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
    if (address !== undefined) return address;
  }
  throw new Error('The server ended without an address.');
}
