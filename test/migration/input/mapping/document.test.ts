/** The example of docs/mapping.md is executed with the text of the page. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { run } from '../../../cli/typed.js';
import { newFolder } from '../../../helpers/folder.js';
import { windows1252 } from '../sql/sql-folder.js';

const page = readFileSync(fileURLToPath(new URL('../../../../docs/mapping.md', import.meta.url)), 'utf8');
const folder = newFolder('mapping-document-', afterAll);
const at = (name: string) => join(folder, name);

/** The blocks of a language, in their order. */
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, text = '']) => text);

const [customers = '', payments = ''] = blocks('csv');
const [map = '', keeping = '', mapWithPayments = ''] = blocks('js');
const [rejected = '', invalid = ''] = blocks('text');
writeFileSync(at('customers.csv'), windows1252(customers));

async function check(name: string, code: string) {
  writeFileSync(at(name), code);
  return run('check', at('customers.csv'), '--map', at(name), '--encoding', 'windows-1252', '--no-warnings');
}

test('check names the date that does not exist, with its column; run sends the other record', async () => {
  const checked = await check('map.mjs', map);
  expect(checked.out.replaceAll(`${folder}/`, '')).toContain(rejected);
  expect(checked.code).toBe(3);
  const words = ['--map', at('map.mjs'), '--encoding', 'windows-1252', '--sandbox', '--run', at('run')];
  const sent = await run('run', at('customers.csv'), ...words);
  expect(sent.code).toBe(3);
  expect(sent.out).toContain('1 created');
});

test('with keepInvalid, check names the field', async () => {
  const [declaration = ''] = keeping.split('\n');
  const code = map
    .replace('{ omitEmpty', '{ keepInvalid, omitEmpty')
    .replace('/** @param', `${declaration}\n\n/** @param`)
    .replace('parseDate(row', 'date(row');
  expect((await check('keep.mjs', code)).out.replaceAll(`${folder}/`, '')).toContain(invalid);
});

test('with the related file, run sends the transactions of the account', async () => {
  writeFileSync(at('payments.csv'), payments);
  writeFileSync(at('map-with-payments.mjs'), mapWithPayments);
  const words = [
    '--map',
    at('map-with-payments.mjs'),
    '--encoding',
    'windows-1252',
    '--sandbox',
    '--run',
    at('related'),
  ];
  const sent = await run('run', at('customers.csv'), ...words, '--json');
  expect(sent.code).toBe(0);
  expect(JSON.parse(sent.out)).toMatchObject({ created: 2, items: { transactions: { input: 2, sent: 2 } } });
});

test('what keepInvalid leaves is an error in a text too, and rejected.csv names its column', async () => {
  writeFileSync(at('prices.csv'), 'k;prix\nA;0,20165\nB;0,12 EUR/kWh\nC;abc\nD;\n');
  writeFileSync(
    at('prices.mjs'),
    `import { keepInvalid, omitEmpty, parseDecimalText } from 'data-import-sdk/mapping';
const price = keepInvalid(parseDecimalText);
export default ({ k, prix }) => omitEmpty({ account: { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: k, sales_channel: price(prix, ',') } });
`,
  );
  const words = ['--map', at('prices.mjs'), '--sandbox', '--run', at('prices')];
  expect((await run('run', at('prices.csv'), ...words)).out).toContain('2 created + 0 already imported + 2 rejected');
  const sheet = readFileSync(join(at('prices'), 'rejected.csv'), 'utf8');
  for (const line of ['3;B', '4;C']) expect(sheet).toContain(`;${line};account.sales_channel;prix;unreadable_value;`);
});
