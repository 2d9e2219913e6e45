/** Measures how long a process takes that only starts: the command line's help, and imports of the package and of zod. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Contestant } from '../frame/contest.js';
import { inFolder } from '../frame/figures.js';
import { installInto } from '../frame/installed.js';
import type { Sheet } from '../frame/sheet.js';

const ROUNDS = 21;
const MOST_MS = 60_000;

/** No server listens on this port, so that a call fails immediately. */
const CLOSED = 'http://127.0.0.1:9';

const SCRIPTS: Readonly<Record<string, string>> = {
  'ours.mjs': "import 'data-import-sdk';",
  'zod.mjs': "import 'zod';",
  'ours.cjs': "require('data-import-sdk');",
  'zod.cjs': "require('zod');",
  'ours, first call.mjs': `import { DataImportClient } from 'data-import-sdk';
const client = new DataImportClient({ baseUrl: '${CLOSED}', token: 'token' });
await client.imports.all('ACME', { maxRetries: 0 }).catch(() => {});`,
  'dependencies, first call.mjs': `import 'zod';
import { Pool } from 'undici';
await new Pool('${CLOSED}').request({ method: 'GET', path: '/' }).catch(() => {});`,
};

export async function measure(sheet: Sheet<'import'>): Promise<void> {
  await inFolder(async (folder) => {
    installInto(folder);
    for (const [name, text] of Object.entries(SCRIPTS)) writeFileSync(join(folder, name), text);
    const starting =
      (...args: string[]) =>
      () =>
        ({ turn: () => startOf(folder, args) }) satisfies Contestant;
    const contestants = {
      bare: starting('-e', '0'),
      help: starting('node_modules/data-import-sdk/dist/cli.js', '--help'),
      ...Object.fromEntries(Object.keys(SCRIPTS).map((name) => [name, starting(name)])),
    };
    const held = await sheet.contest('a process from start to end, milliseconds', contestants, ROUNDS, 1);
    sheet.fill('help', () => held.ratio('ms', 'help', 'bare'));
    sheet.fill('esm', () => held.ratio('ms', 'ours.mjs', 'bare'));
    sheet.fill('cjs', () => held.ratio('ms', 'ours.cjs', 'bare'));
    sheet.fill('esm zod', () => held.ratio('ms', 'zod.mjs', 'bare'));
    sheet.fill('cjs zod', () => held.ratio('ms', 'zod.cjs', 'bare'));
    sheet.fill('beyond zod', () => held.ratio('ms', 'ours.mjs', 'zod.mjs'));
    sheet.fill('first call', () => held.ratio('ms', 'ours, first call.mjs', 'dependencies, first call.mjs'));
  });
}

function startOf(cwd: string, args: readonly string[]): { ms: number } {
  const startedAt = performance.now();
  execFileSync(process.execPath, args, { cwd, stdio: 'pipe', timeout: MOST_MS });
  return { ms: performance.now() - startedAt };
}
