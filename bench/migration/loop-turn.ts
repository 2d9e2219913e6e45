/** Runs one turn of a plain loop over the records with the ledger of a distributed run: no queue, no workers. */
import { readFile } from 'node:fs/promises';
import { migrateRecord, postgresLedger } from 'data-import-sdk/migration';
import pLimit from 'p-limit';
import type { Sample } from '../frame/contest.js';
import { TEAM } from '../wire/accounts.js';
import { type BenchService, clientOf } from './bench-service.js';

export interface LoopTurn {
  service: BenchService;
  /** URL of the database of the ledger. */
  database: string;
  inputFile: string;
  schema: string;
  /** Records at the same time. */
  concurrency: number;
}

/** `rate` in records per second. */
export async function loopTurn({ service, database, inputFile, schema, concurrency }: LoopTurn): Promise<Sample> {
  const records = (await readFile(inputFile, 'utf8')).trim().split('\n');
  const client = clientOf(service, concurrency);
  const ledger = await postgresLedger({ connectionString: database, schema, shared: true });
  try {
    await service.configure({ forget: true });
    const limit = pLimit(concurrency);
    await limit.map(records, async (text) => {
      const { state } = await migrateRecord(JSON.parse(text), { client, ledger, team: TEAM });
      if (state !== 'complete') throw new Error(`a record is ${state}`);
    });
    const { answers, twice, firstAt = 0, lastAt = 0 } = await service.configure({});
    if (answers.process !== records.length || twice > 0) {
      throw new Error(`the service found ${JSON.stringify({ ...answers, twice })}`);
    }
    return { rate: records.length / ((lastAt - firstAt) / 1000) };
  } finally {
    await ledger.close();
    await client.close();
  }
}
