/** A connection that fails during a run is reported with host and cause: on the terminal, in the audit log, in the report. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createSandbox } from '../../../src/sandbox/index.js';
import { account, nameService, openFolder, run } from '../typed.js';

const { at, inputFile } = openFolder();

/** A sandbox behind a server that closes after `after` requests. */
async function serviceThatLeaves(after: number) {
  const sandbox = createSandbox();
  let requests = 0;
  const server = createServer(async (request, response) => {
    const { method = 'GET', url = '' } = request;
    const body = method === 'POST' ? JSON.stringify(await json(request)) : undefined;
    const headers = { authorization: `Token ${sandbox.token}`, 'content-type': 'application/json' };
    const answer = await sandbox.fetch(
      new Request(`http://sandbox${url}`, { method, headers, ...(body !== undefined && { body }) }),
    );
    const isLast = ++requests >= after;
    if (isLast) server.close();
    response.writeHead(answer.status, {
      ...Object.fromEntries(answer.headers),
      ...(isLast && { connection: 'close' }),
    });
    response.end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.closeAllConnections());
  const { port } = server.address() as AddressInfo;
  nameService(`http://127.0.0.1:${port}`, sandbox.token, 'SANDBOX_TEAM');
  return `127.0.0.1:${port}`;
}

function listen() {
  const shown: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => shown.push(String(text)) > 0);
  onTestFinished(() => void vi.restoreAllMocks());
  return () => shown.join('');
}

const accounts = (count: number) => Array.from({ length: count }, (_, index) => account(`A-${index + 1}`));

test('if it halts the run, reason, terminal, audit log and report have host and cause', async () => {
  const host = await serviceThatLeaves(8);
  const shown = listen();
  const path = inputFile('halted.jsonl', ...accounts(40));
  const flags = ['--run', at('halted'), '--max-retries', '0', '--concurrency', '1', '--halt', 'failed=5,outage=0'];
  const { code, out } = await run('run', path, ...flags);
  const cause = `connection to ${host} failed: ECONNREFUSED, nothing listens on this port`;
  expect(code).toBe(6);
  expect(out).toMatch(
    new RegExp(`\\nHalted: 5 calls in a row failed, the last at \\w+: ${cause}: look at the service and the network`),
  );
  expect(shown()).toContain(`Connection to ${host} failed: ECONNREFUSED, nothing listens on this port.\n`);
  for (const name of ['audit.log', 'report.json', 'report.html']) {
    const text = readFileSync(at(`halted/${name}`), 'utf8');
    expect(text).toContain(cause);
    expect(text).toContain(`to ${host} without a usable answer (ECONNREFUSED `);
  }
});

test('if it leaves records open, the end has host and cause', async () => {
  const host = await serviceThatLeaves(8);
  listen();
  const path = inputFile('left.jsonl', ...accounts(5));
  const flags = ['--run', at('left'), '--max-retries', '0', '--concurrency', '1', '--halt', 'failed=0'];
  const { code, out } = await run('run', path, ...flags);
  expect(code).toBe(9);
  expect(out).toMatch(
    new RegExp(
      `\\nUnfinished: 4 records have not ended; calls failed, the last at \\w+: connection to ${host} failed: ECONNREFUSED, nothing listens`,
    ),
  );
});
