/** What a member of a fleet serves while it works: its health and metrics, and the dashboard of the queue. */
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

/** Throws a UsageError where the addresses cannot be meant. */
export function servedBy({ health, dashboard }: ServingFlags): Served {
  return { health: addressOf('--health', health), dashboard: addressOf('--dashboard', dashboard) };
}

interface ServingParts {
  client: DataImportClient;
  /** Whose queue the dashboard shows. */
  fleet: { database: string; databaseSchema?: string; queue?: string };
  err: CommandContext['err'];
}

/** As long as `work` goes on. Rejects with a UsageError where it cannot listen. */
export async function whileServing(
  served: Served,
  { client, fleet, err }: ServingParts,
  work: (health: Health | undefined) => Promise<void>,
): Promise<void> {
  const serving: Pick<Listening, 'close'>[] = [];
  try {
    const health = served.health && (await openHealth(served.health, client));
    if (health !== undefined) {
      serving.push(health);
      err(`Health and metrics: ${health.url}\n`);
    }
    if (served.dashboard !== undefined) {
      const { database, databaseSchema: schema, queue } = fleet;
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
