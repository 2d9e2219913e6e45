/** A real signal during the checks before a run: the command ends by itself, so that what follows its end is done. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { openReceiver } from '../cli/monitoring/notify/receiver.js';
import { newFolder } from '../helpers/folder.js';
import { PATIENCE } from '../helpers/patience.js';

const COMMAND = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const LAST = 'data:text/javascript,process.once("beforeExit",()=>console.log("last"))';

test.skipIf(process.platform === 'win32').each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
  ['SIGHUP', 129],
] as const)('%s during the checks: code %i, and listeners of beforeExit are called', async (signal, code) => {
  const folder = newFolder('interrupted-');
  const service = await openReceiver('silent', 'silent');
  const input = join(folder, 'input.jsonl');
  writeFileSync(input, '{"account":{"import_supplier":"NORTH","external_account_number":"A-1"}}\n');
  const flags = ['--base-url', `http://${service.host}`, '--team', 'EAST', '--log-format', 'json'];
  const child = spawn(process.execPath, ['--import', LAST, COMMAND, 'run', input, ...flags], {
    cwd: folder,
    env: { ...process.env, DATA_IMPORT_TOKEN: 'token' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const ended = new Promise((resolve) => child.once('close', (...end) => resolve(end)));
  await vi.waitFor(() => expect(service.received).toHaveLength(1), PATIENCE);
  child.kill(signal);
  expect(await ended).toEqual([code, null]);
  expect(out).toBe('last\n');
  expect(JSON.parse(err.trim().split('\n').at(-1) ?? '')).toMatchObject({ event: 'ended', exitCode: code });
});
