/** An input from its first record to its last, in the sandbox. */
import { describe, expect, test } from 'vitest';
import { DataImportClient } from '../../../src/client.js';
import type { Step } from '../../../src/migration/ledger/ledger.js';
import { createMemoryLedger } from '../../../src/migration/ledger/memory.js';
import { CallNotAdmittedError, type RecordContext } from '../../../src/migration/record/record-context.js';
import type { RunContext } from '../../../src/migration/run/run-context.js';
import { account, business, openRehearsal } from '../rehearsal.js';

const ofBusiness = (number: string, contract: string) =>
  account(number, { account_type: 'BUSINESS', business: { business_contract_identifier: contract } });

describe('an input without trouble', () => {
  test.each([
    { recordsAtOnce: 100, first: 64 },
    { recordsAtOnce: 400, first: 100 },
  ])(
    'of $recordsAtOnce at once, $first while the first two thousand begin',
    { tags: 'long' },
    async ({ recordsAtOnce, first }) => {
      const { run } = openRehearsal();
      const most = { first: 0, later: 0 };
      let [begun, underWay, numbers] = [0, 0, 0];
      // As the service does every step, in the next turn.
      const schedule: RecordContext['schedule'] = async <T>(step: Step): Promise<T> => {
        if (step === 'stage') begun++;
        const phase = begun < 2000 ? 'first' : 'later';
        most[phase] = Math.max(most[phase], ++underWay);
        await new Promise((resolve) => setImmediate(resolve));
        underWay--;
        return { type: 'stepSucceeded', step, serviceNumber: `S-${numbers++}` } as T;
      };
      const input = Array.from({ length: 2600 }, (_, index) => account(`A-${index}`));
      const ledger = await run(input, createMemoryLedger(), { recordsAtOnce, schedule });
      expect(most).toEqual({ first, later: recordsAtOnce });
      expect((await ledger.counts()).ended.created).toBe(2600);
    },
  );

  test('a business that waits for the quiet time after a crash continues, although its accounts have all slots', async () => {
    const { run } = openRehearsal();
    const ledger = createMemoryLedger();
    const input = [business('B-1', 'C-1'), ofBusiness('A-1', 'C-1'), ofBusiness('A-2', 'C-1')];
    const schedule: RecordContext['schedule'] = async (step, call) => {
      if (step === 'create') throw new Error('The process was killed.');
      return call();
    };
    await expect(run(input, ledger, { schedule })).rejects.toThrow('The process was killed.');
    await run(input, ledger, { recordsAtOnce: 1 });
    const key = { supplier: 'SANDBOX_SUPPLIER', kind: 'business', number: 'B-1' } as const;
    expect(await ledger.find(key)).toMatchObject({ outcome: 'unknown', unknown: ['create'] });
  });

  test('a record has the time of its last event', async () => {
    const { run } = openRehearsal();
    let seconds = 0;
    const now = () => new Date(Date.UTC(2026, 0, 15, 9, 0, seconds++));
    const ledger = await run([account('A-1')], createMemoryLedger(), { now });
    // Checked, intent and result of stage, intent and result of process, ended: a second each.
    const found = await ledger.find({ supplier: 'SANDBOX_SUPPLIER', kind: 'account', number: 'A-1' });
    expect(found?.updatedAt).toBe('2026-01-15T09:00:05.000Z');
  });

  test('an account passes its steps, each with an intent before its call', async () => {
    const { run, events, sandbox } = openRehearsal();
    const ledger = await run([
      account(
        'A-1',
        {},
        {
          payment_instruction: { vendor: 'V', reference: 'R' },
          statements: [{ statement_id: 'S' }],
          transactions: [{ transaction_id: 'T', type: 'CREDIT', amount: 1 }],
          notes: [{ body: 'n' }],
        },
      ),
    ]);
    expect(events).toEqual([
      'A-1 stepSucceeded check',
      'A-1 stepStarted stage',
      'A-1 stepSucceeded stage',
      'A-1 stepStarted process',
      'A-1 stepSucceeded process',
      'A-1 stepStarted paymentInstruction',
      'A-1 stepSucceeded paymentInstruction',
      'A-1 stepStarted statements',
      'A-1 stepSucceeded statements',
      'A-1 stepStarted transactions',
      'A-1 stepSucceeded transactions',
      'A-1 stepStarted notes',
      'A-1 stepSucceeded notes: created',
      'A-1 ended: created',
    ]);
    const imported = sandbox.state.suppliers[0]?.accounts[0]?.imported;
    expect(imported).toMatchObject({
      payment_instructions: [{ reference: 'R' }],
      statements: [{ statement_id: 'S' }],
      transactions: [{ sent: { transaction_id: 'T' } }],
      notes: [{ body: 'n' }],
    });
    const key = { supplier: 'SANDBOX_SUPPLIER', kind: 'account', number: 'A-1' } as const;
    expect(await ledger.find(key)).toMatchObject({
      outcome: 'created',
      serviceNumber: imported?.service_account_number,
      intent: null,
      // Six announcements, each with the result before it, and the end.
      version: 7,
    });
  });

  test('a business is created before its accounts, in any order of the input', async () => {
    const { run, sandbox, created } = openRehearsal();
    await run([business('B-1', 'C-1'), ofBusiness('A-1', 'C-1'), ofBusiness('A-2', 'C-1'), account('A-3')]);
    expect(new Set(created())).toEqual(new Set(['A-1', 'A-2', 'A-3']));
    const rules = sandbox.requests().map(({ rule, account: number }) => `${rule} ${number ?? ''}`);
    expect(rules.indexOf('E2 ')).toBeLessThan(rules.indexOf('E5 A-1'));
  });

  describe('of two businesses that declare one contract', () => {
    const accountNumbers = ['A-1', 'A-2'];

    test('both are answered before an account of it is staged', async () => {
      const { run, created } = openRehearsal();
      const steps: string[] = [];
      let secondEnds = (): void => {};
      const secondEnded = new Promise<void>((resolve) => {
        secondEnds = resolve;
      });
      const onEvent: RunContext['onEvent'] = ({ number }, { type }) => {
        if (number === 'B-2' && type === 'ended') secondEnds();
      };
      let first = true;
      const schedule: RunContext['schedule'] = async (step, call) => {
        steps.push(step);
        if (!first) return call();
        first = false;
        await secondEnded;
        // An account that waited only for the second one would be sent in this turn.
        await new Promise((done) => setImmediate(done));
        steps.push('the first is answered');
        return call();
      };
      const accounts = accountNumbers.map((number) => ofBusiness(number, 'C-1'));
      await run([business('B-1', 'C-1'), business('B-2', 'C-1'), ...accounts], undefined, { onEvent, schedule });
      expect(steps.slice(0, 4)).toEqual(['create', 'create', 'the first is answered', 'stage']);
      expect(created()).toEqual(accountNumbers);
    });

    test.each([
      ['the first', { siret: 5 }, {}],
      ['the second', {}, { siret: 5 }],
    ])('a refused one, %s, blocks no account that arrives while they are in progress', async (_, one, other) => {
      const { run, created } = openRehearsal();
      const accounts = accountNumbers.map((number) => ofBusiness(number, 'C-1'));
      await run([business('B-1', 'C-1', one), business('B-2', 'C-1', other), ...accounts]);
      expect(created()).toEqual(accountNumbers);
    });

    test('an account of two businesses is sent when the second exists, although the first was refused', async () => {
      const { run, created } = openRehearsal();
      await run([business('B-1', 'C-1', { siret: 5 }), ofBusiness('A-1', 'C-1'), business('B-2', 'C-1')], undefined, {
        recordsAtOnce: 1,
      });
      expect(created()).toEqual(['A-1']);
    });
  });

  test('the same input again sends nothing', async () => {
    const { run, sandbox } = openRehearsal();
    const ledger = createMemoryLedger();
    const input = [business('B-1', 'C-1'), ofBusiness('A-1', 'C-1'), account('A-2')];
    await run(input, ledger);
    const requests = sandbox.requests().length;
    await run(input, ledger);
    expect(sandbox.requests()).toHaveLength(requests);
    expect(await ledger.counts()).toEqual({
      total: 3,
      unfinished: 0,
      intents: 0,
      writes: 8,
      ended: { created: 3, alreadyImported: 0, rejected: 0, unknown: 0 },
    });
  });
});

describe('the input is read again', () => {
  test('as long as each pass ends a record that a failing service kept from its end', async () => {
    const { run, sandbox, created } = openRehearsal();
    const numbers = Array.from({ length: 8 }, (_, index) => `A-${index}`);
    for (const [times, number] of numbers.entries()) {
      if (times === 0) continue;
      sandbox.faults.add({ match: { operation: 'accounts.stage', account: number }, effect: { status: 503 }, times });
    }
    const ledger = await run(numbers.map((number) => account(number)));
    expect(created()).toEqual(numbers);
    expect(await ledger.counts()).toMatchObject({ unfinished: 0, ended: { created: 8 } });
  });

  test('once if no further record ends and the client does not retry', async () => {
    const { run, sandbox } = openRehearsal();
    sandbox.faults.add({ match: { operation: 'accounts.stage' }, effect: { status: 503 } });
    const ledger = await run([account('A-1')]);
    expect(sandbox.requests()).toHaveLength(2);
    expect(await ledger.counts()).toMatchObject({ unfinished: 1 });
  });
});

/** What is reported of a second line of account A-1, where line `taken` was taken. */
const secondLine = (code: string, taken: number) => ({
  as: 'skipped',
  code,
  attr: '',
  key: { supplier: 'SANDBOX_SUPPLIER', kind: 'account', number: 'A-1' },
  taken: { source: 'input', line: taken },
  detail: `input record ${taken} was taken.`,
});
const duplicate = (taken: number) => secondLine('duplicate_record', taken);
const contradicting = (taken: number) => secondLine('contradicting_record', taken);

describe('refused lines', () => {
  test('by the local check: nothing is sent', async () => {
    const { run, sandbox } = openRehearsal();
    const ledger = await run([account('A-1', { customers: [{ landline: 'x' }] })]);
    expect(sandbox.requests()).toEqual([]);
    expect(await ledger.find({ supplier: 'SANDBOX_SUPPLIER', kind: 'account', number: 'A-1' })).toMatchObject({
      outcome: 'rejected',
      errors: [{ step: 'check', code: 'invalid_phone_number', attr: 'account.customers.0.landline' }],
    });
  });

  test('the accounts of a business that failed wait, and go when it is corrected', async () => {
    const { run, created } = openRehearsal();
    const ledger = createMemoryLedger();
    await run([business('B-1', 'C-1', { siret: 5 }), ofBusiness('A-1', 'C-1')], ledger);
    expect(created()).toEqual([]);
    expect(await ledger.counts()).toMatchObject({ unfinished: 1, ended: { rejected: 1 } });
    await run([business('B-1', 'C-1', { siret: '5' }), ofBusiness('A-1', 'C-1')], ledger);
    expect(created()).toEqual(['A-1']);
    expect(await ledger.counts()).toMatchObject({ unfinished: 0, ended: { created: 2 } });
  });

  test('a line without a number, and a second one of the same number, are reported', async () => {
    const { run, lines, created } = openRehearsal();
    await run([
      account('A-1'),
      { account: { import_supplier: 'SANDBOX_SUPPLIER' } },
      account('A-1', { sales_channel: 'X' }),
    ]);
    expect(lines).toEqual([
      [2, { as: 'rejected', code: 'required', attr: 'account.external_account_number' }],
      [3, contradicting(1)],
    ]);
    expect(created()).toEqual(['A-1']);
  });

  test('a duplicate line is reported again when the run is resumed, and not sent', async () => {
    const { run, lines, created } = openRehearsal();
    const ledger = createMemoryLedger();
    const input = [account('A-1'), account('A-1'), account('A-1', { sales_channel: 'X' })];
    await run(input, ledger);
    const expected = [
      [2, duplicate(1)],
      [3, contradicting(1)],
    ];
    expect(lines).toEqual(expected);
    lines.length = 0;
    await run(input, ledger);
    expect(lines).toEqual(expected);
    expect(created()).toEqual(['A-1']);
  });

  test('each further line is named by the one that was taken: the same line a duplicate, any other contradicting', async () => {
    const { run, lines } = openRehearsal();
    const ledger = createMemoryLedger();
    const other = account('A-1', { sales_channel: 'X' });
    const input = [account('A-2'), account('A-1'), other, account('A-1'), account('A-3'), other];
    const expected = [
      [3, contradicting(2)],
      [4, duplicate(2)],
      [6, contradicting(2)],
    ];
    for (const recordsAtOnce of [1, 8]) {
      lines.length = 0;
      await run(input, recordsAtOnce === 1 ? createMemoryLedger() : ledger, { recordsAtOnce });
      expect(lines).toEqual(expected);
    }
    // A later session skips the record by its hash, and reports the same.
    lines.length = 0;
    await run(input, ledger, { recordsAtOnce: 1 });
    expect(lines).toEqual(expected);
  });

  test('of a duplicate line that was corrected once, both are reported', async () => {
    const { run, lines } = openRehearsal();
    const ledger = createMemoryLedger();
    await run([account('A-1'), account('A-1')], ledger);
    lines.length = 0;
    await run([account('A-1', { sales_channel: 'X' }), account('A-1')], ledger);
    const key = { supplier: 'SANDBOX_SUPPLIER', kind: 'account', number: 'A-1' };
    expect(lines).toMatchObject([
      [2, contradicting(1)],
      [1, { as: 'changed', code: 'changed_after_import', attr: '', key }],
    ]);
  });

  test('a rejected line that is twice in the input and was corrected once: the corrected one is sent, the other is reported', async () => {
    const { run, lines, created } = openRehearsal();
    const ledger = createMemoryLedger();
    const rejected = account('A-1', { customers: [{ landline: 'x' }] });
    await run([rejected, account('A-2'), rejected], ledger);
    lines.length = 0;
    // One at a time: the corrected record has ended before the other line is read.
    await run([account('A-1'), account('A-2'), rejected], ledger, { recordsAtOnce: 1 });
    expect(created()).toEqual(['A-2', 'A-1']);
    expect(lines).toEqual([[3, contradicting(1)]]);
  });

  test('an account of which something was refused, and whose line changes before the rest was tried, ends all the same', async () => {
    const { run, lines } = openRehearsal();
    const ledger = createMemoryLedger();
    const items = { payment_instruction: { vendor: 'V', reference: 'sbx-vendor-persistent' }, notes: [{ body: 'n' }] };
    const schedule = <T>(step: string, call: () => Promise<T>) =>
      step === 'notes' ? Promise.reject(new CallNotAdmittedError('The run drains.')) : call();
    await run([account('A-1', {}, items)], ledger, { schedule });
    const key = { supplier: 'SANDBOX_SUPPLIER', kind: 'account', number: 'A-1' } as const;
    expect(await ledger.find(key)).toMatchObject({ outcome: null, done: 'paymentInstruction' });
    await run([account('A-1', { sales_channel: 'X' }, items)], ledger);
    expect(await ledger.find(key)).toMatchObject({ outcome: 'created', done: 'notes' });
    expect(lines).toMatchObject([[1, { as: 'changed', code: 'changed_after_import', attr: '', key }]]);
  });

  test('an account that the service had is found, and nothing is added to it', async () => {
    const first = openRehearsal();
    await first.run([account('A-1')]);
    // Another ledger has no record of it.
    const ledger = await first.run([account('A-1', {}, { notes: [{ body: 'n' }] })]);
    expect(await ledger.find({ supplier: 'SANDBOX_SUPPLIER', kind: 'account', number: 'A-1' })).toMatchObject({
      outcome: 'alreadyImported',
      serviceNumber: first.sandbox.state.suppliers[0]?.accounts[0]?.imported?.service_account_number,
    });
    expect(first.sandbox.state.suppliers[0]?.accounts[0]?.imported?.notes).toEqual([]);
  });
});

test('the ledger holds where a refusal is, and of the keys of metadata none: they are data', async () => {
  const { run, sandbox } = openRehearsal();
  const errors = [
    { code: 'invalid', attr: 'metadata.0.value.Jean', detail: '' },
    { code: 'invalid', attr: 'customers.0.mobile', detail: '' },
  ];
  const client = new DataImportClient({
    baseUrl: 'http://localhost:1',
    token: sandbox.token,
    fetch: async () => Response.json({ code: 'account_failed_validation', errors }, { status: 400 }),
  });
  const ledger = await run([account('A-1')], createMemoryLedger(), { client });
  expect(await ledger.find({ supplier: 'SANDBOX_SUPPLIER', kind: 'account', number: 'A-1' })).toMatchObject({
    outcome: 'rejected',
    errors: [
      { step: 'stage', code: 'invalid', attr: 'metadata.0.value.*' },
      { step: 'stage', code: 'invalid', attr: 'customers.0.mobile' },
    ],
  });
});

describe('answers that are lost', () => {
  test('of process: the next pass asks, and the account is created once', async () => {
    const { run, created } = openRehearsal({
      faults: [
        {
          match: { operation: 'accounts.process' },
          when: 'first',
          effect: { status: 500, body: { detail: 'Server error.' } },
          phase: 'afterCommit',
        },
      ],
    });
    const ledger = await run([account('A-1')]);
    expect(created()).toEqual(['A-1']);
    expect(await ledger.counts()).toMatchObject({ ended: { created: 1 } });
  });

  test('of a business that was sent again: the first request may have caused the refusal, so it is unknown', async () => {
    const { run, sandbox } = openRehearsal({
      faults: [
        {
          match: { operation: 'businesses.create' },
          when: 'first',
          effect: { status: 500, body: { detail: 'Server error.' } },
          phase: 'afterCommit',
        },
      ],
    });
    const client = new DataImportClient({
      baseUrl: 'http://localhost:1',
      token: sandbox.token,
      fetch: sandbox.fetch,
      advanced: { retryBaseMs: 0 },
      maxRetries: 1,
    });
    const ledger = await run([business('B-1', 'C-1')], createMemoryLedger(), { client, resendAfter500: true });
    expect(await ledger.find({ supplier: 'SANDBOX_SUPPLIER', kind: 'business', number: 'B-1' })).toMatchObject({
      outcome: 'unknown',
      unknown: ['create'],
      errors: [{ step: 'create', code: 'business_already_exists', attr: 'external_business_identifier' }],
    });
  });

  const withoutBody = { document_paths: [{ document_path: '/letters/1.pdf' }] };
  test.each([
    [
      'with one without a body: unknown',
      [{ body: 'n' }, withoutBody],
      {},
      1,
      { outcome: 'unknown', unknown: ['notes'] },
    ],
    ['with bodies: the service knows them again', [{ body: 'n' }], {}, 2, { outcome: 'created', unknown: [] }],
    ['sent again on demand', [withoutBody], { resendAfter500: true }, 2, { outcome: 'created', unknown: [] }],
  ])('of notes that failed with 500, %s', async (_, notes, options, requests, end) => {
    const { run, sandbox } = openRehearsal({
      settings: { notesWithoutBody: 'always-new' },
      faults: [
        {
          match: { operation: 'notes.create' },
          when: 'first',
          effect: { status: 500, body: { detail: 'Server error.' } },
          phase: 'afterCommit',
        },
      ],
    });
    const client = new DataImportClient({
      baseUrl: 'http://localhost:1',
      token: sandbox.token,
      fetch: sandbox.fetch,
      advanced: { retryBaseMs: 0 },
    });
    const ledger = await run([account('A-1', {}, { notes })], createMemoryLedger(), { client, ...options });
    expect(await ledger.find({ supplier: 'SANDBOX_SUPPLIER', kind: 'account', number: 'A-1' })).toMatchObject(end);
    expect(sandbox.requests().filter(({ rule }) => rule === 'E7')).toHaveLength(requests);
  });

  test('of statements: unknown, and the rest is added', async () => {
    const { run, sandbox } = openRehearsal({
      faults: [{ match: { operation: 'historicalStatements.create' }, effect: 'drop', phase: 'afterCommit' }],
    });
    const ledger = await run([account('A-1', {}, { statements: [{ statement_id: 'S' }], notes: [{ body: 'n' }] })]);
    expect(await ledger.find({ supplier: 'SANDBOX_SUPPLIER', kind: 'account', number: 'A-1' })).toMatchObject({
      outcome: 'unknown',
      unknown: ['statements'],
      done: 'notes',
    });
    const imported = sandbox.state.suppliers[0]?.accounts[0]?.imported;
    expect([imported?.statements.length, imported?.notes.length]).toEqual([1, 1]);
  });
});
