/** The built client on Node, Deno and Bun, each installed by npx, against a sandbox of this process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createSandbox } from 'data-import-sdk/sandbox';
import { expect, test } from 'vitest';
import { root } from './consumer.js';

const CLIENT = fileURLToPath(new URL('./other-runtimes-client.mjs', import.meta.url));

test.each([
  ['Node', process.execPath, [], false],
  ['Deno 2', 'npx', ['--yes', '-p', 'deno@2', 'deno', 'run', '-A'], false],
  // The error of its fetch does not name the address.
  ['Bun 1', 'npx', ['--yes', '-p', 'bun@1', 'bun', 'run'], true],
])('the client on %s', async (_, command, args, isSent) => {
  const sandbox = createSandbox({
    faults: [
      { match: { operation: 'accounts.stage', account: 'A-1' }, when: 'first', effect: 'drop', phase: 'afterCommit' },
      { match: { operation: 'notes.create' }, when: 'first', effect: { status: 500 } },
    ],
  });
  const { url, close } = await sandbox.listen();
  const child = spawn(command, [...args, CLIENT, url, sandbox.token], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const [said, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  await close();

  expect(said.trim().split('\n'), errors).toEqual([
    'lost: updated after 2 attempts',
    'process: created',
    'note: after 2 attempts',
    'status: PENDING',
    'at once: 200',
    'refused: invalid_phone_number',
    'aborted: AbortedError',
    `closed: ConnectionError, sent ${isSent}`,
  ]);
  expect(code).toBe(0);
});
