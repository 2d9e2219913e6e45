/** `data-import-sdk … --database`: every command on a ledger on PostgreSQL, as typed. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { DataImportClient } from '../../src/index.js';
import { type ImportRecord, migrateRecord, postgresLedger } from '../../src/migration/index.js';
import { account, line, openFolder, openService, resolveWhenQuiet, run, runIn } from '../cli/typed.js';
import { PASSWORD } from '../migration/ledger/postgres/server.js';
import { newPostgresStore } from '../migration/ledger/postgres/store.js';
import { usePostgres } from '../migration/ledger/postgres/use-postgres.js';

const { isThere, server } = usePostgres((made) => made.ask('grant create on database postgres to with_password'));

describe.skipIf(!isThere)('data-import-sdk --database', () => {
  const { at, inputFile } = openFolder();

  /** A new schema, by environment variables as a service manager gives them. */
  function useDatabase(): string {
    const { schema } = newPostgresStore(() => server.urlOf('admin'));
    vi.stubEnv('DATA_IMPORT_DATABASE', server.urlOf('with_password'));
    vi.stubEnv('DATA_IMPORT_DATABASE_SCHEMA', schema);
    onTestFinished(() => void vi.unstubAllEnvs());
    return schema;
  }

  const bad = (number: string) => account(number, { customers: [{ landline: 'x' }] });

  test('a run, and everything that is done with it afterwards', async () => {
    await openService();
    useDatabase();
    const path = inputFile('all.jsonl', account('A-1'), account('A-2'), bad('A-3'));
    const folder = ['--run', at('all')];
    expect(await run('plan', path, ...folder)).toMatchObject({ out: expect.stringMatching(/^3 lines: .*3 accounts/m) });
    expect(await run('run', path, ...folder)).toMatchObject({
      code: 3,
      out: expect.stringContaining('2 created + 0 already imported + 1 rejected + 0 skipped + 0 unknown = 3\n'),
    });
    expect(readdirSync(at('all')).filter((name) => name.startsWith('ledger'))).toEqual([
      'ledger.json',
      'ledger.json.session-1',
    ]);
    expect(await run('status', ...folder)).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /3 records: 2 created, 0 already imported, 1 rejected, 0 skipped, 0 unknown, 0 unfinished\nInput: .*\nNot running\.\nNext \(1 rejected\): correct the lines in the input .*\nTo run again: .*\n$/,
      ),
    });
    expect(await run('plan', path, ...folder)).toMatchObject({
      out: expect.stringContaining('3 records done in'),
    });
    expect(await run('verify', ...folder)).toEqual({
      code: 0,
      out: '= 2 accounts agree, 0 differ, 1 not imported on either side\n',
      err: '',
    });
    expect(await run('resolve', ...folder)).toMatchObject({
      ...{ code: 0, err: '' },
      out: expect.stringMatching(/^No outcome is unknown\.\nNext \(1 rejected\): .*\nTo run again: .*\n$/),
    });
    writeFileSync(at('corrected.jsonl'), line(account('A-3')));
    expect(await run('retry', at('corrected.jsonl'), ...folder)).toMatchObject({
      code: 0,
      out: expect.stringContaining('3 created + 0 already imported + 0 rejected'),
    });
    expect(await run('report', ...folder)).toMatchObject({ code: 0, out: expect.stringContaining('3 created') });
    expect(readFileSync(at('all/ok.csv'), 'utf8').trim().split('\n')).toHaveLength(4);
  });

  test('a ledger belongs to one target there as well, from any folder', async () => {
    const first = await openService();
    useDatabase();
    const [path, former] = [inputFile('target.jsonl', account('A-1')), process.env['DATA_IMPORT_BASE_URL'] ?? ''];
    const folder = ['--run', at('target')];
    expect(await run('run', path, ...folder)).toMatchObject({ code: 0 });
    const second = await openService();
    second.restore(first.snapshot());
    const now = process.env['DATA_IMPORT_BASE_URL'] ?? '';
    const words = `belongs to ${former}, and this command is for ${now}. Give another folder with --run <folder> and another schema with --database-schema <name>, or, if the service has moved, add --retarget ${former}.`;
    const commands = [
      ['run', path],
      ['run', path, '--distributed'],
      ['retry', path],
      ['verify'],
      ['resolve'],
      ['plan', path],
    ];
    for (const command of commands) {
      expect(await run(...command, ...folder), command.join(' ')).toMatchObject({
        code: 2,
        out: '',
        err: expect.stringContaining(words),
      });
    }
    expect(await run('verify', '--run', at('elsewhere'))).toMatchObject({
      code: 2,
      err: expect.stringContaining(words),
    });
    // A refused first command leaves no note of the other run's ledger in its folder.
    expect(await run('run', path, '--run', at('elsewhere'))).toMatchObject({ code: 2 });
    expect(existsSync(at('elsewhere/ledger.json'))).toBe(false);
    expect(await run('status', '--sandbox', ...folder)).toMatchObject({ code: 2 });
    expect(second.requests()).toEqual([]);
    expect(await run('run', path, ...folder, '--retarget', former)).toMatchObject({ code: 0 });
    expect(await run('verify', ...folder)).toMatchObject({ code: 0 });
    expect(readFileSync(at('target/audit.log'), 'utf8')).toContain(`operator retarget: from ${former} to ${now}\n`);
  });

  test('the option can be a flag or a key of the config file', async () => {
    await openService();
    const { schema } = newPostgresStore(() => server.url);
    const path = inputFile('ways.jsonl', account('A-1'));
    const flags = ['--database', server.url, '--database-schema', schema, '--run', at('ways')];
    expect(await run('run', path, ...flags)).toMatchObject({ code: 0 });
    writeFileSync(at('config.json'), JSON.stringify({ database: server.url, databaseSchema: schema, team: 'T' }));
    expect(await run('status', '--config', at('config.json'), '--run', at('ways'))).toMatchObject({
      out: expect.stringContaining('1 record: 1 created'),
    });
  });

  test('the password is in no file and no output of the run', async () => {
    await openService();
    const { schema } = newPostgresStore(() => server.urlOf('admin'));
    const path = inputFile('secret.jsonl', account('A-1'), bad('A-2'));
    const args = [
      'run',
      path,
      '--run',
      at('secret'),
      '--database',
      server.urlOf('with_password'),
      '--database-schema',
      schema,
    ];
    const { code, out, err } = await run(...args, '--canary', '1');
    expect(code).toBe(7);
    expect(out).toContain("--database 'postgres://with_password:***@127.0.0.1:");
    const files = readdirSync(at('secret')).map((name) => readFileSync(join(at('secret'), name), 'utf8'));
    expect([out, err, ...files].filter((text) => text.includes(PASSWORD))).toEqual([]);
    expect(JSON.parse(readFileSync(at('secret/ledger.json'), 'utf8'))).toMatchObject({
      database: expect.stringMatching(/^postgres:\/\/with_password:\*\*\*@127\.0\.0\.1:\d+\/postgres$/),
      schema,
    });
  });

  test('a second machine is refused with code 11 while the first runs, and then resumes where it ended', async () => {
    await openService();
    useDatabase();
    const path = inputFile('two.jsonl', account('A-1'), account('A-2'), account('A-3'));
    let refused: Awaited<ReturnType<typeof run>> | undefined;
    const first = await runIn(
      {
        // Its first life has ended, and it holds the ledger until its question is answered.
        async ask() {
          refused = await run('run', path, '--run', at('machine-2'));
          return 'n';
        },
      },
      ...['run', path, '--run', at('machine-1'), '--canary', '1'],
    );
    expect(first.code).toBe(7);
    expect(refused).toMatchObject({
      code: 11,
      out: '',
      err: expect.stringMatching(
        /^data-import-sdk: ledger: schema test_\w+ of database postgres on 127\.0\.0\.1:\d+ is in use by process \d+ on \S+ since \S+, and only one run at a time can use it\. Wait until that run has ended, or end it\. Then repeat the command\. To import from several machines, give --distributed, and start "data-import-sdk worker" on each of the others\.\n$/,
      ),
    });
    expect(await run('run', path, '--run', at('machine-2'))).toMatchObject({
      code: 0,
      out: expect.stringContaining('3 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 3\n'),
    });
    expect(readFileSync(at('machine-2/ok.csv'), 'utf8').trim().split('\n')).toHaveLength(4);
  });

  test('the folders of two machines take turns on one ledger: only a file that a person has edited is kept', async () => {
    await openService();
    useDatabase();
    const [short, long] = [
      inputFile('turns-1.jsonl', account('A-1')),
      inputFile('turns-2.jsonl', account('A-1'), account('A-2')),
    ];
    const turn = (path: string, folder: string) => run('run', path, '--run', at(folder), '--yes');
    for (const [path, folder] of [
      [short, 'turn-1'],
      [long, 'turn-2'],
      [long, 'turn-1'],
    ] as const) {
      expect((await turn(path, folder)).err).not.toContain('Kept');
    }
    writeFileSync(at('turn-2/ok.csv'), 'by hand');
    expect((await turn(long, 'turn-2')).err).toContain(
      `Kept the edited ${at('turn-2/ok.csv')} as ${at('turn-2/edited-1-ok.csv')}; this command writes the file again.\n`,
    );
  });

  test('from a machine without the run folder, status and verify report the run', async () => {
    await openService();
    useDatabase();
    const path = inputFile('far.jsonl', account('A-1'));
    expect(await run('run', path, '--run', at('far'))).toMatchObject({ code: 0 });
    expect(await run('status', '--run', at('nowhere'))).toMatchObject({
      code: 0,
      out: expect.stringContaining('1 created'),
    });
    expect(await run('verify', '--run', at('nowhere'))).toEqual({
      code: 0,
      out: '= 1 account agrees, 0 differ\n',
      err: '',
    });
    expect(() => readdirSync(at('nowhere'))).toThrow('ENOENT');
  });

  test('a folder does not continue with the ledger of another run', async () => {
    await openService();
    const schema = useDatabase();
    const path = inputFile('own.jsonl', account('A-1'));
    expect(await run('run', path, '--run', at('own'))).toMatchObject({ code: 0 });
    const other = newPostgresStore(() => server.url);
    const ledger = await other.open();
    await ledger.close();
    const elsewhere = ['--run', at('own'), '--database', server.url, '--database-schema', other.schema];
    for (const command of [['run', path], ['status'], ['report'], ['verify']]) {
      expect(await run(...command, ...elsewhere), command[0]).toMatchObject({
        code: 2,
        err: expect.stringContaining(
          `the ledger at --database is not the one of the run in ${at('own')}, which is schema ${schema} of postgres://with_password:***@127.0.0.1:`,
        ),
      });
    }
    // Where it is was only moved, such as to another server, it is the same.
    const moved = server.urlOf('admin').replace('127.0.0.1', 'localhost');
    expect(await run('status', '--run', at('own'), '--database', moved)).toMatchObject({ code: 0 });
  });

  test('a database that was made anew is no ledger of the run: every command says so, and creates nothing', async () => {
    const sandbox = await openService();
    const schema = useDatabase();
    const path = inputFile('anew.jsonl', account('A-1'));
    const folder = ['--run', at('anew')];
    expect(await run('run', path, ...folder)).toMatchObject({ code: 0 });
    await server.ask(`drop schema ${schema} cascade`);
    const before = sandbox.requests().length;
    const refused = (found: string) => ({
      code: 2,
      err: expect.stringMatching(
        `^data-import-sdk: the ledger of the run in ${at('anew')} is lost: schema ${schema} of postgres://with_password:\\*\\*\\*@127\\.0\\.0\\.1:\\d+/postgres has ${found}\\. The database was emptied or made anew\\. Restore it, or a copy of it, then compare with data-import-sdk verify\\. Without it, everything is sent again: if you want that, give another folder\\.\n$`,
      ),
    });
    const commands = [
      ['run', path],
      ['run', path, '--distributed'],
      ['retry', path],
      ['status'],
      ['report'],
      ['verify'],
    ];
    for (const command of [...commands, ['resolve'], ['plan', path]]) {
      expect(await run(...command, ...folder), command.join(' ')).toMatchObject(refused('no ledger'));
    }
    expect(await server.ask(`select 1 from pg_namespace where nspname = '${schema}'`)).toEqual([]);
    expect(sandbox.requests()).toHaveLength(before);
    expect(await run('run', path, '--run', at('anew-2'))).toMatchObject({ code: 0 });
    expect(await run('status', ...folder)).toMatchObject(refused('another ledger'));
  });

  const LATER = ' A later session worked in this folder, and the ledger does not know it\\.';
  test.each([
    ['restored into new tables, for a folder without a later session', '', ''],
    ['with the tables of the server, as in a copy of the whole one', '--data-only', LATER],
  ])('a backup of the database from before the last session is asked about, %s', async (_, only, later) => {
    const sandbox = await openService();
    const schema = useDatabase();
    const words = ['run', at('restored.jsonl'), '--run', at(`restored${only}`)];
    const noted = (number: string) => ({ ...account(number), notes: [{ body: `Note ${number}` }] });
    inputFile('restored.jsonl', noted('A-1'));
    expect(await run(...words)).toMatchObject({ code: 0 });
    const dump = execFileSync(
      'pg_dump',
      ['--inserts', '--no-owner', '--schema', schema, ...(only === '' ? [] : [only]), server.urlOf('admin')],
      { encoding: 'utf8' },
    );
    inputFile('restored.jsonl', noted('A-1'), noted('A-2'));
    expect(await run(...words)).toMatchObject({ code: 0, err: '' });
    const tables = await server.ask(`select tablename as name from pg_tables where schemaname = '${schema}'`);
    const emptied = tables.map(({ name }) => `truncate ${schema}.${name} cascade;`).join('');
    await server.ask(only === '' ? `drop schema ${schema} cascade` : emptied);
    // A restriction of psql that is no SQL.
    await server.ask(dump.replace(/^\\.*$/gm, ''));
    const grants = `grant all on schema ${schema} to with_password; grant all on all tables in schema ${schema} to with_password`;
    await server.ask(`${grants}; grant all on all sequences in schema ${schema} to with_password`);
    if (later === '') rmSync(at('restored/ledger.json.session-2'));
    const before = sandbox.requests().length;
    const { code, err } = await run(...words);
    expect([code, err]).toEqual([
      7,
      expect.stringMatching(
        `^The ledger was copied or restored since its last session, of \\S+ on \\S+ as schema ${schema} of database postgres on 127\\.0\\.0\\.1:\\d+\\.${later} It does`,
      ),
    ]);
    expect(err).toContain('\nNothing was sent. To continue: data-import-sdk run ');
    expect(sandbox.requests()).toHaveLength(before);
    expect(await run(...words, '--distributed')).toMatchObject({ code: 7 });
    expect(await run(...words, '--yes')).toMatchObject({ err: expect.stringContaining('copied or restored') });
    expect(await run(...words)).toMatchObject({ err: '' });
  });

  test('status creates no ledger if the database has none', async () => {
    const schema = useDatabase();
    mkdirSync(at('empty'));
    expect(await run('status', '--run', at('empty'))).toMatchObject({
      code: 2,
      err: expect.stringContaining('has no ledger. A run with this address creates it.'),
    });
    expect(await server.ask(`select 1 from pg_namespace where nspname = '${schema}'`)).toEqual([]);
  });

  test('resolve decides about records of migrateRecord: there was no run, and is no folder', async () => {
    const sandbox = await openService({
      faults: [{ match: { operation: 'paymentInstructions.create' }, effect: 'drop', phase: 'before', times: 1 }],
    });
    const schema = useDatabase();
    const client = new DataImportClient({
      ...{ baseUrl: process.env['DATA_IMPORT_BASE_URL'] ?? '', token: sandbox.token },
      ...{ maxRetries: 0, timeoutMs: 1000, advanced: { inFlightGraceMs: 0 } },
    });
    onTestFinished(() => client.close());
    const instruction = { vendor: 'VENDOR', reference: 'MANDATE-1', type: 'DIRECT_DEBIT' };
    const record = { ...account('A-1'), payment_instructions: [instruction] } as ImportRecord;
    const migrated = async () => {
      const connectionString = server.urlOf('with_password');
      const ledger = await postgresLedger({ connectionString, schema, shared: true });
      const { state } = await migrateRecord(record, { client, ledger, team: 'SANDBOX_TEAM' });
      await ledger.close();
      return state;
    };
    expect(await migrated()).toBe('incomplete');
    const folder = ['--run', at('decisions')];
    expect(await run('resolve', ...folder)).toMatchObject({
      code: 4,
      out: expect.stringContaining(" --account A-1 --step paymentInstruction --as '<done|not-done>'"),
    });
    expect(readFileSync(at('decisions/unknown.csv'), 'utf8')).toContain('payment_instruction');
    expect(await run('forget', '--account', 'A-1', ...folder)).toMatchObject({ code: 2 });
    const decision = [
      '--account',
      'A-1',
      '--step',
      'paymentInstruction',
      '--as',
      'not-done',
      '--in-flight-grace',
      '0',
      '--timeout',
      '1',
    ];
    expect(await resolveWhenQuiet(...decision, ...folder)).toMatchObject({ code: 0, err: '' });
    expect(await run('report', ...folder)).toMatchObject({
      ...{ code: 0, err: '' },
      out: expect.stringMatching(
        / 1 unfinished = 1\n(?:.*\n)+The lines that need you are in the run folder on the machine of the run; /,
      ),
    });
    expect(await migrated()).toBe('complete');
  });

  test('resolve creates neither ledger nor folder if the database has none', async () => {
    await openService();
    const schema = useDatabase();
    expect(await run('resolve', '--run', at('typo'))).toMatchObject({
      code: 2,
      err: expect.stringContaining('has no ledger. A run with this address creates it.'),
    });
    expect(existsSync(at('typo'))).toBe(false);
    expect(await server.ask(`select 1 from pg_namespace where nspname = '${schema}'`)).toEqual([]);
  });

  test('a run that loses its ledger to another one ends with code 11, and sends nothing more', async () => {
    const schema = useDatabase();
    const sandbox = await openService({
      faults: [{ match: { operation: 'accounts.process' }, effect: { latencyMs: 1 } }],
      // As another run does when it begins, at the moment when the first account is processed.
      wait: async () => void (await server.ask(`update ${schema}.ledger set turn = turn + 1`)),
    });
    const path = inputFile('lost.jsonl', { ...account('A-1'), notes: [{ body: 'Call back.' }] });
    expect(await run('run', path, '--run', at('lost'))).toMatchObject({
      code: 11,
      out: '',
      err: expect.stringContaining(
        'data-import-sdk: ledger: while the connection was lost, another run has taken over',
      ),
    });
    const sent = sandbox.requests().map(({ operation }) => operation);
    expect(sent.slice(sent.indexOf('accounts.process'))).toEqual(['accounts.process']);
  });
});
