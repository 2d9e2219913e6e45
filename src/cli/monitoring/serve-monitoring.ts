/** `whileServing`: serves health and metrics of a run or a worker while it works. */
import type { DataImportClient } from '../../client.js';
import type { CommandContext } from '../shared/command-context.js';
import { type Health, openHealth } from './health-server.js';
import { type ListenAddress, listenAddress } from './listen-address.js';

/** Reads the address of `--health`. Throws a `UsageError` for an invalid one. */
export function servedBy({ health }: { health?: string }): ListenAddress | undefined {
  return health === undefined ? undefined : listenAddress('--health', health);
}

/** Serves until `work` ends, if there is an address. Rejects as `work`, and with a `UsageError` if it cannot listen. */
export async function whileServing(
  address: ListenAddress | undefined,
  { err, ...served }: { client: DataImportClient; isDistributed: boolean } & Pick<CommandContext, 'err'>,
  work: (health: Health | undefined) => Promise<void>,
): Promise<void> {
  const health = address && (await openHealth(address, served));
  try {
    if (health !== undefined) err(`Health and metrics: ${health.url}\n`);
    await work(health);
  } finally {
    await health?.close();
  }
}
