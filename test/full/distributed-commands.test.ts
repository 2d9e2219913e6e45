/** The commands that a person gives during and after a distributed run, as typed, on a real PostgreSQL. */
import { writeFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { begin } from '../cli/begin.js';
import { account, openFolder, openService, run } from '../cli/typed.js';
import { PATIENCE } from '../helpers/patience.js';
import { newPostgresStore } from '../migration/ledger/postgres/store.js';
import { usePostgres } from '../migration/ledger/postgres/use-postgres.js';

const { isThere, server } = usePostgres();

describe.skipIf(!isThere)('a distributed run', () => {
  const { at, inputFile } = openFolder();
  const SPOILT = { customers: [{ landline: '12' }] };

  function useDatabase(): void {
    const { schema } = newPostgresStore(() => server.url);
    vi.stubEnv('DATA_IMPORT_DATABASE', server.url);
    vi.stubEnv('DATA_IMPORT_DATABASE_SCHEMA', schema);
    onTestFinished(() => void vi.unstubAllEnvs());
  }

  test('is verified, retried and continued by the commands of any run, on one machine', async () => {
    const sandbox = await openService();
    useDatabase();
    const numbers = Array.from({ length: 20 }, (_, index) => `A-${index + 1}`);
    const path = inputFile('all.jsonl', ...numbers.map((number) => account(number, number === 'A-7' ? SPOILT : {})));
    const folder = ['--run', at('all')];
    const worker = begin('worker', '--concurrency', '2', '--json');
    await worker.says('waiting for a run to begin');
    expect(await run('run', path, ...folder, '--distributed')).toMatchObject({
      code: 3,
      out: expect.stringContaining('19 created + 0 already imported + 1 rejected'),
    });
    await worker.ended;
    expect(await run('verify', ...folder)).toMatchObject({
      code: 0,
      out: '= 19 accounts agree, 0 differ, 1 not imported on either side\n',
    });
    writeFileSync(at('corrected.jsonl'), `${JSON.stringify(account('A-7'))}\n`);
    expect(await run('retry', at('corrected.jsonl'), ...folder)).toMatchObject({
      code: 0,
      out: expect.stringContaining('20 created + 0 already imported + 0 rejected'),
    });
    expect(await run('run', path, ...folder, '--distributed')).toMatchObject({ code: 0 });
    expect(await run('verify', ...folder)).toMatchObject({ code: 0, out: expect.stringContaining('= 20 accounts') });
    expect(sandbox.requests().filter(({ change }) => change === 'staged → imported')).toHaveLength(20);
  });

  test('is verified while it is running; retry ends with code 11 until the run has ended', async () => {
    await openService({ faults: [{ match: {}, effect: { latencyMs: 10 } }] });
    useDatabase();
    const path = inputFile('long.jsonl', ...Array.from({ length: 200 }, (_, index) => account(`A-${index + 1}`)));
    const folder = ['--run', at('long')];
    const coordinator = begin('run', path, ...folder, '--distributed', '--concurrency', '2', '--json', '--health', '0');
    await coordinator.says('Health');
    await vi.waitFor(
      async () => expect((await run('status', ...folder, '--json')).out).toMatch(/"created":[1-9]/),
      PATIENCE,
    );
    expect(await run('retry', path, ...folder)).toMatchObject({ code: 11, out: '' });
    // Accounts in flight may differ for a moment: code 5 names them.
    expect([0, 5]).toContain((await run('verify', ...folder)).code);
    expect(await coordinator.ended).toMatchObject({ code: 0 });
    expect(await run('verify', ...folder)).toMatchObject({ code: 0 });
  });
});
