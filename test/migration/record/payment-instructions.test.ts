/**
 * Payment instructions of accounts and businesses, and statements and notes that go in several requests: each request has an
 * own intent, so that a request without an answer concerns only its own items (E3, E7, E9, E10).
 */
import { describe, expect, test } from 'vitest';
import { DataImportClient } from '../../../src/client.js';
import { createMemoryLedger } from '../../../src/migration/ledger/memory.js';
import { unknownsOf } from '../../../src/migration/operations/resolve.js';
import { CallNotAdmittedError } from '../../../src/migration/record/record-context.js';
import type { RunContext } from '../../../src/migration/run/run-context.js';
import { startImportService } from '../../support/import-service.js';
import { settle } from '../../support/settle.js';
import { inWords } from '../ledger/records.js';
import { account, business, openRehearsal } from '../rehearsal.js';

const KEY = { supplier: 'SANDBOX_SUPPLIER', kind: 'account', number: 'A-1' } as const;
const BUSINESS = { supplier: 'SANDBOX_SUPPLIER', kind: 'business', number: 'B-1' } as const;
const now = () => new Date('2026-01-15T09:00:00Z');

const instruction = (reference: string, more: object = {}) => ({
  vendor: 'VENDOR-1',
  reference,
  type: 'CARD',
  ...more,
});
const R1 = instruction('R-1');
const R2 = instruction('R-2');
const R3 = instruction('R-3');

type Answer = 'answered' | 'killed after it took effect' | 'killed before' | 'reset after it took effect' | Response;

type Service = 'the sandbox' | 'the independent service';

/** A service, and sessions of one run of it. Each request to `path` ends as `answers` says, and then well. */
async function open(service: Service, path: string, answers: Answer[] = []) {
  const rehearsal = openRehearsal();
  const independent = service === 'the sandbox' ? undefined : await startImportService();
  const serve = (request: Request) =>
    independent === undefined
      ? rehearsal.sandbox.fetch(request)
      : independent.fetch(request, new AbortController().signal);
  const ledger = createMemoryLedger();
  const sent: Record<string, unknown>[] = [];

  /** One session, which may be killed in the middle of a request: from then on it does nothing. */
  async function session(records: readonly unknown[], more: Partial<RunContext> = {}) {
    let kill = () => {};
    const killed = new Promise<void>((resolve) => {
      kill = resolve;
    });
    const client = new DataImportClient({
      ...{ baseUrl: 'http://localhost:1', token: rehearsal.sandbox.token, advanced: { retryBaseMs: 0 }, maxRetries: 0 },
      ...{ timeoutMs: Number.POSITIVE_INFINITY, deadlineMs: Number.POSITIVE_INFINITY },
      async fetch(url, init) {
        const respond = () => serve(new Request(url, init));
        if (!new URL(String(url)).pathname.endsWith(path)) return respond();
        sent.push(JSON.parse(String(init?.body)));
        const answer = answers.shift() ?? 'answered';
        if (answer === 'answered') return respond();
        if (answer instanceof Response) return answer;
        if (answer !== 'killed before') await respond();
        if (answer === 'reset after it took effect') throw new TypeError('fetch failed');
        kill();
        return new Promise<never>(() => {});
      },
    });
    await Promise.race([rehearsal.run(records, ledger, { client, ...more }), killed]);
    return inWords(await ledger.find(KEY));
  }

  const ofSandbox = () => rehearsal.sandbox.state.suppliers[0];
  return {
    ...rehearsal,
    session,
    ledger,
    sent,
    /** References of the payment instructions that the service added to the account. */
    added: () =>
      independent === undefined
        ? ofSandbox()?.accounts[0]?.imported?.payment_instructions.map(({ reference }) => reference)
        : independent.accounts.get('SANDBOX_SUPPLIER/A-1')?.instructions,
    addedToBusiness: () =>
      independent === undefined
        ? ofSandbox()?.businesses[0]?.payment_instructions.map(({ reference }) => reference)
        : (independent.businessInstructions.get('SANDBOX_SUPPLIER/B-1') ?? []),
  };
}

const OF_ACCOUNT = '/payment-instruction/create/';
const OF_BUSINESS = '/business-payment-instruction/create/';
const SERVICES: Service[] = ['the sandbox', 'the independent service'];

describe.each(SERVICES)('payment instructions of an account, against %s', (service) => {
  const several = [account('A-1', {}, { payment_instructions: [R1, R2, R3], notes: [{ body: 'one' }] })];

  test('several are sent in order, each in a separate request (E10)', async () => {
    const { session, added, sent } = await open(service, OF_ACCOUNT);
    expect(await session(several)).toMatchObject({
      outcome: 'created',
      items: { paymentInstruction: ['sent', 'sent', 'sent'], notes: ['sent'] },
    });
    expect(added()).toEqual(['R-1', 'R-2', 'R-3']);
    expect(sent[1]).toEqual({ import_supplier: 'SANDBOX_SUPPLIER', external_account_number: 'A-1', ...R2 });
  });

  test('the input of before, with one payment_instruction, keeps working', async () => {
    const { session, added } = await open(service, OF_ACCOUNT);
    const record = await session([account('A-1', {}, { payment_instruction: R1 })]);
    expect(record).toMatchObject({ outcome: 'created', items: { paymentInstruction: ['sent'] } });
    expect(added()).toEqual(['R-1']);
  });

  test('one without an answer is unknown, the others are sent, and none is sent twice', async () => {
    const { session, added, ledger } = await open(service, OF_ACCOUNT, ['answered', 'reset after it took effect']);
    expect(await session(several)).toMatchObject({
      outcome: 'unknown',
      unknown: ['paymentInstruction'],
      items: { paymentInstruction: ['sent', 'unknown', 'sent'] },
    });
    await session(several);
    expect(added()).toEqual(['R-1', 'R-2', 'R-3']);
    await settle(ledger, { step: 'paymentInstruction', number: 'A-1' }, 'done', now);
    expect(await session(several)).toMatchObject({
      outcome: 'created',
      items: { paymentInstruction: ['sent', 'sent', 'sent'] },
    });
    expect(added()).toEqual(['R-1', 'R-2', 'R-3']);
  });

  test.each([
    ['killed after it took effect', 'done', ['R-1', 'R-2', 'R-3']],
    ['killed before', 'notDone', ['R-1', 'R-3', 'R-2']],
  ] as const)(
    'a session that was %s sends those without an intent, and the one with an intent after a decision',
    async (kill, as, there) => {
      const { session, added, ledger } = await open(service, OF_ACCOUNT, ['answered', kill]);
      expect(await session(several)).toMatchObject({
        outcome: null,
        intent: 'paymentInstruction',
        items: { paymentInstruction: ['sent', 'sending', 'waiting'] },
      });
      expect(await session(several)).toMatchObject({
        outcome: 'unknown',
        items: { paymentInstruction: ['sent', 'unknown', 'sent'] },
      });
      expect(await session(several)).toMatchObject({ outcome: 'unknown' });
      await settle(ledger, { step: 'paymentInstruction', number: 'A-1' }, as, now);
      expect(await session(several)).toMatchObject({
        outcome: 'created',
        items: { paymentInstruction: ['sent', 'sent', 'sent'] },
      });
      expect(added()).toEqual(there);
    },
  );

  test.each([
    ['done', 'killed after it took effect', ['R-1', 'R-2', 'R-3']],
    ['notDone', 'killed before', ['R-1', 'R-2', 'R-3']],
  ] as const)(
    'a decision "%s" while the record is unfinished leaves the others to be sent',
    async (as, kill, there) => {
      const { session, added, ledger } = await open(service, OF_ACCOUNT, ['answered', kill]);
      await session(several);
      expect((await unknownsOf(ledger)).map(({ step }) => step)).toEqual(['paymentInstruction']);
      await settle(ledger, { step: 'paymentInstruction', number: 'A-1' }, as, now);
      expect(await session(several)).toMatchObject({
        outcome: 'created',
        unknown: [],
        items: { paymentInstruction: ['sent', 'sent', 'sent'] },
      });
      expect(added()).toEqual(there);
    },
  );

  test('after the line has them in another order, those without an intent are sent, and none twice', async () => {
    const { session, added, sent } = await open(service, OF_ACCOUNT, ['answered', 'killed after it took effect']);
    await session(several);
    const turned = [account('A-1', {}, { payment_instructions: [R3, R2, R1], notes: [{ body: 'one' }] })];
    expect(await session(turned)).toMatchObject({
      outcome: 'unknown',
      items: { paymentInstruction: ['sent', 'unknown', 'sent'], notes: ['sent'] },
    });
    expect([added(), sent.length]).toEqual([['R-1', 'R-2', 'R-3'], 3]);
  });

  test('after a line changed those that were sent, no other one is sent in their place', async () => {
    const { session, added } = await open(service, OF_ACCOUNT, ['answered', 'killed after it took effect']);
    await session(several);
    const other = [
      account('A-1', {}, { payment_instructions: [instruction('R-4'), R2, R3], notes: [{ body: 'one' }] }),
    ];
    expect(await session(other)).toMatchObject({
      outcome: 'unknown',
      items: { paymentInstruction: ['notSent', 'unknown', 'sent', 'gone sent'] },
    });
    expect(added()).toEqual(['R-1', 'R-2', 'R-3']);
  });

  test('a refused one is listed by its position, the others are sent, and retry sends only it', async () => {
    const refused = Response.json({ code: 'payment_vendor_failure', detail: 'x', errors: [] }, { status: 400 });
    const { session, added } = await open(service, OF_ACCOUNT, ['answered', refused]);
    expect(await session(several)).toMatchObject({
      outcome: 'created',
      errors: [{ step: 'paymentInstruction', code: 'payment_vendor_failure', attr: 'payment_instructions.1' }],
      items: { paymentInstruction: ['sent', 'rejected', 'sent'] },
    });
    expect(await session(several, { retryRejected: true })).toMatchObject({
      outcome: 'created',
      errors: [],
      items: { paymentInstruction: ['sent', 'sent', 'sent'] },
    });
    expect(added()).toEqual(['R-1', 'R-3', 'R-2']);
  });

  test('a request that was never sent is revoked, and another line may take its place', async () => {
    const { session, added, sent } = await open(service, OF_ACCOUNT);
    let isStopping = false;
    const record = await session(several, {
      async schedule(step, call) {
        isStopping ||= step === 'paymentInstruction';
        if (isStopping) throw new CallNotAdmittedError('stopping');
        return call();
      },
      isAccepting: () => !isStopping,
    });
    expect(record).toMatchObject({
      outcome: null,
      intent: null,
      items: { paymentInstruction: ['waiting', 'waiting', 'waiting'] },
    });
    expect(sent).toEqual([]);
    expect(await session([account('A-1', {}, { payment_instructions: [R3, R1] })])).toMatchObject({
      outcome: 'created',
    });
    expect(added()).toEqual(['R-3', 'R-1']);
  });
});

describe.each(SERVICES)('payment instructions of a business, against %s', (service) => {
  const first = { ...business('B-1', 'C-1'), payment_instructions: [instruction('R-1'), instruction('R-2')] };
  const named = (...numbers: string[]) => ({
    accounts: numbers.map((external_account_number) => ({ external_account_number })),
  });
  const ofBusiness = (number: string) =>
    account(number, { account_type: 'BUSINESS', business: { business_contract_identifier: 'C-1' } });

  test('they are sent once the business is there, and its accounts need not wait for them (E3)', async () => {
    const { session, ledger, sent, addedToBusiness } = await open(service, OF_BUSINESS, ['reset after it took effect']);
    expect(await session([first, ofBusiness('A-1')])).toMatchObject({ outcome: 'created' });
    expect(inWords(await ledger.find(BUSINESS))).toMatchObject({
      outcome: 'unknown',
      unknown: ['paymentInstruction'],
      items: { paymentInstruction: ['unknown', 'sent'] },
    });
    expect(sent[0]).toEqual({ import_supplier_code: 'SANDBOX_SUPPLIER', external_business_identifier: 'B-1', ...R1 });
    await session([first, ofBusiness('A-1')]);
    await settle(ledger, { step: 'paymentInstruction', number: 'B-1' }, 'done', now);
    await session([first, ofBusiness('A-1')]);
    expect(inWords(await ledger.find(BUSINESS))).toMatchObject({
      outcome: 'created',
      items: { paymentInstruction: ['sent', 'sent'] },
    });
    expect(addedToBusiness()).toEqual(['R-1', 'R-2']);
  });

  test('one that names accounts is sent after these accounts are imported', async () => {
    const { session, ledger, addedToBusiness, events } = await open(service, OF_BUSINESS);
    const record = { ...business('B-1', 'C-1'), payment_instructions: [instruction('R-1', named('A-1', 'A-2'))] };
    await session([record, ofBusiness('A-1'), ofBusiness('A-2')]);
    expect(inWords(await ledger.find(BUSINESS))).toMatchObject({ outcome: 'created', errors: [] });
    expect(addedToBusiness()).toEqual(['R-1']);
    expect(events.filter((event) => event.endsWith(': created')).at(-1)).toBe('B-1 ended: created');
  });

  test('one that names an unknown account is sent at the end, and the refusal names the incomplete record', async () => {
    const { session, ledger } = await open(service, OF_BUSINESS);
    await session([{ ...business('B-1', 'C-1'), payment_instructions: [instruction('R-1', named('A-9'))] }]);
    expect(inWords(await ledger.find(BUSINESS))).toMatchObject({
      outcome: 'created',
      errors: [{ step: 'paymentInstruction', code: 'account_not_found' }],
      items: { paymentInstruction: ['rejected'] },
    });
  });
});

describe.each(SERVICES)('statements and notes in several requests, against %s', (service) => {
  const statement = (statement_id: string) => ({ statement_id });
  const statements = ['S-1', 'S-2', 'S-3', 'S-4', 'S-5'].map(statement);
  const SENT = { statementsAtOnce: 2, notesAtOnce: 2 };
  const idsOf = (sent: readonly Record<string, unknown>[]) =>
    sent.map((body) => (body['statements'] as { statement_id: string }[]).map((one) => one.statement_id));

  test('a killed session leaves the two statements of its request unknown, and the next one sends the others (E9)', async () => {
    const { session, sent } = await open(service, '/historical-statements/create/', [
      'answered',
      'killed after it took effect',
    ]);
    const records = [account('A-1', {}, { statements })];
    await session(records, SENT);
    expect(await session(records, { statementsAtOnce: 3 })).toMatchObject({
      outcome: 'unknown',
      items: { statements: ['sent', 'sent', 'unknown', 'unknown', 'sent'] },
    });
    expect(idsOf(sent)).toEqual([['S-1', 'S-2'], ['S-3', 'S-4'], ['S-5']]);
  });

  test('all are sent in one request if they fit', async () => {
    const { session, sent } = await open(service, '/historical-statements/create/');
    await session([account('A-1', {}, { statements })], { statementsAtOnce: 5 });
    expect(sent).toHaveLength(1);
  });

  test('notes with a body whose answer was lost are sent again, and only those of that request (E7)', async () => {
    const { session, sent } = await open(service, '/notes/create/', ['answered', 'killed after it took effect']);
    const records = [account('A-1', {}, { notes: ['1', '2', '3'].map((body) => ({ body })) })];
    await session(records, SENT);
    expect(await session(records, SENT)).toMatchObject({
      outcome: 'created',
      items: { notes: ['sent', 'sent', 'existed'] },
    });
    expect(sent.map((body) => (body['notes'] as { body: string }[]).map((note) => note.body))).toEqual([
      ['1', '2'],
      ['3'],
      ['3'],
    ]);
  });

  test('a refused note is named by its place in the record', async () => {
    const refused = Response.json(
      { code: 'validation_failed', detail: 'x', errors: [{ code: 'invalid', detail: 'x', attr: 'notes.0.body' }] },
      { status: 400 },
    );
    const { session } = await open(service, '/notes/create/', ['answered', refused]);
    const records = [account('A-1', {}, { notes: ['1', '2', '3'].map((body) => ({ body })) })];
    expect(await session(records, SENT)).toMatchObject({
      errors: [{ step: 'notes', code: 'invalid', attr: 'notes.2.body' }],
      items: { notes: ['sent', 'sent', 'rejected'] },
    });
  });
});
