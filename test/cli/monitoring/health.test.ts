/** /healthz, /readyz and /metrics of a run or a worker, and where they are served. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { healthAnswer, readinessOfRun } from '../../../src/cli/monitoring/health.js';
import { listenAddress, listenAt } from '../../../src/cli/monitoring/listen-address.js';
import { gate } from '../../helpers/gate.js';

const ready = { state: 'working' as const, isReady: true, lacks: [] };
const metrics = { contentType: 'text/plain; version=0.0.4', text: async () => 'up 1\n' };

async function asked(
  path: string,
  options: Partial<Parameters<typeof healthAnswer>[0]> = {},
  method = 'GET',
): Promise<[number, string]> {
  const answer = healthAnswer({
    ...{ status: () => ready, firstState: 'joining', hasFailed: () => false, metrics },
    ...options,
  });
  const response = await answer(new Request(`http://127.0.0.1:9464${path}`, { method }));
  return [response.status, await response.text()];
}

describe('/healthz', () => {
  test('is 200 while the process runs, even if it is not ready', async () => {
    expect(await asked('/healthz')).toEqual([200, 'ok\n']);
    const lost = { ...ready, isReady: false, lacks: ['its lease is over'] };
    expect(await asked('/healthz', { status: () => lost })).toEqual([200, 'ok\n']);
    expect(await asked('/healthz', { status: () => undefined })).toEqual([200, 'ok\n']);
  });

  test('is 503 once it has failed', async () => {
    expect(await asked('/healthz', { hasFailed: () => true })).toEqual([503, 'failed\n']);
  });
});

describe('/readyz', () => {
  test('is 200 if all conditions are met', async () => {
    expect(await asked('/readyz')).toEqual([200, '{"state":"working","lacks":[]}']);
  });

  test('is 503, with the missing conditions', async () => {
    const lost = {
      state: 'working',
      isReady: false,
      lacks: ['its lease is over', 'the board is out of reach'],
    } as const;
    expect(await asked('/readyz', { status: () => ({ ...lost, lacks: [...lost.lacks] }) })).toEqual([
      503,
      '{"state":"working","lacks":["its lease is over","the board is out of reach"]}',
    ]);
  });

  test('is 503 before it has joined, and after it has failed', async () => {
    expect(await asked('/readyz', { status: () => undefined })).toEqual([503, '{"state":"joining","lacks":[]}']);
    expect(await asked('/readyz', { hasFailed: () => true })).toEqual([503, '{"state":"failed","lacks":[]}']);
  });
});

describe('/readyz of a run on one machine', () => {
  const asRun = (...[state, reason]: [Parameters<typeof readinessOfRun>[0]['state'], string?]) =>
    asked('/readyz', { status: () => readinessOfRun({ state, reason }), firstState: 'starting' });

  test('is 200 while calls may start', async () => {
    expect(await asRun('running')).toEqual([200, '{"state":"running","lacks":[]}']);
  });

  test.each([
    ['paused', 'by the operator', 'paused: by the operator'],
    ['waiting', undefined, 'waiting'],
    ['draining', undefined, 'draining'],
    ['halted', '50 records in a row', 'halted: 50 records in a row'],
  ] as const)('is 503 while it is %s, with the reason', async (state, reason, lacks) => {
    expect(await asRun(state, reason)).toEqual([503, JSON.stringify({ state, lacks: [lacks] })]);
  });

  test('is 503 before its first session', async () => {
    expect(await asked('/readyz', { status: () => undefined, firstState: 'starting' })).toEqual([
      503,
      '{"state":"starting","lacks":[]}',
    ]);
  });
});

describe('/metrics', () => {
  test('agrees with the metrics', async () => {
    expect(await asked('/metrics')).toEqual([200, 'up 1\n']);
  });

  test('is 501 with the package to install, if it is missing', async () => {
    expect(await asked('/metrics', { metrics: undefined })).toEqual([
      501,
      'Metrics need the package prom-client. Install it with "npm install prom-client@15".\n',
    ]);
  });
});

test.each(['/', '/metrics/', '/constructor', '/__proto__'])('%s is 404, with what there is', async (path) => {
  expect(await asked(path)).toEqual([404, 'Here are /healthz, /readyz and /metrics.\n']);
});

test('it is read-only', async () => {
  expect(await asked('/healthz', {}, 'POST')).toEqual([405, 'Expected GET.\n']);
});

describe('an address to listen on', () => {
  test.each([
    ['9464', { host: '127.0.0.1', port: 9464 }],
    ['0.0.0.0:9464', { host: '0.0.0.0', port: 9464 }],
    ['localhost:0', { host: 'localhost', port: 0 }],
    ['[::1]:9464', { host: '::1', port: 9464 }],
  ])('%s', (given, address) => {
    expect(listenAddress(given)).toEqual(address);
  });

  test.each(['', ':9464', 'host', 'host:', '1.5', '-1', '65536', '::1:9464'])('not %s', (given) => {
    expect(() => listenAddress(given)).toThrow(`--health: found ${given}, expected a port such as 9464`);
  });

  test('a client that waits for an answer does not delay its end', async () => {
    const { open: asked, opened: isAsked } = gate();
    const never = () => {
      asked();
      return new Promise<Response>(() => {});
    };
    const { url, close } = await listenAt({ host: '127.0.0.1', port: 0 }, never);
    const answer = fetch(url);
    answer.catch(() => {});
    await isAsked;
    await close();
    await expect(answer).rejects.toThrow();
  });

  test('a host name that does not resolve is reported with the flag', async () => {
    const listening = listenAt({ host: 'nowhere.invalid', port: 0 }, () => new Response('ok'));
    listening.then(({ close }) => onTestFinished(close)).catch(() => {});
    await expect(listening).rejects.toThrow(/^--health: cannot listen on nowhere\.invalid, port 0 \(E[A-Z_]+\)\./);
  });
});
