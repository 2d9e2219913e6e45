/** examples/legacy-sql: a messy export of 3,000 customers in three files, migrated into the sandbox by a query of at most 40 lines. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { generate } from '../../../../examples/legacy-sql/generate.mjs';
import { run } from '../../../cli/typed.js';

const QUERY = fileURLToPath(new URL('../../../../examples/legacy-sql/customers.sql', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'legacy-sql-'));
const at = (name: string) => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true }));

test('every customer is created, or rejected for the value that is wrong in the export', async () => {
  generate(folder, 3000);
  copyFileSync(QUERY, at('customers.sql'));
  const { code, out } = await run('run', at('customers.sql'), '--sandbox', '--run', at('run'), '--json');
  const summary = JSON.parse(out);
  // 12 dates of birth are 31/02/1980, and 10 telephone numbers 06 12; none has both.
  expect(summary.balance.text).toBe('3008 created + 0 already imported + 22 rejected + 0 skipped + 0 unknown = 3030');
  expect(code).toBe(3);
  expect(readFileSync(QUERY, 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(40);
}, 120_000);
