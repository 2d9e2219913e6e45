/** `data-import-sdk doctor`, and the same checks before the first record of a run, as typed. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { passesPreflight } from '../../../src/cli/session/preflight.js';
import { createMemoryLedger } from '../../../src/migration/ledger/memory.js';
import { answer, closedPort, hang, misbehavingServer } from '../../helpers/misbehaving-server.js';
import { account, ended, nameService, openFolder, openService, refused, run } from '../typed.js';

const { at, inputFile } = openFolder();
const accounts = (count: number) => Array.from({ length: count }, (_, index) => account(`A-${index + 1}`));
const resultsOf = (out: string) =>
  JSON.parse(out).checks.map(({ check, result }: { check: string; result: string }) => `${check} ${result}`);

describe('data-import-sdk doctor', () => {
  test('prints a table, sends one status query, and creates no folder', async () => {
    const sandbox = await openService();
    const { code, out, err } = await run('doctor', '--run', at('none'));
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.split('\n').map((line) => line.slice(0, 23).trimEnd())).toEqual([
      'check     result',
      'address   ok',
      'token     ok',
      'supplier  not checked',
      'team      not checked',
      'disk      ok',
      // The sandbox's own time stands still.
      expect.stringMatching(/^clock {5}/),
      '',
    ]);
    expect(sandbox.requests().map(({ operation }) => operation)).toEqual(['imports.status']);
    expect(out).toContain('needs a staged account: give an input and --stage-one\n');
    expect(existsSync(at('none'))).toBe(false);
  });

  test('with an input asks about its suppliers, and with --stage-one tries the team', async () => {
    const sandbox = await openService();
    const path = inputFile('doctor.jsonl', ...accounts(3));
    const checked = await run('doctor', path, '--run', at('none'), '--json');
    expect(resultsOf(checked.out).slice(0, 4)).toEqual([
      'address ok',
      'token ok',
      'supplier cannotTell',
      'team notChecked',
    ]);
    // The team is in a variable.
    expect(checked.out).toContain('"needs a staged account: give --stage-one"');
    expect(sandbox.requests().map(({ operation }) => operation)).toEqual(['imports.status', 'accounts.validate']);
    const staged = await run('doctor', path, '--run', at('none'), '--stage-one', '--json');
    expect(staged.code).toBe(0);
    expect(resultsOf(staged.out)).toContain('team ok');
    const staging = sandbox.requests().filter(({ operation }) => operation === 'accounts.stage');
    expect(staging.map(({ account: number }) => number)).toEqual(['A-1']);
    expect(sandbox.requests().filter(({ change }) => change === 'staged → imported')).toEqual([]);
  });

  test('a service that limits calls: the checks that it prevents say what to do', async () => {
    const limited = answer(429, { detail: 'Request was throttled.', code: 'throttled' });
    const server = await misbehavingServer({
      'account-transfer-status/SANDBOX_SUPPLIER/preflight-no-such-account/': limited,
      'validate-account/': limited,
    });
    nameService(server.url, 'token', 'EAST');
    const { out } = await run('doctor', inputFile('limited.jsonl', ...accounts(1)), '--run', at('none'), '--json');
    const remedy = 'The service limits the number of calls: repeat this command in a minute.';
    expect(JSON.parse(out).checks.slice(1, 3)).toMatchObject([
      { check: 'token', result: 'cannotTell', remedy },
      { check: 'supplier', result: 'cannotTell', remedy },
    ]);
  });

  test('a wrong team is code 8', async () => {
    await openService();
    const path = inputFile('team.jsonl', ...accounts(2));
    const { code, out } = await run('doctor', path, '--run', at('none'), '--team', 'NO_SUCH_TEAM', '--stage-one');
    expect(code).toBe(8);
    expect(out).toContain('team      FAILED       NO_SUCH_TEAM: the service does not accept this operations team');
    expect(out).toContain(
      '\n                       -> Ask the operator for the name of the team, and give it with --team.\n',
    );
  });

  test('a token that is not accepted is code 8, and no other request is sent', async () => {
    const sandbox = await openService({ settings: { authScope: 'all' } });
    vi.stubEnv('DATA_IMPORT_TOKEN', 'wrong');
    const path = inputFile('token.jsonl', ...accounts(2));
    const { code, out } = await run('doctor', path, '--run', at('none'), '--stage-one', '--json');
    expect(code).toBe(8);
    expect(resultsOf(out).slice(0, 4)).toEqual([
      'address ok',
      'token failed',
      'supplier notChecked',
      'team notChecked',
    ]);
    expect(JSON.parse(out).exitCode).toBe(8);
    expect(sandbox.requests()).toHaveLength(1);
  });

  test('a port without a server is code 1', async () => {
    await openService();
    const url = await closedPort();
    expect(await run('doctor', '--run', at('none'), '--base-url', url)).toMatchObject(
      ended(1, `address   FAILED       connection to ${new URL(url).host} failed: ECONNREFUSED`),
    );
  });

  // Less than the limit without --timeout.
  test('waits for an answer as long as --timeout says, twice', { timeout: 20_000 }, async () => {
    await openService();
    const server = await misbehavingServer({
      'account-transfer-status/PREFLIGHT/preflight-no-such-account/': hang,
    });
    expect(await run('doctor', '--run', at('none'), '--base-url', server.url, '--timeout', '0.1')).toMatchObject(
      ended(1, `address   FAILED       no answer from ${new URL(server.url).host} in time`),
    );
    expect(server.log).toHaveLength(2);
  });

  test.each([
    [['--stage-one'], '--stage-one needs an input, which has the account, and --team: give both.'],
    [['--sandbox', '--stage-one'], '--stage-one needs an input'],
  ])('%j is code 2', async (flags, message) => {
    await openService();
    expect(await run('doctor', '--run', at('none'), ...flags)).toMatchObject(refused(message));
  });

  test('of a rehearsal checks only the disk', async () => {
    const sandbox = await openService();
    const { code, out } = await run('doctor', '--run', at('none'), '--sandbox', '--json');
    expect({ code, results: resultsOf(out) }).toEqual({ code: 0, results: ['disk ok'] });
    expect(sandbox.requests()).toEqual([]);
  });
});

describe('before the first record', () => {
  test('a run with an unreachable service stages nothing: host and cause, code 1, and a line in the audit log', async () => {
    await openService();
    const url = await closedPort();
    const path = inputFile('away.jsonl', ...accounts(2));
    const { code, out, err } = await run('run', path, '--run', at('away'), '--base-url', url);
    const cause = `address: connection to ${new URL(url).host} failed: ECONNREFUSED, nothing listens on this port`;
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toBe(
      `data-import-sdk: ${cause}. Check host and port of --base-url, the network, and whether the service runs.\n` +
        'This command staged nothing. Repeat it when this is solved; data-import-sdk doctor makes the same checks.\n',
    );
    expect(readFileSync(at('away/audit.log'), 'utf8')).toContain(`did not begin: ${cause}`);
  });

  test('a run with a wrong token stages nothing, code 8, and the same command resumes with the right one', async () => {
    const sandbox = await openService({ settings: { authScope: 'all' } });
    vi.stubEnv('DATA_IMPORT_TOKEN', 'wrong');
    const path = inputFile('wrong.jsonl', ...accounts(2));
    const { code, err } = await run('run', path, '--run', at('wrong'));
    expect(code).toBe(8);
    expect(err).toContain(
      'data-import-sdk: token: the service answers 401: it does not accept the token. Check the token,',
    );
    expect(sandbox.requests().map(({ operation }) => operation)).toEqual(['imports.status']);
    vi.stubEnv('DATA_IMPORT_TOKEN', sandbox.token);
    expect(await run('run', path, '--run', at('wrong'))).toMatchObject({ code: 0 });
  });

  test('the checks are made in the first session, and again only after one that halted', { tags: 'long' }, async () => {
    const sandbox = await openService();
    const checks = () =>
      sandbox.requests().filter(({ account: number }) => number === 'preflight-no-such-account').length;
    const path = inputFile('sessions.jsonl', ...accounts(2));
    await run('run', path, '--run', at('sessions'));
    await run('run', path, '--run', at('sessions'));
    expect(checks()).toBe(1);
    const longer = inputFile('sessions.jsonl', ...accounts(4));
    expect((await run('run', longer, '--run', at('sessions'), '--team', 'NO_SUCH_TEAM')).code).toBe(8);
    expect(checks()).toBe(1);
    expect((await run('run', longer, '--run', at('sessions'))).code).toBe(0);
    expect(checks()).toBe(2);
  });

  test('a disk that is full is code 1, also of a rehearsal', async () => {
    const err: string[] = [];
    const codes: number[] = [];
    const noted: string[] = [];
    const passes = await passesPreflight(
      {
        ...{ client: undefined, profile: undefined, input: undefined, folder: '/run', hasLedger: true },
        freeSpace: async () => ({ bavail: 1, bsize: 1024 }),
        ...{ target: 'sandbox', ledger: createMemoryLedger(), now: () => new Date('2026-01-15T09:00:00Z') },
        audit: { append: async ({ what }) => void noted.push(what), entries: async () => [] },
      },
      { err: (text) => void err.push(text), exit: (code) => void codes.push(code) },
    );
    expect({ passes, codes }).toEqual({ passes: false, codes: [1] });
    expect(err[0]).toBe(
      'data-import-sdk: disk: 0 MB free at /run; a run needs at least 50 MB. Free some disk space, or choose another folder with --run.\n',
    );
    expect(noted).toEqual(['did not begin: disk: 0 MB free at /run; a run needs at least 50 MB']);
  });
});
