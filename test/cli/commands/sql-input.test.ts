/** `data-import-sdk check`, `plan`, `run`, `retry` and `columns` with a query as the input. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ended, openFolder, run, valueIn } from '../typed.js';

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
  expect(await run('plan', query, '--run', folder)).toMatchObject(ended(0, '2 lines: 0 businesses, 2 accounts'));
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
  const rejected = valueIn(file('run/rejected.jsonl'));
  expect(rejected).toMatchObject({ source: query, line: 2, number: 'A-2' });
  writeFileSync(file('corrected.jsonl'), rejected.original.replace('⁇31/02/1980', '1980-02-28'));
  expect((await run('retry', file('corrected.jsonl'), '--sandbox', '--run', folder)).code).toBe(0);
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
  expect((await run('run', query, '--sandbox', '--run', folder)).out).toContain('1 created');
});

test('warnings of check, plan and run name a record of a query by its number, also those that compare records', async () => {
  const { query, folder } = project(
    'warned',
    [row('A-1'), row('A-2'), row('A-3')],
    `-- source customers: customers.csv, encoding windows-1252
SELECT { import_supplier: 'NORTH', external_account_number: numero, customers: [
  { family_name: nom, email: 'a@example.com, b@example.com', date_of_birth: '1985-01-02' }],
  supply_addresses: [{ supply_points: [{ identifier: '12345678901234', supply_type: 'ELECTRICITY' }] }] } AS account FROM customers`,
  );
  const places = ['A-1', 'A-2', 'A-3'].map((number) => `customers.sql: account ${number}`);
  const inRun = (code: string, attr: string, detail: string) =>
    `3  ${code} at ${attr.replaceAll('.0.', '.*.')}: ${detail} (${places.map((place) => `${place} ${attr}`).join(', ')})`;
  const checked = await run('check', query);
  expect(checked.out).toContain('warning email_in_unusual_form');
  expect(checked.out.replaceAll(/\n {11}/g, ' ')).toContain(
    `First: ${places.map((place) => query.replace('customers.sql', '') + place).join(', ')}`,
  );
  const sent = await run('run', query, '--sandbox', '--run', folder);
  expect(sent.out).toContain(
    inRun('email_in_unusual_form', 'account.customers.0.email', 'Expected one e-mail address without spaces.'),
  );
  const detail =
    'Another record of the input names the same supply point: one customer may be there under two numbers, and be billed twice.';
  expect(sent.out).toContain(
    inRun('supply_point_of_other_record', 'account.supply_addresses.0.supply_points.0.identifier', detail),
  );
  for (const out of [checked.out, sent.out]) expect(out).not.toContain('sql record');
});

test('a source that changed between two sessions is compared with what exists; numbers that changed stop the run', {
  tags: 'long',
}, async () => {
  const { query, folder, writeRows } = project('changed', [row('A-1')]);
  const again = () => run('run', query, '--sandbox', '--run', folder);
  expect((await again()).code).toBe(0);
  writeRows([row('A-1'), row('A-2')]);
  expect(await again()).toMatchObject(ended(0, '2 created'));
  writeRows([row('A-1'), row('N-2')]);
  const renumbered = await again();
  expect(renumbered.code).toBe(7);
  expect(renumbered.err).toContain('account N-2, formerly A-2 (nothing else differs)');
  expect(await run('run', query, '--sandbox', '--run', folder, '--changed-sources')).toMatchObject(
    ended(3, '1 record exists on the service and is no longer'),
  );
});

test('sources of the config file are read from its folder', async () => {
  const { query, file } = project('config', [row('A-1')], QUERY.slice(QUERY.indexOf('SELECT')));
  const customers = { file: 'customers.csv', encoding: 'windows-1252' };
  writeFileSync(file('config.json'), JSON.stringify({ sources: { customers } }));
  expect(await run('check', query, '--config', file('config.json'), '--no-warnings')).toMatchObject(
    ended(0, '1 line, 0 errors'),
  );
  writeFileSync(file('config.json'), JSON.stringify({ sources: { customers: { ...customers, delimeter: ';' } } }));
  expect(await run('check', query, '--config', file('config.json'))).toMatchObject({
    code: 2,
    err: `data-import-sdk: ${file('config.json')}: sources.customers: no option delimeter; did you mean delimiter?\n`,
  });
});

describe('what a query never reads is named', () => {
  /** The town of the customers and all of the balances are in no record. The second CTE is read by nothing. */
  const PARTLY = `-- source customers: customers.csv, delimiter ;
-- source meters: meters.jsonl
-- source balances: balances.csv, delimiter ;
WITH people AS (SELECT * FROM customers), money AS (SELECT numero, solde FROM balances)
SELECT {
  import_supplier: 'SANDBOX_SUPPLIER', external_account_number: numero,
  supply_addresses: [{ supply_points: [{ identifier: place.point, supply_type: 'GAS' }] }]
} AS account
FROM people JOIN meters USING (numero) WHERE nom <> '' ORDER BY rang`;

  function partly(name: string, query = PARTLY) {
    mkdirSync(at(name));
    const file = (part: string) => join(at(name), part);
    writeFileSync(file('customers.csv'), 'numero;nom;rang;ville\nA-1;x;1;Lyon\nA-2;y;2;Lyon\n');
    const meter = (numero: string, point: string) =>
      JSON.stringify({ numero, place: { point, floor: 1 }, colour: 'red' });
    writeFileSync(file('meters.jsonl'), `${meter('A-1', '12345678901234')}\n${meter('A-2', '12345678901235')}\n`);
    writeFileSync(file('balances.csv'), 'numero;solde\nA-1;12,50\nA-2;13,50\nA-2;1,00\n');
    writeFileSync(file('q.sql'), query);
    return { file, query: file('q.sql'), folder: file('run') };
  }

  const NEVER_READ = [
    'customers.csv: in 2 rows the query never reads 1 column of 4: ville',
    'meters.jsonl: in 2 rows the query never reads 1 column of 3: colour',
    'balances.csv: in 3 rows the query never reads 2 columns of 2: numero, solde',
  ];
  const UNREAD_SOURCE =
    'The query never reads the source balances: none of its 3 rows is in a record of the query, and none is sent. Read it in the query, or remove its declaration';

  test('by check, with an error for a source', async () => {
    const { query, file } = partly('unread-check');
    const { code, out } = await run('check', query, '--no-warnings');
    for (const line of NEVER_READ) expect(out).toContain(`/${line}\n`);
    expect(out).toContain(`${file('balances.csv')}:1: error row_in_no_record: ${UNREAD_SOURCE} (${query}:3).\n`);
    expect(out).toContain('3 lines, 1 error\n');
    expect(code).toBe(3);
  });

  test('by profile and plan', { tags: 'long' }, async () => {
    const { query } = partly('unread-profile');
    const profile = await run('profile', query);
    expect(profile.out.replaceAll('\n', ' ')).toContain('the query never reads 2 columns of 2: numero, solde');
    expect((await run('plan', query)).out).toContain(`/${NEVER_READ[0]}\n`);
  });

  test('by run, its report and rejected.csv, and the run ends with code 3', { tags: 'long' }, async () => {
    const { query, folder } = partly('unread-run');
    const { code, out } = await run('run', query, '--sandbox', '--run', folder);
    expect(code).toBe(3);
    expect(out).toContain('2 created + 0 already imported + 1 rejected + 0 skipped + 0 unknown = 3');
    expect(out).toContain(UNREAD_SOURCE);
    const html = readFileSync(join(folder, 'report.html'), 'utf8');
    for (const line of NEVER_READ) {
      expect(out).toContain(`/${line}\n`);
      expect(html).toContain(`/${line}.`);
    }
    expect(html).toContain(UNREAD_SOURCE);
    const { input } = valueIn(join(folder, 'report.json'));
    expect(input.files.map(({ csv }: { csv?: { neverRead: string[] } }) => csv?.neverRead)).toEqual([
      undefined,
      ['ville'],
      ['colour'],
      ['numero', 'solde'],
    ]);
    expect(readFileSync(join(folder, 'rejected.csv'), 'utf8')).toContain('row_in_no_record');
  });

  test('a source of the config file may be for another query, and is no error', async () => {
    const { query, file } = partly(
      'unread-config',
      PARTLY.replace(/.*source balances.*\n/, '').replace(/, money AS .*/, ''),
    );
    writeFileSync(file('config.json'), JSON.stringify({ sources: { balances: { file: 'balances.csv' } } }));
    const { code, out } = await run('check', query, '--no-warnings', '--config', file('config.json'));
    expect(out).toContain(`/${NEVER_READ[2]}\n`);
    expect(out).toContain('2 lines, 0 errors\n');
    expect(code).toBe(0);
  });

  test('a source without a row, and the sources of a query without a record, are no errors of that kind', async () => {
    const { query, file } = partly('unread-empty');
    writeFileSync(file('balances.csv'), 'numero;solde\n');
    expect((await run('check', query, '--no-warnings')).out).toContain('2 lines, 0 errors\n');
    const none = partly('unread-none', PARTLY.replace("nom <> ''", "nom = 'z'"));
    expect((await run('check', none.query)).out).not.toContain('row_in_no_record');
  });

  test.each([
    ['a count of rows', 'SELECT { external_account_number: (SELECT count(*) FROM s)::VARCHAR } AS account', 'a, b, c'],
    ['a whole row', 'SELECT { external_account_number: to_json(s)::VARCHAR } AS account FROM s', ''],
    ['DISTINCT *', 'SELECT { external_account_number: a } AS account FROM (SELECT DISTINCT * FROM s)', ''],
    [
      'a CTE that is read twice',
      'WITH c AS (SELECT * FROM s) SELECT { external_account_number: a } AS account FROM c UNION ALL SELECT { external_account_number: b } FROM c',
      'c',
    ],
    ['a condition', "SELECT { external_account_number: a } AS account FROM s WHERE b = 'nothing'", 'c'],
    ['a join', 'SELECT { external_account_number: s.a } AS account FROM s LEFT JOIN s AS other ON other.b = s.a', 'c'],
    ['a sort', 'SELECT { external_account_number: a } AS account FROM s ORDER BY c;', 'b'],
    [
      'a window',
      'SELECT { external_account_number: a } AS account FROM s QUALIFY row_number() OVER (PARTITION BY c) = 1',
      'b',
    ],
    [
      'a subquery',
      'SELECT { external_account_number: a } AS account FROM s WHERE EXISTS (SELECT 1 FROM s AS o WHERE o.c = s.a)',
      'b',
    ],
  ])('by %s: the columns that decide nothing', async (_, query, expected) => {
    writeFileSync(at('s.csv'), 'a;b;c\n1;2;3\n4;5;6\n');
    writeFileSync(at('s.sql'), `-- source s: s.csv, delimiter ;\n${query}`);
    const { out } = await run('check', at('s.sql'), '--no-warnings');
    const [, columns = ''] = /the query never reads \d columns? of 3: (.*)\n/.exec(out) ?? [];
    expect(columns).toBe(expected);
    expect(out).not.toContain('row_in_no_record');
  });

  test('names that look like data are shown on request only', async () => {
    writeFileSync(at('data.csv'), 'a@example.com;06 39 98 12 34\nA-1;x\n');
    writeFileSync(
      at('data.sql'),
      "-- source d: data.csv, delimiter ;\nSELECT { external_account_number: 'A' } AS account FROM d",
    );
    const hidden = 'never reads 2 columns of 2: their names look like data, so they are not listed';
    expect((await run('check', at('data.sql'))).out).toContain(hidden);
    const shown = await run('check', at('data.sql'), '--show-personal-data');
    expect(shown.out).toContain('never reads 2 columns of 2: a@example.com, 06 39 98 12 34');
  });
});

test('--encoding is an error where each source declares its own, and is for those that do not', async () => {
  const { query, file } = project('encodings', [row('A-1')]);
  writeFileSync(file('records.mjs'), 'export default () => [];');
  const names = `${query} ${file('records.mjs')}`;
  for (const words of [
    ['check', query, file('records.mjs')],
    ['check', file('records.mjs')],
    ['columns', query],
  ]) {
    const { code, err } = await run(...(words as [string]), '--encoding', 'utf-16le');
    const [, , ...more] = words;
    const what = more.length > 0 ? `${names} have` : `${words[1]} has`;
    expect([code, err]).toEqual([
      2,
      `data-import-sdk: --encoding has no effect: ${what} no file that needs it. A query declares the encodings of its sources, and a module reads its own files. Leave it out, or correct the declaration.\n`,
    ]);
  }
  writeFileSync(file('open.sql'), QUERY.replace(', encoding windows-1252', ''));
  writeFileSync(file('data-import.json'), JSON.stringify({ encoding: 'windows-1252' }));
  const accepted = [
    ['check', file('open.sql'), '--encoding', 'windows-1252'],
    ['check', query, file('open.sql'), '--encoding', 'windows-1252'],
    ['columns', file('open.sql'), '--encoding', 'windows-1252'],
    ['columns', query, '--config', file('data-import.json')],
  ];
  for (const words of accepted) expect((await run(...(words as [string]))).err).toBe('');
  expect((await run('check', file('none.sql'), '--encoding', 'latin1')).err).toContain(
    'none.sql: there is no such file or folder',
  );
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

/** The errors of a check without its warnings: number, path and code. */
const errorsIn = (out: string) =>
  [...out.matchAll(/^\S+: account (\S+): error (\S+) (\w+):/gm)].map(([, ...parts]) => parts.join(' '));

test('a value that a function cannot read is an error in fields of each type: prices, texts, dates, numbers', async () => {
  writeFileSync(at('p.csv'), 'k;v\nA;0,1234\nB;0,20165\nC;12.50\nD;0,12 EUR/kWh\nE;abc\nF;1.234\nG;-\n');
  const price = (text: string) =>
    `{ term_type: 'PRODUCT_RATE_OVERRIDE_SCHEDULE', schedules: [{ items: [{ price_per_unit: ${text} }] }] }`;
  writeFileSync(
    at('p.sql'),
    `-- source p: p.csv, delimiter ;
SELECT { import_supplier: 'S', external_account_number: k, account_type: 'BUSINESS', business: { business_contract_identifier: 'C' },
  account_contracts: [{ identifier: 'C', versions: [{ terms: [${price("number_comma(v) ->> '$'")}] }] }] } AS account FROM p
UNION ALL BY NAME
SELECT { import_supplier: 'S', external_account_number: 'N', sales_channel: date_dmy('31/02/2026'), customers: [{ family_name: 'Noël ' || phone_e164('06', 'FR'),
    date_of_birth: date_dmy('soon'), landline: phone_e164('06 12', 'FR') }] } AS account,
  [{ body: 'Solde ' || number_comma('(5)')::VARCHAR }] AS notes, [{ transaction_id: 'T', type: 'CHARGE', transaction_date: '2026-01-10', amount: number_comma('12 EUR'),
    reason: unreadable('X') }] AS transactions`,
  );
  const { out, code } = await run('check', at('p.sql'), '--no-warnings');
  expect(code).toBe(3);
  expect(errorsIn(out)).toEqual([
    ...['C', 'D', 'E', 'F', 'G'].map(
      (k) => `${k} account.account_contracts.0.versions.0.terms.0.schedules.0.items.0.price_per_unit unreadable_value`,
    ),
    'N account.customers.0.landline invalid_phone_number',
    'N account.customers.0.date_of_birth invalid_date',
    'N account.sales_channel unreadable_value',
    'N account.customers.0.family_name unreadable_value',
    'N notes.0.body unreadable_value',
    'N transactions.0.amount invalid_type',
    'N transactions.0.reason unreadable_value',
  ]);
});
