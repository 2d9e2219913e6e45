/**
 * The ledger behind PgBouncer. With session pooling it works as without; with transaction or statement pooling a command ends before it
 * leaves a lock in the pooler's sessions.
 */
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { account, openFolder, openService, run } from '../cli/typed.js';
import { seed } from '../helpers/seed.js';
import { hasPgbouncer, startPgbouncer } from '../migration/ledger/postgres/pgbouncer.js';
import { newPostgresStore } from '../migration/ledger/postgres/store.js';
import { usePostgres } from '../migration/ledger/postgres/use-postgres.js';
import { runInCalm } from './calm-run.js';
import { openRun } from './killed-runs.js';
import { outcomeOf, problemsOfRun } from './run-outcome.js';

const { isThere, server } = usePostgres();

describe.skipIf(!isThere || !hasPgbouncer())('a ledger behind PgBouncer', () => {
  const { at, inputFile } = openFolder();

  /** Starts a pooler with these settings. A command without --database uses it, and a new schema. */
  async function usePooler(...settings: string[]): Promise<void> {
    const pooler = await startPgbouncer(server.url, settings);
    const { schema } = newPostgresStore(() => server.urlOf('admin'));
    vi.stubEnv('DATA_IMPORT_DATABASE', pooler.url);
    vi.stubEnv('DATA_IMPORT_DATABASE_SCHEMA', schema);
    onTestFinished(async () => {
      vi.unstubAllEnvs();
      await pooler.remove();
    });
  }

  describe('with session pooling', () => {
    test('a run that is killed three times is completed by the same command: each record is imported once', async () => {
      const calm = await runInCalm(100);
      onTestFinished(() => calm.remove());
      await usePooler('pool_mode = session');
      const session = await openRun('input.jsonl', calm.folder, 'pooled');
      onTestFinished(() => session.close());
      for (const requests of [60, 120, 90]) {
        expect(await session.runSession({ requests, laterMs: 0 })).toMatchObject({ code: null, complaint: undefined });
      }
      // 3: the input has mistakes; 4: a kill left an unknown outcome.
      const last = await session.runSession();
      expect(last).toMatchObject({ code: expect.toSatisfy((code) => code === 3 || code === 4), complaint: undefined });
      const outcome = outcomeOf(join(calm.folder, 'pooled'));
      const problems = problemsOfRun(outcome, calm.outcome, session.sandbox, calm.lines);
      expect({ seed, problems }).toEqual({ seed, problems: [] });
    });

    test('a distributed run works', async () => {
      await openService();
      await usePooler('pool_mode = session');
      const path = inputFile('distributed.jsonl', account('A-1'), account('A-2'));
      expect(await run('run', path, '--run', at('distributed'), '--distributed')).toMatchObject({
        code: 0,
        out: expect.stringContaining('2 created'),
      });
    });
  });

  describe.each([
    ['transaction pooling', ['pool_mode = transaction']],
    ['transaction pooling and sessions in turn', ['pool_mode = transaction', 'server_round_robin = 1']],
    ['statement pooling', ['pool_mode = statement']],
  ])('with %s', (name, settings) => {
    test('every command ends with code 2, the remedy, and no request; the direct address then works', async () => {
      const sandbox = await openService();
      await usePooler(...settings);
      const [path, folder] = [inputFile('pooled.jsonl', account('A-1')), ['--run', at(name.replaceAll(' ', '-'))]];
      const commands = [['run', path], ['run', path, '--distributed'], ['worker'], ['status']];
      for (const command of commands) {
        const flags = command[0] === 'worker' ? [] : folder;
        expect(await run(...command, ...flags), command.join(' ')).toMatchObject({
          code: 2,
          out: '',
          err: expect.stringMatching(
            /^data-import-sdk: ledger: schema test_\w+ of database postgres on 127\.0\.0\.1:\d+ is behind a connection pooler that gives each transaction another session\. Give the address of the server itself, or of a pooler with session pooling \(PgBouncer: pool_mode = session\)\.\n$/,
          ),
        });
      }
      expect(sandbox.requests()).toEqual([]);
      expect(await server.ask("select 1 from pg_locks where locktype = 'advisory'")).toEqual([]);
      expect(await run('run', path, ...folder, '--database', server.url)).toMatchObject({ code: 0 });
    });
  });
});
