/** Control totals, as typed: the amounts of the input, those that the service confirmed, and the reasons of their difference. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { exitCodeOfSession } from '../../../src/migration/report/exit-code.js';
import type { Summary } from '../../../src/migration/report/summary/summary.js';
import { type OwnServiceOptions, ownService } from '../../helpers/own-service.js';
import { account, ended, nameService, openFolder, run, valueIn } from '../typed.js';

const { at, inputFile } = openFolder();

let runs = 0;

/** A service whose address the commands get from the environment, and a new run folder. */
async function openService(options: OwnServiceOptions = {}) {
  const service = await ownService(options);
  nameService(service.url, 'T', 'EAST');
  const folder = at(`run-${++runs}`);
  return {
    ...service,
    type: (command: string, ...args: string[]) => run(command, ...args, '--run', folder),
    path: (name: string) => `${folder}/${name}`,
    read: (name: string) => readFileSync(`${folder}/${name}`, 'utf8'),
    amounts: () => valueIn(`${folder}/report.json`).summary.amounts,
  };
}

const charge = (transaction_id: string, amount?: number | string) => ({ transaction_id, type: 'CHARGE', amount });
const payment = (transaction_id: string, amount: number) => ({ transaction_id, type: 'PAYMENT', amount });
const with_ = (number: string, items: Record<string, unknown>) => ({ ...account(number), ...items });

type Results = { results: { status: string; transaction_data: Record<string, unknown> }[] };

/** Answers the transaction with other data, or another status, than it was added with. */
function answering(transaction_id: string, data: Record<string, unknown>, status?: string) {
  return (path: string, body: unknown) => {
    if (path !== 'transactions') return body;
    const results = (body as Results).results.map((one) =>
      one.transaction_data['transaction_id'] === transaction_id
        ? { status: status ?? one.status, transaction_data: { ...one.transaction_data, ...data } }
        : one,
    );
    return { results };
  };
}

const sum = (count: number, text: string) => ({ count, sum: text });
const nothing = sum(0, '0');

/** Answers each transaction that exists with the amount that was sent now, as the API specification allows. */
const echoingSent = (path: string, body: unknown, payload: Record<string, unknown>) => {
  if (path !== 'transactions') return body;
  const sent = payload['transactions'] as Record<string, unknown>[];
  const results = (body as Results).results.map(({ status }, index) => ({ status, transaction_data: sent[index] }));
  return { results };
};

test('transactions that went without an amount are counted with the amounts', {
  tags: 'long',
}, async () => {
  const { type, amounts, read } = await openService();
  const supply = { transaction_id: 'T-9', type: 'SUPPLY_CHARGE', transaction_date: '2026-01-10' };
  const input = inputFile(
    'without-amount.jsonl',
    with_('A-1', { transactions: [charge('T-1', 12.5), charge('T-2'), supply] }),
    with_('A-2', { transactions: [charge('T-3'), { transaction_id: 'T-4', type: 'PAYMENT' }] }),
    with_('A-3', {
      transactions: [{ transaction_id: 'T-5', type: 'CREDIT', amount: 3 }],
      statements: [{ number: 'S-1' }],
    }),
  );
  const first = await type('run', input);
  const LINES = `Amounts, CHARGE: 12.50 confirmed (3) + 0.00 without an amount (2) = 12.50 (3)
Amounts, PAYMENT: 0.00 confirmed (1) + 0.00 without an amount (1) = 0.00 (1)
Amounts, SUPPLY_CHARGE: 0.00 confirmed (1) + 0.00 without an amount (1) = 0.00 (1)
Amounts: input and service agree: 3.00 CREDIT
`;
  expect(first.out).toContain(LINES);
  expect(amounts()).toMatchObject({
    isExplained: true,
    types: [
      { type: 'CHARGE', confirmed: sum(3, '12.5'), withoutAmount: sum(2, '0') },
      { type: 'CREDIT', withoutAmount: nothing },
      { type: 'PAYMENT', withoutAmount: sum(1, '0') },
      { type: 'SUPPLY_CHARGE', withoutAmount: sum(1, '0') },
      { type: 'STATEMENT', withoutAmount: nothing },
    ],
  });
  expect(read('report.html')).toContain('<td data-name="without an amount" class="n">0.00 (2)</td>');
  expect((await type('run', input)).out).toContain(LINES);
});

describe.each([
  ['the amount that it has', undefined],
  ['the amount that was sent', echoingSent],
])('a line that changes after its account was created, at a service that answers with %s', (_, answer) => {
  const before = [charge('T-1', 10), payment('T-2', 222.08), payment('T-3', 5)];

  test('an amount that was changed, and a new transaction: the difference is reported, and --add-to-existing adds the new one', {
    tags: 'long',
  }, async () => {
    const service = await openService({ answer });
    const path = inputFile('changed.jsonl', with_('A-1', { transactions: before }));
    expect((await service.type('run', path)).code).toBe(0);
    const after = [charge('T-1', 10), payment('T-2', 999.99), payment('T-3', 5), charge('T-4', 1)];
    inputFile('changed.jsonl', with_('A-1', { transactions: after }));
    const { code, out } = await service.type('run', path, '--add-to-existing');
    expect(out).toContain('PAYMENT: 5.00 confirmed (1) + 999.99 not sent (1) = 1,004.99 (2)');
    expect(out).toContain('      1  transactions.*.amount (changed.jsonl:1)');
    expect(code).toBe(3);
    expect(service.accounts.get('A-1')?.transactions).toHaveLength(4);
    expect((await service.type('run', path)).code).toBe(3);
    const { out: extract } = await service.type('verify', '--extract-sample');
    expect(extract).toContain(';PAYMENT;2;227,08');
    expect(extract).toContain(';CHARGE;2;11');
  });

  test('a new transaction only: the service has the others with the same amounts', async () => {
    const service = await openService({ answer });
    const path = inputFile('added.jsonl', with_('A-1', { transactions: before }));
    await service.type('run', path);
    inputFile('added.jsonl', with_('A-1', { transactions: [charge('T-0', 3), ...before] }));
    expect(await service.type('run', path, '--add-to-existing')).toMatchObject(
      ended(0, 'input and service agree: 13.00 CHARGE, 227.08 PAYMENT'),
    );
  });

  test('a transaction less: what the service has is compared with the extract', async () => {
    const service = await openService({ answer });
    const path = inputFile('less.jsonl', with_('A-1', { transactions: before }));
    await service.type('run', path);
    inputFile('less.jsonl', with_('A-1', { transactions: [...before.slice(0, 2), charge('T-4', 1)] }));
    await service.type('run', path, '--add-to-existing');
    expect((await service.type('verify', '--extract-sample')).out).toContain(';PAYMENT;2;227,08');
  });
});

describe('amounts that agree', () => {
  test('are printed in one line, by type', async () => {
    const service = await openService();
    const path = inputFile(
      'agree.jsonl',
      with_('A-1', { transactions: [charge('T-1', 0.1), charge('T-2', 0.2), payment('T-3', -12_345.6)] }),
      with_('A-2', { statements: [{ statement_id: 'S-1', gross_amount: 1000 }], notes: [{ body: 'n' }] }),
    );
    expect(await service.type('run', path)).toMatchObject(
      ended(0, 'Amounts: input and service agree: 0.30 CHARGE, -12,345.60 PAYMENT, 1,000.00 statements\n'),
    );
    expect(service.amounts()).toMatchObject({
      types: [
        { type: 'CHARGE', input: sum(2, '0.3'), confirmed: sum(2, '0.3'), notExplained: nothing },
        { type: 'PAYMENT', input: sum(1, '-12345.6'), confirmed: sum(1, '-12345.6') },
        { type: 'STATEMENT', input: sum(1, '1000'), confirmed: sum(1, '1000') },
      ],
      isExplained: true,
    });
    expect(service.read('report.html')).toContain('<h2 id="amounts">Amounts</h2>');
  });

  test('of an input without amounts nothing is printed', async () => {
    const service = await openService();
    const path = inputFile(
      'none.jsonl',
      with_('A-1', { statements: [{ statement_id: 'S-1' }], notes: [{ body: 'n' }] }),
    );
    const { code, out } = await service.type('run', path);
    expect([code, out]).toEqual([0, expect.not.stringContaining('mounts')]);
  });

  test('a batch after which a second session continues counts once', { tags: 'long' }, async () => {
    const service = await openService();
    const records = ['A-1', 'A-2', 'A-3'].map((number) =>
      with_(number, { transactions: [charge(`T-${number}`, 1.1)] }),
    );
    const path = inputFile('canary.jsonl', ...records);
    expect((await service.type('run', path, '--canary', '2')).out).toContain('agree: 2.20 CHARGE\n');
    expect((await service.type('run', path)).out).toContain('agree: 3.30 CHARGE\n');
    expect((await service.type('run', path)).out).toContain('agree: 3.30 CHARGE\n');
  });
});

describe('a transaction that the service confirms with another amount', () => {
  const records = [
    with_('A-1', { transactions: [charge('T-1', 100)] }),
    with_('A-2', { transactions: [charge('T-2', 20), charge('T-3', 12.5)] }),
  ];

  test('is confirmed, counted and listed: code 3, at every run', async () => {
    const service = await openService({ answer: answering('T-3', { amount: '12.51' }) });
    const path = inputFile('other.jsonl', ...records);
    const { code, out } = await service.type('run', path);
    expect(code).toBe(3);
    expect(out).toContain(`transactions: 3 sent = 3
Amounts, CHARGE: 132.51 confirmed (3) + -0.01 difference of other amounts (1) = 132.50 (3)
1 transaction was confirmed with another amount than was sent (other.jsonl:2 transactions.1; see ok.csv).
`);
    expect(out).toContain(
      'Next (1 confirmed with another amount than was sent): ask the operator which amount is correct',
    );
    expect(service.read('ok.csv')).toContain(
      'A-2;S-A-2;account;SANDBOX_SUPPLIER;created;;;"transactions.1 12.51 in place of 12.5"\r\n',
    );
    expect(service.amounts()).toMatchObject({
      types: [{ confirmed: sum(3, '132.51'), otherAmount: sum(1, '-0.01'), notExplained: nothing }],
      isExplained: true,
    });
    const page = service.read('report.html');
    expect(page).toContain('1 transaction was confirmed with another amount than was sent');
    expect(page).toContain('other.jsonl:2 transactions.1');
    expect(await service.type('run', path)).toMatchObject(ended(3, '132.51 confirmed (3)'));
  });

  test('is named as well if the service has had it before', async () => {
    const service = await openService({ existing: ['A-2'] });
    service.accounts.get('A-2')?.transactions.push(charge('T-3', 99));
    expect(await service.type('run', inputFile('there.jsonl', ...records), '--add-to-existing')).toMatchObject(
      ended(
        3,
        'Amounts, CHARGE: 120.00 confirmed (2) + -86.50 difference of other amounts (1) + 99.00 already imported (1) = 132.50 (3)\n',
      ),
    );
  });
});

describe('an amount of an answer that', () => {
  const supply = (transaction_id: string) => ({
    ...{ type: 'SUPPLY_CHARGE', transaction_id, transaction_date: '2026-11-10', product_code: 'P' },
    line_items: [{ rate_band: 'BASE', number_of_units: 10, price_per_unit: 2 }],
  });

  /** A run of an account for each amount, which is that of the answer about its transaction T-0, T-1 and so on. */
  async function answeredWith(name: string, amounts: readonly unknown[], items: (id: string) => object[]) {
    const change = amounts.map((amount, index) => answering(`T-${index}`, { amount }));
    const service = await openService({
      answer: (path, body) => change.reduce((changed, next) => next(path, changed), body),
    });
    const accounts = amounts.map((_, index) => with_(`A-${index}`, { transactions: items(`T-${index}`) }));
    return { ...service, input: inputFile(name, ...accounts) };
  }

  test('cannot be read is named: code 3, at every run; the one that was sent counts', async () => {
    const amounts = ['13,50', '', true, ['12.50'], '12,50', '12.50 EUR', '1,250.00', '\u22121.50', 'NaN', ' ', {}, []];
    const items = (id: string) => [charge(`${id}-sent`, 1), charge(id, 12.5)];
    const service = await answeredWith('unread.jsonl', amounts, items);
    for (let again = 0; again < 2; again++) {
      const { code, out } = await service.type('run', service.input);
      expect(code).toBe(3);
      expect(out).toContain(
        `Amounts, CHARGE: 162.00 confirmed (24) + 0.00 difference of other amounts (12) = 162.00 (24)
12 transactions were confirmed with another amount than was sent (unread.jsonl:1 transactions.1: the amount of the answer cannot be read`,
      );
      expect(out).toContain('Next (12 confirmed with another amount than was sent): ask the operator');
    }
    const said = service
      .read('ok.csv')
      .match(/^A-\d+;.*"transactions.1 an amount that cannot be read in place of 12.5"\r$/gm);
    expect(said).toHaveLength(12);
    expect(service.read('report.html')).toContain('transactions.1: the amount of the answer cannot be read');
  });

  test('cannot be read, of a SUPPLY_CHARGE without one, is named, too', async () => {
    const service = await answeredWith('supply.jsonl', ['12,50', '(12.00)', {}], (id) => [supply(id)]);
    expect(await service.type('run', service.input)).toMatchObject(
      ended(3, 'Amounts, SUPPLY_CHARGE: 0.00 confirmed (3) + 0.00 difference of other amounts (3) = 0.00 (3)\n'),
    );
    const said = service.read('ok.csv').match(/"transactions.0 an amount that cannot be read in place of none"/g);
    expect(said).toHaveLength(3);
  });

  test('can be read agrees: code 0', async () => {
    const amounts = [12.5, '12.5', '12.500', ' 12.50 ', '+12.50', '1.25E+1', null];
    const service = await answeredWith('read.jsonl', amounts, (id) => [charge(id, 12.5)]);
    expect(await service.type('run', service.input)).toMatchObject(
      ended(0, 'Amounts: input and service agree: 87.50 CHARGE\n'),
    );
  });

  test('is missing, of a SUPPLY_CHARGE without one: the line of the type has the number of such items', async () => {
    const service = await openService({ answer: answering('T-1', { amount: '20.00' }) });
    const path = inputFile(
      'none.jsonl',
      with_('A-1', { transactions: [supply('T-1'), supply('T-2'), charge('T-3', 1)] }),
    );
    expect(await service.type('run', path)).toMatchObject(
      ended(
        0,
        `Amounts, SUPPLY_CHARGE: 20.00 confirmed (2) + 0.00 without an amount (1) + -20.00 computed by the service (1) = 0.00 (2)
Amounts: input and service agree: 1.00 CHARGE
`,
      ),
    );
  });
});

describe('a difference', () => {
  test('has its reasons, which add up to the amounts of the input, also by import supplier', {
    tags: 'long',
  }, async () => {
    const service = await openService({ existing: ['A-4'], answer: answering('T-2', {}, 'TRANSACTION_IMPORT_ERROR') });
    const other = account('A-9', { import_supplier: 'SECOND' });
    const rejected = with_('A-3', { transactions: [charge('T-6', '7.30')] });
    const path = inputFile(
      'reasons.jsonl',
      { ...other, transactions: [payment('T-8', 1000)] },
      with_('A-1', { transactions: [charge('T-1', 1.01), charge('T-2', 2.02), charge('T-3', 3.03)] }),
      rejected,
      with_('A-1', { transactions: [charge('T-1', 50)] }),
      with_('A-4', { transactions: [charge('T-5', 0.4)] }),
    );
    expect(await service.type('run', path)).toMatchObject(
      ended(
        3,
        `Amounts, CHARGE: 4.04 confirmed (2) + 9.32 rejected (2) + 50.00 skipped (1) + 0.40 not sent (1) = 63.76 (6)
Amounts: input and service agree: 1,000.00 PAYMENT
An amount that cannot be read as a number, such as 12,50, counts as 0.00 in the sums: invalid_type at transactions.*.amount (1 record).
`,
      ),
    );
    expect(service.amounts().suppliers).toMatchObject([
      { supplier: 'SANDBOX_SUPPLIER', types: [{ type: 'CHARGE', input: sum(6, '63.76'), confirmed: sum(2, '4.04') }] },
      { supplier: 'SECOND', types: [{ type: 'PAYMENT', input: sum(1, '1000'), confirmed: sum(1, '1000') }] },
    ]);
    expect(service.read('report.html')).toContain('By import supplier');
    // A second session has only its own lines, and the ledger those of the first.
    expect((await service.type('run', path)).out).toContain('+ 50.00 skipped (1) + 0.40 not sent (1) = 63.76 (6)\n');
  });

  test('of an unknown outcome ends when a person resolves it', async () => {
    const service = await openService({ answer: answering('T-2', {}, 'TRANSACTION_PARKED') });
    const path = inputFile('unknown.jsonl', with_('A-1', { transactions: [charge('T-1', 1.25), charge('T-2', 2.5)] }));
    expect(await service.type('run', path)).toMatchObject(
      ended(4, 'CHARGE: 1.25 confirmed (1) + 2.50 unknown (1) = 3.75 (2)'),
    );
    expect(await service.type('resolve', '--account', 'A-1', '--step', 'transactions', '--as', 'done')).toMatchObject({
      code: 0,
    });
    expect((await service.type('run', path)).out).toContain('Amounts: input and service agree: 3.75 CHARGE\n');
  });

  test('of a changed line is what was not sent', { tags: 'long' }, async () => {
    const service = await openService();
    const path = inputFile('changed.jsonl', with_('A-1', { transactions: [charge('T-1', 1)] }));
    await service.type('run', path);
    inputFile('changed.jsonl', with_('A-1', { transactions: [charge('T-1', 1), charge('T-2', 0.5)] }));
    const longer = await service.type('run', path);
    expect(longer.out).toContain('CHARGE: 1.00 confirmed (1) + 0.50 not sent (1) = 1.50 (2)\n');
    inputFile('changed.jsonl', with_('A-1', { transactions: [charge('T-1', 2)] }));
    expect((await service.type('run', path)).out).toContain(
      'CHARGE: 0.00 confirmed (0) + 2.00 not sent (1) = 2.00 (1); 1.00 on the service, no longer in the input (1)\n',
    );
  });
});

test('amounts that nothing explains end a session with code 5', () => {
  const summary = {
    ...{
      unknown: 1,
      rejected: 0,
      skipped: 0,
      incomplete: 0,
      notInInput: 0,
      changed: { count: 0 },
      otherAmounts: { count: 0 },
    },
    amounts: { isExplained: false },
  };
  const end = () => exitCodeOfSession({ state: 'finished', configuration: {} }, summary as unknown as Summary);
  expect(end()).toBe(5);
  summary.amounts.isExplained = true;
  expect(end()).toBe(4);
});

test('rejected items that were corrected are confirmed, with the amounts of the corrected line', async () => {
  const service = await openService();
  const path = inputFile('correct.jsonl', with_('A-1', { statements: [{ statement_id: 'S', gross_amount: 9 }] }));
  service.refuse('historical-statements', { detail: 'No.', code: 'invalid', errors: [] });
  expect(await service.type('run', path)).toMatchObject(
    ended(3, 'statements: 0.00 confirmed (0) + 9.00 rejected (1) = 9.00 (1)'),
  );
  inputFile('correct.jsonl', with_('A-1', { statements: [{ statement_id: 'S', gross_amount: 8.99 }] }));
  const corrected = await service.type('run', path, '--retry-rejected');
  expect(corrected.out).toContain('Amounts: input and service agree: 8.99 statements\n');
  expect(corrected.code).toBe(0);
});

describe('amounts that retry corrected', () => {
  const original = with_('A-1', { transactions: [charge('T-1', 100), charge('T-2', 5)] });
  const spoilt = { ...original, account: { ...original.account, customers: [{ landline: '12' }] } };
  const other = with_('A-2', { transactions: [charge('T-3', 1)] });
  const corrected = with_('A-1', { transactions: [charge('T-1', 10)] });
  const IN_ONE_LINE = 'CHARGE: 11.00 confirmed (2) + 95.00 corrected by retry (1) = 106.00 (3)\n';

  test('differ from the input by the correction, in every session with the uncorrected input', async () => {
    const service = await openService();
    const path = inputFile('uncorrected.jsonl', spoilt, other);
    expect((await service.type('run', path)).out).toContain('1.00 confirmed (1) + 105.00 rejected (2) = 106.00 (3)');
    expect(await service.type('retry', inputFile('corrected.jsonl', corrected))).toMatchObject(ended(0, IN_ONE_LINE));
    expect(service.amounts()).toMatchObject({
      types: [{ type: 'CHARGE', input: sum(3, '106'), confirmed: sum(2, '11'), corrected: sum(1, '95') }],
      isExplained: true,
    });
    expect(service.read('report.html')).toContain('corrected by retry');
    expect((await service.type('run', path)).out).toContain(IN_ONE_LINE);
    expect((await service.type('report')).out).toContain(IN_ONE_LINE);
  });

  test('agree when the input has the corrected line, and differ again when it has the other one', async () => {
    const service = await openService();
    const path = inputFile('replaced.jsonl', spoilt, other);
    await service.type('run', path);
    await service.type('retry', inputFile('corrected.jsonl', corrected));
    inputFile('replaced.jsonl', corrected, other);
    expect(await service.type('run', path)).toMatchObject(ended(0, 'agree: 11.00 CHARGE\n'));
    inputFile('replaced.jsonl', spoilt, other);
    expect((await service.type('run', path)).out).toContain(IN_ONE_LINE);
  });

  test('agree as well if the session that reads the corrected line sends rejected records again', {
    tags: 'long',
  }, async () => {
    const service = await openService();
    const path = inputFile('again.jsonl', spoilt, other);
    await service.type('run', path);
    await service.type('retry', inputFile('corrected.jsonl', corrected));
    inputFile('again.jsonl', corrected, other);
    expect(await service.type('run', path, '--retry-rejected')).toMatchObject(ended(0, 'agree: 11.00 CHARGE\n'));
  });

  test('do not count in the difference of a third line', { tags: 'long' }, async () => {
    const service = await openService();
    const path = inputFile('third.jsonl', spoilt, other);
    await service.type('run', path);
    await service.type('retry', inputFile('corrected.jsonl', corrected));
    inputFile('third.jsonl', with_('A-1', { transactions: [charge('T-1', 10), charge('T-9', 0.5)] }), other);
    expect((await service.type('run', path)).out).toContain(
      'CHARGE: 11.00 confirmed (2) + 0.50 not sent (1) = 11.50 (3)\n',
    );
  });

  test('of rejected items of an account that exists differ too, and of a second correction from the input', {
    tags: 'long',
  }, async () => {
    const service = await openService();
    const path = inputFile('items.jsonl', original, other);
    service.refuse('transactions', { detail: 'No.', code: 'invalid', errors: [] });
    await service.type('run', path);
    service.refuse('transactions', { detail: 'No.', code: 'invalid', errors: [] });
    const cheaper = with_('A-1', { transactions: [charge('T-1', 50), charge('T-2', 5)] });
    expect((await service.type('retry', inputFile('once.jsonl', cheaper))).out).toContain('= 106.00 (3)');
    const twice = with_('A-1', { transactions: [charge('T-1', 40), charge('T-2', 5)] });
    expect((await service.type('retry', inputFile('twice.jsonl', twice))).out).toContain(
      'CHARGE: 46.00 confirmed (3) + 60.00 corrected by retry = 106.00 (3)\n',
    );
  });

  test('are all of them if the correction removes every transaction', { tags: 'long' }, async () => {
    const service = await openService();
    const path = inputFile('removed.jsonl', spoilt);
    await service.type('run', path);
    const retried = await service.type('retry', inputFile('none.jsonl', account('A-1')));
    expect(retried.out).toContain('CHARGE: 0.00 confirmed (0) + 105.00 corrected by retry (2) = 105.00 (2)\n');
    expect((await service.type('run', path)).out).toContain('+ 105.00 corrected by retry (2) = 105.00 (2)\n');
  });

  test('have no number of items if the corrected line has as many', async () => {
    const service = await openService();
    const path = inputFile('same-number.jsonl', spoilt);
    await service.type('run', path);
    const lower = with_('A-1', { transactions: [charge('T-1', 10), charge('T-2', 5)] });
    const retried = await service.type('retry', inputFile('lower.jsonl', lower));
    expect(retried.out).toContain('CHARGE: 15.00 confirmed (2) + 90.00 corrected by retry = 105.00 (2)\n');
  });

  test('agree if only something else was corrected', async () => {
    const service = await openService();
    const path = inputFile('phone.jsonl', spoilt, other);
    await service.type('run', path);
    const retried = await service.type('retry', inputFile('number.jsonl', original));
    expect(retried.out).toContain('Amounts: input and service agree: 106.00 CHARGE\n');
  });
});
