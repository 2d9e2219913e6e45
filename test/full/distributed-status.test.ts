/** `data-import-sdk status` and `report` of a run at which several machines work, or have worked: who is there, and did what. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { distributedRunOf } from '../../src/migration/distributed/ledger/read-run.js';
import { account, openFolder, openService, run } from '../cli/typed.js';
import { PASSWORD } from '../migration/ledger/postgres/server.js';
import { newPostgresStore } from '../migration/ledger/postgres/store.js';
import { usePostgres } from '../migration/ledger/postgres/use-postgres.js';

const { isThere, server } = usePostgres((made) => made.ask('grant create on database postgres to with_password'));

describe.skipIf(!isThere)('a distributed run, seen from outside', () => {
  const { at, inputFile } = openFolder();

  /** A run of one account in its own schema, by environment variables. */
  async function runOnce(name: string) {
    await openService();
    const { schema } = newPostgresStore(() => server.urlOf('admin'));
    vi.stubEnv('DATA_IMPORT_DATABASE', server.urlOf('with_password'));
    vi.stubEnv('DATA_IMPORT_DATABASE_SCHEMA', schema);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await run('run', inputFile(`${name}.jsonl`, account('A-1')), '--run', at(name))).toMatchObject({ code: 0 });
    return { schema, folder: ['--run', at(name)] };
  }

  /** The first there, the second left, the third not heard of since, and named to be read as something else. */
  const addMembers = (schema: string) =>
    server.ask(`
      set time zone 'Asia/Tokyo';
      insert into ${schema}.worker values
        ('a2', 'W2', 'host-2', 8, '2026-01-15T20:00:05Z', '2026-01-15T21:00:00Z', '2026-01-15T21:00:00Z',
          '{"ended": 1, "requests": 5, "throttled": 2, "takenOver": 0}'),
        ('a1', 'W1', 'host-1', 7, '2026-01-15T20:00:00Z', '2999-01-01T00:00:00Z', null,
          '{"ended": 1200, "requests": 4800, "throttled": 3, "takenOver": 1}'),
        ('a3', E'W3\\n\\x1b[2Jx', 'host-3', 9, '2026-01-15T20:00:09Z', '2026-01-15T20:30:00Z', null,
          '{"ended": 0, "requests": 0, "throttled": 0, "takenOver": 0}')`);

  const W1 = {
    id: 'a1',
    name: 'W1',
    host: 'host-1',
    pid: 7,
    joinedAt: '2026-01-15T20:00:00.000Z',
    leftAt: null,
    isThere: true,
    work: { ended: 1200, requests: 4800, throttled: 3, takenOver: 1 },
  };

  test('report lists all workers in the order of joining; status those that are there, and the sum of the others', async () => {
    const { schema, folder } = await runOnce('status');
    await addMembers(schema);
    const input = readFileSync(at('status.jsonl'));
    expect(await run('status', ...folder)).toEqual({
      code: 0,
      out: [
        `Target: ${new URL(process.env['DATA_IMPORT_BASE_URL'] ?? '').host}`,
        '1 record: 1 created, 0 already imported, 0 rejected, 0 skipped, 0 unknown, 0 unfinished',
        `Input: ${at('status.jsonl')} (${input.length} bytes, SHA-256 ${createHash('sha256').update(input).digest('hex').slice(0, 12)})`,
        'No run answers in this folder; its distributed run is active.',
        '3 workers, 1 there:',
        '  W1 on host-1, from 2026-01-15 20:00:00 UTC, active: 1,200 records ended, 4,800 requests, 3 answered 429, 1 taken over',
        '  2 that ended before: 1 record ended, 5 requests, 2 answered 429, 0 taken over',
        '',
      ].join('\n'),
      err: '',
    });
    const { workers: ofStatus, paused, coordinator } = JSON.parse((await run('status', '--json', ...folder)).out);
    expect({ paused, coordinator }).toEqual({ paused: null, coordinator: null });
    expect(await run('report', ...folder)).toMatchObject({ code: 0 });
    const ofReport = JSON.parse(readFileSync(at('status/report.json'), 'utf8')).workers;
    const expected = [
      W1,
      { id: 'a2', leftAt: '2026-01-15T21:00:00.000Z', isThere: false },
      { id: 'a3', leftAt: null, isThere: false },
    ];
    expect([ofStatus, ofReport]).toMatchObject([expected, expected]);
    expect(ofStatus[0]).toEqual(W1);
    expect(readFileSync(at('status/report.html'), 'utf8')).toContain('<h2 id="workers">Workers</h2>');
    // Lost in the session of the present coordinator.
    await server.ask(
      `update ${schema}.ledger set distributed_turn = turn, pid = 1, host = 'host-0', since = '2026-01-15T20:00:06.000Z'`,
    );
    expect((await run('status', ...folder)).out).toMatch(
      /\n {2}W3.* on host-3, from .*, no heartbeat: .*\n {2}1 that ended before: .*\n$/,
    );
    await server.ask(`update ${schema}.worker set left_at = clock_timestamp() where left_at is null`);
    expect((await run('status', ...folder)).out).toContain('Not running.\n3 workers, 0 there:\n');
  });

  test('status and report of a run on one machine have no workers; a refusing server is reported without the password', async () => {
    const { schema, folder } = await runOnce('single');
    expect(await distributedRunOf({ database: server.urlOf('with_password'), schema })).toBeUndefined();
    expect((await run('status', ...folder)).out).toMatch(/0 unfinished\nInput: .*\nNot running\.\n$/);
    expect(JSON.parse((await run('status', '--json', ...folder)).out)).not.toHaveProperty('workers');
    expect(await run('report', ...folder)).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(at('single/report.json'), 'utf8'))).not.toHaveProperty('workers');
    await server.ask(`revoke select on ${schema}.worker from with_password`);
    const asked = distributedRunOf({ database: server.urlOf('with_password'), schema });
    await expect(asked).rejects.toMatchObject({ name: 'LedgerDatabaseError' });
    await expect(asked).rejects.toThrow(`ledger: cannot read schema ${schema} of database postgres on 127.0.0.1:`);
    await expect(asked).rejects.not.toThrow(PASSWORD);
  });
});
