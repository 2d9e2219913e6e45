/** A PostgreSQL that is away, comes back, refuses, or is not what it should be: what the ledger does, and what it says. */
import { Client } from 'pg';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { LedgerLockedError } from '../../src/migration/ledger/locked-error.js';
import { LedgerDatabaseError, NoLedgerError } from '../../src/migration/ledger/postgres/database-error.js';
import { postgresLedger } from '../../src/migration/ledger/postgres/postgres-ledger.js';
import { PATIENCE } from '../helpers/patience.js';
import { PASSWORD } from '../migration/ledger/postgres/server.js';
import { newPostgresStore } from '../migration/ledger/postgres/store.js';
import { usePostgres } from '../migration/ledger/postgres/use-postgres.js';
import { all, business, record } from '../migration/ledger/records.js';
import { type Moment, openProxy } from './postgres-proxy.js';

const { isThere, server } = usePostgres();

describe.skipIf(!isThere)('a PostgreSQL', () => {
  const newStore = () => newPostgresStore(() => server.url);
  const key = (number: string) => ({ supplier: 'SANDBOX_SUPPLIER', kind: 'account', number }) as const;

  async function newProxy() {
    const proxy = await openProxy(server.url);
    onTestFinished(() => proxy.close());
    return proxy;
  }

  describe('that becomes unavailable', () => {
    test.each<[string, Moment]>([
      ['before it has the commit: the writes are made again', 'commit'],
      ['when it has committed without an answer: the row is read back', 'answer'],
    ])('%s', async (_, moment) => {
      const [store, proxy] = [newStore(), await newProxy()];
      const ledger = await store.open({ connectionString: proxy.url });
      await ledger.write(record('A-2', { line: 7 }));
      proxy.cutAt(moment);
      const results = await Promise.allSettled([
        ledger.write(record('A-1')),
        // Stale whatever the result of the commit: that version is stored already, with other content.
        ledger.write(record('A-2', { line: 8 })),
        ledger.write(business('B-1'), ['C-1']),
      ]);
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(await all(ledger.list())).toEqual([record('A-2', { line: 7 }), record('A-1'), business('B-1')]);
      expect(await ledger.business('SANDBOX_SUPPLIER', 'C-1')).toEqual(business('B-1'));
      await ledger.write(record('A-1', { version: 2 }));
    });

    test.each<[string, Moment]>([
      ['before it has them: they are written then', 'write'],
      ['when it has written without an answer: the row is read back', 'written'],
    ])('with records that declare nothing, %s', async (_, moment) => {
      const [store, proxy] = [newStore(), await newProxy()];
      await (await store.open()).close();
      const ledger = await store.open({ connectionString: proxy.url });
      proxy.cutAt(moment);
      await Promise.all([ledger.write(record('A-1')), ledger.write(record('A-2'))]);
      expect(await all(ledger.list())).toEqual([record('A-1'), record('A-2')]);
      await ledger.write(record('A-1', { version: 2 }));
    });

    test.each(['fast', 'immediate'] as const)(
      'by a restart (%s) during writes: the run waits, and continues',
      async (how) => {
        const ledger = await newStore().open();
        await ledger.write(record('A-0'));
        const writes = Array.from({ length: 300 }, async (_, index) => {
          for (const version of [1, 2, 3]) await ledger.write(record(`B-${index}`, { version }));
        });
        await server.stop(how);
        const reading = ledger.find(key('A-0'));
        await server.start();
        await Promise.all(writes);
        expect(await reading).toEqual(record('A-0'));
        expect(await ledger.counts()).toMatchObject({ total: 301 });
        const versions = (await all(ledger.list())).map(({ version }) => version);
        expect(versions).toEqual([1, ...Array.from({ length: 300 }, () => 3)]);
      },
    );

    test('by a crash in the midst of a reading: it is read again', async () => {
      const store = newStore();
      const ledger = await store.open();
      await ledger.write(record('A-1'));
      const other = new Client({ connectionString: server.urlOf('admin') });
      other.on('error', () => {});
      await other.connect();
      await other.query(`begin; lock table ${store.schema}.record`);
      const reading = ledger.counts();
      await vi.waitFor(
        async () =>
          expect(await server.ask("select 1 from pg_stat_activity where wait_event_type = 'Lock'")).toHaveLength(1),
        PATIENCE,
      );
      await server.stop('immediate');
      await server.start();
      expect(await reading).toMatchObject({ total: 1 });
    });

    test('ended by an administrator: another connection is opened, and has the lock', async () => {
      const store = newStore();
      const ledger = await store.open();
      await ledger.write(record('A-1'));
      await server.ask("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'data-import'");
      await ledger.write(record('A-2'));
      await expect(store.open()).rejects.toThrow(LedgerLockedError);
      expect(await ledger.counts()).toMatchObject({ total: 2 });
    });

    test('and then read-only for a while: each write waits for a session that may write', async () => {
      const [store, refusals] = [
        newStore(),
        "select xact_rollback as n from pg_stat_database where datname = 'postgres'",
      ];
      const ledger = await store.open();
      onTestFinished(() => void server.ask('alter role importer reset default_transaction_read_only'));
      await server.ask('alter role importer set default_transaction_read_only = on');
      const [before] = await server.ask(refusals);
      await server.ask("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'data-import'");
      const writes = [ledger.write(record('A-1')), ledger.setFact('some', 'value')];
      await vi.waitFor(async () => {
        const [now] = await server.ask(refusals);
        expect(Number(now?.['n'])).toBeGreaterThanOrEqual(Number(before?.['n']) + 4);
      }, PATIENCE);
      await server.ask('alter role importer reset default_transaction_read_only');
      await Promise.all(writes);
      expect([await ledger.counts(), await ledger.fact('some')]).toMatchObject([{ total: 1 }, 'value']);
    });

    test('by no time limits of its role: a wait for a lock continues, and idle connections stay open', async () => {
      const store = newStore();
      onTestFinished(() => void server.ask('alter role importer reset all'));
      for (const name of ['lock_timeout', 'statement_timeout', 'idle_session_timeout']) {
        await server.ask(`alter role importer set ${name} = '200ms'`);
      }
      const ledger = await store.open();
      await ledger.write(record('A-1'));
      const sessions = (since: string) =>
        server.ask(`select pid from pg_stat_activity where usename = 'importer' and ${since} < now() - interval '1 s'`);
      await Promise.all([ledger.counts(), ledger.find(key('A-1'))]);
      // One that writes, one of each pool.
      await vi.waitFor(async () => expect(await sessions('state_change')).toHaveLength(3), PATIENCE);
      const other = new Client({ connectionString: server.urlOf('admin') });
      await other.connect();
      onTestFinished(() => other.end());
      await other.query(`begin; lock table ${store.schema}.record`);
      const waiting = [ledger.write(record('A-2')), ledger.counts(), ledger.find(key('A-1'))];
      waiting.map((one) => one.catch(() => {}));
      await vi.waitFor(
        async () => expect(await sessions("wait_event_type = 'Lock' and query_start")).toHaveLength(3),
        PATIENCE,
      );
      await other.query('commit');
      await Promise.all(waiting);
      expect(await ledger.counts()).toMatchObject({ total: 2 });
    });

    test('for longer than the time limit: the write is refused, with the remedy', async () => {
      const [store, proxy] = [newStore(), await newProxy()];
      const ledger = await store.open({ connectionString: proxy.url, patienceMs: 300 });
      await ledger.write(record('A-1'));
      await proxy.down();
      const where = store.where.replace(new URL(server.url).port, new URL(proxy.url).port);
      const refused = {
        name: 'LedgerDatabaseError',
        message: `ledger: cannot write to ${where} (connect ECONNREFUSED ${new URL(proxy.url).host}). Start the server, or correct its address or the network, and repeat the command.`,
      };
      const results = await Promise.allSettled([ledger.write(record('A-2')), ledger.write(record('A-3'))]);
      expect(results).toMatchObject([{ reason: refused }, { reason: refused }]);
      await expect(ledger.find(key('A-1'))).rejects.toThrow(`ledger: cannot read ${where} (connect ECONNREFUSED`);
      await proxy.up();
      await ledger.write(record('A-2'));
      expect(await ledger.counts()).toMatchObject({ total: 2 });
    });

    test('while another run takes over the ledger: the first one writes no more, and reports why', async () => {
      const [store, proxy] = [newStore(), await newProxy()];
      const first = await store.open({ connectionString: proxy.url });
      await first.write(record('A-1'));
      await proxy.down();
      const second = await store.open();
      await second.write(record('A-2'));
      await proxy.up();
      for (const end of ['while it runs', 'after it has ended']) {
        const refused = await first.write(record('A-3')).catch((error: unknown) => error);
        expect(refused, end).toBeInstanceOf(LedgerLockedError);
        expect((refused as Error).message).toMatch(
          /^ledger: while the connection was lost, another run has taken over schema test_/,
        );
        await second.close();
      }
      const looker = await store.open({ readOnly: true });
      expect((await all(looker.list())).map(({ number }) => number)).toEqual(['A-1', 'A-2']);
    });
  });

  test('whose pooler gave the lock to another run as well: the first commits nothing more', async () => {
    const store = newStore();
    const ledger = await store.open();
    await ledger.write(record('A-1'));
    // As another run does when it begins.
    await store.ask(`update ${store.schema}.ledger set turn = turn + 1`);
    await expect(ledger.write(record('A-2'))).rejects.toThrow(LedgerLockedError);
    expect(await ledger.counts()).toMatchObject({ total: 1 });
  });

  describe('that refuses a write', () => {
    /** As the server does by itself when that happens to it. */
    async function refuse(store: ReturnType<typeof newStore>, code: string, message: string, times: number) {
      await store.ask(`create sequence ${store.schema}.refusals`);
      await store.ask(`create function ${store.schema}.refuse() returns trigger language plpgsql as $$ begin
        if nextval('${store.schema}.refusals') <= ${times} then
          raise exception using errcode = '${code}', message = '${message}'; end if;
        return new; end $$`);
      await store.ask(`create trigger refuse before insert on ${store.schema}.record
        for each row execute function ${store.schema}.refuse()`);
    }

    test.each(['40001', '40P01'])('since two stood in each other’s way (%s): it is made again', async (code) => {
      const store = newStore();
      const ledger = await store.open();
      await refuse(store, code, 'they collide', 3);
      await Promise.all([ledger.write(record('A-1')), ledger.write(record('A-2'))]);
      expect(await ledger.counts()).toMatchObject({ total: 2 });
    });

    test('since its disk is full: no write of the group is kept, and free space helps', async () => {
      const store = newStore();
      const ledger = await store.open();
      await ledger.write(record('A-1'));
      await refuse(store, '53100', 'could not extend file: No space left on device', 1);
      const results = await Promise.allSettled([ledger.write(record('A-2')), ledger.write(record('A-3'))]);
      const reason = {
        name: 'LedgerDatabaseError',
        message: `ledger: cannot write to ${store.where} (could not extend file: No space left on device). Free disk space on the server, and repeat the command.`,
      };
      expect(results).toMatchObject([{ reason }, { reason }]);
      expect(await ledger.counts()).toMatchObject({ total: 1 });
      await ledger.write(record('A-2'));
      expect(await ledger.counts()).toMatchObject({ total: 2 });
    });
  });

  describe('that cannot be used is reported with cause and remedy, without a password', () => {
    const at = (more: string, user = 'importer') => server.urlOf(user, '').replace(`${user}:@`, `${user}@`) + more;
    const inData = () => `schema data_import of database postgres on 127.0.0.1:${new URL(server.url).port}`;

    test.each<[string, () => string, () => string]>([
      [
        'a wrong password',
        () => server.urlOf('with_password', 'wrong'),
        () =>
          `cannot open ${inData()} (password authentication failed for user "with_password"). Correct user or password: they are in the address, in PGUSER and PGPASSWORD, or in the file .pgpass of this user.`,
      ],
      [
        'no password',
        () => at('', 'with_password'),
        () =>
          `cannot open ${inData()} (SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string). It requires a password: give it in the address, in PGPASSWORD, or in the file .pgpass of this user.`,
      ],
      [
        'a database that is not there',
        () => `${at('')}x`,
        () =>
          `cannot open ${inData().replace('postgres', 'postgresx')} (database "postgresx" does not exist). Create the database with "createdb", or give an existing one.`,
      ],
      [
        'a server that requires TLS',
        () => server.urlOf('tls_only'),
        () =>
          `cannot open ${inData()} (pg_hba.conf rejects connection for host "127.0.0.1", user "tls_only", database "postgres", no encryption). Ask its administrator to allow this user from this machine (pg_hba.conf). If the message has "no encryption", add ?sslmode=verify-full to the address.`,
      ],
      [
        'a server without TLS',
        () => at('?sslmode=verify-full'),
        () =>
          `cannot open ${inData()} (The server does not support SSL connections). Ask its administrator to turn on TLS, or remove sslmode from the address.`,
      ],
      [
        'a user who may make no schema',
        () => server.urlOf('with_password'),
        () =>
          `cannot open ${inData()} (permission denied for database postgres). Grant this user the right to create a schema in the database, or create the schema with this user as its owner.`,
      ],
      [
        'a certificate that is not there',
        () => at('?sslmode=verify-full&sslrootcert=/none/ca.pem'),
        () => '/none/ca.pem cannot be read (ENOENT). Correct the address, and try again.',
      ],
    ])('%s', async (_, connectionString, message) => {
      const refused = await postgresLedger({ connectionString: connectionString() }).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(LedgerDatabaseError);
      expect((refused as Error).message).toBe(`ledger: ${message()}`);
      expect(JSON.stringify([refused, String((refused as Error).stack)])).not.toContain(PASSWORD);
    });

    test('no ledger yet, opened read-only: nothing is created', async () => {
      const store = newStore();
      const refused = await store.open({ readOnly: true }).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(NoLedgerError);
      expect((refused as Error).message).toBe(
        `ledger: ${store.where} has no ledger. A run with this address creates it.`,
      );
      expect(await server.ask(`select 1 from pg_namespace where nspname = '${store.schema}'`)).toEqual([]);
    });

    test('a schema with the tables of something else: they are left as they were', async () => {
      const store = newStore();
      await store.ask(`create schema ${store.schema}`);
      await store.ask(`create table ${store.schema}.record (name text)`);
      await expect(store.open()).rejects.toThrow(
        `ledger: ${store.where} has other tables. Give another schema or another database.`,
      );
      expect(await store.ask(`select * from ${store.schema}.record`)).toEqual([]);
    });

    test('a server that may lose what it acknowledged', async () => {
      const setFsync = async (value: string) => {
        await server.ask(`alter system set fsync = ${value}`);
        await server.ask('select pg_reload_conf()');
        await vi.waitFor(async () => expect(await server.ask('show fsync')).toEqual([{ fsync: value }]), PATIENCE);
      };
      const store = newStore();
      await setFsync('off');
      onTestFinished(() => setFsync('on'));
      await expect(store.open()).rejects.toThrow(
        `ledger: ${store.where} cannot be used for a ledger: its server has fsync off, and may lose acknowledged writes. Turn fsync on.`,
      );
    });

    test('a database that does not keep every character', async () => {
      await server.ask("create database latin encoding 'LATIN1' locale 'C' template template0");
      await server.ask('grant create on database latin to importer');
      await expect(postgresLedger({ connectionString: server.url.replace(/postgres$/, 'latin') })).rejects.toThrow(
        `ledger: ${inData().replace('postgres', 'latin')} cannot be used for a ledger: its encoding is LATIN1. Create a database with the encoding UTF8.`,
      );
    });

    test('an empty schema that an administrator created for the user is enough', async () => {
      const store = newStore();
      await server.ask(`create schema ${store.schema} authorization with_password`);
      const ledger = await postgresLedger({
        connectionString: server.urlOf('with_password'),
        schema: store.schema,
      });
      onTestFinished(async () => {
        await ledger.close();
        await server.ask(`drop schema ${store.schema} cascade`);
      });
      await ledger.write(record('A-1'));
      expect(await ledger.counts()).toMatchObject({ total: 1 });
    });
  });

  test('that requires TLS: the remedies of the errors help', async () => {
    const certificate = await server.turnOnTls();
    const { schema, open } = newStore();
    await server.ask('grant create on database postgres to tls_only');
    const way = server.urlOf('tls_only');
    await expect(open({ connectionString: way })).rejects.toThrow('add ?sslmode=verify-full to the address.');
    await expect(open({ connectionString: `${way}?sslmode=verify-full` })).rejects.toThrow(
      '(self-signed certificate). Give the file of its authority with ?sslmode=verify-full&sslrootcert=<path> in the address.',
    );
    const ledger = await open({ connectionString: `${way}?sslmode=verify-full&sslrootcert=${certificate}` });
    await ledger.write(record('A-1'));
    expect(await ledger.counts()).toMatchObject({ total: 1 });
    await ledger.close();
    await server.ask(`drop schema ${schema} cascade`);
  });

  test('acknowledged writes are on disk, also with another default of the user', async () => {
    const store = newStore();
    await server.ask('alter role importer set synchronous_commit = off');
    onTestFinished(async () => void (await server.ask('alter role importer reset synchronous_commit')));
    const ledger = await store.open();
    await ledger.write(record('A-1'));
    await server.stop('immediate');
    await server.start();
    expect(await ledger.find(key('A-1'))).toEqual(record('A-1'));
  });
});
