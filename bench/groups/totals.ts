/** `verify --extract` finds each planted cent, and nothing else: time and memory of a process that does nothing else. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inFolder } from '../frame/figures.js';
import type { Sheet } from '../frame/sheet.js';
import { writeTotals } from '../totals/extract.js';

const VERIFY = fileURLToPath(new URL('../totals/verify.mjs', import.meta.url));
const ERRORS = 1000;

export async function measure(sheet: Sheet<'totals'>): Promise<void> {
  await inFolder(async (folder) => {
    const run = join(folder, 'run');
    mkdirSync(run);
    const accounts = sheet.size(100_000, 1000);
    const planted = await writeTotals(run, { accounts, errors: ERRORS });
    const { seconds, bytes } = await verify('verify', '--extract', join(folder, 'extract.csv'), '--run', run);
    const listed = readFileSync(join(run, 'extract-differences.csv'), 'utf8').split('\r\n').slice(1, -1);
    const found = new Set(listed.map((row) => row.split(',')[1] ?? ''));
    const wrong = [...found].filter((number) => !planted.has(number)).length + (listed.length - found.size);
    sheet.say(
      `${accounts} accounts: ${found.size} found, ${wrong} wrong, ${seconds.toFixed(1)} s, ${Math.round(bytes / 1e6)} MB`,
    );
    sheet.fill('found', () => ({ value: found.size - wrong }));
    sheet.fill('wrong', () => ({ value: wrong }));
    sheet.fill('time', () => ({ value: seconds }));
    sheet.fill('memory', () => ({ value: bytes / 1e6 }));
  });
}

async function verify(...args: string[]): Promise<{ seconds: number; bytes: number }> {
  const child = fork(VERIFY, args, { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const [taken] = (await once(child, 'message')) as [{ seconds: number; bytes: number }];
  return taken;
}
