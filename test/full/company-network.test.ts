/**
 * The command line in a company network: through an HTTP proxy, to a service whose certificate comes from the company's own authority,
 * and which asks for a certificate of the client.
 */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConnectionError, DataImportClient, networkDispatcher } from '../../src/index.js';
import { SANDBOX_SUPPLIER } from '../../src/sandbox/index.js';
import { createAuthority, hasOpenssl, OF_CLIENT, OF_SERVER } from '../helpers/certificates.js';
import { ELSEWHERE, startProxy } from '../helpers/connect-proxy.js';
import { newFolder } from '../helpers/folder.js';
import { startTlsService } from '../helpers/tls-service.js';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

const isOpensslThere = hasOpenssl('TLS with certificates of a company');

const folder = newFolder('company-network-', afterAll);
const at = (name: string) => join(folder, name);
const pem = (name: string) => readFileSync(at(name), 'utf8');

/** An authority, and certificates from it for the service and for a client. */
beforeAll(() => {
  if (!isOpensslThere) return;
  const { issue, openssl } = createAuthority(folder);
  issue('service', `${OF_SERVER},DNS:${ELSEWHERE}`);
  issue('client', OF_CLIENT);
  openssl('ec', '-in', 'client.key', '-aes256', '-passout', 'pass:secret', '-out', 'encrypted.key');
});

/** `asksForCertificate`: of a client. */
async function startService({ asksForCertificate }: { asksForCertificate: boolean }) {
  const asking = { requestCert: true, rejectUnauthorized: true };
  const files = { cert: at('service.pem'), key: at('service.key') };
  const { sandbox, port } = await startTlsService(files, asksForCertificate ? { ...asking, ca: pem('ca.pem') } : {});
  return { sandbox, port, url: `https://localhost:${port}` };
}

function command(args: readonly string[], env: Record<string, string>) {
  return new Promise<{ code: number; out: string; err: string }>((resolve) => {
    const child = execFile(
      process.execPath,
      [CLI, ...args],
      { cwd: folder, env: { ...process.env, ...env } },
      (_, out, err) => resolve({ code: child.exitCode ?? -1, out, err }),
    );
  });
}

const INPUT = Array.from({ length: 20 }, (_, index) => ({
  account: { import_supplier: SANDBOX_SUPPLIER, external_account_number: `A-${index}` },
}));

function runArguments(url: string, name: string): string[] {
  writeFileSync(at('input.jsonl'), INPUT.map((record) => `${JSON.stringify(record)}\n`).join(''));
  return ['run', 'input.jsonl', '--base-url', url, '--team', 'SANDBOX_TEAM', '--run', name, '--yes'];
}

describe.skipIf(!isOpensslThere)('a service with a certificate of a company', () => {
  test('is refused without --ca, with the remedy; nothing is sent', async () => {
    const { sandbox, url } = await startService({ asksForCertificate: false });
    const { code, err } = await command(runArguments(url, 'untrusted'), { DATA_IMPORT_TOKEN: sandbox.token });
    expect(code).toBe(1);
    expect(err).toContain('the issuer of the certificate is missing or not trusted');
    expect(err).toContain('trust its authority with --ca <file>');
    expect(sandbox.requests()).toEqual([]);
  });

  test.each([
    ['--ca', ['--ca', 'ca.pem'], {}],
    ['NODE_EXTRA_CA_CERTS', [], { NODE_EXTRA_CA_CERTS: 'ca.pem' }],
  ])('is trusted with %s, and the run imports every account', async (name, flags, env) => {
    const { sandbox, url } = await startService({ asksForCertificate: false });
    const args = [...runArguments(url, `trusted${name}`), ...flags];
    const { code, out, err } = await command(args, { DATA_IMPORT_TOKEN: sandbox.token, ...env });
    expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('20 created');
  });

  test.each([
    ['an unencrypted key', 'client.key', {}],
    ['an encrypted key', 'encrypted.key', { DATA_IMPORT_CLIENT_KEY_PASSPHRASE: 'secret' }],
  ])('that asks for a certificate of the client gets it, with %s', async (_, key, env) => {
    const { sandbox, url } = await startService({ asksForCertificate: true });
    const tls = ['--ca', 'ca.pem', '--client-cert', 'client.pem', '--client-key', key];
    const given = { DATA_IMPORT_TOKEN: sandbox.token, ...env };
    const { code, out } = await command([...runArguments(url, `mtls-${key}`), ...tls], given);
    expect(code).toBe(0);
    expect(out).toContain('20 created');
  });

  test('that asks for a certificate refuses a client without one', async () => {
    const { sandbox, url } = await startService({ asksForCertificate: true });
    const dispatcher = await networkDispatcher({ tls: { ca: pem('ca.pem') } });
    const client = new DataImportClient({ baseUrl: url, token: sandbox.token, dispatcher, maxRetries: 0 });
    const error = await client.imports
      .status({ import_supplier_code: SANDBOX_SUPPLIER, external_account_number: 'A-1' })
      .catch((one: unknown) => one);
    expect(error instanceof ConnectionError).toBe(true);
    await client.close();
    await dispatcher.close();
    expect(sandbox.requests()).toEqual([]);
  });

  test.each([
    [
      ['--ca', 'missing.pem'],
      '--ca: missing.pem cannot be read (there is no such file); expected the path of a text file.',
    ],
    [['--ca', 'client.key'], '--ca: client.key has no certificate.'],
    [['--client-cert', 'client.pem'], '--client-cert has no effect without --client-key: give that as well.'],
    [['--client-cert', 'client.pem', '--client-key', 'service.key'], 'tls: the certificates or the key cannot be used'],
    [
      ['--client-cert', 'client.pem', '--client-key', 'encrypted.key'],
      'tls: the certificates or the key cannot be used',
    ],
  ])('%j ends with exit code 2', async (flags, message) => {
    const args = [...runArguments('https://localhost:1', 'wrong'), ...flags];
    const { code, err } = await command(args, { DATA_IMPORT_TOKEN: 'token' });
    expect(err).toContain(message);
    expect(code).toBe(2);
  });
});

describe.skipIf(!isOpensslThere)('through a proxy', () => {
  test('HTTPS_PROXY: the run imports every account through a tunnel', async () => {
    const { sandbox, port } = await startService({ asksForCertificate: false });
    const proxy = await startProxy({ to: port });
    const args = [...runArguments(`https://${ELSEWHERE}`, 'proxied'), '--ca', 'ca.pem'];
    const { code, out } = await command(args, { DATA_IMPORT_TOKEN: sandbox.token, HTTPS_PROXY: proxy.url });
    expect(code).toBe(0);
    expect(out).toContain('20 created');
    expect(new Set(proxy.targets)).toEqual(new Set([`${ELSEWHERE}:443`]));
  });

  test('a service on this machine is reached without the proxy, which is not there', async () => {
    const { sandbox, url } = await startService({ asksForCertificate: false });
    const args = [...runArguments(url, 'direct'), '--ca', 'ca.pem'];
    const env = { DATA_IMPORT_TOKEN: sandbox.token, HTTPS_PROXY: 'http://127.0.0.1:9' };
    expect((await command(args, env)).code).toBe(0);
  });

  test('a proxy that is not there ends the run before anything is sent', async () => {
    const { sandbox } = await startService({ asksForCertificate: false });
    const args = [...runArguments(`https://${ELSEWHERE}`, 'no-proxy'), '--ca', 'ca.pem'];
    const env = { DATA_IMPORT_TOKEN: sandbox.token, HTTPS_PROXY: 'http://127.0.0.1:9' };
    const { code, err } = await command(args, env);
    expect(code).toBe(1);
    expect(err).toContain(
      'address: connection to the proxy 127.0.0.1:9 (from HTTPS_PROXY) failed: ECONNREFUSED, nothing listens on this port. Check host and port in HTTPS_PROXY',
    );
    expect(sandbox.requests()).toEqual([]);
  });

  test('a rehearsal does not use the proxy', async () => {
    writeFileSync(at('input.jsonl'), INPUT.map((record) => `${JSON.stringify(record)}\n`).join(''));
    const env = { HTTPS_PROXY: 'http://127.0.0.1:9', HTTP_PROXY: 'http://127.0.0.1:9' };
    const { code, out } = await command(['run', 'input.jsonl', '--sandbox', '--run', 'rehearsal'], env);
    expect(code).toBe(0);
    expect(out).toContain('20 created');
  });
});
