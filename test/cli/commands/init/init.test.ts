/** `data-import-sdk init`: the files of a project for a CSV export, from a terminal and without one. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { run, runIn } from '../../typed.js';

const EXPORT = `N° client;Civilité;Prénom;Nom;Né(e) le;Téléphone;Courriel;Adresse;Code postal;PDL;Énergie;Solde
10041;Mme;Alix;Arbois;04/07/1983;06 39 98 00 41;alix.arbois@example.com;12 rue des Lilas;69003;12345678901231;ELEC;-24,50
10042;M.;Basile;Cormier;17/11/1961;06 39 98 00 42;;"3, place du Marché";69007;12345678901232;GAZ;0,00
`;

/** The export, and the region of its telephone numbers. */
const FROM = ['--from', 'customers.csv', '--region', 'FR'];

let folder: string;
const before = process.cwd();
const text = (name: string) => readFileSync(join(folder, name), 'utf8');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'init-'));
  process.chdir(folder);
  writeFileSync('customers.csv', Buffer.from(EXPORT, 'latin1'));
});

afterEach(() => {
  process.chdir(before);
  rmSync(folder, { recursive: true, force: true });
});

test('writes a mapping in which every column has a field or is listed', async () => {
  const { code, out } = await run('init', ...FROM, '--supplier', 'LEG', '--team', 'EAST');
  expect(code).toBe(0);
  expect(text('map.mjs')).toBe(`// @ts-check
// Turns one row of the export into one record. Compare each field with the export.
import { keepInvalid, omitEmpty, parseDate, parsePhone } from 'data-import-sdk/mapping';

// A value that cannot be parsed stays as it is: the check then names its account and its field.
const date = keepInvalid(parseDate);
const phone = keepInvalid(parsePhone);

/** @type {Map<string, 'ELECTRICITY' | 'GAS' | undefined>} */
const SUPPLY_TYPES = new Map([
  ["ELEC", 'ELECTRICITY'],
  ["GAZ", 'GAS'],
]);
/** Another value stays as it is: the check then names it. @param {string} value */
const supplyType = (value) => SUPPLY_TYPES.get(value) ?? /** @type {any} */ (value);

/** @type {import('data-import-sdk/migration').RowMap} */
export default function map(row) {
  return {
    account: omitEmpty({
      import_supplier: "LEG",
      external_account_number: row["N° client"],
      customers: [
        {
          title: row["Civilité"],
          given_name: row["Prénom"],
          family_name: row["Nom"],
          email: row["Courriel"],
          mobile: phone(row["Téléphone"], "FR"),
          date_of_birth: date(row["Né(e) le"], 'DD/MM/YYYY'),
        },
      ],
      billing_address1: row["Adresse"],
      billing_postcode: row["Code postal"],
      supply_addresses: [
        {
          supply_address1: row["Adresse"],
          supply_postcode: row["Code postal"],
          supply_points: [
            {
              identifier: row["PDL"],
              supply_type: supplyType(row["Énergie"]),
            },
          ],
        },
      ],
    }),
  };
}

/** Columns without a field. Add them above, or leave them out. */
export const columnsWithoutField = [
  "Solde", // an opening balance is a transaction (docs/input.md, Items)
];
`);
  expect(JSON.parse(text('data-import.config.json'))).toEqual({
    $schema: './node_modules/data-import-sdk/dist/json-schema/config.json',
    encoding: 'windows-1252',
    team: 'EAST',
  });
  expect(text('.gitignore')).toContain('*.csv\n');
  expect(out).toContain('customers.csv: encoding windows-1252, delimiter ";", 12 columns, first 2 rows read\n');
  expect(out).toContain('  N° client    account.external_account_number\n');
  expect(out).toContain('  Prénom       account.customers[0].given_name\n');
  expect(out).toContain('  Solde        (no field)\n');
  expect(out).toContain('Next: compare map.mjs with the export; 1 column without a field at its end\n');
  expect(out).toContain('Next: npx data-import-sdk check customers.csv --map map.mjs\n');
});

test('no value of the export is printed or written, apart from the names of what is supplied', async () => {
  const { out } = await run('init', ...FROM);
  for (const value of ['Arbois', '10041', 'alix.arbois', 'Lilas', '24,50']) {
    expect(out).not.toContain(value);
    for (const name of ['map.mjs', 'rehearsal.test.mjs', 'README.md']) expect(text(name)).not.toContain(value);
  }
});

test('writes a query that imports the export into the sandbox', async () => {
  writeFileSync('meters.csv', 'N° client;Index\n10041;12\n');
  const { code } = await run('init', ...FROM, '--from', 'meters.csv', '--supplier', 'LEG');
  expect(code).toBe(0);
  expect(text('customers.sql')).toBe(`-- source customers: "customers.csv", encoding windows-1252
-- source meters: "meters.csv", encoding utf-8
-- Each row of the result is one record. Compare each field with the export.
SELECT {
    import_supplier: 'LEG',
    external_account_number: "N° client",
    customers: [
      {
        title: "Civilité",
        given_name: "Prénom",
        family_name: "Nom",
        email: "Courriel",
        mobile: phone_e164("Téléphone", 'FR'),
        date_of_birth: date_dmy("Né(e) le")
      }
    ],
    billing_address1: "Adresse",
    billing_postcode: "Code postal",
    supply_addresses: [
      {
        supply_address1: "Adresse",
        supply_postcode: "Code postal",
        supply_points: [
          {
            identifier: "PDL",
            supply_type: CASE "Énergie" WHEN 'ELEC' THEN 'ELECTRICITY' WHEN 'GAZ' THEN 'GAS' ELSE "Énergie" END
          }
        ]
      }
    ]
  } AS account
FROM "customers"
-- Columns without a field. Add them above, or leave them out:
--   "Solde": an opening balance is a transaction (docs/input.md, Items)
-- Join meters by the column that both files have. Its columns:
--   "N° client"
--   "Index"
`);
  const rehearsed = await run('run', 'customers.sql', '--sandbox');
  expect(rehearsed.err).toBe('');
  expect(rehearsed.out).toContain('2 created');
  expect(rehearsed.code).toBe(0);
});

test.each([
  ['order.csv', 'order.sql'],
  ['record.csv', 'record.sql'],
  ['result.csv', 'result.sql'],
  ['clients, janvier.csv', 'clients_janvier.sql'],
  ["O'Brien.csv", 'o_brien.sql'],
  ['"a" -- b.csv', 'a_b.sql'],
  ['two\nlines\u2028.csv', 'two_lines.sql'],
  ['été 2026.csv', 'ete_2026.sql'],
  ['2026.csv', 'source_2026.sql'],
  ['-x.csv', 'x.sql'],
  ['客户.csv', 'source.sql'],
  ['C:\\exports.csv', 'c_exports.sql'],
])('the query for the file %j is read by its own check', async (name, query) => {
  writeFileSync(name, 'numero;nom\nC-1;Noel\n');
  expect((await run('init', `--from=${name}`, '--as', 'sql', '--yes')).code).toBe(0);
  const { code, out, err } = await run('check', query, '--no-warnings');
  expect(err).toBe('');
  expect(out).toContain('1 line, 0 errors');
  expect(code).toBe(0);
});

test('a query reads dates of a form that has no function, and leaves a wrong one for the check', async () => {
  writeFileSync(
    'us.csv',
    `Account Number,DOB\n${Array.from({ length: 20 }, (_, n) => `A-${n},12/31/1980\n`).join('')}A-99,31/31/1990\n`,
  );
  await run('init', '--from', 'us.csv', '--as', 'sql', '--supplier', 'LEG');
  const { out } = await run('check', 'us.sql', '--no-warnings');
  expect(out).toContain('us.sql: account A-99: error account.customers.0.date_of_birth invalid_date');
  expect(out).toContain('21 lines, 1 error\n');
});

test('asks at a terminal for the export, the import supplier and the team', async () => {
  const asked: string[] = [];
  const answers = ['customers.csv', 'LEG', 'fr', ''];
  const ask = async (question: string) => {
    asked.push(question);
    return answers.shift() ?? '';
  };
  const { code } = await runIn({ ask }, 'init');
  expect(code).toBe(0);
  expect(asked).toEqual([
    'CSV export to start from: ',
    'Import supplier code [ACME]: ',
    'Region (the telephone numbers of the column Téléphone have no country code), such as FR: ',
    'Operations team, if you know it: ',
  ]);
  expect(text('map.mjs')).toContain('import_supplier: "LEG"');
  expect(text('map.mjs')).toContain('phone(row["Téléphone"], "FR")');
});

test('asks for no region if every telephone number has a country code', async () => {
  writeFileSync('international.csv', 'Account number,Phone\nA-1,+33639980041\n');
  const { code } = await run('init', '--from', 'international.csv');
  expect(code).toBe(0);
  expect(text('map.mjs')).toContain('mobile: row["Phone"]');
});

test('asks for no region if the column of telephone numbers is empty, and uses one that is given', async () => {
  writeFileSync('empty.csv', 'Account number\tPhone\nA-1\t\n');
  const asked: string[] = [];
  const ask = async (question: string) => {
    asked.push(question);
    return '';
  };
  const { code, out } = await runIn({ ask }, 'init', '--from', 'empty.csv');
  expect(code).toBe(0);
  expect(asked).toEqual(['Import supplier code [ACME]: ', 'Operations team, if you know it: ']);
  expect(out).toContain('empty.csv: encoding utf-8, delimiter tab, 2 columns, first 1 row read\n');
  expect(text('map.mjs')).toContain('mobile: row["Phone"]');
  rmSync('map.mjs');
  await run('init', '--from', 'empty.csv', '--region', 'FR');
  expect(text('map.mjs')).toContain('mobile: phone(row["Phone"], "FR")');
});

test('names the delimiter of a line sep=', async () => {
  writeFileSync('sep.csv', 'sep=|\r\nAccount number|Name;Town\r\nA-1|x\r\n');
  expect((await run('init', '--from', 'sep.csv')).out).toContain('sep.csv: encoding utf-8, delimiter "|", 2 columns');
});

test('the README of the project has the packages and every command of a migration, in its order', async () => {
  await run('init', ...FROM, '--team', 'EAST');
  const readme = text('README.md');
  expect(readme).toMatch(
    /^npm install data-import-sdk csv-parse@7 libphonenumber-js@1( @photostructure\/sqlite@\S+)?$/m,
  );
  const commands = [...readme.matchAll(/^(?:npx data-import-sdk (.*?)|(node --test)) +# /gm)].map(
    ([, one, test]) => one ?? test,
  );
  expect(commands).toEqual([
    'profile customers.csv --map map.mjs',
    'check customers.csv --map map.mjs',
    'node --test',
    'run customers.csv --map map.mjs --sandbox',
    'verify --sandbox',
    'doctor customers.csv --map map.mjs',
    'run customers.csv --map map.mjs --team EAST --canary 100',
    'verify',
    'retry data-import-run/rejected.jsonl --team EAST',
  ]);
});

test('looks at the export before the other questions', async () => {
  const asked: string[] = [];
  const ask = async (question: string) => {
    asked.push(question);
    return 'custmers.csv';
  };
  expect((await runIn({ ask }, 'init')).code).toBe(2);
  expect(asked).toEqual(['CSV export to start from: ']);
});

test('names the JSON Schema of the package that is installed in a folder above', async () => {
  mkdirSync(join(folder, 'node_modules/data-import-sdk/dist/json-schema'), { recursive: true });
  writeFileSync(join(folder, 'node_modules/data-import-sdk/dist/json-schema/config.json'), '{}');
  mkdirSync('project');
  process.chdir('project');
  await run('init', '--from', '../customers.csv', '--region', 'FR');
  expect(JSON.parse(text('project/data-import.config.json')).$schema).toBe(
    '../node_modules/data-import-sdk/dist/json-schema/config.json',
  );
});

test('--yes asks nothing, and says which import supplier to replace', async () => {
  const ask = () => Promise.reject(new Error('asked'));
  const { code, out } = await runIn({ ask }, 'init', '--yes', ...FROM);
  expect(code).toBe(0);
  expect(out).toContain('Next: replace the import supplier ACME in map.mjs\n');
  // The mapping parses telephone numbers.
  expect(out).toMatch(/^Next: npm install .*\blibphonenumber-js@1\b/m);
});

test('keeps a file that exists', async () => {
  writeFileSync('map.mjs', 'mine');
  const { code, out } = await run('init', ...FROM);
  expect(code).toBe(0);
  expect(text('map.mjs')).toBe('mine');
  expect(out).toContain('kept unchanged, because it exists: map.mjs\n');
  expect(out).toContain('Next: remove map.mjs and repeat the command to have it written again\n');
  expect(out).not.toContain('without a field at its end');
  expect(out).toContain('written data-import.config.json\n');
});

test.each([
  [['init'], '--from: name a CSV export, such as --from customers.csv.'],
  [
    ['init', '--as', 'map', '--from', 'customers.csv', '--from', 'meters.csv'],
    '--from: a mapping reads one file; give one file, or --as sql for a query over several.',
  ],
  [['init', '--from', 'custmers.csv'], 'custmers.csv: there is no such file or folder'],
  [['init', '--from', 'workbook.csv'], 'workbook.csv: the file is an Excel workbook (.xlsx) or another ZIP archive'],
  [['init', '--from', 'header.csv'], 'header.csv: expected a header with the column names and at least one row.'],
  [
    ['init', '--from', 'customers.csv'],
    '--region: the telephone numbers of the column Téléphone have no country code.',
  ],
  [['init', ...FROM.slice(0, 2), '--region', 'XX'], 'Expected the two letters of a country, such as FR or DE.'],
  [['init', '--from', 'input.jsonl'], 'input.jsonl: expected a CSV export'],
])('%j ends with exit code 2 and writes nothing', async (args, message) => {
  writeFileSync('workbook.csv', Buffer.from([0x50, 0x4b, 0x03, 0x04, 0, 0]));
  writeFileSync('header.csv', 'Account Number;Name\n');
  writeFileSync('input.jsonl', '{}\n');
  const { code, err } = await run(...args);
  expect(err).toContain(message);
  expect(code).toBe(2);
  expect(existsSync('data-import.config.json')).toBe(false);
});

test.each(['map', 'sql'])('dates with one digit and years of two digits are read, as %s', async (as) => {
  writeFileSync(
    'dates.csv',
    'N° client;Nom;Né(e) le;Début\nA-1;Arbois;1.2.26;1/2/2024\nA-2;Cormier;31.12.99;31/12/2024\n',
  );
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-01T12:00:00Z') });
  onTestFinished(() => void vi.useRealTimers());
  const words = ['--from', 'dates.csv', '--supplier', 'SANDBOX_SUPPLIER', '--as', as];
  expect((await run('init', ...words)).code).toBe(0);
  // Account holders are at least 16 in 2026: born in 2010 at the latest, so that 26 is 1926.
  const [name, date] =
    as === 'map'
      ? ['map.mjs', `date(row["Né(e) le"], 'D.M.YY', { latestYear: 2010 }), // years of two digits: check`]
      : ['dates.sql', 'date_dmyy("Né(e) le", 2010) -- years of two digits: check'];
  const input = as === 'map' ? ['dates.csv', '--map', 'map.mjs'] : ['dates.sql'];
  expect(text(name)).toContain(date);
  const checked = await run('check', ...input, '--no-warnings');
  expect(checked.out).toContain('2 lines, 0 errors');
  expect(checked.code).toBe(0);
});

test.each(['map', 'sql'])('a year of two digits in another date can be the current year, as %s', async (as) => {
  writeFileSync('dates.csv', 'N° client;Nom;Début\nA-1;Arbois;01.02.26\nA-2;Cormier;31.12.25\n');
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-01T12:00:00Z') });
  onTestFinished(() => void vi.useRealTimers());
  expect((await run('init', '--from', 'dates.csv', '--supplier', 'SANDBOX_SUPPLIER', '--as', as)).code).toBe(0);
  expect(text(as === 'map' ? 'map.mjs' : 'dates.sql')).toContain(as === 'map' ? '{ latestYear: 2026 }' : ', 2026)');
});
