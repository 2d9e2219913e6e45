/**
 * The service's view of lost answers (DESIGN 6): what the sandbox itself processed, compared with the results of the client's
 * callers. Another seed: LOSSES_SEED=anything npx vitest run --config vitest.full.config.ts test/full/lost-answers
 */
import { DataImportClient, type DataImportClientOptions, type ProcessResult } from 'data-import-sdk';
import { createSandbox, SANDBOX_SUPPLIER, SANDBOX_TEAM, type Sandbox } from 'data-import-sdk/sandbox';
import { expect, it, onTestFinished } from 'vitest';
import { type Deployment, type LossyProxy, lossyProxy, type Passage, type Weather } from './lossy-proxy.js';

const seed = process.env['LOSSES_SEED'] ?? 'losses-1';
console.info(`seed of the losses: ${seed}`);
/** Half of all requests meet a misfortune, until an account had three. */
const weather: Weather = { seed, worst: 3, share: 0.5 };

const THOUSAND = Array.from({ length: 1_000 }, (_, index) => `A-${index}`);
const SOME = THOUSAND.slice(0, 250);
const PROCESS = 'POST account-import-process/process/';

interface Scene {
  sandbox: Sandbox;
  proxy: LossyProxy;
  client: DataImportClient;
}

/** A sandbox with these accounts staged (or imported), and a client that reaches it only through the weather. */
async function scene(
  accounts: readonly string[],
  upTo: 'staged' | 'imported',
  options: Partial<DataImportClientOptions> = {},
  how: { weather?: Weather; deployment?: (sandbox: Sandbox) => Deployment } = {},
): Promise<Scene> {
  const sandbox = createSandbox();
  const server = await sandbox.listen();
  onTestFinished(() => server.close());
  const direct = new DataImportClient({
    baseUrl: server.url,
    token: sandbox.token,
    fetch: sandbox.fetch,
  });
  for (const account of accounts) {
    await direct.accounts.stage({ import_supplier: SANDBOX_SUPPLIER, external_account_number: account });
    if (upTo === 'imported') await direct.accounts.process(processOf(account));
  }
  const proxy = await lossyProxy(server.url, how.weather ?? weather, how.deployment?.(sandbox));
  const client = new DataImportClient({
    baseUrl: proxy.url,
    token: sandbox.token,
    // More than the weather has misfortunes; and time enough for a busy machine to answer.
    maxRetries: 8,
    timeoutMs: 1_500,
    hooks: { onResponse: ({ requestId }) => proxy.heard(requestId) },
    ...options,
    advanced: { retryBaseMs: 1, inFlightGraceMs: 5, ...options.advanced },
  });
  onTestFinished(() => client.close());
  return { sandbox, proxy, client };
}

const processOf = (account: string) => ({
  import_supplier_code: SANDBOX_SUPPLIER,
  external_account_number: account,
  operations_team_name: SANDBOX_TEAM,
});

/** What the sandbox holds of the account; undefined where it was not imported. */
function importedOf(sandbox: Sandbox, account: string) {
  const accounts = sandbox.state.suppliers[0]?.accounts ?? [];
  return accounts.find(({ external_account_number }) => external_account_number === account)?.imported ?? undefined;
}

/** The outcome of every call, and all its requests, by account. */
async function outcomes<T>({ proxy }: Scene, accounts: readonly string[], call: (account: string) => PromiseLike<T>) {
  const ends = await Promise.all(
    accounts.map(async (account) => {
      const end = await Promise.resolve(call(account)).then(
        (value) => ({ value, error: undefined }),
        (error: Error) => ({ value: undefined, error }),
      );
      return { account, ...end };
    }),
  );
  await proxy.calm();
  const passages = new Map<string, Passage[]>();
  for (const passage of proxy.passages) {
    passages.set(passage.account, [...(passages.get(passage.account) ?? []), passage]);
  }
  return ends.map((end) => ({ ...end, passages: passages.get(end.account) ?? [] }));
}

type End<T> = Awaited<ReturnType<typeof outcomes<T>>>[number];

/** A process request after one whose answer got lost, with no answer of the status heard in between. */
function isSentAgainUnasked(passages: readonly Passage[], index: number): boolean {
  if (passages[index]?.line !== PROCESS) return false;
  const before = passages.slice(0, index);
  const last = before.findLastIndex(({ line }) => line === PROCESS);
  const fate = before[last]?.fate;
  if (fate === undefined || fate === 'answered' || fate === 'refused with 500') return false;
  return !before.slice(last + 1).some((question) => question.fate === 'answered');
}

/** Every way in which a process call can have gone wrong, one line each. */
function wrongProcesses(sandbox: Sandbox, ends: readonly End<ProcessResult>[]): string[] {
  return ends.flatMap(({ account, value, error, passages }) => {
    const wrong: string[] = [];
    const creations = passages.filter(({ line, status }) => line === PROCESS && status === 201).length;
    const held = importedOf(sandbox, account)?.service_account_number;
    const last = passages.at(-1);
    if (passages.some((_, index) => isSentAgainUnasked(passages, index))) wrong.push(`${account}: sent again unasked`);
    if (creations > 1) wrong.push(`${account}: created ${creations} times`);
    if (creations === 0 && held !== undefined) wrong.push(`${account}: created, and no request did it`);
    if (value !== undefined) {
      if (creations !== 1) wrong.push(`${account}: success, and created ${creations} times`);
      if (value.service_account_number !== held) wrong.push(`${account}: ${value.service_account_number}, not ${held}`);
      // On a busy machine a question that the client gave up may arrive after the answer that it heard.
      const heard = passages.findLast(({ fate }) => fate === 'answered');
      const outcome = heard?.line === PROCESS && heard.status === 201 ? 'created' : 'confirmed';
      if (value.callOutcome !== outcome) wrong.push(`${account}: ${value.callOutcome}, not ${outcome}`);
    } else if (error?.name !== 'OutcomeUnknownError') {
      wrong.push(`${account}: ${error?.name}, and created ${creations} times`);
    } else if (last === undefined || last.fate === 'answered') {
      wrong.push(`${account}: unknown, although the service could be asked`);
    }
    return wrong;
  });
}

it('1,000 processes: each account is created exactly once, and every caller receives its number', async () => {
  const on = await scene(THOUSAND, 'staged');

  const ends = await outcomes(on, THOUSAND, (account) => on.client.accounts.process(processOf(account)));

  expect(wrongProcesses(on.sandbox, ends)).toEqual([]);
  expect(ends.filter(({ error }) => error !== undefined)).toEqual([]);
  expect(on.sandbox.state.suppliers[0]?.accounts.filter(({ imported }) => imported !== null)).toHaveLength(1_000);
  // The weather was bad indeed, and in every way.
  const lost = on.proxy.passages.filter(({ fate }) => fate !== 'answered');
  expect(lost.length).toBeGreaterThan(800);
  // Every caller heard one at least.
  expect(on.proxy.passages.length - lost.length).toBeGreaterThanOrEqual(1_000);
  expect(new Set(lost.map(({ fate }) => fate).filter((fate) => fate !== 'too late')).size).toBe(8);
  const settled = ends.filter(({ value }) => value?.callOutcome === 'confirmed').length;
  expect(settled).toBeGreaterThan(200);
  console.info(`process: ${on.proxy.passages.length} requests, ${lost.length} lost, ${settled} of 1000 settled`);
});

it('only accounts without any further answer end in OutcomeUnknownError', async () => {
  const cutOff = (account: string) => account.endsWith('7');
  // The client asks about an account until the deadline of its call.
  const on = await scene(SOME, 'staged', { maxRetries: 5, deadlineMs: 40_000 }, { weather: { ...weather, cutOff } });

  const ends = await outcomes(on, SOME, (account) => on.client.accounts.process(processOf(account)));

  expect(wrongProcesses(on.sandbox, ends)).toEqual([]);
  const unknown = ends.filter(({ error }) => error?.name === 'OutcomeUnknownError').map(({ account }) => account);
  expect(unknown).toEqual(SOME.filter(cutOff));
  const done = unknown.filter((account) => importedOf(on.sandbox, account) !== undefined).length;
  console.info(`cut off: ${unknown.length} of 250 unknown, of which ${done} were created`);
  // Some were created and some were not: the caller could not have guessed.
  expect(done).toBeGreaterThan(0);
  expect(done).toBeLessThan(unknown.length);
});

it('control: a caller that repeats blindly without a lookup gets failures for accounts that it created', async () => {
  const on = await scene(SOME, 'staged', { maxRetries: 0 });

  const ends = await outcomes(on, SOME, (account) =>
    upToNineTimes(() => on.client.accounts.process(processOf(account))),
  );

  const wrong = wrongProcesses(on.sandbox, ends);
  console.info(`control, blind: ${wrong.length} of 250 wrong`);
  expect(wrong.filter((line) => line.endsWith(': AlreadyImportedError, and created 1 times')).length).toBeGreaterThan(
    50,
  );
});

/** What a loop of one's own does. */
async function upToNineTimes<T>(call: () => PromiseLike<T>): Promise<T> {
  for (let left = 8; ; left--) {
    try {
      return await call();
    } catch (error) {
      if (left === 0 || (error as { status?: number }).status === 400) throw error;
    }
  }
}

const noteOf = (account: string) => ({
  import_supplier: SANDBOX_SUPPLIER,
  external_account_number: account,
  notes: [{ body: `First of ${account}` }, { body: `Second of ${account}` }],
});

/** How often the sandbox has each note. */
function notesOf(sandbox: Sandbox, account: string): number[] {
  const bodies = (importedOf(sandbox, account)?.notes ?? []).map(({ body }) => body);
  return noteOf(account).notes.map((note) => bodies.filter((body) => body === note.body).length);
}

it('1,000 times two notes: each exists exactly once, and every caller receives both', async () => {
  const on = await scene(THOUSAND, 'imported');

  const ends = await outcomes(on, THOUSAND, (account) => on.client.notes.create(noteOf(account)));

  expect(ends.filter(({ error }) => error !== undefined)).toEqual([]);
  for (const { account, value } of ends) {
    expect([account, ...notesOf(on.sandbox, account)]).toEqual([account, 1, 1]);
    expect(value?.map(({ body }) => body)).toEqual([`First of ${account}`, `Second of ${account}`]);
  }
  const again = ends.filter(({ value }) => value?.[0]?.status === 'NOTE_ALREADY_EXISTS').length;
  console.info(`notes: ${on.proxy.passages.length} requests, ${again} of 1000 calls got "already exists"`);
  expect(again).toBeGreaterThan(200);
});

it('control: without repetition notes are missing, and their callers get an error', async () => {
  const on = await scene(SOME, 'imported', { maxRetries: 0 });

  const ends = await outcomes(on, SOME, (account) => on.client.notes.create(noteOf(account)));

  const missing = ends.filter(({ account }) => notesOf(on.sandbox, account)[0] === 0);
  expect(missing.length).toBeGreaterThan(20);
  expect(missing.every(({ error }) => error !== undefined)).toBe(true);
});

const transactionsOf = (account: string) => ({
  import_supplier: SANDBOX_SUPPLIER,
  external_account_number: account,
  transactions: [
    { transaction_id: `${account}-1`, transaction_date: '2026-01-10', amount: 12.5, type: 'CHARGE' as const },
    { transaction_id: `${account}-2`, transaction_date: '2026-01-11', amount: 20, type: 'CREDIT' as const },
  ],
});

/** How often the sandbox has each transaction. */
function addedOf(sandbox: Sandbox, account: string): number[] {
  const ids = (importedOf(sandbox, account)?.transactions ?? []).map(({ sent }) => sent.transaction_id);
  return [`${account}-1`, `${account}-2`].map((id) => ids.filter((found) => found === id).length);
}

it('1,000 times two transactions: each is on its account exactly once, and every caller receives both', async () => {
  const on = await scene(THOUSAND, 'imported');

  const ends = await outcomes(on, THOUSAND, (account) => on.client.transactions.create(transactionsOf(account)));

  expect(ends.filter(({ error }) => error !== undefined)).toEqual([]);
  for (const { account, value } of ends) {
    expect([account, ...addedOf(on.sandbox, account)]).toEqual([account, 1, 1]);
    const ids = value?.results.map(({ transaction_data }) => transaction_data?.transaction_id);
    expect(ids).toEqual([`${account}-1`, `${account}-2`]);
  }
});

it('without the check a lost transaction never exists twice: its caller gets an unknown outcome', async () => {
  const on = await scene(SOME, 'imported');

  const ends = await outcomes(on, SOME, (account) =>
    on.client.transactions.create(transactionsOf(account), { check_previously_added: false }),
  );

  expectOnceOrUnknown(ends, (account) => addedOf(on.sandbox, account)[0] ?? 0);
});

it('control: without the check and sent again blindly, customers are charged twice', async () => {
  const on = await scene(SOME, 'imported');

  await outcomes(on, SOME, (account) =>
    on.client.transactions.create(transactionsOf(account), {
      check_previously_added: false,
      retryUnknownOutcome: true,
    }),
  );

  const twice = SOME.filter((account) => addedOf(on.sandbox, account).some((count) => count > 1));
  console.info(`control, transactions sent again blindly: ${twice.length} of 250 charged twice or more`);
  expect(twice.length).toBeGreaterThan(50);
});

const statementsOf = (account: string) => ({
  import_supplier: SANDBOX_SUPPLIER,
  external_account_number: account,
  statements: [
    { statement_id: `${account}-S`, bill_period_from_date: '2025-10-01', bill_period_to_date: '2025-12-31' },
  ],
});

/** How often the sandbox has the statement. */
function statementsIn(sandbox: Sandbox, account: string): number {
  const statements = importedOf(sandbox, account)?.statements ?? [];
  return statements.filter(({ statement_id }) => statement_id === `${account}-S`).length;
}

/** Never twice; exactly once where the caller got a success; unknown only where an answer got lost. */
function expectOnceOrUnknown(ends: readonly End<unknown>[], count: (account: string) => number): void {
  for (const { account, error, passages } of ends) {
    if (error === undefined) {
      expect([account, count(account)]).toEqual([account, 1]);
      continue;
    }
    expect([account, error.name]).toEqual([account, 'OutcomeUnknownError']);
    expect(passages.at(-1)?.fate).not.toBe('answered');
    expect(count(account)).toBeLessThanOrEqual(1);
  }
  const unknown = ends.filter(({ error }) => error !== undefined);
  const done = unknown.filter(({ account }) => count(account) === 1).length;
  console.info(`never twice: ${unknown.length} of ${ends.length} unknown, of which ${done} were done`);
  expect(done).toBeGreaterThan(0);
  expect(done).toBeLessThan(unknown.length);
}

it('1,000 statements at a deployment that takes them twice: none exists twice, and a lost one is an unknown outcome', async () => {
  const on = await scene(THOUSAND, 'imported');

  const ends = await outcomes(on, THOUSAND, (account) => on.client.historicalStatements.create(statementsOf(account)));

  expectOnceOrUnknown(ends, (account) => statementsIn(on.sandbox, account));
});

/** Refuses a statement that the account has, with a code of this test; the API specification shows none, and the sandbox takes it. */
const refusingTwice =
  (sandbox: Sandbox): Deployment =>
  (line, account) => {
    if (!line.startsWith('POST historical-statements/') || statementsIn(sandbox, account) === 0) return undefined;
    return { status: 400, body: JSON.stringify({ detail: 'Exists.', code: 'statement_exists_here', errors: [] }) };
  };

it('1,000 statements, if a deployment refuses existing ones and the client knows the code: each once, none unknown', async () => {
  const alreadyDone = { 'historicalStatements.create': ['statement_exists_here'] };
  const on = await scene(THOUSAND, 'imported', { advanced: { alreadyDone } }, { deployment: refusingTwice });

  const ends = await outcomes(on, THOUSAND, (account) => on.client.historicalStatements.create(statementsOf(account)));

  expect(ends.filter(({ error }) => error !== undefined)).toEqual([]);
  for (const { account, value } of ends) {
    expect([account, statementsIn(on.sandbox, account)]).toEqual([account, 1]);
    if (value?.callOutcome !== 'confirmed') expect(value).toEqual(statementsOf(account));
  }
  const settled = ends.filter(({ value }) => value?.callOutcome === 'confirmed').length;
  console.info(`statements: ${settled} of 1000 settled by the refusal`);
  expect(settled).toBeGreaterThan(200);
});

it('control: statements sent again blindly are there twice', async () => {
  const on = await scene(SOME, 'imported', {});

  await outcomes(on, SOME, (account) =>
    on.client.historicalStatements.create(statementsOf(account), { retryUnknownOutcome: true }),
  );

  const twice = SOME.filter((account) => statementsIn(on.sandbox, account) > 1);
  console.info(`control, statements sent again blindly: ${twice.length} of 250 there twice or more`);
  expect(twice.length).toBeGreaterThan(50);
});
