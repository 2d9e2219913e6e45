/** Programs from packages of Debian, which tests start. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Whether the program is there, or could be installed; otherwise prints one line with the skipped tests. */
export function hasProgram(program: string, debianPackage: string, skipped: string): boolean {
  if (!existsSync(program)) installPackage(debianPackage);
  if (existsSync(program)) return true;
  process.stdout.write(`SKIPPED: ${skipped}, since ${debianPackage} is not installed.\n`);
  return false;
}

/** Tries to install a package. Another test file may install one at the same time, and has the lists or the lock. */
export function installPackage(debianPackage: string): void {
  const lock = ['-o', 'DPkg::Lock::Timeout=120'];
  for (const args of [['update'], [...lock, 'install', '-y', '--no-install-recommends', debianPackage]]) {
    try {
      execFileSync('apt-get', args, { stdio: 'ignore' });
    } catch {
      // No such system, not allowed to, or the lists are being updated.
    }
  }
}
