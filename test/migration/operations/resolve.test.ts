/** Unknown outcomes: which are listed, what the service is asked, and what a decision leads to. */

import { describe, expect, test } from 'vitest';
import { DataImportClient, internalsOf } from '../../../src/client.js';
import { InFlight } from '../../../src/http/limits/in-flight.js';
import type { Ledger } from '../../../src/migration/ledger/ledger.js';
import { createMemoryLedger } from '../../../src/migration/ledger/memory.js';
import { queryService, ResolveError, unknownsOf } from '../../../src/migration/operations/resolve.js';
import { InFlightRecords } from '../../../src/migration/record/preconditions/quiet-time.js';
import type { SandboxOptions } from '../../../src/sandbox/index.js';
import { settle } from '../../support/settle.js';
import { business as businessRecord, inWords, record, storedLine } from '../ledger/records.js';
import { account, business, openRehearsal } from '../rehearsal.js';

const now = () => new Date('2026-01-16T09:00:00Z');
const key = (number: string) => ({ supplier: 'SANDBOX_SUPPLIER', kind: 'account', number }) as const;
const lost = (operation: 'historicalStatements.create' | 'paymentInstructions.create' | 'businesses.create') =>
  ({ match: { operation }, when: 'first', effect: 'drop', phase: 'before' }) as const;
const nameOf = ({ record: { number }, step }: { record: { number: string }; step: string }) => `${number} ${step}`;
const namesOf = async (ledger: Ledger) => (await unknownsOf(ledger)).map(nameOf);

const LINE = account(
  'A-1',
  {},
  {
    payment_instruction: { vendor: 'V', reference: 'R' },
    statements: [{ statement_id: 'S-1' }],
    notes: [{ body: 'n' }],
  },
);

/** A record whose statements were lost, and perhaps more. */
async function lostRehearsal(options: SandboxOptions = { faults: [lost('historicalStatements.create')] }) {
  const rehearsal = openRehearsal(options);
  const ledger = await rehearsal.run([LINE]);
  const statements = () => rehearsal.sandbox.state.suppliers[0]?.accounts[0]?.imported?.statements.length;
  return { ...rehearsal, ledger, statements };
}

describe('statements whose answer was lost', () => {
  test('are listed, and no others', async () => {
    const { ledger } = await lostRehearsal();
    expect(await namesOf(ledger)).toEqual(['A-1 statements']);
  });

  test('settled as not done are sent by the next run, once', async () => {
    const { ledger, run, statements, sandbox } = await lostRehearsal();
    await settle(ledger, { step: 'statements', kind: 'account', number: 'A-1' }, 'notDone', now);
    expect(inWords(await ledger.find(key('A-1')))).toMatchObject({
      outcome: null,
      unknown: [],
      items: { paymentInstruction: ['sent'], statements: ['waiting'], notes: ['sent'] },
    });
    const before = sandbox.requests().length;
    await run([LINE], ledger);
    expect(
      sandbox
        .requests()
        .slice(before)
        .map(({ rule }) => rule),
    ).toEqual(['E9']);
    expect(statements()).toBe(1);
    expect(await ledger.find(key('A-1'))).toMatchObject({ outcome: 'created', done: 'notes' });
    await run([LINE], ledger);
    expect(statements()).toBe(1);
  });

  test('settled as done count as done, and are not sent again', async () => {
    const { ledger, run, statements } = await lostRehearsal();
    await settle(ledger, { step: 'statements' }, 'done', now);
    expect(await ledger.find(key('A-1'))).toMatchObject({
      outcome: 'created',
      unknown: [],
      // Of the last request: the decision, on 16 January, sends nothing.
      updatedAt: '2026-01-15T09:00:00.000Z',
    });
    await run([LINE], ledger);
    expect(statements()).toBe(0);
  });

  test('settled as not done and lost again are unknown again', async () => {
    const drop = { ...lost('historicalStatements.create'), when: 'every' } as const;
    const { ledger, run } = await lostRehearsal({ faults: [drop] });
    await settle(ledger, { step: 'statements' }, 'notDone', now);
    await run([LINE], ledger);
    expect(await ledger.find(key('A-1'))).toMatchObject({ outcome: 'unknown', unknown: ['statements'] });
  });
});

test('of two lost steps each is settled by itself; the record ends as created with the second', async () => {
  const { ledger } = await lostRehearsal({
    faults: [lost('historicalStatements.create'), lost('paymentInstructions.create')],
  });
  expect(await namesOf(ledger)).toEqual(['A-1 paymentInstruction', 'A-1 statements']);
  await settle(ledger, { step: 'statements' }, 'done', now);
  expect(await ledger.find(key('A-1'))).toMatchObject({ outcome: 'unknown', unknown: ['paymentInstruction'] });
  await settle(ledger, { step: 'paymentInstruction' }, 'done', now);
  expect(await ledger.find(key('A-1'))).toMatchObject({ outcome: 'created', unknown: [] });
});

test('one settled as not done and one still unknown: the first is sent, and the record is unknown again', async () => {
  const { ledger, run, statements } = await lostRehearsal({
    faults: [lost('historicalStatements.create'), lost('paymentInstructions.create')],
  });
  await settle(ledger, { step: 'statements' }, 'notDone', now);
  await run([LINE], ledger);
  expect(statements()).toBe(1);
  expect(await ledger.find(key('A-1'))).toMatchObject({ outcome: 'unknown', unknown: ['paymentInstruction'] });
});

describe('a business whose answer was lost', () => {
  const ofBusiness = account('A-1', {
    account_type: 'BUSINESS',
    business: { business_contract_identifier: 'C-1' },
  });
  const input = [business('B-1', 'C-1'), ofBusiness];

  test('resolved as done lets its accounts continue', async () => {
    const rehearsal = openRehearsal({
      faults: [{ ...lost('businesses.create'), phase: 'afterCommit' }],
    });
    const ledger = await rehearsal.run(input);
    expect(await namesOf(ledger)).toEqual(['B-1 create']);
    await settle(ledger, { step: 'create', kind: 'business', number: 'B-1' }, 'done', now);
    await rehearsal.run(input, ledger);
    expect(rehearsal.created()).toEqual(['A-1']);
    expect(await ledger.counts()).toMatchObject({ unfinished: 0, ended: { created: 2, unknown: 0 } });
  });

  test('settled as not done is created by the next run', async () => {
    const rehearsal = openRehearsal({ faults: [lost('businesses.create')] });
    const ledger = await rehearsal.run(input);
    await settle(ledger, { step: 'create', kind: 'business', number: 'B-1' }, 'notDone', now);
    await rehearsal.run(input, ledger);
    expect(rehearsal.created()).toEqual(['A-1']);
    expect(rehearsal.sandbox.state.suppliers[0]?.businesses).toHaveLength(1);
  });
});

describe('an intent without an answer', () => {
  const withIntent = (number: string, intent: 'process' | 'statements' | 'stage' | 'notes') =>
    record(number, { done: intent === 'process' ? 'stage' : intent === 'stage' ? 'check' : 'process', intent });

  test('a repeatable step is not unknown: the next run continues with it', async () => {
    const ledger = createMemoryLedger();
    for (const intent of ['stage', 'notes', 'statements', 'process'] as const) {
      await ledger.write(withIntent(`A-${intent}`, intent));
    }
    await ledger.write(businessRecord('B-1', { done: 'check', intent: 'create' }));
    expect(await namesOf(ledger)).toEqual(['A-statements statements', 'A-process process', 'B-1 create']);
  });

  const askedOf = async (
    ledger: Ledger,
    answer: (url: string, init: RequestInit) => Promise<Response>,
    at = '2026-01-15T09:10:00Z',
  ) => {
    const client = new DataImportClient({ baseUrl: 'http://localhost:1', token: 'T', maxRetries: 0, fetch: answer });
    const resolved: string[] = [];
    // Ten minutes after the intents; the quiet time of 60 s is over.
    let time = Date.parse(at);
    const clock = () => new Date(time);
    const context = { ledger, inFlight: new InFlightRecords(internalsOf(client).shared.inFlight, clock), now: clock };
    const sleep = async (ms: number) => {
      time += ms;
    };
    const asked = await queryService(context, client, sleep, (one) => resolved.push(`${nameOf(one)} ${one.as}`));
    const [strange, running] = [asked.strange.map(nameOf), asked.running.map(nameOf)];
    return { resolved, strange, running, failure: asked.failure?.message, waitedMs: time - Date.parse(at) };
  };

  test('U30 an account that the service does not have yet, while the request may still be running, is not decided', async () => {
    const ledger = createMemoryLedger();
    await ledger.write(withIntent('A-1', 'process'));
    const unknown = async () => Response.json({ status: 'UNKNOWN', service_account_number: '' });
    // The intent is of 08:59:59.
    expect(await askedOf(ledger, unknown, '2026-01-15T09:00:58Z')).toMatchObject({
      resolved: [],
      running: ['A-1 process'],
    });
    // A second question follows 5 s after the first.
    expect(await askedOf(ledger, unknown, '2026-01-15T09:01:00Z')).toMatchObject({
      resolved: ['A-1 process notDone'],
      running: [],
      waitedMs: 5000,
    });
  });

  test('U30 an operator cannot say "not done" while the request may still be running', async () => {
    const ledger = createMemoryLedger();
    await ledger.write(withIntent('A-1', 'process'));
    const inFlight = new InFlightRecords(new InFlight(60_000, 10_000), () => new Date('2026-01-15T09:00:19Z'));
    const choice = { step: 'process', kind: 'account', number: 'A-1' } as const;
    await expect(settle(ledger, choice, 'notDone', now, inFlight)).rejects.toThrow(
      'the request may still be running on the service for up to 40 s. Check after that time whether it took effect, then repeat the command.',
    );
    expect(await ledger.find(key('A-1'))).toMatchObject({ intent: 'process', version: 1 });
  });

  test('a creation is asked about: the number where it was done, and the next run where it was only staged', async () => {
    const rehearsal = openRehearsal({
      faults: [{ match: { account: 'A-2', operation: 'accounts.process' }, effect: { status: 400 } }],
    });
    await rehearsal.run([account('A-1'), account('A-2')]);
    const number = rehearsal.sandbox.state.suppliers[0]?.accounts[0]?.imported?.service_account_number;
    const ledger = createMemoryLedger();
    await ledger.write(withIntent('A-1', 'process'));
    await ledger.write(withIntent('A-2', 'process'));
    const { sandbox } = rehearsal;
    const headers = { Authorization: `Token ${sandbox.token}` };
    expect(await askedOf(ledger, (url) => sandbox.fetch(new Request(url, { headers })))).toMatchObject({
      resolved: ['A-1 process done', 'A-2 process notDone'],
      strange: [],
      failure: undefined,
    });
    expect(await ledger.find(key('A-1'))).toMatchObject({
      done: 'process',
      intent: null,
      outcome: null,
      serviceNumber: number,
    });
    expect(await ledger.find(key('A-2'))).toMatchObject({ done: 'stage', intent: null, outcome: null });
    expect(await namesOf(ledger)).toEqual([]);
  });

  test.each([
    ['of the service', '{"errors":[{"code":"import_process_not_found","detail":"No."}]}'],
    ['of another server', '<h1>Not Found</h1>'],
  ])('a 404 %s tells nothing of what was staged: it stays unknown, and the others are asked', async (_, body) => {
    const ledger = createMemoryLedger();
    await ledger.write(withIntent('A-1', 'process'));
    await ledger.write(withIntent('A-2', 'process'));
    const answer = async (url: string) =>
      url.includes('A-1')
        ? new Response(body, { status: 404 })
        : Response.json({ status: 'UNKNOWN', service_account_number: '' });
    expect(await askedOf(ledger, answer)).toMatchObject({
      resolved: ['A-2 process notDone'],
      strange: ['A-1 process'],
      failure: undefined,
    });
    expect(await namesOf(ledger)).toEqual(['A-1 process']);
  });

  test('an error that blocks one lookup blocks all, and is reported', async () => {
    const ledger = createMemoryLedger();
    await ledger.write(withIntent('A-1', 'process'));
    await ledger.write(withIntent('A-2', 'process'));
    const urls: string[] = [];
    const answer = async (url: string) => {
      urls.push(url);
      return new Response('{}', { status: 401 });
    };
    expect(await askedOf(ledger, answer)).toMatchObject({
      resolved: [],
      strange: [],
      failure: expect.stringContaining('imports.status: 401'),
    });
    expect(urls).toHaveLength(1);
    expect(await namesOf(ledger)).toEqual(['A-1 process', 'A-2 process']);
  });

  test('statements, settled as done, are passed over; settled as not done, they are the next step', async () => {
    const ledger = createMemoryLedger();
    await ledger.write(withIntent('A-1', 'statements'));
    await ledger.write(withIntent('A-2', 'statements'));
    await settle(ledger, { step: 'statements', kind: 'account', number: 'A-1' }, 'done', now);
    await settle(ledger, { step: 'statements', kind: 'account', number: 'A-2' }, 'notDone', now);
    expect(await ledger.find(key('A-1'))).toMatchObject({
      done: 'statements',
      intent: null,
      outcome: null,
    });
    expect(await ledger.find(key('A-2'))).toMatchObject({
      done: 'process',
      intent: null,
      outcome: null,
    });
  });
});

describe('an invalid decision', () => {
  test.each([
    [
      'a record that the ledger does not know',
      'A-9',
      'account A-9 is not unknown at statements: it has no unknown step.',
    ],
    ['another step', 'A-2', 'account A-2 is not unknown at statements: unknown are notes.'],
    ['a record of several suppliers', 'A-3', 'account A-3 belongs to several suppliers (SANDBOX_SUPPLIER, OTHER)'],
  ])('%s changes nothing', async (_, number, message) => {
    const ledger = createMemoryLedger();
    await ledger.write(record('A-2', { outcome: 'unknown', unknown: ['notes'] }));
    await ledger.write(record('A-3', { outcome: 'unknown', unknown: ['statements'] }));
    await ledger.write(record('A-3', { outcome: 'unknown', unknown: ['statements'], supplier: 'OTHER' }));
    const decision = settle(ledger, { step: 'statements', kind: 'account', number }, 'done', now);
    await expect(decision).rejects.toThrow(ResolveError);
    await expect(decision).rejects.toThrow(message);
    expect(await namesOf(ledger)).toEqual(['A-2 notes', 'A-3 statements', 'A-3 statements']);
  });

  test('the supplier selects one of two records', async () => {
    const ledger = createMemoryLedger();
    await ledger.write(record('A-3', { done: 'notes', outcome: 'unknown', unknown: ['statements'] }));
    await ledger.write(
      record('A-3', { done: 'notes', outcome: 'unknown', unknown: ['statements'], supplier: 'OTHER' }),
    );
    await settle(ledger, { step: 'statements', kind: 'account', number: 'A-3', supplier: 'OTHER' }, 'done', now);
    expect((await unknownsOf(ledger)).map(({ record: { supplier } }) => supplier)).toEqual(['SANDBOX_SUPPLIER']);
  });
});

test.each([
  ['corrected', 'f'.repeat(64), true],
  ['as in the input', null, false],
])(
  'after a decision that ends a record, its line that is %s (corrected from %s) stays: %s',
  async (_, correctedFrom, stays) => {
    const ledger = createMemoryLedger();
    const one = record('A-1', { done: 'notes', outcome: 'unknown', unknown: ['statements'], correctedFrom });
    await ledger.write(one);
    await ledger.addLines(1, [storedLine(one)]);
    await settle(ledger, { step: 'statements' }, 'done', now);
    expect(await ledger.find(one)).toMatchObject({ outcome: 'created' });
    expect((await ledger.line(one, one.hash)) !== undefined).toBe(stays);
  },
);
