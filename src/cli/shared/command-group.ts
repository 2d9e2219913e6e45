/** Exports `killGroup`, which ends a command with all that it has started. */

/** Whether a command can be started in a separate process group (`detached`), as `killGroup` expects. */
export const HAS_GROUPS = process.platform !== 'win32';

export function killGroup(child: { pid?: number | undefined; kill(signal: 'SIGKILL'): boolean }): void {
  if (child.pid === undefined) return;
  try {
    if (HAS_GROUPS) process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  } catch {
    // It has just ended. An error in a timer would end the run.
  }
}
