/**
 * What a call of the client costs beside a bare loop over undici's `Pool.request` with JSON both ways, on accounts of
 * 3 KB. The server has a process of its own and does as little as it can, so that the client is what is measured. The
 * ways take turns in every round; the medians count. Requests a second depend on what else the machine does, the CPU
 * time of a call hardly.
 *
 *     npx tsx --tsconfig bench/tsconfig.json bench/client.ts             over the wire: bare, client, client with the local check
 *     npx tsx --tsconfig bench/tsconfig.json bench/client.ts in-memory   no wire: what a call costs beyond dispatcher and JSON, and its parts
 *     npx tsx --tsconfig bench/tsconfig.json bench/client.ts heap        a million calls with one client: what is left on the heap
 */
import { fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { createServer, type Socket } from 'node:net';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Account, type CallOptions, DataImportClient, type DataImportClientOptions } from 'data-import-sdk';
import { sampleBook } from 'data-import-sdk/migration';
import { Dispatcher, Pool } from 'undici';

const ROUNDS = 15;
const REQUESTS = 4000;
const PATH = '/v1/data-import/account-import-process/create-or-update/';
const TOKEN = 'bench-token';

const HEADERS = { authorization: `Token ${TOKEN}`, accept: 'application/json', 'content-type': 'application/json' };

type Stage = (account: Account) => Promise<unknown>;
interface Way {
  name: string;
  stage: Stage;
}

/** Domestic accounts of a sample book; those of businesses would need their business first. */
function accounts(): Account[] {
  return [...sampleBook({ accounts: 2000, mistakes: 0, supplier: 'BENCH' })]
    .map(({ line }): { account?: Account } => JSON.parse(line))
    .flatMap(({ account }) => (account === undefined || 'business' in account ? [] : [account]));
}

async function overTheWire(): Promise<void> {
  const child = fork(fileURLToPath(import.meta.url), ['serve']);
  const port = await new Promise<number>((resolve) => child.once('message', (message) => resolve(message as number)));
  const baseUrl = `http://127.0.0.1:${port}`;
  const pool = new Pool(baseUrl, { connections: 64 });
  const [plain, checking] = [clientOf({ baseUrl, validate: false }), clientOf({ baseUrl })];
  const ways: Way[] = [
    { name: 'bare', stage: bare(pool) },
    { name: 'client', stage: (account) => plain.accounts.stage(account) },
    { name: 'client, local check', stage: (account) => checking.accounts.stage(account) },
  ];
  console.log(`${machine()}; ${ROUNDS} rounds of ${REQUESTS} requests each way, medians`);
  for (const inFlight of [16, 64]) report(inFlight, await measure(ways, inFlight));
  await Promise.all([pool.close(), plain.close(), checking.close()]);
  child.kill();
}

/** Without a wire a call is only CPU time: the difference to the bare dispatch is what the client adds. */
async function inMemory(): Promise<void> {
  const baseUrl = 'http://127.0.0.1:9';
  const dispatcher = new Answering();
  const unlimited = {
    timeoutMs: Number.POSITIVE_INFINITY,
    deadlineMs: Number.POSITIVE_INFINITY,
    concurrency: Number.POSITIVE_INFINITY,
  };
  const stageWith = (options: Partial<DataImportClientOptions>, call?: CallOptions): Stage => {
    const client = clientOf({ baseUrl, dispatcher, ...options });
    return (account) => client.accounts.stage(account, call);
  };
  const ways: Way[] = [
    { name: 'bare', stage: bareDispatch(dispatcher) },
    { name: 'client without limits', stage: stageWith({ validate: false, ...unlimited }) },
    { name: 'client', stage: stageWith({ validate: false }) },
    { name: 'client, one signal', stage: stageWith({ validate: false }, { signal: new AbortController().signal }) },
    { name: 'client, local check', stage: stageWith({}) },
  ];
  console.log(`${machine()}; ${ROUNDS} rounds of ${REQUESTS} calls each way, in memory, medians`);
  const measured = await measure(ways, 64);
  const bareCpu = median(measured.get('bare')?.cpu ?? []);
  for (const [name, { cpu }] of measured) {
    console.log(
      `${name.padEnd(24)} ${median(cpu).toFixed(1)} us a call, ${(median(cpu) - bareCpu).toFixed(1)} more than bare`,
    );
  }
}

async function heap(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const client = clientOf({ baseUrl: 'http://127.0.0.1:9', dispatcher: new Answering(), validate: false });
  const sample = accounts();
  const stage: Stage = (account) => client.accounts.stage(account);
  console.log(machine());
  for (let done = 0; done <= 1_000_000; done += 100_000) {
    for (let round = 0; round < 3; round++) {
      collect();
      await new Promise(setImmediate);
    }
    console.log(`${done} calls: ${(process.memoryUsage().heapUsed / 2 ** 20).toFixed(2)} MiB`);
    if (done < 1_000_000) await load(stage, sample, 64, 100_000);
  }
}

function clientOf(options: Omit<DataImportClientOptions, 'token'>): DataImportClient {
  return new DataImportClient({ token: TOKEN, ...options });
}

function bare(pool: Pool): Stage {
  return async (account) => {
    const body = JSON.stringify(account);
    const answer = await pool.request({ method: 'POST', path: PATH, headers: HEADERS, body });
    return answer.body.json();
  };
}

function bareDispatch(dispatcher: Dispatcher): Stage {
  return (account) =>
    new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      dispatcher.dispatch(
        { origin: '', method: 'POST', path: PATH, headers: HEADERS, body: JSON.stringify(account) },
        {
          onRequestStart() {},
          onResponseStart() {},
          onResponseData: (_, chunk) => void chunks.push(chunk),
          onResponseEnd: () => resolve(JSON.parse(Buffer.concat(chunks).toString())),
          onResponseError: (_, error) => reject(error),
        },
      );
    });
}

const STAGED = Buffer.from('{"import_supplier":"BENCH","external_account_number":"A-1"}');

/** Answers each request as soon as it can. */
class Answering extends Dispatcher {
  override dispatch(_: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    queueMicrotask(() => {
      const controller = { aborted: false, abort() {}, pause() {}, resume() {} } as never;
      handler.onRequestStart?.(controller, {});
      handler.onResponseStart?.(controller, 201, { 'content-type': 'application/json', 'content-length': '59' });
      handler.onResponseData?.(controller, STAGED);
      handler.onResponseEnd?.(controller, {});
    });
    return true;
  }
}

interface Measured {
  rate: number[];
  cpu: number[];
  p50: number[];
  p99: number[];
}

async function measure(ways: Way[], inFlight: number): Promise<Map<string, Measured>> {
  const sample = accounts();
  const measured = new Map(ways.map(({ name }) => [name, { rate: [], cpu: [], p50: [], p99: [] } as Measured]));
  for (let round = -3; round < ROUNDS; round++) {
    for (const { name, stage } of ways) {
      const before = process.cpuUsage();
      const startedAt = performance.now();
      const latencies = await load(stage, sample, inFlight, REQUESTS);
      const seconds = (performance.now() - startedAt) / 1000;
      const { user, system } = process.cpuUsage(before);
      // The first ones warm up.
      if (round < 0) continue;
      const { rate, cpu, p50, p99 } = measured.get(name) as Measured;
      latencies.sort((a, b) => a - b);
      rate.push(REQUESTS / seconds);
      cpu.push((user + system) / REQUESTS);
      p50.push(latencies[REQUESTS / 2] ?? 0);
      p99.push(latencies[Math.floor(REQUESTS * 0.99)] ?? 0);
    }
  }
  return measured;
}

/** How long each call took, in milliseconds. */
async function load(stage: Stage, sample: Account[], inFlight: number, calls: number): Promise<number[]> {
  const latencies = new Array<number>(calls).fill(0);
  let next = 0;
  const caller = async () => {
    while (next < calls) {
      const nth = next++;
      const startedAt = performance.now();
      await stage(sample[nth % sample.length] as Account);
      latencies[nth] = performance.now() - startedAt;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, caller));
  return latencies;
}

function report(inFlight: number, measured: Map<string, Measured>): void {
  const bareWay = measured.get('bare') as Measured;
  console.log(`\n${inFlight} in flight`.padEnd(25), ' requests/s        CPU us/call       p50 ms          p99 ms');
  for (const [name, way] of measured) {
    const cell = (what: keyof Measured, digits: number) => {
      const [value, of] = [median(way[what]), median(bareWay[what])];
      return `${value.toFixed(digits)} (${(value / of).toFixed(2)})`.padEnd(16);
    };
    console.log(name.padEnd(24), cell('rate', 0), cell('cpu', 1), cell('p50', 2), cell('p99', 2));
  }
}

function machine(): string {
  const { version } = createRequire(import.meta.url)('undici/package.json');
  return `Node ${process.version}, undici ${version}, ${availableParallelism()} cores`;
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** Answers like the service's staging, and parses no more than where a request ends and which account it is about. */
async function serve(): Promise<void> {
  const server = createServer((socket) => {
    socket.setNoDelay(true);
    let pending = '';
    socket.on('data', (chunk) => {
      pending = pending === '' ? chunk.toString('latin1') : pending + chunk.toString('latin1');
      const head = pending.indexOf('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(pending)?.[1] ?? 0);
      if (head < 0 || pending.length < head + 4 + length) return;
      answer(socket, /"external_account_number":"([^"]*)"/.exec(pending)?.[1] ?? '');
      pending = '';
    });
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  process.send?.((server.address() as { port: number }).port);
}

function answer(socket: Socket, accountNumber: string): void {
  const body = `{"import_supplier":"BENCH","external_account_number":"${accountNumber}"}`;
  socket.write(
    'HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nX-Request-Id: req-1\r\n' +
      `Date: Sun, 22 Nov 2026 00:00:00 GMT\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
}

const modes: Record<string, () => Promise<void>> = { wire: overTheWire, 'in-memory': inMemory, heap, serve };
const mode = process.argv[2] ?? 'wire';
if (modes[mode] === undefined) throw new TypeError(`${mode}: expected one of ${Object.keys(modes).join(', ')}`);
await modes[mode]();
