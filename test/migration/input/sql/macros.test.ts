/** The functions of a query: what each reads, and that a value which it cannot read comes back with the mark that the check refuses. */
import { describe, expect, test } from 'vitest';
import { openSqlFolder } from './sql-folder.js';

const { recordsOf } = openSqlFolder();

interface Asked {
  texts: readonly string[];
  expression: (column: string) => string;
}

/** What each expression gives for each of its texts; undefined for NULL. One query, since each opens DuckDB. */
async function valuesOf(asked: readonly Asked[]): Promise<unknown[][]> {
  const rows = asked.flatMap(({ texts }, index) => texts.map((text) => [index, `'${text.replaceAll("'", "''")}'`]));
  const given = rows.map(([index, text], row) => `(${row}, ${index}, ${text})`).join(', ');
  const values = asked.map(({ expression }, index) => `v${index}: CASE WHEN i = ${index} THEN ${expression('t')} END`);
  const records = await recordsOf(`
    SELECT { external_account_number: lpad(n::VARCHAR, 3, '0'), ${values.join(', ')} } AS account
    FROM (VALUES ${given}) AS given(n, i, t)`);
  const found: unknown[][] = asked.map(() => []);
  for (const [row, record] of records.entries()) {
    const index = Number(rows[row]?.[0]);
    found[index]?.push((record as { account: Record<string, unknown> }).account[`v${index}`]);
  }
  return found;
}

const all: Asked[] = [];
let answers: Promise<unknown[][]> | undefined;

/** Each text with what is expected of it. */
function each(cases: Readonly<Record<string, unknown>>, expression: (column: string) => string) {
  const index = all.push({ texts: Object.keys(cases), expression }) - 1;
  return async () => {
    answers ??= valuesOf(all);
    expect((await answers)[index]).toEqual(Object.values(cases));
  };
}

const marked = (...texts: string[]) => Object.fromEntries(texts.map((text) => [text, `⁇${text}`]));

describe('date_dmy', () => {
  const expression = (t: string) => `date_dmy(${t})`;

  test(
    'reads days first, with the separators of Europe and with a time of midnight',
    each(
      {
        '31/12/2024': '2024-12-31',
        '1/2/1980': '1980-02-01',
        '01.02.1980': '1980-02-01',
        '01-02-1980': '1980-02-01',
        ' 29/02/2024 ': '2024-02-29',
        '31/12/2024 00:00:00': '2024-12-31',
        '31/12/2024 00:00': '2024-12-31',
        '2024-12-31': '2024-12-31',
      },
      expression,
    ),
  );

  test('gives NULL for an empty text', each({ '': undefined, '  ': undefined }, expression));

  test(
    'marks what is no date, or not one for certain',
    each(
      marked('31/02/1980', '29/02/2023', '1/2/80', '12/31/2024', '31/12/2024 08:00', '00/01/2024', '2024-02-31', 'N/A'),
      expression,
    ),
  );
});

describe('date_dmyy', () => {
  const expression = (t: string) => `date_dmyy(${t}, 2026)`;

  test(
    'reads years of two digits as the last year up to the given one that they can mean',
    each(
      {
        '31/12/26': '2026-12-31',
        '01/01/27': '1927-01-01',
        '1.2.80': '1980-02-01',
        '01-02-00': '2000-02-01',
        ' 29/02/24 ': '2024-02-29',
        '2024-12-31': '2024-12-31',
      },
      expression,
    ),
  );

  test('gives NULL for an empty text', each({ '': undefined, '  ': undefined }, expression));

  test(
    'marks what is no date, or not one for certain',
    each(marked('31/02/80', '29/02/23', '31-02-80', '12/31/24', '31/12/2024', '1/2/8', '00/01/24', 'N/A'), expression),
  );
});

describe('number_comma', () => {
  const expression = (t: string) => `number_comma(${t})`;

  test(
    'reads decimal commas exactly, and thousands where they are certain',
    each(
      {
        '12,50': 12.5,
        '0,005': 0.005,
        '1,239': 1.239,
        '-0,10': -0.1,
        '7': 7,
        '1 234,50': 1234.5,
        '1\u00a0234\u202f567,8': 1234567.8,
        '1.234,50': 1234.5,
        '12,50-': -12.5,
        '1.234,50-': -1234.5,
        '12,50 -': -12.5,
        ' 7- ': -7,
        '123456789012345': 123456789012345,
        '12345678901,1234': 12345678901.1234,
        '0,20165': 0.20165,
        '-0,201657': -0.201657,
        '0,20165-': -0.20165,
        '123456789012,12': 123456789012.12,
        '1,23456789012345': 1.23456789012345,
        '12345678901234,5': 12345678901234.5,
        '0,000000123456789012345': 1.23456789012345e-7,
        '1,500000000000000000': 1.5,
        '1.234.567.890.123,45': 1234567890123.45,
        '1 234 567 890 123,45-': -1234567890123.45,
        '123 456 789 012 345': 123456789012345,
        '0,000000000000000000000000000001': 1e-30,
        '-0': 0,
      },
      expression,
    ),
  );

  test('gives NULL for an empty text', each({ '': undefined, ' ': undefined }, expression));

  test(
    'marks what is no number, or not one for certain, and what a JSON number would round',
    each(
      marked(
        '12,5,0',
        '-12,50-',
        '12,50--',
        '12-50',
        '12,50+',
        'N/A',
        '-',
        '1 23,4',
        "1'234,50",
        '1.23,4',
        '1234567890123456',
        '-1234567890123456',
        '12345678901234,56',
        '1,234567890123456',
        '0,1234567890123456',
        '1 234 567 890 123 456',
        '1.234.567.890.123,456',
        '100000000000000000000',
        '0,0000000000000000000000000000001',
        '1.2345,6',
        '01,5',
        ',5',
        '5,',
        '1.234',
        '-1.234',
        '12.50',
        '0.125',
        '1e3',
        '007',
        '+5',
        '12 €',
        '1.234-',
        '(12,50)',
      ),
      expression,
    ),
  );

  test(
    'so that a cast of it gives NULL',
    each(
      Object.fromEntries(
        ['1.234', '12.50', '1e3', '007', '+5', '1234567890123456', '12,5,0', '-', '(5)', '1 23'].map((text) => [
          text,
          undefined,
        ]),
      ),
      (t) => `try_cast(number_comma(${t}) AS DECIMAL(19, 4))`,
    ),
  );

  test(
    'a cast to DECIMAL(19, 4) keeps 15 digits before the comma and rounds after the fourth decimal',
    each(
      {
        '12345678901,1234': 12345678901.1234,
        '123456789012345': 123456789012345,
        '-0,0001': -0.0001,
        '0,20165': 0.2017,
      },
      (t) => `number_comma(${t})::DECIMAL(19, 4)`,
    ),
  );
});

describe('number_point', () => {
  const expression = (t: string) => `number_point(${t})`;

  test(
    'reads decimal points exactly, and thousands where they are certain',
    each(
      {
        '12.50': 12.5,
        '-0.125': -0.125,
        '7': 7,
        '1,234.50-': -1234.5,
        '1 234.50': 1234.5,
        '1,234.50': 1234.5,
        '0.20165': 0.20165,
        '-0.20165': -0.20165,
        '1,234,567,890,123.45': 1234567890123.45,
        '12345678901234.5': 12345678901234.5,
        '': undefined,
      },
      expression,
    ),
  );

  test(
    'marks what is no number, or not one for certain',
    each(marked('1,234', '12,50', '12,50-', "1'234.50", '(5)', '-', '1e3', '+5', '12345678901234.56'), expression),
  );
});

test(
  'number_abs gives a number without its sign, all its digits, and marks another text',
  each(
    {
      '-12,50': 12.5,
      '1,235': 1.235,
      '-1.234,567': 1234.567,
      '0,00': 0,
      '-0': 0,
      '': undefined,
      '1.234': '⁇1.234',
      '(5)': '⁇(5)',
      '5-': 5,
      '-0,20165': 0.20165,
      '-0,00000012': 1.2e-7,
      '12345678901234,5-': 12345678901234.5,
      '-1234567890123456': '⁇-1234567890123456',
    },
    (t) => `number_abs(number_comma(${t}))`,
  ),
);

test(
  'number_sign gives the sign, and marks another text',
  each(
    {
      '-12,50': '-',
      '-0,0001': '-',
      '1,235': '+',
      '0': '0',
      '-0,00': '0',
      '': undefined,
      '1.234': '⁇1.234',
      '-1.234': '⁇-1.234',
      '(12,50)': '⁇(12,50)',
      '-0,00000012': '-',
      '0,20165': '+',
      '0,000000': '0',
      '5-': '-',
      '0,00-': '0',
    },
    (t) => `number_sign(number_comma(${t}))`,
  ),
);

test(
  'number_abs and number_sign mark a text that no other function has marked',
  each({ '12,50': '⁇12,50⁇12,50', '': undefined }, (t) => `(number_abs(${t}) ->> '$') || number_sign(${t})`),
);

test(
  'unreadable marks a text once, also an empty one',
  each({ X: '⁇X', '': '⁇', '⁇X': '⁇X' }, (t) => `unreadable(${t})`),
);

test(
  'unreadable marks NULL too: a value that is missing is none of those that a CASE names',
  each({ '': '⁇' }, (t) => `unreadable(nullif(${t}, ''))`),
);

describe('date_as', () => {
  const expression = (t: string) => `date_as(${t}, '%m/%d/%Y')`;

  test(
    'reads dates in the format, with one digit or two for day and month',
    each(
      { '12/31/2024': '2024-12-31', ' 1/2/1980 ': '1980-01-02', '2024-12-31': '2024-12-31', '': undefined },
      expression,
    ),
  );

  test(
    'marks other dates, and years of two digits',
    each(marked('31/12/2024', '1/2/80', '2024-12', 'N/A'), expression),
  );

  test(
    'reads dates without separators by their number of digits',
    each({ '20241231': '2024-12-31', ...marked('2024123', '202412311') }, (t) => `date_as(${t}, '%Y%m%d')`),
  );
});

describe('phone_e164', () => {
  test(
    'reads national and international numbers of France, without the zero after the country code',
    each(
      {
        '06 39 98 12 34': '+33639981234',
        '01.99.00.12.34': '+33199001234',
        '06-39-98-12-34': '+33639981234',
        '+33 6 39 98 12 34': '+33639981234',
        '+33 06 39 98 12 34': '+33639981234',
        '0033 6 39 98 12 34': '+33639981234',
        '0033 06 39 98 12 34': '+33639981234',
        '+33 (0)6 39 98 12 34': '+33639981234',
        '+44 07700 900123': '+447700900123',
        '+32 2 555 12 34': '+3225551234',
      },
      (t) => `phone_e164(${t}, 'FR')`,
    ),
  );

  test(
    'gives NULL for an empty text',
    each({ '': undefined, '  ': undefined }, (t) => `phone_e164(${t}, 'FR')`),
  );

  test(
    'marks other texts, numbers that cannot exist, and those of overseas departments, which have other calling codes',
    each(marked('06 12', '0692 12 34 56', 'N/A', '06 39 98 12 34 / 35'), (t) => `phone_e164(${t}, 'FR')`),
  );

  test(
    'marks numbers with a country code that cannot exist',
    each(marked('+33 6 39 98', '+999123456789', '0033 6 39 98'), (t) => `phone_e164(${t}, 'FR')`),
  );

  const OF_OTHERS = [
    ['GB', '020 7946 0123', '+442079460123'],
    ['DE', '030 23125 123', '+493023125123'],
    ['ES', '910 123 456', '+34910123456'],
    ['IT', '06 1234 5678', '+390612345678'],
    ['BE', '02 555 12 34', '+3225551234'],
  ] as const;
  for (const [region, text, expected] of OF_OTHERS)
    test(
      `reads those of ${region}`,
      each({ [text]: expected }, (t) => `phone_e164(${t}, '${region}')`),
    );

  test(
    'without a region, reads only numbers with a country code',
    each(
      { '+33 6 39 98 12 34': '+33639981234', '06 39 98 12 34': '⁇06 39 98 12 34' },
      (t) => `phone_e164(${t}, nullif('', ''))`,
    ),
  );

  test('refuses a region that does not exist, without its text, which may be a cell', async () => {
    const values = valuesOf([{ texts: ['06 39 98 12 34'], expression: (t) => `phone_e164(${t}, 'X' || 'Y')` }]);
    await expect(values).rejects.toThrow(
      /query\.sql:2:\d+: phone_e164: the region is unknown; expected a country code of two capital letters, such as FR\. Correct the region;/,
    );
  });
});

describe('datetime_local', () => {
  const expression = (t: string) => `datetime_local(${t}, 'Europe/Paris')`;

  test(
    'gives the time in UTC, in winter and in summer',
    each(
      {
        '31/12/2024 08:00': '2024-12-31T07:00:00Z',
        '01/07/2024 08:00:30': '2024-07-01T06:00:30Z',
        '2024-07-01 08:00': '2024-07-01T06:00:00Z',
        '2024-07-01T08:00:00': '2024-07-01T06:00:00Z',
        '31/12/2024': '2024-12-30T23:00:00Z',
        '2024-12-31T08:00:00Z': '2024-12-31T08:00:00Z',
        '2024-12-31T08:00:00+02:00': '2024-12-31T08:00:00+02:00',
        '': undefined,
      },
      expression,
    ),
  );

  test(
    'marks what is no time, and the hour that the clocks skip in spring',
    each(
      marked(
        '31/03/2024 02:30',
        '31/02/2024 08:00',
        '31/12/2024 25:00',
        'N/A',
        '2024-02-31T08:00:00Z',
        '2024-12-31T25:00:00Z',
      ),
      expression,
    ),
  );
});

test('json_list gives the items of each group, sorted by their text', async () => {
  const records = await recordsOf(`
    SELECT { external_account_number: n } AS account, json_list({ id: i, body: b }) AS notes
    FROM (VALUES ('A', 2, 'x'), ('A', 1, NULL), ('B', 3, 'y')) AS given(n, i, b) GROUP BY n`);
  expect(records).toEqual([
    { account: { external_account_number: 'A' }, notes: [{ id: 1 }, { id: 2, body: 'x' }] },
    { account: { external_account_number: 'B' }, notes: [{ id: 3, body: 'y' }] },
  ]);
});

test('json_list leaves an item out that is NULL, and is NULL without one', async () => {
  const records = await recordsOf(`
    SELECT { external_account_number: n } AS account, json_list(CASE WHEN i IS NOT NULL THEN { id: i, type: 'CREDIT' } END) AS notes
    FROM (VALUES ('A', 2), ('A', NULL), ('B', NULL)) AS given(n, i) GROUP BY n`);
  expect(records).toEqual([
    { account: { external_account_number: 'A' }, notes: [{ id: 2, type: 'CREDIT' }] },
    { account: { external_account_number: 'B' } },
  ]);
});
