import { describe, expect, test } from 'vitest';
import { createSandbox, type FaultRule } from '../../../src/sandbox/index.js';
import { gate } from '../../helpers/gate.js';
import { PATIENCE } from '../../helpers/patience.js';
import { failed } from '../support/refusals.js';
import {
  account,
  askedForToken,
  importAccount,
  openSandbox,
  PROCESS,
  posted,
  processing,
  STAGE,
} from '../support/requests.js';

const broken = { status: 500, body: { detail: 'Try again.' } };
const stagings =
  ({ post }: ReturnType<typeof openSandbox>) =>
  async (count: number) => {
    const statuses: number[] = [];
    for (let number = 1; number <= count; number++) {
      const answer = await post(STAGE, account(`A-${number}`)).catch(() => ({ status: 0 }));
      statuses.push(answer.status);
    }
    return statuses;
  };

describe('what a fault does', () => {
  test('status and body replace the answer, and the call has no effect', { tags: 'long' }, async () => {
    const talk = openSandbox({ faults: [{ effect: { ...broken, headers: { 'Retry-After': '3' } } }] });
    const response = await talk.request(STAGE, posted(talk.sandbox, account('A-1')));
    expect(response.status).toBe(500);
    expect(response.headers.get('retry-after')).toBe('3');
    expect(await response.json()).toEqual({ detail: 'Try again.' });
    expect(talk.sandbox.state.suppliers[0]?.accounts).toEqual([]);
  });

  test('a body that is a text is a page of a gateway', async () => {
    const { request, sandbox } = openSandbox({ faults: [{ effect: { status: 502, body: '<h1>Bad gateway</h1>' } }] });
    const response = await request('all-account-import-processes/SANDBOX_SUPPLIER/', {
      headers: { Authorization: `Token ${sandbox.token}` },
    });
    expect(response.status).toBe(502);
    expect(response.headers.get('content-type')).toContain('text/html');
    expect(await response.text()).toBe('<h1>Bad gateway</h1>');
  });

  test('an effect without a body answers with none', async () => {
    const { get } = openSandbox({ faults: [{ effect: { status: 503 } }] });
    expect(await get('all-account-import-processes/SANDBOX_SUPPLIER/')).toEqual({ status: 503, body: undefined });
  });

  test('drop closes the connection before anything was done: the call rejects', async () => {
    const { post, sandbox } = openSandbox({ faults: [{ effect: 'drop' }] });
    await expect(post(STAGE, account('A-1'))).rejects.toThrow(TypeError);
    expect(sandbox.state.suppliers[0]?.accounts).toEqual([]);
    expect(sandbox.requests()).toMatchObject([{ operation: 'accounts.stage', status: null, change: null }]);
  });

  test('during: the connection breaks at once, and the account is created after the wait', async () => {
    const waits: (() => void)[] = [];
    const rule = { match: { operation: 'accounts.process' }, when: 'first', phase: 'during' } as const;
    const talk = openSandbox({
      faults: [
        { ...rule, effect: { latencyMs: 1500 } },
        { ...rule, effect: 'drop' },
      ],
      wait: (ms) => new Promise((resolve) => void waits.push(() => resolve(expect(ms).toBe(1500)))),
    });
    await talk.post(STAGE, account('A-1'));
    await expect(talk.post(PROCESS, processing('A-1'))).rejects.toThrow(TypeError);
    expect(talk.sandbox.state.suppliers[0]?.accounts[0]?.imported).toBeNull();
    // The second call passes the same check: both create the account (U30).
    expect(await talk.post(PROCESS, processing('A-1'))).toMatchObject({ status: 201 });
    for (const end of waits) end();
    await expect.poll(() => talk.sandbox.state.suppliers[0]?.accounts[0]?.duplicates, PATIENCE).toHaveLength(1);
  });

  test('during: an answer of a gateway comes at once, and a refused request changes nothing later', async () => {
    const page = { status: 504, body: '<h1>Gateway timeout</h1>' };
    const talk = openSandbox({ faults: [{ effect: page, phase: 'during' }] });
    expect(await talk.post(PROCESS, processing('A-1'))).toEqual({ status: 504, body: page.body });
    expect(await talk.post(STAGE, account('A-1'))).toEqual({ status: 504, body: page.body });
    await expect.poll(() => talk.sandbox.state.suppliers[0]?.accounts.length, PATIENCE).toBe(1);
    expect(talk.sandbox.state.suppliers[0]?.accounts[0]?.imported).toBeNull();
  });

  test('afterCommit: the account is created, and the answer is lost', async () => {
    const talk = openSandbox({
      faults: [{ match: { operation: 'accounts.process' }, effect: 'drop', phase: 'afterCommit', times: 1 }],
    });
    await talk.post(STAGE, account('A-1'));
    await expect(talk.post(PROCESS, processing('A-1'))).rejects.toThrow(TypeError);
    expect(talk.sandbox.state.suppliers[0]?.accounts[0]?.imported?.status).toBe('PENDING');
    expect(talk.sandbox.requests().at(-1)).toMatchObject({ status: null, faults: ['fault-1'] });
    expect(await talk.post(PROCESS, processing('A-1'))).toMatchObject({
      status: 400,
      body: { code: 'account_already_imported' },
    });
  });

  test('afterCommit with a status: done, and answered with 500', async () => {
    const talk = openSandbox({ faults: [{ effect: broken, phase: 'afterCommit' }] });
    expect(await talk.post(STAGE, account('A-1'))).toEqual(broken);
    expect(talk.sandbox.state.suppliers[0]?.accounts).toHaveLength(1);
    expect(talk.sandbox.requests()).toMatchObject([{ status: 500, change: 'staged' }]);
  });

  test('malformed: the answer ends half way', async () => {
    const { sandbox, request } = openSandbox({ faults: [{ effect: 'malformed', phase: 'afterCommit' }] });
    const response = await request(STAGE, posted(sandbox, account('A-1')));
    expect(response.status).toBe(201);
    // Half of {"import_supplier":"SANDBOX_SUPPLIER","external_account_number":"A-1"}, which has 70 characters.
    expect(await response.text()).toBe('{"import_supplier":"SANDBOX_SUPPLIE');
    expect(sandbox.state.suppliers[0]?.accounts).toHaveLength(1);
  });

  test('malformed before the call: half of an answer, without an effect', async () => {
    const { sandbox, request } = openSandbox({ faults: [{ effect: 'malformed' }] });
    const headers = { Authorization: `Token ${sandbox.token}` };
    const response = await request('all-account-import-processes/SANDBOX_SUPPLIER/', { headers });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('{"detail":"This ans');
  });

  test('latency passes by the wait that is given, before the call and after the commit', async () => {
    const waits: string[] = [];
    const talk = openSandbox({
      wait: async (ms) => void waits.push(`${ms} ms, ${talk.sandbox.state.suppliers[0]?.accounts.length} staged`),
      faults: [
        { effect: { latencyMs: 200 } },
        { effect: { latencyMs: 50 } },
        { effect: { latencyMs: 1000 }, phase: 'afterCommit' },
      ],
    });
    expect((await talk.post(STAGE, account('A-1'))).status).toBe(201);
    expect(waits).toEqual(['250 ms, 0 staged', '1000 ms, 1 staged']);
  });

  test('a process call with latency counts against the limit: the next one exceeds it', async () => {
    const { open: letGo, opened: held } = gate();
    const { open: arrive, opened: arrived } = gate();
    const talk = openSandbox({
      settings: { processConcurrency: 1 },
      faults: [{ match: { operation: 'accounts.process', account: 'A-1' }, effect: { latencyMs: 5000 } }],
      wait: async () => {
        arrive();
        await held;
      },
    });
    await talk.post(STAGE, account('A-1'));
    await talk.post(STAGE, account('A-2'));
    const slow = talk.post(PROCESS, processing('A-1'));
    await arrived;
    expect((await talk.post(PROCESS, processing('A-2'))).status).toBe(429);
    letGo();
    expect((await slow).status).toBe(201);
    expect((await talk.post(PROCESS, processing('A-2'))).status).toBe(201);
  });

  test('a `wait` that rejects gives 500 and a log entry, and the state is unchanged', async () => {
    const { post, sandbox } = openSandbox({
      faults: [{ effect: { latencyMs: 1 } }],
      wait: async () => {
        throw new Error('no time');
      },
    });
    expect(await post(STAGE, account('A-1'))).toEqual(
      failed(500, 'sandbox_failed', 'The sandbox itself failed: no time'),
    );
    expect(sandbox.requests()).toMatchObject([{ status: 500, change: null }]);
    expect(sandbox.state.suppliers[0]?.accounts).toEqual([]);
  });

  test('a call without a valid token is refused before any fault', async () => {
    const { request, sandbox } = openSandbox({ faults: [{ effect: broken }] });
    expect((await request('all-account-import-processes/SANDBOX_SUPPLIER/')).status).toBe(401);
    expect(sandbox.faults.list()).toMatchObject([{ met: 0, fired: 0 }]);
  });

  test('C6 the call for a token can fail too', async () => {
    const { request, sandbox } = openSandbox({ faults: [{ match: { operation: 'token' }, effect: broken, times: 1 }] });
    const call = () => request(sandbox.graphqlPath, askedForToken(sandbox.apiKey));
    expect((await call()).status).toBe(500);
    expect((await call()).status).toBe(200);
  });
});

describe('when a fault happens', () => {
  test.each<[string, Partial<FaultRule>, number[]]>([
    ['every call', {}, [500, 500, 500, 500, 500, 500]],
    ['the first', { when: 'first' }, [500, 201, 201, 201, 201, 201]],
    ['the third', { when: { nth: 3 } }, [201, 201, 500, 201, 201, 201]],
    ['every second', { when: { every: 2 } }, [201, 500, 201, 500, 201, 500]],
    ['every second, twice', { when: { every: 2 }, times: 2 }, [201, 500, 201, 500, 201, 201]],
    ['the first two', { times: 2 }, [500, 500, 201, 201, 201, 201]],
    ['never: probability 0', { when: { probability: 0 } }, [201, 201, 201, 201, 201, 201]],
    ['always: probability 1', { when: { probability: 1 } }, [500, 500, 500, 500, 500, 500]],
  ])('%s', async (_, rule, statuses) => {
    const talk = openSandbox({ faults: [{ ...rule, effect: broken }] });
    expect(await stagings(talk)(6)).toEqual(statuses);
  });

  test.each<[string, NonNullable<FaultRule['match']>, number[]]>([
    ['one operation', { operation: 'accounts.stage' }, [200, 500, 500, 201]],
    ['several operations', { operation: ['accounts.validate', 'businesses.create'] }, [500, 201, 201, 500]],
    ['an account', { account: 'A-2' }, [200, 201, 500, 201]],
    ['a supplier, under whichever name the payload has it', { supplier: 'SOUTH' }, [200, 201, 201, 500]],
    ['an operation of an account', { operation: 'accounts.validate', account: 'A-2' }, [200, 201, 201, 201]],
  ])('it meets %s', async (_, match, statuses) => {
    const { post } = openSandbox({
      suppliers: [{ code: 'SANDBOX_SUPPLIER' }, { code: 'SOUTH' }],
      faults: [{ match, effect: broken }],
    });
    const answers = [
      await post('validate-account/', account('A-1')),
      await post(STAGE, account('A-1')),
      await post(STAGE, account('A-2')),
      await post('business/', { import_supplier_code: 'SOUTH', external_business_identifier: 'B-1' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual(statuses);
  });

  test('a probability is drawn for each account and try: the order of the calls does not matter', async () => {
    const options = { seed: 's', faults: [{ when: { probability: 0.5 }, effect: broken }] };
    const numbers = ['A-1', 'A-2', 'A-3', 'A-4', 'A-5', 'A-6', 'A-7', 'A-8'];
    const failing = async (order: readonly string[]) => {
      const { post } = openSandbox(options);
      const failed: string[] = [];
      for (const number of order) if ((await post(STAGE, account(number))).status === 500) failed.push(number);
      return failed.sort();
    };
    const failed = await failing(numbers);
    expect(await failing([...numbers].reverse())).toEqual(failed);
    expect(failed.length).toBeGreaterThan(0);
    expect(failed.length).toBeLessThan(8);
  });

  test('a probability of 0.2 fires for about a fifth of the calls', { tags: 'long' }, async () => {
    const { post, sandbox } = openSandbox({ faults: [{ when: { probability: 0.2 }, effect: broken }] });
    for (let number = 0; number < 200; number++) await post('validate-account/', account(`A-${number}`));
    const [rule] = sandbox.faults.list();
    expect(rule?.met).toBe(200);
    expect(rule?.fired).toBeGreaterThan(20);
    expect(rule?.fired).toBeLessThan(60);
  });

  test('of two ends the first rule counts; both are in the log', async () => {
    const { post, sandbox } = openSandbox({
      faults: [
        { id: 'a', effect: { status: 503 } },
        { id: 'b', effect: broken },
      ],
    });
    expect((await post(STAGE, account('A-1'))).status).toBe(503);
    expect(sandbox.requests()).toMatchObject([{ faults: ['a', 'b'] }]);
  });
});

describe('rules', () => {
  test('are added, listed, removed and cleared', async () => {
    const talk = openSandbox();
    const { faults } = talk.sandbox;
    expect(faults.add({ effect: broken })).toBe('fault-1');
    expect(faults.add({ id: 'mine', effect: 'drop', times: 1 })).toBe('mine');
    expect(faults.add({ effect: { latencyMs: 0 } })).toBe('fault-3');
    expect(faults.list().map(({ id }) => id)).toEqual(['fault-1', 'mine', 'fault-3']);
    expect(faults.remove('fault-1')).toBe(true);
    expect(faults.remove('fault-1')).toBe(false);
    faults.clear();
    expect(faults.list()).toEqual([]);
    await importAccount(talk, 'A-1');
  });

  test('belong to the state: counters go with a snapshot, and a reset brings the first ones back', async () => {
    const talk = openSandbox({ faults: [{ when: { nth: 2 }, effect: broken }] });
    const stage = stagings(talk);
    await stage(1);
    const snapshot = talk.sandbox.snapshot();
    expect(await stage(1)).toEqual([500]);
    talk.sandbox.restore(snapshot);
    expect(await stage(1)).toEqual([500]);
    talk.sandbox.reset();
    expect(await stage(2)).toEqual([201, 500]);
  });

  test('the given rule is not changed', async () => {
    const rule: FaultRule = { when: 'first', effect: broken };
    const talk = openSandbox({ faults: [rule] });
    await stagings(talk)(1);
    expect(rule).toEqual({ when: 'first', effect: { status: 500, body: { detail: 'Try again.' } } });
  });

  test.each<[unknown, string]>([
    [{}, "fault rule: effect: expected { status, body?, headers? }, { latencyMs }, 'drop' or 'malformed'."],
    [{ effect: 'explode' }, "fault rule: effect: expected { status, body?, headers? }, { latencyMs }, 'drop' or"],
    [{ effect: 'drop', when: 'never' }, "fault rule: when: expected 'every', 'first', { nth }, { every } or"],
    [{ effect: 'drop', phase: 'after' }, "fault rule: phase: expected 'before', 'during' or 'afterCommit'."],
    [{ effect: 'drop', time: 1 }, 'fault rule: time: '],
    [{ effect: 'drop', times: 0 }, 'fault rule: times: '],
    [
      { effect: 'drop', match: { operation: 'accounts.stag' } },
      'fault rule: match.operation: expected one or a list of token, supplyPoints.populate, businesses.create, ',
    ],
    [{ effect: 'drop', match: { acount: 'A' } }, 'fault rule: match.acount: '],
    ['drop', 'fault rule: '],
    [null, 'fault rule: '],
  ])('%j is refused with a TypeError that says where', (rule, message) => {
    const { faults } = createSandbox();
    expect(() => faults.add(rule as FaultRule)).toThrow(TypeError);
    expect(() => faults.add(rule as FaultRule)).toThrow(message);
    const second = message.replace('fault rule', 'fault rule 2');
    expect(() => createSandbox({ faults: [{ effect: 'drop' }, rule as FaultRule] })).toThrow(second);
    expect(faults.list()).toEqual([]);
  });

  test('two rules of one id are refused', () => {
    const { faults } = createSandbox();
    faults.add({ id: 'a', effect: 'drop' });
    expect(() => faults.add({ id: 'a', effect: 'drop' })).toThrow('fault rule: there is one of id a already.');
  });
});
