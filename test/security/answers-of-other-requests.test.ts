/** An answer that belongs to another request is no success: neither for the client nor for a run (decision 68). */
import { describe, expect, onTestFinished, test } from 'vitest';
import { DataImportClient } from '../../src/client.js';
import { createMemoryLedger } from '../../src/migration/ledger/memory.js';
import type { RunContext } from '../../src/migration/run/run-context.js';
import { parseHalt } from '../../src/migration/throttle/halt-rules.js';
import { createThrottle } from '../../src/migration/throttle/throttle.js';
import { errorOf } from '../helpers/client-of.js';
import { account, business, openRehearsal } from '../migration/rehearsal.js';

type Body = Record<string, unknown>;
type Change = (body: never, path: string) => unknown;

/** A run against the sandbox, whose answers with success are changed. It halts as a run of the command line. */
function open(changes: Record<string, Change>, { lost = () => false }: { lost?: (payload: Body) => boolean } = {}) {
  const { sandbox, run } = openRehearsal();
  const requests: string[] = [];
  const client = new DataImportClient({
    ...{ baseUrl: 'http://localhost:1', token: sandbox.token, advanced: { retryBaseMs: 0 }, maxRetries: 0 },
    fetch: async (url, init) => {
      const path = new URL(String(url)).pathname.replace('/v1/data-import/', '');
      requests.push(path);
      const answer = await sandbox.fetch(new Request(url, init));
      const isProcess = path.endsWith('process/process/');
      if (isProcess && lost(JSON.parse(String(init.body)))) return new Response('', { status: 504 });
      const change = Object.entries(changes).find(([name]) => path.includes(name))?.[1];
      if (change === undefined || !answer.ok) return answer;
      const changed = change((await answer.json()) as never, path);
      return changed instanceof Response ? changed : Response.json(changed, { status: answer.status });
    },
  });
  const ledger = createMemoryLedger();
  return {
    client,
    ledger,
    requests,
    async run(records: readonly unknown[], more: Partial<RunContext> = {}) {
      const throttle = createThrottle({ halt: parseHalt('same=0') });
      onTestFinished(() => throttle.drain());
      const { onEvent, isAccepting, schedule } = throttle;
      await run(records, ledger, { client, onEvent, isAccepting, schedule, ...more });
      return throttle.status();
    },
    async outcomes() {
      const found: Record<string, unknown> = {};
      for await (const { number, outcome } of ledger.list()) found[number] = outcome;
      return found;
    },
  };
}

const key = (number: string) => ({ supplier: 'SANDBOX_SUPPLIER', kind: 'account', number }) as const;
const CODE = 'answer_of_another_request';

describe('a number of the service that another record of the run has', () => {
  const numbers = Array.from({ length: 10 }, (_, index) => `A-${index}`);
  const sameNumber = () => ({ service_account_number: 'S-1' });

  test('for ten accounts at once: one is created, the others are unknown, and the run halts', async () => {
    const { run, outcomes } = open({ 'process/process/': sameNumber });
    expect(await run(numbers.map((number) => account(number)))).toMatchObject({
      state: 'halted',
      reason: expect.stringMatching(
        /^the answer to process of account …\d \(input record \d+\) belongs to another request: /,
      ),
    });
    const found = Object.values(await outcomes());
    expect(found.filter((outcome) => outcome === 'created')).toHaveLength(1);
    expect(found.filter((outcome) => outcome === 'unknown').length).toBeGreaterThan(0);
    expect(found.every((outcome) => outcome === 'created' || outcome === 'unknown' || outcome === null)).toBe(true);
  });

  test('of an earlier session', async () => {
    const { run, ledger } = open({ 'process/process/': sameNumber });
    await run([account('A-1')]);
    expect(await run([account('A-1'), account('A-2')])).toMatchObject({ state: 'halted' });
    expect(await ledger.find(key('A-2'))).toMatchObject({
      outcome: 'unknown',
      unknown: ['process'],
      serviceNumber: null,
      errors: [{ step: 'process', code: CODE, attr: 'service_account_number' }],
    });
  });

  test('in the status answer after a lost answer', async () => {
    const number = (_: unknown, path: string) => (path.includes('A-2') ? { status: 'PENDING', ...sameNumber() } : {});
    const { run, ledger } = open(
      { 'process/process/': sameNumber, 'account-transfer-status': number },
      { lost: ({ external_account_number }: Body) => external_account_number === 'A-2' },
    );
    expect(await run([account('A-1'), account('A-2')], { recordsAtOnce: 1 })).toMatchObject({ state: 'halted' });
    expect(await ledger.find(key('A-2'))).toMatchObject({
      outcome: 'unknown',
      unknown: ['process'],
      serviceNumber: null,
    });
  });

  test('of two businesses', async () => {
    const { run, outcomes } = open({ 'business/': (body: object) => ({ ...body, service_business_id: 17 }) });
    const status = await run([business('B-1', 'C-1'), business('B-2', 'C-2')], { recordsAtOnce: 1 });
    expect(status).toMatchObject({ state: 'halted', reason: expect.stringContaining('to create of business …2') });
    expect(await outcomes()).toEqual({ 'B-1': 'created', 'B-2': 'unknown' });
  });
});

const ITEMS = {
  payment_instruction: { vendor: 'V', reference: 'R-1' },
  statements: [{ statement_id: 'S-1' }, { statement_id: 'S-2' }],
  notes: [{ body: 'n' }],
};
const BUSINESS = { ...business('B-1', 'C-1'), payment_instructions: [{ vendor: 'V', reference: 'R-1' }] };
const merged =
  (more: object): Change =>
  (body: object) => ({ ...body, ...more });

/** Step, path of the request, path of the wrong field in the error, and the change of the answer. */
const wrong: [step: string, path: string, attr: string, change: Change, record?: unknown][] = [
  ['stage', 'create-or-update/', 'external_account_number', merged({ external_account_number: 'B-9' })],
  ['stage', 'create-or-update/', 'import_supplier', merged({ import_supplier: 'OTHER' })],
  ['process', 'process/process/', 'external_account_number', merged({ external_account_number: 'B-9' })],
  ['create', 'business/', 'external_business_identifier', merged({ external_business_identifier: 'B-9' }), BUSINESS],
  [
    'paymentInstruction',
    'business-payment-instruction',
    'payment_instructions.0.reference',
    merged({ reference: 'R-9' }),
    BUSINESS,
  ],
  ['paymentInstruction', '/create/', 'reference', merged({ reference: 'R-9' })],
  ['paymentInstruction', 'payment-instruction', 'service_account_number', merged({ service_account_number: '9' })],
  ['statements', 'historical', 'external_account_number', merged({ external_account_number: 'B-9' })],
  ['statements', 'historical', 'service_account_number', merged({ service_account_number: '9' })],
  ['statements', 'historical', 'statements.0.statement_id', merged({ statements: [{ statement_id: 'S-9' }] })],
  ['statements', 'historical', '1.statement_id', () => [{ statement_id: 'S-1' }, { statement_id: 'S-9' }]],
  [
    'notes',
    'notes/create/',
    '0.external_account_number',
    (body: object[]) => body.map((entry) => ({ ...entry, external_account_number: 'B-9' })),
  ],
];

describe('an answer that names something else than the request', () => {
  test.each(wrong)('%s, %s: %s is unknown, and the run halts', async (step, path, attr, change, record) => {
    const onlyOfStep: Change = (body, at) =>
      step === 'paymentInstruction' && !at.includes('payment') ? body : change(body, at);
    const { run, ledger } = open({ [path]: onlyOfStep });
    const status = await run([record ?? account('A-1', {}, ITEMS)]);
    expect(status).toMatchObject({ state: 'halted', reason: expect.stringContaining('belongs to another request') });
    const first = [];
    for await (const one of ledger.list()) first.push(one);
    expect(first[0]?.unknown).toEqual([step]);
    expect(first[0]?.errors).toEqual([{ step, code: CODE, attr }]);
  });

  test('of a check without effect: nothing is unknown, the record continues in the next session, and the run halts', async () => {
    const { run, ledger } = open({ 'validate-account': merged({ external_account_number: 'B-9' }) });
    expect(await run([account('A-1')], { validateRemotely: true })).toMatchObject({ state: 'halted' });
    expect(await ledger.find(key('A-1'))).toMatchObject({ outcome: null, unknown: [], done: 'check' });
  });

  test('of a status query: nothing is decided, and the run halts', async () => {
    const { run, ledger } = open(
      { 'account-transfer-status': merged({ external_account_number: 'B-9' }) },
      { lost: () => true },
    );
    expect(await run([account('A-1')])).toMatchObject({ state: 'halted' });
    expect(await ledger.find(key('A-1'))).toMatchObject({ outcome: null, intent: 'process' });
  });

  const upper: Change = (body: object) =>
    JSON.parse(JSON.stringify(body), (name, value) =>
      ['import_supplier', 'external_account_number', 'reference', 'statement_id'].includes(name)
        ? ` ${value.toUpperCase()}`
        : value,
    );

  test.each<[string, Change]>([
    ['in another letter case', upper],
    [
      'by import_supplier_code',
      ({ import_supplier, ...body }: Body) =>
        import_supplier ? { ...body, import_supplier_code: import_supplier } : body,
    ],
    ['with empty names', merged({ import_supplier: '', external_account_number: null })],
  ])('%s is of the same request', async (_, change) => {
    const paths = ['create-or-update/', 'process/process/', 'payment-instruction', 'historical'];
    const { run, ledger } = open(Object.fromEntries(paths.map((path) => [path, change])));
    await run([account('a-1', {}, { ...ITEMS, statements: [{ statement_id: 's-1' }] })]);
    expect(await ledger.find(key('a-1'))).toMatchObject({ outcome: 'created', errors: [] });
  });
});

const refusal =
  (status: number, body: object): Change =>
  () =>
    Response.json(body, { status });
const OTHER_ACCOUNT = { detail: 'Invalid.', code: 'invalid', external_account_number: 'B-9' };

describe('a refusal that names something else than the request: what it refuses may have been added', () => {
  test.each<[step: string, path: string, attr: string, change: Change, items: Body]>([
    ['notes', 'notes/create/', 'external_account_number', refusal(400, OTHER_ACCOUNT), ITEMS],
    ['notes', 'notes/create/', 'external_account_number', refusal(404, OTHER_ACCOUNT), ITEMS],
    ['statements', 'historical', 'external_account_number', refusal(422, OTHER_ACCOUNT), ITEMS],
    [
      'paymentInstruction',
      'payment-instruction',
      'reference',
      refusal(500, { error_detail: 'Failed.', external_account_number: 'A-1', reference: 'R-9' }),
      ITEMS,
    ],
  ])('%s, %s: %s is unknown, and the run halts', async (step, path, attr, change, items) => {
    const { run, ledger } = open({ [path]: change });
    expect(await run([account('A-1', {}, items)])).toMatchObject({
      state: 'halted',
      reason: expect.stringContaining('belongs to another request'),
    });
    expect(await ledger.find(key('A-1'))).toMatchObject({
      unknown: [step],
      errors: [{ step, code: CODE, attr }],
    });
  });

  test('of staging: the account is not rejected', async () => {
    const { run, ledger } = open({ 'create-or-update/': refusal(400, OTHER_ACCOUNT) });
    expect(await run([account('A-1')])).toMatchObject({ state: 'halted' });
    expect(await ledger.find(key('A-1'))).not.toMatchObject({ outcome: 'rejected' });
  });

  test.each([
    ['the reason of a refused field', { detail: 'Invalid.', reference: 'This reference is in use.' }],
    ['a list of refused fields', { external_account_number: 'invalid', reference: ['taken'] }],
    ['the names of the request', { detail: 'Invalid.', external_account_number: ' a-1 ', reference: 'r-1' }],
    ['nothing', { detail: 'Invalid.', code: 'invalid' }],
  ])('%s is no other name: the instruction is rejected', async (_, body) => {
    const { run, ledger } = open({ 'payment-instruction': refusal(400, body) });
    expect(await run([account('A-1', {}, { payment_instruction: ITEMS.payment_instruction })])).toMatchObject({
      state: 'running',
    });
    expect(await ledger.find(key('A-1'))).toMatchObject({
      outcome: 'created',
      unknown: [],
      items: { paymentInstruction: [{ status: 'rejected' }] },
    });
  });
});

describe('the client', () => {
  const OF_A1 = { import_supplier: 'ACME', external_account_number: 'A-1' };
  const PROCESS = { import_supplier_code: 'ACME', external_account_number: 'A-1', operations_team_name: 'T' };
  const OF_B1 = { import_supplier_code: 'ACME', external_business_identifier: 'B-1' };
  const other = { external_account_number: 'B-9' };

  function answering(...answers: [status: number, body: unknown][]) {
    let count = 0;
    const fetch = async () => {
      const [status, body] = answers[Math.min(count++, answers.length - 1)] as [number, unknown];
      return Response.json(body, { status });
    };
    const client = new DataImportClient({
      baseUrl: 'http://localhost:1',
      token: 'T',
      advanced: { retryBaseMs: 0 },
      fetch,
    });
    onTestFinished(() => client.close());
    return { client, requests: () => count };
  }

  test.each<[string, object, (client: DataImportClient) => PromiseLike<unknown>]>([
    ['accounts.validate', other, (client) => client.accounts.validate(OF_A1)],
    ['accounts.stage', { import_supplier: 'ACME', ...other }, (client) => client.accounts.stage(OF_A1)],
    [
      'imports.status',
      { status: 'PENDING', service_account_number: 'S-1', ...other },
      (client) => client.imports.status({ import_supplier_code: 'ACME', external_account_number: 'A-1' }),
    ],
  ])('%s, which is safe to repeat, rejects with ResponseMismatchError', async (_, body, call) => {
    const { client, requests } = answering([200, body]);
    const error = await errorOf(call(client));
    expect(error).toMatchObject({ name: 'ResponseMismatchError', otherName: 'external_account_number', body });
    expect(error.message).not.toContain('B-9');
    expect(requests()).toBe(1);
  });

  test('a refusal whose number is an object is an error of the service, as any other', async () => {
    const { client } = answering([400, { service_account_number: { toString: 0 }, detail: 'No.', code: 'no' }]);
    expect(await errorOf(client.accounts.validate(OF_A1))).toMatchObject({ name: 'ValidationError', code: 'no' });
  });

  test.each<[string, string, unknown, (client: DataImportClient) => PromiseLike<unknown>]>([
    [
      'accounts.process',
      'external_account_number',
      { service_account_number: 'S-1', ...other },
      (client) => client.accounts.process(PROCESS),
    ],
    [
      'businesses.create',
      'external_business_identifier',
      { service_business_id: 1, external_business_identifier: 'B-9' },
      (client) => client.businesses.create(OF_B1),
    ],
    [
      'businesses.createPaymentInstruction',
      'reference',
      { reference: 'R-9', external_business_identifier: 'B-1' },
      (client) => client.businesses.createPaymentInstruction({ ...OF_B1, vendor: 'V', reference: 'R-1' }),
    ],
    [
      'paymentInstructions.create',
      'reference',
      { service_account_number: 'S-1', reference: 'R-9' },
      (client) => client.paymentInstructions.create({ ...OF_A1, vendor: 'V', reference: 'R-1' }),
    ],
    [
      'historicalStatements.create',
      'statements.0.number',
      { statements: [{ number: '9' }] },
      (client) => client.historicalStatements.create({ ...OF_A1, statements: [{ number: '1' }] }),
    ],
  ])('%s rejects with OutcomeUnknownError: %s names another request', async (_, attr, body, call) => {
    const { client, requests } = answering([201, body]);
    const error = await errorOf(call(client));
    expect(error).toMatchObject({
      ...{ name: 'OutcomeUnknownError', nextAction: 'resolve' },
      cause: { name: 'ResponseMismatchError', otherName: attr },
    });
    expect(error.message).toContain('the answer belongs to another request');
    expect(requests()).toBe(1);
  });

  test.each([{ detail: 'It exists.', code: 'account_already_imported' }, {}])(
    'a refusal of another account that exists, with %j, does not give this one its number',
    async (more) => {
      const body = { ...more, ...other, service_account_number: 'S-9' };
      const { client } = answering([400, body]);
      expect(await errorOf(client.accounts.process(PROCESS))).toMatchObject({
        name: 'OutcomeUnknownError',
        cause: { name: 'ResponseMismatchError', otherName: 'external_account_number' },
      });
      expect(await errorOf(client.accounts.stage(OF_A1))).toMatchObject({
        name: 'ResponseMismatchError',
        otherName: 'external_account_number',
      });
    },
  );

  test('a refusal that has the number in another form is of this account', async () => {
    const { client } = answering([400, { external_account_number: 'a1', service_account_number: 'S-1' }]);
    expect(await errorOf(client.accounts.process(PROCESS))).toMatchObject({
      name: 'AlreadyImportedError',
      serviceAccountNumber: 'S-1',
    });
  });

  test('"already imported" of another account after a 500 is no success of this one', async () => {
    const refusal = {
      code: 'account_already_imported',
      detail: 'x',
      errors: [],
      service_account_number: 'S-9',
      ...other,
    };
    const { client } = answering(
      [500, { detail: 'x' }],
      [200, { status: 'UNKNOWN', service_account_number: '' }],
      [400, refusal],
    );
    expect(await errorOf(client.accounts.process(PROCESS))).toMatchObject({
      name: 'OutcomeUnknownError',
      cause: { name: 'ResponseMismatchError', otherName: 'external_account_number' },
    });
  });
});
