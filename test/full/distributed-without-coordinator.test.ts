/** The commands on a distributed run whose coordinator was killed while workers have joined: each says so, and names a command that works. */
import { hostname } from 'node:os';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { joinRun } from '../../src/migration/distributed/ledger/distributed-ledger.js';
import { begin } from '../cli/begin.js';
import { account, openFolder, openService, run } from '../cli/typed.js';
import { PATIENCE } from '../helpers/patience.js';
import { newPostgresStore } from '../migration/ledger/postgres/store.js';
import { usePostgres } from '../migration/ledger/postgres/use-postgres.js';
import { record } from '../migration/ledger/records.js';

const { isThere, server } = usePostgres((made) => made.ask('grant create on database postgres to with_password'));

describe.skipIf(!isThere)('a distributed run without its coordinator', () => {
  const { at, inputFile } = openFolder();

  /** A run as a killed coordinator leaves it: its row is open, and no process has the lock of the coordinator. */
  async function leaveRun(name: string) {
    await openService();
    const { schema } = newPostgresStore(() => server.urlOf('admin'));
    vi.stubEnv('DATA_IMPORT_DATABASE', server.urlOf('with_password'));
    vi.stubEnv('DATA_IMPORT_DATABASE_SCHEMA', schema);
    onTestFinished(() => void vi.unstubAllEnvs());
    const folder = ['--run', at(name)];
    const typed = ['run', inputFile(`${name}.jsonl`, account('A-1')), ...folder, '--distributed'];
    expect(await run(...typed)).toMatchObject({ code: 0 });
    await server.ask(`update ${schema}.run_state set state = (state::jsonb || '{"phase": "open"}')::json`);
    return { schema, folder, typed, next: `Next: data-import-sdk ${typed.join(' ')}\n` };
  }

  async function beginWorker() {
    const worker = begin('worker', '--name', 'W1', '--concurrency', '2');
    await worker.says('joined the run into');
    return worker;
  }

  const GONE = `process ${process.pid} on ${hostname()} since 2\\S+,`;

  test('report, resolve and retry name the command that continues it, and so does status; it continues the run', async () => {
    const { folder, typed, next } = await leaveRun('idle');
    const worker = await beginWorker();
    for (const words of [['report'], ['resolve'], ['retry', at('idle.jsonl')]]) {
      const { code, out, err } = await run(...words, ...folder);
      expect({ code, out }).toEqual({ code: 11, out: '' });
      expect(err).toMatch(
        new RegExp(
          `is in use by a distributed run: W1 on ${hostname()}\\. Its coordinator, ${GONE} has ended, so its workers wait and the run does not end\\. ` +
            'Give the command of the run again to continue it; or stop the workers with "data-import-sdk drain", and repeat this command\\.\n',
        ),
      );
      expect(err.endsWith(next)).toBe(true);
    }
    const { out } = await run('status', ...folder);
    expect(out).toMatch(
      new RegExp(
        `\nThe coordinator of the distributed run, ${GONE} has ended\\. Its workers send the records that it has loaded, and then wait\\.\n`,
      ),
    );
    expect(out).toContain(next);
    const { coordinator } = JSON.parse((await run('status', ...folder, '--json')).out);
    expect(coordinator).toMatchObject({ isThere: false, holder: { pid: process.pid, host: hostname() } });
    expect(await run(...typed)).toMatchObject({ code: 0 });
    expect(await worker.ended).toMatchObject({ code: 0 });
    expect(await run('report', ...folder)).toMatchObject({ code: 0 });
  });

  test('a suspended worker keeps the ledger after the run: the commands name it and the session to end, and its late write is refused', async () => {
    const { schema, folder, typed } = await leaveRun('suspended');
    await server.ask(`update ${schema}.run_state set state = (state::jsonb || '{"phase": "over"}')::json`);
    const connection = { connectionString: server.urlOf('with_password'), schema };
    // It sends no heartbeat.
    const { ledger } = await joinRun({ ...connection, name: 'W1', isCoordinator: false, onNote: () => {} });
    onTestFinished(() => ledger.close());
    await server.ask(`update ${schema}.worker set expires_at = '2026-01-15T21:00:00Z' where name = 'W1'`);
    const retyped = typed.filter((word) => word !== '--distributed');
    for (const words of [['resolve', ...folder], ['retry', at('suspended.jsonl'), ...folder], retyped]) {
      const { code, err } = await run(...words);
      expect({ words, code }).toEqual({ words, code: 11 });
      expect(err).toMatch(
        new RegExp(
          `is in use by a distributed run: W1 on ${hostname()} \\(process ${process.pid}\\), without a heartbeat since 2026-01-15T21:00:00\\.000Z\\. ` +
            'It is suspended, or its connection hangs\\. End that process, or its session on the database server with "select pg_terminate_backend\\(\\d+\\)"; then repeat the command\\. ' +
            'The server ends the session of a machine that is off or has no network by itself within 30 s\\.\n',
        ),
      );
    }
    const { err } = await run('resolve', ...folder);
    await server.ask(/"(select [^"]+)"/.exec(err)?.[1] ?? '');
    expect(await run('resolve', ...folder)).toMatchObject({ code: 0 });
    await expect(ledger.setFact('some', 'value')).resolves.toBeUndefined();
    await expect(ledger.write(record('A-9'))).rejects.toThrow('another run has taken over');
  });

  test('without a worker the ledger is free; on a machine without the run folder, status names the command as long as records are unfinished', async () => {
    const { schema, folder, next } = await leaveRun('empty');
    const elsewhere = ['--run', at('elsewhere')];
    const { out } = await run('status', ...elsewhere);
    expect(out).not.toMatch(/Next|need you/);
    await server.ask(`update ${schema}.record set outcome = 'unknown'`);
    expect((await run('status', ...elsewhere)).out).toContain(
      `\nNext (1 unknown): data-import-sdk resolve --run ${at('elsewhere')}\n` +
        `The lines that need you are in the run folder ${at('empty')} on ${hostname()}; ${at('elsewhere')} has no run.\n`,
    );
    await server.ask(`update ${schema}.record set outcome = null`);
    expect((await run('status', ...elsewhere)).out).toContain(`\nNot running.\n${next}`);
    expect(await run('report', ...folder)).toMatchObject({ code: 0 });
  });

  test('pause, set, resume and drain reach its workers through the ledger; then the ledger is free, and the run continues', async () => {
    const { schema, folder, typed, next } = await leaveRun('led');
    const worker = await beginWorker();
    const row = async () => (await server.ask(`select state from ${schema}.run_state`))[0]?.['state'];
    expect(await run('pause', ...folder)).toEqual({
      ...{ code: 0, err: '' },
      out: 'The distributed run is paused: its processes start no call until "data-import-sdk resume".\n',
    });
    expect(await row()).toMatchObject({ paused: 'by the operator', ended: null });
    expect((await run('status', ...folder)).out).toMatch(
      new RegExp(
        `\nThe coordinator of the distributed run, ${GONE} has ended\\. The run is paused \\(by the operator\\): its processes start no call until "data-import-sdk resume"\\.\n`,
      ),
    );
    expect(JSON.parse((await run('status', ...folder, '--json')).out)).toMatchObject({ paused: 'by the operator' });
    expect(await run('set', 'rps=20', 'process-concurrency=3-5', '--run', at('nowhere'))).toEqual({
      ...{ code: 0, err: '' },
      out: 'The distributed run is changed until the command of the run is given again.\n',
    });
    expect(await row()).toMatchObject({ rps: 20, limit: { least: 3, most: 5 } });
    expect(await run('set', 'concurrency=3', ...folder)).toMatchObject({
      ...{ code: 2, out: '' },
      err: expect.stringContaining('set: concurrency is the limit of one process'),
    });
    expect(await run('resume', ...folder)).toMatchObject({ code: 0, out: 'The distributed run is resumed.\n' });
    expect(await row()).toMatchObject({ paused: null });
    expect(await run('drain', ...folder)).toEqual({
      ...{ code: 0, err: '' },
      out: `The distributed run is draining: its processes end their calls in flight, and its workers wait for the command of the run.\n${next.replace(' run ', ' run --process-concurrency 3-5 --rps 20 ')}`,
    });
    await worker.says('the run was drained. Waiting for it to continue');
    expect(await run('report', ...folder)).toMatchObject({ code: 0 });
    for (const name of ['drain', 'pause']) {
      expect(await run(name, ...folder)).toEqual({
        ...{ code: 2, out: '' },
        err: `data-import-sdk: ${name}: no run is active in ${at('led')}, and its ledger has no distributed run that is open.\n`,
      });
    }
    expect(await run(...typed)).toMatchObject({ code: 0 });
    expect(await worker.ended).toMatchObject({ code: 0 });
  });

  test('drain on a machine without the run folder ends a coordinator elsewhere, which status names', async () => {
    const sandbox = await openService({ faults: [{ match: {}, effect: { latencyMs: 20 } }] });
    const { schema } = newPostgresStore(() => server.urlOf('admin'));
    vi.stubEnv('DATA_IMPORT_DATABASE', server.urlOf('with_password'));
    vi.stubEnv('DATA_IMPORT_DATABASE_SCHEMA', schema);
    onTestFinished(() => void vi.unstubAllEnvs());
    const lines = Array.from({ length: 2000 }, (_, index) => account(`A-${index}`));
    const typed = ['run', inputFile('far.jsonl', ...lines), '--run', at('far'), '--distributed', '--concurrency', '2'];
    const coordinator = begin(...typed);
    await vi.waitFor(() => expect(sandbox.requests().length).toBeGreaterThan(10), PATIENCE);
    const elsewhere = ['--run', at('elsewhere')];
    expect((await run('status', ...elsewhere)).out).toMatch(
      new RegExp(
        `\nNo run answers in this folder; its distributed run is active\\. Its coordinator, ${GONE} answers in another folder or on another machine\\.\n1 worker, 1 there:\n`,
      ),
    );
    expect(await run('set', 'rps=500', ...elsewhere)).toMatchObject({ code: 0 });
    const next = expect.stringContaining(`Next: data-import-sdk ${typed.join(' ').replace('run', 'run --rps 500')}\n`);
    expect(await run('drain', ...elsewhere)).toMatchObject({ code: 0, out: next });
    expect(await coordinator.ended).toMatchObject({ code: 7, out: next });
    expect(await run('status', ...elsewhere)).toMatchObject({ code: 0, out: next });
  });
});
