/** What must be there before anything can be measured: the built package under its name, the peers, the generated client. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ROOT } from './installed.js';
import { reasonOf } from './reason.js';

const BENCH = fileURLToPath(new URL('..', import.meta.url));

export function expectBuilt(): void {
  if (existsSync(`${ROOT}/dist/index.js`) && existsSync(`${ROOT}/dist/openapi.json`)) return;
  throw new Error('bench: dist/ is not built; run `npm run build` first, or `npm run bench`, which does.');
}

/** Says why not. What needs them says so in its rows; all else can be measured. */
export function preparePeers(say: (line: string) => void): void {
  try {
    if (!areInstalled()) execFileSync('npm', ['ci', '--prefix', BENCH, '--ignore-scripts'], { stdio: 'pipe' });
    execFileSync(process.execPath, [`${BENCH}/peers/generate.mjs`], { cwd: BENCH, stdio: 'pipe' });
  } catch (error) {
    const { stderr = '' } = error as { stderr?: Buffer | string };
    say(`the peers could not be prepared: ${reasonOf(error)}\n${String(stderr).trim()}`);
  }
}

/** npm leaves this file behind when it has installed everything. */
function areInstalled(): boolean {
  const installed = `${BENCH}/node_modules/.package-lock.json`;
  return existsSync(installed) && statSync(installed).mtimeMs >= statSync(`${BENCH}/package-lock.json`).mtimeMs;
}

/** bench/ is a package of its own, in which the name of the one above means nothing. npm takes this link away. */
export function linkOwn(): void {
  const link = `${BENCH}/node_modules/data-import-sdk`;
  if (existsSync(link)) return;
  mkdirSync(`${BENCH}/node_modules`, { recursive: true });
  symlinkSync(ROOT, link, 'junction');
}
