/**
 * The line of an account changes from session to session in any way, while the service refuses items and answers are lost: no statement and no
 * payment instruction is sent twice, and no item is lost without a word.
 */
// @module-tag long
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DataImportClient } from '../../../src/client.js';
import { createMemoryLedger } from '../../../src/migration/ledger/memory.js';
import { differingSteps, itemsIn } from '../../../src/migration/record/items/item-states.js';
import { CallNotAdmittedError } from '../../../src/migration/record/record-context.js';
import { seed } from '../../helpers/seed.js';
import { account, openRehearsal } from '../rehearsal.js';

const KEY = { supplier: 'SANDBOX_SUPPLIER', kind: 'account', number: 'A-1' } as const;

/** An item of the line: its number, and the version of its content. */
type Version = readonly [id: number, version: number];

interface Session {
  lists: { statements: Version[]; instructions: Version[]; transactions: Version[]; notes: Version[] };
  /** Numbers of the items that the service refuses in this session. */
  refused: number[];
  /** The request of items whose answer is lost, and the call before which the session ends. */
  lost: number;
  ends: number;
  how: { addToExisting?: true; retryRejected?: true };
  atOnce: number;
}

const versions = fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 1 })), {
  maxLength: 4,
  selector: ([id]) => id,
});
const sessions = fc.array(
  fc.record<Session>({
    lists: fc.record({ statements: versions, instructions: versions, transactions: versions, notes: versions }),
    refused: fc.uniqueArray(fc.integer({ min: 0, max: 4 }), { maxLength: 2 }),
    lost: fc.integer({ min: 0, max: 12 }),
    ends: fc.integer({ min: 2, max: 30 }),
    how: fc.constantFrom({}, { addToExisting: true as const }, { retryRejected: true as const }),
    atOnce: fc.integer({ min: 1, max: 3 }),
  }),
  { minLength: 1, maxLength: 5 },
);

const statement = ([id, version]: Version) => ({ statement_id: `S-${id}`, gross_amount: version + 1 });
const instruction = ([id, version]: Version) => ({ vendor: `V-${version}`, reference: `R-${id}`, type: 'CARD' });
/** One with the content of a sent one and another identifier would be that one. */
const transaction = ([id, version]: Version) => ({
  ...{ type: 'CREDIT', transaction_id: `T-${id}`, reason: `Reason ${id}`, amount: version + 1 },
});
const note = ([id, version]: Version) => ({ body: `N-${id}-${version}` });
const lineOf = ({ statements, instructions, transactions, notes }: Session['lists']) =>
  account(
    'A-1',
    {},
    {
      ...(statements.length > 0 && { statements: statements.map(statement) }),
      ...(instructions.length > 0 && { payment_instructions: instructions.map(instruction) }),
      ...(transactions.length > 0 && { transactions: transactions.map(transaction) }),
      ...(notes.length > 0 && { notes: notes.map(note) }),
    },
  );

type Json = Record<string, unknown>;

/** A service that keeps what it added, by kind. */
function openService() {
  const added = {
    statements: [] as Json[],
    instructions: [] as Json[],
    transactions: [] as Json[],
    notes: [] as Json[],
  };
  const refusal = Response.json({ code: 'invalid', detail: 'x', errors: [{ code: 'invalid', detail: 'x', attr: '' }] });
  let session: Pick<Session, 'refused' | 'lost'> = { refused: [], lost: 0 };
  let requests = 0;
  const isRefused = (text: unknown) => session.refused.some((id) => new RegExp(`^[SRTN]-${id}\\b`).test(String(text)));
  const refuse = async () => new Response(await refusal.clone().text(), { status: 400, headers: refusal.headers });
  const answer = async (path: string, body: Json): Promise<Response> => {
    if (path.includes('/historical-statements/')) {
      const list = body['statements'] as Json[];
      if (list.some((one) => isRefused(one['statement_id']))) return refuse();
      added.statements.push(...list);
      return Response.json(body, { status: 201 });
    }
    if (path.includes('/payment-instruction/')) {
      if (isRefused(body['reference'])) return refuse();
      added.instructions.push(body);
      return Response.json({ service_account_number: 'P-1' }, { status: 201 });
    }
    if (path.includes('/transactions/')) {
      const list = body['transactions'] as Json[];
      if (list.some((one) => isRefused(one['transaction_id']))) return refuse();
      const results = list.map((sent) => {
        const same = added.transactions.find((one) => one['transaction_id'] === sent['transaction_id']);
        if (same === undefined) added.transactions.push(sent);
        const status = same === undefined ? 'TRANSACTION_ADDED_TO_ACCOUNT' : 'TRANSACTION_ALREADY_EXISTS';
        return { status, transaction_data: same ?? sent };
      });
      return Response.json({ results }, { status: 201 });
    }
    if (path.includes('/notes/')) {
      const list = body['notes'] as Json[];
      if (list.some((one) => isRefused(one['body']))) return refuse();
      return Response.json(
        list.map((sent) => {
          const same = added.notes.find((one) => one['body'] === sent['body']);
          if (same === undefined) added.notes.push(sent);
          return { ...sent, status: same === undefined ? 'NOTE_CREATION_SUCCESS' : 'NOTE_ALREADY_EXISTS' };
        }),
        { status: 201 },
      );
    }
    if (path.includes('/account-transfer-status/')) {
      return Response.json({ status: 'PENDING', service_account_number: 'P-1' }, { status: 200 });
    }
    return Response.json(
      { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: 'A-1', service_account_number: 'P-1' },
      { status: 201 },
    );
  };
  const client = new DataImportClient({
    ...{ baseUrl: 'http://localhost:1', token: 'T', advanced: { retryBaseMs: 0 }, maxRetries: 0 },
    async fetch(url, init) {
      const path = new URL(String(url)).pathname;
      const response = await answer(path, JSON.parse(String(init?.body ?? '{}')));
      const isOfItems = /statements|instruction|transactions|notes/.test(path);
      if (isOfItems && ++requests === session.lost) throw new TypeError('fetch failed');
      return response;
    },
  });
  return {
    added,
    client,
    begin: (next: typeof session) => {
      session = next;
      requests = 0;
    },
  };
}

const twice = (texts: unknown[]) => texts.filter((text, index) => texts.indexOf(text) !== index);

test('any lines, refusals, lost answers and ends of sessions', async () => {
  await fc.assert(
    fc.asyncProperty(sessions, async (all) => {
      const { added, client, begin } = openService();
      const rehearsal = openRehearsal();
      const ledger = createMemoryLedger();
      const run = async ({ lists, refused, lost, ends, how, atOnce }: Session) => {
        begin({ refused, lost });
        let calls = 0;
        const schedule = <Result>(_: string, call: () => Promise<Result>) =>
          ++calls >= ends ? Promise.reject(new CallNotAdmittedError('The session ends.')) : call();
        const more = {
          ...how,
          client,
          schedule,
          statementsAtOnce: atOnce,
          notesAtOnce: atOnce,
          transactionsAtOnce: atOnce,
        };
        await rehearsal.run([lineOf(lists)], ledger, { ...more, isAccepting: () => calls < ends });
      };
      const calm = { refused: [], lost: 0, ends: 1000, atOnce: 2 };
      for (const session of all) await run(session);
      const { lists } = all.at(-1) as Session;
      for (const how of [{}, { retryRejected: true as const }, { addToExisting: true as const }, {}]) {
        rehearsal.lines.length = 0;
        await run({ lists, ...calm, how });
      }

      expect(twice(added.statements.map((one) => one['statement_id']))).toEqual([]);
      expect(twice(added.instructions.map((one) => one['reference']))).toEqual([]);
      expect(twice(added.transactions.map((one) => one['transaction_id']))).toEqual([]);
      expect(twice(added.notes.map((one) => one['body']))).toEqual([]);

      const record = await ledger.find(KEY);
      if (record === undefined) throw new Error('the record is lost');
      expect(record.outcome).not.toBeNull();
      if (record.outcome === 'unknown') return;
      // The service skips transactions and notes that it has, so all of the line are there if the line has all that were sent.
      for (const [there, given] of [
        [added.transactions.map((one) => one['transaction_id']), lists.transactions.map(([id]) => `T-${id}`)],
        [added.notes.map((one) => one['body']), lists.notes.map((one) => note(one).body)],
      ] as const) {
        if (there.every((id) => given.some((one) => one === id))) expect(there).toEqual(expect.arrayContaining(given));
      }
      // An item is there as the line has it, or it is listed.
      const isChanged = rehearsal.lines.some(([, { as }]) => as === 'changed');
      for (const [step, list, there] of [
        ['statements', lists.statements.map(statement), added.statements],
        ['paymentInstruction', lists.instructions.map(instruction), added.instructions],
        ['transactions', lists.transactions.map(transaction), added.transactions],
        ['notes', lists.notes.map(note), added.notes],
      ] as const) {
        const isListed = isChanged || record.errors.some((error) => error.step === step);
        for (const item of list) {
          const isThere = there.some((one) => Object.entries(item).every(([name, value]) => one[name] === value));
          expect(isThere || isListed).toBe(true);
        }
      }
      const given = JSON.stringify(lineOf(lists));
      const ids = [
        ...added.statements.map((one) => one['statement_id']),
        ...added.instructions.map((one) => one['reference']),
        ...added.transactions.map((one) => one['transaction_id']),
        ...added.notes.map((one) => one['body']),
      ];
      // An item that was added and that the line lacks is listed.
      if (ids.some((id) => !given.includes(JSON.stringify(id)))) expect(isChanged).toBe(true);
      expect([itemsIn(lineOf(lists) as never), isChanged]).toSatisfy(
        ([line, isReported]) => isReported || differingSteps(line, record.items).length === 0,
      );
    }),
    { seed, numRuns: 150 },
  );
});
