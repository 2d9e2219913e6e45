/** `runNotifyCommand`: starts the command of `--notify-command`, with a notification as JSON on its standard input. */
import { spawn } from 'node:child_process';
import { printable } from '../../../migration/shared/printable.js';
import { SECRETS } from '../../options/environment.js';
import { HAS_GROUPS, killGroup } from '../../shared/command-group.js';
import type { Notification } from './when-to-notify.js';

/** Variables that hold a secret, or an address that may contain one. */
const HIDDEN = new Set([...SECRETS, 'DATA_IMPORT_NOTIFY', 'DATA_IMPORT_DATABASE']);

const TIME_LIMIT_MS = 30_000;

/**
 * Runs the command in the shell of the system. Resolves when it has ended with code 0, and rejects otherwise. Its output is
 * discarded. It does not get the secrets of this process. After the time limit it is killed, with the processes that it started.
 */
export function runNotifyCommand(
  command: string,
  notification: Notification,
  { env = process.env, timeLimitMs = TIME_LIMIT_MS }: { env?: NodeJS.ProcessEnv; timeLimitMs?: number } = {},
): Promise<void> {
  const visible = Object.fromEntries(Object.entries(env).filter(([name]) => !HIDDEN.has(name)));
  // In a separate process group, so that Ctrl-C of the run does not end it and a kill ends all of it.
  const child = spawn(command, {
    ...{ shell: true, env: visible, detached: HAS_GROUPS, windowsHide: true },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  return new Promise((resolve, reject) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      killGroup(child);
    }, timeLimitMs);
    child.once('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      reject(new Error(`the command could not start (${error.code ?? error.name})`, { cause: error }));
    });
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      if (code === 0) resolve();
      else if (isLate) reject(new Error(`the command had not ended after ${timeLimitMs / 1000} s, and was killed`));
      else reject(new Error(`the command ended with ${signal ?? `exit code ${code}`}`));
    });
    // A command that does not read its input closes the pipe.
    child.stdin?.on('error', () => {});
    child.stdin?.end(`${printable(JSON.stringify(notification))}\n`);
  });
}
