/** The functions of a query: what each reads, and that a value which it cannot read comes back with the mark that the check refuses. */
import { expect, test } from 'vitest';
import { spellingsOf } from '../mapping/spellings.js';
import { openSqlFolder } from './sql-folder.js';

const { recordsOf } = openSqlFolder();

/** What an expression gives for texts `t`, of which '' is the empty one: this value, NULL, or ⁇ for the text after the mark. */
const SPELLINGS = {
  'date_dmy reads days first, with the separators of Europe and with a time of midnight': `
    date_dmy(t) → 31/12/2024 = 2024-12-31 | 1/2/1980 | 01.02.1980 | 01-02-1980 = 1980-02-01 | '' | \u0020 = NULL
    date_dmy(t) → \u002029/02/2024\u0020 = 2024-02-29 | 31/12/2024 00:00:00 | 31/12/2024 00:00 | 2024-12-31 = 2024-12-31
  `,
  'date_dmy marks what is no date, or not one for certain': `
    date_dmy(t) → 31/02/1980 | 29/02/2023 | 1/2/80 | 12/31/2024 | 31/12/2024 08:00 | 00/01/2024 | 2024-02-31 | N/A = ⁇
  `,
  'date_dmyy reads years of two digits as the last year up to the given one that they can mean': `
    date_dmyy(t, 2026) → 31/12/26 = 2026-12-31 | 01/01/27 = 1927-01-01 | 1.2.80 = 1980-02-01 | 01-02-00 = 2000-02-01
    date_dmyy(t, 2026) → \u002029/02/24\u0020 = 2024-02-29 | 2024-12-31 = 2024-12-31 | '' | \u0020 = NULL
  `,
  'date_dmyy marks what is no date, or not one for certain': `
    date_dmyy(t, 2026) → 31/02/80 | 29/02/23 | 31-02-80 | 12/31/24 | 31/12/2024 | 1/2/8 | 00/01/24 | N/A = ⁇
  `,
  'number_comma reads decimal commas exactly, and thousands where they are certain': `
    number_comma(t) → 12,50 = 12.5 | 0,005 = 0.005 | 1,239 = 1.239 | -0,10 = -0.1 | 7 = 7 | 1 234,50 | 1.234,50 = 1234.5
    number_comma(t) → 1\u00a0234\u202f567,8 = 1234567.8 | 12,50- | 12,50 - = -12.5 | 1.234,50- = -1234.5
    number_comma(t) → \u00207-\u0020 = -7 | -0 = 0 | '' | \u0020 = NULL | 0,20165 = 0.20165 | -0,201657 = -0.201657
    number_comma(t) → 0,20165- = -0.20165 | 123456789012345 | 123 456 789 012 345 = 123456789012345
    number_comma(t) → 12345678901,1234 = 12345678901.1234 | 123456789012,12 = 123456789012.12
    number_comma(t) → 12345678901234,5 = 12345678901234.5 | 1,23456789012345 = 1.23456789012345
    number_comma(t) → 0,000000123456789012345 = 1.23456789012345e-7 | 0,000000000000000000000000000001 = 1e-30
    number_comma(t) → 1.234.567.890.123,45 = 1234567890123.45 | 1 234 567 890 123,45- = -1234567890123.45
    number_comma(t) → 1,500000000000000000 = 1.5
  `,
  'number_comma marks what is no number, or not one for certain, and what a JSON number would round': `
    number_comma(t) → 12,5,0 | -12,50- | 12,50-- | 12-50 | 12,50+ | N/A | - | 1 23,4 | 1'234,50 | 1.23,4 | 1.2345,6 = ⁇
    number_comma(t) → 1234567890123456 | -1234567890123456 | 12345678901234,56 | 1,234567890123456 = ⁇
    number_comma(t) → 0,1234567890123456 | 1 234 567 890 123 456 | 1.234.567.890.123,456 | 100000000000000000000 = ⁇
    number_comma(t) → 0,0000000000000000000000000000001 | 01,5 | ,5 | 5, | 1.234 | -1.234 | 12.50 | 0.125 | 1e3 = ⁇
    number_comma(t) → 007 | +5 | 12 € | 1.234- | (12,50) = ⁇
  `,
  'a cast of what number_comma has marked gives NULL': `
    try_cast(number_comma(t) AS DECIMAL(19, 4)) → 1.234 | 12.50 | 1e3 | 007 | +5 | 1234567890123456 | 12,5,0 = NULL
    try_cast(number_comma(t) AS DECIMAL(19, 4)) → - | (5) | 1 23 = NULL
  `,
  'a cast to DECIMAL(19, 4) keeps 15 digits before the comma and rounds after the fourth decimal': `
    number_comma(t)::DECIMAL(19, 4) → 12345678901,1234 = 12345678901.1234 | 123456789012345 = 123456789012345
    number_comma(t)::DECIMAL(19, 4) → -0,0001 = -0.0001 | 0,20165 = 0.2017
  `,
  'number_point reads decimal points exactly, and thousands where they are certain': `
    number_point(t) → 12.50 = 12.5 | -0.125 = -0.125 | 7 = 7 | 1,234.50- = -1234.5 | 1 234.50 | 1,234.50 = 1234.5
    number_point(t) → 0.20165 = 0.20165 | -0.20165 = -0.20165 | 1,234,567,890,123.45 = 1234567890123.45
    number_point(t) → 12345678901234.5 = 12345678901234.5 | '' = NULL
  `,
  'number_point marks what is no number, or not one for certain': `
    number_point(t) → 1,234 | 12,50 | 12,50- | 1'234.50 | (5) | - | 1e3 | +5 | 12345678901234.56 = ⁇
  `,
  'number_abs gives a number without its sign, all its digits, and marks another text': `
    number_abs(number_comma(t)) → -12,50 = 12.5 | 1,235 = 1.235 | -1.234,567 = 1234.567 | 0,00 | -0 = 0 | 5- = 5
    number_abs(number_comma(t)) → -0,20165 = 0.20165 | -0,00000012 = 1.2e-7 | 12345678901234,5- = 12345678901234.5
    number_abs(number_comma(t)) → 1.234 | (5) | -1234567890123456 = ⁇ | '' = NULL
  `,
  'by_sign gives a value for each sign, NULL for 0, and marks another text': `
    by_sign(number_comma(t), 'debt', 'credit') → -12,50 | -0,0001 | -0,00000012 | 5- = debt | 1,235 | 0,20165 = credit
    by_sign(number_comma(t), 'debt', 'credit') → 0 | -0,00 | 0,000000 | 0,00- = NULL | '' = NULL
    by_sign(number_comma(t), 'debt', 'credit') → 1.234 | -1.234 | (12,50) = ⁇
  `,
  'number_abs and by_sign mark a text that no other function has marked': `
    (number_abs(t) ->> '$') || by_sign(t, 'debt', 'credit') → 12,50 = ⁇12,50⁇12,50 | '' = NULL
  `,
  'unreadable marks a text once, also an empty one, and NULL: what is missing is none of those that a CASE names': `
    unreadable(t) → X | '' = ⁇ | ⁇X = ⁇X
    unreadable(nullif(t, '')) → '' = ⁇
  `,
  'date_as reads dates in the format, with one digit or two for day and month': `
    date_as(t, '%m/%d/%Y') → 12/31/2024 | 2024-12-31 = 2024-12-31 | \u00201/2/1980\u0020 = 1980-01-02 | '' = NULL
  `,
  'date_as marks other dates, and years of two digits': `
    date_as(t, '%m/%d/%Y') → 31/12/2024 | 1/2/80 | 2024-12 | N/A = ⁇
  `,
  'date_as reads dates without separators by their number of digits': `
    date_as(t, '%Y%m%d') → 20241231 = 2024-12-31 | 2024123 | 202412311 = ⁇
  `,
  'phone_e164 reads national and international numbers, without the zero after the country code': `
    phone_e164(t, 'FR') → 06 39 98 12 34 | 06-39-98-12-34 = +33639981234 | 01.99.00.12.34 = +33199001234
    phone_e164(t, 'FR') → +33 6 39 98 12 34 | +33 06 39 98 12 34 | 0033 6 39 98 12 34 | 0033 06 39 98 12 34 = +33639981234
    phone_e164(t, 'FR') → +33 (0)6 39 98 12 34 = +33639981234 | +44 07700 900123 = +447700900123
    phone_e164(t, 'FR') → +32 2 555 12 34 = +3225551234 | '' | \u0020 = NULL
    phone_e164(t, 'GB') → 020 7946 0123 = +442079460123
    phone_e164(t, 'DE') → 030 23125 123 = +493023125123
    phone_e164(t, 'ES') → 910 123 456 = +34910123456
    phone_e164(t, 'IT') → 06 1234 5678 = +390612345678
    phone_e164(t, 'BE') → 02 555 12 34 = +3225551234
  `,
  'phone_e164 marks other texts, numbers that cannot exist, and those of overseas departments': `
    phone_e164(t, 'FR') → 06 12 | 0692 12 34 56 | N/A | 06 39 98 12 34 / 35 = ⁇
    phone_e164(t, 'FR') → +33 6 39 98 | +999123456789 | 0033 6 39 98 = ⁇
  `,
  'phone_e164 without a region reads only numbers with a country code': `
    phone_e164(t, nullif('', '')) → +33 6 39 98 12 34 = +33639981234 | 06 39 98 12 34 = ⁇
  `,
  'datetime_local gives the time in UTC, in winter and in summer': `
    datetime_local(t, 'Europe/Paris') → 31/12/2024 08:00 = 2024-12-31T07:00:00Z | 31/12/2024 = 2024-12-30T23:00:00Z
    datetime_local(t, 'Europe/Paris') → 01/07/2024 08:00:30 = 2024-07-01T06:00:30Z | '' = NULL
    datetime_local(t, 'Europe/Paris') → 2024-07-01 08:00 | 2024-07-01T08:00:00 = 2024-07-01T06:00:00Z
    datetime_local(t, 'Europe/Paris') → 2024-12-31T08:00:00Z = 2024-12-31T08:00:00Z
    datetime_local(t, 'Europe/Paris') → 2024-12-31T08:00:00+02:00 = 2024-12-31T08:00:00+02:00
  `,
  'datetime_local marks what is no time, and the hour that the clocks skip in spring': `
    datetime_local(t, 'Europe/Paris') → 31/03/2024 02:30 | 31/02/2024 08:00 | 31/12/2024 25:00 | N/A = ⁇
    datetime_local(t, 'Europe/Paris') → 2024-02-31T08:00:00Z | 2024-12-31T25:00:00Z = ⁇
  `,
};

interface Asked {
  text: string;
  expression: string;
}

/** What each expression gives for its text; undefined for NULL. One query, since each opens DuckDB. */
async function valuesOf(asked: readonly Asked[]): Promise<unknown[]> {
  const expressions = [...new Set(asked.map(({ expression }) => expression))];
  const given = asked.map(
    ({ text, expression }, row) => `(${row}, ${expressions.indexOf(expression)}, '${text.replaceAll("'", "''")}')`,
  );
  const values = expressions.map((expression, index) => `v${index}: CASE WHEN i = ${index} THEN ${expression} END`);
  const records = await recordsOf(`
    SELECT { external_account_number: lpad(n::VARCHAR, 3, '0'), ${values.join(', ')} } AS account
    FROM (VALUES ${given.join(', ')}) AS given(n, i, t)`);
  return records.map((record) => Object.values((record as { account: object }).account)[1]);
}

const groups = Object.entries(SPELLINGS).map(([title, table]) => {
  const spellings = spellingsOf(table).map(([text, expression, expected]) => ({
    text: text === "''" ? '' : text,
    ...{ expression, expected },
  }));
  return { title, spellings };
});
const all = groups.flatMap(({ spellings }) => spellings);
let answers: Promise<unknown[]> | undefined;

test.each(groups)('$title', async ({ spellings }) => {
  answers ??= valuesOf(all);
  const given = (await answers).slice(all.indexOf(spellings[0] as (typeof all)[0]));
  expect(spellings.map(({ text, expression }, row) => [expression, text, given[row]])).toEqual(
    spellings.map(({ text, expression, expected }) => {
      if (expected === 'NULL') return [expression, text, undefined];
      if (expected === '⁇') return [expression, text, `⁇${text}`];
      return [expression, text, /^number_(?!sign)/.test(expression) ? Number(expected) : expected];
    }),
  );
});

test('phone_e164 refuses a region that does not exist, without its text, which may be a cell', async () => {
  await expect(valuesOf([{ text: '06 39 98 12 34', expression: "phone_e164(t, 'X' || 'Y')" }])).rejects.toThrow(
    /query\.sql:2:\d+: phone_e164: the region is unknown; expected a country code of two capital letters, such as FR\. Correct the region;/,
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
