/** `data-import-sdk worker` beside `data-import-sdk run --distributed`, as typed, on a real PostgreSQL. */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { begin } from '../cli/begin.js';
import { account, openFolder, openService, runIn } from '../cli/typed.js';
import { PATIENCE } from '../helpers/patience.js';
import { PASSWORD } from '../migration/ledger/postgres/server.js';
import { newPostgresStore } from '../migration/ledger/postgres/store.js';
import { usePostgres } from '../migration/ledger/postgres/use-postgres.js';

/** How many ended at it. */
const endedAt = ({ out }: { out: string }): number => Number(/"ended":(\d+)/.exec(out)?.[1]);

const { isThere, server } = usePostgres((made) => made.ask('grant create on database postgres to with_password'));

describe.skipIf(!isThere)('data-import-sdk worker', () => {
  const { at, inputFile } = openFolder();

  function useDatabase(): string {
    const { schema } = newPostgresStore(() => server.urlOf('admin'));
    vi.stubEnv('DATA_IMPORT_DATABASE', server.urlOf('with_password'));
    vi.stubEnv('DATA_IMPORT_DATABASE_SCHEMA', schema);
    onTestFinished(() => void vi.unstubAllEnvs());
    return schema;
  }

  const accounts = (count: number) => Array.from({ length: count }, (_, index) => account(`A-${index + 1}`));
  /** Slow enough that all have something to do. */
  const slow = { faults: [{ match: {}, effect: { latencyMs: 5 } }] };
  const runDistributed = (name: string, path: string) =>
    begin('run', path, '--run', at(name), '--distributed', '--concurrency', '1', '--json');

  test('waits for a run, works in it, and ends with it; no password is printed', async () => {
    const sandbox = await openService(slow);
    useDatabase();
    const path = inputFile('whole.jsonl', ...accounts(200));
    const worker = begin('worker', '--name', 'W1', '--concurrency', '4', '--json');
    await worker.says('waiting for a run to begin');
    const coordinator = runDistributed('whole', path);
    const [run, work] = await Promise.all([coordinator.ended, worker.ended]);
    expect(run).toMatchObject({ code: 0 });
    expect(JSON.parse(run.out)).toMatchObject({ state: 'finished', created: 200 });
    expect(work).toMatchObject({ code: 0, out: expect.stringMatching(/^\{"state":"over",.*\}\n$/) });
    expect(endedAt(work)).toBeGreaterThan(0);
    expect(sandbox.requests().filter(({ change }) => change === 'staged → imported')).toHaveLength(200);
    for (const text of [run.err, run.out, work.err, work.out]) expect(text).not.toContain(PASSWORD);
  });

  test('is healthy from its beginning, ready once it works, and counts what it does', async () => {
    await openService(slow);
    useDatabase();
    const path = inputFile('health.jsonl', ...accounts(300));
    const worker = begin('worker', '--health', '0', '--concurrency', '2', '--json');
    await worker.says('waiting for a run to begin');
    const [url = ''] = worker.err().match(/http:\S+/g) ?? [];
    const statusOf = async (page: string) => (await fetch(url + page)).status;
    expect([await statusOf('/healthz'), await statusOf('/readyz')]).toEqual([200, 503]);
    const coordinator = runDistributed('health', path);
    await vi.waitFor(async () => expect(await statusOf('/readyz')).toBe(200), { ...PATIENCE, interval: 20 });
    await vi.waitFor(
      async () => {
        const text = await (await fetch(`${url}/metrics`)).text();
        expect(text).toMatch(/^data_import_records_ended_total\{outcome="created"\} [1-9]/m);
        expect(text).toMatch(/^data_import_requests_total\{operation="accounts.process",status="2xx"\} [1-9]/m);
        expect(text).toMatch(/^data_import_lease_valid 1$/m);
        expect(text).not.toContain('A-1');
      },
      { ...PATIENCE, interval: 20 },
    );
    expect(await Promise.all([coordinator.ended, worker.ended])).toMatchObject([{ code: 0 }, { code: 0 }]);
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  });

  test('the run itself is a worker with its own name, health and metrics', async () => {
    await openService(slow);
    useDatabase();
    const path = inputFile('named.jsonl', ...accounts(200));
    const served = ['--name', 'first', '--health', '0'];
    const coordinator = begin(
      'run',
      path,
      '--run',
      at('named'),
      '--distributed',
      '--concurrency',
      '2',
      '--json',
      ...served,
    );
    await coordinator.says('Health and metrics: http:');
    const [url = ''] = coordinator.err().match(/http:\S+/g) ?? [];
    const ready = () => fetch(`${url}/readyz`);
    await vi.waitFor(async () => expect((await ready()).status).toBe(200), { ...PATIENCE, interval: 5 });
    await vi.waitFor(
      async () => {
        const text = await (await fetch(`${url}/metrics`)).text();
        expect(text).toMatch(/^data_import_records_ended_total\{outcome="created"\} [1-9]/m);
        expect(text).toMatch(/^data_import_records_under_way [1-9]/m);
      },
      { ...PATIENCE, interval: 5 },
    );
    coordinator.signal('SIGTERM');
    await vi.waitFor(
      async () => expect(await (await ready()).json()).toEqual({ state: 'draining', lacks: ['it drains'] }),
      { ...PATIENCE, interval: 1 },
    );
    expect(await coordinator.ended).toMatchObject({ code: 143 });
    const { out } = await runIn({}, 'status', '--run', at('named'), '--json');
    expect(JSON.parse(out).workers).toMatchObject([{ name: 'first', isThere: false }]);
    await expect(ready()).rejects.toThrow();
  });
});
