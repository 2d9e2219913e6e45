/** The example of docs/sql-input.md is executed with the text of the page. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { openInput } from '../../../../src/migration/input/open-input.js';
import { run } from '../../../cli/typed.js';
import { newFolder } from '../../../helpers/folder.js';
import { windows1252 } from './sql-folder.js';

const page = readFileSync(fileURLToPath(new URL('../../../../docs/sql-input.md', import.meta.url)), 'utf8');
const folder = newFolder('sql-document-', afterAll);
const at = (name: string) => join(folder, name);

/** The blocks of a language, in their order. */
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n([^\`]*)\`\`\``, 'g'))].map(([, text = '']) => text);

test('it finds the date that does not exist, and sends the other record', { tags: 'long' }, async () => {
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

test('with its second part the number of a payment without a customer is an error', async () => {
  const [customers = '', payments = ''] = blocks('csv');
  const [query = '', rest = ''] = blocks('sql');
  const [header = '', first = ''] = payments.split('\n');
  writeFileSync(at('customers.csv'), windows1252(customers));
  writeFileSync(at('payments.csv'), `${header}\n${first.replace(/^[^;,]+/, 'C-9')}\n`);
  writeFileSync(at('customers.sql'), `${query}${rest}`);
  const checked = await run('check', at('customers.sql'), '--no-warnings', '--show-personal-data');
  expect([checked.code, checked.out]).toEqual([3, expect.stringContaining('account ⁇C-9 has no customer')]);
});

test('its balance keeps every digit and the sign, and a value that it cannot read is an error of its record', async () => {
  const [, , query = ''] = blocks('sql');
  const solde = {
    'C-01': '-1 234,50',
    'C-02': '1,235',
    'C-03': '-0,1234',
    'C-04': '1.234,567',
    'C-05': '0,00',
    'C-06': '',
    'C-07': ' ',
    'C-11': '1.234',
    'C-12': '-1.234',
    'C-13': '12.345',
    'C-14': "1'234.50",
    'C-15': '-',
    'C-16': '+5',
    'C-17': '5-',
    'C-18': '(5)',
    'C-19': '1e3',
    'C-20': 'NULL',
    'C-21': '0.00',
    'C-22': '12,50 €',
  };
  const rows = Object.entries(solde).map(([numero, text]) => `${numero};${text}\n`);
  writeFileSync(at('balances.csv'), `numero;solde\n${rows.join('')}`);
  writeFileSync(at('balances.sql'), query);
  const input = await openInput([at('balances.sql')], { spoolFolder: folder });
  const sums: Record<string, unknown> = {};
  for await (const line of input) {
    const { account, transactions } = JSON.parse(line.text);
    sums[account.external_account_number] = transactions?.map(({ type, amount }: { type: string; amount: number }) =>
      typeof amount === 'number' ? `${type} ${amount}` : 'error',
    );
  }
  await input.close();
  const errors = ['C-11', 'C-12', 'C-13', 'C-14', 'C-15', 'C-16', 'C-18', 'C-19', 'C-20', 'C-21', 'C-22'];
  expect(sums).toEqual({
    'C-01': ['CHARGE 1234.5'],
    'C-02': ['CREDIT 1.235'],
    'C-03': ['CHARGE 0.1234'],
    'C-04': ['CREDIT 1234.567'],
    'C-05': undefined,
    'C-06': undefined,
    'C-07': undefined,
    'C-17': ['CHARGE 5'],
    ...Object.fromEntries(errors.map((number) => [number, ['error']])),
  });
  const checked = await run('check', at('balances.sql'), '--no-warnings');
  expect(checked.out).toContain(
    'account C-11: error transactions.0.amount invalid_type: Expected a number, found a string.',
  );
  // Type and reason depend on the same value, and are corrected with it.
  expect(checked.out).toContain('account C-11: error transactions.0.type invalid_choice: ');
  expect(checked.out).toContain(
    'account C-11: error transactions.0.reason unreadable_value: The mapping or query could not read a value, and wrote ⁇ before it.',
  );
  expect(checked.out).toContain('19 lines, 33 errors');
});
