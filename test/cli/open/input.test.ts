/** What the commands say of their input: columns that the mapping never reads, fields, files without a record, a mapping that fails. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openInputOf } from '../../../src/cli/open/input.js';
import { account, ended, line, openFolder, openService, refusal, refused, run, valueIn, valuesIn } from '../typed.js';

const { at, inputFile } = openFolder();

const write = (name: string, text: string) => {
  writeFileSync(at(name), text);
  return at(name);
};

const MAP = write(
  'map.mjs',
  `export default function map(row) {
  const phone = row.get('phone');
  return {
    account: {
      import_supplier: 'SANDBOX_SUPPLIER',
      external_account_number: row['number'],
      customers: [{ family_name: row.name, ...(phone && { landline: phone }) }],
      ...(row.name === 'Dorval' && { alix_arbois: 'x' }),
    },
  };
}
`,
);
/** Of a file that was read to its end; test/cli/open/second-input.test.ts has the values. */
const CONTENT = { bytes: expect.any(Number), sha256: expect.stringMatching(/^[0-9a-f]{64}$/) };
const CUSTOMERS = write(
  'customers.csv',
  'number,name,phone,email,town\nA-1,Brumelle,+33612345678,x,y\nA-2,Estrelin,,x,y\n',
);

const FIELDS = {
  'account.external_account_number': 2,
  'account.import_supplier': 2,
  'account.customers.*.family_name': 2,
  'account.customers.*.landline': 1,
};
/** Adds how often each field is filled, if it is. */
const withFilled = (input: { profile: { fields: { path: string; filled: number }[] } }) => {
  const filled = input.profile.fields.filter((field) => field.filled > 0);
  return { ...input, fields: Object.fromEntries(filled.map((field) => [field.path, field.filled])) };
};
const UNREAD = { columns: 5, rows: 2, neverRead: ['email', 'town'] };

describe('columns that the mapping never reads, and the fields of the records, are listed', () => {
  test('by check', { tags: 'long' }, async () => {
    expect(await run('check', CUSTOMERS, '--map', MAP)).toEqual({
      code: 0,
      err: '',
      out: `${CUSTOMERS}: in 2 rows the mapping never reads 2 columns of 5: email, town
2 lines, 0 errors
`,
    });
  });

  test('by check --json, as its last line', async () => {
    const { out } = await run('check', CUSTOMERS, '--map', MAP, '--json');
    expect(out.trim().split('\n')).toHaveLength(1);
    expect(JSON.parse(out)).toEqual({
      ...{ lines: 2, errors: 0 },
      input: { files: [{ source: CUSTOMERS, ...CONTENT, csv: UNREAD }] },
    });
  });

  test('by plan', { tags: 'long' }, async () => {
    const { out } = await run('plan', CUSTOMERS, '--map', MAP, '--run', at('none'));
    expect(out).toContain(`${CUSTOMERS}: in 2 rows the mapping never reads 2 columns of 5: email, town
2 lines: 0 businesses, 2 accounts`);
    const { out: json } = await run('plan', CUSTOMERS, '--map', MAP, '--run', at('none'), '--json');
    expect(JSON.parse(json).input).toEqual({ files: [{ source: CUSTOMERS, ...CONTENT, csv: UNREAD }] });
  });

  test('by run, of all rows at its end', { tags: 'long' }, async () => {
    const { out, err } = await run('run', CUSTOMERS, '--map', MAP, '--sandbox', '--run', at('columns'));
    expect(err).toBe('');
    expect(out).toContain(`${CUSTOMERS}: in 2 rows the mapping never reads 2 columns of 5: email, town`);
  });

  /** The command that continues with this input. */
  const commandIn = (folder: string) => `data-import-sdk run ${CUSTOMERS} --map ${MAP} --sandbox --run ${at(folder)}`;

  test('by the report of a run, also where it was made again', async () => {
    await run('run', CUSTOMERS, '--map', MAP, '--sandbox', '--run', at('run'));
    const report = () => withFilled(valueIn(at('run/report.json')).input);
    const expected = {
      files: [{ source: CUSTOMERS, ...CONTENT, csv: UNREAD, command: commandIn('run') }],
      businesses: 0,
      accounts: 2,
      fields: FIELDS,
    };
    expect(report()).toMatchObject(expected);
    const html = readFileSync(at('run/report.html'), 'utf8');
    expect(html).toContain('in 2 rows the mapping never reads 2 columns of 5: email, town.');
    expect(html).toContain(
      '<th scope="row" class="mono">account.customers.*.landline</th><td data-name="filled" class="n">50.0%</td>',
    );
    await run('report', '--run', at('run'));
    expect(report()).toMatchObject(expected);
  });

  test('by the report of a run in two sessions as for all of it: each record counts once', {
    tags: 'long',
  }, async () => {
    const flags = ['--map', MAP, '--sandbox', '--run', at('canary')];
    await run('run', CUSTOMERS, ...flags, '--canary', '1');
    const report = () => withFilled(valueIn(at('canary/report.json')).input);
    expect(report()).toMatchObject({ accounts: 1, fields: { 'account.customers.*.landline': 1 } });
    await run('run', CUSTOMERS, ...flags);
    expect(report()).toMatchObject({
      files: [{ source: CUSTOMERS, ...CONTENT, csv: UNREAD, command: commandIn('canary') }],
      businesses: 0,
      accounts: 2,
      fields: FIELDS,
    });
    await run('run', CUSTOMERS, ...flags);
    expect(report()).toMatchObject({ accounts: 2, fields: FIELDS });
  });

  test('by the report as it was before a retry: corrected lines are none of the input', async () => {
    const path = inputFile('retry.jsonl', account('A-1'), account('A-2', { customers: [{ landline: 'x' }] }));
    await run('run', path, '--sandbox', '--run', at('retried'));
    const corrected = inputFile('corrected.jsonl', account('A-2', { customers: [{ landline: '+33612345678' }] }));
    expect((await run('retry', corrected, '--sandbox', '--run', at('retried'))).code).toBe(0);
    expect(valueIn(at('retried/report.json')).input).toMatchObject({
      files: [{ source: path, ...CONTENT }],
      accounts: 2,
    });
  });

  test('without names that may be personal data', async () => {
    const unknown = write('unknown.csv', 'number,name\nA-1,Dorval\n');
    const { out } = await run('check', unknown, '--map', MAP, '--no-warnings');
    expect(out).toContain('        1  error unknown_field at account.*\n');
    const all = write(
      'all.mjs',
      'export default (row) => ({ account: { external_account_number: Object.values(row)[0] } });',
    );
    const none = write('none.mjs', 'export default () => ({ account: {} });');
    const noHeader = write('no-header.csv', 'A-1,alix@example.com\nA-2,basile@example.com\n');
    expect((await run('check', noHeader, '--map', all)).out).not.toContain('never reads');
    expect((await run('check', noHeader, '--map', none)).out).toContain(
      `${noHeader}: in 1 row the mapping never reads 2 columns of 2: their names look like data, so they are not listed`,
    );
    expect((await run('check', noHeader, '--map', none, '--show-personal-data')).out).toContain(
      'never reads 2 columns of 2: A-1, alix@example.com',
    );
  });

  test('not of a file for each row of which the mapping failed', async () => {
    const failing = write('failing.mjs', 'export default () => null.x;');
    expect((await run('check', CUSTOMERS, '--map', failing)).out).not.toContain('never reads');
  });
});

describe('an input without a record', () => {
  const EMPTY = write('empty.csv', '');
  const BLANK = write('blank.jsonl', '\n  \n\r\n');
  const HEADER = write('header.csv', 'number,name\n');
  const TOTALS = write('totals.csv', 'number,name\ntotal,1\ntotal,2\n');
  const TOTAL_MAP = write('totals.mjs', 'export default (row) => (row.number === "total" ? undefined : {});');
  const mapOf = (path: string) => (path.endsWith('.csv') ? ['--map', TOTAL_MAP] : []);
  const FOUND: [string, string, string][] = [
    ['an empty file', EMPTY, 'an empty file'],
    ['blank lines', BLANK, 'blank lines only'],
    ['a header', HEADER, 'a header and no row'],
    ['rows that the mapping leaves out', TOTALS, '2 rows, for none of which the mapping returned a record'],
  ];

  test.each(FOUND)('%s: code 2 of run and retry, before anything is written', async (name, path, found) => {
    for (const command of ['run', 'retry']) {
      expect(await run(command, path, ...mapOf(path), '--sandbox', '--run', at(name))).toEqual(
        refusal(`the input has no record. ${path}: expected a record, found ${found}.`),
      );
    }
    expect(existsSync(at(name))).toBe(false);
  });

  test.each(FOUND)('%s: code 3 of check and plan', async (_, path, found) => {
    const checked = await run('check', path, ...mapOf(path));
    expect([checked.code, checked.out.split('\n')[0]]).toEqual([
      3,
      `${path}:1: error no_record: Expected a record, found ${found}.`,
    ]);
    const planned = await run('plan', path, ...mapOf(path), '--run', at('none'));
    expect([planned.code, planned.err]).toEqual([3, `data-import-sdk: ${path}: expected a record, found ${found}.\n`]);
  });

  test('names every file of it', async () => {
    expect((await run('run', EMPTY, BLANK, '--map', TOTAL_MAP, '--sandbox', '--run', at('none'))).err).toBe(
      `data-import-sdk: the input has no record. ${EMPTY}: expected a record, found an empty file. ${BLANK}: expected a record, found blank lines only.\n`,
    );
  });

  test('beside files with records it is a warning of check, and run names it', async () => {
    const path = inputFile('one.jsonl', account('A-1'));
    const checked = await run('check', path, BLANK);
    expect([checked.code, checked.out]).toEqual([
      0,
      expect.stringMatching(
        /1 {2}warning no_record\n {11}Expected a record, found blank lines only\.\s+First:\s+\S+:1\n/,
      ),
    ]);
    expect((await run('check', path, BLANK, '--no-warnings')).out).not.toContain('no_record');
    const { code, err } = await run('run', path, BLANK, '--sandbox', '--run', at('one'));
    expect([code, err]).toEqual([
      0,
      expect.stringContaining(`data-import-sdk: ${BLANK}: expected a record, found blank lines only.\n`),
    ]);
  });

  test('a line without a record is not an empty input: it is rejected', async () => {
    const path = write('broken.jsonl', '{"account":\n');
    expect((await run('run', path, '--sandbox', '--run', at('broken'))).code).toBe(3);
  });
});

const READ_CSV = pathToFileURL(resolve('src/migration/input/csv/mapping/index.ts')).href;

/** A module that can call `rows()`, which reads its file of payments. */
const moduleOf = (name: string, text: string) =>
  write(
    `${name}.mjs`,
    `import { groupRows, readCsv } from '${READ_CSV}';
const rows = () => readCsv(new URL('${name}-payments.csv', import.meta.url));
${text}`,
  );

/** A mapping that reads the payments of each customer. */
function withRelated(name: string, paymentOf: string) {
  return moduleOf(
    name,
    `const paymentsOf = await groupRows(rows(), 'numero');
export default (row) => ({
  account: { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: row.number },
  transactions: paymentsOf.get(row.number)?.map((payment) => (
    { transaction_id: payment.id, transaction_date: payment.date, type: 'PAYMENT', amount: ${paymentOf} })),
});
`,
  );
}

test('the example of an error has the text of the row that it names, whichever file is read first', async () => {
  write('a-notes.csv', 'no;t;u\nN-1;1;2;3;4\n');
  const path = write('names.csv', 'no;name\nN-1;x\nN-2\n');
  const map = write(
    'names.mjs',
    `import { groupRows, readCsv } from '${READ_CSV}';
const notesOf = await groupRows(readCsv(new URL('a-notes.csv', import.meta.url)), 'no');
export default (row) => ({
  account: { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: row.no },
  notes: notesOf.get(row.no)?.map(({ t }) => ({ body: t })),
});
`,
  );
  const { out } = await run('run', path, '--map', map, '--sandbox', '--run', at('names'));
  const text = 'The row has 5 fields, and the header 3 columns. Put a text that has the delimiter in quotes.';
  expect(out).toContain(`Example (a-notes.csv:2): ${text}`);
  expect(out).not.toContain('The row has 1 field,');
  const page = readFileSync(at('names/report.html'), 'utf8');
  expect(page).toContain(`The first one: ${text}`);
  expect(page).toContain('for example <span class="mono">a-notes.csv:2, names.csv:3</span>');
  expect((await run('report', '--run', at('names'))).out).toContain(`Example (a-notes.csv:2): ${text}`);
});

describe('a row of a related file with another number of cells', () => {
  const clients = ['A-1', 'A-2', 'A-3', 'A-4'];
  const file = (name: string, header: string, ...rows: string[]) =>
    write(`${name}-payments.csv`, [header, ...rows].map((row) => `${row}\n`).join(''));

  test.each([
    ['too many cells', 'numero,id,date,montant', 'A-2,P-2,2025-03-05,12,50'],
    ['too many cells before its key', 'id,date,montant,numero', 'P-2,2025-03-05,12,50,A-2'],
    ['too few cells', 'id,date,montant,numero', 'P-2,2025-03-05,A-2'],
    ['two cells', 'numero,id,date,montant', 'A-2,P-2'],
  ])('%s: the account is not sent without the row', { tags: 'long' }, async (name, header, ragged) => {
    const its = `ragged-${name.replaceAll(' ', '-')}`;
    const good = (number: string, id: string) =>
      header.startsWith('numero') ? `${number},${id},2025-03-05,12` : `${id},2025-03-05,12,${number}`;
    file(its, header, good('A-1', 'P-1'), good('A-2', 'P-3'), ragged);
    const path = write(`${its}.csv`, `number,name\n${clients.map((number) => `${number},x\n`).join('')}`);
    const map = withRelated(its, 'Number(payment.montant)');
    await openService();
    const folder = at(`run-${its}`);
    expect(await run('run', path, '--map', map, '--run', folder)).toMatchObject(
      ended(3, '3 created + 0 already imported + 2 rejected + 0 skipped + 0 unknown = 5'),
    );
    expect(readFileSync(join(folder, 'rejected.csv'), 'utf8')).toContain(
      `${its}-payments.csv:4: a row that seems to belong to this record cannot be read, and the record is not sent without it.`,
    );
    expect(readFileSync(join(folder, 'ok.csv'), 'utf8').match(/^A-\d/gm)).toEqual(['A-1', 'A-3', 'A-4']);
  });

  /** The account that belongs to an unreadable row, whose number is 2 in these files. */
  const ways: [string, string, string][] = [
    [
      'a map of the mapping itself',
      '2,P-2,2025-03-05,12,50',
      `const notesOf = {};
for await (const row of rows()) (notesOf[row.numero] ??= []).push({ body: row.id });
export default (row) => ({ account: { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: row.number }, notes: notesOf[row.number] });`,
    ],
    [
      'a number that the mapping changes',
      '2,P-2',
      `const all = [];
for await (const row of rows()) all.push(row);
export default (row) => ({
  account: { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: 'LEG-00' + row.number },
  notes: all.filter(({ numero }) => numero === row.number).map(({ id }) => ({ body: id })),
});`,
    ],
    [
      'an iteration of groupRows',
      '2,P-2,2025-03-05',
      `const groups = [...(await groupRows(rows(), 'numero'))];
export default (row) => ({
  account: { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: row.number },
  notes: groups.filter(([key]) => key === row.number).flatMap(([, rows]) => rows.map(({ id }) => ({ body: id }))),
});`,
    ],
    [
      'groupRows and a quote that is not closed',
      '2,"P-2,2025-03-05,12',
      `const paymentsOf = await groupRows(rows(), 'numero');
export default (row) => ({
  account: { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: row.number },
  notes: paymentsOf.get(row.number)?.map(({ id }) => ({ body: id })),
});`,
    ],
  ];

  const rejectedIn = (folder: string) =>
    valuesIn(at(`${folder}/rejected.jsonl`)).map(({ source, line, errors: [{ code, detail }] }) => [
      basename(source),
      line,
      code,
      detail,
    ]);
  const without = (place: string) =>
    `${place}: a row that seems to belong to this record cannot be read, and the record is not sent without it. Correct the row, which is listed as rejected.`;

  test.each(ways)('found by %s: the account is not sent without the row', async (way, ragged, module) => {
    const name = `way-${way.replaceAll(' ', '-')}`;
    file(name, 'numero,id,date,montant', '1,P-1,2025-03-05,12', ragged);
    const path = write(`${name}.csv`, 'number,name\n1,x\n2,x\n3,x\n');
    const args = ['--map', moduleOf(name, module), '--sandbox', '--run', at(name)];
    const { code, out } = await run('run', path, ...args);
    expect([code, out]).toEqual([3, expect.stringContaining('2 created + 0 already imported + 2 rejected')]);
    expect(rejectedIn(name)).toEqual([
      [`${name}.csv`, 3, 'incomplete_record', without(`${name}-payments.csv:3`)],
      [`${name}-payments.csv`, 3, 'invalid_csv', expect.any(String)],
    ]);
    expect(out).toContain('Next (2 rejected, lines and rows without a record): correct them in their files');
  });

  test.each<[string, string | Buffer, string]>([
    ['two cells', '2,P-2', '2'],
    ['spaces around its texts', ' 2 ,P-2', '2'],
    ['a delimiter of other files in its number', 'A|2,P-2,2025-03-05,12,50', 'A|2'],
    // Far from the beginning, by which the encoding is known.
    [
      'bytes that are no UTF-8',
      Buffer.from([...Buffer.from('1,P-1,2025-03-05,12\n'.repeat(80_000)), ...Buffer.from('2,P-'), 0xff]),
      '2',
    ],
    ['more than 4 MiB', `2,P-2,2025-03-05,${'x'.repeat(2 ** 22)}`, '2'],
  ])('with %s: only the account with its number is not sent', { tags: 'long' }, async (what, ragged, number) => {
    const name = `with-${what.replaceAll(' ', '-')}`;
    const related = file(name, 'numero,id,date,montant', '1,P-1,2025-03-05,12');
    writeFileSync(related, Buffer.concat([readFileSync(related), Buffer.from(ragged), Buffer.from('\n')]));
    const module = `for await (const _ of rows());
export default (row) => ({ account: { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: row.number } });`;
    // Of the others a cell is a text of the row, and is not all of the number.
    const path = write(`${name}.csv`, `number,name\n${number},x\n3,P-2\n52,2\n`);
    const args = ['--map', moduleOf(name, module), '--sandbox', '--run', at(name)];
    expect(await run('run', path, ...args)).toMatchObject(ended(3, '2 created + 0 already imported + 2 rejected'));
    expect(valuesIn(at(`${name}/rejected.jsonl`))[0]).toMatchObject({ line: 2, original: `${number},x` });
  });

  test.each([
    ['while it is read', 'export default async function* () {', '}'],
    ['while it is loaded', '', 'export default records;'],
  ])(
    'of a module that is the input and reads them %s: the account is not sent without the row',
    async (when, begin, end) => {
      const name = `module-${when.replaceAll(' ', '-')}`;
      file(name, 'numero,id', 'A-1,P-1', 'A-2,P-2,x');
      const records = `const numbers = new Set(['A-2', 'A-3']);
for await (const { numero } of rows()) numbers.add(numero);
const records = [...numbers].map((number) => ({ account: { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: number } }));`;
      const text = `${begin}\n${records}\n${begin && 'yield* records;'}${end}\n`;
      expect(await run('run', moduleOf(name, text), '--sandbox', '--run', at(name))).toMatchObject(
        ended(3, '2 created + 0 already imported + 2 rejected'),
      );
      expect(rejectedIn(name)[0]).toEqual([`${name}.mjs`, 1, 'incomplete_record', without(`${name}-payments.csv:3`)]);
    },
  );

  test('of a query: the account is not sent without the row, until it is correct', { tags: 'long' }, async () => {
    await openService();
    const sql = write(
      'joined.sql',
      `-- source clients: joined.csv
-- source payments: joined-payments.csv
SELECT {
  import_supplier: 'SANDBOX_SUPPLIER', external_account_number: c.number,
} AS account, (SELECT list({ body: p.id }) FROM payments p WHERE p.numero = c.number) AS notes
FROM clients c
`,
    );
    write('joined.csv', 'number,name\nA-1,x\nA-2,x\nA-3,x\n');
    file('joined', 'numero,id', 'A-1,P-1', 'A-2,P-2,x');
    expect(await run('run', sql, '--run', at('joined'))).toMatchObject(
      ended(3, '2 created + 0 already imported + 2 rejected'),
    );
    expect(rejectedIn('joined')[0]).toEqual(['joined.sql', 2, 'incomplete_record', without('joined-payments.csv:3')]);
    expect((await run('check', sql)).out).toContain('joined.sql: account A-2: error incomplete_record');
    file('joined', 'numero,id', 'A-1,P-1', 'A-2,P-2');
    const again = await run('run', sql, '--run', at('joined'));
    expect(again).toMatchObject(ended(0, '3 created + 0 already imported + 0'));
    expect(again.out).toContain('notes: 2 sent = 2\n');
  });

  test('that has the key of an account in a text that is not its number: the account is not sent without the row', async () => {
    file('contract', 'contract,id,date,montant', 'V-1,P-1,2025-03-05,12', 'V-2,"P-2,2025-03-05,12');
    const path = write('contract.csv', 'number,name\nA-1,V-1\nA-2,V-2\nA-3,V-3\n');
    const module = `const paymentsOf = await groupRows(rows(), 'contract');
export default (row) => ({
  account: { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: row.number },
  notes: paymentsOf.get(row.name)?.map(({ id }) => ({ body: id })),
});`;
    const args = ['--map', moduleOf('contract', module), '--sandbox', '--run', at('contract')];
    expect((await run('run', path, ...args)).out).toContain('2 created + 0 already imported + 2 rejected');
    expect(rejectedIn('contract')[0]).toEqual([
      'contract.csv',
      3,
      'incomplete_record',
      without('contract-payments.csv:3'),
    ]);
  });

  test('without a key that can be read: the row is rejected, and the run ends with code 3', async () => {
    file('keyless', 'numero,id,date,montant', 'A-1,P-1,2025-03-05,12', ',P-2,2025-03-05,12,50');
    const path = write('keyless.csv', 'number,name\nA-1,x\nA-2,x\n');
    const map = withRelated('keyless', 'Number(payment.montant)');
    expect(await run('run', path, '--map', map, '--sandbox', '--run', at('keyless'))).toMatchObject(
      ended(3, '2 created + 0 already imported + 1 rejected'),
    );
  });
});

describe('rows of a related file that are in no record', () => {
  const rows = Array.from({ length: 150 }, (_, index) => `A-${index},x\n`).join('');
  const CLIENTS = write('payers.csv', `number,name\n${rows}`);
  const payment = (number: string, id: string) => `${number},${id},2025-03-05,12\n`;
  const payments = [payment('A-1', 'P-1'), payment('X-1', 'P-2'), payment('X-1', 'P-3'), payment('X-2', 'P-4')];
  write('lost-payments.csv', `numero,id,date,montant\n${payments.join('')}`);
  // A module is loaded once for its path.
  const map = (name: string) => {
    write(`${name}-payments.csv`, readFileSync(at('lost-payments.csv'), 'utf8'));
    return withRelated(name, 'Number(payment.montant)');
  };

  test.each([
    ['check', '3  error row_in_no_record'],
    ['plan', '3  error row_in_no_record'],
    ['profile', '3 lines without a record'],
  ])('%s has their number', async (command, found) => {
    expect((await run(command, CLIENTS, '--map', map(command))).out).toContain(found);
  });

  test('an input that was not read to its end has none of them, and corrected lines neither', async () => {
    for (const isWhole of [true, false]) {
      const input = await openInputOf([CLIENTS], { map: [map(`part-${isWhole}`)] }, isWhole);
      onTestFinished(() => input.close());
      const lines: number[] = [];
      for await (const { line } of input) if (lines.push(line) === 150 && isWhole) break;
      expect(lines).toHaveLength(150);
    }
  });

  const detail = 'No record of the input has the row, and it is not sent: the mapping never asked for its numero.';
  const placesIn = (folder: string) =>
    valuesIn(at(`${folder}/rejected.jsonl`)).map(({ source, line, number, errors: [{ code }], original }) => [
      basename(source),
      line,
      number,
      code,
      original,
    ]);

  test('run rejects each of them, until their customers are in the input', { tags: 'long' }, async () => {
    await openService();
    const few = write('few-payers.csv', 'number,name\nA-1,x\nA-2,x\n');
    const args = ['--map', map('reject'), '--run', at('reject')];
    const first = await run('run', few, ...args);
    expect(first).toMatchObject(ended(3, '2 created + 0 already imported + 3 rejected + 0 skipped + 0 unknown = 5\n'));
    expect(first.out).toContain(`Example (reject-payments.csv:3): ${detail}\n`);
    expect(first.out).toContain(
      'Next (3 rejected, lines and rows without a record): correct them in their files (rejected.jsonl lists them), or correct the mapping or the query, and run again',
    );
    expect(readFileSync(at('reject/report.html'), 'utf8')).toContain(detail);
    expect(placesIn('reject')).toEqual([
      ['reject-payments.csv', 3, null, 'row_in_no_record', 'X-1,P-2,2025-03-05,12'],
      ['reject-payments.csv', 4, null, 'row_in_no_record', 'X-1,P-3,2025-03-05,12'],
      ['reject-payments.csv', 5, null, 'row_in_no_record', 'X-2,P-4,2025-03-05,12'],
    ]);
    expect(first.out).toContain(`The items of 3 lines are not counted: no record has them.
Amounts of the records: input and service agree: 12.00 PAYMENT
`);
    expect(await run('run', few, ...args)).toMatchObject(ended(3, '+ 3 rejected'));
    write('few-payers.csv', 'number,name\nA-1,x\nA-2,x\nX-1,x\nX-2,x\n');
    const corrected = await run('run', few, ...args);
    expect(corrected).toMatchObject(ended(0, '4 created + 0 already imported + 0'));
    expect(corrected.out).toContain('transactions: 4 sent = 4\n');
  });

  test('of two files with one mapping, run rejects each of them once', async () => {
    const files = ['A-1', 'A-2'].map((number) => write(`twice-${number}.csv`, `number,name\n${number},x\n`));
    expect(await run('run', ...files, '--map', map('twice'), '--sandbox', '--run', at('twice'))).toMatchObject(
      ended(3, '2 created + 0 already imported + 3 rejected'),
    );
    expect(valueIn(at('twice/input.json')).files.map(({ source }: { source: string }) => basename(source))).toEqual([
      ...files.map((path) => basename(path)),
      'twice-payments.csv',
    ]);
  });

  test('run rejects none of them for an input without a record: the export is empty', async () => {
    const none = write('none-payers.csv', 'number,name\n');
    const { code, out, err } = await run('run', none, '--map', map('none'), '--sandbox', '--run', at('none'));
    expect([code, out]).toEqual([2, expect.not.stringContaining('row_in_no_record')]);
    expect(err).toContain('none-payers.csv');
  });

  test('a row that the mapping asked for by another column is none of them', async () => {
    write('by-columns-payments.csv', 'numero,contract\nA-1,V-9\nX-1,V-1\nX-2,V-2\n');
    const module = moduleOf(
      'by-columns',
      `const ofNumber = await groupRows(rows(), 'numero');
const ofContract = await groupRows(rows(), 'contract');
export default (row) => ({
  account: { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: row.number },
  notes: [...(ofNumber.get(row.number) ?? []), ...(ofContract.get(row.name) ?? [])].map(({ contract }) => ({ body: contract })),
});
`,
    );
    const clients = write('by-columns-payers.csv', 'number,name\nA-1,V-1\n');
    const { out } = await run('run', clients, '--map', module, '--sandbox', '--run', at('by-columns'));
    expect(out).toContain('notes: 2 sent = 2\n');
    expect(placesIn('by-columns')).toEqual([['by-columns-payments.csv', 4, null, 'row_in_no_record', 'X-2,V-2']]);
  });

  test('corrected rows, which are a part of the input, reject none of them', { tags: 'long' }, async () => {
    await openService();
    write('again-payments.csv', readFileSync(at('lost-payments.csv'), 'utf8'));
    const module = moduleOf(
      'again',
      `const paymentsOf = await groupRows(rows(), 'numero');
export default ({ number, billed }) => ({
  account: { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: number, last_billed_to_date: billed },
  notes: paymentsOf.get(number)?.map(({ id }) => ({ body: id })),
});
`,
    );
    const args = ['--map', module, '--run', at('again')];
    const clients = write('again-payers.csv', 'number,billed\nA-1,2025-01-31\nX-1,2025-01-32\nX-2,2025-01-31\n');
    expect((await run('run', clients, ...args)).out).toContain('2 created + 0 already imported + 1 rejected');
    expect(await run('retry', write('again-row.csv', 'number,billed\nX-1,2025-01-31\n'), ...args)).toMatchObject(
      ended(0, '3 created + 0 already imported + 0 rejected'),
    );
  });

  test('check has an error for each of them', async () => {
    const { code, out } = await run('check', CLIENTS, '--map', map('errors'));
    expect(code).toBe(3);
    expect(out).toContain(`errors-payments.csv:3: error row_in_no_record: ${detail}\n`);
    expect(out).toContain('153 lines, 3 errors');
  });

  test('those of a customer whose row is rejected are not: the row is', async () => {
    const name = 'throws';
    write(`${name}-payments.csv`, ['numero,id,date,montant\n', ...payments].join(''));
    const module = moduleOf(
      name,
      `const paymentsOf = await groupRows(rows(), 'numero');
export default (row) => {
  if (row.name === '') throw new Error('no name');
  return {
    account: { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: row.number },
    transactions: paymentsOf.get(row.number)?.map(({ id, date }) => ({ transaction_id: id, transaction_date: date, type: 'CHARGE', amount: 1 })),
  };
};
`,
    );
    const clients = write('throws-payers.csv', 'number,name\nA-1,x\nX-1,\nX-2\n');
    expect((await run('run', clients, '--map', module, '--sandbox', '--run', at(name))).code).toBe(3);
    expect(placesIn(name)).toEqual([
      ['throws-payers.csv', 3, null, 'map_failed', 'X-1,'],
      ['throws-payers.csv', 4, null, 'invalid_csv', 'X-2'],
    ]);
  });

  test('a mapping that asks for them and leaves them out ends with code 0', async () => {
    write('asks-payments.csv', readFileSync(at('lost-payments.csv'), 'utf8'));
    const module = moduleOf(
      'asks',
      `const paymentsOf = await groupRows(rows(), 'numero');
export default (row) => {
  const isSent = paymentsOf.has(row.number) && row.name !== 'closed';
  return isSent ? { account: { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: row.number } } : undefined;
};
`,
    );
    const clients = write('asks-payers.csv', 'number,name\nA-1,x\nX-1,closed\nX-2,closed\n');
    expect(await run('run', clients, '--map', module, '--sandbox', '--run', at('asks'))).toMatchObject(
      ended(0, '1 created + 0 already imported + 0 rejected'),
    );
  });

  test('a canary, which reads a part of the input, rejects none of them', { tags: 'long' }, async () => {
    await openService();
    const args = ['--map', map('canary'), '--run', at('canary-payers'), '--canary', '2'];
    expect((await run('run', CLIENTS, ...args)).out).toContain('2 created + 0 already imported + 0 rejected');
  });

  test('a module that is the input has them too', async () => {
    write('whole-payments.csv', readFileSync(at('lost-payments.csv'), 'utf8'));
    const module = moduleOf(
      'whole',
      `export default async function* () {
  const paymentsOf = await groupRows(rows(), 'numero');
  yield { account: { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: 'A-1' }, notes: paymentsOf.get('A-1').map(({ id }) => ({ body: id })) };
}
`,
    );
    expect(await run('run', module, '--sandbox', '--run', at('whole'))).toMatchObject(
      ended(3, '1 created + 0 already imported + 3 rejected'),
    );
  });
});

test('rows that were skipped are named with their first lines: without data, and without a record of the mapping', async () => {
  write('skipped.csv', `number,kind\nA-1,x\n,\n${'A-2,closed\n'.repeat(4)}A-3,x\n`);
  const map = write(
    'skips-closed.mjs',
    "export default (row) => row.kind === 'closed' ? undefined : { account: { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: row.number } };",
  );
  const { code, out } = await run('check', at('skipped.csv'), '--map', map);
  expect(code).toBe(0);
  expect(out).toContain(
    'skipped.csv: 1 row without data skipped: only delimiters, or the header again (skipped.csv:3)\n',
  );
  expect(out).toContain(
    'skipped.csv: the mapping returned no record for 4 of 6 rows (skipped.csv:4, skipped.csv:5, skipped.csv:6, …)\n',
  );
});

describe('a mapping that throws', () => {
  const SOME = write(
    'some.mjs',
    `export default function map(row) {
  if (row.name === 'Estrelin') throw new RangeError('no tariff for ' + row.name);
  return { account: { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: row.number } };
}
`,
  );

  test('for one row costs that row: message, place in the mapping, place in the input', async () => {
    const checked = await run('check', CUSTOMERS, '--map', SOME);
    expect(checked.code).toBe(3);
    expect(checked.out).toContain(
      `${CUSTOMERS}:3: error some.mjs:2 map_failed: The mapping threw RangeError: no tariff for *.`,
    );
    expect(checked.out).toContain('        1  error map_failed at some.mjs:2\n');
    const ran = await run('run', CUSTOMERS, '--map', SOME, '--sandbox', '--run', at('some'));
    expect(ran.code).toBe(3);
    expect(ran.out).toContain('1 created + 0 already imported + 1 rejected');
    expect(ran.out).toContain('read map_failed at some.mjs:2\n');
    expect(ran.out).toContain('Example (customers.csv:3): The mapping threw RangeError: no tariff for *.');
    expect(ran.out).not.toContain('for Estrelin');
  });

  test.each(['check', 'plan', 'run'])('with --show-personal-data %s shows the message as it is', async (command) => {
    const folder = at(`shown-${command}`);
    const more = command === 'check' ? [] : ['--sandbox', '--run', folder];
    const { out } = await run(command, CUSTOMERS, '--map', SOME, '--show-personal-data', ...more);
    if (command === 'plan') expect(out).toContain('1  error map_failed at some.mjs:2\n');
    else expect(out).toContain('no tariff for Estrelin.');
  });

  test('for each of the first 100 rows ends check, plan and run with code 2 and one message', async () => {
    const rows = Array.from({ length: 150 }, (_, index) => `A-${index},x\n`).join('');
    const many = write('many.csv', `number,name\n${rows}`);
    const failing = write('failing-each.mjs', "export default () => { throw new Error('no tariff'); };");
    const err = `data-import-sdk: ${many}:2: the mapping failed in the same way for each of the first 100 rows, at failing-each.mjs:1: The mapping threw Error: no tariff. The code there: export default () => { throw new Error('no tariff'); };\n`;
    for (const command of [['check'], ['plan', '--run', at('none')], ['run', '--sandbox', '--run', at('many')]]) {
      const ended = await run(...command, many, '--map', failing);
      expect([ended.code, ended.err.split('\n').at(-2)]).toEqual([2, err.trim()]);
    }
    expect(existsSync(at('many'))).toBe(false);
  });

  test('for all of 60 rows ends run with code 2 as well, also in the run folder of an earlier session', {
    tags: 'long',
  }, async () => {
    const rows = Array.from({ length: 60 }, (_, index) => `A-${index},x\n`).join('');
    const sixty = write('sixty.csv', `number,name\n${rows}`);
    const right = write(
      'right.mjs',
      "export default (row) => ({ account: { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: row.number } });",
    );
    const failing = write('failing60.mjs', "export default () => { throw new Error('no tariff'); };");
    const folder = ['--sandbox', '--run', at('sixty')];
    expect(await run('run', sixty, '--map', right, ...folder)).toMatchObject({ code: 0 });
    expect(await run('run', ...folder, sixty, '--map', failing)).toMatchObject(
      refused(
        `${sixty}:2: the mapping failed in the same way for all 60 rows, at failing60.mjs:1: The mapping threw Error: no tariff.`,
      ),
    );
  });

  test('for all of 60 rows in different ways rejects each of them', async () => {
    const rows = Array.from({ length: 60 }, (_, index) => `A-${index},x\n`).join('');
    const different = write('different.csv', `number,name\n${rows}`);
    const each = write(
      'each.mjs',
      "export default (row) => {\n  if (row.number === 'A-0') throw new Error('no tariff');\n  throw new Error('no product');\n};",
    );
    const args = ['--map', each, '--sandbox', '--run', at('different')];
    expect(await run('run', different, ...args)).toMatchObject(ended(3, '+ 60 rejected'));
  });

  test('for all rows of a file with fewer than ten rejects each of them', async () => {
    const failing = write('few.mjs', "export default () => { throw new Error('no tariff'); };");
    expect(await run('run', CUSTOMERS, '--map', failing, '--sandbox', '--run', at('few'))).toMatchObject(
      ended(3, '0 created + 0 already imported + 2 rejected'),
    );
  });

  test('for a column that a related file does not have ends run with code 2, also if most rows have no related row', async () => {
    const rows = Array.from({ length: 150 }, (_, index) => `A-${index},x\n`).join('');
    const clients = write('clients150.csv', `number,name\n${rows}`);
    write('wrong-payments.csv', 'numero,id,date,montant\nA-99,P-1,2025-03-05,12\n');
    const args = [clients, '--map', withRelated('wrong', 'Number(payment.amount)'), '--sandbox', '--run', at('wrong')];
    expect(await run('run', ...args)).toMatchObject({
      code: 2,
      err: `data-import-sdk: ${clients}:101: the mapping reads a column that does not exist, at wrong.mjs:7: wrong-payments.csv has no column "amount" (columns: numero, id, date, montant). Read a column that not every file has with row.get.\n`,
    });
    expect(existsSync(at('wrong'))).toBe(false);
    expect((await run('check', ...args.slice(0, 3))).code).toBe(2);
  });

  test('gives a promise: code 2', async () => {
    const promising = write('async.mjs', 'export default async () => ({ account: {} });');
    expect(await run('run', CUSTOMERS, '--map', promising, '--sandbox', '--run', at('async'))).toMatchObject(
      refused('the mapping module returned a promise'),
    );
  });
});

test('the input of standard JSON Lines has no columns', async () => {
  writeFileSync(at('plain.jsonl'), line(account('A-1')));
  const { out } = await run('check', at('plain.jsonl'), '--json');
  expect(JSON.parse(out).input.files).toEqual([{ source: at('plain.jsonl'), ...CONTENT }]);
});

describe('input files as a legacy system exports them', () => {
  const latin1 = (name: string, text: string) => {
    writeFileSync(at(name), Buffer.from(text, 'latin1'));
    return at(name);
  };
  const FIRMS = latin1('firms.csv', 'sep=;\nid;nom\nB-1;Boulangerie No\xebl\n');
  const CLIENTS = latin1('clients.csv', 'num\xe9ro;nom\nA-1;Lef\xe8vre\nA-2;M\xfcller\n');
  const FIRM_MAP = write(
    'firms.mjs',
    `export default (row) => ({ business: { import_supplier_code: 'SANDBOX_SUPPLIER', external_business_identifier: row.id, business: { company_name: row.nom } } });\n`,
  );
  const CLIENT_MAP = write(
    'clients.mjs',
    `export default (row) => ({ account: { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: row['num\xe9ro'], customers: [{ family_name: row.nom }] } });\n`,
  );
  const MAPS = ['--map', `firms.csv=${FIRM_MAP}`, '--map', `clients.csv=${CLIENT_MAP}`];

  test('are read in their encoding, each with its own mapping, and the names arrive with their accents', async () => {
    expect(
      await run('run', FIRMS, CLIENTS, ...MAPS, '--encoding', 'windows-1252', '--sandbox', '--run', at('legacy')),
    ).toMatchObject(ended(0, '3 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 3\n'));
  });

  test('without the encoding end with exit code 2 and the flag to give', async () => {
    const { code, err } = await run('check', CLIENTS, '--map', CLIENT_MAP);
    expect(err).toBe(
      `data-import-sdk: ${CLIENTS}:1: the file is not in UTF-8; it is probably in windows-1252: byte 0xe9 is "é" in windows-1252. Name its encoding with --encoding windows-1252 (encoding of openInput), or export it in UTF-8.\n`,
    );
    expect(code).toBe(2);
  });

  test.each(['check', 'plan'])('with an encoding that does not fit end with exit code 2: %s', async (command) => {
    const path = latin1('odd.csv', 'num\xe9ro;nom\nA-1;Lef\xe8vre\nA-2;M\xfcller\nA-3;XY\n');
    expect(await run(command, path, '--map', CLIENT_MAP, '--encoding', 'utf-16le')).toMatchObject({
      code: 2,
      err: `data-import-sdk: ${path}: the file has bytes that are invalid in utf-16le. Name another encoding with --encoding (encoding of openInput), or export it in UTF-8. If it was joined from several files, convert each of them to UTF-8 and join them again.\n`,
    });
  });

  test('with a misspelt encoding end with exit code 2', async () => {
    const { code, err } = await run('check', CLIENTS, '--map', CLIENT_MAP, '--encoding', 'windows-1525');
    expect(err).toMatch(/^data-import-sdk: --encoding "windows-1525": unknown; expected a name such as utf-8,/);
    expect(code).toBe(2);
  });

  test('with two mappings, one of them without the name of a file, end with exit code 2', async () => {
    expect(await run('check', FIRMS, CLIENTS, '--map', FIRM_MAP, '--map', `clients.csv=${CLIENT_MAP}`)).toMatchObject(
      refused(`--map ${FIRM_MAP}: expected the name of a CSV file before each of several modules`),
    );
  });

  test('with two mappings for one file end with exit code 2', async () => {
    const twice = ['--map', `clients.csv=${CLIENT_MAP}`, '--map', `clients.csv=${FIRM_MAP}`];
    expect(await run('check', CLIENTS, ...twice, '--encoding', 'windows-1252')).toMatchObject(
      refused(`--map clients.csv=${FIRM_MAP}: clients.csv has two mappings. Give one of them.`),
    );
  });

  test('a module that exports records is an input, and the same command again sends nothing twice', async () => {
    const module = write(
      'records.mjs',
      `export default async function* () {\n  for (const number of ['A-1', 'A-2']) yield { account: { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: number } };\n}\n`,
    );
    const type = () => run('run', module, '--sandbox', '--run', at('module'));
    expect((await type()).out).toContain('2 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 2\n');
    const again = await type();
    expect(again.out).toContain('2 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 2\n');
    expect(again.code).toBe(0);
  });

  test('a module without a record ends with exit code 2', async () => {
    expect(
      await run('run', write('no-records.mjs', 'export default () => [];\n'), '--sandbox', '--run', at('none')),
    ).toMatchObject(refused('the input has no record. Expected at least one.'));
  });
});

describe('rejected.csv names the column of the input that has the value', () => {
  const rejected = (folder: string) =>
    readFileSync(at(`${folder}/rejected.csv`), 'utf8')
      .split('\r\n')
      .slice(1, -1);
  const map = write(
    'dates.mjs',
    `export default (row) => ({ account: {
      import_supplier: 'SANDBOX_SUPPLIER',
      external_account_number: row['N°'],
      last_billed_to_date: row['Dernière facture'],
      customers: [{ landline: row['Tél'].replace('tel ', ''), date_of_birth: row['Né'] }],
    } });`,
  );

  test('if the mapping has not changed it, and one column has it', async () => {
    const file = write(
      'dates.csv',
      'N°;Dernière facture;Tél;Né\nA-1; 31/12/2024 ;;1962-03-04\nA-2;2024-12-31;tel 12;1962-03-04\nA-3;1/2/24;;1/2/24\n',
    );
    expect((await run('run', file, '--map', map, '--sandbox', '--run', at('with-columns'))).code).toBe(3);
    expect(rejected('with-columns').map((row) => row.split(';').slice(1, 6))).toEqual([
      ['2', 'A-1', 'account.last_billed_to_date', '"Dernière facture"', 'invalid_date'],
      // The mapping has changed the value.
      ['3', 'A-2', 'account.customers.0.landline', '', 'invalid_phone_number'],
      // Two columns have the value.
      ['4', 'A-3', 'account.last_billed_to_date', '', 'invalid_date'],
      ['4', 'A-3', 'account.customers.0.date_of_birth', '', 'invalid_date'],
    ]);
    const remedies = readFileSync(at('with-columns/rejected.csv'), 'utf8').split('\r\n').slice(1, 3);
    // The user corrects the export, whose column may have another form than the payload.
    expect(remedies[0]).toContain(
      'Correct the date: in the export in the form of its column, in this sheet as YYYY-MM-DD. If the mapping does not convert that form yet, use parseDate of data-import-sdk/mapping in it.',
    );
    expect(remedies[1]).toContain('Write it like +33612345678, or leave it out.');
    const [entry] = readFileSync(at('with-columns/rejected.jsonl'), 'utf8').split('\n');
    expect(JSON.parse(entry ?? '').errors).toMatchObject([{ column: 'Dernière facture' }]);
  });

  test('and still does after a retry that has corrected another record', async () => {
    const file = write(
      'kept.csv',
      'N°;Dernière facture;Tél;Né\nA-1;31.12.2024;;1962-03-04\nA-2;30.11.2024;;1962-03-05\n',
    );
    const session = ['--sandbox', '--run', at('kept')];
    await run('run', file, '--map', map, ...session);
    const before = rejected('kept');
    expect(before[0]?.split(';')[4]).toBe('"Dernière facture"');
    const path = at('kept/rejected.jsonl');
    writeFileSync(path, readFileSync(path, 'utf8').replace('30.11.2024', '2024-11-30'));
    await run('retry', path, ...session);
    expect(rejected('kept')).toEqual(before.slice(0, 1));
    await run('run', file, '--map', map, ...session);
    expect(rejected('kept')).toEqual(before.slice(0, 1));
  });

  test('a number that the mapping has not converted has the function that does', async () => {
    const amounts = write(
      'amounts.mjs',
      "export default (row) => ({ account: { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: row.no }, transactions: [{ type: 'CHARGE', amount: row.amount }] });",
    );
    await run(
      'run',
      write('amounts.csv', 'no;amount\nA-1;12,50\n'),
      '--map',
      amounts,
      '--sandbox',
      '--run',
      at('amounts'),
    );
    expect(rejected('amounts')[0]).toContain(
      'Correct the value. If it is a number that the mapping does not convert yet, use parseDecimal of data-import-sdk/mapping in it.',
    );
  });

  test('not if the names of the columns look like data', async () => {
    const numbered = write(
      'numbered.mjs',
      "export default (row) => ({ account: { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: row['a@example.com'], last_billed_to_date: row.b } });",
    );
    const file = write('like-data.csv', 'a@example.com;b\nA-1;x\n');
    await run('run', file, '--map', numbered, '--sandbox', '--run', at('like-data'));
    expect(rejected('like-data')[0]?.split(';').slice(1, 6)).toEqual([
      '2',
      'A-1',
      'account.last_billed_to_date',
      '',
      'invalid_date',
    ]);
  });
});

test.each([
  ['one.jsonl', 'it is for CSV, and one.jsonl is not.'],
  ['one.jsonl two.sql', 'it is for CSV, and one.jsonl two.sql are not.'],
])('--map without a CSV input, for %s, is an error', async (names, why) => {
  expect(await run('check', ...names.split(' '), '--map', 'map.mjs')).toMatchObject(
    refused(`--map has no effect: ${why} Leave it out`),
  );
});
