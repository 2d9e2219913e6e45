/** Health, metrics and dashboard answer programs, and no web page that is open in a browser. */
import { request } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openHealth } from '../../src/cli/monitoring/health-server.js';
import { serveDashboard } from '../../src/cli/monitoring/worker-dashboard.js';
import { DataImportClient } from '../../src/client.js';

const servers = {
  async health(host: string) {
    const client = new DataImportClient({ baseUrl: 'http://127.0.0.1:1', token: 'invented' });
    return openHealth({ host, port: 0 }, { client, isDistributed: false });
  },
  dashboard: (host: string) =>
    serveDashboard(
      { address: { host, port: 0 }, database: 'postgres://127.0.0.1:1', schema: undefined, queue: undefined },
      async () => ({
        answer: async () => new Response('the queue'),
        close: async () => {},
      }),
    ),
};

async function statusOf(server: keyof typeof servers, headers: Record<string, string>, host = '127.0.0.1') {
  const { url, close } = await servers[server](host);
  onTestFinished(close);
  const path = server === 'health' ? '/metrics' : '/';
  return new Promise<number | undefined>((resolve, reject) => {
    const sent = request(`http://127.0.0.1:${new URL(url).port}${path}`, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject);
    sent.end();
  });
}

describe.each(['health', 'dashboard'] as const)('%s', (server) => {
  test.each(['localhost', 'localhost:9464', '127.0.0.1', '10.0.0.5:9464', '[::1]:9464'])(
    'Host %s is answered',
    async (host) => {
      expect(await statusOf(server, { host })).toBe(200);
    },
  );

  test.each([
    'evil.example.com',
    'evil.example.com:9464',
    'localhost.example.com',
    '127.0.0.1.example.com',
    '0x7f000001.example.com',
    'localhost.evil.example.com:9464',
  ])('Host "%s" is refused', async (host) => {
    expect(await statusOf(server, { host })).toBe(403);
    expect(await statusOf(server, { host }, '0.0.0.0')).toBe(403);
  });

  test.each(['https://evil.example.com', 'http://127.0.0.1:3000', 'null'])('Origin %s is refused', async (origin) => {
    expect(await statusOf(server, { host: '127.0.0.1:9464', origin })).toBe(403);
  });

  test('the host that it listens on is answered, in any case', async () => {
    expect(await statusOf(server, { host: 'LocalHost:9464' }, 'localhost')).toBe(200);
  });
});
