/** After a kill, the next process removes the folder of the killed one, and the query gives the same records in the same order. */
// @module-tag long
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { openInput } from '../../../../src/migration/input/open-input.js';
import { openSqlFolder } from './sql-folder.js';

const { write, spoolFolder, leftFiles } = openSqlFolder();
const READER = fileURLToPath(new URL('./reader.ts', import.meta.url));

test('a process that is killed in the middle of the records', async () => {
  // 7 and 1000 have no common divisor: each number is there once, in no order.
  const rows = Array.from({ length: 1000 }, (_, row) => `A-${String((row * 7) % 1000).padStart(4, '0')};${row % 3}`);
  write('rows.csv', `numero;team\n${rows.join('\n')}\n`);
  const query = write(
    'rows.sql',
    '-- source s: rows.csv\n-- slices 3 by numero\nSELECT { external_account_number: numero, team: team } AS account FROM s',
  );
  const child = spawn(process.execPath, ['--import', 'tsx', READER, query, spoolFolder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let printed = '';
  for await (const text of child.stdout.setEncoding('utf8')) {
    printed += text;
    if (printed.split('\n').length > 500) break;
  }
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  const left = leftFiles();
  expect(left).toHaveLength(1);
  // Only the part that it was computing may have a name; the copies of the sources are gone.
  expect(readdirSync(`${spoolFolder}/${left[0]}`).filter((name) => name.endsWith('.csv'))).toEqual([]);

  const input = await openInput([query], { spoolFolder });
  expect(leftFiles()).toHaveLength(1);
  expect(leftFiles()).not.toEqual(left);
  const hashes: string[] = [];
  for await (const { hash } of input) hashes.push(hash);
  await input.close();
  expect(hashes).toHaveLength(1000);
  expect(hashes.slice(0, 500)).toEqual(printed.split('\n').slice(0, 500));
  expect(leftFiles()).toEqual([]);
});
