/** Retry sends rejected records and items from corrected lines, and nothing that the service already has. */
import { describe, expect, test } from 'vitest';
import type { Ledger } from '../../../src/migration/ledger/ledger.js';
import { createMemoryLedger } from '../../../src/migration/ledger/memory.js';
import type { IgnoredReason, RunContext } from '../../../src/migration/run/run-context.js';
import { inWords } from '../ledger/records.js';
import { account, business, openRehearsal } from '../rehearsal.js';

type Rehearsal = ReturnType<typeof openRehearsal>;

const key = (number: string) => ({ supplier: 'SANDBOX_SUPPLIER', kind: 'account', number }) as const;
const importedOf = ({ sandbox }: Rehearsal, number: string) =>
  sandbox.state.suppliers[0]?.accounts.find((one) => one.external_account_number === number)?.imported;

/** Returns the rules of the requests that it sent, and the ignored lines with their reasons. */
async function retry(
  { run, sandbox }: Rehearsal,
  lines: readonly unknown[],
  ledger: Ledger,
  more: Partial<RunContext> = {},
): Promise<{ sent: (string | null)[]; left: [number, IgnoredReason][] }> {
  const before = sandbox.requests().length;
  const left: [number, IgnoredReason][] = [];
  const correctedLines = {
    lineWithoutRecord: () => undefined,
    ignore: ({ line }: { line: number }, why: IgnoredReason) => void left.push([line, why]),
  };
  await run(lines, ledger, { retryRejected: true, correctedLines, ...more });
  const sent = sandbox
    .requests()
    .slice(before)
    .map(({ rule }) => rule);
  return { sent, left };
}

/** A path at which no document lies is refused, in notes as in statements. */
const STRICT = { settings: { missingDocuments: 'refuse' } } as const;
const refusedTransaction = (transaction_id: string) => ({
  match: { operation: 'transactions.create' } as const,
  when: 'first' as const,
  effect: { status: 400, body: { status: 'TRANSACTION_IMPORT_ERROR', transaction_data: { transaction_id } } },
  phase: 'before' as const,
});
const transactions = (...ids: string[]) => ids.map((transaction_id) => ({ transaction_id, type: 'CREDIT', amount: 1 }));

describe('of an account that exists', () => {
  test('a payment instruction that was refused is sent as it was corrected, and nothing else', async () => {
    const rehearsal = openRehearsal();
    const ledger = createMemoryLedger();
    const items = { statements: [{ statement_id: 'S-1' }], notes: [{ body: 'n' }] };
    const line = (reference: string) =>
      account('A-1', {}, { ...items, payment_instruction: { vendor: 'V', reference } });
    await rehearsal.run([line('sbx-vendor-persistent')], ledger);
    expect(inWords(await ledger.find(key('A-1')))).toMatchObject({
      outcome: 'created',
      errors: [{ step: 'paymentInstruction' }],
      items: { paymentInstruction: ['rejected'], statements: ['sent'], notes: ['sent'] },
    });
    expect(await retry(rehearsal, [line('R-1')], ledger)).toEqual({ sent: ['E10'], left: [] });
    expect(inWords(await ledger.find(key('A-1')))).toMatchObject({
      outcome: 'created',
      errors: [],
      items: { paymentInstruction: ['sent'], statements: ['sent'], notes: ['sent'] },
      done: 'notes',
    });
    const { payment_instructions, statements, notes } = importedOf(rehearsal, 'A-1') ?? {};
    expect(payment_instructions).toMatchObject([{ reference: 'R-1' }]);
    expect([statements?.length, notes?.length]).toEqual([1, 1]);
  });

  test('a refused request stored nothing: all of its notes are sent, each once', async () => {
    const rehearsal = openRehearsal(STRICT);
    const ledger = createMemoryLedger();
    const line = (second: object) =>
      account('A-1', {}, { statements: [{ statement_id: 'S-1' }], notes: [{ body: 'n1' }, { body: 'n2', ...second }] });
    await rehearsal.run([line({ document_paths: [{ document_path: 'none.pdf' }] })], ledger);
    expect(inWords(await ledger.find(key('A-1')))).toMatchObject({
      errors: [{ step: 'notes', code: 'document_not_found', attr: 'notes.1.document_paths.0.document_path' }],
      items: { notes: ['rejected', 'rejected'] },
    });
    expect((await retry(rehearsal, [line({})], ledger)).sent).toEqual(['E7']);
    expect(importedOf(rehearsal, 'A-1')).toMatchObject({
      notes: [{ body: 'n1' }, { body: 'n2' }],
      statements: [{ statement_id: 'S-1' }],
    });
  });

  test('of transactions that were set aside only those are sent, by their places in the record', async () => {
    const rehearsal = openRehearsal({ faults: [refusedTransaction('T-2')] });
    const ledger = createMemoryLedger();
    const line = (second: string) => account('A-1', {}, { transactions: transactions('T-1', second, 'T-3') });
    await rehearsal.run([line('T-2')], ledger, { setAside: true });
    expect(inWords(await ledger.find(key('A-1')))).toMatchObject({
      errors: [{ step: 'transactions', code: 'transaction_import_error', attr: 'transactions.1' }],
      items: { transactions: ['sent', 'rejected', 'sent'] },
    });
    expect((await retry(rehearsal, [line('T-2b')], ledger)).sent).toEqual(['E8']);
    const request = rehearsal.sandbox.requests().at(-1)?.request as { transactions: unknown[] };
    expect(request.transactions).toMatchObject([{ transaction_id: 'T-2b' }]);
    expect(importedOf(rehearsal, 'A-1')?.transactions.map(({ sent }) => sent.transaction_id)).toEqual([
      'T-1',
      'T-3',
      'T-2b',
    ]);
  });

  test('refused once more, it is set aside by its place in the record, although its request had only one', async () => {
    const rehearsal = openRehearsal({ faults: [refusedTransaction('T-2')] });
    const ledger = createMemoryLedger();
    const line = account('A-1', {}, { transactions: transactions('T-1', 'T-2', 'T-3') });
    await rehearsal.run([line], ledger, { setAside: true });
    rehearsal.sandbox.faults.add({
      match: { operation: 'transactions.create' },
      when: 'first',
      effect: {
        status: 400,
        body: { detail: 'No.', code: 'no', errors: [{ code: 'late', attr: 'transactions.0.amount' }] },
      },
      phase: 'before',
    });
    await retry(rehearsal, [line], ledger);
    expect(inWords(await ledger.find(key('A-1')))).toMatchObject({
      errors: [{ step: 'transactions', code: 'late', attr: 'transactions.1.amount' }],
      items: { transactions: ['sent', 'rejected', 'sent'] },
    });
  });

  test('of several batches the one that was refused and those after it are sent', async () => {
    const rehearsal = openRehearsal({ faults: [{ ...refusedTransaction('T-3'), when: { nth: 2 } }] });
    const ledger = createMemoryLedger();
    const line = account('A-1', {}, { transactions: transactions('T-1', 'T-2', 'T-3', 'T-4', 'T-5') });
    await rehearsal.run([line], ledger, { transactionsAtOnce: 2 });
    expect(inWords(await ledger.find(key('A-1')))?.items).toEqual({
      transactions: ['sent', 'sent', 'rejected', 'rejected', 'notSent'],
    });
    expect((await retry(rehearsal, [line], ledger, { transactionsAtOnce: 2 })).sent).toEqual(['E8', 'E8']);
    expect(importedOf(rehearsal, 'A-1')?.transactions).toHaveLength(5);
  });

  test('items that the corrected line no longer has are no longer missing', async () => {
    const rehearsal = openRehearsal();
    const ledger = createMemoryLedger();
    const payment_instruction = { vendor: 'V', reference: 'sbx-vendor-persistent' };
    await rehearsal.run([account('A-1', {}, { payment_instruction, notes: [{ body: 'n' }] })], ledger);
    const given = await retry(rehearsal, [account('A-1', {}, { notes: [{ body: 'n' }] })], ledger);
    expect(given).toEqual({ sent: [], left: [] });
    expect(inWords(await ledger.find(key('A-1')))).toMatchObject({
      outcome: 'created',
      errors: [],
      items: { notes: ['sent'] },
    });
  });

  test('fields in another order are no other payload', async () => {
    const rehearsal = openRehearsal();
    const ledger = createMemoryLedger();
    const line = account(
      'A-1',
      { sales_channel: 'X' },
      { payment_instruction: { vendor: 'V', reference: 'sbx-vendor-persistent' } },
    );
    await rehearsal.run([line], ledger);
    const { external_account_number, import_supplier, sales_channel } = line.account as Record<string, string>;
    const corrected = {
      payment_instruction: { reference: 'R-1', vendor: 'V' },
      account: { sales_channel, external_account_number, import_supplier },
    };
    expect((await retry(rehearsal, [corrected], ledger)).sent).toEqual(['E10']);
  });

  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['the account', { sales_channel: 'X' }, { notes: [{ body: 'n' }] }],
    ['what was added', {}, { notes: [{ body: 'other' }] }],
    ['what there was not before', {}, { notes: [{ body: 'n' }], statements: [{ statement_id: 'S-1' }] }],
  ])('a line that differs in %s is reported, and not sent', async (_, more, items) => {
    const rehearsal = openRehearsal();
    const ledger = createMemoryLedger();
    const refused = { vendor: 'V', reference: 'sbx-vendor-persistent' };
    await rehearsal.run([account('A-1', {}, { payment_instruction: refused, notes: [{ body: 'n' }] })], ledger);
    const before = await ledger.find(key('A-1'));
    const corrected = account('A-1', more, { payment_instruction: { vendor: 'V', reference: 'R-1' }, ...items });
    expect(await retry(rehearsal, [corrected], ledger)).toEqual({ sent: [], left: [] });
    const finding = { as: 'changed', code: 'changed_after_import', attr: '', key: key('A-1') };
    expect(rehearsal.lines).toEqual([[1, finding]]);
    expect(await ledger.find(key('A-1'))).toEqual(before);
  });

  test('the whole input with retryRejected retries the same records, and begins new ones', async () => {
    const rehearsal = openRehearsal();
    const ledger = createMemoryLedger();
    const line = (reference: string) => account('A-1', {}, { payment_instruction: { vendor: 'V', reference } });
    await rehearsal.run([line('sbx-vendor-persistent')], ledger);
    await rehearsal.run([line('R-1'), account('A-2')], ledger, { retryRejected: true });
    expect(importedOf(rehearsal, 'A-1')?.payment_instructions).toMatchObject([{ reference: 'R-1' }]);
    expect(rehearsal.created()).toEqual(['A-1', 'A-2']);
  });
});

describe('a retry that was killed', () => {
  /** A ledger that is at hand no more from its nth write on. */
  const dyingAfter = (ledger: Ledger, writes: number): Ledger => {
    let left = writes;
    return {
      ...ledger,
      write: (record, contracts) =>
        left-- > 0 ? ledger.write(record, contracts) : Promise.reject(new Error('killed')),
    };
  };

  test.each([
    // `again` is not on disk; then it is; then the intent and the result of the payment instruction, and those of the notes.
    [0, { sent: ['E10', 'E7'], instructions: 1, outcome: 'created' }],
    [1, { sent: ['E10', 'E7'], instructions: 1, outcome: 'created' }],
    // The intent is stored, and the answer is not: the outcome is unknown, and it is not sent twice.
    [2, { sent: ['E7'], instructions: 1, outcome: 'unknown' }],
    // Notes are recognised by the service, and sent again.
    [3, { sent: ['E7'], instructions: 1, outcome: 'created' }],
  ])('after %i writes resumes, and sends nothing twice', async (writes, { sent, instructions, outcome }) => {
    const rehearsal = openRehearsal(STRICT);
    const ledger = createMemoryLedger();
    const line = (reference: string, more: object) =>
      account('A-1', {}, { payment_instruction: { vendor: 'V', reference }, notes: [{ body: 'n', ...more }] });
    const refused = line('sbx-vendor-persistent', { document_paths: [{ document_path: 'none.pdf' }] });
    await rehearsal.run([refused], ledger);
    await expect(retry(rehearsal, [line('R-1', {})], dyingAfter(ledger, writes))).rejects.toThrow('killed');
    expect((await retry(rehearsal, [line('R-1', {})], ledger)).sent).toEqual(sent);
    const { payment_instructions, notes } = importedOf(rehearsal, 'A-1') ?? {};
    expect([payment_instructions?.length, notes?.length]).toEqual([instructions, 1]);
    expect((await ledger.find(key('A-1')))?.outcome).toBe(outcome);
  });

  test('is continued by a run of the input, with its corrected line and not with the one before', async () => {
    const rehearsal = openRehearsal();
    const ledger = createMemoryLedger();
    const line = (reference: string) => account('A-1', {}, { payment_instruction: { vendor: 'V', reference } });
    await rehearsal.run([line('sbx-vendor-persistent')], ledger);
    await expect(retry(rehearsal, [line('R-1')], dyingAfter(ledger, 1))).rejects.toThrow('killed');
    const before = rehearsal.sandbox.requests().length;
    await rehearsal.run([line('sbx-vendor-persistent')], ledger);
    expect(rehearsal.sandbox.requests()).toHaveLength(before + 1);
    expect(importedOf(rehearsal, 'A-1')?.payment_instructions).toHaveLength(1);
    expect((await retry(rehearsal, [line('R-1')], ledger)).sent).toEqual([]);
  });
});

describe('everything else', () => {
  test('a rejected record starts again, also with an unchanged line', async () => {
    const rehearsal = openRehearsal();
    const ledger = createMemoryLedger();
    const unready = account('A-1', { account_type: 'BUSINESS', business: { business_contract_identifier: 'C-1' } });
    await rehearsal.run([unready, account('A-2', { customers: [{ landline: 'x' }] })], ledger);
    await rehearsal.sandbox.fetch(
      new Request('http://localhost/v1/data-import/business/', {
        method: 'POST',
        headers: { Authorization: `Token ${rehearsal.sandbox.token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(business('B-1', 'C-1').business),
      }),
    );
    expect((await retry(rehearsal, [unready, account('A-2', { customers: [{ landline: '' }] })], ledger)).left).toEqual(
      [],
    );
    expect(rehearsal.created()).toEqual(['A-1', 'A-2']);
  });

  test('an account whose contract was corrected waits for the business of the corrected one', async () => {
    const rehearsal = openRehearsal();
    const ledger = createMemoryLedger();
    const ofContract = (identifier: string, more = {}) =>
      account('A-1', { account_type: 'BUSINESS', business: { business_contract_identifier: identifier }, ...more });
    await rehearsal.run([business('B-1', 'C-1'), business('B-2', 'C-2', { siret: 5 }), ofContract('C-2')], ledger);
    expect(inWords(await ledger.find(key('A-1')))).toMatchObject({ outcome: null, contract: 'C-2' });
    await retry(rehearsal, [ofContract('C-1')], ledger);
    expect(inWords(await ledger.find(key('A-1')))).toMatchObject({ outcome: 'created', contract: 'C-1' });
  });

  test('is ignored, each with a reason', async () => {
    const rehearsal = openRehearsal({
      faults: [{ match: { operation: 'historicalStatements.create' }, effect: 'drop', phase: 'afterCommit' }],
    });
    const ledger = createMemoryLedger();
    await rehearsal.run([account('A-2')]);
    await rehearsal.run(
      [account('A-1'), account('A-2'), account('A-3', {}, { statements: [{ statement_id: 'S-1' }] })],
      ledger,
    );
    const corrected = [
      account('A-1', { sales_channel: 'X' }),
      account('A-2'),
      account('A-3', {}, { statements: [{ statement_id: 'S-2' }] }),
      account('A-4'),
      account('A-4'),
      { account: { import_supplier: 'SANDBOX_SUPPLIER' } },
    ];
    const { sent, left } = await retry(rehearsal, corrected, ledger);
    expect(sent).toEqual([]);
    expect(left.sort(([one], [other]) => one - other)).toEqual([
      [1, 'otherLine'],
      [2, 'alreadyImported'],
      [3, 'unknown'],
      [4, 'notInRun'],
      [5, 'twice'],
      [6, 'noRecord'],
    ]);
    expect(rehearsal.lines).toEqual([]);
    expect((await ledger.counts()).total).toBe(3);
  });
});
