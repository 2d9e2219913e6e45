/** `serveDashboard`: serves the dashboard of the queue next to a worker. It is opened at the first request. */
import type { Dashboard } from './dashboard.js';
import { type ListenAddress, type Listening, listenAt } from './listen-address.js';

export interface DashboardPlace {
  address: ListenAddress;
  database: string;
  schema: string | undefined;
  queue: string | undefined;
}

/** After this time without the ledger the request gets an error. */
const PATIENCE_MS = 5000;

/** Rejects with a `UsageError` if it cannot listen. */
export async function serveDashboard(
  place: DashboardPlace,
  open: (place: DashboardPlace) => Promise<Dashboard> = openBoard,
): Promise<Listening> {
  let opening: Promise<Dashboard> | undefined;
  const listening = await listenAt('--dashboard', place.address, async (request) => {
    opening ??= open(place);
    const asked = opening;
    try {
      const board = await asked;
      return board.answer(request);
    } catch (error) {
      // The message says what to do, such as to start a run. The next request tries again.
      if (opening === asked) opening = undefined;
      return new Response(`${(error as Error).message}\n`, { status: 503, headers: { 'Cache-Control': 'no-store' } });
    }
  });
  return {
    url: listening.url,
    async close() {
      await listening.close();
      const board = await opening?.catch(() => undefined);
      await board?.close();
    },
  };
}

async function openBoard({ database, schema, queue = database }: DashboardPlace): Promise<Dashboard> {
  const { dashboard } = await import('./dashboard.js');
  const { postgresLedger } = await import('../../migration/ledger/postgres/postgres-ledger.js');
  const { LEDGER_ID } = await import('../../migration/ledger/postgres/schema.js');
  const where = { connectionString: database, ...(schema !== undefined && { schema }) };
  const ledger = await postgresLedger({ ...where, readOnly: true, patienceMs: PATIENCE_MS });
  try {
    const ledgerId = (await ledger.fact(LEDGER_ID)) ?? '';
    return await dashboard({ queue, ledgerId, schema });
  } finally {
    await ledger.close();
  }
}
