/** `client.close()`: calls in flight end normally, and no further request is sent. */

import { graphqlToken } from 'data-import-sdk';
import { expect, it, vi } from 'vitest';
import { account, calls } from '../../helpers/calls.js';
import { clientOf, errorOf } from '../../helpers/client-of.js';
import { after, answer, misbehavingServer } from '../../helpers/misbehaving-server.js';
import { PATIENCE } from '../../helpers/patience.js';

const STAGE = calls['accounts.stage'].path;
const staged = { import_supplier: 'ACME', external_account_number: 'A-1' };
const message = (attempts: string) =>
  `accounts.stage: the client is closed (CLOSED) after ${attempts}. Nothing was sent: create a new one. [connection-error]`;

it.each([
  ['that has sent before', true],
  ['that has not', false],
])('a call of a closed client %s fails at once, and says why', async (_, hasSent) => {
  const onRetry = vi.fn();
  const server = await misbehavingServer({ [STAGE]: answer(201, staged) });
  const client = clientOf(server, { hooks: { onRetry } });
  if (hasSent) await client.accounts.stage(account);
  await client.close();
  const error = await errorOf(client.accounts.stage(account));
  expect(error).toMatchObject({ name: 'ConnectionError', sent: false, attempts: 0, nextAction: 'none' });
  expect(error.message).toBe(message('0 attempts'));
  expect(onRetry).not.toHaveBeenCalled();
  expect(server.requests).toHaveLength(hasSent ? 1 : 0);
});

it('calls in flight are awaited; a waiting call fails without having been sent', async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const server = await misbehavingServer({ [STAGE]: after(released, answer(201, staged)) });
  const client = clientOf(server, { concurrency: 1 });
  const ahead = client.accounts.stage(account);
  const behind = errorOf(client.accounts.stage(account));
  await vi.waitUntil(() => server.requests.length === 1, PATIENCE);
  const closed = client.close();
  release();
  expect((await ahead).callOutcome).toBe('created');
  expect((await behind).message).toBe(message('0 attempts'));
  await closed;
  expect(server.requests).toHaveLength(1);
});

it('closed while a call waits for its token: no token is asked for again, and nothing is sent', async () => {
  let give: (token: string) => void = () => {};
  const token = vi.fn(() => new Promise<string>((resolve) => (give = resolve)));
  const server = await misbehavingServer({ [STAGE]: answer(201, staged) });
  const client = clientOf(server, { token });
  const error = errorOf(client.accounts.stage(account));
  await vi.waitUntil(() => token.mock.calls.length === 1, PATIENCE);
  await client.close();
  give('T-1');
  expect((await error).message).toBe(message('0 attempts'));
  expect(token).toHaveBeenCalledTimes(1);
  expect(server.requests).toEqual([]);
});

it('a closed client asks for no token', async () => {
  const server = await misbehavingServer({});
  const token = graphqlToken({
    url: `${server.url}/graphql/`,
    apiKey: 'K',
    document: 'mutation ($apiKey: String!) { token(key: $apiKey) }',
    select: (data) => data.token,
  });
  const client = clientOf(server, { token });
  await client.close();
  expect((await errorOf(client.accounts.stage(account))).message).toBe(message('0 attempts'));
  expect(server.requests).toEqual([]);
});

it('closed between a failure and the next try: the failed request is not sent again', async () => {
  const server = await misbehavingServer({ [STAGE]: answer(500) });
  const client = clientOf(server, { hooks: { onRetry: () => void client.close() } });
  const error = await errorOf(client.accounts.stage(account));
  expect(error).toMatchObject({ name: 'ConnectionError', sent: true, attempts: 1 });
  expect(error.message).toBe(
    'accounts.stage: the client is closed (CLOSED) after 1 attempt. It is safe to call again. [connection-error]',
  );
  expect(server.requests).toHaveLength(1);
});
