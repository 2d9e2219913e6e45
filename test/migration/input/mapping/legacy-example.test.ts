/**
 * examples/legacy-sql and examples/legacy-csv: one messy export of customers in three files, migrated into the sandbox by a query of at
 * most 40 lines and by a mapping of at most 60. Both give the same records. test/full/sql-kills.test.ts imports 3,000 customers.
 */
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { generate } from '../../../../examples/legacy-sql/generate.mjs';
import { openSqliteLedger } from '../../../../src/migration/ledger/sqlite/sqlite-ledger.js';
import { run } from '../../../cli/typed.js';
import { newFolder } from '../../../helpers/folder.js';

const example = (path: string) => fileURLToPath(new URL(`../../../../examples/${path}`, import.meta.url));
const folder = newFolder('legacy-csv-', afterAll);
const at = (name: string) => join(folder, name);

const linesOf = (path: string) => readFileSync(example(path), 'utf8').trimEnd().split('\n').length;

/** What the ledger of a run has of each record, without the place of its line. */
async function recordsOf(path: string) {
  const ledger = await openSqliteLedger(join(path, 'ledger.sqlite'));
  const records: Record<string, unknown> = {};
  for await (const { supplier, kind, number, contentHash, outcome, done, errors, contract } of ledger.list({})) {
    records[`${kind} ${number}`] = { supplier, contentHash, outcome, done, errors, contract };
  }
  await ledger.close();
  return records;
}

test('the mapping gives the ledger the same records as the query', { tags: 'long' }, async () => {
  generate(folder, 300);
  copyFileSync(example('legacy-sql/customers.sql'), at('customers.sql'));
  copyFileSync(example('legacy-csv/map.mjs'), at('map.mjs'));
  const sql = await run('run', at('customers.sql'), '--sandbox', '--run', at('sql'), '--json');
  const csv = await run(
    ...['run', at('customers.csv'), '--map', at('map.mjs'), '--encoding', 'windows-1252'],
    ...['--sandbox', '--run', at('csv'), '--json'],
  );
  // 5 rows are there twice, 1 of them the first of a business. The query removes the second row, and of the mapping it is skipped.
  expect(JSON.parse(sql.out).balance.text).toBe(
    '300 created + 0 already imported + 3 rejected + 0 skipped + 0 unknown = 303',
  );
  expect(JSON.parse(csv.out).balance.text).toBe(
    '300 created + 0 already imported + 3 rejected + 6 skipped + 0 unknown = 309',
  );
  const records = await recordsOf(at('csv'));
  expect(Object.keys(records)).toHaveLength(303);
  expect(records).toEqual(await recordsOf(at('sql')));
  expect(linesOf('legacy-sql/customers.sql')).toBeLessThanOrEqual(40);
  expect(linesOf('legacy-csv/map.mjs')).toBeLessThanOrEqual(60);
});
