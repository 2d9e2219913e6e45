/**
 * The built client on another runtime than Node, against a sandbox that this script serves. Not part of the suite: it
 * takes a runtime that the suite cannot count on. Ends with 1 where a line differs from what is expected.
 *
 *     npm run build && npx tsx test/package/other-runtimes.ts deno run -A
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createSandbox } from 'data-import-sdk/sandbox';

const EXPECTED = [
  'lost: updated after 2 attempts',
  'process: created',
  'note: after 2 attempts',
  'status: PENDING',
  'at once: 200',
  'refused: invalid_phone_number',
  'aborted: AbortedError',
  'closed: ConnectionError, sent false',
];

const sandbox = createSandbox({
  faults: [
    { match: { operation: 'accounts.stage', account: 'A-1' }, when: 'first', effect: 'drop', phase: 'afterCommit' },
    { match: { operation: 'notes.create' }, when: 'first', effect: { status: 500 } },
  ],
});
const { url, close } = await sandbox.listen();
const [command = '', ...args] = process.argv.slice(2);
const client = fileURLToPath(new URL('./other-runtimes-client.mjs', import.meta.url));
const child = spawn(command, [...args, client, url, sandbox.token], { stdio: ['ignore', 'pipe', 'inherit'] });
const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
await close();

console.log(said);
const missing = EXPECTED.filter((line) => !said.split('\n').includes(line));
if (missing.length > 0) console.log(`Expected, and not there:\n${missing.join('\n')}`);
process.exitCode = code === 0 && missing.length === 0 ? 0 : 1;
