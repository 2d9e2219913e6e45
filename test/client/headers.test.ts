/** Headers of the caller's own, of a client and of one call (issue 20, D5). */
import { type CallOptions, DataImportClient, type DataImportClientOptions } from 'data-import-sdk';
import { describe, expect, it } from 'vitest';
import { VERSION } from '../../src/version.js';
import { account, processPayload } from '../helpers/calls.js';
import { clientOf } from '../helpers/client-of.js';
import { answer, misbehavingServer, resetAfterReading } from '../helpers/misbehaving-server.js';

const STAGE = 'account-import-process/create-or-update/';
const staged = answer(201, { import_supplier: 'ACME', external_account_number: 'A-1' });

describe('headers', () => {
  it('of the client are sent with each request; those of a call override them, in any case of letters', async () => {
    const server = await misbehavingServer({ [STAGE]: [staged, staged] });
    const client = clientOf(server, { headers: { 'X-Gateway-Key': 'g', 'X-Trace': 'client' } });

    await client.accounts.stage(account);
    await client.accounts.stage(account, { headers: { 'x-trace': 'call' } });

    expect(server.requests.map(({ headers }) => [headers['x-gateway-key'], headers['x-trace']])).toEqual([
      ['g', 'client'],
      ['g', 'call'],
    ]);
    expect(server.requests[1]?.headers).toMatchObject({
      authorization: 'Token test-token',
      'content-type': 'application/json',
    });
  });

  it('of a call are also sent with the status query after a lost answer', async () => {
    const server = await misbehavingServer({
      'account-import-process/process/': resetAfterReading,
      'account-transfer-status/ACME/A-1/': answer(200, { status: 'PENDING', service_account_number: 'S-1' }),
    });

    await clientOf(server).accounts.process(processPayload, { headers: { 'x-batch': '7' } });

    expect(server.requests.map(({ headers }) => headers['x-batch'])).toEqual(['7', '7']);
  });

  const REFUSED: [unknown, string][] = [
    [
      { Authorization: 'Token secret' },
      'headers: leave out Authorization; the client writes it from token and advanced.tokenScheme',
    ],
    [{ 'User-Agent': 'x' }, 'headers: leave out User-Agent; use advanced.userAgent'],
    [{ 'content-length': '7' }, 'headers: leave out content-length; the client writes it'],
    [{ 'x-key': 'a\r\nsecret: b' }, 'headers: expected text of visible ASCII characters for x-key'],
    [{ 'x-key': 7 }, 'headers: expected text of visible ASCII characters for x-key'],
    [{ 'x key': '7' }, 'headers: expected names of letters, digits and hyphens'],
    ['x-key: 7', "headers: expected an object of header values by name, such as { 'x-trace': '1' }"],
    [new Headers({ a: 'b' }), "headers: expected an object of header values by name, such as { 'x-trace': '1' }"],
  ];
  it.each(REFUSED)('%j are refused before anything is sent', async (headers, message) => {
    const options = { baseUrl: 'https://api.example.com', token: 'T', headers } as DataImportClientOptions;
    expect(() => new DataImportClient(options)).toThrow(new TypeError(message));

    const server = await misbehavingServer({});
    const call = clientOf(server).accounts.stage(account, { headers } as CallOptions);
    await expect(call).rejects.toThrow(new TypeError(message));
    expect(server.log).toEqual([]);
  });
});

describe('userAgent', () => {
  it('follows the name and version of the package', async () => {
    const server = await misbehavingServer({ [STAGE]: staged });
    await clientOf(server, { advanced: { userAgent: 'acme-migration/2.1 (batch)' } }).accounts.stage(account);
    expect(server.requests[0]?.headers['user-agent']).toBe(`data-import-sdk/${VERSION} acme-migration/2.1 (batch)`);
  });

  it.each(['', ' x', 'a\nb', 'é', 7])('%j is refused', (userAgent) => {
    const options = {
      baseUrl: 'https://api.example.com',
      token: 'T',
      advanced: { userAgent },
    } as DataImportClientOptions;
    expect(() => new DataImportClient(options)).toThrow(
      /^advanced\.userAgent: expected words of visible ASCII characters/,
    );
  });
});
