/** The commands on a distributed run whose coordinator was killed while workers have joined: each says so, and names a command that works. */
import { hostname } from 'node:os';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { begin } from '../cli/begin.js';
import { account, openFolder, openService, run } from '../cli/typed.js';
import { newPostgresStore } from '../migration/ledger/postgres/store.js';
import { usePostgres } from '../migration/ledger/postgres/use-postgres.js';

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

  test('without a worker the ledger is free; on a machine without the run folder, status names the command as long as records are unfinished', async () => {
    const { schema, folder, next } = await leaveRun('empty');
    expect(await run('report', ...folder)).toMatchObject({ code: 0 });
    const elsewhere = ['--run', at('elsewhere')];
    expect((await run('status', ...elsewhere)).out).not.toContain('Next:');
    await server.ask(`update ${schema}.record set outcome = null`);
    const { out } = await run('status', ...elsewhere);
    expect(out).toContain(`\nNot running.\n${next}`);
  });
});
