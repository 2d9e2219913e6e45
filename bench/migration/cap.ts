/**
 * Measures how well the adaptive limit finds how many accounts the service processes at the same time: the share of the
 * cap that is used, and the share of answers that are 429. The ramp-up at the start of the run is included.
 */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { inputFromRecords, startMigration } from 'data-import-sdk/migration';
import { inFolder } from '../frame/figures.js';
import type { Sheet } from '../frame/sheet.js';
import { TEAM } from '../wire/accounts.js';
import { clientOf, startService } from './bench-service.js';
import { smallAccounts } from './books.js';

const PROCESSING_MS = 400;
const PHASE_MS = 180_000;
/** Staging takes as long as processing, so another account is staged while one is processed. */
const CALLS = 128;
/** More than the service processes in all phases. Not many more: a run reads its input once before the first request. */
const ACCOUNTS = 100_000;

const SERVICES = [
  { name: 'from 200 to 600 ms, cap of 24', isConstant: false, caps: [24] },
  { name: 'exactly 400 ms, cap of 24', isConstant: true, caps: [24] },
  { name: 'from 200 to 600 ms, cap that changes', isConstant: false, caps: [24, 8, 40] },
];

/** In percent. */
interface Phase {
  use: number;
  refused: number;
}

export async function measureCap(sheet: Sheet<'migration'>): Promise<void> {
  const [processingMs, phaseMs] = [sheet.size(PROCESSING_MS, 10), sheet.size(PHASE_MS, 2000)];
  sheet.say(`processing takes ${processingMs} ms; ${phaseMs / 1000} s a phase`);
  const [, , changing = []] = await Promise.all(
    SERVICES.map((service) => inFolder((folder) => phasesOf(folder, service, { processingMs, phaseMs }, sheet.say))),
  );
  const [first, lower, higher] = changing;
  const of = (phase: Phase | undefined, what: keyof Phase) => () => ({ value: phase?.[what] ?? Number.NaN });
  const named = [
    ['', first],
    [' lower', lower],
    [' higher', higher],
  ] as const;
  for (const [name, phase] of named) {
    sheet.fill(`cap use${name}`, of(phase, 'use'));
    sheet.fill(`cap refused${name}`, of(phase, 'refused'));
  }
}

async function phasesOf(
  folder: string,
  { name, isConstant, caps }: (typeof SERVICES)[number],
  { processingMs, phaseMs }: { processingMs: number; phaseMs: number },
  say: (line: string) => void,
): Promise<Phase[]> {
  const service = await startService();
  const [first = 1] = caps;
  await service.configure({ latencyMs: processingMs, isConstant, cap: first });
  const client = clientOf(service, CALLS);
  const migration = await startMigration({
    client,
    input: inputFromRecords(() => recordsOf()),
    folder: join(folder, 'run'),
    team: TEAM,
    throttle: { concurrency: CALLS },
  });
  const phases: Phase[] = [];
  for (const cap of caps) {
    await service.configure({ cap });
    await wait(phaseMs);
    const { answers, usedMs, cappedMs } = await service.configure({});
    const asked = answers.process + answers.throttled;
    const phase = { use: (100 * usedMs) / cappedMs, refused: asked === 0 ? 0 : (100 * answers.throttled) / asked };
    say(`${name}: at ${cap}, use ${phase.use.toFixed(0)} %, 429 ${phase.refused.toFixed(1)} % of ${asked}`);
    phases.push(phase);
  }
  migration.throttle.drain();
  await migration.finished;
  await client.close();
  service.stop();
  return phases;
}

function* recordsOf(): Generator<unknown> {
  for (const line of smallAccounts(ACCOUNTS)) yield JSON.parse(line);
}
