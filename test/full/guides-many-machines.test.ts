/** The commands of the pages about PostgreSQL and many machines, exactly as printed, on a real server. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createSandbox, SANDBOX_SUPPLIER, SANDBOX_TEAM, type SandboxServer } from '../../src/sandbox/index.js';
import { hasPostgres, PASSWORD, type PostgresServer, startPostgres } from '../migration/ledger/postgres/server.js';
import { newPostgresStore } from '../migration/ledger/postgres/store.js';
import { typePage } from '../support/type-page.js';

describe.skipIf(!hasPostgres())('exactly as printed', () => {
  const before = process.cwd();
  let postgres: PostgresServer;
  let service: SandboxServer;
  let folder: string;
  const sandbox = createSandbox({ teams: ['EAST', SANDBOX_TEAM], logLimit: 20_000 });
  beforeAll(async () => {
    [postgres, service] = await Promise.all([startPostgres(), sandbox.listen()]);
    await postgres.ask('grant create on database postgres to with_password');
  });
  afterAll(async () => {
    await Promise.all([postgres?.remove(), service?.close()]);
  });
  beforeEach(() => {
    sandbox.reset();
    folder = mkdtempSync(join(tmpdir(), 'guides-many-machines-'));
    process.chdir(folder);
    mkdirSync('input');
    const accounts = Array.from({ length: 20 }, (_, index) => ({
      account: { import_supplier: SANDBOX_SUPPLIER, external_account_number: `A-${index + 1}` },
    }));
    writeFileSync('input/accounts.jsonl', accounts.map((one) => `${JSON.stringify(one)}\n`).join(''));
    vi.stubEnv('DATA_IMPORT_DATABASE_SCHEMA', newPostgresStore(() => postgres.urlOf('admin')).schema);
  });
  afterEach(() => {
    process.chdir(before);
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Accounts at the service. */
  const created = () => sandbox.requests().filter(({ change }) => change === 'staged → imported').length;
  const target = () => ({ DATA_IMPORT_BASE_URL: service.url, DATA_IMPORT_TOKEN: sandbox.token });
  const worker = { prints: 'waiting for a run to begin' };

  test('docs/postgresql.md', async () => {
    for (const [name, value] of Object.entries(target())) vi.stubEnv(name, value);
    const exports = { DATA_IMPORT_DATABASE: postgres.urlOf('with_password', ''), PGPASSWORD: PASSWORD };
    expect(await typePage('docs/postgresql.md', { exports })).toEqual([
      ['npx data-import-sdk run input/ --team EAST', 0],
    ]);
    expect(created()).toBe(20);
  });

  test('docs/distributed.md, the worker after the run has ended', async () => {
    for (const [name, value] of Object.entries(target())) vi.stubEnv(name, value);
    const exports = { DATA_IMPORT_DATABASE: postgres.url };
    const serving = { 'npx data-import-sdk worker': worker };
    expect(await typePage('docs/distributed.md', { exports, serving })).toEqual([
      ['npx data-import-sdk run input/ --team EAST --distributed', 0],
      ['npx data-import-sdk worker', 0],
      ['npx data-import-sdk status', 0],
    ]);
    expect(created()).toBe(20);
  });

  test('examples/distributed/README.md, on one machine', async () => {
    const exports = { ...target(), DATA_IMPORT_DATABASE: postgres.url, DATA_IMPORT_TEAM: 'EAST' };
    const serving = {
      'npx data-import-sdk sandbox': { prints: 'The sandbox is listening', more: ' --port 0' },
      'npx data-import-sdk worker --health 9464': worker,
    };
    expect(await typePage('examples/distributed/README.md', { exports, serving })).toEqual([
      ['npx data-import-sdk sandbox', 0],
      ['npx data-import-sdk worker --health 9464', 0],
      ['npx data-import-sdk sample --accounts 200 > input.jsonl', 0],
      ['npx data-import-sdk run input.jsonl --team SANDBOX_TEAM --distributed', 3],
    ]);
    // 192 of 203 records are created, of which three are businesses.
    expect(created()).toBe(189);
  });
});
