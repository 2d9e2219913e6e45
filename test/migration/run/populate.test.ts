/** Supply points that are to be looked up: the first stage of a migration, each record once (E1). */
import { describe, expect, test } from 'vitest';
import { DataImportClient } from '../../../src/client.js';
import { createMemoryLedger } from '../../../src/migration/ledger/memory.js';
import { unknownsOf } from '../../../src/migration/operations/resolve.js';
import type { RunContext } from '../../../src/migration/run/run-context.js';
import { startImportService } from '../../support/import-service.js';
import { settle } from '../../support/settle.js';
import { account, business, openRehearsal } from '../rehearsal.js';

type Answer = 'answered' | 'killed after it took effect' | 'reset after it took effect' | Response;

type Service = 'the sandbox' | 'the independent service';

const first = { populate: { prm_ids: ['01234567890123'] } };
const second = { populate: { pce_ids: ['09876543210987'], customer_category: 'RESIDENTIAL' } };

/** A service, and sessions of one run of it. Each populate request ends as `answers` says, and then well. */
async function open(service: Service, answers: Answer[] = []) {
  const rehearsal = openRehearsal();
  const independent = service === 'the sandbox' ? undefined : await startImportService();
  const serve = (request: Request) =>
    independent === undefined
      ? rehearsal.sandbox.fetch(request)
      : independent.fetch(request, new AbortController().signal);
  const ledger = createMemoryLedger();
  const paths: string[] = [];
  const sent: unknown[] = [];
  async function session(records: readonly unknown[], more: Partial<RunContext> = {}) {
    let kill = () => {};
    const killed = new Promise<void>((resolve) => {
      kill = resolve;
    });
    const client = new DataImportClient({
      ...{ baseUrl: 'http://localhost:1', token: rehearsal.sandbox.token, advanced: { retryBaseMs: 0 }, maxRetries: 0 },
      ...{ timeoutMs: Number.POSITIVE_INFINITY, deadlineMs: Number.POSITIVE_INFINITY },
      async fetch(url, init) {
        const path = new URL(String(url)).pathname.replace('/v1/data-import/', '');
        paths.push(path);
        const respond = () => serve(new Request(url, init));
        if (path !== 'supply-point/populate/') return respond();
        sent.push(JSON.parse(String(init?.body)));
        const answer = answers.shift() ?? 'answered';
        if (answer === 'answered') return respond();
        if (answer instanceof Response) return answer;
        await respond();
        if (answer === 'reset after it took effect') throw new TypeError('fetch failed');
        kill();
        return new Promise<never>(() => {});
      },
    });
    await Promise.race([rehearsal.run(records, ledger, { client, ...more }), killed]);
    const found = [];
    for await (const record of ledger.list({ kind: 'populate' })) found.push(record);
    return found;
  }
  return {
    ...rehearsal,
    session,
    ledger,
    paths,
    sent,
    queued: () =>
      independent === undefined ? rehearsal.sandbox.state.populate_batches.length : independent.populated.length,
  };
}

describe.each<Service>(['the sandbox', 'the independent service'])(
  'supply points to be looked up, against %s',
  (service) => {
    test('E1 are sent, and have ended, before all other records, at any place of the input; the ledger has the batch id', async () => {
      const { session, paths, events, queued } = await open(service);
      expect(await session([account('A-1'), business('B-1', 'C-1'), first, account('A-2'), second])).toMatchObject([
        { supplier: '', kind: 'populate', outcome: 'created', line: 3, serviceNumber: expect.stringMatching(/./) },
        { supplier: '', kind: 'populate', outcome: 'created', line: 5, serviceNumber: expect.stringMatching(/./) },
      ]);
      expect(paths.slice(0, 2)).toEqual(['supply-point/populate/', 'supply-point/populate/']);
      const others = events.findIndex((event) => /^[AB]-/.test(event));
      expect(events.findLastIndex((event) => !/^[AB]-/.test(event))).toBeLessThan(others);
      expect(queued()).toBe(2);
    });

    test('the same supply points again are a duplicate, also with other spacing, and are sent once', async () => {
      const { session, lines, queued } = await open(service);
      await session([first, { populate: { prm_ids: ['01234567890123'], pce_ids: undefined } }, second, first]);
      expect(queued()).toBe(2);
      expect(lines).toMatchObject([
        [2, { as: 'skipped', code: 'duplicate_record' }],
        [4, { as: 'skipped', code: 'duplicate_record' }],
      ]);
    });

    test.each<Answer>(['killed after it took effect', 'reset after it took effect'])(
      'a request that was %s is unknown and not sent again; a decision settles it',
      async (answer) => {
        const { session, ledger, queued } = await open(service, [answer]);
        await session([first, account('A-1')]);
        expect(await session([first, account('A-1')])).toMatchObject([{ outcome: 'unknown', unknown: ['populate'] }]);
        await session([first, account('A-1')]);
        expect(queued()).toBe(1);
        expect(await ledger.find({ supplier: 'SANDBOX_SUPPLIER', kind: 'account', number: 'A-1' })).toMatchObject({
          outcome: 'created',
        });
        expect((await unknownsOf(ledger)).map(({ step }) => step)).toEqual(['populate']);
        await settle(ledger, { step: 'populate' }, 'done', () => new Date(), undefined, 'BATCH-7');
        expect(await session([first, account('A-1')])).toMatchObject([
          { outcome: 'created', serviceNumber: 'BATCH-7' },
        ]);
        expect(queued()).toBe(1);
      },
    );

    test('E1 one that a person found to be not done is sent once more, and not again', async () => {
      const { session, ledger, queued, sent } = await open(service, ['reset after it took effect']);
      await session([first, account('A-1')]);
      await settle(ledger, { step: 'populate' }, 'notDone', () => new Date());
      expect(await session([first, account('A-1')])).toMatchObject([{ outcome: 'created', unknown: [] }]);
      await session([first, account('A-1')]);
      expect([sent, queued()]).toEqual([[first.populate, first.populate], 2]);
    });

    test('a refusal rejects only the record, and retry sends it again', async () => {
      const refused = Response.json({ code: 'invalid', detail: 'x', errors: [] }, { status: 400 });
      const { session, queued } = await open(service, [refused]);
      expect(await session([first, account('A-1')])).toMatchObject([
        { outcome: 'rejected', errors: [{ code: 'invalid' }] },
      ]);
      expect(await session([first, account('A-1')])).toMatchObject([{ outcome: 'rejected' }]);
      expect(await session([first, account('A-1')], { retryRejected: true })).toMatchObject([
        { outcome: 'created', errors: [] },
      ]);
      expect(queued()).toBe(1);
    });

    test('while they cannot be sent, no account begins', async () => {
      const unauthorised = () => Response.json({ detail: 'x' }, { status: 403 });
      const { session, paths } = await open(service, Array.from({ length: 5 }, unauthorised));
      expect(await session([account('A-1'), first])).toMatchObject([{ outcome: null }]);
      expect(new Set(paths)).toEqual(new Set(['supply-point/populate/']));
      expect(await session([account('A-1'), first])).toMatchObject([{ outcome: null }]);
    });
  },
);

test('a field that the specification does not have rejects the record before anything is sent', async () => {
  const { session, sent } = await open('the sandbox');
  expect(await session([{ populate: { prm_ids: ['1'], colour: 'x' } }])).toMatchObject([
    { outcome: 'rejected', errors: [{ step: 'check', code: 'unknown_field' }] },
  ]);
  expect(sent).toEqual([]);
});
