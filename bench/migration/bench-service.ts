/** Starts the service of the measurements and controls it from the measuring process. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { DataImportClient } from 'data-import-sdk';
import { TOKEN } from '../wire/accounts.js';
import type { ServiceCounts, ServiceSettings } from './service.js';

export interface BenchService {
  origin: string;
  /** Changes settings and returns the counts since the previous call. `forget` clears the list of processed accounts. */
  configure(settings: Partial<ServiceSettings> & { forget?: boolean }): Promise<ServiceCounts>;
  stop(): void;
}

export async function startService(): Promise<BenchService> {
  const child = fork(fileURLToPath(new URL(`./service${import.meta.url.slice(-3)}`, import.meta.url)));
  const next = <Message>() =>
    new Promise<Message>((resolve) => child.once('message', (message) => resolve(message as Message)));
  const port = await next<number>();
  return {
    origin: `http://127.0.0.1:${port}`,
    async configure(settings) {
      const counts = next<ServiceCounts>();
      child.send(settings);
      return counts;
    },
    stop: () => void child.kill(),
  };
}

export function clientOf({ origin }: Pick<BenchService, 'origin'>, concurrency: number): DataImportClient {
  return new DataImportClient({ baseUrl: origin, token: TOKEN, concurrency });
}
