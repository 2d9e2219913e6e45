/** Health and metrics answer programs, and no web page that is open in a browser. */
import { once } from 'node:events';
import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { whileServing } from '../../src/cli/monitoring/health.js';
import { DataImportClient } from '../../src/client.js';

async function statusOf(headers: Record<string, string>, host = '127.0.0.1') {
  const client = new DataImportClient({ baseUrl: 'http://127.0.0.1:1', token: 'invented' });
  let status: number | undefined;
  await whileServing({ host, port: 0 }, { client, isDistributed: false, err: () => {} }, async (health) => {
    const sent = request(`http://127.0.0.1:${new URL(health?.url ?? '').port}/metrics`, { headers }).end();
    const [response] = await once(sent, 'response');
    response.resume();
    status = response.statusCode;
  });
  return status;
}

describe('health', () => {
  test.each(['localhost', 'localhost:9464', '127.0.0.1', '10.0.0.5:9464', '[::1]:9464'])(
    'Host %s is answered',
    async (host) => {
      expect(await statusOf({ host })).toBe(200);
    },
  );

  test.each([
    ...['evil.example.com', 'evil.example.com:9464', 'localhost.example.com', '127.0.0.1.example.com'],
    ...['0x7f000001.example.com', 'localhost.evil.example.com:9464'],
  ])('Host "%s" is refused', async (host) => {
    expect(await statusOf({ host })).toBe(403);
    expect(await statusOf({ host }, '0.0.0.0')).toBe(403);
  });

  test.each(['https://evil.example.com', 'http://127.0.0.1:3000', 'null'])('Origin %s is refused', async (origin) => {
    expect(await statusOf({ host: '127.0.0.1:9464', origin })).toBe(403);
  });

  test('the host that it listens on is answered, in any case', async () => {
    expect(await statusOf({ host: 'LocalHost:9464' }, 'localhost')).toBe(200);
  });
});
