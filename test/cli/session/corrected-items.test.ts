/** Items of an account that exists, whose line was corrected or reordered in the input: sent items are never sent again. */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type OwnServiceOptions, ownService } from '../../helpers/own-service.js';
import { shortAndLong } from '../../helpers/short-and-long.js';
import { account, ended, nameService, openFolder, run, valueIn, valuesIn } from '../typed.js';

const { at, inputFile } = openFolder();

let runs = 0;

/** A service whose address the commands get from the environment, a run folder and an input file. */
async function openRun(options: OwnServiceOptions = {}) {
  const service = await ownService(options);
  nameService(service.url, 'T', 'EAST');
  const name = `corrected-${++runs}`;
  const path = inputFile(`${name}.jsonl`, account('A-0'));
  const type = (command: string, ...args: string[]) => run(command, ...args, '--run', at(name));
  return {
    ...service,
    path,
    type,
    /** Runs the line, with options. */
    line: (items: object, ...options: string[]) => {
      inputFile(`${name}.jsonl`, { ...account('A-1'), ...items });
      return type('run', path, ...options);
    },
    file: (of: string) => `${at(name)}/${of}`,
    summary: () => valueIn(`${at(name)}/report.json`).summary,
    has: () => service.accounts.get('A-1'),
  };
}

const REFUSED = { detail: 'x', code: 'payment_vendor_failure', errors: [] };
const card = (reference: string, more: object = {}) => ({ vendor: 'V', reference, type: 'CARD', ...more });
const statement = (statement_id: string, gross_amount = 10) => ({ statement_id, gross_amount });
const charge = (transaction_id: string, transaction_date: string) => ({
  ...{ type: 'CHARGE', transaction_id, transaction_date, amount: 5, reason: 'IMPORTED_CHARGE' },
});
const note = (body: string) => ({ body });
const referencesOf = (list: readonly Record<string, unknown>[] = []) => list.map(({ reference }) => reference);
const idsOf = (list: readonly Record<string, unknown>[] = []) => list.map(({ statement_id }) => statement_id);

/** The options of the printed command that sends the items. */
function printedOptions(out: string): string[] {
  const [, options = ''] = /run again with (--[a-z-]+)/.exec(out) ?? [];
  return options === '' ? [] : [options];
}

describe('an item that was sent, with other content under its identifier', () => {
  test.each([
    [{ type: 'CREDIT' }, ['transactions.*.type']],
    [{ transaction_date: '2026-11-12' }, ['transactions.*.transaction_date']],
    [{ reason: 'ACCOUNT_CHARGE', amount: 6 }, ['transactions.*.amount', 'transactions.*.reason']],
    [{ display_note: 'new' }, ['transactions.*.display_note']],
    [{ reason: undefined }, ['transactions.*.reason']],
  ])('a transaction with %j is not sent: it is named until it is accepted', { tags: 'long' }, async (change, paths) => {
    const { line, has, file, type, requests } = await openRun();
    const first = charge('T-1', '2026-11-10');
    expect((await line({ transactions: [first] })).code).toBe(0);
    const items = { transactions: [{ ...first, ...change }, charge('T-2', '2026-11-12')] };
    const added = await line(items, '--add-to-existing');
    expect(added.code).toBe(3);
    expect(added.out).toContain('transactions: 1 sent + 1 not sent = 2\n');
    expect(added.out).not.toContain('run again with --add-to-existing');
    for (const path of paths) expect(added.out).toMatch(new RegExp(`^ +1  ${path.replace('*', '.')} \\(`, 'm'));
    expect(valuesIn(file('changed.jsonl'))).toMatchObject([{ number: 'A-1', paths, added: [], removed: [] }]);
    const sent = requests.length;
    // The same again, and without the option: nothing is forgotten.
    for (const options of [['--add-to-existing'], []]) {
      expect((await line(items, ...options)).code).toBe(3);
      expect(valuesIn(file('changed.jsonl'))).toMatchObject([{ paths, added: [], removed: [] }]);
    }
    expect((await type('resolve', '--accept', 'changed')).code).toBe(0);
    expect((await line(items, '--add-to-existing')).code).toBe(0);
    expect((await line(items)).code).toBe(0);
    expect(requests).toHaveLength(sent);
    expect(has()?.transactions).toEqual([first, charge('T-2', '2026-11-12')]);
    // What exists is in the line again.
    expect(await line({ transactions: [first, charge('T-2', '2026-11-12')] })).toMatchObject(
      ended(0, 'transactions: 2 sent = 2\n'),
    );
    expect(requests).toHaveLength(sent);
  });

  test('a single payment instruction that is taken out is no changed field of the record', async () => {
    const { line, file } = await openRun();
    expect((await line({ payment_instruction: card('R-1') })).code).toBe(0);
    expect((await line({ payment_instructions: [] })).code).toBe(3);
    expect(valuesIn(file('changed.jsonl'))).toMatchObject([
      { paths: [], added: [], removed: ['payment_instructions'] },
    ]);
  });

  test('a statement and a payment instruction, too; a field of the account stays named when items are added', {
    tags: 'long',
  }, async () => {
    const { line, has, file } = await openRun();
    await line({ statements: [statement('S-1')], payment_instructions: [card('R-1')] });
    const { import_supplier, external_account_number } = account('A-1').account;
    const { code, out } = await line(
      {
        account: { import_supplier, external_account_number, sales_channel: 'WEB' },
        statements: [statement('S-1', 11), statement('S-2', 12)],
        payment_instructions: [card('R-1', { vendor: 'W' })],
        notes: [note('new')],
      },
      '--add-to-existing',
    );
    expect(code).toBe(3);
    expect(valuesIn(file('changed.jsonl'))).toMatchObject([
      {
        paths: ['account.sales_channel', 'payment_instructions.*.vendor', 'statements.*.gross_amount'],
        ...{ added: [], removed: [] },
      },
    ]);
    expect(out).toMatch(/^ +1 {2}account\.sales_channel \(/m);
    expect(has()).toMatchObject({
      statements: [statement('S-1'), statement('S-2', 12)],
      paymentInstructions: [card('R-1')],
    });
    expect(has()?.notes).toHaveLength(1);
  });

  test('without an identifier, as a note: none of the new ones is sent while the line lacks the former one', {
    tags: 'long',
  }, async () => {
    const { line, has, file } = await openRun();
    const { transaction_id: _, ...unnamed } = charge('', '2026-11-10');
    await line({ notes: [note('old')], transactions: [unnamed] });
    const changed = { notes: [note('new')], transactions: [{ ...unnamed, amount: 6 }] };
    expect(await line(changed)).toMatchObject(ended(3, 'notes, new and not sent ('));
    expect((await line(changed, '--add-to-existing')).code).toBe(3);
    expect(valuesIn(file('changed.jsonl'))).toMatchObject([
      { paths: [], added: ['transactions', 'notes'], removed: ['transactions', 'notes'] },
    ]);
    expect(has()?.notes).toHaveLength(1);
    expect(has()?.transactions).toHaveLength(1);
  });

  test('new items are named as new; after they are sent nothing differs', async () => {
    const { line, file } = await openRun();
    await line({ transactions: [charge('T-1', '2026-11-10')] });
    const more = { transactions: [charge('T-1', '2026-11-10'), charge('T-2', '2026-11-12')] };
    const { code, out } = await line(more);
    expect([code, printedOptions(out)]).toEqual([3, ['--add-to-existing']]);
    expect(out).toMatch(/^ +1 {2}transactions, new and not sent \(/m);
    expect(out).not.toContain('transactions.*');
    expect(valuesIn(file('changed.jsonl'))).toMatchObject([{ paths: [], added: ['transactions'], removed: [] }]);
    expect((await line(more, '--add-to-existing')).code).toBe(0);
    expect(valuesIn(file('changed.jsonl'))).toEqual([]);
  });
});

describe('refused items that are corrected in the input', () => {
  test('retry does not send a corrected line that is of another customer', async () => {
    const { line, type, has } = await openRun({ refuses: (payload) => JSON.stringify(payload).includes('BAD') });
    const of = (given_name: string, date_of_birth: string, id: string) => ({
      ...account('A-1', { customers: [{ given_name, family_name: 'Exemple', date_of_birth }] }),
      statements: [statement('S-1'), statement(id)],
    });
    await line(of('Alix', '1983-07-04', 'BAD'), '--statements-at-once', '1');
    expect((await type('retry', inputFile('of-another.jsonl', of('Chloe', '1990-02-01', 'S-2')))).code).toBe(3);
    expect(idsOf(has()?.statements)).toEqual(['S-1']);
    expect((await type('retry', inputFile('of-same.jsonl', of('Alix', '1983-07-04', 'S-2')))).code).toBe(0);
    expect(idsOf(has()?.statements)).toEqual(['S-1', 'S-2']);
  });

  test('Next says that they are sent before the line is accepted; after that nothing is left', async () => {
    const { line } = await openRun({ refuses: (payload) => JSON.stringify(payload).includes('BAD') });
    await line({ statements: [statement('S-1'), statement('BAD')] }, '--statements-at-once', '1');
    const corrected = { statements: [statement('S-1'), statement('S-2')] };
    const { out } = await line(corrected);
    expect(out).toMatch(/with items that were not sent\): if the accounts are yours, run again with --add-to-existing/);
    expect(out).toMatch(
      /changed after they were sent\): first send the items that were not sent, as said above: accepting a line gives them up\./,
    );
    const added = await line(corrected, '--add-to-existing');
    expect([added.code, added.out]).toEqual([0, expect.not.stringMatching(/^Next/m)]);
    const changed = await line({ statements: [statement('S-1', 9), statement('S-2')] });
    expect(changed.out).toContain('changed after they were sent): an import can add');
  });

  test('a payment instruction, while a transaction of the line changed too, is sent by the printed command', {
    tags: 'long',
  }, async () => {
    const { line, refuse, has, type, path, file, requests } = await openRun();
    refuse('payment-instruction', REFUSED);
    const first = { payment_instructions: [card('wrong'), card('ok')], transactions: [charge('T-1', '2026-11-10')] };
    expect((await line(first)).code).toBe(3);
    const corrected = {
      payment_instructions: [card('right'), card('ok')],
      transactions: [charge('T-1', '2026-11-11')],
    };
    const { code, out } = await line(corrected);
    expect([code, printedOptions(out)]).toEqual([3, ['--add-to-existing']]);
    expect((await line(corrected, ...printedOptions(out))).out).toContain('payment instructions: 2 sent = 2\n');
    expect(referencesOf(has()?.paymentInstructions)).toEqual(['ok', 'right']);
    // Nothing sends them again.
    const before = requests.length;
    await type('run', path, '--retry-rejected');
    await type('retry', path);
    await type('retry', file('incomplete.jsonl'));
    await type('run', path, '--add-all-to-existing');
    expect(requests).toHaveLength(before);
  });

  test('statements of a refused request are sent by the printed command, and by --retry-rejected', {
    tags: 'long',
  }, async () => {
    for (const option of [undefined, '--retry-rejected']) {
      const { line, refuse, has } = await openRun();
      refuse('historical-statements', { detail: 'x', code: 'invalid', errors: [] });
      await line({ statements: [statement('S-1', 1), statement('S-2')] });
      const corrected = { statements: [statement('S-1', 100), statement('S-2')] };
      const options = option === undefined ? printedOptions((await line(corrected)).out) : [option];
      expect(await line(corrected, ...options)).toMatchObject(ended(0, 'statements: 2 sent = 2\n'));
      expect(has()?.statements).toEqual(corrected.statements);
    }
  });

  test('a statement that was sent keeps its place when its content changes, and the corrected one of the others is sent', async () => {
    const { line, refuse, has, summary } = await openRun();
    refuse('historical-statements', { detail: 'x', code: 'invalid', errors: [] });
    await line({ statements: [statement('S-1', 1), statement('S-2')] }, '--statements-at-once', '1');
    expect(idsOf(has()?.statements)).toEqual(['S-2']);
    const corrected = { statements: [statement('S-1', 100), statement('S-2', 11)] };
    expect((await line(corrected, '--add-to-existing')).code).toBe(3);
    expect(has()?.statements).toEqual([statement('S-2'), statement('S-1', 100)]);
    expect(summary().items.statements).toMatchObject({ input: 2, sent: 1, notSent: 1 });
  });

  test.each(['', '--add-to-existing', '--retry-rejected'])(
    'that are taken out of the line are given up: code 0, %s',
    async (option) => {
      const { line, refuse, has, summary, requests } = await openRun();
      refuse('payment-instruction', REFUSED);
      await line({ payment_instructions: [card('wrong'), card('ok')], notes: [note('n')] });
      const before = requests.length;
      const { code, out } = await line(
        { payment_instructions: [card('ok')], notes: [note('n')] },
        ...(option === '' ? [] : [option]),
      );
      expect([code, requests.length - before]).toEqual([0, 0]);
      expect(out).not.toMatch(/not sent|^Next/m);
      expect(summary().items.paymentInstructions).toMatchObject({ input: 1, sent: 1, rejected: 0, notSent: 0 });
      expect(summary().incomplete).toBe(0);
      expect(has()?.paymentInstructions).toHaveLength(1);
    },
  );

  test.each([
    ['statements', { statements: [statement('BAD'), statement('S-2')] }, [{ attr: 'statements.0.gross_amount' }]],
    ['statements', { statements: [statement('BAD'), statement('S-2')] }, []],
    ['notes', { notes: [note('one'), note('BAD'), note('two')] }, []],
    ['transactions', { transactions: [charge('BAD', '2026-11-10'), charge('T-2', '2026-11-10')] }, []],
  ] as const)(
    '%s: the others of a refused request are sent when the refused one is taken out',
    async (kind, items, named) => {
      const { line, has } = await openRun({
        refuses: (payload) => JSON.stringify(payload).includes('BAD'),
        errors: named.map((error) => ({ code: 'invalid', detail: 'x', ...error })),
      });
      expect((await line(items)).code).toBe(3);
      const rest = Object.values<readonly object[]>(items)
        .flat()
        .filter((item) => !JSON.stringify(item).includes('BAD'));
      const { code, out } = await line({ [kind]: rest });
      expect([code, out]).toEqual([0, expect.not.stringMatching(/^Next|incomplete|edited/m)]);
      expect(has()?.[kind]).toHaveLength(rest.length);
      expect((await line({ [kind]: rest })).code).toBe(0);
    },
  );

  test('of two items that the refusal named, one is taken out: the other one stays refused, and the rest is sent without it', async () => {
    const { line, has, summary } = await openRun({
      refuses: (payload) => JSON.stringify(payload).includes('BAD'),
      errors: [0, 1].map((at) => ({ code: 'invalid', detail: 'x', attr: `statements.${at}.gross_amount` })),
    });
    await line({ statements: [statement('BAD1'), statement('BAD2'), statement('S-3')] });
    const { code } = await line({ statements: [statement('BAD2'), statement('S-3')] });
    expect([code, idsOf(has()?.statements)]).toEqual([3, ['S-3']]);
    expect(summary().items.statements).toMatchObject({ input: 2, sent: 1, rejected: 1 });
  });

  test('a payment instruction that was refused on its own is not sent when another one is taken out', async () => {
    const { line, has } = await openRun({ refuses: (payload) => JSON.stringify(payload).includes('BAD') });
    await line({ payment_instructions: [card('BAD1'), card('BAD2'), card('R-3')] });
    const { code } = await line({ payment_instructions: [card('BAD2'), card('R-3')] });
    expect([code, referencesOf(has()?.paymentInstructions)]).toEqual([3, ['R-3']]);
  });

  test.each([
    ['payment_instructions', [card('X1'), card('BAD2')]],
    ['statements', [statement('X1'), statement('BAD2')]],
    ['transactions', [charge('X1', '2026-11-10'), charge('BAD2', '2026-11-10')]],
    ['notes', [note('X1'), note('BAD2')]],
  ] as const)(
    '%s: all are taken out: the refused one is given up, and code 0 after the others are accepted',
    {
      tags: 'long',
    },
    async (kind, items) => {
      const { line, type, file, requests } = await openRun({
        refuses: (payload) => JSON.stringify(payload).includes('BAD'),
      });
      const options = ['--statements-at-once', '1', '--notes-at-once', '1', '--set-aside'];
      expect((await line({ [kind]: items }, ...options)).code).toBe(3);
      const sent = requests.length;
      const { code, out } = await line({}, ...options);
      expect([code, out]).toEqual([3, expect.not.stringContaining('incomplete')]);
      expect(readFileSync(file('incomplete.jsonl'), 'utf8')).toBe('');
      expect(valuesIn(file('changed.jsonl'))).toMatchObject([{ paths: [], added: [] }]);
      expect((await line({}, ...options)).code).toBe(3);
      expect((await type('resolve', '--accept', 'changed')).code).toBe(0);
      for (const option of [[], ['--retry-rejected'], ['--add-to-existing'], ['--add-all-to-existing']]) {
        expect((await line({}, ...options, ...option)).code).toBe(0);
      }
      // What exists is in the line again.
      expect((await line({ [kind]: items.slice(0, 1) }, ...options)).code).toBe(0);
      expect(requests).toHaveLength(sent);
    },
  );

  test('in incomplete.jsonl, in another order: retry sends the corrected one', async () => {
    const { line, refuse, type, has } = await openRun();
    refuse('payment-instruction', REFUSED);
    await line({ payment_instructions: [card('wrong'), card('ok'), card('other')] });
    const path = inputFile('retry-corrected.jsonl', {
      ...account('A-1'),
      payment_instructions: [card('other'), card('right'), card('ok')],
    });
    expect((await type('retry', path)).code).toBe(0);
    expect(referencesOf(has()?.paymentInstructions)).toEqual(['ok', 'other', 'right']);
  });
});

test('after a retry, the line counts as restored if it is the old line or has the imported content, whatever it was between', {
  tags: 'long',
}, async () => {
  const { type, file, path, requests } = await openRun();
  const withMobile = (mobile: string, more: object = {}) => ({
    account: { ...account('A-1').account, customers: [{ mobile, ...more }] },
  });
  const lines = {
    old: withMobile('no number'),
    imported: withMobile('+33612345678'),
    other: withMobile('+33612345678', { family_name: 'Noor' }),
  };
  const endOf = async (name: keyof typeof lines | 'none') => {
    inputFile(basename(path), account('A-0'), ...(name === 'none' ? [] : [lines[name]]));
    const { code } = await type('run', path);
    return [name, code, valuesIn(file('changed.jsonl')).map(({ paths }) => paths)];
  };
  expect(await endOf('old')).toEqual(['old', 3, []]);
  expect((await type('retry', inputFile('retried-line.jsonl', lines.imported))).code).toBe(0);
  const sent = requests.length;
  const differs = [['account.customers.*.family_name']];
  for (const [name, code, entries] of [
    ['old', 0, []],
    ['other', 3, differs],
    ['old', 0, []],
    ['other', 3, differs],
    ['imported', 0, []],
    ['other', 3, differs],
    ['imported', 0, []],
    ['none', 3, []],
    ['old', 0, []],
    ['other', 3, differs],
    ['none', 3, []],
    ['imported', 0, []],
  ] as const) {
    expect(await endOf(name)).toEqual([name, code, entries]);
  }
  expect(requests).toHaveLength(sent);
});

describe('the same items in another order', () => {
  const items = {
    payment_instructions: [card('R-1'), card('R-2')],
    statements: [statement('S-1'), statement('S-2')],
    transactions: [charge('T-1', '2026-11-10'), charge('T-2', '2026-11-10')],
    notes: [note('one'), note('two'), note('one')],
  };
  const turned = Object.fromEntries(Object.entries(items).map(([name, list]) => [name, [...list].reverse()]));

  for (const [rows, options] of shortAndLong<[string[]]>(
    [[['--add-all-to-existing']]],
    [[[]], [['--add-to-existing']], [['--retry-rejected']]],
  ))
    test.each(rows)('are the same line: code 0, no request, with %j', options, async (flags) => {
      const { line, requests, summary } = await openRun();
      expect((await line(items)).code).toBe(0);
      const before = requests.length;
      const { code, out } = await line(turned, ...flags);
      expect([code, requests.length - before]).toEqual([0, 0]);
      expect(out).not.toMatch(/differs|not sent|^Next/m);
      expect(out).toContain('input and service agree: 10.00 CHARGE, 20.00 statements');
      expect(summary()).toMatchObject({ incomplete: 0, changed: { count: 0 } });
    });

  test('with one more, only that one is sent', async () => {
    const { line, has } = await openRun();
    await line({ statements: items.statements });
    const { code } = await line({ statements: [statement('S-3'), ...items.statements].reverse() }, '--add-to-existing');
    expect([code, idsOf(has()?.statements)]).toEqual([0, ['S-1', 'S-2', 'S-3']]);
  });

  test('a refused one keeps its reason at its new place, and is sent from there', { tags: 'long' }, async () => {
    const { line, refuse, has, file } = await openRun();
    refuse('payment-instruction', REFUSED);
    await line({ payment_instructions: [card('late'), card('ok')] });
    expect((await line({ payment_instructions: [card('ok'), card('late')] })).code).toBe(3);
    expect(valueIn(file('incomplete.jsonl'))).toMatchObject({
      errors: [{ code: 'payment_vendor_failure', attr: 'payment_instructions.1' }],
    });
    const { code } = await line({ payment_instructions: [card('ok'), card('late')] }, '--retry-rejected');
    expect([code, referencesOf(has()?.paymentInstructions)]).toEqual([0, ['ok', 'late']]);
  });
});

test('a SUPPLY_CHARGE without an amount has that of the answer, in the totals and for the extract', async () => {
  const supply = (transaction_id: string) => ({
    ...{ type: 'SUPPLY_CHARGE', transaction_id, transaction_date: '2026-11-10', product_code: 'P' },
    line_items: [{ rate_band: 'BASE', number_of_units: 10, price_per_unit: 2 }],
  });
  const answer = (path: string, body: unknown) => {
    if (path !== 'transactions') return body;
    const { results } = body as { results: { transaction_data: object }[] };
    return {
      results: results.map((one) => ({ ...one, transaction_data: { ...one.transaction_data, amount: '20.00' } })),
    };
  };
  const { line, type } = await openRun({ answer });
  const { code, out } = await line({ transactions: [supply('T-1'), supply('T-2')] });
  expect(code).toBe(0);
  expect(out).toContain(
    'Amounts, SUPPLY_CHARGE: 40.00 confirmed (2) + -40.00 computed by the service (2) = 0.00 (2)\n',
  );
  expect(out).not.toContain('another amount');
  const extract = at('extract.csv');
  writeFileSync(extract, 'external_account_number,type,count,amount\nA-1,SUPPLY_CHARGE,2,40.00\n');
  expect(await type('verify', '--extract', extract)).toMatchObject({ code: 0 });
});

describe('an item with the identifier of another one of the line', () => {
  const kinds = {
    payment_instructions: (id: string) => card(id),
    statements: statement,
    transactions: (id: string, amount: number) => ({ ...charge(id, '2026-11-10'), amount }),
  };
  type Kind = keyof typeof kinds;
  const linesOf = (kind: Kind, ids: readonly string[]) => ({ [kind]: ids.map((id, index) => kinds[kind](id, index)) });
  const AT_ONCE = ['--statements-at-once', '1', '--set-aside'];

  test.each([
    ['payment_instructions', ['X1', 'X1', 'X3'], ['X1', 'X3'], 'duplicate_payment_instruction'],
    ['payment_instructions', ['X1', 'X9', 'X9'], ['X1', 'X9'], 'duplicate_payment_instruction'],
    ['statements', ['X1', 'X1', 'X3'], ['X1', 'X3'], 'duplicate_statement'],
    ['statements', ['X1', 'X9', 'X9'], ['X1', 'X9'], 'duplicate_statement'],
    ['transactions', ['X1', 'X1', 'X3'], ['X1', 'X3'], 'contradicting_transaction'],
    ['transactions', ['X1', 'X9', 'X9'], ['X1', 'X9'], 'contradicting_transaction'],
  ] as const)(
    '%s corrected to %j: no command sends one twice; code 0 without it',
    {
      tags: 'long',
    },
    async (kind, corrected, expected, code) => {
      const { line, has, type, file } = await openRun({
        refuses: (payload) => JSON.stringify(payload).includes('BAD'),
      });
      const sent = () =>
        has()?.[kind === 'payment_instructions' ? 'paymentInstructions' : kind].map(
          ({ reference, statement_id, transaction_id }) =>
            kind === 'transactions' ? transaction_id : (statement_id ?? reference),
        );
      expect((await line(linesOf(kind, ['X1', 'BAD2', 'BAD3']), ...AT_ONCE)).code).toBe(3);
      const { out } = await line(linesOf(kind, corrected), ...AT_ONCE);
      const added = await line(linesOf(kind, corrected), ...AT_ONCE, ...printedOptions(out));
      expect([added.code, sent()]).toEqual([3, expected]);
      expect(added.out).toContain(` ${code} at ${kind}`);
      expect(added.out).toContain('Next (1 with rejected items): correct the items in incomplete.jsonl');
      for (const option of ['--retry-rejected', '--add-to-existing', '--add-all-to-existing']) {
        expect((await line(linesOf(kind, corrected), ...AT_ONCE, option)).code).toBe(3);
      }
      expect((await type('retry', file('incomplete.jsonl'))).code).toBe(3);
      expect(sent()).toEqual(expected);
      // The other of each two is kept.
      const { [kind]: items } = linesOf(kind, corrected);
      const kept = items?.filter((_, index) => corrected.indexOf(corrected[index] as 'X1') === index);
      expect((await line({ [kind]: kept }, ...AT_ONCE)).code).toBe(0);
      expect(sent()).toEqual(expected);
    },
  );

  test('before the one that was sent: it is held back', async () => {
    const { line, has } = await openRun({ refuses: (payload) => JSON.stringify(payload).includes('BAD') });
    const [first, second] = [statement('X1', 1), statement('X1', 2)];
    await line({ statements: [statement('BAD'), first] }, ...AT_ONCE);
    expect((await line({ statements: [second, first] }, ...AT_ONCE, '--add-to-existing')).code).toBe(3);
    expect(has()?.statements).toEqual([first]);
  });

  test('with another vendor, it is another payment instruction', async () => {
    const { line, has } = await openRun();
    const { code } = await line({ payment_instructions: [card('R-1'), card('R-1', { vendor: 'W' })] });
    expect([code, has()?.paymentInstructions.length]).toEqual([0, 2]);
  });

  test('as a statement of a new record, it is an error of check, and run does not create the account', async () => {
    const { line, has, path } = await openRun();
    expect(await line({ statements: [statement('S-1', 1), statement('S-1', 2)] })).toMatchObject(
      ended(3, 'check duplicate_statement at statements.*.statement_id'),
    );
    expect(has()).toBeUndefined();
    expect((await run('check', path)).code).toBe(3);
  });
});

describe('two equal payments without an identifier, of which the service has one', () => {
  const paid = { type: 'PAYMENT', transaction_date: '2026-11-10', amount: 10, reference: 'CASH' };

  test('the second is rejected, and no amount counts as imported twice', async () => {
    const { line, type, file } = await openRun();
    const { code, out } = await line({ transactions: [paid, paid] });
    expect(code).toBe(3);
    expect(out).toContain('transactions: 1 sent + 1 rejected = 2\n');
    expect(out).toContain('Amounts, PAYMENT: 10.00 confirmed (1) + 10.00 rejected (1) = 20.00 (2)\n');
    expect(out).toContain('1  transactions duplicate_transaction at transactions.*\n');
    expect(out).toContain('Next (1 with rejected items): correct the items in incomplete.jsonl');
    expect((await type('verify', '--extract-sample')).out).toMatch(/;PAYMENT;1;10\s*$/);
    // As it is, the service skips it again.
    expect((await type('retry', file('incomplete.jsonl'))).code).toBe(3);
    expect((await line({ transactions: [paid, paid] }, '--retry-rejected')).code).toBe(3);
  });

  test.each([
    ['gets an identifier', { ...paid, transaction_id: 'T-2' }, 2],
    ['is removed', undefined, 1],
  ] as const)('which then %s: code 0, and the service has %j', async (_, second, count) => {
    const { line, has } = await openRun();
    await line({ transactions: [paid, paid] });
    const items = { transactions: second === undefined ? [paid] : [paid, second] };
    await line(items, '--add-to-existing');
    expect([(await line(items)).code, has()?.transactions]).toEqual([0, items.transactions]);
    expect(has()?.transactions).toHaveLength(count);
  });
});
