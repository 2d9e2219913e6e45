/**
 * How well a run finds out how many accounts the service processes at the same time: the share of the cap that is
 * used, and the share of answers that are 429. The first minute of the first service is the run's beginning: it counts.
 */

import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { bookOf, startMigration } from 'data-import-sdk/migration';
import { clientOf, startService } from './bench-service.js';
import { smallAccounts } from './books.js';
import { inFolder } from './figures.js';

const PROCESSING_MS = 400;
const PHASE_MS = 60_000;
const ENDLESS = 10_000_000;

const SERVICES = [
  { name: 'from 200 to 600 ms, cap of 24', isConstant: false, caps: [24] },
  { name: 'exactly 400 ms, cap of 24', isConstant: true, caps: [24] },
  { name: 'from 200 to 600 ms, cap that changes', isConstant: false, caps: [24, 8, 40] },
];

export async function measure(): Promise<void> {
  console.log(`processing takes ${PROCESSING_MS} ms; ${PHASE_MS / 1000} s a phase`);
  await Promise.all(SERVICES.map((service) => inFolder((folder) => measureOne(folder, service))));
}

async function measureOne(folder: string, { name, isConstant, caps }: (typeof SERVICES)[number]): Promise<void> {
  const service = await startService();
  const [first = 1] = caps;
  await service.tell({ latencyMs: PROCESSING_MS, isConstant, cap: first });
  const client = clientOf(service, 64);
  const migration = await startMigration({
    client,
    book: bookOf(() => recordsOf()),
    folder: join(folder, 'run'),
    team: 'TEAM',
    pace: { concurrency: 64 },
  });
  for (const cap of caps) {
    await service.tell({ cap });
    await wait(PHASE_MS);
    const { answers, usedMs, cappedMs } = await service.tell({});
    const throttled = answers.throttled / (answers.process + answers.throttled);
    console.log(
      `${name}: at ${cap}, use ${(usedMs / cappedMs).toFixed(2)}, 429 ${(100 * throttled).toFixed(1)} % of ${answers.process + answers.throttled}`,
    );
  }
  migration.pace.drain();
  await migration.finished;
  await client.close();
  service.stop();
}

function* recordsOf(): Generator<unknown> {
  for (const line of smallAccounts(ENDLESS)) yield JSON.parse(line);
}
