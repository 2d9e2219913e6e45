/** Compares the import time of the published package with that of its two large dependencies, in a new process each time. */
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
const INERT_CONTEXT = 'http://127.0.0.1:9';

const SCRIPTS: Readonly<Record<string, string>> = {
  'ours.mjs': timed("await import('data-import-sdk');"),
  'dependencies.mjs': timed("await import('zod'); await import('undici');"),
  'ours, first call.mjs': timed(`const { DataImportClient } = await import('data-import-sdk');
const client = new DataImportClient({ baseUrl: '${INERT_CONTEXT}', token: 'token', maxRetries: 0 });
await client.imports.all('ACME').catch(() => {});`),
  'dependencies, first call.mjs': timed(`await import('zod'); const { Pool } = await import('undici');
await new Pool('${INERT_CONTEXT}').request({ method: 'GET', path: '/' }).catch(() => {});`),
  'ours.cjs': timed("require('data-import-sdk');"),
  'dependencies.cjs': timed("require('zod'); require('undici');"),
};

export async function measure(sheet: Sheet<'import'>): Promise<void> {
  await inFolder(async (folder) => {
    installInto(folder);
    for (const [name, text] of Object.entries(SCRIPTS)) writeFileSync(join(folder, name), text);
    const contestants = Object.fromEntries(
      Object.keys(SCRIPTS).map((name) => [name, (): Contestant => ({ turn: () => runOnce(folder, name) })]),
    );
    const held = await sheet.contest('import, milliseconds', contestants, ROUNDS, 1);
    sheet.fill('esm', () => held.ratio('ms', 'ours.mjs', 'dependencies.mjs'));
    sheet.fill('first call', () => held.ratio('ms', 'ours, first call.mjs', 'dependencies, first call.mjs'));
    sheet.fill('cjs', () => held.ratio('ms', 'ours.cjs', 'dependencies.cjs'));
    sheet.fill('esm cpu', () => held.ratio('cpu', 'ours.mjs', 'dependencies.mjs'));
    sheet.fill('cjs cpu', () => held.ratio('cpu', 'ours.cjs', 'dependencies.cjs'));
  });
}

/** Excludes the start of Node, which is the same for both. */
function timed(work: string): string {
  return `const [startedAt, before] = [performance.now(), process.cpuUsage()];
${work}
const ms = performance.now() - startedAt;
const { user, system } = process.cpuUsage(before);
console.log(JSON.stringify({ ms, cpu: (user + system) / 1000 }));
`;
}

function runOnce(folder: string, name: string): { ms: number; cpu: number } {
  return JSON.parse(execFileSync(process.execPath, [name], { cwd: folder, encoding: 'utf8', timeout: MOST_MS }));
}
