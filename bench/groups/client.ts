/** Compares a call of the client with a bare loop: over HTTP, in memory, and a million times in memory for heap growth. */
import { DataImportClient, type DataImportClientOptions } from 'data-import-sdk';
import type { Contestant } from '../frame/contest.js';
import type { Sheet } from '../frame/sheet.js';
import { sampleAccounts, TOKEN } from '../wire/accounts.js';
import { bareLoop } from '../wire/bare.js';
import { Answering, bareDispatch, dispatchWithIdiom } from '../wire/in-memory.js';
import { type Load, load } from '../wire/load.js';
import { start } from '../wire/start.js';

type ClientSheet = Sheet<'client'>;
type Options = Omit<DataImportClientOptions, 'token'>;

const ROUNDS = 15;
const IN_FLIGHT = [16, 64] as const;
/** No server listens on this port; the dispatcher in memory answers. */
const INERT_CONTEXT = 'http://127.0.0.1:9';
const UNLIMITED = {
  timeoutMs: Number.POSITIVE_INFINITY,
  deadlineMs: Number.POSITIVE_INFINITY,
  concurrency: Number.POSITIVE_INFINITY,
  maxRetries: 0,
};

export async function measure(sheet: ClientSheet): Promise<void> {
  await overTheWire(sheet);
  await inMemory(sheet);
  await heap(sheet);
}

async function overTheWire(sheet: ClientSheet): Promise<void> {
  const server = await start(new URL('../wire/server.ts', import.meta.url));
  const { origin: baseUrl } = server;
  for (const inFlight of IN_FLIGHT) {
    const what = { accounts: sampleAccounts(sheet.seed), inFlight, calls: sheet.size(4000, 40) };
    const held = await sheet.contest(
      `${inFlight} in flight`,
      {
        bare: () => bareLoop(baseUrl, what),
        client: () => clientWith({ baseUrl, validate: false }, what),
        'client, local check': () => clientWith({ baseUrl }, what),
      },
      ROUNDS,
    );
    sheet.fill(`rate ${inFlight}`, () => held.ratio('rate', 'client', 'bare'));
    sheet.fill(`p99 ${inFlight}`, () => held.ratio('p99', 'client', 'bare'));
    sheet.fill(`checked rate ${inFlight}`, () => held.ratio('rate', 'client, local check', 'bare'));
    sheet.fill(`checked cpu ${inFlight}`, () => held.ratio('cpu', 'client, local check', 'bare'));
    sheet.fill(`checked p99 ${inFlight}`, () => held.ratio('p99', 'client, local check', 'bare'));
  }
  server.stop();
}

async function inMemory(sheet: ClientSheet): Promise<void> {
  const dispatcher = new Answering();
  const what = { accounts: sampleAccounts(sheet.seed), inFlight: 64, calls: sheet.size(8000, 40) };
  const options = { baseUrl: INERT_CONTEXT, dispatcher, validate: false };
  const held = await sheet.contest(
    'without a wire',
    {
      bare: () => ({ turn: () => load(bareDispatch(dispatcher), what) }),
      idiom: () => ({ turn: () => load(dispatchWithIdiom(dispatcher, what.inFlight), what) }),
      'client without limits': () => clientWith({ ...options, ...UNLIMITED }, what),
      client: () => clientWith(options, what),
    },
    ROUNDS,
  );
  sheet.fill('limits', () => held.difference('cpu', 'client', 'client without limits'));
  sheet.fill('idiom limits', () => held.difference('cpu', 'idiom', 'bare'));
  sheet.fill('added', () => held.difference('cpu', 'client', 'bare'));
}

async function heap(sheet: ClientSheet): Promise<void> {
  const [calls, warmUp] = [sheet.size(1_000_000, 2000), sheet.size(100_000, 1000)];
  const accounts = sampleAccounts(sheet.seed);
  const client = clientOf({ baseUrl: INERT_CONTEXT, dispatcher: new Answering(), validate: false });
  const heaps: number[] = [];
  for (let done = 0; done < calls; done += warmUp) {
    await load((account) => client.accounts.stage(account), { accounts, inFlight: 64, calls: warmUp });
    heaps.push(await settledHeap());
  }
  sheet.say(`heap, MiB: ${heaps.map((bytes) => (bytes / 2 ** 20).toFixed(2)).join(' ')}`);
  sheet.fill('heap', () => ({ value: ((heaps.at(-1) ?? Number.NaN) - (heaps[0] ?? Number.NaN)) / 2 ** 20 }));
}

async function settledHeap(): Promise<number> {
  for (let time = 0; time < 3; time++) {
    globalThis.gc?.();
    await new Promise(setImmediate);
  }
  return process.memoryUsage().heapUsed;
}

function clientWith(options: Options, what: Load): Contestant {
  const client = clientOf(options);
  return { turn: () => load((account) => client.accounts.stage(account), what), close: () => client.close() };
}

function clientOf(options: Options): DataImportClient {
  return new DataImportClient({ token: TOKEN, ...options });
}
