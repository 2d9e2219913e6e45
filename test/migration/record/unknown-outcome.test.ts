/** What follows a request that may have created the account, or added something to it, is no proof that it did not (DESIGN 8). */

import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { DataImportClient, internalsOf } from '../../../src/client.js';
import { InFlight } from '../../../src/http/limits/in-flight.js';
import { createMemoryLedger } from '../../../src/migration/ledger/memory.js';
import { applyEvent } from '../../../src/migration/record/events/apply-event.js';
import { InFlightRecords } from '../../../src/migration/record/preconditions/quiet-time.js';
import { CallNotAdmittedError } from '../../../src/migration/record/record-context.js';
import type { RunContext } from '../../../src/migration/run/run-context.js';
import type { FaultRule } from '../../../src/sandbox/index.js';
import { machineNow } from '../../../src/validation/option-kinds.js';
import { settle } from '../../support/settle.js';
import { record } from '../ledger/records.js';
import { account, openRehearsal } from '../rehearsal.js';

const key = (number: string) => ({ supplier: 'SANDBOX_SUPPLIER', kind: 'account', number }) as const;
const ITEMS = {
  payment_instruction: { vendor: 'V', reference: 'R-1' },
  statements: [{ statement_id: 'S-1' }],
  transactions: [{ transaction_id: 'T-1', type: 'CREDIT', amount: 1 }],
  notes: [{ body: 'n' }],
};
const PROCESS = 'account-import-process/process/';

type Answer = (respond: () => Promise<Response>) => Promise<Response>;

const doneThen =
  (status: number, body: unknown): Answer =>
  async (respond) => {
    await respond();
    return Response.json(body, { status });
  };
const notDone =
  (status: number, body: unknown): Answer =>
  async () =>
    Response.json(body, { status });
const importedAs = (number: string) =>
  notDone(400, { code: 'account_already_imported', external_account_number: number, service_account_number: '0001' });
const REFUSED = {
  code: 'account_not_staged',
  errors: [{ code: 'account_not_staged', attr: 'external_account_number' }],
};

/** A service that gives these answers to requests for the path, in this order, and its own from then on. */
function answering(
  path: string,
  answers: Answer[],
  more: { maxRetries?: number; token?: () => string; isTokenGone?: () => boolean } = {},
) {
  const rehearsal = openRehearsal();
  const ledger = createMemoryLedger();
  const client = new DataImportClient({
    baseUrl: 'http://localhost:1',
    token: more.token ?? rehearsal.sandbox.token,
    advanced: { retryBaseMs: 0 },
    maxRetries: more.maxRetries ?? 1,
    fetch: (url, init) => {
      if (more.isTokenGone?.()) return Promise.resolve(new Response(null, { status: 401 }));
      const respond = () => rehearsal.sandbox.fetch(new Request(url, init));
      const answer = new URL(String(url)).pathname.endsWith(path) ? answers.shift() : undefined;
      return answer === undefined ? respond() : answer(respond);
    },
  });
  const added = () => {
    const { payment_instructions, statements, transactions, notes } =
      rehearsal.sandbox.state.suppliers[0]?.accounts[0]?.imported ?? {};
    return [payment_instructions, statements, transactions, notes].map((list) => list?.length);
  };
  return {
    ...rehearsal,
    ledger,
    added,
    requests: () => rehearsal.sandbox.requests().filter(({ operation }) => operation === 'accounts.process').length,
    hasAnswers: () => answers.length > 0,
    run: (records: readonly unknown[], options: object = {}) => rehearsal.run(records, ledger, { client, ...options }),
  };
}

describe('process, done and answered with 500', () => {
  test('and then refused, is asked about: the account is ours, and everything is added to it', async () => {
    const { run, ledger, added, created } = answering(PROCESS, [doneThen(500, {}), notDone(400, REFUSED)]);
    await run([account('A-1', {}, ITEMS)]);
    expect(await ledger.find(key('A-1'))).toMatchObject({ outcome: 'created', errors: [], unknown: [] });
    expect([created(), added()]).toEqual([['A-1'], [1, 1, 1, 1]]);
  });

  test.each([301, 302, 307])('so is one that is answered with the redirect %i', async (status) => {
    const { run, ledger, added, requests } = answering(PROCESS, [doneThen(status, {})]);
    await run([account('A-1', {}, ITEMS)]);
    expect(await ledger.find(key('A-1'))).toMatchObject({ outcome: 'created', items: { existed: false } });
    expect([requests(), added()]).toEqual([1, [1, 1, 1, 1]]);
  });

  test('and drained before the query, keeps its intent: a changed line does not start it again', async () => {
    const { run, ledger, added, lines, created, hasAnswers } = answering(PROCESS, [doneThen(500, {})]);
    await run([account('A-1', {}, ITEMS)], { isAccepting: hasAnswers });
    expect(await ledger.find(key('A-1'))).toMatchObject({ outcome: null, intent: 'process' });
    await run([account('A-1', { sales_channel: 'WEB' }, ITEMS)]);
    expect(await ledger.find(key('A-1'))).toMatchObject({ outcome: 'created' });
    expect([created(), added()]).toEqual([['A-1'], [1, 1, 1, 1]]);
    expect(lines).toMatchObject([[1, { as: 'changed', code: 'changed_after_import', key: key('A-1') }]]);
  });

  test('and aborted before it is sent again, keeps its intent', async () => {
    const ending = new AbortController();
    const answer: Answer = async (respond) => {
      await respond();
      ending.abort();
      return Response.json({}, { status: 500 });
    };
    const { run, ledger } = answering(PROCESS, [answer]);
    await run([account('A-1')], { signal: ending.signal });
    expect(await ledger.find(key('A-1'))).toMatchObject({ outcome: null, intent: 'process' });
  });

  test('and then without a token, keeps its intent, and the run stops for the token', async () => {
    let isGone = false;
    const answer: Answer = async (respond) => {
      await respond();
      isGone = true;
      return Response.json({}, { status: 500 });
    };
    const token = () => {
      if (isGone) throw new Error('no token');
      return 'sandbox-token';
    };
    const { run, ledger, events } = answering(PROCESS, [answer], { token, isTokenGone: () => isGone });
    let passes = 0;
    await run([account('A-1')], { isAccepting: () => passes++ < 8 });
    expect(await ledger.find(key('A-1'))).toMatchObject({ outcome: null, intent: 'process' });
    expect(events.at(-1)).toBe('A-1 reconcileFailed process');
  });
});

test('process, aborted before it was sent, leaves no intent: the next session need not ask', async () => {
  const ending = new AbortController();
  const { run, ledger, created } = answering(PROCESS, []);
  const schedule: RunContext['schedule'] = (step, call) => {
    if (step === 'process') ending.abort();
    return call();
  };
  await run([account('A-1')], { signal: ending.signal, schedule });
  expect(created()).toEqual([]);
  expect(await ledger.find(key('A-1'))).toMatchObject({ done: 'stage', outcome: null, intent: null });
});

describe('process, which the service has not stored yet when the runner queries it', () => {
  const conflict = notDone(409, { code: 'import_in_progress' });

  test('and refused as a conflict, is not rejected: the record stays open', async () => {
    const { run, ledger } = answering(PROCESS, [notDone(504, ''), ...Array(9).fill(conflict)]);
    await run([account('A-1', {}, ITEMS)]);
    expect(await ledger.find(key('A-1'))).toMatchObject({ outcome: null, intent: 'process', errors: [] });
  });

  test('a conflict without any doubt had no effect: the account is sent again and created', async () => {
    const { run, ledger } = answering(PROCESS, [conflict]);
    await run([account('A-1', {}, ITEMS)]);
    expect(await ledger.find(key('A-1'))).toMatchObject({ outcome: 'created', unknown: [], errors: [] });
  });

  test.each([
    ['in the same line', {}],
    ['in a line that was corrected', { sales_channel: 'WEB' }],
  ])(
    'a refused account that exists when it is tried again, %s, was created by this run: all its items are sent',
    async (_, corrected) => {
      const { run, ledger, sandbox, added, created } = answering(PROCESS, [notDone(400, REFUSED)]);
      await run([account('A-1', {}, ITEMS)]);
      expect(await ledger.find(key('A-1'))).toMatchObject({ outcome: 'rejected' });
      // The service was still at an earlier request.
      await sandbox.fetch(
        new Request(`http://localhost:1/v1/data-import/${PROCESS}`, {
          method: 'POST',
          headers: { authorization: `Token ${sandbox.token}`, 'content-type': 'application/json' },
          body: JSON.stringify({
            import_supplier_code: 'SANDBOX_SUPPLIER',
            external_account_number: 'A-1',
            operations_team_name: 'SANDBOX_TEAM',
          }),
        }),
      );
      await run([account('A-1', corrected, ITEMS)], { retryRejected: true });
      expect(await ledger.find(key('A-1'))).toMatchObject({ outcome: 'created', errors: [] });
      expect([created(), added()]).toEqual([['A-1'], [1, 1, 1, 1]]);
    },
  );
});

describe('U30 stage, whose request may still be running when the line is corrected', () => {
  const STAGE = 'account-import-process/create-or-update/';
  const begun = Date.parse('2026-01-15T09:00:00Z');

  /** Milliseconds from the last unanswered request to the one with the corrected data. */
  async function waitAfter(unanswered: () => Promise<Response>): Promise<number | undefined> {
    let time = begun;
    const now = () => new Date(time);
    let isCorrected = false;
    let [lostAt, sentAt]: (number | undefined)[] = [];
    const { run, sandbox } = openRehearsal();
    const client = new DataImportClient({
      baseUrl: 'http://localhost:1',
      token: sandbox.token,
      maxRetries: 0,
      fetch: async (url, init) => {
        if (!String(url).endsWith(STAGE)) return sandbox.fetch(new Request(url, init));
        if (isCorrected) {
          sentAt ??= time;
          return sandbox.fetch(new Request(url, init));
        }
        lostAt = time;
        return unanswered();
      },
    });
    const ledger = createMemoryLedger();
    const session = (more: Record<string, unknown>) =>
      run([account('A-1', more)], ledger, {
        ...{ client, now, inFlight: new InFlightRecords(internalsOf(client).shared.inFlight, now) },
        async sleep(ms) {
          time += ms;
        },
      });
    await session({});
    isCorrected = true;
    await session({ billing_postcode: '69001' });
    expect(await ledger.find(key('A-1'))).toMatchObject({ outcome: 'created' });
    return sentAt !== undefined && lostAt !== undefined ? sentAt - lostAt : undefined;
  }

  test.each<[string, () => Promise<Response>]>([
    ['a lost connection', () => Promise.reject(new TypeError('fetch failed'))],
    ['502', async () => new Response('<html>Bad gateway</html>', { status: 502 })],
    ['503', async () => Response.json({ detail: 'Down.' }, { status: 503 })],
    ['504 in JSON', async () => Response.json({ detail: 'Too slow.' }, { status: 504 })],
    ['the page of a gateway with 500', async () => new Response('<html>Error</html>', { status: 500 })],
  ])('after %s waits for the quiet time: the older data must not replace the corrected ones', async (_, unanswered) => {
    expect(await waitAfter(unanswered)).toBeGreaterThanOrEqual(60_000);
  });

  test("after a 500 in the service's own words is sent at once: that request has ended", async () => {
    const failed = async () => Response.json({ detail: 'Failed.' }, { status: 500 });
    expect(await waitAfter(failed)).toBe(0);
  });
});

test('an account that is there under another number is another: it is found, and nothing is added to it', async () => {
  const other = notDone(400, { external_account_number: 'a-1', service_account_number: '0001' });
  const { run, ledger } = answering(PROCESS, [other]);
  await run([account('A-1', {}, ITEMS)]);
  expect(await ledger.find(key('A-1'))).toMatchObject({ outcome: 'alreadyImported', serviceNumber: '0001' });
});

describe('an account that another program created between staging and process', () => {
  test.each<[string, Answer[]]>([
    ['refused with its numbers', [importedAs('A-1')]],
    ['refused with its numbers after a 429', [notDone(429, {}), importedAs('A-1')]],
    ['refused without a number', [doneThen(400, REFUSED)]],
  ])('%s: is not created by this run, and nothing is added to it', async (_, answers) => {
    const { run, ledger, added } = answering(PROCESS, answers);
    await run([account('A-1', {}, ITEMS)]);
    const found = await ledger.find(key('A-1'));
    expect(found).toMatchObject({ outcome: 'alreadyImported' });
    expect(found?.errors).toContainEqual({ step: 'statements', code: 'existed_before_import', attr: 'statements' });
    expect(added().filter(Boolean)).toEqual([]);
  });
});

test('a refusal that names another account is the answer to another request: the outcome is unknown', async () => {
  const { run, ledger } = answering(PROCESS, [importedAs('A-2')]);
  await run([account('A-1', {}, ITEMS)]);
  expect(await ledger.find(key('A-1'))).toMatchObject({
    ...{ outcome: 'unknown', serviceNumber: null },
    errors: [{ step: 'process', code: 'answer_of_another_request', attr: 'external_account_number' }],
  });
});

test('an account whose process a person called not done by mistake is the one of this run', async () => {
  const doneAs =
    (number: string): Answer =>
    async (respond) => {
      await respond();
      return importedAs(number)(respond);
    };
  const { run, ledger, added } = answering(PROCESS, [doneAs('A-2'), importedAs('A-1')]);
  await run([account('A-1', {}, ITEMS)]);
  await settle(ledger, { ...key('A-1'), step: 'process' }, 'notDone', () => new Date(0));
  await run([account('A-1', {}, ITEMS)]);
  expect(await ledger.find(key('A-1'))).toMatchObject({ serviceNumber: '0001', items: { existed: false } });
  // Statements are sent only to accounts of the run.
  expect(added()[1]).toBe(1);
});

describe('what the service cannot be asked about', () => {
  const PAYMENT = '/payment-instruction/create/';

  test.each([303, 408, 499])('answered with %i, neither a success nor a refusal: unknown', async (status) => {
    const { run, ledger, added } = answering(PAYMENT, [doneThen(status, {})]);
    await run([account('A-1', {}, ITEMS)]);
    expect(await ledger.find(key('A-1'))).toMatchObject({ outcome: 'unknown', unknown: ['paymentInstruction'] });
    expect(added()).toEqual([1, 1, 1, 1]);
  });

  test('sent again after a 500 on demand, and then refused: unknown', async () => {
    const { run, ledger, added } = answering(PAYMENT, [doneThen(500, {}), notDone(403, {})]);
    await run([account('A-1', {}, ITEMS)], { resendAfter500: true });
    expect(await ledger.find(key('A-1'))).toMatchObject({ outcome: 'unknown', unknown: ['paymentInstruction'] });
    expect(added()).toEqual([1, 1, 1, 1]);
  });
});

test('a transaction of a request without an answer that leaves the line: unknown, and listed until a person answers', async () => {
  const ending = new AbortController();
  const lost: Answer = async (respond) => {
    await respond();
    ending.abort();
    throw new TypeError('fetch failed');
  };
  const { run, ledger, lines } = answering('transactions/create/', [lost]);
  const [one, two] = ['T-1', 'T-2'].map((transaction_id) => ({ ...ITEMS.transactions[0], transaction_id }));
  await run([account('A-1', {}, { transactions: [one, two] })], { signal: ending.signal });
  for (const options of [{}, { addToExisting: true }]) {
    await run([account('A-1', {}, { transactions: [two] })], options);
    expect(await ledger.find(key('A-1'))).toMatchObject({ outcome: 'unknown', unknown: ['transactions'] });
  }
  await settle(ledger, { ...key('A-1'), step: 'transactions' }, 'done', () => new Date(0));
  lines.length = 0;
  await run([account('A-1', {}, { transactions: [two] })]);
  expect(await ledger.find(key('A-1'))).toMatchObject({ outcome: 'created', unknown: [] });
  expect(lines).toMatchObject([[1, { as: 'changed', change: { difference: { removed: ['transactions'] } } }]]);
});

describe('a staging request without an answer', () => {
  const DROPPED = { match: { operation: 'accounts.stage' }, effect: 'drop', phase: 'afterCommit' } as const;

  /** A service that takes 20 s for each staging request; `intents`: of the ledger, when each of them left. */
  function stagingWith(...faults: FaultRule[]) {
    const rehearsal = openRehearsal({ faults });
    const ledger = createMemoryLedger();
    let time = Date.parse('2026-01-15T09:00:00Z');
    const now = () => new Date(time);
    const intents: (string | null | undefined)[] = [];
    const client = new DataImportClient({
      ...{ baseUrl: 'http://localhost:1', token: rehearsal.sandbox.token, advanced: { retryBaseMs: 0 }, maxRetries: 2 },
      fetch: async (url, init) => {
        if (String(url).includes('create-or-update')) {
          intents.push((await ledger.find(key('A-1')))?.intentAt);
          time += 20_000;
        }
        return rehearsal.sandbox.fetch(new Request(url, init));
      },
    });
    const inFlight = new InFlightRecords(internalsOf(client).shared.inFlight, now);
    const run = (more: object = {}, fields: Record<string, unknown> = {}) =>
      rehearsal.run([account('A-1', fields)], ledger, { client, now, inFlight, ...more });
    return { ledger, intents, run };
  }

  test('is repeated with a new intent: a later session with other data waits from when it was sent', async () => {
    const { run, ledger, intents } = stagingWith({ ...DROPPED, when: { nth: 1 } }, { ...DROPPED, when: { nth: 2 } });
    await run();
    expect(intents).toEqual(['2026-01-15T09:00:00.000Z', '2026-01-15T09:00:20.000Z', '2026-01-15T09:00:40.000Z']);
    expect(await ledger.find(key('A-1'))).toMatchObject({ outcome: 'created' });
  });

  test('keeps its time if the run does not send it again', async () => {
    const { run, ledger } = stagingWith({ ...DROPPED, when: 'every' });
    let turns = 0;
    await run({
      schedule: (step: string, call: () => Promise<unknown>) =>
        step === 'stage' && turns++ > 0 ? Promise.reject(new CallNotAdmittedError('drained')) : call(),
    });
    expect(await ledger.find(key('A-1'))).toMatchObject({
      ...{ intent: null, stageUnansweredAt: '2026-01-15T09:00:20.000Z' },
    });
  });

  test('keeps its time if the intent is of a second one that the service has answered with 500', () => {
    const intent = { intent: 'stage', intentAt: null, intentHash: '02'.repeat(32) } as const;
    const staged = record('A-1', { ...intent, done: 'check', stageUnansweredAt: '2026-01-15T09:00:20.000Z' });
    const line = { hash: '03'.repeat(32), contentHash: '', source: 'input', line: 1, contract: null };
    expect(applyEvent(staged, { type: 'lineChanged', ...line }, '2026-01-15T09:00:30.000Z')).toMatchObject({
      ...{ intent: 'stage', intentAt: '2026-01-15T09:00:20.000Z', intentHash: '02'.repeat(32), hash: '03'.repeat(32) },
    });
  });

  test('keeps its time if the second one is answered with 500, which does not answer the first', async () => {
    const failed = Array.from({ length: 20 }, (_, index): FaultRule => {
      return { match: DROPPED.match, when: { nth: index + 2 }, effect: { status: 500, body: { detail: 'Failed.' } } };
    });
    const { run, ledger } = stagingWith({ ...DROPPED, when: 'first' }, ...failed);
    await run();
    expect(await ledger.find(key('A-1'))).toMatchObject({
      ...{ outcome: null, intent: null, stageUnansweredAt: '2026-01-15T09:00:20.000Z' },
    });
  });

  test('keeps its time if the second one is refused: a corrected line waits until the first has ended', async () => {
    const refused = { status: 400, body: { code: 'account_failed_validation', errors: [] } };
    const { run, ledger, intents } = stagingWith(
      { ...DROPPED, when: 'first' },
      { match: DROPPED.match, when: { nth: 2 }, effect: refused },
    );
    await run();
    expect(await ledger.find(key('A-1'))).toMatchObject({
      ...{ outcome: 'rejected', intent: null, stageUnansweredAt: '2026-01-15T09:00:20.000Z' },
      errors: [{ step: 'stage', code: 'account_failed_validation' }],
    });

    const waits: number[] = [];
    await run(
      { sleep: async (ms: number) => waits.push(ms), isAccepting: () => waits.length === 0 },
      { sales_channel: 'WEB' },
    );
    // 60 s of quiet time from the intent, of which 20 s are over.
    expect([waits, intents.length]).toEqual([[40_000], 2]);
  });
});

/** Two minutes are more than the quiet time: a clock that is set forward would end it, and a second request would create the account twice. */
describe.each([
  ['forward', 120_000],
  ['back', -120_000],
])('the clock of the machine is set %s while a request may still be running', (_, setMs) => {
  const QUIET_MS = 60_000;

  function started() {
    vi.useFakeTimers({ toFake: ['Date', 'performance'], now: Date.parse('2026-01-15T09:00:00Z') });
    onTestFinished(() => void vi.useRealTimers());
    const inFlight = new InFlightRecords(new InFlight(QUIET_MS, 30_000), machineNow);
    const sending = () => {
      const sent = record('A-1', { intent: 'process', intentAt: new Date().toISOString() });
      expect(inFlight.isStale(sent.intentAt)).toBe(false);
      return sent;
    };
    const setClock = () => vi.setSystemTime(Date.now() + setMs);
    return { inFlight, sending, setClock };
  }

  test('after its answer was lost', () => {
    const { inFlight, sending, setClock } = started();
    const sent = sending();
    expect(inFlight.untilQuiet(sent)).toBe(QUIET_MS);
    vi.advanceTimersByTime(1000);
    setClock();
    expect([inFlight.untilQuiet(sent), inFlight.waiting().longestMs]).toEqual([59_000, 59_000]);
    vi.advanceTimersByTime(58_999);
    expect(inFlight.answeredNo(sent)).toBe(false);
    vi.advanceTimersByTime(6000);
    expect(inFlight.answeredNo(sent)).toBe(true);
  });

  test('before its answer was lost, and again after that', () => {
    const { inFlight, sending, setClock } = started();
    const sent = sending();
    vi.advanceTimersByTime(2000);
    setClock();
    vi.advanceTimersByTime(1000);
    expect(inFlight.untilQuiet(sent)).toBe(57_000);
    setClock();
    expect(inFlight.untilQuiet(sent)).toBe(57_000);
  });

  test('before it was sent', () => {
    const { inFlight, sending, setClock } = started();
    sending();
    vi.advanceTimersByTime(40_000);
    setClock();
    vi.advanceTimersByTime(10);
    const sent = sending();
    vi.advanceTimersByTime(1000);
    expect(inFlight.untilQuiet(sent)).toBe(59_000);
  });

  test('its intent is stored again before it is sent: the next session has only the date', () => {
    const { inFlight, sending, setClock } = started();
    const { intentAt } = sending();
    setClock();
    if (setMs < 0) vi.advanceTimersByTime(15_001);
    expect(inFlight.isStale(intentAt)).toBe(true);
  });
});
