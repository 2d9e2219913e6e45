/** 100,000 calls with one client and one AbortSignal leave nothing behind: no listener, no timer, no memory (DESIGN 6). */
import { getEventListeners } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { DataImportClient, type DataImportClientOptions } from 'data-import-sdk';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** The first ones fill caches and compile the code. */
const WARM_UP = 10_000;
const MIB = 1024 * 1024;
/** With 100,000 calls 16 bytes each, less than any object that a call could leave; with 20,000 still less than a closure. */
const FLAT = 1.5 * MIB;

const staged = { import_supplier: 'ACME', external_account_number: 'A-1' };

let warnings: string[];
const collect = (warning: Error) => void warnings.push(warning.message);
beforeEach(() => {
  warnings = [];
  process.on('warning', collect);
});
afterEach(() => {
  process.off('warning', collect);
});

async function heapMiB(): Promise<number> {
  // With turns of the loop between: what one round finds unreachable may hold more.
  for (let round = 0; round < 3; round++) {
    collectGarbage();
    await new Promise(setImmediate);
  }
  return process.memoryUsage().heapUsed / MIB;
}

const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

/** Makes `count` calls, some hundred at a time; returns how many succeeded. */
async function callRepeatedly(client: DataImportClient, signal: AbortSignal, count: number): Promise<number> {
  let well = 0;
  for (let done = 0; done < count; done += 500) {
    const ends = await Promise.allSettled(
      Array.from({ length: 500 }, () => client.accounts.stage(staged, { signal, maxRetries: 2 })),
    );
    well += ends.filter(({ status }) => status === 'fulfilled').length;
  }
  return well;
}

async function expectNothingLeft(calls: number, options: Partial<DataImportClientOptions> & { baseUrl: string }) {
  const { signal } = new AbortController();
  const added = vi.spyOn(signal, 'addEventListener');
  const removed = vi.spyOn(signal, 'removeEventListener');
  let addedCount = 0;
  let removedCount = 0;
  // The counts are kept and the calls dropped, as the spies themselves would grow otherwise.
  const forget = () => {
    addedCount += added.mock.calls.length;
    removedCount += removed.mock.calls.length;
    added.mockClear();
    removed.mockClear();
  };
  const client = new DataImportClient({ token: async () => 'T-1', advanced: { retryBaseMs: 0 }, ...options });
  const before = timers();

  await callRepeatedly(client, signal, WARM_UP);
  forget();
  const warm = await heapMiB();
  const well = await callRepeatedly(client, signal, calls);
  forget();
  const after = await heapMiB();

  const grown = `${(after - warm).toFixed(2)} MiB`;
  console.info(
    `${options.fetch ? 'in memory' : 'real server'}: ${well} of ${calls} calls ended well; heap ${warm.toFixed(2)} to ${after.toFixed(2)} MiB (${grown}); ` +
      `listeners added ${addedCount}, removed ${removedCount}, left ${getEventListeners(signal, 'abort').length}; ` +
      `timers before ${before}, after ${timers()}`,
  );
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  expect(addedCount).toBeGreaterThan(0);
  expect(removedCount).toBe(addedCount);
  expect((after - warm) * MIB).toBeLessThan(FLAT);
  expect(warnings).toEqual([]);
  await client.close();
  await new Promise(setImmediate);
  expect(timers()).toBeLessThanOrEqual(before);
  return well;
}

it('100,000 calls through a fetch in memory that succeeds, fails, refuses and breaks', async () => {
  let requests = 0;
  const fetch = async (): Promise<Response> => {
    switch (requests++ % 10) {
      case 3:
        return new Response(null, { status: 500 });
      case 5:
        throw new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } });
      case 7:
        return Response.json({ detail: 'No.', code: 'no' }, { status: 400 });
      default:
        return Response.json(staged, { status: 201 });
    }
  };

  const well = await expectNothingLeft(100_000, { baseUrl: 'http://127.0.0.1:9', fetch });

  // One in eight is refused; what fails or breaks is sent again.
  expect(well).toBeGreaterThan(80_000);
  expect(well).toBeLessThan(95_000);
});

it('20,000 calls through the client’s own connections to a real server', async () => {
  let requests = 0;
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      const nth = requests++;
      if (nth % 100 === 50) return void request.socket.resetAndDestroy();
      const status = nth % 10 === 3 ? 500 : nth % 10 === 7 ? 400 : 201;
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(staged));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const well = await expectNothingLeft(20_000, { baseUrl });

  expect(well).toBeGreaterThan(16_000);
  expect(well).toBeLessThan(19_000);
});
