/** Runs one turn of a distributed run: the input is loaded first, then the workers import it. Returns rate and database cost. */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { openDistributedRun, openInput, startMigration } from 'data-import-sdk/migration';
import type { PostgresServer } from '../../test/migration/ledger/postgres/server.js';
import type { Sample } from '../frame/contest.js';
import { TEAM } from '../wire/accounts.js';
import { type BenchService, clientOf } from './bench-service.js';
import { cpuUsOfFamily, parentOf } from './process-cpu.js';
import { startWorkerProcess } from './worker-process.js';

export interface DistributedTurn {
  service: BenchService;
  server: PostgresServer;
  inputFile: string;
  /** Number of accounts in the input. */
  accounts: number;
  /** The folder in which the run folder is created. */
  folder: string;
  schema: string;
  workers: number;
  concurrency: number;
}

const LOOK_MS = 100;
/** Fixed limit of the `process` step, high enough not to affect the measurement. */
const AT_ONCE = 64;

/** `rate` in records per second; bytes, statements and CPU (us) per record; `connections` open at the same time. */
export async function distributedTurn(turn: DistributedTurn): Promise<Sample> {
  const { service, server, inputFile, accounts, folder, schema, workers, concurrency } = turn;
  const { origin } = service;
  const client = clientOf(service, 1);
  const distributed = await openDistributedRun({ database: server.url, schema, address: origin, works: false });
  // Otherwise the other accounts are registered after the first one is imported.
  await distributed.ledger.setFact('acceptedTeam', TEAM);
  const places = { origin, database: server.url, schema, concurrency };
  const migration = await startMigration({
    client,
    input: await openInput([inputFile]),
    folder: join(folder, schema),
    team: TEAM,
    distributed,
    throttle: { concurrency: AT_ONCE, process: { start: AT_ONCE, least: AT_ONCE, most: AT_ONCE } },
  });
  migration.throttle.pause('the input is being loaded');
  const started = Array.from({ length: workers }, () => startWorkerProcess(places));
  try {
    await Promise.all(started.map(({ joined }) => joined));
    while ((await distributed.ledger.counts()).total < accounts) await wait(LOOK_MS);

    const number = async (sql: string) => Number((await server.ask(`select (${sql})::float8 as value`))[0]?.['value']);
    const postmaster = parentOf(await number(`select pid from pg_stat_activity where backend_type = 'checkpointer'`));
    const lines = await number(`pg_total_relation_size('${schema}.payload')`);
    await server.ask('select pg_stat_statements_reset()');
    const walAt = (await server.ask('select pg_current_wal_lsn() as lsn'))[0]?.['lsn'];
    const cpuAt = { database: cpuUsOfFamily(postmaster), workers: total(started.map(({ cpuUs }) => cpuUs())) };
    await service.configure({ forget: true });
    migration.throttle.resume();

    let connections = 0;
    let isOver = false;
    const finished = migration.finished.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      const backends = `select count(*) from pg_stat_activity where application_name like 'data-import%'`;
      connections = Math.max(connections, await number(backends));
      await Promise.race([finished, wait(LOOK_MS)]);
    }
    const { state } = await finished;
    const { answers, twice, firstAt = 0, lastAt = 0 } = await service.configure({});
    await Promise.all(started.map(({ ended }) => ended));
    if (state !== 'finished' || answers.process !== accounts || twice > 0) {
      throw new Error(`the run is ${state}, and the service found ${JSON.stringify({ ...answers, twice })}`);
    }
    const cpu = { database: cpuUsOfFamily(postmaster), workers: total(started.map(({ cpuUs }) => cpuUs())) };
    return {
      rate: accounts / ((lastAt - firstAt) / 1000),
      records: (await number(`pg_total_relation_size('${schema}.record')`)) / accounts,
      lines: lines / accounts,
      wal: (await number(`pg_current_wal_lsn() - '${walAt}'::pg_lsn`)) / accounts,
      statements: (await number('select sum(calls) from pg_stat_statements')) / accounts,
      workerCpu: (cpu.workers - cpuAt.workers) / accounts,
      databaseCpu: (cpu.database - cpuAt.database) / accounts,
      connections,
    };
  } finally {
    for (const worker of started) worker.kill();
    await distributed.close();
    await client.close();
    await server.ask(`drop schema ${schema} cascade`);
  }
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
