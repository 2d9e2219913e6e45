/** The example of docs/sql-input.md is executed with the text of the page. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { run } from '../../../cli/typed.js';
import { windows1252 } from './sql-folder.js';

const page = readFileSync(fileURLToPath(new URL('../../../../docs/sql-input.md', import.meta.url)), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'sql-document-'));
const at = (name: string) => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true }));

/** The blocks of a language, in their order. */
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n([^\`]*)\`\`\``, 'g'))].map(([, text = '']) => text);

test('it finds the date that does not exist, and sends the other record', async () => {
  const [customers = '', payments = ''] = blocks('csv');
  const [query = ''] = blocks('sql');
  writeFileSync(at('customers.csv'), windows1252(customers));
  writeFileSync(at('payments.csv'), payments);
  writeFileSync(at('customers.sql'), query);
  const checked = await run('check', at('customers.sql'), '--no-warnings');
  const [message = ''] = blocks('text');
  expect(checked.out.replaceAll(`${folder}/`, '')).toContain(message);
  const sent = await run('run', at('customers.sql'), '--sandbox', '--run', at('run'));
  expect(sent.code).toBe(3);
  expect(sent.out).toContain('1 created');
});
