/** A query over messy exports gives records: Windows-1252, semicolons, decimal commas, days first, national telephone numbers. */
import { describe, expect, test } from 'vitest';
import { openInput } from '../../../../src/migration/input/open-input.js';
import { openSqlFolder, windows1252 } from './sql-folder.js';

const { write, recordsOf, leftFiles } = openSqlFolder();

write(
  'customers.csv',
  windows1252(
    'numero;nom;naissance;mobile;solde\r\nA-2;"Œuvrard ""Jo""; fils";31/12/1980;06 39 98 12 34;1 234,50\r\nA-1;Noël;01/02/1975;;-3,005\r\n',
  ),
);
write(
  'payments.csv',
  windows1252('numero;id;date;montant;libelle\r\nA-1;T-2;05/03/2025;12,00;Réglé en €\r\nA-1;T-1;04/03/2025;0,1;\r\n'),
);

test('two joined files', async () => {
  const records = await recordsOf(`
    -- source customers: customers.csv, encoding windows-1252, delimiter ;
    -- source payments: payments.csv, encoding windows-1252
    WITH money AS (
      SELECT numero, json_list({
        transaction_id: id, transaction_date: date_dmy(date), amount: number_comma(montant), display_note: libelle
      }) AS transactions FROM payments GROUP BY numero)
    SELECT {
      external_account_number: numero,
      customers: [{ family_name: nom, date_of_birth: date_dmy(naissance), mobile: phone_e164(mobile, 'FR') }],
      metadata: { balance: number_comma(solde) }
    } AS account, transactions
    FROM customers LEFT JOIN money USING (numero);
    -- the end`);
  expect(records).toEqual([
    {
      account: {
        external_account_number: 'A-1',
        customers: [{ family_name: 'Noël', date_of_birth: '1975-02-01' }],
        metadata: { balance: -3.005 },
      },
      transactions: [
        { transaction_id: 'T-1', transaction_date: '2025-03-04', amount: 0.1 },
        { transaction_id: 'T-2', transaction_date: '2025-03-05', amount: 12, display_note: 'Réglé en €' },
      ],
    },
    {
      account: {
        external_account_number: 'A-2',
        customers: [{ family_name: 'Œuvrard "Jo"; fils', date_of_birth: '1980-12-31', mobile: '+33639981234' }],
        metadata: { balance: 1234.5 },
      },
    },
  ]);
  expect(leftFiles()).toEqual([]);
});

describe('the order', () => {
  test('is pre-populations, businesses, then accounts by their number', async () => {
    const records = await recordsOf(`
      SELECT { external_account_number: 'A-2' } AS account
      UNION ALL BY NAME SELECT { external_business_identifier: 'B-1' } AS business
      UNION ALL BY NAME SELECT { external_account_number: 'A-1' } AS account
      UNION ALL BY NAME SELECT { prm_ids: ['01234567890123'], pce_ids: [] } AS populate`);
    expect(records).toEqual([
      { populate: { prm_ids: ['01234567890123'], pce_ids: [] } },
      { business: { external_business_identifier: 'B-1' } },
      { account: { external_account_number: 'A-1' } },
      { account: { external_account_number: 'A-2' } },
    ]);
  });

  test('of equal numbers is that of their content, so that the same one of both is first in each session', async () => {
    const query = (letters: string[]) =>
      letters
        .map((team) => `SELECT { external_account_number: 'A-1', team: '${team}' } AS account`)
        .join(' UNION ALL ');
    const expected = [
      { account: { external_account_number: 'A-1', team: 'E' } },
      { account: { external_account_number: 'A-1', team: 'W' } },
    ];
    expect(await recordsOf(query(['W', 'E']))).toEqual(expected);
    expect(await recordsOf(query(['E', 'W']))).toEqual(expected);
  });

  test('and the records are the same in slices', async () => {
    const rows = Array.from({ length: 30 }, (_, row) => `A-${String((row * 7) % 30).padStart(2, '0')};${row}`);
    write('numbers.csv', `numero;row\n;no number\n${rows.join('\n')}\n`);
    const query = (slices: string) => `-- source numbers: numbers.csv
      ${slices}
      SELECT { external_account_number: numero, customers: list({ note: "row" } ORDER BY "row") } AS account
      FROM numbers GROUP BY numero`;
    const whole = await recordsOf(query('--'));
    expect(whole).toHaveLength(31);
    expect(await recordsOf(query('-- slices 4 by numero'))).toEqual(whole);
  });
});

describe('fields that are NULL', () => {
  test('are left out at every depth, also in lists; texts that look like them are not touched', async () => {
    expect(
      await recordsOf(`SELECT {
        external_account_number: 'A', team: NULL, note: ':null,', plain: 'ab:null, c', other: ',"x":null,"y":null',
        customers: [{ title: NULL, given_name: 'Zoé', phones: { "first one": NULL, second: NULL } }],
        metadata: '{"a": null, "b": {"c":null, "d":1}}'::JSON
      } AS account`),
    ).toEqual([
      {
        account: {
          external_account_number: 'A',
          note: ':null,',
          plain: 'ab:null, c',
          other: ',"x":null,"y":null',
          customers: [{ given_name: 'Zoé', phones: {} }],
          metadata: { b: { d: 1 } },
        },
      },
    ]);
  });
});

describe('a number that JSON does not have', () => {
  test.each([
    ['1::DOUBLE / 0', 'account.metadata.0.value.*'],
    ['-1::DOUBLE / 0', 'account.metadata.0.value.*'],
    ["'NaN'::FLOAT", 'account.metadata.0.value.*'],
    ['[1, 2 / 0]', 'account.metadata.0.value.*.*'],
  ])('%s is an error with account and field', async (price, attr) => {
    write('c.csv', 'numero\nC-1\n');
    const input = await openInput([
      write(
        'n.sql',
        `-- source c: c.csv\nSELECT { external_account_number: numero, note: 'NaN "Infinity"', metadata: [{ key: 'usage', value: { price: ${price} } }] } AS account FROM c`,
      ),
    ]);
    for await (const line of input) {
      expect(line.label).toBe('account C-1');
      expect(line.read()).toEqual({
        problem: {
          code: 'invalid_json_value',
          attr,
          detail:
            'The query computes Infinity or NaN, which JSON does not have. A division by 0 gives it: divide by nullif(<divisor>, 0).',
        },
      });
    }
    await input.close();
  });
});

test('names with quotes, colons, commas and backslashes keep their values', async () => {
  const values = {
    '12"x': null,
    tarif: 'BASE',
    'a:': null,
    'b,"c":': null,
    'd\\': null,
    e: ':null,"f":null',
    '"': 1,
    '{': null,
  };
  write('j.jsonl', `${JSON.stringify({ numero: 'C-1', meta: values, list: [null, { x: null }] })}\n`);
  const records = await recordsOf(
    `-- source j: j.jsonl\nSELECT { external_account_number: numero, struct: meta, json: to_json(meta), list: list } AS account FROM j`,
  );
  const kept = { tarif: 'BASE', e: ':null,"f":null', '"': 1 };
  expect(records).toEqual([
    { account: { external_account_number: 'C-1', struct: kept, json: kept, list: [null, {}] } },
  ]);
});

test('a record without a number is named by its row of the result', async () => {
  write('n.csv', 'numero;nom\nA-1;x\n;y\n;z\n');
  const input = await openInput([
    write('l.sql', '-- source n: n.csv\nSELECT { external_account_number: numero, name: nom } AS account FROM n'),
  ]);
  const labels: unknown[] = [];
  for await (const { label } of input) labels.push(label);
  await input.close();
  expect(labels).toEqual(['account without a number (row 1)', 'account without a number (row 2)', 'account A-1']);
});
