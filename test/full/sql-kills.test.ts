/** `data-import-sdk run customers.sql`, killed by SIGKILL again and again: each account is created once, and nothing is left of the killed processes. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test, vi } from 'vitest';
import { generate } from '../../examples/legacy-sql/generate.mjs';
import { newFolder } from '../helpers/folder.js';
import { openRun } from './killed-runs.js';

const KILLS = Number(process.env['SQL_KILLS'] ?? 6);
const QUERY = fileURLToPath(new URL('../../examples/legacy-sql/customers.sql', import.meta.url));
const folder = newFolder('sql-kills-', afterAll);

test(`killed ${KILLS} times, in the query and in the run`, async () => {
  generate(folder, 3000);
  copyFileSync(QUERY, join(folder, 'customers.sql'));
  const temporary = join(folder, 'temporary');
  mkdirSync(temporary);
  vi.stubEnv('TMPDIR', temporary);
  const run = await openRun('customers.sql', folder, 'run');
  for (let kill = 0; kill < KILLS; kill++) {
    // Every third kill comes while the sources are loaded or the records are computed.
    const moment = kill % 3 === 0 ? { ms: 500, laterMs: 40 * kill } : { requests: 40 + 10 * kill, laterMs: 0 };
    expect((await run.runSession(moment)).code).toBeNull();
    expect(readdirSync(temporary).length).toBeLessThanOrEqual(1);
  }
  const end = await run.runSession();
  // 22 customers of the export have a value that is wrong; a kill may leave an unknown outcome, such as that of a business.
  expect([3, 4]).toContain(end.code);
  expect(end.complaint).toBeUndefined();
  const lines = readFileSync(join(folder, 'run', 'ok.csv'), 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1);
  const numbers = lines.flatMap((line) => /C-\d{6}/.exec(line)?.[0] ?? []);
  expect(new Set(numbers).size).toBe(numbers.length);
  const imported = (run.sandbox.state.suppliers[0]?.accounts ?? []).filter((account) => account.imported);
  expect(new Set(imported.map((account) => account.external_account_number)).size).toBe(imported.length);
  // An account whose business has an unknown outcome waits.
  if (end.code === 3) expect([numbers.length, imported.length]).toEqual([2978, 2978]);
  else expect(imported.length).toBeGreaterThanOrEqual(numbers.length);
  expect(readdirSync(temporary)).toEqual([]);
  await run.close();
});
