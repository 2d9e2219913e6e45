/**
 * How fast the sandbox answers over HTTP, beside a bare node:http server that parses the same bodies and answers the
 * same. Each runs in a process of its own; rounds are interleaved, the ratio of the medians counts. The CPU time of the
 * server for each request is given too: it does not depend on what else the machine does.
 *
 *     npm run build && npx tsx --tsconfig bench/tsconfig.json bench/sandbox.ts
 */
import { type ChildProcess, fork } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { sampleBook } from 'data-import-sdk/migration';
import { createSandbox, SANDBOX_SUPPLIER, SANDBOX_TOKEN } from 'data-import-sdk/sandbox';
import { Pool } from 'undici';

const ROUNDS = 15;
const REQUESTS = 2000;
const IN_FLIGHT = 64;
const VALIDATE = '/v1/data-import/validate-account/';
const STAGE = '/v1/data-import/account-import-process/create-or-update/';

/** Domestic accounts of a sample book, about 3 KB each; those of businesses would need their business first. */
const ACCOUNTS = [...sampleBook({ accounts: 2 * REQUESTS, mistakes: 0, supplier: SANDBOX_SUPPLIER })]
  .map(({ line }): { account?: Record<string, unknown> } => JSON.parse(line))
  .flatMap(({ account }) => (account === undefined || account['business'] !== undefined ? [] : [account]))
  .slice(0, REQUESTS);

const role = process.argv[2];
if (role === undefined) await compare();
else await serve(role);

async function serve(which: string): Promise<void> {
  const port = which === 'sandbox' ? (await createSandbox().listen()).port : await listenBare();
  process.on('message', () => process.send?.(process.cpuUsage()));
  process.send?.(port);
}

async function listenBare(): Promise<number> {
  const staged = new Map<string, unknown>();
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const account = JSON.parse(Buffer.concat(chunks).toString());
    const { import_supplier, external_account_number } = account;
    const isStage = request.url === STAGE;
    const isNew = isStage && !staged.has(external_account_number);
    if (isStage) staged.set(external_account_number, account);
    const body = JSON.stringify(isStage ? { import_supplier, external_account_number } : account);
    response.writeHead(isNew ? 201 : 200, {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function compare(): Promise<void> {
  const servers = await Promise.all(['sandbox', 'bare'].map(start));
  const rates = new Map<string, number[]>();
  const costs = new Map<string, number[]>();
  const note = (to: Map<string, number[]>, key: string, value: number) => to.set(key, [...(to.get(key) ?? []), value]);
  let serial = 0;
  for (let round = -2; round < ROUNDS; round++) {
    for (const { name, pool, child } of servers) {
      for (const [path, what] of [
        [VALIDATE, 'validate'],
        [STAGE, 'stage'],
      ] as const) {
        const from = serial;
        serial += REQUESTS;
        const before = await cpuOf(child);
        const rate = await load(pool, path, from);
        const cost = ((await cpuOf(child)) - before) / REQUESTS;
        // The first two rounds warm up.
        if (round < 0) continue;
        note(rates, `${name} ${what}`, rate);
        note(costs, `${name} ${what}`, cost);
      }
    }
  }
  for (const { child, pool } of servers) {
    await pool.close();
    child.kill();
  }
  const { arch, version } = process;
  console.log(`Node ${version}, ${arch}; ${ROUNDS} rounds of ${REQUESTS} requests, ${IN_FLIGHT} in flight, medians`);
  for (const what of ['validate', 'stage']) {
    const of = (from: Map<string, number[]>, name: string) => median(from.get(`${name} ${what}`) ?? []);
    const [sandbox, bare] = [of(rates, 'sandbox'), of(rates, 'bare')];
    const [sandboxCpu, bareCpu] = [of(costs, 'sandbox'), of(costs, 'bare')];
    console.log(
      `${what}: sandbox ${sandbox.toFixed(0)}/s, bare ${bare.toFixed(0)}/s, ratio ${(sandbox / bare).toFixed(2)}; ` +
        `CPU ${sandboxCpu.toFixed(0)} and ${bareCpu.toFixed(0)} us a request, ratio ${(bareCpu / sandboxCpu).toFixed(2)}`,
    );
  }
}

/** In microseconds, since the process began. */
async function cpuOf(child: ChildProcess): Promise<number> {
  const answer = new Promise<NodeJS.CpuUsage>((resolve) => child.once('message', (usage) => resolve(usage as never)));
  child.send('cpu');
  const { user, system } = await answer;
  return user + system;
}

async function start(name: string) {
  const child = fork(fileURLToPath(import.meta.url), [name]);
  const port = await new Promise<number>((resolve) => child.once('message', (message) => resolve(message as number)));
  return { name, child, pool: new Pool(`http://127.0.0.1:${port}`, { connections: 8 }) };
}

/** Requests a second. */
async function load(pool: Pool, path: string, from: number): Promise<number> {
  const headers = { authorization: `Token ${SANDBOX_TOKEN}`, 'content-type': 'application/json' };
  const bodies = ACCOUNTS.map((account, index) =>
    JSON.stringify({ ...account, external_account_number: `A-${from + index}` }),
  );
  let next = 0;
  const started = process.hrtime.bigint();
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      while (next < REQUESTS) {
        const body = bodies[next++] ?? '';
        const answer = await pool.request({ method: 'POST', path, headers, body });
        if (answer.statusCode >= 300) throw new Error(`${path}: ${answer.statusCode} ${await answer.body.text()}`);
        await answer.body.dump();
      }
    }),
  );
  return REQUESTS / (Number(process.hrtime.bigint() - started) / 1e9);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
