/** Connections with secrets or personal data that others on the network can read: one warning at the start of the command. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { unencryptedConnections } from '../../src/cli/open/unencrypted.js';
import { openFolder, run } from '../cli/typed.js';

const { at } = openFolder();

/** What the command prints, which ends before it connects: the folder has a ledger in a file. */
async function status(...flags: string[]): Promise<string> {
  mkdirSync(at('run'), { recursive: true });
  writeFileSync(at('run/ledger.sqlite'), '');
  return (await run('status', '--run', at('run'), ...flags)).err;
}

beforeEach(() => {
  for (const name of ['PGHOST', 'PGSSLMODE', 'PGPORT']) vi.stubEnv(name, '');
});

const WITHOUT_TLS =
  'is used without TLS: other machines may read or change what it has of the run, such as account numbers. Add ?sslmode=verify-full to its address.';

describe('a ledger on PostgreSQL', () => {
  test.each([
    ['postgres://importer:s3cret@192.0.2.1:1/import', 'PostgreSQL on 192.0.2.1:1'],
    ['postgresql://192.0.2.1:1/import?sslmode=disable', 'PostgreSQL on 192.0.2.1:1'],
    ['postgres://127.0.0.1/import?host=192.0.2.1&port=1', 'PostgreSQL on 192.0.2.1:1'],
    ['postgres://[2001:db8::1]:1/import', 'PostgreSQL on 2001:db8::1:1'],
  ])('%s is used without TLS', async (database, server) => {
    expect(await status('--database', database)).toContain(`warning: --database: ${server} ${WITHOUT_TLS}\n`);
    expect(await status('--database', database)).not.toContain('s3cret');
  });

  test('with PGHOST in place of a host', async () => {
    vi.stubEnv('PGHOST', '192.0.2.1');
    vi.stubEnv('PGPORT', '1');
    expect(await status('--database', 'postgres:///import')).toContain(`PostgreSQL on 192.0.2.1:1 ${WITHOUT_TLS}`);
  });

  test('whose certificate is not checked', async () => {
    expect(await status('--database', 'postgres://192.0.2.1:1/import?sslmode=no-verify')).toContain(
      'warning: --database: PostgreSQL on 192.0.2.1:1 is used without a check of its certificate: ',
    );
  });

  test.each([
    'postgres://127.0.0.1:1/import',
    'postgres://127.1:1/import',
    'postgres://localhost:1/import',
    'postgres://[::1]:1/import',
    'postgres://%2Fvar%2Frun%2Fnone:1/import',
    'postgres://192.0.2.1:1/import?sslmode=verify-full',
    'postgres://192.0.2.1:1/import?ssl=true',
    'postgres:nonsense',
  ])('%s is used without a warning', async (database) => {
    expect(await status('--database', database)).not.toContain('warning');
  });

  test('with PGSSLMODE for TLS', async () => {
    vi.stubEnv('PGSSLMODE', 'verify-full');
    expect(await status('--database', 'postgres://192.0.2.1:1/import')).not.toContain('warning');
  });
});

describe('notifications', () => {
  test.each([
    ['http://hooks.example.com/T/s3cret', true],
    ['http://192.0.2.1:1/T/s3cret', true],
    ['https://hooks.example.com/T/s3cret', false],
    ['http://127.0.0.1:1/T/s3cret', false],
    ['http://localhost:1/T/s3cret', false],
  ])('to %s: a warning: %s', async (url, isWarned) => {
    const warnings = await unencryptedConnections({ notify: url });
    const warning = expect.stringMatching(/^warning: --notify: [\w.:]+ is used without TLS: other machines may read/);
    expect(warnings).toEqual(isWarned ? [warning] : []);
    expect(warnings.join('')).not.toContain('s3cret');
  });
});
