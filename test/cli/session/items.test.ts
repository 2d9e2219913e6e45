/** Items of accounts that exist already, of lines that changed, and of answers that do not confirm them, as typed. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type OwnServiceOptions, ownService } from '../../helpers/own-service.js';
import {
  account,
  ended,
  nameService,
  openFolder,
  openService as openSandbox,
  run,
  valueIn,
  valuesIn,
} from '../typed.js';

const { at, inputFile } = openFolder();

let runs = 0;

/** A service whose address the commands get from the environment, and a new run folder. */
async function openService(options: OwnServiceOptions = {}) {
  const service = await ownService(options);
  nameService(service.url, 'T', 'EAST');
  const folder = at(`run-${++runs}`);
  return {
    ...service,
    path: (name: string) => `${folder}/${name}`,
    type: (command: string, ...args: string[]) => run(command, ...args, '--run', folder),
    report: () => valueIn(`${folder}/report.json`).summary,
    entries: (name: string): Record<string, unknown>[] => valuesIn(`${folder}/${name}`),
    sent: (path: string) => service.requests.filter((request) => request.path === path).map(({ payload }) => payload),
  };
}

const with_ = (number: string, items: Record<string, unknown>) => ({ ...account(number), ...items });
const NONE = { input: 0, sent: 0, alreadyImported: 0, rejected: 0, notSent: 0, unknown: 0, unfinished: 0 };
const transaction = (transaction_id: string) => ({
  transaction_id,
  type: 'CREDIT',
  amount: 1,
  reason: 'GENERAL_CREDIT',
});
const ALL = {
  payment_instruction: { vendor: 'V', reference: 'R-1', type: 'CARD' },
  statements: [{ statement_id: 'S-1' }],
  transactions: [transaction('T-1'), transaction('T-2')],
  notes: [{ body: 'one' }],
};

describe('an account that existed before the run', () => {
  test('is listed with the items that were not sent: code 3, and verify names their number', async () => {
    const service = await openService({ existing: ['A-1', 'A-3'] });
    const path = inputFile(
      'existed.jsonl',
      with_('A-1', ALL),
      with_('A-2', { notes: [{ body: 'n' }] }),
      account('A-3'),
    );
    const { code, out } = await service.type('run', path);
    expect(code).toBe(3);
    // Four kinds of items, and what to do about them once.
    expect(out.match(/existed_before_import at/g)).toHaveLength(4);
    expect(out.match(/The account existed before this run, so these items were not sent\./g)).toHaveLength(1);
    expect(out).toContain(`1 created + 2 already imported + 0 rejected + 0 skipped + 0 unknown = 3
payment instructions: 0 sent + 1 not sent = 1
statements: 0 sent + 1 not sent = 1
transactions: 0 sent + 2 not sent = 2
notes: 1 sent + 1 not sent = 2
Amounts, CREDIT: 0.00 confirmed (0) + 2.00 not sent (2) = 2.00 (2)
1 account exists without all items: see incomplete.jsonl.
`);
    expect(service.entries('incomplete.jsonl')).toMatchObject([
      {
        number: 'A-1',
        line: 1,
        errors: [
          { step: 'paymentInstruction', code: 'existed_before_import', attr: 'payment_instruction' },
          { step: 'statements', code: 'existed_before_import', attr: 'statements' },
          { step: 'transactions', code: 'existed_before_import', attr: 'transactions' },
          { step: 'notes', code: 'existed_before_import', attr: 'notes' },
        ],
        original: JSON.stringify(with_('A-1', ALL)),
      },
    ]);
    expect(service.report()).toMatchObject({
      alreadyImported: 2,
      incomplete: 1,
      items: {
        paymentInstructions: { ...NONE, input: 1, notSent: 1 },
        statements: { ...NONE, input: 1, notSent: 1 },
        transactions: { ...NONE, input: 2, notSent: 2 },
        notes: { ...NONE, input: 2, sent: 1, notSent: 1 },
      },
      itemBalance: { isBalanced: true },
    });
    expect(readFileSync(service.path('report.html'), 'utf8')).toContain('<h2 id="items">Items</h2>');
    const verified = await service.type('verify');
    expect(verified).toMatchObject({ code: 0 });
    expect(verified.out).toBe(
      'Not compared: 1 note. The service does not list items; --extract compares amounts with an extract of the operator.\n= 3 accounts agree, 0 differ; items of accounts that exist: 5 not sent (1 payment instruction, 1 statement, 2 transactions, 1 note)\n',
    );
    expect(JSON.parse((await service.type('verify', '--json')).out)).toMatchObject({
      same: 3,
      items: { notSent: 5, rejected: 0, unknown: 0 },
    });
    const ofFirst = service.requests.filter(({ payload }) => payload['external_account_number'] === 'A-1');
    // One of the checks before the first record, and the staging that was refused.
    expect(ofFirst.map(({ path }) => path)).toEqual(['validate-account', 'create-or-update']);
  });

  test('run in another folder: items that the service does not skip are sent only on request, and removing them ends with 0', async () => {
    const service = await openService();
    const path = inputFile('folders.jsonl', with_('A-1', ALL), with_('A-2', { statements: [{ statement_id: 'S-2' }] }));
    expect((await service.type('run', path)).code).toBe(0);
    const other = ['--run', at('other-folder')];
    const first = await run('run', path, ...other);
    expect(first.code).toBe(3);
    expect(first.out).toContain('It does not skip statements and payment instructions: look at the account first;');
    expect(first.out).toMatch(
      /Next \(1 with items that were not sent\): .* run again with --add-to-existing: it sends notes/,
    );
    expect(first.out).toMatch(
      /Next \(2 that existed before, with statements .*\): check these accounts .*by another run, from/,
    );
    const added = await run('run', path, '--add-to-existing', ...other);
    expect(added.code).toBe(3);
    expect(added.out).toContain('notes: 0 sent + 1 already imported = 1\n');
    expect(added.out).not.toMatch(/Next \(\d with items/);
    expect((await run('verify', ...other)).out).toContain('Not compared: 2 transactions, 1 note. ');
    const there = { statements: [{ statement_id: 'S-1' }], paymentInstructions: [{ reference: 'R-1' }] };
    expect(service.accounts.get('A-1')).toMatchObject(there);
    inputFile('folders.jsonl', with_('A-1', { transactions: ALL.transactions, notes: ALL.notes }), account('A-2'));
    expect(await run('run', path, ...other)).toMatchObject({ code: 0 });
    expect(service.accounts.get('A-1')).toMatchObject(there);
    expect(service.accounts.get('A-2')?.statements).toEqual([{ statement_id: 'S-2' }]);
  });

  test('with --add-all-to-existing gets all of its items at once, and again nothing', async () => {
    const service = await openService({ existing: ['A-1'] });
    const path = inputFile('add.jsonl', with_('A-1', ALL), account('A-2'));
    expect(await service.type('run', path, '--add-all-to-existing')).toMatchObject(
      ended(0, '1 created + 1 already imported + 0 rejected + 0 skipped + 0 unknown = 2\n'),
    );
    expect(service.accounts.get('A-1')).toMatchObject({
      paymentInstructions: [{ reference: 'R-1' }],
      statements: [{ statement_id: 'S-1' }],
      transactions: [{ transaction_id: 'T-1' }, { transaction_id: 'T-2' }],
      notes: [{ body: 'one' }],
    });
    expect(service.entries('incomplete.jsonl')).toEqual([]);
    const before = service.requests.length;
    expect((await service.type('run', path, '--add-all-to-existing')).code).toBe(0);
    expect(service.requests).toHaveLength(before);
    expect((await service.type('verify')).out).toMatch(/^Not compared: .*\n= 2 accounts agree, 0 differ\n$/);
  });

  test.each(['run', 'retry'])(
    'gets them later by %s, after a run without them: plan counts the requests',
    async (command) => {
      const service = await openService({ existing: ['A-1'] });
      // Another client has added one of the notes.
      service.accounts.get('A-1')?.notes.push({ body: 'one', created_at: '2026-01-01T00:00:00Z' });
      const path = inputFile('later.jsonl', with_('A-1', ALL), account('A-2'));
      await service.type('run', path);
      expect(JSON.parse((await service.type('plan', path, '--json')).out).requests).toEqual({});
      expect(JSON.parse((await service.type('plan', path, '--add-all-to-existing', '--json')).out).requests).toEqual({
        'paymentInstructions.create': 1,
        'historicalStatements.create': 1,
        'transactions.create': 1,
        'notes.create': 1,
      });
      const again = command === 'run' ? path : service.path('incomplete.jsonl');
      expect((await service.type(command, again, '--add-all-to-existing')).code).toBe(0);
      expect(service.report()).toMatchObject({
        created: 1,
        alreadyImported: 1,
        items: {
          paymentInstructions: { ...NONE, input: 1, sent: 1 },
          statements: { ...NONE, input: 1, sent: 1 },
          transactions: { ...NONE, input: 2, sent: 2 },
          notes: { ...NONE, input: 1, alreadyImported: 1 },
        },
      });
      expect(service.accounts.get('A-1')?.notes).toHaveLength(1);
    },
  );

  test('is counted by what it lacks: of items that were not sent, no service has refused any', async () => {
    const service = await openService({ existing: ['A-1', 'A-2', 'A-3'] });
    const { payment_instruction, statements, notes } = ALL;
    const path = inputFile(
      'lacking.jsonl',
      with_('A-1', { payment_instruction, notes }),
      with_('A-2', { statements }),
      with_('A-3', { payment_instruction, statements }),
    );
    const { code, out } = await service.type('run', path, '--add-to-existing');
    expect(code).toBe(3);
    expect(out.match(/^Next \(.*?\)/gm)).toEqual([
      'Next (3 that existed before, with statements or payment instructions that were not sent)',
    ]);
    expect(service.report()).toMatchObject({
      incomplete: 3,
      lacking: { refused: 0, named: 0, unsent: 0, neverSkipped: 3, ofAnother: 0 },
    });
  });

  test('lacks sent and unsent items: each Next line has its number, also after a line has got one more', async () => {
    const service = await openService({ existing: ['A-1'] });
    service.refuse('notes', { detail: 'No.', code: 'empty_note', errors: [{ code: 'empty_note', attr: 'notes' }] });
    const added = with_('A-1', { notes: [{ body: 'one' }] });
    await service.type('run', inputFile('both.jsonl', added, with_('A-2', { notes: [{ body: 'one' }] })));
    const path = inputFile(
      'both.jsonl',
      with_('A-1', { notes: [{ body: 'one' }, { body: 'two' }] }),
      with_('A-2', { notes: [{ body: 'one' }] }),
    );
    const { out } = await service.type('run', path);
    expect(out.match(/^Next \(\d with.*?\)/gm)).toEqual([
      'Next (1 with rejected items)',
      'Next (1 with items that were not sent)',
    ]);
  });

  test('under another number gets nothing, with any option', async () => {
    const service = await openService();
    const path = inputFile('other.jsonl', with_('A-1', { notes: [{ body: 'n' }] }));
    service.refuse('process', {
      ...{ detail: 'Already imported.', code: 'account_already_imported', errors: [] },
      ...{ external_account_number: 'a-1', service_account_number: 'S-9' },
    });
    expect((await service.type('run', path, '--add-to-existing')).code).toBe(3);
    expect(service.entries('incomplete.jsonl')).toMatchObject([
      { errors: [{ step: 'notes', code: 'existed_under_another_number', attr: 'notes' }] },
    ]);
    const again = await service.type('run', path, '--add-to-existing');
    expect(again.code).toBe(3);
    expect(again.out).toMatch(/^Next \(1 known to the service by another number, with items that were not sent\)/m);
    expect(again.out.match(/^Next /gm)).toHaveLength(1);
    expect(again.out).toMatch(
      /take its line out of this input, run again, and accept that: .* resolve --run \S+ --accept removed --account '<number>'$/m,
    );
    expect(service.sent('notes')).toEqual([]);
    inputFile('other.jsonl', account('A-2'));
    expect((await service.type('run', path)).code).toBe(3);
    expect((await service.type('resolve', '--accept', 'removed', '--account', 'A-1')).code).toBe(0);
    expect((await service.type('run', path)).code).toBe(0);
  });
});

describe('a line that changed after its account was created', () => {
  const first = { ...account('A-1'), ...ALL, notes: [{ body: 'one' }, { body: 'two' }] };
  const later = {
    ...first,
    notes: [{ body: 'one' }, { body: 'two' }, { body: 'three' }],
    statements: [{ statement_id: 'S-2' }],
  };

  test('only in its account: its items are the sent ones, the change is reported and ends with code 3', async () => {
    const service = await openService();
    await service.type('run', inputFile('changed.jsonl', first));
    expect(
      await service.type(
        'run',
        inputFile('changed.jsonl', { ...first, account: { ...first.account, sales_channel: 'X' } }),
      ),
    ).toMatchObject(
      ended(
        3,
        '1 line differs from what exists (changed.jsonl:1; see changed.jsonl). The differences were not sent: an import cannot change existing records.\n',
      ),
    );
    expect(service.report().items).toMatchObject({ notes: { ...NONE, input: 2, sent: 2 } });
  });

  test('in its items: they are not sent, the line is in incomplete.jsonl, and the numbers are those of the line', {
    tags: 'long',
  }, async () => {
    const service = await openService();
    await service.type('run', inputFile('items.jsonl', first, account('A-2')));
    const path = inputFile('items.jsonl', later, account('A-2'));
    for (let time = 1; time <= 2; time++) {
      const { code, out } = await service.type('run', path);
      expect(code).toBe(3);
      expect(out).toContain('\nNext (1 with items that were not sent): if the accounts are yours, run again with ');
      expect(out).toContain(
        '1 line differs from what exists (items.jsonl:1; see changed.jsonl). 1 of them has items that were not sent: run again with --add-to-existing, or ask the operator.\n',
      );
      expect(service.report()).toMatchObject({
        incomplete: 1,
        itemBalance: { isBalanced: true },
        items: {
          paymentInstructions: { ...NONE, input: 1, sent: 1 },
          statements: { ...NONE, input: 1, notSent: 1 },
          transactions: { ...NONE, input: 2, sent: 2 },
          // The first two were sent, and the line still begins with them.
          notes: { ...NONE, input: 3, sent: 2, notSent: 1 },
        },
      });
      expect(service.entries('incomplete.jsonl')).toMatchObject([
        {
          ...{ number: 'A-1', line: 1, original: JSON.stringify(later) },
          errors: [{ step: 'notes', code: 'changed_after_import', attr: 'notes' }],
          // S-2 may be in place of S-1, which was sent.
          ...{ paths: [], added: ['statements', 'notes'], removed: ['statements'] },
        },
      ]);
    }
    expect((await service.type('verify')).out).toContain(
      '; items of accounts that exist: 2 not sent (1 statement, 1 note)\n',
    );
    expect(service.sent('notes')).toHaveLength(1);
    // A session that reads a part of the input keeps the findings of the other lines.
    expect((await service.type('run', path, '--canary', '0')).code).toBe(3);
    expect((await service.type('retry', inputFile('none.jsonl', account('A-2')))).code).toBe(3);
    expect(service.entries('incomplete.jsonl')).toHaveLength(1);
    expect(service.entries('changed.jsonl')).toEqual(service.entries('incomplete.jsonl'));
  });

  test('gets its notes with --add-to-existing, and no statements, since there are some already', async () => {
    const service = await openService();
    await service.type('run', inputFile('more.jsonl', first));
    const path = inputFile('more.jsonl', later);
    expect((await service.type('run', path, '--add-to-existing')).code).toBe(3);
    expect(service.accounts.get('A-1')).toMatchObject({
      statements: [{ statement_id: 'S-1' }],
      notes: [{ body: 'one' }, { body: 'two' }, { body: 'three' }],
    });
    const expected = {
      incomplete: 0,
      changed: { count: 1 },
      created: 1,
      items: {
        statements: { ...NONE, input: 1, notSent: 1 },
        // Only the third is sent: the first two are found again.
        notes: { ...NONE, input: 3, sent: 3 },
      },
    };
    expect(service.report()).toMatchObject(expected);
    expect(service.entries('changed.jsonl')).toMatchObject([
      {
        number: 'A-1',
        ...{ paths: [], added: ['statements'], removed: ['statements'] },
        original: JSON.stringify(later),
      },
    ]);
    const before = service.requests.length;
    expect((await service.type('run', path, '--add-to-existing')).code).toBe(3);
    expect(service.report()).toMatchObject(expected);
    expect(service.requests).toHaveLength(before);
  });

  test('gets no new transaction with --add-to-existing while one that was sent has another identifier: the service would add it again', async () => {
    const service = await openService();
    const payment = (transaction_id: string, amount = 12.5) => ({
      ...{ transaction_id, transaction_date: '2026-01-01', type: 'PAYMENT', reason: 'R', reference: 'X', amount },
    });
    const with_ = (...transactions: object[]) => ({ ...account('A-1'), transactions });
    await service.type('run', inputFile('ids.jsonl', with_(payment('00U1'))));
    const path = inputFile('ids.jsonl', with_(payment('U1'), payment('U2', 20)));
    for (const time of ['first', 'second']) {
      const { code, out } = await service.type('run', path, '--add-to-existing');
      expect([time, code]).toEqual([time, 3]);
      expect(out).toContain(
        'Amounts, PAYMENT: 0.00 confirmed (0) + 32.50 not sent (2) = 32.50 (2); 12.50 on the service, no longer in the input (1)',
      );
    }
    expect(service.accounts.get('A-1')?.transactions).toMatchObject([{ transaction_id: '00U1' }]);
    // With the former identifier, the other one is new.
    inputFile('ids.jsonl', with_(payment('00U1'), payment('U2', 20)));
    expect((await service.type('run', path, '--add-to-existing')).code).toBe(0);
    expect(service.accounts.get('A-1')?.transactions).toMatchObject([
      { transaction_id: '00U1' },
      { transaction_id: 'U2' },
    ]);
  });

  test('gets a first payment instruction with --add-to-existing, since this run sent none', async () => {
    const service = await openService();
    const { payment_instruction: _, ...without } = ALL;
    await service.type('run', inputFile('first.jsonl', with_('A-1', { ...without, notes: first.notes })));
    expect((await service.type('run', inputFile('first.jsonl', first), '--add-to-existing')).code).toBe(0);
    expect(service.accounts.get('A-1')?.paymentInstructions).toHaveLength(1);
    expect(service.accounts.get('A-1')?.statements).toHaveLength(1);
  });
});

test('items of lines that are skipped or rejected are not sent; of lines that hold no record they are not counted', async () => {
  const service = await openService();
  const path = inputFile(
    'lines.jsonl',
    with_('A-1', { notes: [{ body: 'n' }] }),
    with_('A-1', { notes: [{ body: 'n' }] }),
    with_('A-1', { notes: [{ body: 'n' }, { body: 'm' }] }),
    with_('A-2', { notes: [{ body: 5 }], transactions: [transaction('T-1')] }),
    { account: { import_supplier: 'SANDBOX_SUPPLIER' }, notes: [{ body: 'n' }] },
    'no record',
  );
  expect(await service.type('run', path)).toMatchObject(
    ended(
      3,
      `1 created + 0 already imported + 3 rejected + 2 skipped + 0 unknown = 6
transactions: 0 sent + 1 not sent = 1
notes: 1 sent + 5 not sent = 6
The items of 1 line are not counted: no record has them.
`,
    ),
  );
});

test('a contradicting line in a later session is counted once, and the balance is correct', async () => {
  const service = await openService();
  const first = with_('A-1', { notes: [{ body: 'n' }] });
  await service.type('run', inputFile('twice.jsonl', first));
  const other = with_('A-1', { notes: ['1', '2', '3', '4', '5'].map((body) => ({ body })) });
  await service.type('run', inputFile('twice.jsonl', first, other));
  expect(service.report()).toMatchObject({
    itemBalance: { isBalanced: true, text: 'notes: 1 sent + 5 not sent = 6' },
  });
});

test('U32 an answer with fewer entries than notes: code 4, the item in unknown.jsonl, and in the numbers', async () => {
  const answer = (path: string, body: unknown) => (path === 'notes' ? (body as object[]).slice(1) : body);
  const service = await openService({ answer });
  const { code, out } = await service.type(
    'run',
    inputFile('fewer.jsonl', with_('A-1', { notes: [{ body: 'one' }, { body: 'two' }] })),
  );
  expect(code).toBe(4);
  expect(out).toContain('notes: 1 sent + 1 unknown = 2\n');
  expect(service.entries('unknown.jsonl')).toMatchObject([
    { steps: ['notes'], items: [{ step: 'notes', positions: [0] }] },
  ]);
  const { out: resolved } = await service.type('resolve', '--account', 'A-1', '--step', 'notes', '--as', 'done');
  expect(resolved).toContain('No outcome is unknown.\n');
  expect(service.report().items.notes).toEqual({ ...NONE, input: 2, sent: 2 });
});

test('transactions with another date by the service are counted and listed, without their content', async () => {
  const dated = { ...transaction('T-9'), transaction_date: '2025-11-30' };
  const moved = (results: { transaction_data: object }[]) =>
    results.map((one) => ({ ...one, transaction_data: { ...one.transaction_data, transaction_date: '2026-01-01' } }));
  const answer = (path: string, body: unknown) =>
    path === 'transactions' ? { results: moved((body as { results: { transaction_data: object }[] }).results) } : body;
  const service = await openService({ answer });
  const path = inputFile('moved.jsonl', account('A-1'), with_('A-2', { transactions: [transaction('T-1'), dated] }));
  expect(await service.type('run', path)).toMatchObject(
    ended(0, '1 transaction was moved to the current statement (moved.jsonl:2 transactions.1).\n'),
  );
  expect(service.report().moved).toEqual({ count: 1, places: ['moved.jsonl:2 transactions.1'] });
  const page = readFileSync(service.path('report.html'), 'utf8');
  expect(page).toContain('1 transaction was moved to the current statement');
  expect(page).toContain('moved.jsonl:2 transactions.1');
  expect(page).not.toContain('T-9');
  expect(readFileSync(service.path('ok.csv'), 'utf8')).toContain(
    'A-2;S-A-2;account;SANDBOX_SUPPLIER;created;;transactions.1;\r\n',
  );
});

describe('several payment instructions', () => {
  const instruction = (reference: string) => ({ vendor: 'V', reference, type: 'CARD' });
  const several = { payment_instructions: [instruction('R-1'), instruction('R-2')] };
  const ofBusiness = {
    business: { import_supplier_code: 'SANDBOX_SUPPLIER', external_business_identifier: 'B-1', business: {} },
    payment_instructions: [instruction('R-3')],
  };

  test('are counted by plan and by the report, each in a separate request', async () => {
    const service = await openSandbox();
    const path = inputFile('several.jsonl', ofBusiness, with_('A-1', several));
    const planned = JSON.parse((await run('plan', path, '--run', at('several-run'), '--json')).out);
    expect([planned.items.paymentInstructions, planned.requests]).toMatchObject([
      3,
      { 'businesses.createPaymentInstruction': 1, 'paymentInstructions.create': 2 },
    ]);
    expect(await run('run', path, '--run', at('several-run'))).toMatchObject(
      ended(0, 'payment instructions: 3 sent = 3'),
    );
    const [supplier] = service.state.suppliers;
    expect(supplier?.businesses[0]?.payment_instructions).toMatchObject([{ reference: 'R-3' }]);
    const imported = supplier?.accounts[0]?.imported;
    expect(imported?.payment_instructions.map(({ reference }) => reference)).toEqual(['R-1', 'R-2']);
  });

  test('payment_instructions together with payment_instruction rejects the record with the reason', async () => {
    const path = inputFile('both.jsonl', with_('A-1', { ...several, payment_instruction: instruction('R-4') }));
    expect(await run('check', path)).toMatchObject(
      ended(3, 'The record has payment_instruction as well: put all payment instructions into payment_instructions.'),
    );
  });
});
