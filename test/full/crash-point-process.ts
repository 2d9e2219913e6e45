/**
 * A migration that kills itself at a named point: around its own ledger and its own way to the service, never in the
 * runner. Arguments: the input, the run folder, the address of the service, the point, and the pass of it at which it kills itself.
 * For a torn write it leaves the ledger's log from before and after the write, for the test that tears it.
 */
import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Dispatcher, Pool } from 'undici';
import { DataImportClient } from '../../src/client.js';
import { openInput } from '../../src/migration/input/open-input.js';
import type { Ledger } from '../../src/migration/ledger/ledger.js';
import { openSqliteLedger } from '../../src/migration/ledger/sqlite/sqlite-ledger.js';
import { runMigration } from '../../src/migration/migrate.js';
import { openRunFolder } from '../../src/migration/report/folder/run-folder.js';
import type { CrashPoint } from '../migration/simulation/simulated-session.js';

const [inputFile = '', folder = '', url = '', point = '', time = '0'] = process.argv.slice(2);
let left = Number(time);

function pass(reached: CrashPoint): void {
  if (reached === point && left-- === 1) process.kill(process.pid, 'SIGKILL');
}

function mortal(ledger: Ledger): Ledger {
  const log = join(folder, 'ledger.sqlite-wal');
  const underWay = new Set<Promise<void>>();
  let isTearing = false;

  /** Waits for all other writes first, so that the torn part has no acknowledged write. */
  async function tear(write: () => Promise<void>): Promise<void> {
    isTearing = true;
    await Promise.allSettled(underWay);
    if (existsSync(log)) copyFileSync(log, `${log}.before`);
    await write();
    copyFileSync(log, `${log}.after`);
    process.kill(process.pid, 'SIGKILL');
  }

  return {
    ...ledger,
    async write(record, contracts) {
      const announces = record.intent !== null;
      if (announces) pass('before the intent');
      if (isTearing) return new Promise(() => {});
      if (point === 'torn write' && left-- === 1) return tear(() => ledger.write(record, contracts));
      const written = ledger.write(record, contracts);
      underWay.add(written);
      await written.finally(() => underWay.delete(written));
      if (announces) pass('after the intent');
    },
  };
}

type Handler = Dispatcher.DispatchHandler;

/** undici tells when a request has been written and when its answer has come. */
function mortalWay(pool: Pool): Dispatcher {
  const dispatch = (options: Dispatcher.DispatchOptions, handler: Handler) => {
    if (options.method !== 'POST') return pool.dispatch(options, handler);
    const watched: Handler = {
      onRequestStart: (...all) => handler.onRequestStart?.(...all),
      onResponseStart(...all) {
        pass('after the commit');
        handler.onResponseStart?.(...all);
      },
      onResponseData: (...all) => handler.onResponseData?.(...all),
      onResponseEnd(...all) {
        handler.onResponseEnd?.(...all);
        // The caller has the answer, and has stored nothing yet.
        queueMicrotask(() => pass('after the answer'));
      },
      onResponseError: (...all) => handler.onResponseError?.(...all),
    };
    const taken = pool.dispatch(options, watched);
    setImmediate(() => pass('after the send'));
    return taken;
  };
  return { dispatch } as unknown as Dispatcher;
}

const pool = new Pool(url, { connections: 16 });
await openRunFolder(folder);
const ledger = await openSqliteLedger(join(folder, 'ledger.sqlite'));
const { state } = await runMigration({
  client: new DataImportClient({
    ...{ baseUrl: url, token: 'sandbox-token', dispatcher: mortalWay(pool) },
    ...{ timeoutMs: Number.POSITIVE_INFINITY, advanced: { inFlightGraceMs: 200 } },
  }),
  input: await openInput([inputFile]),
  folder,
  team: 'SANDBOX_TEAM',
  ledger: mortal(ledger),
  throttle: { process: { start: 8, most: 16 } },
});
await ledger.close();
await pool.close();
process.exitCode = state === 'finished' ? 0 : 1;
