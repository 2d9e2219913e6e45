/** One turn of whoever carries a book through the service, and whether the service saw each account once. */
import type { Sample } from '../frame/contest.js';
import { cpuUs, seconds } from '../frame/figures.js';
import type { BenchService } from './bench-service.js';

/** `rate` in requests a second, `cpu` in microseconds an account. */
export async function countedTurn(service: BenchService, accounts: number, work: () => Promise<void>): Promise<Sample> {
  await service.tell({ forget: true });
  const [startedAt, before] = [performance.now(), cpuUs()];
  await work();
  const sample = { rate: (2 * accounts) / seconds(startedAt), cpu: (cpuUs() - before) / accounts };
  const { answers, twice } = await service.tell({});
  if (answers.stage !== accounts || answers.process !== accounts || twice > 0) {
    throw new Error(`expected ${accounts} of each once, found ${JSON.stringify({ ...answers, twice })}`);
  }
  return sample;
}
