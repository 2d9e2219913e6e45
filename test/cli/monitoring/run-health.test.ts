/** `data-import-sdk run --health` on one machine: what it serves before, during and after a session. */

import { createServer } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { PATIENCE } from '../../helpers/patience.js';
import { account, openFolder, openService, run, runIn } from '../typed.js';

const { at, inputFile } = openFolder();

/** The lines that a command prints to standard error, and the address that they name. */
function watchedLines() {
  let text = '';
  return {
    err: (more: string) => {
      text += more;
    },
    text: () => text,
    url: () => vi.waitFor(() => /Health and metrics: (\S+)\n/.exec(text)?.[1] ?? expect.fail(text), PATIENCE),
  };
}

const asked = async (url: string, path: string) => {
  const answer = await fetch(url + path);
  return [answer.status, await answer.text()] as const;
};

test('it is ready while it imports records, and not while it is paused', { tags: 'long' }, async () => {
  await openService({ faults: [{ match: {}, effect: { latencyMs: 5 } }] });
  const lines = watchedLines();
  const accounts = Array.from({ length: 300 }, (_, index) => account(`A-${index + 1}`));
  const args = [inputFile('many.jsonl', ...accounts), '--run', at('many'), '--health', '0'];
  const ended = runIn({ err: lines.err }, 'run', ...args, '--process-concurrency', '1');
  const url = await lines.url();
  const becomes = (status: number, body: string) =>
    vi.waitFor(async () => expect(await asked(url, '/readyz')).toEqual([status, body]), PATIENCE);
  await becomes(200, '{"state":"running","lacks":[]}');
  expect(await asked(url, '/healthz')).toEqual([200, 'ok\n']);
  await run('pause', '--run', at('many'));
  await becomes(503, '{"state":"paused","lacks":["paused: by the operator"]}');
  expect((await asked(url, '/metrics'))[1]).toContain('\ndata_import_run_state{state="paused"} 1\n');
  await run('resume', '--run', at('many'));
  expect((await ended).code).toBe(0);
  await expect(fetch(url)).rejects.toThrow();
});

test('it counts the records of all sessions of the command, and is not ready while a question waits for an answer', async () => {
  await openService();
  const lines = watchedLines();
  const seen: (readonly [number, string])[] = [];
  const ask = async () => {
    const url = await lines.url();
    seen.push(await asked(url, '/readyz'), await asked(url, '/metrics'));
    return 'n';
  };
  const path = inputFile('three.jsonl', account('A-1'), account('A-2'), account('A-3'));
  const args = ['run', path, '--run', at('canary'), '--canary', '2', '--health', '0'];
  expect((await runIn({ ask, err: lines.err }, ...args)).code).toBe(7);
  expect(seen[0]).toEqual([503, '{"state":"starting","lacks":[]}']);
  expect(seen[1]?.[1]).toContain('\ndata_import_records_ended_total{outcome="created"} 2\n');
});

test('a port in use ends the command with code 2 before a request', async () => {
  const sandbox = await openService();
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  const path = inputFile('one.jsonl', account('A-1'));
  const { code, err } = await run('run', path, '--run', at('taken'), '--health', String(port));
  expect([code, err]).toEqual([
    2,
    `data-import-sdk: --health: cannot listen on 127.0.0.1, port ${port} (EADDRINUSE). Give another port, or 0 for any free port.\n`,
  ]);
  expect(sandbox.requests()).toEqual([]);
});

test('retry serves it too', async () => {
  await openService();
  const path = inputFile('bad.jsonl', account('A-1', { customers: [{ landline: 'x' }] }));
  await run('run', path, '--run', at('retried'));
  const corrected = inputFile('corrected.jsonl', account('A-1'));
  const { code, err } = await run('retry', corrected, '--run', at('retried'), '--health', '0');
  expect(code).toBe(0);
  expect(err).toContain('Health and metrics: http://127.0.0.1:');
});
