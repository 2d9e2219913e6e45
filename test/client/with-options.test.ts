/** Clients that share connections, token and limits (issue 20, D5). */
import type { SharingClientOptions } from 'data-import-sdk';
import { describe, expect, it } from 'vitest';
import { account } from '../helpers/calls.js';
import { clientOf, errorOf } from '../helpers/client-of.js';
import { answer, misbehavingServer } from '../helpers/misbehaving-server.js';

const STAGE = 'account-import-process/create-or-update/';
const staged = answer(201, { import_supplier: 'ACME', external_account_number: 'A-1' });

describe('withOptions', () => {
  it('changes the options that are named, and those of its client stay', async () => {
    const server = await misbehavingServer({ [STAGE]: answer(500) });
    const client = clientOf(server, { maxRetries: 2, headers: { 'x-a': '1', 'x-b': '1' } });
    const other = client.withOptions({ maxRetries: 0, headers: { 'X-B': '2' }, advanced: { userAgent: 'other/1' } });

    expect(await errorOf(other.accounts.stage(account))).toMatchObject({ attempts: 1 });
    expect(await errorOf(client.accounts.stage(account))).toMatchObject({ attempts: 3 });

    const seen = server.requests.map(({ headers }) => [headers['x-a'], headers['x-b']]);
    expect(seen).toEqual([['1', '2'], ...Array(3).fill(['1', '1'])]);
    expect(server.requests[0]?.headers['user-agent']).toMatch(/ other\/1$/);
  });

  it('the options of the group advanced that are not named stay', async () => {
    const server = await misbehavingServer({ [STAGE]: staged });
    const client = clientOf(server, { advanced: { tokenScheme: 'Bearer', userAgent: 'one/1' } });

    await client.withOptions({ advanced: { retryBaseMs: 2 } }).accounts.stage(account);
    await client.withOptions({ advanced: { userAgent: undefined } }).accounts.stage(account);
    await client.withOptions({ timeoutMs: 5000 }).accounts.stage(account);

    expect(server.requests.map(({ headers }) => [headers['authorization'], headers['user-agent']])).toEqual(
      Array(3).fill(['Bearer test-token', expect.stringMatching(/ one\/1$/)]),
    );
  });

  it('shares the token: it is requested once', async () => {
    const server = await misbehavingServer({ [STAGE]: staged });
    let asked = 0;
    const client = clientOf(server, { token: async () => `t-${++asked}` });

    await client.accounts.stage(account);
    await client.withOptions({ timeoutMs: 5000 }).accounts.stage(account);

    expect(server.requests.map(({ headers }) => headers['authorization'])).toEqual(['Token t-1', 'Token t-1']);
  });

  it('shares the limit of requests in flight, the pause after a 429 and the hooks', async () => {
    const server = await misbehavingServer({ [STAGE]: [answer(429, {}, { 'retry-after': '60' }), staged] });
    const operations: string[] = [];
    const client = clientOf(server, { advanced: { maxThrottleWaitMs: 0 } });
    client.on({ onRequest: ({ operation }) => operations.push(operation) });
    const other = client.withOptions({ timeoutMs: 5000 });

    expect(await errorOf(other.accounts.stage(account))).toMatchObject({ status: 429 });
    expect(await errorOf(client.accounts.stage(account))).toMatchObject({ name: 'RateLimitError' });

    expect(operations).toEqual(['accounts.stage']);
    expect(server.log).toHaveLength(1);
  });

  it('close() of one closes both', async () => {
    const server = await misbehavingServer({});
    const client = clientOf(server);
    await client.withOptions({ maxRetries: 0 }).close();
    expect((await errorOf(client.accounts.stage(account))).message).toContain('the client is closed');
  });

  const ALL =
    'there are headers, timeoutMs, deadlineMs, maxRetries, profile, validate, advanced.userAgent, advanced.retryBaseMs, advanced.maxThrottleWaitMs, advanced.warnings, advanced.alreadyDone.';

  it.each([
    [{ token: 'other' }, 'token', ALL],
    [{ baseUrl: 'https://other.example.com' }, 'baseUrl', ALL],
    [{ concurrency: 2 }, 'concurrency', ALL],
    [{ timeOutMs: 2 }, 'timeOutMs', 'did you mean timeoutMs?'],
    [{ advanced: { logLevel: 'debug' } }, 'advanced.logLevel', ALL],
  ])('%j: refused, since clients that share cannot differ in it', async (options, name, meant) => {
    const client = clientOf(await misbehavingServer({}));
    expect(() => client.withOptions(options as SharingClientOptions)).toThrow(
      `withOptions: no option ${name}; ${meant}`,
    );
  });
});
