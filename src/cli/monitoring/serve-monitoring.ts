/** `whileServing`: serves health and metrics of a run or a worker, and the dashboard of a distributed run, while it works. */
import type { DataImportClient } from '../../client.js';
import type { CommandContext } from '../shared/command-context.js';
import { type Health, openHealth } from './health-server.js';
import { type ListenAddress, type Listening, listenAddress } from './listen-address.js';
import { serveDashboard } from './worker-dashboard.js';

export interface ServingFlags {
  health?: string;
  dashboard?: string;
}

export interface Served {
  health: ListenAddress | undefined;
  dashboard: ListenAddress | undefined;
}

/** Reads the addresses of the flags. Throws a `UsageError` for an invalid one. */
export function servedBy({ health, dashboard }: ServingFlags): Served {
  return { health: addressOf('--health', health), dashboard: addressOf('--dashboard', dashboard) };
}

interface ServingParts {
  client: DataImportClient;
  /** The distributed run whose queue the dashboard shows; undefined for a run on one machine, which has none. */
  distributed: { database: string; databaseSchema?: string; queue?: string } | undefined;
  err: CommandContext['err'];
}

/** Serves until `work` ends. Rejects as `work`, and with a `UsageError` if it cannot listen. */
export async function whileServing(
  served: Served,
  { client, distributed, err }: ServingParts,
  work: (health: Health | undefined) => Promise<void>,
): Promise<void> {
  const serving: Pick<Listening, 'close'>[] = [];
  try {
    const health =
      served.health && (await openHealth(served.health, { client, isDistributed: distributed !== undefined }));
    if (health !== undefined) {
      serving.push(health);
      err(`Health and metrics: ${health.url}\n`);
    }
    if (served.dashboard !== undefined && distributed !== undefined) {
      const { database, databaseSchema: schema, queue } = distributed;
      const dashboard = await serveDashboard({ address: served.dashboard, database, schema, queue });
      serving.push(dashboard);
      err(`Dashboard of the queue: ${dashboard.url}\n`);
    }
    await work(health);
  } finally {
    for (const one of serving.reverse()) await one.close();
  }
}

function addressOf(flag: string, given: string | undefined): ListenAddress | undefined {
  return given === undefined ? undefined : listenAddress(flag, given);
}
