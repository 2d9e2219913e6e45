import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DataImportClient } from '../../../src/client.js';
import {
  createMemoryLedger,
  inputFromRecords,
  type MigrationOptions,
  parseHalt,
  runMigration,
  startMigration,
} from '../../../src/migration/index.js';
import { createSandbox, type SandboxOptions } from '../../../src/sandbox/index.js';
import { newFolder } from '../../helpers/folder.js';
import { account, business } from '../rehearsal.js';

interface Sent {
  /** The last part of the path, with `dry run` for one. */
  what: string;
  number: string;
}

/** A sandbox that many calls reach at once, with everything that was sent to it in its order. */
function scene(options: SandboxOptions = {}, answer: (sent: Sent) => Response | undefined = () => undefined) {
  const folder = newFolder('first-account-');
  const sandbox = createSandbox(options);
  const sent: Sent[] = [];
  const underWay = { now: 0, most: 0 };
  const fetch = async (url: string, init: RequestInit) => {
    const [, what = ''] = /\/([\w-]+)\/$/.exec(new URL(url).pathname) ?? [];
    const body = init.body === undefined ? {} : JSON.parse(String(init.body));
    const number = body.external_account_number ?? body.external_business_identifier ?? '';
    const one = { what: body.dry_run === true ? 'dry run' : what, number };
    sent.push(one);
    underWay.most = Math.max(underWay.most, ++underWay.now);
    // Gives all requests that may be in flight at the same time a chance to be sent.
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    underWay.now--;
    return answer(one) ?? sandbox.fetch(new Request(url, init));
  };
  const client = new DataImportClient({
    ...{ baseUrl: 'http://localhost:1', token: sandbox.token, fetch, advanced: { retryBaseMs: 0 }, maxRetries: 0 },
  });
  const ledger = createMemoryLedger();
  const given = { client, folder: join(folder, 'run'), team: 'SANDBOX_TEAM', ledger };
  const staged = () =>
    sandbox.requests().filter(({ operation, status }) => operation === 'accounts.stage' && (status ?? 0) < 300);
  return {
    ...{ sandbox, sent, underWay, given },
    staged: () => staged().map(({ account: number }) => number),
    run: (records: readonly unknown[], more: Partial<MigrationOptions> = {}) =>
      runMigration({ ...given, input: inputFromRecords(records), throttle: { concurrency: 32 }, ...more }),
  };
}

const accounts = (count: number) => Array.from({ length: count }, (_, index) => account(`A-${index + 1}`));
const inShort = ({ what, number }: Sent) => `${what} ${number}`;

describe('a wrong team', () => {
  test.each(['first', 'none', 'all', 50] as const)('stages one account, with dryRun %s', async (dryRun) => {
    const { run, staged, sandbox } = scene();
    const result = await run(accounts(60), { team: 'NO_SUCH_TEAM', dryRun });
    expect(result).toMatchObject({ state: 'halted', reason: expect.stringContaining('operations team') });
    expect(staged()).toEqual(['A-1']);
    expect(result.summary).toMatchObject({ created: 0, rejected: 0 });
    expect(sandbox.requests().filter(({ change }) => change === 'staged → imported')).toEqual([]);
  });

  test('stages one account also if the accounts before it are refused', async () => {
    const { run, staged } = scene();
    const unknownContract = (number: string) => account(number, { business: { business_contract_identifier: 'C-0' } });
    const refused = Array.from({ length: 5 }, (_, index) => unknownContract(`X-${index + 1}`));
    expect(await run([...refused, ...accounts(60)], { team: 'NO_SUCH_TEAM' })).toMatchObject({ state: 'halted' });
    expect(staged()).toEqual(['A-1']);
  });

  test('is checked again if the team is not the one that the service accepted before', async () => {
    const { run, staged } = scene();
    expect(await run(accounts(3))).toMatchObject({ state: 'finished', summary: { created: 3 } });
    expect(await run(accounts(60), { team: 'NO_SUCH_TEAM' })).toMatchObject({ state: 'halted' });
    expect(staged()).toHaveLength(4);
  });
});

describe('a wrong token', () => {
  test('stages nothing if staging checks the team', async () => {
    const { run, staged, given, sandbox } = scene();
    const client = new DataImportClient({
      baseUrl: 'http://localhost:1',
      token: 'another-token',
      fetch: sandbox.fetch,
    });
    expect(await run(accounts(60), { ...given, client })).toMatchObject({ state: 'halted', notAccepted: 'token' });
    expect(staged()).toEqual([]);
  });

  test('stages one account if only processing checks it', async () => {
    const unauthorized = ({ what }: Sent) =>
      what === 'dry run' || what === 'process' ? Response.json({}, { status: 401 }) : undefined;
    const { run, staged } = scene({}, unauthorized);
    expect(await run(accounts(60))).toMatchObject({ state: 'halted', notAccepted: 'token' });
    expect(staged()).toEqual(['A-1']);
  });
});

describe('the right team', () => {
  test('is tried with the first account, before another account is staged', async () => {
    const { run, sent, underWay } = scene();
    expect(await run(accounts(40))).toMatchObject({ state: 'finished', summary: { created: 40 } });
    expect(sent.slice(0, 2).map(inShort)).toEqual(['create-or-update A-1', 'dry run A-1']);
    expect(sent.filter(({ what }) => what === 'dry run')).toHaveLength(1);
    expect(underWay.most).toBeGreaterThan(8);
  });

  test('is tried once, and not by the sessions that follow', async () => {
    const { run, sent } = scene();
    await run(accounts(2));
    sent.length = 0;
    expect(await run(accounts(4))).toMatchObject({ summary: { created: 4 } });
    expect(sent.map(({ what }) => what)).not.toContain('dry run');
  });

  test('is checked by processing if no dry run is wanted', async () => {
    const { run, sent } = scene();
    await run(accounts(20), { dryRun: 'none' });
    expect(sent.slice(0, 3).map(inShort)).toEqual(['create-or-update A-1', 'process A-1', 'create-or-update A-2']);
    expect(sent.map(({ what }) => what)).not.toContain('dry run');
  });

  test('is tried with an account that an earlier session staged, and nothing else is staged before', async () => {
    let isRefused = true;
    const unauthorized = ({ what }: Sent) =>
      isRefused && what === 'dry run' ? Response.json({}, { status: 401 }) : undefined;
    const { run, sent } = scene({}, unauthorized);
    expect(await run(accounts(1))).toMatchObject({ state: 'halted', summary: { unfinished: 1 } });
    isRefused = false;
    sent.length = 0;
    await run(accounts(10));
    expect(sent.slice(0, 2).map(inShort)).toEqual(['dry run A-1', 'process A-1']);
    expect(sent.filter(({ what }) => what === 'dry run')).toHaveLength(1);
  });

  test('does not delay businesses', async () => {
    const { run, sent } = scene();
    const businesses = Array.from({ length: 3 }, (_, index) => business(`B-${index + 1}`, `C-${index + 1}`));
    expect((await run([account('A-1'), ...businesses])).summary.created).toBe(4);
    const before = sent.findIndex(({ what }) => what === 'dry run');
    expect(sent.slice(0, before).filter(({ what }) => what === 'business')).toHaveLength(3);
  });
});

describe('an input whose accounts do not come as far as their team', () => {
  test('continues with many at once after the first hundred', { tags: 'long' }, async () => {
    const { run, given, underWay, sent } = scene();
    await run(accounts(180));
    underWay.most = 0;
    sent.length = 0;
    const another = { ...given, ledger: createMemoryLedger(), folder: `${given.folder}-again` };
    const { summary } = await run(accounts(180), another);
    expect(summary).toMatchObject({ alreadyImported: 180, balance: { isBalanced: true } });
    // Staging, and the question what number the account has: of the first hundred one after the other.
    const staging = sent.flatMap(({ what }, index) => (what === 'create-or-update' ? [index] : []));
    expect(staging.slice(0, 100)).toEqual(Array.from({ length: 100 }, (_, index) => index * 2));
    expect(underWay.most).toBeGreaterThan(8);
  });

  test('is sent one account after the other while calls fail, until the halt rules stop it', async () => {
    const { run, underWay } = scene({}, () => Response.json({}, { status: 503 }));
    const { state, reason } = await run(accounts(60), {
      throttle: { concurrency: 32, halt: parseHalt('outage=0') },
    });
    expect(state).toBe('halted');
    expect(reason).toContain('20 calls in a row failed');
    expect(underWay.most).toBe(1);
  });

  test.each(['WEST', 'EAST'])(
    'whose first calls fail is tried with one account all the same (team %s)',
    async (team) => {
      let staging = 0;
      const fails = ({ what }: Sent) =>
        what === 'create-or-update' && ++staging <= 5 ? Response.json({}, { status: 503 }) : undefined;
      const { run, sent } = scene({ teams: ['EAST'] }, fails);
      const { state, summary } = await run(accounts(60), { team, throttle: { concurrency: 32 } });
      expect(sent.slice(5, 7).map(({ what }) => what)).toEqual(['create-or-update', 'dry run']);
      if (team === 'EAST') expect([state, summary.created]).toEqual(['finished', 60]);
      // One is staged, and none is processed.
      else expect([state, sent.length]).toEqual(['halted', 7]);
    },
  );
});

test('a run that drains while accounts wait for the first one ends, and the next session continues', async () => {
  const { given, run, staged } = scene();
  const begun = await startMigration({
    ...given,
    input: inputFromRecords(accounts(30)),
    onEvent: (_, event) => event.type === 'stepStarted' && event.step === 'stage' && begun.throttle.drain(),
  });
  expect(await begun.finished).toMatchObject({ state: 'stopped', summary: { created: 0 } });
  expect(staged().length).toBeLessThanOrEqual(1);
  expect(await run(accounts(30))).toMatchObject({ state: 'finished', summary: { created: 30 } });
});
