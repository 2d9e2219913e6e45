/** Items that are new in the line of an account that exists, while it lacks sent ones, and those that a person has given up: none is there twice. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ownService } from '../../helpers/own-service.js';
import { account, ended, nameService, openFolder, run, valueIn, valuesOf } from '../typed.js';

const { at, inputFile } = openFolder();

let runs = 0;

type Kind = 'transactions' | 'statements' | 'payment_instructions' | 'notes';

/** An item: its identifier, and a number that its content has. */
const ITEMS: Record<Kind, (id: string, number: number) => object> = {
  transactions: (transaction_id, amount) => ({
    ...{ transaction_id, transaction_date: '2026-11-05', type: 'CHARGE', reason: 'IMPORTED_CHARGE', amount },
  }),
  statements: (statement_id, gross_amount) => ({ statement_id, gross_amount }),
  payment_instructions: (reference, number) => ({ vendor: `V-${number}`, reference, type: 'CARD' }),
  notes: (id, number) => ({ body: `${id} ${number}` }),
};

const KINDS: [Kind, string[]][] = [
  ['transactions', []],
  ['transactions', ['--no-check-previously-added']],
  ['statements', []],
  ['payment_instructions', []],
  ['notes', []],
];

/** A run of one account, and what the service has of it. */
async function openRun(kind: Kind = 'transactions', ...always: string[]) {
  const service = await ownService();
  nameService(service.url, 'T', 'EAST');
  const name = `given-up-${++runs}`;
  const path = inputFile(`${name}.jsonl`);
  const type = (command: string, ...args: string[]) => run(command, ...args, '--run', at(name));
  const lines = (records: object[], ...options: string[]) => {
    inputFile(`${name}.jsonl`, ...records);
    return type('run', path, ...always, ...options);
  };
  const list = kind === 'payment_instructions' ? 'paymentInstructions' : kind;
  return {
    type,
    path,
    lines,
    /** Runs the line with these items: `a1` has the identifier `a` and the number 1. */
    day: (items: string, ...options: string[]) =>
      lines([{ ...account('A-1'), [kind]: items.split(' ').map(itemOf(kind)) }], ...options),
    has: () => service.accounts.get('A-1')?.[list],
    of: (items: string) => items.split(' ').map(itemOf(kind)),
    requests: service.requests,
    read: (file: string) => readFileSync(`${at(name)}/${file}`, 'utf8'),
    summary: () => valueIn(`${at(name)}/report.json`).summary,
  };
}

const itemOf = (kind: Kind) => (text: string) => ITEMS[kind](text.slice(0, 1), Number(text.slice(1)));

describe.each(KINDS)('%s %j', { tags: 'long' }, (kind, always) => {
  test('with other identifiers and other content are not sent; after the sent ones are back, the new one is', async () => {
    const { day, has, of } = await openRun(kind, ...always);
    expect((await day('a1 b2')).code).toBe(0);
    for (const option of ['--add-to-existing', '--add-all-to-existing']) {
      const { code, out } = await day('x3 y4', option);
      expect([code, has()]).toMatchObject([3, of('a1 b2')]);
      expect(out).toContain('put the sent items back');
      expect(out).not.toMatch(/^Next .*run again with --add/m);
    }
    // An export of what is new since then.
    expect((await day('c5', '--add-to-existing')).code).toBe(3);
    expect(has()).toMatchObject(of('a1 b2'));
    expect((await day('a1 b2 c5', '--add-to-existing')).code).toBe(0);
    expect(has()).toMatchObject(of('a1 b2 c5'));
  });

  test('that are accepted as missing hold back those of that day only; what was given up holds back others', async () => {
    const { day, type, has, of } = await openRun(kind, ...always);
    await day('a1 b2');
    await day('a1 x3');
    expect((await type('resolve', '--accept', 'changed')).out).toContain('Accepted 1 changed line.');
    // `y` may be `x` again, which a person may have added.
    expect((await day('a1 y4', '--add-to-existing')).code).toBe(3);
    expect(has()).toMatchObject(of('a1 b2'));
    await day('a1 x3 d5', '--add-to-existing');
    expect(has()).toMatchObject(of('a1 b2 d5'));
    // A sent one that leaves the line later holds back as well.
    await day('x3 d5 e6', '--add-to-existing');
    expect(has()).toMatchObject(of('a1 b2 d5'));
    // Back, and missing once more: that was not accepted.
    await day('a1 b2 x3 d5');
    await day('a1 x3 d5 e6', '--add-to-existing');
    expect(has()).toMatchObject(of('a1 b2 d5'));
  });

  test('that were given up are never sent', async () => {
    const { day, type, has, of, summary, requests } = await openRun(kind, ...always);
    await day('a1');
    expect((await day('a1 b2')).code).toBe(3);
    await type('resolve', '--accept', 'changed');
    const before = requests.length;
    for (const options of [[], ['--add-to-existing'], ['--add-all-to-existing'], ['--retry-rejected']]) {
      const { code, out } = await day('a1 b2', ...options);
      expect([code, out]).toEqual([0, expect.stringContaining(': 1 sent + 1 not sent = 2\n')]);
      expect(out).toContain('Accepted with resolve: 1 changed line.');
    }
    expect(requests).toHaveLength(before);
    const [{ input, sent, notSent }] = Object.values(summary().items).filter(
      (one) => (one as { input: number }).input > 0,
    ) as [Record<string, number>];
    expect([input, sent, notSent]).toEqual([2, 1, 1]);
    expect((await day('b2 c3 a1', '--add-to-existing')).code).toBe(0);
    expect(has()).toMatchObject(of('a1 c3'));
    expect((await day('a1 c3')).code).toBe(0);
    expect(await day('a1 b2 c3', '--add-to-existing')).toMatchObject(ended(3, `${kind}, new and not sent (`));
    expect(has()).toMatchObject(of('a1 c3'));
  });
});

test.each<[what: string, kind: Kind, days: string[], sent: string]>([
  [
    'what was given up in the line of one day is not sent with another line, which the run reads at once',
    'statements',
    ['a1 = 0', 'a1 b2 = 3', 'accept', 'a1 b2 c3 add = 0'],
    'a1 c3',
  ],
  [
    'only what is new in the accepted line is given up, and not what an earlier one had',
    'transactions',
    ['a1 = 0', 'a1 b2 = 3', 'a1 c3 = 3', 'accept', 'a1 b2 c3 add = 0'],
    'a1 b2',
  ],
  [
    'a sent item that is restored after it was accepted as missing holds back others when it is missing again',
    'transactions',
    ['a1 b2 = 0', 'a1 = 3', 'accept', 'a1 b2 = 0', 'a1 c3 add = 3'],
    'a1 b2',
  ],
  [
    'a new item is sent if all that is missing was accepted as missing; under another identifier, or with its own, it is the missing one',
    'transactions',
    ['a1 b2 = 0', 'a1 = 3', 'accept', 'a1 c3 add = 3', 'a1 c3 d2 add = 3', 'a1 c3 b4 add = 3'],
    'a1 b2 c3',
  ],
  [
    'a payment instruction that differs from an accepted one in its reference only is a new one',
    'payment_instructions',
    ['a1 b2 = 0', 'a1 = 3', 'accept', 'a1 c2 add = 3'],
    'a1 b2 c2',
  ],
  [
    'a sent transaction is not sent again under the next identifier, if they count the rows',
    'transactions',
    ['a1 b2 = 0', 'a9 b1 c2 add = 3'],
    'a1 b2',
  ],
  [
    'a sent statement is not sent again under the next identifier, if they count the rows',
    'statements',
    ['a1 b2 = 0', 'a9 b1 c2 add = 3'],
    'a1 b2',
  ],
])('%s', async (_, kind, days, sent) => {
  const { day, type, has, of } = await openRun(kind);
  for (const words of days) {
    const [items = '', code] = words.split(' = ');
    if (items === 'accept') await type('resolve', '--accept', 'changed');
    else if (items.endsWith(' add'))
      expect([words, (await day(items.slice(0, -4), '--add-to-existing')).code]).toEqual([words, Number(code)]);
    else expect([words, (await day(items)).code]).toEqual([words, Number(code)]);
  }
  expect(has()).toMatchObject(of(sent));
});

test('an item that was given up and leaves the line is not named as sent; a field of another one that changes is the only one named', async () => {
  const { day, type, read } = await openRun();
  const changes = () => valuesOf(read('changed.jsonl'))[0];
  await day('a1');
  await day('a1 b2');
  await type('resolve', '--accept', 'changed');
  expect((await day('a1')).code).toBe(0);
  await day('a1 b2 c3', '--add-to-existing');
  await type('resolve', '--accept', 'changed');
  const paths = ['transactions.*.amount'];
  await day('a4 b2 c3');
  expect(changes()).toMatchObject({ paths, added: [], removed: [] });
  await day('a4 c3');
  expect(changes()).toMatchObject({ paths, added: [], removed: [] });
});

test('a transaction that was given up, in a line of which a note was sent, is no field that changed', async () => {
  const { lines, type, of, read } = await openRun();
  await lines([{ ...account('A-1'), transactions: of('a1 b2') }]);
  const later = { transactions: of('a1 x3'), notes: [{ body: 'new' }] };
  await lines([{ ...account('A-1'), ...later }], '--add-to-existing');
  await type('resolve', '--accept', 'changed');
  await lines([{ ...account('A-1', { sales_channel: 'WEB' }), ...later }]);
  expect(JSON.parse(read('changed.jsonl'))).toMatchObject({
    ...{ paths: ['account.sales_channel'], added: [], removed: ['transactions'] },
  });
});

test('an item with the identifier of one that was given up is another version of it', async () => {
  const { day, type, has, of } = await openRun('statements');
  await day('a1');
  await day('a1 b2');
  await type('resolve', '--accept', 'changed');
  for (const option of ['--add-to-existing', '--add-all-to-existing']) {
    expect((await day('a1 b3', option)).code).toBe(3);
    expect((await day('a1 b2 b3', option)).code).toBe(3);
  }
  expect(has()).toMatchObject(of('a1'));
});

test('accepting a line gives up no items of an account that existed before, which the report still names', async () => {
  const service = await ownService({ existing: ['A-1'] });
  nameService(service.url, 'T', 'EAST');
  const folder = at('existed');
  const note = (body: string) => ({ body });
  const day = (notes: object[], ...options: string[]) =>
    run('run', inputFile('existed.jsonl', { ...account('A-1'), notes }), '--run', folder, ...options);
  expect((await day([note('a')])).code).toBe(3);
  expect((await day([note('a'), note('b')])).code).toBe(3);
  await run('resolve', '--accept', 'changed', '--run', folder);
  expect(await day([note('a'), note('b')])).toMatchObject(ended(3, 'Next (1 with items that were not sent)'));
  await day([note('a'), note('b')], '--add-to-existing');
  expect(service.accounts.get('A-1')?.notes).toMatchObject([{ body: 'a' }]);
});

test('amounts that the service has and the input has no more are named, also after they were accepted', async () => {
  const { lines, type, read, summary } = await openRun();
  const charges = (number: string, transactions: string[], statement: number) => ({
    ...account(number),
    transactions: transactions.map(itemOf('transactions')),
    statements: [ITEMS.statements('s', statement)],
  });
  const first = await lines([charges('A-1', ['a10', 'b12'], 100), charges('A-2', ['a14'], 103), account('A-3')]);
  expect(first.out).toContain('Amounts: input and service agree: 36.00 CHARGE, 203.00 statements\n');
  const LEFT = `Amounts, CHARGE: 12.00 confirmed (1) = 12.00 (1); 24.00 on the service, no longer in the input (2)
Amounts, statements: 100.00 confirmed (1) = 100.00 (1); 103.00 on the service, no longer in the input (1)
`;
  const rest = [charges('A-1', ['b12'], 100), account('A-3')];
  for (const code of [3, 0]) {
    const { out, code: ended } = await lines(rest);
    expect([ended, out]).toEqual([code, expect.stringContaining(LEFT)]);
    expect(out).not.toContain('input and service agree');
    expect(summary().amounts).toMatchObject({
      isExplained: true,
      types: [
        { type: 'CHARGE', input: { count: 1, sum: '12' }, notInInput: { count: 2, sum: '24' } },
        { type: 'STATEMENT', input: { count: 1, sum: '100' }, notInInput: { count: 1, sum: '103' } },
      ],
    });
    const page = read('report.html');
    expect(page).toContain('<td data-name="on the service, no longer in the input" class="n">24.00 (2)</td>');
    await type('resolve', '--accept', 'changed');
    await type('resolve', '--accept', 'removed');
  }
  const { out: extract } = await type('verify', '--extract-sample');
  expect(extract).toContain(';CHARGE;2;22');
  expect(extract).toContain(';CHARGE;1;14');
  // What is in the input again is in no other number.
  expect(
    await lines([charges('A-1', ['a10', 'b12'], 100), charges('A-2', ['a14'], 103), account('A-3')]),
  ).toMatchObject(ended(0, 'Amounts: input and service agree: 36.00 CHARGE, 203.00 statements\n'));
});
