/** The checks before the first record, each by itself: what was found, and what to do about it. */
import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { graphqlToken } from '../../../src/http/token/graphql-token.js';
import { inputFromRecords } from '../../../src/migration/index.js';
import { checkDisk, neededBytes } from '../../../src/migration/operations/preflight/disk-space.js';
import { sampleInput } from '../../../src/migration/operations/preflight/input-sample.js';
import {
  checkAddress,
  checkClock,
  checkToken,
  probeService,
} from '../../../src/migration/operations/preflight/service-probe.js';
import { checkSuppliers, checkTeam } from '../../../src/migration/operations/preflight/suppliers-and-team.js';
import { createSandbox, type SandboxOptions } from '../../../src/sandbox/index.js';
import { clientOf } from '../../helpers/client-of.js';
import { newFolder } from '../../helpers/folder.js';
import { answer, closedPort, html, misbehavingServer, type Reaction } from '../../helpers/misbehaving-server.js';
import { account } from '../rehearsal.js';

const STATUS = 'account-transfer-status/ACME/preflight-no-such-account/';
const NOW = new Date('2026-01-15T09:00:00Z');

const probe = async (reaction: Reaction) => {
  const server = await misbehavingServer({ [STATUS]: reaction });
  return {
    server,
    host: new URL(server.url).host,
    found: await probeService(clientOf(server), 'ACME', { now: () => NOW }),
  };
};

const SCHEME = 'Check scheme (http or https), host and port of --base-url, the network, and whether the service runs.';

/** What a fetch fails with that never comes to a service. */
const failing = (code: string) =>
  clientOf(
    { url: 'https://api.example.com/tenant-7' },
    { fetch: () => Promise.reject(Object.assign(new TypeError('fetch failed'), { cause: { code } })) },
  );

describe('address', () => {
  test('a port without a server', async () => {
    const url = await closedPort();
    const found = await probeService(clientOf({ url }), 'ACME');
    expect(checkAddress(found)).toEqual({
      check: 'address',
      result: 'failed',
      detail: `connection to ${new URL(url).host} failed: ECONNREFUSED, nothing listens on this port`,
      remedy: 'Check host and port of --base-url, the network, and whether the service runs.',
    });
    expect(checkToken(found)).toMatchObject({ result: 'notChecked', detail: 'the service did not answer' });
    expect(checkClock(found)).toMatchObject({ result: 'notChecked', detail: 'no answer came from the service' });
  });

  test.each([
    ['HPE_INVALID_CONSTANT', 'the answer is not HTTP; the port may be one of another program', SCHEME],
    ['UND_ERR_SOCKET', 'the connection broke before the answer was complete', SCHEME],
    ['ENOTFOUND', 'no host has this name', 'Check the host in --base-url, and the network.'],
    [
      'RangeError',
      'the process may use too little address space for WebAssembly, which reads HTTP',
      'Raise or remove the limit of address space (ulimit -v).',
    ],
    [
      'CERT_HAS_EXPIRED',
      'the certificate has expired',
      'Have the certificate renewed, or trust its authority with --ca <file> or NODE_EXTRA_CA_CERTS=<file>.',
    ],
  ])('%s: host and cause, without the path', async (code, cause, remedy) => {
    expect(checkAddress(await probeService(failing(code), 'ACME'))).toEqual({
      check: 'address',
      result: 'failed',
      detail: `connection to api.example.com failed: ${code}, ${cause}`,
      remedy,
    });
  });

  test('a certificate that is self-signed is named in words', async () => {
    const folder = newFolder('certificate-');
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const subject = ['-subj', '/CN=localhost', '-days', '2'];
    const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, ...subject];
    execFileSync('openssl', args, { stdio: 'ignore' });
    const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_, response) => response.end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    expect(checkAddress(await probeService(clientOf({ url: `https://127.0.0.1:${port}` }), 'ACME'))).toMatchObject({
      result: 'failed',
      detail: `connection to 127.0.0.1:${port} failed: DEPTH_ZERO_SELF_SIGNED_CERT, the certificate is self-signed, and this machine does not trust it`,
      remedy: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
    });
  });

  test.each([
    [
      'a redirect',
      answer(302, undefined, { location: 'https://login.example.com' }),
      'failed',
      'with a redirect (302)',
    ],
    ['the page of a gateway', html(503), 'failed', '503: the service behind it is unavailable'],
    ['a page of another server', html(200), 'failed', '200 with a page that is not from the service'],
    ['JSON of another server', answer(200, {}), 'failed', '200 with an answer to a status query that is not from'],
    [
      'the status of an account that does not exist',
      answer(200, { status: 'ok' }),
      'failed',
      'a status query that is not from',
    ],
    ['a 204', answer(204), 'failed', '204 with an answer to a status query that is not from the service'],
    ['a 404 with a page', html(404), 'warning', '404 with a page that may not be from the service'],
    ['a 500', answer(500, { detail: 'x' }), 'warning', 'a status query with 500'],
    ['a 404 of the service', answer(404, { detail: 'x' }), 'ok', 'answers'],
    ['a 404 without a body', answer(404), 'ok', 'answers'],
    ['a 401', answer(401, {}), 'ok', 'answers'],
  ])('%s', async (_, reaction, result, detail) => {
    const { found, host } = await probe(reaction);
    expect(checkAddress(found)).toMatchObject({ result, detail: expect.stringContaining(detail) });
    expect(checkAddress(found).detail).toContain(host);
  });

  test("is that of the token's server if that does not answer", async () => {
    const url = await closedPort();
    const token = graphqlToken({
      url: `${url}/graphql/`,
      apiKey: 'key-1',
      document: 'mutation ($apiKey: String!) { t(k: $apiKey) { token } }',
      select: (data) => data.t.token,
    });
    const found = await probeService(clientOf({ url: 'https://api.example.com' }, { token }), 'ACME');
    expect(checkAddress(found).detail).toContain(`connection to ${new URL(url).host} failed: ECONNREFUSED`);
    expect(checkToken(found)).toMatchObject({ result: 'notChecked' });
  }, 20_000);
});

describe('token', () => {
  test.each([
    ['401', answer(401, {}), 'failed', 'the service answers 401: it does not accept the token'],
    ['403', answer(403, {}), 'failed', 'the service, or a gateway before it, answers 403'],
    ['404', answer(404, { detail: 'x' }), 'ok', 'a status query is answered with 404'],
    [
      '200',
      answer(200, { status: 'UNKNOWN', service_account_number: '' }),
      'ok',
      'a status query is answered with 200',
    ],
    ['JSON of another server', answer(200, {}), 'cannotTell', 'a status query answered with 200 does not show it'],
    ['500', answer(500, {}), 'cannotTell', 'a status query answered with 500 does not show it'],
    ['429', answer(429, {}), 'cannotTell', 'a status query answered with 429 does not show it'],
  ])('%s', async (_, reaction, result, detail) => {
    const { found } = await probe(reaction);
    expect(checkToken(found)).toMatchObject({ result, detail: expect.stringContaining(detail) });
  });

  test('403 for an unknown supplier proves nothing', async () => {
    const server = await misbehavingServer({
      'account-transfer-status/PREFLIGHT/preflight-no-such-account/': answer(403, {}),
    });
    const found = await probeService(clientOf(server), undefined);
    expect(checkToken(found)).toMatchObject({ result: 'cannotTell' });
  });

  test('one that is not available', async () => {
    const server = await misbehavingServer({
      '/graphql/': answer(200, { errors: [{ extensions: { errorCode: 'BAD_KEY' } }] }),
    });
    const token = graphqlToken({
      url: `${server.url}/graphql/`,
      apiKey: 'key-1',
      document: 'mutation ($apiKey: String!) { t(k: $apiKey) { token } }',
      select: (data) => data.t.token,
    });
    const found = await probeService(clientOf(server, { token }), 'ACME');
    expect(checkToken(found)).toEqual({
      check: 'token',
      result: 'failed',
      detail: 'no token could be obtained (BAD_KEY)',
      remedy: 'Check the API key and the --graphql options.',
    });
    expect(checkAddress(found)).toMatchObject({ result: 'notChecked' });
  });

  test('U2 one status query is all that is sent: no list, and not the business payment instruction', async () => {
    expect((await probe(answer(404, {}))).server.log).toEqual([`GET ${STATUS}`]);
  });
});

describe('clock', () => {
  test.each([
    ['Thu, 15 Jan 2026 09:00:00 GMT', 'ok', 'equal to that of the service'],
    ['Thu, 15 Jan 2026 08:59:00 GMT', 'ok', '60 s different from that of the service'],
    ['Thu, 15 Jan 2026 08:58:59 GMT', 'warning', 'the clock of this machine is 61 s ahead of that of the service'],
    ['Thu, 15 Jan 2026 09:10:00 GMT', 'warning', 'the clock of this machine is 600 s behind that of the service'],
    ['yesterday', 'notChecked', 'no answer of the service has a Date header'],
  ])('%s', async (date, result, detail) => {
    const { found } = await probe(answer(404, {}, { date }));
    expect(checkClock(found)).toMatchObject({ check: 'clock', result, detail });
  });
});

/** A sandbox and a client of it. */
function service(options: SandboxOptions = {}) {
  const sandbox = createSandbox(options);
  const client = clientOf({ url: 'http://localhost:1' }, { token: sandbox.token, fetch: sandbox.fetch });
  return { sandbox, client };
}
const sample = (...records: unknown[]) => sampleInput(inputFromRecords(records), undefined);

describe('suppliers', () => {
  const PAUSED = { suppliers: [{ code: 'SANDBOX_SUPPLIER', status: 'Paused' as const }] };

  test('U10 one that is Paused is not found if validate accepts its accounts', async () => {
    const { client } = service(PAUSED);
    expect(await checkSuppliers(client, await sample(account('A-1')))).toEqual([
      {
        check: 'supplier',
        result: 'cannotTell',
        detail:
          'SANDBOX_SUPPLIER: validate accepts an account of it, which some services do while it is Paused; the first account that is staged shows it',
        remedy: '',
      },
    ]);
  });

  test('U10 a Paused supplier is found if validate refuses its accounts', async () => {
    const { client } = service({ ...PAUSED, settings: { refusedUnlessOngoing: ['validate', 'process'] } });
    expect(await checkSuppliers(client, await sample(account('A-1')))).toMatchObject([
      { result: 'failed', detail: 'SANDBOX_SUPPLIER: the service refuses it (import_supplier_not_ongoing)' },
    ]);
  });

  test('one that the service refuses by name', async () => {
    const refusal = {
      code: 'invalid',
      errors: [{ code: 'import_supplier_not_ongoing', attr: 'import_supplier', detail: '' }],
    };
    const server = await misbehavingServer({ 'validate-account/': answer(400, refusal) });
    expect(await checkSuppliers(clientOf(server), await sample(account('A-1')))).toEqual([
      {
        check: 'supplier',
        result: 'failed',
        detail: 'SANDBOX_SUPPLIER: the service refuses it (import_supplier_not_ongoing)',
        remedy: 'Ask the operator whether it is Ongoing, and check its code in the input.',
      },
    ]);
  });

  test('an account that is refused for its content proves nothing about its supplier', async () => {
    const refusal = { code: 'invalid', errors: [{ code: 'required', attr: 'customers', detail: 'Jeanne' }] };
    const server = await misbehavingServer({ 'validate-account/': answer(400, refusal) });
    const [check] = await checkSuppliers(clientOf(server), await sample(account('A-1')));
    expect(check).toMatchObject({ result: 'cannotTell', detail: expect.stringContaining('(400)') });
    expect(JSON.stringify(check)).not.toContain('Jeanne');
  });

  test('no more than five calls, however many there are', async () => {
    const server = await misbehavingServer({ 'validate-account/': answer(200, {}) });
    const records = Array.from({ length: 9 }, (_, index) => account(`A-${index}`, { import_supplier: `S-${index}` }));
    const checks = await checkSuppliers(clientOf(server), await sample(...records));
    expect(server.requests).toHaveLength(5);
    expect(checks.at(-1)).toMatchObject({ result: 'notChecked', detail: '4 more import suppliers' });
  });

  test('an input is read no further than its first thousand lines', async () => {
    let read = 0;
    const records = function* () {
      for (let index = 0; index < 5000; index++) {
        read++;
        yield account(`A-${index}`);
      }
    };
    expect(await sampleInput(inputFromRecords(records), undefined)).toMatchObject({ lines: 1000, isWhole: false });
    expect(read).toBeLessThan(1100);
  });
});

describe('team', () => {
  test('that the service accepts: one account is staged, and nothing is created', async () => {
    const { client, sandbox } = service();
    const check = await checkTeam(client, await sample(account('A-1'), account('A-2')), 'SANDBOX_TEAM');
    expect(check).toMatchObject({ check: 'team', result: 'ok' });
    expect(sandbox.requests().map(({ account: number, change }) => [number, change])).toEqual([
      ['A-1', expect.stringContaining('staged')],
      ['A-1', expect.not.stringContaining('imported')],
    ]);
  });

  test('that there is not', async () => {
    const { client } = service();
    expect(await checkTeam(client, await sample(account('A-1')), 'NO_SUCH_TEAM')).toEqual({
      check: 'team',
      result: 'failed',
      detail:
        'NO_SUCH_TEAM: the service does not accept this operations team (operations_team_not_found); one account is staged now',
      remedy: 'Ask the operator for the name of the team, and give it with --team.',
    });
  });

  test('a supplier that is Paused is found by the account that is staged', async () => {
    const { client, sandbox } = service();
    const input = await sample(account('A-1'));
    sandbox.setSupplierStatus('SANDBOX_SUPPLIER', 'Paused');
    expect(await checkTeam(client, input, 'SANDBOX_TEAM')).toMatchObject({
      check: 'supplier',
      result: 'failed',
      detail: 'SANDBOX_SUPPLIER: the service refuses it (import_supplier_not_ongoing)',
    });
  });

  test('that stays open, because the account exists already', async () => {
    const { client } = service();
    const input = await sample(account('A-1'));
    await checkTeam(client, input, 'SANDBOX_TEAM');
    const processing = { import_supplier_code: 'SANDBOX_SUPPLIER', external_account_number: 'A-1' };
    await client.accounts.process({ ...processing, operations_team_name: 'SANDBOX_TEAM' });
    expect(await checkTeam(client, input, 'SANDBOX_TEAM')).toMatchObject({ result: 'cannotTell' });
  });
});

describe('disk', () => {
  const MB = 1024 * 1024;
  const free = (megabytes: number) => async () => ({ bavail: megabytes, bsize: MB });

  test.each([
    [49, undefined, 'failed', '49 MB free at FOLDER; a run needs at least 50 MB'],
    [50, undefined, 'ok', '50 MB free at FOLDER'],
    [200, 300 * MB, 'warning', '200 MB free at FOLDER; this input may take about 300 MB'],
    [300, 300 * MB, 'ok', '300 MB free at FOLDER'],
    [30 * 1024, 300 * MB, 'ok', '30 GB free at FOLDER'],
  ])('%i MB free, %s needed: %s', async (megabytes, needed, result, detail) => {
    const found = await checkDisk(tmpdir(), needed, free(megabytes));
    expect(found).toMatchObject({ check: 'disk', result, detail: detail.replace('FOLDER', tmpdir()) });
  });

  test('that is not writable fails with the folder, the reason, and the remedy', async () => {
    const parent = newFolder('disk-');
    const file = join(parent, 'file');
    writeFileSync(file, '');
    expect(await checkDisk(join(file, 'run'), undefined, free(100))).toEqual({
      check: 'disk',
      result: 'failed',
      detail: `cannot write in ${file} (a part of the path is a file, ENOTDIR)`,
      remedy: 'Give another one with --run.',
    });
    expect((await checkDisk(join(parent, 'run'), undefined, free(100))).result).toBe('ok');
    expect(readdirSync(parent)).toEqual(['file']);
  });

  // Root may write in any folder of a disk, so that this one cannot be made by a test that runs as root.
  test.skipIf(process.getuid?.() === 0)(
    'a folder without the right to write: the right, or another folder',
    async () => {
      const parent = newFolder('disk-');
      chmodSync(parent, 0o500);
      expect(await checkDisk(parent, undefined, free(100))).toMatchObject({
        result: 'failed',
        detail: `cannot write in ${parent} (no permission, EACCES)`,
        remedy: 'Give this user the right to read and write it, or give another one with --run.',
      });
    },
  );

  test('is that of the folder in which the run folder will be made', async () => {
    const asked: string[] = [];
    const freeSpace = async (path: string) => {
      asked.push(path);
      return { bavail: 100, bsize: MB };
    };
    await checkDisk(join(tmpdir(), 'no-such-folder', 'run'), undefined, freeSpace);
    expect(asked).toEqual([tmpdir()]);
  });

  test('stays open if the system has no answer', async () => {
    const check = await checkDisk(tmpdir(), 1, () =>
      Promise.reject(Object.assign(new Error('no'), { code: 'ENOSYS' })),
    );
    expect(check).toMatchObject({
      result: 'cannotTell',
      detail: `cannot read the free space at ${tmpdir()} (ENOSYS)`,
    });
  });

  test('about 1 KB of ledger a record, and the input once more for its result files', async () => {
    const folder = newFolder('needed-');
    const file = join(folder, 'input.jsonl');
    writeFileSync(file, 'x'.repeat(100_000));
    const of = { suppliers: new Map(), lines: 10, bytes: 1000, files: new Set([file]) };
    expect(await neededBytes({ ...of, isWhole: true }, true)).toBe(2300 + 10 * 1024);
    // A hundred bytes a line: a thousand lines.
    expect(await neededBytes({ ...of, isWhole: false }, true)).toBe(230_000 + 1000 * 1024);
    expect(await neededBytes({ ...of, isWhole: false }, false)).toBe(100_000);
    expect(await neededBytes(undefined, true)).toBeUndefined();
  });
});
