/** `run --distributed` and `worker` as typed, and the commands that a person gives during and after the run, on a real PostgreSQL. */
import { existsSync, writeFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { begin } from '../cli/begin.js';
import { account, openFolder, openService, run } from '../cli/typed.js';
import { PATIENCE } from '../helpers/patience.js';
import { PASSWORD } from '../migration/ledger/postgres/server.js';
import { newPostgresStore } from '../migration/ledger/postgres/store.js';
import { usePostgres } from '../migration/ledger/postgres/use-postgres.js';

const { isThere, server } = usePostgres((made) => made.ask('grant create on database postgres to with_password'));

describe.skipIf(!isThere)('a distributed run', () => {
  const { at, inputFile } = openFolder();
  const SPOILT = { customers: [{ landline: '12' }] };

  /** The service, the schema by environment variables, and an input of accounts. */
  async function prepare(name: string, count: number, { latencyMs = 5, spoilt = '' } = {}) {
    const sandbox = await openService({ faults: [{ match: {}, effect: { latencyMs } }] });
    const { schema } = newPostgresStore(() => server.urlOf('admin'));
    vi.stubEnv('DATA_IMPORT_DATABASE', server.urlOf('with_password'));
    vi.stubEnv('DATA_IMPORT_DATABASE_SCHEMA', schema);
    onTestFinished(() => void vi.unstubAllEnvs());
    const numbers = Array.from({ length: count }, (_, index) => `A-${index + 1}`);
    const lines = numbers.map((number) => account(number, number === spoilt ? SPOILT : {}));
    const folder = ['--run', at(name)];
    const input = inputFile(`${name}.jsonl`, ...lines);
    const created = () => sandbox.requests().filter(({ change }) => change === 'staged → imported').length;
    return { folder, created, typed: ['run', input, ...folder, '--distributed'] };
  }

  const textOf = async (url: string) => (await fetch(url)).text();
  const statusOf = async (url: string) => (await fetch(url)).status;
  const soon = (check: () => Promise<void>) => vi.waitFor(check, { ...PATIENCE, interval: 5 });

  test('has a worker that waits for it, works, shows its health, and ends with it; then it is verified, retried and continued', async () => {
    const { folder, created, typed } = await prepare('all', 300, { spoilt: 'A-7' });
    const worker = begin('worker', '--health', '0', '--concurrency', '2', '--json');
    await worker.says('waiting for a run to begin');
    const [url = ''] = worker.err().match(/http:\S+/g) ?? [];
    expect([await statusOf(`${url}/healthz`), await statusOf(`${url}/readyz`)]).toEqual([200, 503]);
    const coordinator = begin(...typed, '--concurrency', '1', '--json');
    await soon(async () => expect(await statusOf(`${url}/readyz`)).toBe(200));
    await soon(async () => {
      const text = await textOf(`${url}/metrics`);
      expect(text).toMatch(/^data_import_records_ended_total\{outcome="created"\} [1-9]/m);
      expect(text).toMatch(/^data_import_requests_total\{operation="accounts.process",status="2xx"\} [1-9]/m);
      expect(text).toMatch(/^data_import_lease_valid 1$/m);
      expect(text).not.toContain('A-1');
    });
    const [ofRun, work] = await Promise.all([coordinator.ended, worker.ended]);
    expect([ofRun.code, work.code]).toEqual([3, 0]);
    expect(JSON.parse(ofRun.out)).toMatchObject({ state: 'finished', created: 299, rejected: 1 });
    expect(JSON.parse(work.out)).toMatchObject({ state: 'over', ended: expect.toSatisfy((ended) => ended > 0) });
    for (const { out, err } of [ofRun, work]) expect(out + err).not.toContain(PASSWORD);
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();

    expect(await run('verify', ...folder)).toMatchObject({
      code: 0,
      out: '= 299 accounts agree, 0 differ, 1 not imported on either side\n',
    });
    writeFileSync(at('corrected.jsonl'), `${JSON.stringify(account('A-7'))}\n`);
    expect(await run('retry', at('corrected.jsonl'), ...folder)).toMatchObject({
      code: 0,
      out: expect.stringContaining('300 created + 0 already imported + 0 rejected'),
    });
    expect(await run(...typed)).toMatchObject({ code: 0 });
    expect(await run('verify', ...folder)).toMatchObject({ code: 0, out: expect.stringContaining('= 300 accounts') });
    expect(created()).toBe(300);
  });

  test('is a worker with its own name, health and metrics, verified while it runs, and not retried before it has ended', async () => {
    const { folder, typed } = await prepare('long', 300, { latencyMs: 10 });
    const coordinator = begin(...typed, '--concurrency', '2', '--json', '--name', 'first', '--health', '0');
    await coordinator.says('Health and metrics: http:');
    const [url = ''] = coordinator.err().match(/http:\S+/g) ?? [];
    await soon(async () => expect(await statusOf(`${url}/readyz`)).toBe(200));
    await soon(async () => {
      const text = await textOf(`${url}/metrics`);
      expect(text).toMatch(/^data_import_records_ended_total\{outcome="created"\} [1-9]/m);
      expect(text).toMatch(/^data_import_records_under_way [1-9]/m);
    });
    expect(await run('retry', at('long.jsonl'), ...folder)).toMatchObject({
      ...{ code: 11, out: '' },
      err: expect.stringMatching(/in use by a distributed run: first on \S+\. .* end it with "data-import-sdk drain"/),
    });
    // Accounts in flight may differ for a moment: code 5 names them.
    expect([0, 5]).toContain((await run('verify', ...folder)).code);
    coordinator.signal('SIGTERM');
    await soon(async () =>
      expect(JSON.parse(await textOf(`${url}/readyz`))).toEqual({ state: 'draining', lacks: ['it drains'] }),
    );
    expect(await coordinator.ended).toMatchObject({ code: 143 });
    const { workers } = JSON.parse((await run('status', ...folder, '--json')).out);
    expect(workers).toMatchObject([{ name: 'first', isThere: false }]);
    await expect(fetch(`${url}/readyz`)).rejects.toThrow();
    expect(await run('verify', ...folder)).toMatchObject({ code: 0 });
  });

  test('has a worker and a coordinator that wait while the database is read-only, as during a failover', async () => {
    const { created, typed } = await prepare('read-only', 60, { latencyMs: 50 });
    onTestFinished(() => void server.ask('alter role with_password reset default_transaction_read_only'));
    const [coordinator, worker] = [begin(...typed), begin('worker')];
    await worker.says('joined the run');
    await vi.waitFor(() => expect(created()).toBeGreaterThan(0), PATIENCE);
    await server.ask('alter role with_password set default_transaction_read_only = on');
    const refusals = async () =>
      Number(
        (await server.ask("select xact_rollback as n from pg_stat_database where datname = 'postgres'"))[0]?.['n'],
      );
    const before = await refusals();
    await server.ask(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'data-import%'",
    );
    for (const one of [coordinator, worker]) await one.says('No call starts until it answers.');
    await vi.waitFor(async () => expect(await refusals()).toBeGreaterThan(before + 8), PATIENCE);
    await server.ask('alter role with_password reset default_transaction_read_only');
    expect(await coordinator.ended).toMatchObject({ code: 0, out: expect.stringContaining('60 created') });
    expect(await worker.ended).toMatchObject({ code: 0 });
    expect(created()).toBe(60);
  });

  test('has a worker and a coordinator that wait for a server without a free connection, and work when it has one', async () => {
    const { created, typed } = await prepare('crowded', 3);
    onTestFinished(() => void server.ask('alter role with_password connection limit -1'));
    await server.ask('alter role with_password connection limit 0');
    const worker = begin('worker');
    await worker.says('Retrying every second.');
    const coordinator = begin(...typed);
    // It has begun to connect.
    await vi.waitFor(() => expect(existsSync(at('crowded'))).toBe(true), PATIENCE);
    await server.ask('alter role with_password connection limit -1');
    expect(await coordinator.ended).toMatchObject({ code: 0 });
    // A run of three records may be over before it looks again: then it waits for the next one.
    worker.signal('SIGTERM');
    expect(await worker.ended).toMatchObject({ code: 0 });
    expect(worker.err()).toMatch(
      /too many connections for role "with_password".* raise its CONNECTION LIMIT\. Retrying every second\.$/m,
    );
    expect(created()).toBe(3);
  });
});
