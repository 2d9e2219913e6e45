/** `data-import-sdk check`, `plan`, `run`, `retry` and `columns` with a query as the input. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFolder, run } from '../typed.js';

const { at } = openFolder();

const QUERY = `-- source customers: customers.csv, encoding windows-1252, delimiter ;
SELECT {
  import_supplier: 'SANDBOX_SUPPLIER',
  external_account_number: numero,
  unknown_occupier: false,
  billing_address1: rue,
  billing_postcode: code_postal,
  customers: [{ given_name: prenom, family_name: nom, date_of_birth: date_dmy(naissance) }]
} AS account
FROM customers
`;

const HEADER = 'numero;nom;prenom;naissance;rue;code_postal\n';
const row = (number: string, born = '31/12/1980') => `${number};Noël;Zoé;${born};1 rue de l'Été;44000\n`;

/** A folder with a query and its source. */
function project(name: string, rows: readonly string[], query = QUERY) {
  mkdirSync(at(name));
  const file = (part: string) => join(at(name), part);
  const writeRows = (some: readonly string[]) =>
    writeFileSync(file('customers.csv'), Buffer.from(HEADER + some.join(''), 'latin1'));
  writeRows(rows);
  writeFileSync(file('customers.sql'), query);
  return { file, writeRows, query: file('customers.sql'), folder: file('run') };
}

test('check names a value that no function could read by the account and the field', async () => {
  const { query } = project('check', [row('A-2', '31/02/1980'), row('A-1')]);
  const { code, out } = await run('check', query, '--no-warnings');
  expect(code).toBe(3);
  expect(out).toContain(`${query}: account A-2: error account.customers.0.date_of_birth invalid_date: `);
  expect(out).toContain('2 lines, 1 error\n');
});

test('plan counts the records', async () => {
  const { query, folder } = project('plan', [row('A-2'), row('A-1')]);
  const { code, out } = await run('plan', query, '--run', folder);
  expect(code).toBe(0);
  expect(out).toContain('2 lines: 0 businesses, 2 accounts');
});

test('run sends the records; retry sends a corrected one; the same run then finds all of them done', {
  tags: 'long',
}, async () => {
  const { query, folder, file } = project('run', [row('A-2', '31/02/1980'), row('A-1')]);
  const first = await run('run', query, '--sandbox', '--run', folder);
  expect(first.code).toBe(3);
  expect(readFileSync(file('run/report.html'), 'utf8')).toContain('customers.sql record 2');
  expect(first.out).toMatch(/\nTo run again: \S+ run \S+customers\.sql /);
  expect(readFileSync(file('run/ok.csv'), 'utf8')).toContain('A-1');
  const rejected = JSON.parse(readFileSync(file('run/rejected.jsonl'), 'utf8'));
  expect(rejected).toMatchObject({ source: query, line: 2, number: 'A-2' });
  writeFileSync(file('corrected.jsonl'), rejected.original.replace('31/02/1980', '1980-02-28'));
  const retried = await run('retry', file('corrected.jsonl'), '--sandbox', '--run', folder);
  expect(retried.code).toBe(0);
  const again = await run('run', query, '--sandbox', '--run', folder);
  expect(again.code).toBe(0);
  expect(again.out).toContain('2 created');
});

test('a division by 0 is named by account and field, and a row with too many fields by its line', async () => {
  writeFileSync(at('zero.csv'), 'numero,kwh\nC-1,5\nC-2,0\nC-3,1,\n');
  writeFileSync(
    at('zero.sql'),
    "-- source c: zero.csv\nSELECT { import_supplier: 'NORTH', external_account_number: numero, metadata: [{ key: 'k', value: { price: 10 / kwh::INT } }] } AS account FROM c",
  );
  const { out, code } = await run('check', at('zero.sql'), '--no-warnings');
  expect(code).toBe(3);
  expect(out).toContain(
    `${at('zero.sql')}: account C-2: error account.metadata.0.value.* invalid_json_value: The query computes Infinity or NaN`,
  );
  expect(out).toContain(`${at('zero.csv')}:4: error invalid_csv: The row has 3 fields, and the header 2 columns`);
  expect(out).not.toContain('without data');
  const sent = await run('run', at('zero.sql'), '--sandbox', '--run', at('zero'), '--team', 'X');
  expect(sent.code).toBe(3);
  expect(sent.out).toContain('1 created + 0 already imported + 2 rejected + 0 skipped + 0 unknown = 3');
});

test('equal numbers are reported, and one of them is sent', async () => {
  const { query, folder } = project('duplicates', [row('A-1'), row('A-1', '01/01/1970')]);
  const checked = await run('check', query, '--no-warnings');
  expect(checked.code).toBe(3);
  expect(checked.out).toContain(`${query}: account A-1: error`);
  const { out } = await run('run', query, '--sandbox', '--run', folder);
  expect(out).toContain('1 created');
});

test('a source that changed between two sessions is compared with what exists; numbers that changed stop the run', {
  tags: 'long',
}, async () => {
  const { query, folder, writeRows } = project('changed', [row('A-1')]);
  const again = () => run('run', query, '--sandbox', '--run', folder);
  expect((await again()).code).toBe(0);
  writeRows([row('A-1'), row('A-2')]);
  expect(await again()).toMatchObject({ code: 0, out: expect.stringContaining('2 created') });
  writeRows([row('A-1'), row('N-2')]);
  const renumbered = await again();
  expect(renumbered.code).toBe(7);
  expect(renumbered.err).toContain('account N-2, formerly A-2 (nothing else differs)');
  const accepted = await run('run', query, '--sandbox', '--run', folder, '--changed-sources');
  expect(accepted).toMatchObject({
    code: 3,
    out: expect.stringContaining('1 record exists on the service and is no longer'),
  });
});

test('sources of the config file are read from its folder', async () => {
  const { query, file } = project('config', [row('A-1')], QUERY.slice(QUERY.indexOf('SELECT')));
  const customers = { file: 'customers.csv', encoding: 'windows-1252' };
  writeFileSync(file('config.json'), JSON.stringify({ sources: { customers } }));
  const { code, out } = await run('check', query, '--config', file('config.json'), '--no-warnings');
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('1 line, 0 errors') });
  writeFileSync(file('config.json'), JSON.stringify({ sources: { customers: { ...customers, delimeter: ';' } } }));
  const wrong = await run('check', query, '--config', file('config.json'));
  expect(wrong).toMatchObject({
    code: 2,
    err: `data-import-sdk: ${file('config.json')}: sources.customers.delimeter: expected one of file (string), encoding (string), delimiter (string), skipLines (number), quote (string).\n`,
  });
});

test('columns lists the columns of sources and result, and writes the type of the rows', async () => {
  const { query } = project('columns', []);
  const { code, out } = await run('columns', query);
  expect(code).toBe(0);
  expect(out).toBe(`customers
  numero       VARCHAR
  nom          VARCHAR
  prenom       VARCHAR
  naissance    VARCHAR
  rue          VARCHAR
  code_postal  VARCHAR
result
  account.import_supplier            VARCHAR
  account.external_account_number    VARCHAR
  account.unknown_occupier           BOOLEAN
  account.billing_address1           VARCHAR
  account.billing_postcode           VARCHAR
  account.customers[].given_name     VARCHAR
  account.customers[].family_name    VARCHAR
  account.customers[].date_of_birth  VARCHAR
`);
  const types = await run('columns', query, '--types');
  expect(types.out).toBe(`/** A row of customers.sql. A field that is NULL is left out. */
export interface CustomersRow {
  account?: {
    import_supplier?: string;
    external_account_number?: string;
    unknown_occupier?: boolean;
    billing_address1?: string;
    billing_postcode?: string;
    customers?: {
      given_name?: string;
      family_name?: string;
      date_of_birth?: string;
    }[];
  };
}
`);
  expect(await run('columns', at('customers.csv'))).toMatchObject({
    code: 2,
    err: `data-import-sdk: ${at('customers.csv')}: expected a query (.sql).\n`,
  });
});
