/** `--notify-command`: what the command gets, and how it may end. */

import { existsSync, readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { runNotifyCommand } from '../../../../src/cli/monitoring/notify/notify-command.js';
import type { Notification } from '../../../../src/cli/monitoring/notify/when-to-notify.js';
import { PATIENCE } from '../../../helpers/patience.js';
import { openFolder } from '../../typed.js';

const { at } = openFolder();
const waiting: Notification = {
  type: 'run.waiting',
  timestamp: '2026-01-15T09:00:00.000Z',
  data: { command: 'run', host: 'machine-1', waitsFor: 'resume', reason: 'by the operator' },
};

test('it gets the notification as a line of JSON on standard input', async () => {
  await runNotifyCommand(`cat > '${at('input')}'`, waiting);
  expect(readFileSync(at('input'), 'utf8')).toBe(`${JSON.stringify(waiting)}\n`);
});

test('it gets the environment without the secrets of the program', async () => {
  const names = ['TOKEN', 'API_KEY', 'CLIENT_KEY_PASSPHRASE', 'NOTIFY_SECRET', 'NOTIFY', 'DATABASE'];
  const secrets = Object.fromEntries(names.map((name) => [`DATA_IMPORT_${name}`, 'a-secret']));
  const env = { ...process.env, ...secrets, CHANNEL: 'imports' };
  await runNotifyCommand(`env > '${at('env')}'`, waiting, { env });
  const text = readFileSync(at('env'), 'utf8');
  expect(text).toContain('CHANNEL=imports\n');
  expect(text).not.toContain('a-secret');
});

test('it need not read its input', async () => {
  await expect(runNotifyCommand('exec true', waiting)).resolves.toBeUndefined();
});

test('another exit code is reported', async () => {
  await expect(runNotifyCommand('exit 7', waiting)).rejects.toThrow(new Error('the command ended with exit code 7'));
});

test('it is killed after the time limit, with what it started', async () => {
  const command = `(sh -c 'echo $$ > "${at('pid')}"; exec sleep 60') & wait`;
  await expect(runNotifyCommand(command, waiting, { timeLimitMs: 300 })).rejects.toThrow(
    new Error('the command had not ended after 0.3 s, and was killed'),
  );
  const pid = Number(readFileSync(at('pid'), 'utf8'));
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), PATIENCE);
});

/** A killed process whose parent has ended stays in the list until the system collects it. */
function isRunning(pid: number): boolean {
  const stat = `/proc/${pid}/stat`;
  if (existsSync('/proc/self/stat')) return existsSync(stat) && !/\) Z /.test(readFileSync(stat, 'utf8'));
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
