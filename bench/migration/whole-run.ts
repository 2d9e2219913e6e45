/** Does the work of `data-import-sdk run`: a migration with a ledger in a file, and its report. */
import { join } from 'node:path';
import { openInput, runMigration } from 'data-import-sdk/migration';
import { TEAM } from '../wire/accounts.js';
import { type BenchService, clientOf } from './bench-service.js';

/** Creates a new run folder in `folder` for each call. */
export async function wholeRun(
  service: BenchService,
  inputFile: string,
  folder: string,
  inFlight: number,
): Promise<void> {
  const client = clientOf(service, inFlight);
  const { state } = await runMigration({
    client,
    input: await openInput([inputFile]),
    folder: join(folder, `run-${performance.now()}`),
    team: TEAM,
    throttle: { concurrency: inFlight, process: { start: inFlight } },
  });
  await client.close();
  if (state !== 'finished') throw new Error(`the run ended as ${state}`);
}
