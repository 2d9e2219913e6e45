/** The dashboard of a worker: opened at the first request, and closed with the worker. */
import { expect, onTestFinished, test } from 'vitest';
import type { Dashboard } from '../../../src/cli/monitoring/dashboard.js';
import { type DashboardPlace, serveDashboard } from '../../../src/cli/monitoring/worker-dashboard.js';

const place: DashboardPlace = {
  address: { host: '127.0.0.1', port: 0 },
  database: 'postgres://db.example.com/import',
  schema: undefined,
  queue: undefined,
};

/** Opens any number of times; the first times fail with these errors. */
function boards(...errors: Error[]) {
  const changes: string[] = [];
  const board: Dashboard = {
    answer: async (request) => new Response(`the page ${new URL(request.url).pathname}`),
    async close() {
      changes.push('close');
    },
  };
  return {
    changes,
    async open() {
      changes.push('open');
      const error = errors.shift();
      if (error !== undefined) throw error;
      return board;
    },
  };
}

async function pageOf(url: string): Promise<[number, string]> {
  const response = await fetch(url);
  return [response.status, await response.text()];
}

test('is opened once, at the first request, and closed with its server', async () => {
  const { changes, open } = boards();
  const { url, close } = await serveDashboard(place, open);
  expect(changes).toEqual([]);
  expect(await Promise.all([pageOf(`${url}/queue`), pageOf(`${url}/`)])).toEqual([
    [200, 'the page /queue'],
    [200, 'the page /'],
  ]);
  expect(changes).toEqual(['open']);
  await close();
  expect(changes).toEqual(['open', 'close']);
  await expect(fetch(url)).rejects.toThrow();
});

test('shows why it is not available yet, and tries again', async () => {
  const { changes, open } = boards(new Error('ledger: the schema has no ledger. Start a run with --distributed.'));
  const { url, close } = await serveDashboard(place, open);
  onTestFinished(close);
  expect(await pageOf(url)).toEqual([503, 'ledger: the schema has no ledger. Start a run with --distributed.\n']);
  expect(await pageOf(url)).toEqual([200, 'the page /']);
  expect(changes).toEqual(['open', 'open']);
});

test('without a request there is nothing to close', async () => {
  const { changes, open } = boards();
  const { close } = await serveDashboard(place, open);
  await close();
  expect(changes).toEqual([]);
});

test('on a port in use is reported with the flag', async () => {
  const { url, close } = await serveDashboard(place, boards().open);
  onTestFinished(close);
  const port = Number(new URL(url).port);
  const again = serveDashboard({ ...place, address: { host: '127.0.0.1', port } }, boards().open);
  await expect(again).rejects.toThrow(
    `--dashboard: cannot listen on 127.0.0.1, port ${port} (EADDRINUSE). Give another port, or 0 for any free port.`,
  );
});
