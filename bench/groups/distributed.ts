/**
 * Measures the records per second of one, two and three workers, each a separate process, and the database cost of a
 * record. The process that reads the input only loads it. PostgreSQL is started on the same machine.
 */
import { join } from 'node:path';
import { hasPostgres, type PostgresServer, startPostgres } from '../../test/migration/ledger/postgres/server.js';
import { inFolder } from '../frame/figures.js';
import type { Sheet } from '../frame/sheet.js';
import { startService } from '../migration/bench-service.js';
import { largeAccounts, writeInputFile } from '../migration/books.js';
import { distributedTurn } from '../migration/distributed-turn.js';
import { loopTurn } from '../migration/loop-turn.js';

const [ROUNDS, WARM_UPS] = [3, 1];
const LATENCY_MS = 20;
/** Calls in flight of each worker, low enough that the shared cores do not limit the workers. */
const CONCURRENCY = 4;

export async function measure(sheet: Sheet<'distributed'>): Promise<void> {
  if (!hasPostgres()) throw new Error('there is no PostgreSQL, and none could be installed');
  const lines = [...largeAccounts(sheet.size(1500, 60), sheet.seed)];
  const [service, server] = [await startService(), await startPostgres()];
  try {
    await countStatements(server);
    await service.configure({ latencyMs: LATENCY_MS });
    await inFolder(async (folder) => {
      const inputFile = join(folder, 'input.jsonl');
      await writeInputFile(inputFile, lines);
      let turns = 0;
      const workers = (count: number) => () => ({
        turn: () =>
          distributedTurn({
            ...{ service, server, inputFile, folder, accounts: lines.length },
            ...{ schema: `distributed_${++turns}`, workers: count, concurrency: CONCURRENCY },
          }),
      });
      const loop = () => ({
        turn: () =>
          loopTurn({
            ...{ service, database: server.url, inputFile, schema: `loop_${++turns}`, concurrency: 2 * CONCURRENCY },
          }),
      });
      const contestants = { one: workers(1), two: workers(2), three: workers(3), loop };
      const held = await sheet.contest('workers', contestants, ROUNDS, WARM_UPS);
      sheet.fill('rate 2', () => held.ratio('rate', 'two', 'one'));
      sheet.fill('rate loop', () => held.ratio('rate', 'two', 'loop'));
      sheet.fill('rate 3', () => held.ratio('rate', 'three', 'one'));
      sheet.fill('records bytes', () => held.figure('records', 'three'));
      sheet.fill('lines bytes', () => held.figure('lines', 'three'));
      sheet.fill('wal bytes', () => held.figure('wal', 'three'));
      sheet.fill('statements', () => held.figure('statements', 'three'));
      sheet.fill('worker cpu', () => held.figure('workerCpu', 'three'));
      sheet.fill('database cpu', () => held.figure('databaseCpu', 'three'));
      sheet.fill('connections', () => held.difference('connections', 'three', 'two'));
    });
  } finally {
    service.stop();
    await server.remove();
  }
}

async function countStatements(server: PostgresServer): Promise<void> {
  await server.ask("alter system set shared_preload_libraries = 'pg_stat_statements'");
  await server.stop();
  await server.start();
  await server.ask('create extension pg_stat_statements');
}
