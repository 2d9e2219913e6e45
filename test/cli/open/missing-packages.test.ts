/** An optional package that is not installed ends a command with code 2 and the command that installs it. */
import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { loadSqlite } from '../../../src/migration/ledger/sqlite/driver.js';
import { account, openFolder, refusal } from '../typed.js';

const { at, inputFile } = openFolder();

const notInstalled = () => {
  throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
};

beforeEach(() => void vi.resetModules());
afterEach(() => {
  vi.doUnmock('@photostructure/sqlite');
  vi.doUnmock('@duckdb/node-api');
  vi.doUnmock('../../../src/migration/ledger/sqlite/driver.js');
});

/** With what is mocked now. */
async function run(...args: string[]) {
  const typed = await import('../typed.js');
  return typed.run(...args);
}

test('the SQLite of a Node that has none that is sound', async () => {
  const path = inputFile('good.jsonl', account('A-1'));
  // Also where the Node that runs the test has one.
  vi.doMock('../../../src/migration/ledger/sqlite/driver.js', async (original) => {
    const actual = (await original()) as { loadSqlite: typeof loadSqlite };
    const sources = { ownVersion: undefined, own: notInstalled, other: async () => notInstalled() };
    return { ...actual, loadSqlite: () => actual.loadSqlite(sources) };
  });
  const { code, out, err } = await run('run', path, '--sandbox', '--run', at('no-sqlite'));
  expect({ code, out, err }).toEqual(
    refusal(
      `ledger: this Node (${process.version}) has no built-in SQLite, and a ledger needs 3.51.3 or later. Install one with "npm install @photostructure/sqlite@1.2.1", or run with the newest Node 22, 24 or later.`,
    ),
  );
});

const INSTALL_DUCKDB = 'Install it with "npm install @duckdb/node-api@1.5.6-r.1".';

test.each([
  [
    'is not installed',
    notInstalled,
    `SQL needs the package @duckdb/node-api, which is not installed or has no binary for this system. ${INSTALL_DUCKDB}`,
  ],
  [
    'is too old',
    () => ({ version: () => 'v1.4.9' }),
    `SQL needs DuckDB 1.5 or a later 1.x, and @duckdb/node-api has v1.4.9. ${INSTALL_DUCKDB}`,
  ],
])('@duckdb/node-api that %s, for a query', async (_, load, message) => {
  writeFileSync(at('query.sql'), "SELECT { external_account_number: 'A-1' } AS account");
  vi.doMock('@duckdb/node-api', load);
  for (const words of [['check'], ['run', '--sandbox', '--run', at('no-duckdb')], ['columns']]) {
    const [command = '', ...flags] = words;
    const { code, err } = await run(command, at('query.sql'), ...flags);
    expect({ code, err }).toEqual({ code: 2, err: `data-import-sdk: input: ${message}\n` });
  }
});
