/** An empty project in which the packed tarball is installed, as a user would. */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Output of a command; where it fails, all it printed becomes the message. */
export function run(cwd: string, command: string, ...args: string[]): string {
  // A file, since npm ends without waiting for a pipe that has not been read, and its text is lost.
  const errors = join(mkdtempSync(join(tmpdir(), 'data-import-sdk-')), 'stderr');
  const file = openSync(errors, 'w');
  try {
    return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', file] });
  } catch (error) {
    const { stdout } = error as { stdout: string };
    throw new Error(`${command} ${args.join(' ')}\n${stdout}\n${readFileSync(errors, 'utf8')}`);
  } finally {
    closeSync(file);
    rmSync(dirname(errors), { recursive: true });
  }
}

/** What a command says on both channels, and whether it succeeded. */
export function outcome(cwd: string, command: string, ...args: string[]): { ok: boolean; output: string } {
  try {
    return { ok: true, output: run(cwd, command, ...args) };
  } catch (error) {
    return { ok: false, output: (error as Error).message };
  }
}

/** Packs what `npm run build` left in dist. */
export function pack(folder: string): string {
  run(root, 'npm', 'pack', '--ignore-scripts', '--pack-destination', folder);
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  if (tarball === undefined) throw new Error('npm pack made no tarball');
  return join(folder, tarball);
}

export function emptyFolder(): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'data-import-sdk-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export function write(folder: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}
