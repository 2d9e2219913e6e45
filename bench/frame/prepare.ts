/** Prepares the measurements: links the built package under its name, installs the peers, generates the client. */
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

/** Prints why the peers could not be installed. Rows that need them show the reason; the others are measured. */
export function preparePeers(say: (line: string) => void): void {
  try {
    if (!areInstalled()) execFileSync('npm', ['ci', '--prefix', BENCH, '--ignore-scripts'], { stdio: 'pipe' });
    execFileSync(process.execPath, [`${BENCH}/peers/generate.mjs`], { cwd: BENCH, stdio: 'pipe' });
  } catch (error) {
    const { stderr = '' } = error as { stderr?: Buffer | string };
    say(`the peers could not be prepared: ${reasonOf(error)}\n${String(stderr).trim()}`);
  }
}

/** npm writes this file at the end of an installation. */
function areInstalled(): boolean {
  const installed = `${BENCH}/node_modules/.package-lock.json`;
  return existsSync(installed) && statSync(installed).mtimeMs >= statSync(`${BENCH}/package-lock.json`).mtimeMs;
}

/** Links the package into bench/, which is a separate npm package. npm removes the link on each installation. */
export function linkOwn(): void {
  const link = `${BENCH}/node_modules/data-import-sdk`;
  if (existsSync(link)) return;
  mkdirSync(`${BENCH}/node_modules`, { recursive: true });
  symlinkSync(ROOT, link, 'junction');
}
