/** `data-import-sdk init`: the files of a project for a CSV export, from a terminal and without one. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openInput } from '../../../../src/migration/index.js';
import { ended, run, runIn } from '../../typed.js';

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

type As = 'map' | 'sql';
const BOTH: As[] = ['map', 'sql'];

/** What `init` has written for an export whose first file has this name: a mapping, or a query. */
function written(as: As, name = 'people') {
  const [path, file] = as === 'map' ? [`${name}.csv`, 'map.mjs'] : [`${name}.sql`, `${name}.sql`];
  const input = as === 'map' ? [path, '--map', file] : [path];
  return {
    file,
    code: () => text(file),
    check: () => run('check', ...input, '--no-warnings'),
    /** The accounts that the code makes, up to `most` lines of the input, and what is wrong with the others. */
    async read(most = Number.POSITIVE_INFINITY, options: { encoding?: string } = {}) {
      const map = as === 'map' ? (await import(pathToFileURL(join(folder, file)).href)).default : undefined;
      const opened = await openInput([path], { map, ...options });
      const accounts: Account[] = [];
      const problems: string[] = [];
      for await (const one of opened) {
        if (accounts.length + problems.length === most) break;
        const read = one.read();
        if ('record' in read) accounts.push(JSON.parse(one.text).account);
        else problems.push(read.problem.detail);
      }
      await opened.close();
      return { accounts, problems };
    },
  };
}

interface Account {
  external_account_number: string;
  customers?: Record<string, string>[];
  last_billed_to_date?: string;
  supply_addresses?: { supply_points: Record<string, string>[] }[];
}

test('writes a mapping in which every column has a field or is listed', async () => {
  const { code, out } = await run('init', ...FROM, '--supplier', 'LEG', '--team', 'EAST');
  expect(code).toBe(0);
  expect(text('map.mjs')).toBe(`// @ts-check
// Turns one row of the export into one record. Compare each field with the export.
import { keepInvalid, omitEmpty, parseDate, parsePhone } from 'data-import-sdk/mapping';
/** @import { CsvRow, ImportRecord } from 'data-import-sdk/migration' */

// A value that cannot be parsed gets the mark ⁇: the check then names its account and its field.
const date = keepInvalid(parseDate);
const phone = keepInvalid(parsePhone);

/** @type {Map<string, 'ELECTRICITY' | 'GAS' | undefined>} */
const SUPPLY_TYPES = new Map([
  ["ELEC", 'ELECTRICITY'],
  ["GAZ", 'GAS'],
]);
/** Another value stays as it is: the check then names it. @param {string | undefined} value */
const supplyType = (value = '') => SUPPLY_TYPES.get(value.trim()) ?? /** @type {any} */ (value);

/** @param {CsvRow} row @returns {ImportRecord} */
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
              supply_type: supplyType(row["Énergie"]), // the column of the point names ELECTRICITY, and values name the other energy: check it
            },
          ],
        },
      ],
    }),
  };
}

/** Columns without a field. Add them above, or leave them out. */
export const columnsWithoutField = [
  "Solde", // an opening balance is a transaction (docs/fields.md)
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
  expect(out).toContain('  Solde        (no field): an opening balance is a transaction (docs/fields.md)\n');
  expect(out).toContain(
    'Next: compare map.mjs with the export; 1 question in it; 1 column without a field at its end\n',
  );
  expect(out).toContain('Next: npx data-import-sdk check customers.csv --map map.mjs\n');
});

test('a column of a mandate, an instalment, a tariff or a consent is listed with the part of the record where it belongs', async () => {
  writeFileSync(
    'customers.csv',
    'Contract no;IBAN;Mandate reference;Abschlag;Mensualité;Tariff;Consentement\n1;x;x;x;x;x;x\n',
  );
  const { out } = await run('init', ...FROM, '--supplier', 'ACME');
  const remarks = [...out.matchAll(/^ {2}(\S+(?: \S+)*) +\(no field\): (.*)$/gm)].map(([, column, remark]) => [
    column,
    remark,
  ]);
  const mandate = 'a mandate is a payment instruction of its supply point; an IBAN has no field (docs/fields.md)';
  const schedule = 'an instalment is a payment schedule of its supply point (docs/fields.md)';
  expect(remarks).toEqual([
    ['IBAN', mandate],
    ['Mandate reference', mandate],
    ['Abschlag', schedule],
    ['Mensualité', schedule],
    ['Tariff', 'a tariff is an agreement of its supply point (docs/fields.md)'],
    ['Consentement', 'a consent is consent_data of its supply point (docs/fields.md)'],
  ]);
});

test('no value of the export is printed or written, apart from the names of what is supplied', async () => {
  const { out } = await run('init', ...FROM);
  for (const value of ['Arbois', '10041', 'alix.arbois', 'Lilas', '24,50']) {
    expect(out).not.toContain(value);
    for (const name of ['map.mjs', 'rehearsal.test.mjs', 'README.md']) expect(text(name)).not.toContain(value);
  }
});

test('writes a query that imports the export into the sandbox', { tags: 'long' }, async () => {
  expect((await run('init', ...FROM, '--as', 'sql', '--supplier', 'LEG')).code).toBe(0);
  expect(text('customers.sql')).toBe(`-- source customers: "customers.csv", encoding windows-1252
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
            supply_type: CASE trim("Énergie") WHEN 'ELEC' THEN 'ELECTRICITY' WHEN 'GAZ' THEN 'GAS' ELSE "Énergie" END -- the column of the point names ELECTRICITY, and values name the other energy: check it
          }
        ]
      }
    ]
  } AS account
FROM "customers"
-- Columns without a field. Add them above, or leave them out:
--   "Solde": an opening balance is a transaction (docs/fields.md)
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

test('a query names a column without the spaces around its name in the export, as its table does', async () => {
  writeFileSync(
    'spaced.csv',
    ' N° client ;Prénom ;PDL ;Énergie \nA-1;Jo;12345678901234;GAZ\nA-2;Al;12345678905678;ELEC\n',
  );
  await run('init', '--from', 'spaced.csv', '--as', 'sql', '--supplier', 'LEG', '--yes');
  expect(text('spaced.sql')).toContain(`CASE trim("Énergie") WHEN 'ELEC'`);
  const { out, err } = await run('check', 'spaced.sql', '--no-warnings');
  expect(err).toBe('');
  expect(out).toContain('2 lines');
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

const PEOPLE = `Kundennummer;Vorname;Nachname;Straße;Hausnr.;PLZ;Ort
K-1;Alix;Arbois;Lindenweg;3;69003;Lyon
K-2;Basile;Cormier;Marktplatz;7 a;69007;Lyon
K-3;Clio;Dervaux;Neue Str.;12;69002;Lyon
`;
const METERS = `Vertrag;Kd.-Nr.;Zählpunkt;Sparte;Lieferbeginn;Netz
V-1;K-1;DE0001234567890123456789012345671;Strom;01.02.2024;N
V-2;K-1;DE0001234567890123456789012345672;Gas;01.03.2024;N
V-3;K-3;DE0001234567890123456789012345673;Strom;15.04.2024;S
`;
const CONTACTS = `KdNr;E-Mail;Mobil
K-2;b.cormier@example.com;+4915112345678
K-1;alix.arbois@example.com;+4915112345679
`;
const PAYMENTS = 'Kundennummer;Betrag\nK-1;12,50\nK-1;13,50\nK-3;1,00\n';

describe('an export of several files', () => {
  const address = (street: string, postcode: string, supply_points?: object[]) => ({
    billing_address1: street,
    billing_address3: 'Lyon',
    billing_postcode: postcode,
    supply_addresses: [
      {
        supply_address1: street,
        supply_address3: 'Lyon',
        supply_postcode: postcode,
        ...(supply_points && { supply_points }),
      },
    ],
  });
  const RECORDS = [
    {
      import_supplier: 'LEG',
      external_account_number: 'K-1',
      customers: [
        { given_name: 'Alix', family_name: 'Arbois', email: 'alix.arbois@example.com', mobile: '+4915112345679' },
      ],
      ...address('Lindenweg 3', '69003', [
        {
          identifier: 'DE0001234567890123456789012345671',
          supply_type: 'ELECTRICITY',
          supply_start_date: '2024-02-01',
        },
        { identifier: 'DE0001234567890123456789012345672', supply_type: 'GAS', supply_start_date: '2024-03-01' },
      ]),
    },
    {
      import_supplier: 'LEG',
      external_account_number: 'K-2',
      customers: [
        { given_name: 'Basile', family_name: 'Cormier', email: 'b.cormier@example.com', mobile: '+4915112345678' },
      ],
      ...address('Marktplatz 7 a', '69007'),
    },
    {
      import_supplier: 'LEG',
      external_account_number: 'K-3',
      customers: [{ given_name: 'Clio', family_name: 'Dervaux' }],
      ...address('Neue Str. 12', '69002', [
        {
          identifier: 'DE0001234567890123456789012345673',
          supply_type: 'ELECTRICITY',
          supply_start_date: '2024-04-15',
        },
      ]),
    },
  ];

  test('joins by the account number also where a row is there twice', async () => {
    const [, first = ''] = PEOPLE.split('\n');
    writeFileSync('people.csv', `${PEOPLE}${first}\n`);
    writeFileSync('meters.csv', METERS);
    const { out } = await run('init', '--from', 'people.csv', '--from', 'meters.csv', '--supplier', 'LEG');
    expect(out).toContain('  Kd.-Nr.       = Kundennummer of people\n');
  });

  test.each(BOTH)('makes one record of the rows that belong together, as %s', async (as) => {
    const contents = { people: PEOPLE, meters: METERS, contacts: CONTACTS, payments: PAYMENTS };
    for (const [name, content] of Object.entries(contents)) writeFileSync(`${name}.csv`, content);
    const files = ['people', 'meters', 'contacts', 'payments'].flatMap((name) => ['--from', `${name}.csv`]);
    const { code, out } = await run('init', ...files, '--supplier', 'LEG', '--as', as);
    expect(code).toBe(0);
    expect(out).toContain('  Kd.-Nr.       = Kundennummer of people\n');
    expect(out).toContain('  Zählpunkt     account.supply_addresses[0].supply_points[0].identifier\n');
    expect(out).toContain('  Netz          (no field)\n');
    expect(out).toContain('  Kundennummer  = Kundennummer of people\n  Betrag        (no field)\n');
    const { accounts, problems } = await written(as).read();
    expect(accounts).toEqual(RECORDS);
    const never = expect.stringContaining('The query never reads the source payments: none of its 3 rows');
    expect(problems).toEqual(as === 'map' ? [] : [never]);
  });

  test.each(BOTH)('a file that is not joined is said, and check rejects it, as %s', async (as) => {
    writeFileSync('people.csv', PEOPLE);
    writeFileSync('other.csv', 'Vertrag;Ort\nX-1;Bonn\nX-2;Bonn\n');
    expect((await run('init', '--from', 'people.csv', '--from', 'other.csv', '--as', as)).out).toContain(
      'in the first rows, no column of other has values of a column of people: it is not joined; check rejects it',
    );
    const checked = await written(as).check();
    expect([checked.code, checked.err]).toEqual([3, '']);
    expect(checked.out).toContain(`other.csv:${as === 'map' ? 2 : 1}: error row_in_no_record: `);
    expect(checked.out).toContain(as === 'map' ? '5 lines, 2 errors' : '4 lines, 1 error');
  });

  test.each(BOTH)('rows that make no field are in no record, although each has its customer, as %s', async (as) => {
    for (const [name, content] of Object.entries({
      people: PEOPLE,
      payments: PAYMENTS,
      single: 'Kundennummer;Saldo;Stand\nK-1;12,50;1\nK-2;1,00;2\nK-3;7,10;3\n',
    }))
      writeFileSync(`${name}.csv`, content);
    const { out } = await run('init', 'people.csv', 'payments.csv', 'single.csv', '--as', as, '--yes');
    expect(out).toContain('  no column of payments has a field; check rejects it until its rows make a field, such as');
    expect(out).toContain('  no column of single has a field; check rejects it');
    const checked = await written(as).check();
    expect([checked.code, checked.err]).toEqual([3, '']);
    expect(checked.out).toContain(as === 'map' ? '9 lines, 6 errors' : '5 lines, 2 errors');
    const [read, never] =
      as === 'map' ? ['mapping', '1 column of 2: Betrag'] : ['query', '2 columns of 2: Kundennummer, Betrag'];
    expect(checked.out).toContain(`payments.csv: in 3 rows the ${read} never reads ${never}\n`);
  });

  test.each([
    ['several', 'K-1;DE0001234567890123456789012345674\nK-1;DE0001234567890123456789012345675\n'],
    ['one', 'K-1;DE0001234567890123456789012345674\nK-2;DE0001234567890123456789012345675\n'],
  ])(
    'a second file with points, %s for a record, is listed without a field: the code has those of the first',
    async (_, rows) => {
      writeFileSync('people.csv', PEOPLE);
      writeFileSync('meters.csv', METERS);
      writeFileSync('more.csv', `Kundennummer;Zählpunkt\n${rows}`);
      for (const as of BOTH) {
        expect((await run('init', 'people.csv', 'meters.csv', 'more.csv', '--as', as, '--yes')).out).toMatch(
          /more\.csv: .*\n {2}Kundennummer {2}= .*\n {2}Zählpunkt +\(no field\).*\n {2}no column of more has a field;/,
        );
        expect(written(as).code()).toMatch(as === 'map' ? /\/\/ const moreOfRow/ : /-- more makes no field/);
      }
    },
  );

  /** Columns of supply points in the file of the customers and in that of the points. */
  test.each([
    ['Vertragsbeginn;Sparte', 'Zählpunkt;Sparte;Lieferbeginn', ['Vertragsbeginn', 'Sparte']],
    ['Vertragsbeginn;Sparte', 'Zählpunkt', ['Vertragsbeginn', 'Sparte']],
    ['Sparte', 'Sparte;Zählpunkt', ['Sparte']],
    ['Vertragsbeginn', 'Lieferbeginn', ['Vertragsbeginn']],
    ['Vertragsbeginn', 'Zählpunkt;MaLo;Zählpunkt Gas', ['Vertragsbeginn']],
  ])(
    '%s beside %s: each column with a field is in the code, and the others are listed',
    async (own, ofPoints, left) => {
      const values: Readonly<Record<string, string>> = {
        Vertragsbeginn: '01.02.2023',
        Lieferbeginn: '01.02.2023',
        Sparte: 'Gas',
        Zählpunkt: 'DE0001234567890123456789012345671',
      };
      const cells = (columns: string) =>
        columns
          .split(';')
          .map((name) => values[name] ?? 'DE0001234567890123456789012345672')
          .join(';');
      const people = ['K-1', 'K-2', 'K-3'].map((number) => `${number};Arbois;${cells(own)}\n`);
      writeFileSync('people.csv', `Kundennummer;Nachname;${own}\n${people.join('')}`);
      const points = ['K-1', 'K-1', 'K-3'].map((number) => `${number};${cells(ofPoints)}\n`);
      writeFileSync('points.csv', `Kundennummer;${ofPoints}\n${points.join('')}`);
      for (const as of BOTH) {
        const { out } = await run('init', 'people.csv', 'points.csv', '--as', as, '--yes');
        const code = written(as).code();
        const [record = '', listed = ''] = code.split(/Columns without a field/);
        const [ofPeople = '', rest = ''] = out.split('points.csv: encoding');
        for (const [printed, row] of [
          [ofPeople, 'row'],
          [rest, 'one'],
        ] as const) {
          for (const [, column, field] of printed.matchAll(/^ {2}(\S+(?: \S+)?) +(account\.|\(no field\))/gm)) {
            if (column === '(no column)') continue;
            const isListed = listed.includes(`"${column}"`);
            if (field === '(no field)') expect([column, isListed]).toEqual([column, true]);
            else expect(record).toContain(as === 'map' ? `${row}["${column}"]` : `"${column}"`);
          }
        }
        for (const column of left)
          expect(ofPeople).toMatch(
            new RegExp(
              `  ${column} +\\(no field\\): account.*\\? (The supply points are the rows of points|No column has the identifier)`,
            ),
          );
      }
    },
  );

  const point = (end: number, supply_type = 'ELECTRICITY') => ({
    identifier: `DE000123456789012345678901234567${end}`,
    supply_type,
  });
  const SITES = 'Kundennummer;Zählpunkt;Straße;Hausnr.;PLZ;Einzugsdatum\n';
  const site = (number: string, end: number, address: string) => `${number};${point(end).identifier};${address}\n`;

  test.each(BOTH)('points with an address make one supply address for each address, as %s', async (as) => {
    writeFileSync('people.csv', PEOPLE.replace('Ort', 'Ort;Einzug').replaceAll(/Lyon$/gm, 'Lyon;01.02.2020'));
    const rows = [
      site('K-1', 1, 'Nordkai;9;01000;01.03.2021'),
      site('K-1', 2, 'Südplatz;7;13001;02.03.2021'),
      site('K-1', 3, 'Nordkai;9;01000;01.03.2021'),
      site('K-3', 4, ';;;'),
    ];
    writeFileSync('sites.csv', SITES + rows.join(''));
    const { out } = await run('init', 'people.csv', 'sites.csv', '--as', as, '--supplier', 'LEG', '--yes');
    expect(columnLines(out)).toEqual(
      expect.arrayContaining([
        'Straße account.billing_address1',
        'Einzug (no field): account.supply_addresses[0].customer_at_supply_address_from_date? The supply addresses are the rows of sites',
        'Straße account.supply_addresses[0].supply_address1',
        'Hausnr. account.supply_addresses[0].supply_address1',
        'PLZ account.supply_addresses[0].supply_postcode',
      ]),
    );
    const [one, two, three] = (await written(as).read()).accounts;
    expect(one).toMatchObject({ billing_address1: 'Lindenweg 3', billing_postcode: '69003' });
    const moved = 'customer_at_supply_address_from_date';
    const north = { supply_address1: 'Nordkai 9', supply_postcode: '01000', [moved]: '2021-03-01' };
    const south = { supply_address1: 'Südplatz 7', supply_postcode: '13001', [moved]: '2021-03-02' };
    expect(one?.supply_addresses).toEqual([
      { ...north, supply_points: [point(1), point(3)] },
      { ...south, supply_points: [point(2)] },
    ]);
    expect(two).not.toHaveProperty('supply_addresses');
    expect(three?.supply_addresses).toEqual([{ supply_points: [point(4)] }]);
  });

  test.each(BOTH)('the only point of each record has its own address too, as %s', async (as) => {
    writeFileSync('people.csv', PEOPLE);
    const rows = ['K-1', 'K-2', 'K-3'].map((number, at) => site(number, at, `Nordkai;${at};01000;01.03.2021`));
    writeFileSync('sites.csv', SITES + rows.join(''));
    await run('init', 'people.csv', 'sites.csv', '--as', as, '--supplier', 'LEG', '--yes');
    expect((await written(as).read()).accounts[1]).toMatchObject({
      billing_address1: 'Marktplatz 7 a',
      supply_addresses: [{ supply_address1: 'Nordkai 1', supply_postcode: '01000', supply_points: [point(1)] }],
    });
  });

  const OF_PEOPLE = 'The code has it from';
  const SEVERAL = ['K-1', 'K-1'];
  const SINGLE = ['K-1', 'K-2'];
  const ROWS = 'sites has several rows for a record';
  const FROM_NAME = `${OF_PEOPLE} "Nachname" of people`;
  const STREET = 'supply_addresses[0].supply_address1';
  const POSTCODE = 'supply_addresses[0].supply_postcode';
  test.each([
    ['an address of bills', 'Rechnungsstraße', 'billing_address1', ROWS, SEVERAL],
    ['a name of several contacts', 'Nachname', 'customers[0].family_name', FROM_NAME, SEVERAL],
    ['a name of one contact', 'Nachname', 'customers[0].family_name', FROM_NAME, SINGLE],
    ['a date of bills', 'Abgerechnet bis', 'last_billed_to_date', ROWS, SEVERAL],
    [
      'a second number',
      'Vertragskonto',
      'external_account_number',
      'If each row of sites is an account, name this file first',
      SEVERAL,
    ],
    ['an address beside a supply address', 'Straße', STREET, `${OF_PEOPLE} "Lieferstraße" of people`, SINGLE],
    ['a part of an address beside others', 'PLZ', POSTCODE, 'The supply address has other columns already', SINGLE],
  ])('%s in a further file is a question', async (_, name, field, why, numbers) => {
    const own = ['Straße', 'PLZ'].includes(name)
      ? PEOPLE.replace('Straße', 'Lieferstraße')
      : name.startsWith('Rech')
        ? PEOPLE.replace('Straße', 'X')
        : PEOPLE;
    writeFileSync('people.csv', own);
    const values: Readonly<Record<string, string>> = {
      Nachname: 'Estrade',
      'Abgerechnet bis': '01.02.2024',
      Vertragskonto: 'V',
      PLZ: '01000',
    };
    const rows = numbers.map(
      (number, at) =>
        `${number};${point(at).identifier};${values[name] ?? 'Nordkai'}${name === 'Vertragskonto' ? at : ''}\n`,
    );
    writeFileSync('sites.csv', `Kundennummer;Zählpunkt;${name}\n${rows.join('')}`);
    for (const as of BOTH) {
      const { out } = await run('init', 'people.csv', 'sites.csv', '--as', as, '--yes');
      expect(columnLines(out)).toContain(`${name} (no field): account.${field}? ${why}`);
      expect(written(as).code()).toMatch(new RegExp(`(?:sites: )?"${name}".*account\\..*\\? ${why}`));
    }
  });

  const ACCOUNTS = `Vertragskonto;Kundennummer;Straße
V-1;K-1;Nordkai
V-2;K-1;Südplatz
V-3;K-3;Markt
V-4;;Markt
`;

  test.each([
    ['map', 'Kundennummer;Nachname\nK-3;Dervaux\nK-1;Arbois\n', 'Kundennummer'],
    ['sql', 'Kundennummer;Nachname\nK-3;Dervaux\nK-1;Arbois\n', 'Kundennummer'],
    ['map', 'Kd.-Nr.;Nachname\nK-3;Dervaux\nK-1;Arbois\nK-8;Fabre\n', 'Kd.-Nr.'],
  ] as const)('several accounts of a customer have the row of the customer, as %s', async (as, customers, key) => {
    writeFileSync('people.csv', ACCOUNTS);
    writeFileSync('customers.csv', customers);
    const { out } = await run('init', 'people.csv', 'customers.csv', '--as', as, '--supplier', 'LEG', '--yes');
    expect(columnLines(out)).toEqual(
      expect.arrayContaining([`Kundennummer = ${key} of customers`, `${key} = Kundennummer of people`]),
    );
    expect(written(as).code()).not.toContain('Columns without a field');
    const { accounts } = await written(as).read();
    const names = accounts.slice(0, 4).map((one) => [one.external_account_number, one.customers?.[0]?.['family_name']]);
    expect(names).toEqual([
      ['V-1', 'Arbois'],
      ['V-2', 'Arbois'],
      ['V-3', 'Dervaux'],
      ['V-4', undefined],
    ]);
  });

  test.each<[As, string, string, string, string]>([
    ['map', 'Zone\nK-1;3\nK-2;3\n', 'Vertrag;Stufe\nX-1;3\nX-2;4\n', 'Stufe', 'Zone'],
    ['sql', 'Zone\nK-1;3\nK-2;3\n', 'Vertrag;Stufe\nX-1;3\nX-2;4\n', 'Stufe', 'Zone'],
    ['map', 'Ort\nK-1;Bonn\nK-2;Bonn\n', 'Vertrag;Ort\nX-1;Bonn\nX-2;Lyon\n', 'Ort', 'Ort'],
    ['map', 'KdNr\nK-1;C-1\nK-2;C-1\n', 'KdNr;Betrag\nC-1;Bonn\nC-1;Lyon\n', 'KdNr', 'KdNr'],
  ])('values that show no key are named, as %s, with %j and %j', async (as, people, other, column, inFirst) => {
    writeFileSync('people.csv', `Vertragskonto;${people}`);
    writeFileSync('other.csv', other);
    expect((await run('init', 'people.csv', 'other.csv', '--as', as, '--yes')).out).toContain(
      `  ${column} has values of ${inFirst} of people, and neither shows a key: it is not joined; check rejects it`,
    );
    expect(written(as).code()).toMatch(
      as === 'map'
        ? new RegExp(`"${column}"\\);[\\s\\S]*get\\(row\\["${inFirst}"\\]`)
        : `perhaps "${column}", which has values of "${inFirst}" of people.`,
    );
  });

  test.each(BOTH)('rows that belong to no row of the first file are rejected, as %s', async (as) => {
    writeFileSync('people.csv', PEOPLE);
    const rows = [site('K-1', 1, 'A;1;1;'), site('K-1', 2, 'A;1;1;'), site('k-3', 3, 'A;1;1;'), site('', 4, 'A;1;1;')];
    writeFileSync('sites.csv', SITES + rows.join(''));
    writeFileSync('contacts.csv', `${CONTACTS}K-7;x@example.com;\n`);
    await run('init', 'people.csv', 'sites.csv', 'contacts.csv', '--as', as, '--supplier', 'LEG', '--yes');
    const { code, out } = await written(as).check();
    expect(code).toBe(3);
    expect(out).toContain('6 lines, ');
    const places = out.match(/(?:sites|contacts)\.csv:\d: error row_in|⁇.*: error account\.external_account_number/g);
    expect(places?.sort()).toEqual(
      as === 'map'
        ? ['contacts.csv:4: error row_in', 'sites.csv:4: error row_in', 'sites.csv:5: error row_in']
        : [' of sites', 'K-7 of contacts', 'k-3 of sites'].map(
            (key) => `⁇${key} is not in people: error account.external_account_number`,
          ),
    );
    expect((await written(as).read()).accounts).toEqual(
      expect.arrayContaining([expect.objectContaining({ external_account_number: 'K-3' })]),
    );
  });

  test.each(['contacts.csv', 'a b#c?d%20 é.csv', '-x:y.csv', '../init-above.csv'])(
    'a mapping finds the file %j from its own folder',
    async (name) => {
      writeFileSync('people.csv', PEOPLE);
      writeFileSync(name, CONTACTS);
      onTestFinished(() => rmSync(join(folder, name), { force: true }));
      await run('init', '--from=people.csv', `--from=${name}`, '--yes');
      process.chdir(tmpdir());
      const files = [join(folder, 'people.csv'), '--map', join(folder, 'map.mjs')];
      const { code, out, err } = await run('check', ...files, '--no-warnings');
      expect([code, err]).toEqual([0, '']);
      expect(out).toContain('3 lines, 0 errors');
    },
  );

  test('a second row where the first ones had one each rejects the record, and is not left out', async () => {
    writeFileSync('people.csv', PEOPLE);
    writeFileSync('contacts.csv', CONTACTS);
    await run('init', '--from', 'people.csv', '--from', 'contacts.csv');
    writeFileSync('contacts.csv', `${CONTACTS}K-1;other@example.com;\n`);
    const { out } = await run('check', 'people.csv', '--map', 'map.mjs', '--no-warnings');
    expect(out).toContain('A related file has several rows for this record; expected one.');
    expect(out).toContain('3 lines, 1 error');
  });
});

describe('exports in different encodings', () => {
  const CLIENTS = Buffer.from('N° client;Nom\nK-1;Noël\nK-2;Lefèvre\n', 'latin1');
  const CONTACTS_IN_UTF8 = Buffer.from('N° client;Courriel;Prénom\nK-1;a@example.com;Zoé\nK-2;b@example.com;Agnès\n');
  const FOUND = [
    { family_name: 'Noël', given_name: 'Zoé' },
    { family_name: 'Lefèvre', given_name: 'Agnès' },
  ];

  test.each([
    ['map', 'clients', ['--encoding', 'latin1']],
    ['sql', 'clients', ['--encoding', 'windows-1252']],
    ['map', 'contacts', []],
    ['sql', 'contacts', ['--encoding', 'windows-1252']],
  ] as const)('are each read in their own, as %s, the first one %s.csv', async (as, first, encoding) => {
    writeFileSync('clients.csv', CLIENTS);
    writeFileSync('contacts.csv', CONTACTS_IN_UTF8);
    const second = first === 'clients' ? 'contacts' : 'clients';
    const files = ['--from', `${first}.csv`, '--from', `${second}.csv`];
    const { code, out } = await run('init', ...files, '--as', as, ...encoding, '--supplier', 'LEG');
    expect(code).toBe(0);
    expect(out).toContain('clients.csv: encoding windows-1252,');
    expect(out).toContain('contacts.csv: encoding utf-8,');
    expect((await written(as, first).check()).out).toContain('2 lines, 0 errors');
    const { encoding: configured } = JSON.parse(text('data-import.config.json'));
    const { accounts } = await written(as, first).read(2, { encoding: configured });
    expect(accounts.map(({ customers }) => customers?.[0])).toMatchObject(FOUND);
  });
});

/** The lines of columns in the output, with one space between column and field. */
const columnLines = (out: string) =>
  [...out.matchAll(/^ {2}(\S.*)$/gm)].map(([, line = '']) => line.replace(/ {2,}/g, ' '));

describe.each(BOTH)('the output has what the code does, as %s', (as) => {
  const { code, check, read } = written(as, 'customers');
  const init = async (content: string) => {
    writeFileSync('customers.csv', content);
    const { out } = await run('init', 'customers.csv', '--region', 'FR', '--supplier', 'LEG', '--as', as);
    return out;
  };

  test('a column of another identifier makes no supply point, whatever its content is', async () => {
    const out = await init('N° contrat;SIRET;Adresse\n1;12345678901234;1 rue A\n2;12345678901242;3 rue A\n');
    expect(columnLines(out)).toEqual([
      'N° contrat account.external_account_number',
      'SIRET (no field): a SIRET is account.business.siret (docs/fields.md)',
      'Adresse account.billing_address1',
    ]);
    expect(code()).not.toMatch(/supply_/);
  });

  test('a column that was found by its content, and a value without a column, are questions', async () => {
    const out = await init('numero;Zone 4\n1;12345678901231\n2;12345678901232\n');
    expect(columnLines(out)).toEqual([
      'numero account.external_account_number',
      'Zone 4 account.supply_addresses[0].supply_points[0].identifier? found by its content: check it',
      '(no column) account.supply_addresses[0].supply_points[0].supply_type? no column matched: ELECTRICITY or GAS?',
    ]);
    expect(out).toContain(`with the export; 2 questions in it\n`);
  });

  test('dates that fit both orders are a question', async () => {
    const out = await init('numero;Nom;Né le\n1;Arbois;03/02/1980\n2;Cormier;04/05/1981\n');
    expect(columnLines(out)).toContain(
      'Né le account.customers[0].date_of_birth? day or month first? The dates fit both: check it',
    );
  });

  test('values that name both energies are a question, and their records are rejected', async () => {
    const out = await init(
      'numero;EAN;Energie\n1;541448820000000456;Elec + gaz\n2;541448820000000457;Gaz\n3;541448820000000458;Dual\n',
    );
    expect(columnLines(out)).toContain(
      'Energie account.supply_addresses[0].supply_points[0].supply_type? 2 values of the first rows name no energy, or both: complete them',
    );
    const checked = await check();
    expect(
      checked.out.match(/: error account\.supply_addresses\.0\.supply_points\.0\.supply_type invalid_choice/g),
    ).toHaveLength(2);
    expect(checked.out).toContain('3 lines, 2 errors');
  });

  test('a column that makes several fields has all of them', async () => {
    const out = await init(
      'numero;PRM;PCE;Mise en service;Adresse;CP\n1;01234567890123;98765432109876;13/02/2024;1 rue A;01000\n',
    );
    const point = 'account.supply_addresses[0].supply_points';
    expect(columnLines(out)).toEqual([
      'numero account.external_account_number',
      `PRM ${point}[0].identifier`,
      `PCE ${point}[1].identifier`,
      `Mise en service ${point}[0].supply_start_date, ${point}[1].supply_start_date`,
      'Adresse account.billing_address1, account.supply_addresses[0].supply_address1',
      'CP account.billing_postcode, account.supply_addresses[0].supply_postcode',
    ]);
  });

  test('a row of two possible points that names another energy than its point has is rejected', async () => {
    const out = await init(`numero;PRM;PCE;Energie
1;01234567890123;;GAZ
2;;98765432109876;ELEC
3;01234567890124;98765432109877;ELEC
4;01234567890125;98765432109878;Dual
5;01234567890126;;Elec
6;;98765432109879;
7;01234567890127;;GAS
`);
    const point = 'account.supply_addresses[0].supply_points';
    expect(columnLines(out)).toContain(`Energie ${point}[0].supply_type, ${point}[1].supply_type`);
    expect(code()).not.toMatch(/supplyType\(|SUPPLY_TYPES/);
    const checked = await check();
    expect(checked.out).toContain('7 lines, 4 errors');
    expect(checked.out.match(/(?:csv:|account )\d: error \S+/g)).toEqual(
      [
        [1, 0],
        [2, 0],
        [3, 1],
        [7, 0],
      ].map(([number = 0, at]) => {
        const place = as === 'map' ? `csv:${number + 1}` : `account ${number}`;
        return `${place}: error account.supply_addresses.0.supply_points.${at}.supply_type`;
      }),
    );
    const { accounts } = await read();
    const types = accounts.map((one) => one.supply_addresses?.[0]?.supply_points.map((point) => point['supply_type']));
    expect(types).toEqual([
      ['GAZ (not ELECTRICITY)'],
      ['ELEC (not GAS)'],
      ['ELECTRICITY', 'ELEC (not GAS)'],
      ['ELECTRICITY', 'GAS'],
      ['ELECTRICITY'],
      ['GAS'],
      ['GAS (not ELECTRICITY)'],
    ]);
  });

  test('a question about a point of a further file is one too', async () => {
    writeFileSync('people.csv', PEOPLE);
    writeFileSync('meters.csv', METERS.replaceAll('15.04', '05.04'));
    const { out } = await run('init', 'people.csv', 'meters.csv', '--as', as, '--yes');
    expect(columnLines(out)).toContain('Lieferbeginn account.supply_addresses[0].supply_points[0].supply_start_date');
    writeFileSync('meters.csv', METERS.replace(/\d+\.\d+\.2024/g, '01/02/2024'));
    rmSync(written(as).file);
    const again = await run('init', 'people.csv', 'meters.csv', '--as', as, '--yes');
    const remark = 'day or month first? The dates fit both: check it';
    expect(columnLines(again.out)).toContain(
      `Lieferbeginn account.supply_addresses[0].supply_points[0].supply_start_date? ${remark}`,
    );
    expect(written(as).code()).toContain(`supply_start_date: ${remark}`);
  });

  test('each line with a question is counted, also if two have the same one or a column has no field', async () => {
    writeFileSync('more.csv', 'numero;Nom;Date\n1;Arbois;x\n2;Cormier;x\n');
    writeFileSync(
      'customers.csv',
      'numero;Nom;Né le;Meter point;Début;Relevé compteur;N° compteur;Date\n1;Arbois;4/3/76;12345678901231;4/3/26;12;9;x\n2;Cormier;12/13/45;12345678901232;4/13/26;13;8;x\n',
    );
    const { out } = await run('init', 'customers.csv', 'more.csv', '--supplier', 'LEG', '--as', as);
    const lines = columnLines(out);
    expect(lines.filter((line) => /\? |\?$/.test(line))).toEqual([
      'Né le account.customers[0].date_of_birth? years of two digits: check the century',
      'Début account.supply_addresses[0].supply_points[0].supply_start_date? years of two digits: check the century',
      '(no column) account.supply_addresses[0].supply_points[0].supply_type? no column matched: ELECTRICITY or GAS?',
      'Nom (no field): account.customers[0].family_name? The code has it from "Nom" of customers',
    ]);
    expect(out).toContain('; 4 questions in it; 5 columns without a field at its end\n');
    expect(lines).toContain(
      'Relevé compteur (no field): the specification has no field for a meter reading (docs/fields.md)',
    );
    expect(lines).toContain(
      'N° compteur (no field): the specification has no field for the number of a meter (docs/fields.md)',
    );
    expect(code()).toMatch(as === 'map' ? /"Date",\n[\s\S]*"Date", \/\/ of more\n/ : /"Date"\n[\s\S]*more: "Date"\n/);
    // The query does not read the other file.
    const { accounts } = await read(2);
    const dates = accounts.map(({ customers, supply_addresses }) => [
      customers?.[0]?.['date_of_birth'],
      supply_addresses?.[0]?.supply_points[0]?.['supply_start_date'],
    ]);
    expect(dates).toEqual([
      ['1976-04-03', '2026-04-03'],
      ['1945-12-13', '2026-04-13'],
    ]);
  });
});

describe('lines above the header', () => {
  const ABOVE = 'Kundenliste 2026\n\nStand: 27.11.2026;;\n';

  test.each(BOTH)('are found and skipped, as %s, in each of two files', async (as) => {
    writeFileSync('people.csv', `${ABOVE}${PEOPLE}`);
    writeFileSync('contacts.csv', `"Kontakte; Auszug"\n${CONTACTS}`);
    const { code, out } = await run('init', '--from', 'people.csv', '--from', 'contacts.csv', '--as', as);
    expect(code).toBe(0);
    expect(out).toContain('people.csv: encoding utf-8, delimiter ";", header in line 4, 7 columns, first 3 rows read');
    expect(out).toContain('contacts.csv: encoding utf-8, delimiter ";", header in line 2,');
    expect((await written(as).check()).out).toContain('3 lines, 0 errors');
    expect(written(as).code()).toContain(as === 'map' ? 'skipLines: 3, map' : 'skipLines 3\n');
  });

  test('are not looked for if the first row has all columns, or a name that is known', async () => {
    writeFileSync('people.csv', PEOPLE);
    expect((await run('init', '--from', 'people.csv')).out).not.toContain('header in line');
    writeFileSync('unknown.csv', `foo;bar\nKundennummer;Ort\nK-1;Bonn\n`);
    const { err } = await run('init', '--from', 'unknown.csv');
    expect(err).toContain('unknown.csv: no name of the 2 columns is known; expected a header with names such as');
  });
});

test('the header may have a line end in a name', async () => {
  writeFileSync('two-lines.csv', '"N° client";"PDL\n(point)";"Énergie";"a;""b"\nA-1;12345678901231;ELEC;x\n');
  expect(await run('init', '--from', 'two-lines.csv')).toMatchObject(
    ended(0, 'delimiter ";", 4 columns, first 1 row read'),
  );
});

test.each([
  'Account number;Remark;Created\n',
  'number;text;created\n',
  'Customers of 2026\n\nAccount number;Remark;Created\n',
])('the cells may have line ends, below the header %j', async (header) => {
  const rows = [1, 2, 3].map((number) => `000${number};"Line 1\nsecond line";0${number}/03/2025\n`);
  writeFileSync('people.csv', header + rows.join(''));
  expect(await run('init', 'people.csv')).toMatchObject(ended(0, '3 columns, first 3 rows read'));
  expect(await written('map').check()).toMatchObject(ended(0, '3 lines, 0 errors'));
});

test.each(BOTH)('datetimes with a time zone become days, as %s', async (as) => {
  writeFileSync(
    'people.csv',
    'Account number,Last name,Date of birth,Last billed to date\n1,Arbois,1980-03-02T23:30:00Z,31.03.2025 00:30:00.5 +02:00\n2,Cormier,1980-03-03T23:30:00+01:00,01.04.2025 8:30:15.25 UTC\n',
  );
  const { out } = await run('init', 'people.csv', '--as', as);
  expect(out).toContain('date_of_birth? the day is that of the time zone in the text: check it\n');
  const { accounts, problems } = await written(as).read();
  expect(problems).toEqual([]);
  expect(
    accounts.map(({ customers, last_billed_to_date }) => [customers?.[0]?.['date_of_birth'], last_billed_to_date]),
  ).toEqual([
    ['1980-03-02', '2025-03-31'],
    ['1980-03-03', '2025-04-01'],
  ]);
});

test('the day numbers of a spreadsheet are a question that says what they are', async () => {
  writeFileSync('people.csv', 'Account number,Last name,Date of birth\n1,Arbois,29001\n2,Cormier,29002\n');
  expect((await run('init', 'people.csv')).out).toContain(
    'account.customers[0].date_of_birth? Its numbers are days since 1899-12-30, as spreadsheets count them: format the column as a date, and export it again\n',
  );
});

test.each(BOTH)('an empty point of two in a row is left out, as %s', async (as) => {
  writeFileSync('dual.csv', 'N° client;PDL;PCE\nA-1;12345678901231;12345678901232\nA-2;;12345678901233\nA-3;;\n');
  await run('init', '--from', 'dual.csv', '--as', as, '--supplier', 'LEG');
  const { accounts } = await written(as, 'dual').read();
  expect(accounts.map(({ supply_addresses }) => supply_addresses?.[0]?.supply_points ?? [])).toEqual([
    [
      { identifier: '12345678901231', supply_type: 'ELECTRICITY' },
      { identifier: '12345678901232', supply_type: 'GAS' },
    ],
    [{ identifier: '12345678901233', supply_type: 'GAS' }],
    [],
  ]);
});

describe('an export that is plausible in several encodings', () => {
  // "Kovač" in windows-1250, "Kovaè" in windows-1252.
  const BYTES = Buffer.from('numero;nom;ville\nC-1;Kova\xe8;Lyon\nC-2;Drag;Lyon\nC-3;Be\xe8;Lyon\n', 'latin1');

  test('shows its lines in each of them at a terminal, and takes the chosen one', async () => {
    writeFileSync('accents.csv', BYTES);
    const asked: string[] = [];
    const ask = async (question: string) => {
      asked.push(question);
      return question.startsWith('Which') ? '2' : '';
    };
    const { code, out } = await runIn({ ask }, 'init', '--from', 'accents.csv');
    expect(code).toBe(0);
    expect(asked[0]).toBe('Which one is right, 1 to 2? ');
    expect(out).toContain(`accents.csv may be in 2 encodings, which read its lines as
1 windows-1252
  2: C-1;Kovaè;Lyon
  4: C-3;Beè;Lyon
2 windows-1250
  2: C-1;Kovač;Lyon
  4: C-3;Beč;Lyon
`);
    expect(JSON.parse(text('data-import.config.json')).encoding).toBe('windows-1250');
  });

  test('stops without a terminal, with the encodings and how they read a character', async () => {
    writeFileSync('accents.csv', BYTES);
    const { code, err } = await run('init', '--from', 'accents.csv');
    expect(code).toBe(2);
    expect(err).toContain(
      'accents.csv:2: the file is not in UTF-8; 2 encodings are plausible: byte 0xe8 is "è" in windows-1252, "č" in windows-1250',
    );
    expect(err).toContain('--encoding windows-1252 or windows-1250');
    expect(existsSync('map.mjs')).toBe(false);
    expect((await run('init', '--from', 'accents.csv', '--encoding', 'windows-1250')).code).toBe(0);
  });

  test('a code page of DOS is found, and read so by the check', async () => {
    writeFileSync('dos.csv', Buffer.from('numero;nom\nC-1;No\x89l\nC-2;H\x82l\x8ane\n', 'latin1'));
    await run('init', '--from', 'dos.csv');
    expect(JSON.parse(text('data-import.config.json')).encoding).toBe('cp850');
    expect((await run('check', 'dos.csv', '--map', 'map.mjs', '--no-warnings')).out).toContain('2 lines, 0 errors');
  });
});

test('asks at a terminal for the export, the import supplier and the team', async () => {
  const asked: string[] = [];
  const answers = ['customers.csv', 'LEG', 'fr', ''];
  const ask = async (question: string) => {
    asked.push(question);
    return answers.shift() ?? '';
  };
  expect((await runIn({ ask }, 'init')).code).toBe(0);
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
  expect((await run('init', '--from', 'international.csv')).code).toBe(0);
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
  expect(readme).toMatch(/^npm install data-import-sdk libphonenumber-js@1( @photostructure\/sqlite@\S+)?$/m);
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
  [['init', '--from', 'rows.csv'], 'rows.csv: the first row has values; expected a header with names such as'],
  [['init', '--from', 'people.csv'], 'people.csv: no name of the 3 columns is known; expected a header with names'],
  [['init', '--from', 'custmers.csv'], 'custmers.csv: there is no such file or folder'],
  [['init', '--from', 'workbook.csv'], 'workbook.csv: the file is an Excel workbook (.xlsx) or another ZIP archive'],
  [['init', '--from', 'header.csv'], 'header.csv: expected a header with the column names and at least one row.'],
  [
    ['init', '--from', 'customers.csv'],
    '--region: the telephone numbers of the column Téléphone have no country code.',
  ],
  [['init', ...FROM.slice(0, 2), '--region', 'XX'], 'Expected the two letters of a country, such as FR or DE.'],
  [['init', '--from', 'quotes.csv'], 'quotes.csv:2: The quote at the beginning of field 2 is not closed in the row.'],
  [['init', '--from', 'input.jsonl'], 'input.jsonl: expected a CSV export'],
])('%j ends with exit code 2 and writes nothing', async (args, message) => {
  writeFileSync('workbook.csv', Buffer.from([0x50, 0x4b, 0x03, 0x04, 0, 0]));
  writeFileSync('header.csv', 'Account Number;Name\n');
  writeFileSync('input.jsonl', '{}\n');
  writeFileSync('quotes.csv', 'Account Number;Name\nA-1;"Arbois\n');
  writeFileSync('rows.csv', '10041;Mme;Arbois;alix.arbois@example.com\n10042;Mme;Cormier;b.cormier@example.com\n');
  writeFileSync('people.csv', 'Alix;Arbois;Lyon\nBasile;Cormier;Nantes\n');
  const { code, err } = await run(...args);
  expect(err).toContain(message);
  expect(err).not.toContain('rbois');
  expect(code).toBe(2);
  expect(existsSync('data-import.config.json')).toBe(false);
});

test('rows that cannot be read are counted, also the first one', async () => {
  const rows = ['A-1;Arbois;"5" pipe"', 'A-2;Cormier;', 'A-3;"Dubreuil', 'A-4;Estival;;'];
  writeFileSync('rows.csv', ['N° client;Nom;Remarque', ...rows, ''].join('\n'));
  const { code, out } = await run('init', '--from', 'rows.csv', '--supplier', 'SANDBOX_SUPPLIER');
  expect(out).toContain(
    'rows.csv: encoding utf-8, delimiter ";", 3 columns, first 1 row read, 3 cannot be read, such as rows.csv:2: Text follows the closing quote of field 3.',
  );
  expect(code).toBe(0);
});

test('of an export with many rows that cannot be read, only the first thousand rows are looked at', async () => {
  writeFileSync('rows.csv', `N° client;Nom\n${'A-1;Arbois;\n'.repeat(1000)}A-2;Cormier\n`);
  const { code, err } = await run('init', '--from', 'rows.csv', '--supplier', 'SANDBOX_SUPPLIER');
  expect(err).toContain('rows.csv:2: The row has 3 fields, and the header 2 columns');
  expect(code).toBe(2);
});

test.each(BOTH)('dates with one digit and years of two digits are read, as %s', async (as) => {
  writeFileSync(
    'dates.csv',
    'N° client;Nom;Né(e) le;Début\nA-1;Arbois;1.2.26;1/2/2024\nA-2;Cormier;31.12.99;31/12/2024\n',
  );
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-01T12:00:00Z') });
  onTestFinished(() => void vi.useRealTimers());
  const words = ['--from', 'dates.csv', '--supplier', 'SANDBOX_SUPPLIER', '--as', as];
  expect((await run('init', ...words)).code).toBe(0);
  // Account holders are at least 16 in 2026: born in 2010 at the latest, so that 26 is 1926.
  const date = {
    map: `date(row["Né(e) le"], 'D.M.YY', { latestYear: 2010 }), // years of two digits: check`,
    sql: 'date_dmyy("Né(e) le", 2010) -- years of two digits: check',
  }[as];
  expect(written(as, 'dates').code()).toContain(date);
  expect(await written(as, 'dates').check()).toMatchObject(ended(0, '2 lines, 0 errors'));
});

test.each(BOTH)('a year of two digits in another date can be the current year, as %s', async (as) => {
  writeFileSync(
    'dates.csv',
    'N° client;Nom;PDL;Début\nA-1;Arbois;12345678901234;01.02.26\nA-2;Cormier;12345678905678;31.12.25\n',
  );
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-01T12:00:00Z') });
  onTestFinished(() => void vi.useRealTimers());
  expect((await run('init', '--from', 'dates.csv', '--supplier', 'SANDBOX_SUPPLIER', '--as', as)).code).toBe(0);
  expect(written(as, 'dates').code()).toContain(as === 'map' ? '{ latestYear: 2026 }' : ', 2026)');
});

test('an export is named without --from; names of two words are one; a start without a supply point is no field', async () => {
  writeFileSync(
    'split.csv',
    'Kunden-Nr;Vor Name;Nach_Name;Strasse;Haus-Nr;Vertragsbeginn\nA-1;Anna;Groß;Weg;5;01.02.2024\nA-2;Ida;Klein;Weg;6;02.02.2024\n',
  );
  const { code, out } = await run('init', 'split.csv', '--yes');
  expect(code).toBe(0);
  expect(out.split('\n').filter((line) => line.startsWith('  '))).toEqual([
    '  Kunden-Nr       account.external_account_number',
    '  Vor Name        account.customers[0].given_name',
    '  Nach_Name       account.customers[0].family_name',
    '  Strasse         account.billing_address1',
    '  Haus-Nr         account.billing_address1',
    '  Vertragsbeginn  (no field): account.supply_addresses[0].supply_points[0].supply_start_date? No column has the identifier of its supply point',
  ]);
  expect(text('map.mjs')).not.toContain('supply_points:');
});
