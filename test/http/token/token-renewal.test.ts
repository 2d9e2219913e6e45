/** 401: one renewal for all callers, and no more than one (DESIGN 6, C2, U2). */

import type { AuthenticationError } from 'data-import-sdk';
import { expect, it, vi } from 'vitest';
import { calls, everyCall } from '../../helpers/calls.js';
import { clientOf, errorOf } from '../../helpers/client-of.js';
import { after, answer, html, misbehavingServer, type Reaction } from '../../helpers/misbehaving-server.js';
import { PATIENCE } from '../../helpers/patience.js';

const ALL = calls['imports.all'].path;

/** A token function that gives T-1, T-2, ... */
function numberedTokens() {
  let count = 0;
  return vi.fn(async () => `T-${++count}`);
}

/** Answers 401 to requests with `token`, and a list to all others. */
const refusing =
  (token: string): Reaction =>
  (request, response, received) =>
    (received.headers['authorization'] === `Token ${token}` ? answer(401) : answer(200, []))(
      request,
      response,
      received,
    );

it('C2 401 once with ten calls in flight gives exactly one refresh, and every call succeeds', async () => {
  const server = await misbehavingServer({ [ALL]: refusing('T-1') });
  const token = numberedTokens();
  const client = clientOf(server, { token });

  const results = await Promise.all(Array.from({ length: 10 }, () => client.imports.all('ACME').withResponse()));

  expect(results.map(({ data, attempts }) => [data, attempts])).toEqual(Array(10).fill([[], 2]));
  expect(token).toHaveBeenCalledTimes(2);
  expect(server.requests).toHaveLength(20);
});

it('a late 401 of the old token does not refresh again', async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const server = await misbehavingServer({
    [ALL]: [after(released, answer(401)), answer(401), answer(200, [])],
  });
  const token = numberedTokens();
  const client = clientOf(server, { token });

  const late = client.imports.all('ACME');
  await vi.waitUntil(() => server.requests.length === 1, PATIENCE);
  await client.imports.all('ACME');
  release();

  expect(await late).toEqual([]);
  expect(token).toHaveBeenCalledTimes(2);
  expect(server.requests.map(({ headers }) => headers['authorization'])).toEqual([
    'Token T-1',
    'Token T-1',
    'Token T-2',
    'Token T-2',
  ]);
});

it.each(everyCall)('C2 %s: a second 401, with the renewed token, is an AuthenticationError', async (name, call) => {
  const server = await misbehavingServer({ [call.path]: answer(401, { detail: 'Invalid token.', code: 'bad_token' }) });
  const token = numberedTokens();

  const error = await errorOf<AuthenticationError>(call.send(clientOf(server, { token })));

  expect(error).toMatchObject({ name: 'AuthenticationError', status: 401, attempts: 2, nextAction: 'fixToken' });
  expect(error.message).toBe(
    `${name}: 401 bad_token after 2 attempts. Check the token, its scheme and the API key behind it. [authentication-error]`,
  );
  expect(token).toHaveBeenCalledTimes(2);
});

it('a token that is a string cannot be renewed: 401 is final', async () => {
  const server = await misbehavingServer({ [ALL]: answer(401) });
  const error = await errorOf(clientOf(server).imports.all('ACME'));
  expect(error).toMatchObject({ name: 'AuthenticationError', attempts: 1 });
  expect(server.requests).toHaveLength(1);
});

it('a renewal is no retry: it happens with maxRetries 0, and retries are left after it', async () => {
  const server = await misbehavingServer({ [ALL]: [answer(401), answer(200, [])] });
  expect(await clientOf(server, { token: numberedTokens(), maxRetries: 0 }).imports.all('ACME')).toEqual([]);

  const failing = await misbehavingServer({ [ALL]: [answer(401), answer(500), answer(200, [])] });
  expect(await clientOf(failing, { token: numberedTokens(), maxRetries: 1 }).imports.all('ACME')).toEqual([]);
});

it('an HTML 403 of an edge keeps the token', async () => {
  const server = await misbehavingServer({ [ALL]: [html(403), answer(200, [])] });
  const token = numberedTokens();
  const client = clientOf(server, { token });

  const error = await errorOf(client.imports.all('ACME'));
  await client.imports.all('ACME');

  expect(error.message).toBe(
    'imports.all: 403. Not retried: the service, or a gateway before it, refuses this caller; the token is kept. [api-error]',
  );
  expect(token).toHaveBeenCalledTimes(1);
});

it('a renewal that fails fails every call that waits for it, each with its own TokenError', async () => {
  const server = await misbehavingServer({ [ALL]: answer(401) });
  let refusals = 0;
  const token = vi.fn(async () => {
    if (token.mock.calls.length === 1) return 'T-1';
    await vi.waitUntil(() => refusals === 5, PATIENCE);
    throw new Error('the vault is closed');
  });
  const client = clientOf(server, { token, hooks: { onResponse: () => refusals++ } });

  const errors = await Promise.all(Array.from({ length: 5 }, () => errorOf(client.imports.all('ACME'))));

  expect(new Set(errors).size).toBe(5);
  for (const error of errors) {
    expect(error).toMatchObject({
      name: 'TokenError',
      operation: 'imports.all',
      message: 'token: the token function failed (see cause). Correct it, then call again. [token-error]',
    });
  }
  expect(token).toHaveBeenCalledTimes(2);
});
