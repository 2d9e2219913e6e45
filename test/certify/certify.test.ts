/** `certify` finds what a script does wrong when it is disturbed, and nothing where it does everything right. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type CertifyOptions, certify, type Script } from '../../src/sandbox/index.js';
import { type Body, type Line, type Mistake, recordByRecord, scriptWith } from './scripts.js';

/** A business, an account with several kinds of items, and one without. */
const input = [
  { business: { import_supplier_code: 'ACME', external_business_identifier: 'B-1' } },
  {
    account: {
      import_supplier: 'ACME',
      external_account_number: 'A-1',
      customers: [{ given_name: 'Ada', family_name: 'Arbois', email: 'ada.arbois@example.com' }],
    },
    notes: [{ body: 'Moved from the former supplier.' }],
    statements: [{ statement_id: 'S-1' }],
  },
  { account: { import_supplier: 'ACME', external_account_number: 'A-2', customers: [{ family_name: 'Brumelle' }] } },
];

const tryScript = (run: Script, options: Partial<CertifyOptions> = {}) => certify({ run, input, ...options });

/** What breaks which rules, with what is said about it. */
const SHOWN: readonly [Mistake, disturbance: string, broken: Record<string, string>][] = [
  [
    'blind retry of process',
    'still-running:accounts.process:2',
    { 'nothing-twice': 'The service has more than it should: account A-2 (2 times).' },
  ],
  [
    'retry of a business',
    'still-running:businesses.create:1',
    { 'nothing-twice': 'The service has more than it should: business B-1 (2 times).' },
  ],
  [
    'ignores 429',
    'limit-reached:accounts.process:2',
    {
      'limits-kept': expect.stringMatching(
        /^Retry-After was 1 s, and accounts\.process of account A-2 came again after 0\.\d+ s\.$/,
      ),
    },
  ],
  [
    'swallows a 400',
    'refused:accounts.stage:1',
    {
      'refusals-reported':
        'The service refused account A-1. The script ended with code 0, and its output does not name it.',
    },
  ],
  [
    'resumes by line number',
    'killed-before:accounts.process:2',
    {
      'nothing-lost':
        'The service lacks account A-2. The script was started 2 times, the last time it ended with code 0.',
      'nothing-silent': 'The script ended with code 0, and the service lacks account A-2.',
    },
  ],
  [
    'stages only the keys again',
    'request-lost:accounts.process:2',
    {
      'nothing-lost':
        'The service has other data than without the disturbance in account A-2 (customers). The script was started 2 times, the last time it ended with code 0.',
      'nothing-silent':
        'The script ended with code 0, and the service has other data than without the disturbance in account A-2 (customers).',
    },
  ],
  [
    'counts 500 as done',
    'status-500:historicalStatements.create:1',
    {
      'nothing-lost':
        'The service lacks statement S-1 of account A-1. The script was started once, the last time it ended with code 0.',
      'nothing-silent': 'The script ended with code 0, and the service lacks statement S-1 of account A-1.',
    },
  ],
];

test.concurrent.each(SHOWN)(
  'a script that %s is found by %s',
  { tags: 'long' },
  async (mistake, disturbance, broken) => {
    const { findings, isPassed } = await tryScript(scriptWith(mistake), { only: [disturbance] });
    expect(findings.map(({ id }) => id)).toEqual([disturbance]);
    expect(Object.fromEntries(findings.flatMap((one) => one.broken.map(({ rule, detail }) => [rule, detail])))).toEqual(
      broken,
    );
    expect(isPassed).toBe(false);
  },
);

test.concurrent('a rule that the same disturbance does not break again is no finding: the machine was slow', {
  tags: 'long',
}, async () => {
  const folders = new Set<string>();
  const once: Script = (context) => {
    folders.add(context.folder);
    // Of the disturbed executions, only the first has the mistake.
    return scriptWith(folders.size === 2 ? 'counts 500 as done' : undefined)(context);
  };
  const shown: string[] = [];
  const { findings, isPassed } = await tryScript(once, {
    only: ['status-500:notes.create:1'],
    onExecution: ({ id, broken }) => shown.push(`${id} ${broken.length}`),
  });
  expect([findings, isPassed, folders.size]).toEqual([[], true, 3]);
  expect(shown).toEqual(['undisturbed 0', 'status-500:notes.create:1 0']);
});

test.concurrent('the time limits of a script are those of its first execution', { tags: 'long' }, async () => {
  const limits: number[][] = [];
  const slow: Script = async (context) => {
    limits.push([context.timeoutMs, context.inFlightGraceMs]);
    await pause(900);
    return scriptWith()(context) as Promise<undefined>;
  };
  await tryScript(slow, { only: ['status-503:accounts.stage:1'] });
  const [calm, disturbed = []] = limits;
  expect(calm).toEqual([30_000, 2000]);
  // Four times the 900 ms without a request, in whole seconds, because AbortSignal.timeout takes no fraction; a machine may take longer.
  expect(Math.min(...disturbed)).toBeGreaterThanOrEqual(4000);
  expect(disturbed.map((ms) => ms % 1000)).toEqual([0, 0]);
});

test.concurrent('a script that loses the last records is found without a disturbance, and nothing else is tried', async () => {
  const { executions, findings } = await tryScript(scriptWith('loses the last batch'), { only: ['killed-after'] });
  expect(executions.map(({ id }) => id)).toEqual(['undisturbed']);
  expect(findings[0]?.broken[0]?.detail).toBe(
    'The service lacks account A-2. The script was started once, the last time it ended with code 0.',
  );
});

/** Fields of each kind, with what is empty, in several levels. */
const detailed = [
  {
    business: {
      import_supplier_code: 'ACME',
      external_business_identifier: 'B-1',
      business: { company_name: 'Boulangerie Arbois', siret: '73282932000074' },
    },
  },
  {
    account: {
      import_supplier: 'ACME',
      external_account_number: 'A-1',
      customers: [{ given_name: 'Ada', family_name: 'Arbois', email: '' }, { family_name: 'Brumelle' }],
      billing_address1: '1 rue A',
      supply_addresses: [
        { supply_address1: '1 rue A', supply_points: [{ identifier: '01234567890123', supply_type: 'GAS' }] },
      ],
    },
    notes: [{ body: 'Moved from the former supplier.' }],
    transactions: [
      {
        transaction_id: 'T-1',
        type: 'CHARGE',
        reason: 'IMPORTED_CHARGE',
        transaction_date: '2026-01-10',
        amount: 12.1,
      },
      { transaction_id: 'T-2', type: 'CREDIT', reason: 'IMPORTED_CREDIT', transaction_date: '2026-01-11', amount: 5 },
    ],
    statements: [{ statement_id: 'S-1', gross_amount: 14250 }],
  },
];
const itemsOf = (line: Line, name: string) => (line[name] ?? []) as Body[];
const customersOf = ({ account }: Line) => (account?.['customers'] ?? []) as Body[];
const edit = (items: readonly Body[], edited: (item: Body) => Body) => {
  for (const item of items) Object.assign(item, edited(item));
};

test.concurrent.each<[string, change: (line: Line) => void, found: string]>([
  [
    'sends each amount in cents',
    (line) => edit(itemsOf(line, 'transactions'), ({ amount }) => ({ amount: Number(amount) * 100 })),
    'transaction T-1 of account A-1 (amount), transaction T-2 of account A-1 (amount)',
  ],
  [
    'sends charges as credits',
    (line) => edit(itemsOf(line, 'transactions'), () => ({ type: 'CREDIT' })),
    'transaction T-1 of account A-1 (type)',
  ],
  [
    'sends another date',
    (line) => edit(itemsOf(line, 'transactions'), () => ({ transaction_date: '2026-01-11' })),
    'transaction T-1 of account A-1 (transaction_date)',
  ],
  [
    'leaves a field of a statement out',
    (line) => edit(itemsOf(line, 'statements'), () => ({ gross_amount: undefined })),
    'statement S-1 of account A-1 (gross_amount)',
  ],
  [
    'leaves customers and addresses out',
    ({ account }) => edit(account ? [account] : [], () => ({ customers: undefined, supply_addresses: undefined })),
    'account A-1 (customers, supply_addresses)',
  ],
  ['leaves the second customer out', (line) => void customersOf(line).splice(1), 'account A-1 (customers)'],
  ['adds a customer', (line) => void customersOf(line).push({ family_name: 'Cassis' }), 'account A-1 (customers)'],
  ['exchanges the customers', (line) => void customersOf(line).reverse(), 'account A-1 (customers)'],
  [
    'changes a field of a customer',
    (line) => edit(customersOf(line), () => ({ family_name: 'ARBOIS' })),
    'account A-1 (customers)',
  ],
  [
    'sends another company',
    ({ business }) => edit(business ? [business] : [], () => ({ business: { company_name: 'Boulangerie Arbois' } })),
    'business B-1 (siret)',
  ],
])('a script that %s is found without a disturbance, with record and field', async (_, change, found) => {
  const { executions, findings, isPassed } = await certify({
    run: scriptWith(undefined, change),
    input: detailed as never,
  });
  expect(executions.map(({ id }) => id)).toEqual(['undisturbed']);
  expect(isPassed).toBe(false);
  expect(findings[0]?.broken).toEqual([
    {
      rule: 'nothing-lost',
      detail: `The service has other data than the input in ${found}. The script was started once, the last time it ended with code 0.`,
      remedy: expect.stringContaining('Send each field of DATA_IMPORT_INPUT as it is there.'),
    },
    {
      rule: 'nothing-silent',
      detail: `The script ended with code 0, and the service has other data than the input in ${found}.`,
      remedy: expect.stringContaining('Send each field of DATA_IMPORT_INPUT as it is there.'),
    },
  ]);
});

test.concurrent('a script may leave out what is empty, add fields, and send notes with the account', async () => {
  const change = (line: Line) => {
    for (const customer of customersOf(line)) if (customer['email'] === '') delete customer['email'];
    for (const item of itemsOf(line, 'transactions')) item['note'] = 'Imported.';
    if (line.account === undefined) return;
    line.account = { ...line.account, billing_address2: 'c/o', notes: line['notes'] };
    delete line['notes'];
  };
  const { findings, isInputRead } = await certify({
    ...{ run: scriptWith(undefined, change), input: detailed as never, only: ['undisturbed'] },
  });
  expect([findings, isInputRead]).toEqual([[], true]);
});

test.concurrent('what a script imports from its own export is compared with nothing, and the result says so', async () => {
  const change = (line: Line) => {
    for (const [key, value] of [...Object.entries(line.account ?? {}), ...Object.entries(line.business ?? {})]) {
      if (!key.startsWith('external_')) continue;
      Object.assign(line.account ?? line.business ?? {}, { [key]: `OWN-${value}` });
    }
  };
  const { isPassed, isInputRead } = await tryScript(scriptWith(undefined, change), { only: ['undisturbed'] });
  expect([isPassed, isInputRead]).toEqual([true, false]);
});

test.concurrent.each([
  ['prints the token', 'The output contains the access token.'],
  ['prints the customers', 'The output contains an e-mail address of a customer.'],
] as const)('a script that %s is found, and the finding does not repeat it', async (mistake, detail) => {
  const { findings } = await tryScript(scriptWith(mistake), { only: ['limit-without-time:accounts.process:1'] });
  expect(findings).toMatchObject([{ id: 'undisturbed', broken: [{ rule: 'no-secrets', detail }] }]);
  expect(JSON.stringify(findings)).not.toMatch(/sandbox\.\d|Arbois/);
});

test.concurrent('a script that does everything right passes', { tags: 'long' }, async () => {
  const only = ['status-503:accounts.stage:1', 'limit-reached', 'answer-cut:accounts.stage:2'];
  const { executions, isPassed, rules } = await tryScript(scriptWith(), { only });
  expect(executions.flatMap(({ broken }) => broken)).toEqual([]);
  expect(executions.map(({ hasHappened }) => hasHappened)).toEqual([true, true, true, true]);
  expect(rules.map(({ broken }) => broken)).toEqual([0, 0, 0, 0, 0, 0]);
  expect(isPassed).toBe(true);
});

test.concurrent('a script with migrateRecord passes', { tags: 'long' }, async () => {
  // It ends at a 429, and is started again before Retry-After is over.
  const only = ['answer-lost:accounts.process:2', 'status-500:accounts.stage:1', 'limit-reached:accounts.process:2'];
  const { executions, isPassed } = await tryScript(recordByRecord(), { only });
  expect(executions.map(({ hasHappened, broken }) => [hasHappened, broken])).toEqual(
    only.concat('').map(() => [true, []]),
  );
  expect(isPassed).toBe(true);
});

test('a finding shows the requests before and after the disturbance, the starts of the script, and the remedy', async () => {
  const { findings } = await tryScript(scriptWith('counts 500 as done'), { only: ['status-500:notes.create:1'] });
  expect(findings).toMatchObject([
    {
      disturbance: 'notes.create was answered with 500, without effect.',
      requests: [
        { operation: 'businesses.create', record: 'business B-1', status: 201, change: 'business created' },
        { operation: 'accounts.stage', record: 'account A-1', status: 201, change: 'staged' },
        { operation: 'accounts.process', record: 'account A-1', status: 201, change: 'staged → imported' },
        { operation: 'notes.create', record: 'account A-1', status: 500, change: null, isDisturbed: true },
        { operation: 'historicalStatements.create', record: 'account A-1', status: 201, change: '1 statement added' },
      ],
      starts: [{ exitCode: 0 }],
      broken: [{ remedy: expect.stringContaining('(Status codes)') }, {}],
    },
  ]);
});

test.concurrent.each<[Mistake, disturbance: string, remedy: string]>([
  [
    'stages only the keys again',
    'request-lost:accounts.process:1',
    'Send the complete record each time, also after a restart: staging replaces all data (Account data lifecycle).',
  ],
  [
    'dates a note when it is sent',
    'answer-lost:notes.create:1',
    'Wait until the request must have ended, then send the same again, also the same created_at or none: the service skips what it has. Two at the same time may both add (Post-import).',
  ],
])('the remedy of a script that %s is that of its mistake', { tags: 'long' }, async (mistake, disturbance, remedy) => {
  const { findings } = await tryScript(scriptWith(mistake), { only: [disturbance] });
  expect(findings.flatMap(({ broken }) => broken.map((one) => one.remedy)).slice(0, 1)).toEqual([remedy]);
});

test('the rules can be chosen', async () => {
  const only = ['status-500:notes.create:1'];
  const { rules, findings } = await tryScript(scriptWith('counts 500 as done'), {
    only,
    rules: ['nothing-twice', 'limits-kept'],
  });
  expect([rules.map(({ rule }) => rule), findings]).toEqual([['nothing-twice', 'limits-kept'], []]);
});

test('the same seed disturbs the same requests, and no execution starts after the time', async () => {
  const plan = async (seed: number) => {
    const { notTried, executions } = await tryScript(scriptWith(), { seed, timeMs: 1, rules: [] });
    expect(executions.map(({ id }) => id)).toEqual(['undisturbed']);
    return notTried;
  };
  const ids = await plan(7);
  expect(await plan(7)).toEqual(ids);
  // Each kind of disturbance, at each operation that it concerns: seven operations are used.
  expect(ids).toEqual(
    expect.arrayContaining([expect.stringMatching(/^killed-during:accounts\.process:[12]$/), 'started-twice:1']),
  );
  expect(new Set(ids).size).toBe(ids.length);
});

test('each id of a result repeats its execution, also that without a disturbance', async () => {
  const { executions, notTried } = await tryScript(scriptWith(), { timeMs: 1, rules: [] });
  const ids = [...executions.map(({ id }) => id), ...notTried];
  expect(ids.length).toBeGreaterThan(20);
  const again = await tryScript(scriptWith(), { timeMs: 1, rules: [], only: ids });
  expect([...again.executions.map(({ id }) => id), ...again.notTried]).toEqual(ids);
});

test('only undisturbed tries no disturbance, and passes if no rule is broken', async () => {
  const verdict = async (mistake: Mistake | undefined, only: readonly string[]) => {
    const { executions, isPassed, notTried } = await tryScript(scriptWith(mistake), { only });
    return [executions.map(({ id }) => id), isPassed, notTried];
  };
  expect(await verdict(undefined, ['undisturbed'])).toEqual([['undisturbed'], true, []]);
  expect(await verdict('loses the last batch', ['undisturbed'])).toEqual([['undisturbed'], false, []]);
  // Disturbances were asked for, or none at all by a list without an entry, and none happened.
  expect(await verdict(undefined, ['undisturbed', 'refused:transactions.create:9'])).toEqual([
    ['undisturbed', 'refused:transactions.create:9'],
    false,
    [],
  ]);
  expect(await verdict(undefined, [])).toEqual([['undisturbed'], false, []]);
});

test('a script that is started with wrong options, or imports nothing, is an error that says what to do', {
  tags: 'long',
}, async () => {
  const nothing: Script = async () => ({ exitCode: 0, output: 'see you' });
  await expect(tryScript(nothing)).rejects.toThrow(
    'The script sent nothing to the sandbox; it must use the address in baseUrl (DATA_IMPORT_BASE_URL). It ended with code 0: see you',
  );
  const wrongTeam: Script = (context) => scriptWith()({ ...context, token: 'wrong' });
  await expect(tryScript(wrongTeam)).rejects.toThrow(
    /^The script imported nothing, without a disturbance; the last refusal is 401 authentication_failed to POST \/v1\/data-import\/.*\/\. It ended with code 1/,
  );
  await expect(tryScript(nothing, { only: ['killed'] })).rejects.toThrow(
    /^certify: no disturbance is called killed\. There are: undisturbed, status-500, /,
  );
  await expect(tryScript(nothing, { rules: ['lost' as never] })).rejects.toThrow(
    /^certify: no rule is called lost\. There are: nothing-lost, /,
  );
  await expect(tryScript(nothing, { input: [{ account: {} }, 'A-1'] as never })).rejects.toThrow(
    new TypeError(
      'certify: input.1: Expected an object with `business`, `account` or `populate`; found something else than an object.',
    ),
  );
  await expect(tryScript(nothing, { input: {} as never })).rejects.toThrow(
    new TypeError('certify: input: expected a list, found object.'),
  );
  await expect(certify(undefined as never)).rejects.toThrow(
    new TypeError('certify: expected an object of options, found undefined.'),
  );
  await expect(tryScript(nothing, { timeMs: 0.5 })).rejects.toThrow(
    'certify: timeMs must be a whole number from 1, found 0.5.',
  );
});
