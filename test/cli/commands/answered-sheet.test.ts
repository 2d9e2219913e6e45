/** `resolve` of a sheet that a spreadsheet has changed, of contradicting and wrong rows, and of single items. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import type { ServiceRequest } from '../../support/import-service.js';
import { account, openFolder, openImportService, refused, resolveWhenQuiet, run } from '../typed.js';

const { at, inputFile } = openFolder();

const SUPPLIER = 'SANDBOX_SUPPLIER';

let runs = 0;

/** A run whose statements and payment instructions get no answer. Those with a reference or an id in `there` take effect all the same. */
async function lostRun(records: readonly unknown[], options: { there?: readonly string[]; of?: RegExp } = {}) {
  const { there = [], of = /statements|instruction/ } = options;
  let isLost = true;
  const fault = ({ path, body }: ServiceRequest) => {
    if (!isLost || !of.test(path)) return undefined;
    const reference = String(body['reference']);
    const key = `${SUPPLIER}/${body['external_account_number']}`;
    if (there.includes(reference)) service.accounts.get(key)?.instructions.push(reference);
    return { status: 500, body: {} };
  };
  const service = await openImportService({ fault }, { TIMEOUT: '1', MAX_RETRIES: '0', IN_FLIGHT_GRACE: '0' });
  const folder = at(`run-${++runs}`);
  const input = inputFile(`${runs}.jsonl`, ...records);
  const first = await run('run', input, '--run', folder);
  isLost = false;
  const sheet = `${folder}/unknown.csv`;
  return {
    first,
    sheet,
    again: () => run('run', input, '--run', folder),
    resolve: (...words: string[]) => resolveWhenQuiet(...words, '--run', folder),
    audit: () => readFileSync(`${folder}/audit.log`, 'utf8'),
    instructions: (number: string) => service.accounts.get(`${SUPPLIER}/${number}`)?.instructions,
    statements: (number: string) => service.accounts.get(`${SUPPLIER}/${number}`)?.statements,
    /** The sheet with an answer in each row, in another encoding and with the cells that the function returns. */
    answered(answers: readonly string[], change: (cells: string[], row: number) => string[] = (cells) => cells) {
      const [header = '', ...rows] = readFileSync(sheet, 'utf8').trimEnd().split('\r\n');
      const place = header.split(';').findIndex((name) => name.startsWith('"answer'));
      const written = rows.map((row, index) => {
        const cells = row.split(';').with(place, answers[index] ?? '');
        return change(cells, index).join(';');
      });
      const path = at(`answers-${runs}.csv`);
      writeFileSync(path, [header, ...written, ''].join('\r\n'));
      return path;
    },
  };
}

const withStatement = (number: string, more = {}) => ({
  ...account(number, more),
  statements: [{ statement_id: `S-${number}` }],
});
const INSTRUCTIONS = ['R1', 'R2'].map((reference) => ({ vendor: 'V', reference, type: 'CARD' }));
const P_1 = { ...account('P-1'), payment_instructions: INSTRUCTIONS };
const ofP1 = (step = 'paymentInstruction') => ['--account', 'P-1', '--step', step];

test('a spreadsheet drops the zeros of a number: each answer is still about its own record', async () => {
  const { answered, resolve, again, statements } = await lostRun([withStatement('1'), withStatement('0001')]);
  const sheet = answered(['not-done', 'done'], (cells) => cells.with(0, '1').with(3, '2,93705E+15'));
  const { code, out } = await resolve('--from', sheet);
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(
      /^Resolved by the operator: account 1 statements\.0 not done: the next run sends it\nResolved by the operator: account 0001 statements\.0 done\n/,
    ),
  ]);
  // The same sheet again, with the numbers as the spreadsheet has left them.
  expect(await resolve('--from', sheet)).toMatchObject({
    code: 0,
    err: 'data-import-sdk: 2 rows have an outcome that is known already, and left out.\n',
  });
  expect(await again()).toMatchObject({ code: 0 });
  expect([statements('1'), statements('0001')]).toEqual([['S-1'], []]);
});

test('rows whose cells are of two records, or of none, are refused, and so is a sheet without the hash', {
  tags: 'long',
}, async () => {
  const { answered, resolve, sheet } = await lostRun([withStatement('A-1'), withStatement('A-2')]);
  const hashes = readFileSync(sheet, 'utf8').match(/x[0-9a-f]{16}/g) ?? [];
  const mixed = answered(['done', 'done'], (cells, row) => [...cells.slice(0, -1), hashes[1 - row] ?? '']);
  const { code, err } = await resolve('--from', mixed);
  expect([code, err]).toEqual([
    2,
    `data-import-sdk: --from ${mixed}: 2 rows cannot be used, so that no answer of the sheet is stored. Correct them, and give the sheet again:
${mixed}:2: the hash is that of account A-2 at ${at(`${runs}.jsonl`)}:2, and the row has key A-1 at ${at(`${runs}.jsonl`)}:1. ${sheet} has the rows as they belong together: data-import-sdk report writes it again.
${mixed}:3: the hash is that of account A-1 at ${at(`${runs}.jsonl`)}:1, and the row has key A-2 at ${at(`${runs}.jsonl`)}:2. ${sheet} has the rows as they belong together: data-import-sdk report writes it again.
`,
  ]);
  const strange = answered(['done', 'done'], (cells, row) => (row === 0 ? cells : cells.with(-1, 'x0123456789abcdef')));
  expect(await resolve('--from', strange)).toMatchObject(
    refused(`${strange}:3: the run has no outcome with the hash "x0123456789abcdef". ${sheet} is the template.`),
  );
  const bare = at('bare.csv');
  writeFileSync(bare, `key;kind;supplier;step;answer (done or not-done)\nA-1;account;${SUPPLIER};statements;done\n`);
  expect(await resolve('--from', bare)).toMatchObject(
    refused(`--from ${bare}: no column "hash". ${sheet} is the template.`),
  );
  expect((await resolve()).out).toContain('2 outcomes are unknown.');
});

test('two rows for one outcome: equal ones are one, others are refused, also of the service id', {
  tags: 'long',
}, async () => {
  const { answered, resolve } = await lostRun([withStatement('A-1')]);
  const twice = (second: string) => {
    const path = answered(['done']);
    const [header = '', row = ''] = readFileSync(path, 'utf8').split('\r\n');
    writeFileSync(path, [header, row, row.replace(';done;', `;${second};`), ''].join('\r\n'));
    return path;
  };
  const path = twice('not-done');
  expect(await resolve('--from', path)).toMatchObject(
    refused(`${path}:3: row 2 has another answer for this outcome. Keep one of them.\n`),
  );
  const { code, out } = await resolve('--from', twice('done'));
  expect([code, out.match(/Resolved by/g)]).toEqual([0, ['Resolved by']]);
});

test('one wrong row: no answer is stored, each wrong row is listed', { tags: 'long' }, async () => {
  const { answered, resolve, again, statements } = await lostRun(
    ['A-1', 'A-2', 'A-3', 'A-4'].map((number) => withStatement(number)),
  );
  const sheet = answered(['not-done', 'perhaps', 'done', 'done'], (cells, row) =>
    row === 2 ? cells.with(-2, '4711') : cells,
  );
  const { code, err } = await resolve('--from', sheet);
  expect([code, err.split('\n')]).toEqual([
    2,
    [
      `data-import-sdk: --from ${sheet}: 2 rows cannot be used, so that no answer of the sheet is stored. Correct them, and give the sheet again:`,
      `${sheet}:3: answer: expected done or not-done, found "perhaps".`,
      expect.stringMatching(/:4: --service-id needs one record that was created/),
      '',
    ],
  ]);
  expect((await resolve()).out).toContain('4 outcomes are unknown.');
  expect(await again()).toMatchObject({ code: 4 });
  expect(statements('A-1')).toEqual([]);
});

test('a request that may still be running, and two records with one service id, are wrong rows too', {
  tags: 'long',
}, async () => {
  await openImportService(
    { fault: ({ path }) => (path === 'business/' ? { status: 500, body: {} } : undefined) },
    { MAX_RETRIES: '0' },
  );
  const folder = at('two-ids');
  const business = (identifier: string) => ({
    business: { import_supplier_code: SUPPLIER, external_business_identifier: identifier, business: {} },
  });
  await run('run', inputFile('two-ids.jsonl', business('B-1'), business('B-2')), '--run', folder);
  const [header = '', ...rows] = readFileSync(`${folder}/unknown.csv`, 'utf8').trimEnd().split('\r\n');
  const sheet = at('two-ids.csv');
  writeFileSync(sheet, [header, ...rows.map((row) => row.replace(/;;;(?=x\w+$)/, ';done;4711;')), ''].join('\r\n'));
  expect(await run('resolve', '--from', sheet, '--run', folder)).toMatchObject(
    refused(
      `${sheet}:3: row 2 has the same service id for another record: check which of them the service has under it.\n`,
    ),
  );
  expect((await run('resolve', '--run', folder)).out).toContain('2 outcomes are unknown.');
});

test('two columns answer: neither is taken, and no answer is stored', async () => {
  const { sheet, resolve } = await lostRun([withStatement('A-1')]);
  const path = at('two-answers.csv');
  const [header, row] = readFileSync(sheet, 'utf8').split('\r\n');
  writeFileSync(path, [`${header};"answer (done or not-done)"`, `${row};done`, ''].join('\r\n'));
  expect(await resolve('--from', path)).toMatchObject(
    refused('have the same name "answer (done or not-done)". Rename one.'),
  );
});

test('a sheet in Windows-1252 is read with --encoding, with its variable and with the config file, as retry does', async () => {
  const { answered, resolve } = await lostRun([withStatement('Müller-1')]);
  const sheet = answered(['done']);
  writeFileSync(sheet, readFileSync(sheet, 'utf8').replace('\uFEFF', ''), 'latin1');
  expect(await resolve('--from', sheet)).toMatchObject(refused('--encoding windows-1252'));
  expect(await resolve('--encoding', 'windows-1252')).toMatchObject(refused('--encoding has no effect without --from'));
  const config = at('config-1252.json');
  writeFileSync(config, JSON.stringify({ encoding: 'windows-1252' }));
  expect(await resolve('--from', sheet, '--config', config)).toMatchObject({ code: 0 });
  vi.stubEnv('DATA_IMPORT_ENCODING', 'windows-1252');
  const known = { code: 0, err: expect.stringContaining('1 row has an outcome that is known already') };
  expect(await resolve('--from', sheet)).toMatchObject(known);
  vi.stubEnv('DATA_IMPORT_ENCODING', 'utf-8');
  expect(await resolve('--from', sheet, '--encoding', 'windows-1252')).toMatchObject(known);
});

test('two payment instructions without an answer have a row each: one was there, the other is sent', {
  tags: 'long',
}, async () => {
  const { first, sheet, answered, resolve, again, instructions } = await lostRun([P_1], { there: ['R1'] });
  expect(first.code).toBe(4);
  expect(readFileSync(sheet, 'utf8').match(/payment_instructions\.\d/g)).toEqual([
    'payment_instructions.0',
    'payment_instructions.1',
  ]);
  const { code, out } = await resolve('--from', answered(['done', 'not-done']));
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(
      /^Resolved by the operator: account P-1 payment_instructions\.0 done\nResolved by the operator: account P-1 payment_instructions\.1 not done: the next run sends it\n/,
    ),
  ]);
  expect(await again()).toMatchObject({ code: 0 });
  expect(instructions('P-1')).toEqual(['R1', 'R2']);
});

test('the command with --items that is printed: one item is resolved, the other stays unknown', {
  tags: 'long',
}, async () => {
  const { resolve, again, instructions, audit } = await lostRun([P_1], { there: ['R1'] });
  expect((await resolve()).out).toMatch(
    /^Next: .* --account P-1 --step paymentInstruction --items payment_instructions\.0 --as '<done\|not-done>'$/m,
  );
  const item = (position: number, ...words: string[]) =>
    resolve(...ofP1('payment instruction'), '--items', `payment_instructions.${position}`, ...words);
  const { code, out } = await item(1, '--as', 'not-done');
  expect([code, out]).toEqual([4, expect.stringContaining('account P-1 payment_instructions.1 not done')]);
  expect(out).toMatch(/payment_instructions\.0 /);
  expect(await again()).toMatchObject({ code: 4 });
  expect(instructions('P-1')).toEqual(['R1', 'R2']);
  expect(await item(0, '--as', 'done')).toMatchObject({ code: 0 });
  expect(await again()).toMatchObject({ code: 0 });
  expect(instructions('P-1')).toEqual(['R1', 'R2']);
  expect(audit()).toMatch(
    /payment instruction not done, by the operator: account …1 \(\S+jsonl:1, payment_instructions\.1\)$/m,
  );
});

test('--items takes the hash of a row too', { tags: 'long' }, async () => {
  const { resolve, sheet } = await lostRun([P_1]);
  const [, second = ''] = readFileSync(sheet, 'utf8').trimEnd().split('\r\n').slice(1);
  const mark = second.split(';').at(-1) ?? '';
  const { code, out } = await resolve(...ofP1(), '--items', mark, '--as', 'done');
  expect([code, out.match(/^Resolved.*/gm)]).toEqual([
    4,
    ['Resolved by the operator: account P-1 payment_instructions.1 done'],
  ]);
});

test('a decision about one item is replaced by another one until the item is sent, whatever is sent for the others', {
  tags: 'long',
}, async () => {
  const { resolve, again, instructions } = await lostRun([P_1]);
  const item = (position: number, as: string) =>
    resolve(...ofP1(), '--items', `payment_instructions.${position}`, '--as', as);
  await item(0, 'done');
  await item(1, 'not-done');
  expect(await item(1, 'not-done')).toMatchObject(refused('payment_instructions.1 is not done already, since '));
  expect(await again()).toMatchObject({ code: 0 });
  expect(instructions('P-1')).toEqual(['R2']);
  expect(await item(1, 'done')).toMatchObject(refused('a run has sent it since'));
  expect(await item(0, 'not-done')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/payment_instructions\.0 was done since [^,]+, now not done: the next run sends it\n/),
  });
  expect(await again()).toMatchObject({ code: 0 });
  expect(instructions('P-1')).toEqual(['R2', 'R1']);
});

test('without --items the decision is about the items that are still unknown, and leaves earlier decisions', {
  tags: 'long',
}, async () => {
  const { resolve, again, instructions } = await lostRun([P_1]);
  await resolve(...ofP1(), '--items', 'payment_instructions.0', '--as', 'done');
  expect(await resolve(...ofP1(), '--as', 'not-done')).toMatchObject({ code: 0 });
  expect(await again()).toMatchObject({ code: 0 });
  expect(instructions('P-1')).toEqual(['R2']);
});

test('--items that are not unknown, or without one record, are refused', async () => {
  const { resolve } = await lostRun([P_1]);
  for (const [of, items, message] of [
    [['--account', 'P-1'], 'statements.0', 'unknown are payment_instructions.0; payment_instructions.1'],
    [['--account', 'P-1'], 'payment_instructions.7', 'no item payment_instructions.7 at payment instruction'],
    [['--all'], 'payment_instructions.0', '--items needs one record'],
  ] as const) {
    expect(await resolve(...of, '--step', 'paymentInstruction', '--items', items, '--as', 'done')).toMatchObject(
      refused(message),
    );
  }
});

test('statements of one batch are answered one by one', { tags: 'long' }, async () => {
  const record = { ...account('S-1'), statements: ['X', 'Y', 'Z'].map((statement_id) => ({ statement_id })) };
  const { answered, resolve, again, statements } = await lostRun([record]);
  expect(await resolve('--from', answered(['done', '', 'not-done']))).toMatchObject({ code: 4 });
  expect(await again()).toMatchObject({ code: 4 });
  expect(statements('S-1')).toEqual(['Z']);
  expect((await resolve()).out).toMatch(/ statements\.1 /);
});

test('a row with the supplier or the place of another record is refused', async () => {
  const { answered, resolve, sheet } = await lostRun([withStatement('1'), withStatement('0001')]);
  const [header = '', one = '', other = ''] = readFileSync(sheet, 'utf8').trimEnd().split('\r\n');
  const input = at(`${runs}.jsonl`);
  const supplied = answered(['done'], (cells) => cells.with(2, 'OTHER'));
  expect(await resolve('--from', supplied)).toMatchObject(
    refused(
      `:2: the hash is that of account 1 at ${input}:1 with supplier ${SUPPLIER}, and the row has supplier OTHER. `,
    ),
  );
  // Only the row of 0001 is left, without its zeros and with the hash of 1.
  const last = (row: string) => row.split(';').at(-1) ?? '';
  const swapped = at('swapped.csv');
  const cells = other.split(';').with(0, '1').with(10, 'not-done').with(-1, last(one));
  writeFileSync(swapped, [header, cells.join(';'), ''].join('\r\n'));
  expect(await resolve('--from', swapped)).toMatchObject(
    refused(`:2: the hash is that of account 1 at ${input}:1, and the row has key 1 at ${input}:2. `),
  );
});
