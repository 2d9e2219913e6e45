/** The summary of a run: the balance, the last step of the records, errors and unknown outcomes. */

import { describe, expect, test } from 'vitest';
import { problemItem } from '../../../src/migration/input/text/parse-record.js';
import type { Ledger, LedgerRecord } from '../../../src/migration/ledger/ledger.js';
import { itemsIn } from '../../../src/migration/record/items/item-states.js';
import { AmountTally } from '../../../src/migration/report/summary/amount-totals.js';
import { amountsInWords } from '../../../src/migration/report/summary/amount-words.js';
import { noItemTotals } from '../../../src/migration/report/summary/item-totals.js';
import { createLineTally } from '../../../src/migration/report/summary/line-counts.js';
import { type SummaryOptions, summarise } from '../../../src/migration/report/summary/summary.js';
import type { ImportRecord } from '../../../src/validation/records/import-record.js';
import { business, items, ledgerOf, record } from '../ledger/records.js';
import { account } from '../rehearsal.js';

const NO_LINES = createLineTally().counts();
const NONE = { input: 0, sent: 0, alreadyImported: 0, rejected: 0, notSent: 0, unknown: 0, unfinished: 0 };

const COUNTS = { created: 0, alreadyImported: 0, rejected: 0, skipped: 0, duplicates: 0, unknown: 0, unfinished: 0 };
const PHONE = { step: 'check', code: 'invalid_phone_number', attr: 'account.customers.0.landline' } as const;

const done = (number: string, more: Partial<LedgerRecord> = {}) =>
  record(number, { done: 'process', outcome: 'created', serviceNumber: `P-${number}`, ...more });

type Ledgered = Parameters<typeof ledgerOf>;
interface Summarised extends Partial<SummaryOptions> {
  contracts?: Ledgered[1];
}

/** The summary of a run with these records, whose lines are all in them. */
const summaryOf = async (records: Ledgered[0], { contracts, ...more }: Summarised = {}) =>
  summarise(await ledgerOf(records, contracts), { lines: NO_LINES, ...more });

const item = (line: number) =>
  problemItem('export/accounts.jsonl', line, '{', { problem: { code: 'invalid_json', attr: '', detail: '' } });

describe('the balance', () => {
  test('every record and every line is in one of the numbers', async () => {
    const ledger = await ledgerOf([
      done('A-0001'),
      done('A-0002'),
      record('A-0003', { done: 'check', outcome: 'alreadyImported' }),
      record('A-0004', { outcome: 'rejected', errors: [PHONE] }),
      done('A-0006', { outcome: 'unknown', unknown: ['statements'] }),
      record('A-0007', { done: 'check', intent: 'stage' }),
    ]);
    const lines = createLineTally();
    lines.add(item(3), { as: 'rejected', code: 'invalid_json', attr: '' });
    lines.add(item(4), { as: 'skipped', code: 'duplicate_record', attr: '' });
    lines.add(item(5), { as: 'changed', code: 'changed_after_import', attr: '' });
    const options = { lines: lines.counts(), linesRead: 8 };
    const whole = await summarise(ledger, options);
    // The two created ones and the existing one are only counted.
    const { items, itemBalance, amounts, funnel, warnings, ...left } = whole;
    expect(await summarise(ledger, { ...options, ended: (await ledger.counts()).ended })).toMatchObject(left);
    expect(whole).toMatchObject({
      input: 8,
      created: 2,
      alreadyImported: 1,
      rejected: 2,
      skipped: 1,
      unknown: 1,
      unfinished: 1,
      ofOtherFiles: 0,
      balance: {
        isBalanced: true,
        text: '2 created + 1 already imported + 2 rejected + 1 skipped + 1 unknown + 1 unfinished = 8',
      },
      changed: { count: 1, samples: ['accounts.jsonl:5'] },
    });
  });

  test('an empty input balances', async () => {
    expect(await summaryOf([], { linesRead: 0 })).toEqual({
      input: 0,
      ...COUNTS,
      notInInput: 0,
      unfinishedWithoutLine: 0,
      resolvableWithoutLine: 0,
      waiting: 0,
      duplicates: 0,
      contradicting: 0,
      toCorrect: { listed: 0, lines: 0, inSheet: 0, inFiles: 0 },
      incomplete: 0,
      lacking: { refused: 0, named: 0, unsent: 0, neverSkipped: 0, ofAnother: 0 },
      ofOtherFiles: 0,
      notBegun: 0,
      balance: {
        isBalanced: true,
        text: '0 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 0',
      },
      items: { paymentInstructions: NONE, statements: NONE, transactions: NONE, notes: NONE },
      itemBalance: { isBalanced: true, text: '' },
      uncounted: 0,
      moved: { count: 0, places: [] },
      amounts: { types: [], suppliers: [], isExplained: true },
      otherAmounts: { count: 0, places: [] },
      funnel: [],
      errors: [],
      warnings: [],
      unknowns: [],
      changed: { count: 0, samples: [], unsent: 0, others: 0, fields: [] },
      removed: { count: 0, samples: [] },
      accepted: { changed: 0, removed: 0 },
      corrected: { count: 0, samples: [] },
    });
  });

  test('an amount of a created record without an outcome is not explained', async () => {
    const { amounts: found } = await summaryOf([
      record('A-1', {
        outcome: 'created',
        items: items({ transactions: ['sent CHARGE 2.5', 'waiting CHARGE 0.01'] }),
      }),
    ]);
    expect(found).toMatchObject({
      isExplained: false,
      types: [{ input: { count: 2, sum: '2.51' }, confirmed: { sum: '2.5' }, notExplained: { count: 1, sum: '0.01' } }],
    });
    expect(amountsInWords(found)).toEqual([
      'Amounts, CHARGE: 2.50 confirmed (1) + 0.01 not explained (1) = 2.51 (2)',
      'Amounts are not explained. This is a bug; keep the run folder and report it.',
    ]);
  });

  test('every amount is in the part of its item, and a confirmed one is that of the answer', async () => {
    const { amounts, otherAmounts } = await summaryOf([
      record('A-1', {
        outcome: 'created',
        items: items({
          transactions: [
            ...['sent CHARGE 1 = 1.5', 'existed CHARGE 2', 'rejected CHARGE 4', 'unknown CHARGE 8'],
            ...['notSent CHARGE 16', 'gone sent CHARGE 32'],
          ],
        }),
      }),
    ]);
    expect(amountsInWords(amounts)).toEqual([
      'Amounts, CHARGE: 1.50 confirmed (1) + -0.50 difference of other amounts (1) + 2.00 already imported (1) + 4.00 rejected (1) + 8.00 unknown (1) + 16.00 not sent (1) = 31.00 (5); 32.00 on the service, no longer in the input (1)',
    ]);
    expect(otherAmounts).toMatchObject({ count: 1, places: ['input.jsonl:1 transactions.0'] });
  });

  test('a SUPPLY_CHARGE without an amount has that of the answer, which is no difference', async () => {
    const { amounts, otherAmounts } = await summaryOf([
      record('A-1', { outcome: 'created', items: items({ transactions: ['sent SUPPLY_CHARGE = 42.5'] }) }),
    ]);
    expect(amountsInWords(amounts)).toEqual([
      'Amounts, SUPPLY_CHARGE: 42.50 confirmed (1) + -42.50 computed by the service (1) = 0.00 (1)',
    ]);
    expect([otherAmounts.count, amounts.isExplained]).toEqual([0, true]);
  });

  test('an amount that was read and is not in the ledger is not explained', async () => {
    const amountsRead = new AmountTally();
    const read = { ...account('A-1'), transactions: [{ type: 'CHARGE', amount: 3 }] };
    amountsRead.addLine('', itemsIn(read as ImportRecord), 'input');
    expect((await summaryOf([], { amountsRead })).amounts).toMatchObject({
      isExplained: false,
      types: [{ type: 'CHARGE', input: { count: 1, sum: '3' }, notExplained: { count: 1, sum: '3' } }],
    });
  });

  test('every item is in one number by the outcome of its record, and the numbers add up', async () => {
    const summary = await summaryOf([
      record('A-1', {
        outcome: 'created',
        items: items({
          paymentInstruction: ['rejected'],
          transactions: ['sent', 'sent', 'existed', 'rejected', 'notSent'],
          notes: ['sent', 'sent', 'sent'],
        }),
        errors: [{ step: 'paymentInstruction', code: 'payment_vendor_failure', attr: '' }],
      }),
      record('A-2', {
        outcome: 'unknown',
        unknown: ['notes'],
        items: items({ notes: ['sent', 'sent', 'sent', 'unknown'] }),
      }),
      record('A-3', { outcome: 'rejected', items: items({ statements: ['waiting', 'waiting'], notes: ['waiting'] }) }),
      record('A-4', {
        done: 'transactions',
        items: items({ transactions: ['sent', 'sent'], notes: ['waiting', 'waiting'] }),
      }),
      record('A-5', {
        outcome: 'alreadyImported',
        items: items({ notes: Array(7).fill('notSent') }),
        errors: [{ step: 'notes', code: 'existed_before_import', attr: 'notes' }],
      }),
    ]);
    expect(summary.items).toEqual({
      paymentInstructions: { ...NONE, input: 1, rejected: 1 },
      statements: { ...NONE, input: 2, notSent: 2 },
      transactions: { ...NONE, input: 7, sent: 4, alreadyImported: 1, rejected: 1, notSent: 1 },
      notes: { ...NONE, input: 17, sent: 6, notSent: 8, unknown: 1, unfinished: 2 },
    });
    expect(summary.itemBalance).toEqual({
      isBalanced: true,
      text:
        'payment instructions: 0 sent + 1 rejected = 1; statements: 0 sent + 2 not sent = 2; ' +
        'transactions: 4 sent + 1 already imported + 1 rejected + 1 not sent = 7; ' +
        'notes: 6 sent + 8 not sent + 1 unknown + 2 unfinished = 17',
    });
    expect(summary.incomplete).toBe(2);
  });

  test('items without a record are reported', async () => {
    const itemsRead = { ...noItemTotals(), notes: { ...NONE, input: 3 } };
    expect(
      (
        await summaryOf([record('A-1', { outcome: 'created', items: items({ notes: ['sent', 'sent'] }) })], {
          itemsRead,
        })
      ).itemBalance,
    ).toEqual({
      isBalanced: false,
      text: 'notes: 2 sent = 2, but 1 more were read. This is a bug; keep the run folder and report it.',
    });
  });

  test('transactions that were moved are listed by file, line and position, at most a hundred', async () => {
    const { moved } = await summaryOf([
      record('A-2', {
        outcome: 'created',
        source: 'folder/b.jsonl',
        line: 10,
        items: items({ transactions: Array(120).fill('moved sent') }),
      }),
      record('A-1', { outcome: 'created', line: 9, items: items({ transactions: ['sent', 'sent', 'moved sent'] }) }),
    ]);
    expect(moved.count).toBe(121);
    expect(moved.places).toHaveLength(100);
    expect(moved.places.slice(0, 2)).toEqual(['b.jsonl:10 transactions.0', 'b.jsonl:10 transactions.1']);
  });

  test('a ledger that lists fewer records than it counts is reported', async () => {
    const ledger = await ledgerOf([done('A-1'), done('A-2')]);
    const lossy: Ledger = {
      ...ledger,
      async *list() {
        yield done('A-1');
      },
    };
    expect((await summarise(lossy, { lines: NO_LINES })).balance).toEqual({
      isBalanced: false,
      text: '1 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 1, but the input is 2: 1 do not balance. This is a bug; keep the run folder and report it.',
    });
  });

  test('a line of the input without any outcome is reported', async () => {
    expect((await summaryOf([done('A-1')], { linesRead: 3 })).balance).toEqual({
      isBalanced: false,
      text: '1 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 1, but the input has 3 lines: 2 are in none of these numbers. This is a bug; keep the run folder and report it.',
    });
  });

  test('records of an earlier input that are not in this one are no imbalance', async () => {
    expect((await summaryOf([done('A-1'), done('A-2')], { linesRead: 1 })).balance.isBalanced).toBe(true);
  });
});

describe('accounts of a business', () => {
  const waiting = (more: Partial<LedgerRecord> = {}) => record('A-1', { contract: 'C-1', ...more });
  const contracts = { 'B-1': ['C-1'] };

  test.each(['rejected', 'unknown'] as const)('that ended as %s: they are skipped and wait', async (outcome) => {
    const summary = await summaryOf([business('B-1', { outcome, errors: [] }), waiting()], { contracts });
    expect(summary).toMatchObject({ unfinished: 0, waiting: 1, skipped: 1 });
    expect(summary.errors).toEqual([
      {
        step: 'check',
        code: 'business_failed',
        attr: 'account.business.business_contract_identifier',
        count: 1,
        samples: ['input.jsonl:1'],
        remedy:
          'The account waits for its business, which was rejected or is unknown. Correct or resolve the business and run the same command again, which sends the account.',
      },
    ]);
    expect(summary.funnel.find(({ kind }) => kind === 'account')).toMatchObject({
      step: 'check',
      skipped: 1,
      unfinished: 0,
    });
  });

  test('that is unfinished itself: they are unfinished', async () => {
    expect(await summaryOf([business('B-1', { intent: 'create' }), waiting()], { contracts })).toMatchObject({
      unfinished: 2,
      waiting: 0,
      skipped: 0,
    });
  });

  test('of another supplier, or of none: they are open', async () => {
    const other = business('B-1', { supplier: 'OTHER', outcome: 'rejected' });
    expect(await summaryOf([other, waiting()], { contracts })).toMatchObject({ unfinished: 1, waiting: 0 });
  });

  test('that has an intent: unfinished, with any outcome of the business', async () => {
    expect(
      await summaryOf([business('B-1', { outcome: 'rejected' }), waiting({ done: 'stage', intent: 'process' })], {
        contracts,
      }),
    ).toMatchObject({ unfinished: 1, waiting: 0 });
  });
});

describe('how far they came', () => {
  const NONE = { passed: 0, rejected: 0, unknown: 0, alreadyImported: 0, skipped: 0, unfinished: 0 };
  const STEPS = ['check', 'stage', 'process', 'statements', 'notes'] as const;

  test('step by step: how many records passed, how many stopped, and why', async () => {
    const ledger = await ledgerOf([
      business('B-1', { done: 'create', outcome: 'created' }),
      business('B-2', { done: 'check', intent: 'create', outcome: 'unknown', unknown: ['create'] }),
      done('A-1', { done: 'notes' }),
      // Nothing was to be added to it.
      done('A-2'),
      record('A-3', { outcome: 'rejected', errors: [PHONE] }),
      record('A-4', { done: 'check', outcome: 'rejected', errors: [{ step: 'stage', code: 'x', attr: '' }] }),
      record('A-5', { done: 'check', outcome: 'alreadyImported' }),
      record('A-6', { done: 'stage', intent: 'process' }),
      record('A-7', { done: 'stage' }),
      done('A-8', { done: 'notes', errors: [{ step: 'notes', code: 'x', attr: '' }] }),
      done('A-9', { done: 'notes', outcome: 'unknown', unknown: ['statements'] }),
    ]);
    const { funnel, incomplete } = await summarise(ledger, { lines: NO_LINES, steps: STEPS });
    expect(funnel).toEqual([
      { kind: 'business', step: 'check', ...NONE, passed: 2 },
      { kind: 'business', step: 'create', ...NONE, passed: 1, unknown: 1 },
      { kind: 'account', step: 'check', ...NONE, passed: 8, rejected: 1 },
      { kind: 'account', step: 'stage', ...NONE, passed: 6, rejected: 1, alreadyImported: 1 },
      { kind: 'account', step: 'process', ...NONE, passed: 4, unfinished: 2 },
      { kind: 'account', step: 'statements', ...NONE, passed: 3, unknown: 1 },
      { kind: 'account', step: 'notes', ...NONE, passed: 3, rejected: 1 },
    ]);
    expect(incomplete).toBe(1);
  });
});

describe('refusals', () => {
  test('grouped by step, code and attr, with any index; a record counts once', async () => {
    const at = (index: number) => ({ ...PHONE, attr: `account.customers.${index}.landline` });
    const { errors } = await summaryOf([
      record('ACC-100234', { outcome: 'rejected', errors: [at(0), at(1)], source: 'in/a.jsonl', line: 12 }),
      record('ACC-100235', { outcome: 'rejected', errors: [at(7)], source: 'in/a.jsonl', line: 9 }),
      done('ACC-100236', { line: 3, errors: [{ step: 'notes', code: 'invalid_phone_number', attr: 'notes.0' }] }),
    ]);
    const remedy = 'The telephone number is not in international form. Write it like +33612345678, or leave it out.';
    expect(errors).toEqual([
      {
        step: 'check',
        code: 'invalid_phone_number',
        attr: 'account.customers.*.landline',
        count: 2,
        samples: ['a.jsonl:9', 'a.jsonl:12'],
        remedy,
      },
      { step: 'notes', code: 'invalid_phone_number', attr: 'notes.*', count: 1, samples: ['input.jsonl:3'], remedy },
    ]);
  });

  test('the first three places in the input', async () => {
    const { errors } = await summaryOf(
      [7, 12, 3, 40, 5].map((line) => record(`A-${line}`, { line, outcome: 'rejected', errors: [PHONE] })),
    );
    expect(errors[0]).toMatchObject({ count: 5, samples: ['input.jsonl:3', 'input.jsonl:5', 'input.jsonl:7'] });
  });

  test('remedies: for documented codes, for those of this package, for a bare status, and for unknown codes', async () => {
    const codes = ['account_failed_validation', 'import_supplier_not_ongoing', 'http_404', 'constructor'];
    const errors = codes.map((code) => ({ step: 'stage', code, attr: '' }) as const);
    const summary = await summaryOf([record('A-1', { outcome: 'rejected', errors })]);
    expect(Object.fromEntries(summary.errors.map(({ code, remedy }) => [code, remedy]))).toEqual({
      account_failed_validation:
        'The service refuses values of the account. Correct the fields that the attr paths name.',
      import_supplier_not_ongoing:
        'The import supplier is Paused or Complete. Ask the operator to set it to Ongoing, then send the same payload again. Running the same command again does that.',
      http_404: 'The service answered with status 404 and no error code. Ask the operator what it means.',
      constructor:
        'Look at the field that the attr names and at the words of the service in its own documentation; ask the operator what the code means.',
    });
  });

  test('lines that hold no record, by their place in the file', async () => {
    const lines = createLineTally();
    for (const line of [7, 9]) lines.add(item(line), { as: 'rejected', code: 'invalid_json', attr: '' });
    expect((await summaryOf([], { lines: lines.counts() })).errors).toMatchObject([
      { step: 'read', code: 'invalid_json', count: 2, samples: ['accounts.jsonl:7', 'accounts.jsonl:9'] },
    ]);
  });

  test('what a person can correct is counted line by line, whatever else has the same code', async () => {
    const lines = createLineTally();
    const add = (source: string, code: string, attr = '', as: 'rejected' | 'skipped' = 'rejected') =>
      lines.add({ ...item(1), source }, { as, code, attr });
    for (const source of ['a.jsonl', 'b.csv', 'c.csv.gz']) add(source, 'invalid_encoding');
    add('a.jsonl', 'required', 'account.external_account_number');
    add('a.jsonl', 'line_too_long');
    add('b.csv', 'map_failed', 'map.mjs:2');
    for (const code of ['duplicate_record', 'contradicting_record']) add('a.jsonl', code, '', 'skipped');
    const records = [record('A-1', { outcome: 'rejected', errors: [PHONE] }), record('A-2', { outcome: 'rejected' })];
    expect(await summaryOf(records, { lines: lines.counts() })).toMatchObject({
      ...{ rejected: 8, toCorrect: { listed: 4, lines: 2, inSheet: 2, inFiles: 4 } },
      ...{ skipped: 2, duplicates: 1, contradicting: 1, waiting: 0 },
    });
  });

  test('a changed line that a person has accepted lacks no items, and another one does', async () => {
    const changed = { is: 'changed', contentHash: '~', added: ['notes'] } as const;
    const notes = { items: items({ notes: ['sent', 'gone notSent'] }), difference: changed };
    const accepted = { items: items({ notes: ['sent', 'gone givenUp'] }) };
    const summary = await summaryOf([
      done('A-1', notes),
      done('A-2', { ...accepted, difference: { ...changed, isAccepted: true } }),
    ]);
    expect(summary).toMatchObject({
      ...{ incomplete: 1, lacking: { unsent: 1 }, changed: { count: 1, unsent: 1 }, accepted: { changed: 1 } },
      items: { notes: { input: 4, sent: 2, notSent: 2 } },
    });
  });

  test('unlimited field names do not fill the memory: later ones are counted together', async () => {
    const records = Array.from({ length: 600 }, (_, index) =>
      record(`A-${index}`, {
        outcome: 'rejected',
        errors: [{ step: 'check', code: 'unknown_field', attr: `account.field_${index}` }],
      }),
    );
    const { errors } = await summaryOf(records);
    expect(errors).toHaveLength(501);
    expect(errors[0]).toMatchObject({ code: 'other_errors', attr: '', count: 100 });
  });
});

test('unknown outcomes: by step, with how to resolve them', async () => {
  const { unknowns, unknown } = await summaryOf([
    business('B-10001', { line: 1, done: 'check', intent: 'create', outcome: 'unknown', unknown: ['create'] }),
    done('A-10001', { line: 2, outcome: 'unknown', unknown: ['paymentInstruction', 'statements'] }),
    done('A-10002', { line: 3, outcome: 'unknown', unknown: ['statements'] }),
  ]);
  expect(unknown).toBe(3);
  expect(unknowns).toEqual([
    {
      step: 'create',
      count: 1,
      samples: ['input.jsonl:1'],
      howToResolve:
        'Ask the operator whether the business exists, and say so with data-import-sdk resolve (--as done, with its --service-id if you have it). Until then its accounts wait.',
    },
    {
      step: 'paymentInstruction',
      count: 1,
      samples: ['input.jsonl:2'],
      howToResolve:
        'Look at the payment instructions of the account or business on the service, and say with data-import-sdk resolve whether this one is there.',
    },
    {
      step: 'statements',
      count: 2,
      samples: ['input.jsonl:2', 'input.jsonl:3'],
      howToResolve:
        'Look at the historical statements of the account on the service, and say with data-import-sdk resolve whether they are there.',
    },
  ]);
});
