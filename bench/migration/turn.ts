/** Runs one turn of an importer, and checks that the service processed each account exactly once. */
import type { Sample } from '../frame/contest.js';
import { cpuUs, seconds } from '../frame/figures.js';
import type { BenchService } from './bench-service.js';

/** Returns `rate` in requests per second and `cpu` in microseconds per account. */
export async function countedTurn(service: BenchService, accounts: number, work: () => Promise<void>): Promise<Sample> {
  await service.configure({ forget: true });
  const [startedAt, before] = [performance.now(), cpuUs()];
  await work();
  const sample = { rate: (2 * accounts) / seconds(startedAt), cpu: (cpuUs() - before) / accounts };
  const { answers, twice } = await service.configure({});
  if (answers.stage !== accounts || answers.process !== accounts || twice > 0) {
    throw new Error(`expected ${accounts} of each once, found ${JSON.stringify({ ...answers, twice })}`);
  }
  return sample;
}
