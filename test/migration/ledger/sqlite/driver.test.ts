/** Which SQLite is taken, and what is said where there is none. */
import { expect, test } from 'vitest';
import { loadSqlite } from '../../../../src/migration/ledger/sqlite/driver.js';

class Taken extends Error {}

/** Neither opens anything: each says that it was taken. */
const moduleOf = (name: string) => ({
  DatabaseSync: class {
    constructor() {
      throw new Taken(name);
    }
  } as never,
});

async function takenWith(ownVersion: string | undefined): Promise<string> {
  const open = await loadSqlite({
    ownVersion,
    own: () => moduleOf('own'),
    other: async () => moduleOf('other'),
  });
  try {
    open('ledger.db', { readOnly: true });
  } catch (error) {
    if (error instanceof Taken) return error.message;
  }
  return 'none';
}

test.each([
  [undefined, 'other'],
  ['3.46.1', 'other'],
  ['3.51.2', 'other'],
  ['3.9.9', 'other'],
  ['3.51.3', 'own'],
  ['3.51.10', 'own'],
  ['3.53.0', 'own'],
  ['4.0.0', 'own'],
])("Node's own SQLite %s: %s is taken", async (version, taken) => {
  expect(await takenWith(version)).toBe(taken);
});

test.each([
  [undefined, 'has no built-in SQLite'],
  ['3.46.1', 'has SQLite 3.46.1'],
])('neither there (%s): says what to install', async (ownVersion, has) => {
  const sources = {
    ownVersion,
    own: () => moduleOf('own'),
    other: async () => Promise.reject(new Error('Cannot find package')),
  };
  await expect(loadSqlite(sources)).rejects.toThrow(
    `ledger: this Node (${process.version}) ${has}, and a ledger needs 3.51.3 or later. ` +
      'Install one with "npm install @photostructure/sqlite@1.2.1", or run with the newest Node 22, 24 or later.',
  );
});

test('the one that is taken here is sound, and nothing is said on the screen', async () => {
  const warnings: string[] = [];
  const listen = (warning: Error) => warnings.push(warning.message);
  process.on('warning', listen);
  const connection = (await loadSqlite())(':memory:', { readOnly: false });
  const { version } = connection.prepare('select sqlite_version() as version').get() as { version: string };
  connection.close();
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', listen);
  expect(warnings).toEqual([]);
  expect(version).toMatch(/^3\.(5[1-9]|[6-9]\d)\./);
});
