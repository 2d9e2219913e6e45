/**
 * How well a distributed run of three workers finds out how many accounts the service processes at the same time, while that
 * number changes: the share of it that is used, and the share of answers that are 429. The search from a limit of 2 counts; the
 * first account of the run, which is sent on its own, does not.
 */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { inputFromRecords, openDistributedRun, startMigration } from 'data-import-sdk/migration';
import { hasPostgres, type PostgresServer, startPostgres } from '../../test/migration/ledger/postgres/server.js';
import { inFolder } from '../frame/figures.js';
import type { Sheet } from '../frame/sheet.js';
import { clientOf, startService } from '../migration/bench-service.js';
import { smallAccounts } from '../migration/books.js';
import { startWorkerProcess } from '../migration/worker-process.js';
import { TEAM } from '../wire/accounts.js';

const CAPS = [24, 8, 40];
const PROCESSING_MS = 400;
const PHASE_MS = 30_000;
const WORKERS = 3;
/** Of each worker. Staging takes as long as processing. */
const CONCURRENCY = 64;
/** More than all phases can process. */
const ACCOUNTS = 8000;
const LOOK_MS = 100;

export async function measure(sheet: Sheet<'distributed-cap'>): Promise<void> {
  if (!hasPostgres()) throw new Error('there is no PostgreSQL, and none could be installed');
  const server = await startPostgres();
  try {
    const { use, refused } = await inFolder((folder) => measureUse(sheet, folder, server));
    sheet.fill('use', () => ({ value: use }));
    sheet.fill('refused', () => ({ value: refused }));
  } finally {
    await server.remove();
  }
}

/** In percent, of all phases together. */
async function measureUse(
  sheet: Sheet<'distributed-cap'>,
  folder: string,
  server: PostgresServer,
): Promise<{ use: number; refused: number }> {
  const accounts = sheet.size(ACCOUNTS, 400);
  const schema = 'cap';
  const service = await startService();
  const { origin } = service;
  const client = clientOf(service, 1);
  const distributed = await openDistributedRun({ database: server.url, schema, address: origin, works: false });
  // Otherwise the other accounts are registered after the first one is imported.
  await distributed.ledger.setFact('acceptedTeam', TEAM);
  const migration = await startMigration({
    client,
    input: inputFromRecords(() => recordsOf(accounts)),
    folder: join(folder, schema),
    team: TEAM,
    distributed,
  });
  migration.throttle.pause('the input is being loaded');
  const places = { origin, database: server.url, schema, concurrency: CONCURRENCY };
  const workers = Array.from({ length: WORKERS }, () => startWorkerProcess(places));
  try {
    await Promise.all(workers.map(({ joined }) => joined));
    while ((await distributed.ledger.counts()).total < accounts) await wait(LOOK_MS);
    await service.configure({ latencyMs: sheet.size(PROCESSING_MS, 20), isConstant: false, cap: CAPS[0] ?? 1 });
    migration.throttle.resume();
    const whole = { usedMs: 0, cappedMs: 0, throttled: 0, asked: 0 };
    // The first account of a run is sent on its own.
    while ((await distributed.ledger.counts()).unfinished === accounts) await wait(LOOK_MS);
    await service.configure({});
    for (const cap of CAPS) {
      await service.configure({ cap });
      await wait(sheet.size(PHASE_MS, 1000));
      const { answers, usedMs, cappedMs } = await service.configure({});
      const asked = answers.process + answers.throttled;
      const refused = (100 * answers.throttled) / Math.max(1, asked);
      sheet.say(`at ${cap}, use ${((100 * usedMs) / cappedMs).toFixed(1)} %, 429 ${refused.toFixed(1)} % of ${asked}`);
      whole.usedMs += usedMs;
      whole.cappedMs += cappedMs;
      whole.throttled += answers.throttled;
      whole.asked += asked;
    }
    migration.throttle.drain();
    await migration.finished;
    return { use: (100 * whole.usedMs) / whole.cappedMs, refused: (100 * whole.throttled) / Math.max(1, whole.asked) };
  } finally {
    for (const worker of workers) worker.kill();
    await distributed.close();
    await client.close();
    service.stop();
  }
}

function* recordsOf(accounts: number): Generator<unknown> {
  for (const line of smallAccounts(accounts)) yield JSON.parse(line);
}
