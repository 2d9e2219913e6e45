/** Which answers are asked for again, and how often (DESIGN 6). */
import type { ApiError, ResponseMismatchError, ServerError } from 'data-import-sdk';
import { describe, expect, it } from 'vitest';
import { account, calls, everyCall, processPayload } from '../../helpers/calls.js';
import { clientOf, errorOf } from '../../helpers/client-of.js';
import { answer, html, misbehavingServer, ofBytes } from '../../helpers/misbehaving-server.js';

const STAGE = 'account-import-process/create-or-update/';
const staged = { import_supplier: 'ACME', external_account_number: 'A-1' };

describe('500 and other failures of the service', () => {
  it('E5 500 twice and then 201 is a success of three attempts', async () => {
    const server = await misbehavingServer({
      [STAGE]: [answer(500), answer(500, { detail: 'x' }), answer(201, staged)],
    });

    const result = await clientOf(server).accounts.stage(account).withResponse();

    expect(result).toMatchObject({ status: 201, attempts: 3, data: { ...staged, callOutcome: 'created' } });
    expect(server.requests.map(({ body }) => body)).toEqual(Array(3).fill(JSON.stringify(account)));
  });

  it.each(everyCall)(
    '%s: 500 without end is a ServerError after 1 + maxRetries attempts',
    async (name, { path, send }) => {
      const server = await misbehavingServer({
        [calls['imports.status'].path]: answer(200, { status: 'UNKNOWN', service_account_number: '' }),
        [path]: answer(500, { detail: 'Unexpected.', code: 'server_error' }),
      });

      const error = await errorOf<ServerError>(send(clientOf(server, { maxRetries: 2 })));

      expect(error).toMatchObject({ name: 'ServerError', status: 500, code: 'server_error', attempts: 3 });
      expect(error).toMatchObject({ operation: name, nextAction: 'retryLater' });
      expect(error.message).toBe(
        `${name}: 500 server_error after 3 attempts. It is safe to call again later. [server-error]`,
      );
      // Beside these, process asks for the account's status after each of the first two.
      expect(server.log.filter((line) => line.split(' ')[1]?.replace(/\?.*/, '') === path)).toHaveLength(3);
    },
  );

  it('the default is three retries', async () => {
    const server = await misbehavingServer({ [STAGE]: answer(500) });
    expect(await errorOf(clientOf(server).accounts.stage(account))).toMatchObject({ attempts: 4 });
  });

  it('maxRetries of a call overrides that of the client', async () => {
    const server = await misbehavingServer({ [STAGE]: answer(500) });
    const error = await errorOf(clientOf(server).accounts.stage(account, { maxRetries: 0 }));
    expect(error).toMatchObject({ name: 'ServerError', attempts: 1 });
    expect(error.message).toBe('accounts.stage: 500. It is safe to call again later. [server-error]');
  });

  it.each([502, 504])('%i of a gateway, as HTML, is repeated where that does no harm', async (status) => {
    const server = await misbehavingServer({ [STAGE]: [html(status), answer(201, staged)] });
    expect(await clientOf(server).accounts.stage(account)).toEqual(staged);
    expect(server.requests).toHaveLength(2);
  });

  it.each([502, 504])('%i of a gateway without end is a ServerError with the page as its body', async (status) => {
    const server = await misbehavingServer({ [STAGE]: html(status) });
    const error = await errorOf<ServerError>(clientOf(server, { maxRetries: 1 }).accounts.stage(account));
    expect(error).toMatchObject({ name: 'ServerError', status, code: `http_${status}`, errors: [], attempts: 2 });
    expect(error.body).toBe('<html><body><h1>Gateway</h1></body></html>');
  });
});

describe('decisions of the service', () => {
  it.each([
    [400, 'ValidationError', 'inspect'],
    [403, 'ApiError', 'inspect'],
    [404, 'NotFoundError', 'fixPayload'],
    [405, 'ApiError', 'inspect'],
    [409, 'ApiError', 'inspect'],
  ])('C1 %i is never asked for again: %s', async (status, name, nextAction) => {
    const server = await misbehavingServer({ [STAGE]: answer(status, { detail: 'No.' }) });

    const error = await errorOf<ApiError>(clientOf(server).accounts.stage(account));

    expect(error).toMatchObject({ name, status, nextAction, attempts: 1, detail: 'No.' });
    expect(server.requests).toHaveLength(1);
  });

  it.each([301, 302, 307, 308])('a redirect (%i) is not followed, because it would carry the token', async (status) => {
    const other = await misbehavingServer({ '/elsewhere': answer(200, []) });
    const server = await misbehavingServer({
      [calls['imports.all'].path]: answer(status, undefined, { location: `${other.url}/elsewhere` }),
    });

    expect((await errorOf<ApiError>(clientOf(server).imports.all('ACME'))).message).toBe(
      `imports.all: ${status}. Redirects are not followed, because they would carry the token: check the base URL. [api-error]`,
    );
    expect(other.requests).toEqual([]);
  });
});

describe('a success that differs from the API specification', () => {
  it.each([
    ['an empty body', undefined, undefined, 'empty'],
    ['a page', '<html>', '<html>', 'not JSON'],
    ['half a JSON text', '{"service_account_number": "S-1"', '{"service_account_number": "S-1"', 'not JSON'],
    ['another shape', { number: 'S-1' }, { number: 'S-1' }, 'service_account_number: Required: expected a string'],
    [
      'another type',
      { service_account_number: 7 },
      { service_account_number: 7 },
      'service_account_number: Expected a string, found a number',
    ],
    ['a list', [], [], 'the body: Expected an object, found an array'],
    ['null', null, null, 'the body: null in place of a value'],
  ])('%s is a ResponseMismatchError with the body, and is not asked for again', async (_, sent, body, mismatch) => {
    const server = await misbehavingServer({ 'account-import-process/process/': answer(201, sent) });

    const error = await errorOf<ResponseMismatchError>(clientOf(server).accounts.process({ ...processPayload }));

    expect(error).toMatchObject({
      name: 'ResponseMismatchError',
      status: 201,
      attempts: 1,
      nextAction: 'inspect',
      body,
    });
    expect(error.message).toBe(
      `accounts.process: 201 with a body that differs from the API specification: ${mismatch}. ` +
        'Not retried: the service did answer. Look at `body` and check the base URL, then report it. [response-mismatch-error]',
    );
    expect(server.requests).toHaveLength(1);
  });

  it('50 MB are not read further than maxAnswerBytes, 32 MiB by default', async () => {
    const server = await misbehavingServer({ [calls['imports.all'].path]: ofBytes(200, 50_000_000) });

    const error = await errorOf<ResponseMismatchError>(clientOf(server).imports.all('ACME'));

    expect(error.message).toContain('larger than maxAnswerBytes');
    expect(error.body).toBeUndefined();
    expect(server.requests).toHaveLength(1);
  });

  it('an answer of exactly maxAnswerBytes is read', async () => {
    const server = await misbehavingServer({ [calls['imports.all'].path]: answer(200, '[]      ') });
    expect(await clientOf(server, { advanced: { maxAnswerBytes: 8 } }).imports.all('ACME')).toEqual([]);
    const error = await errorOf(clientOf(server, { advanced: { maxAnswerBytes: 7 } }).imports.all('ACME'));
    expect(error.name).toBe('ResponseMismatchError');
  });

  it('an error answer that is too large is still the error of its status', async () => {
    const server = await misbehavingServer({ [calls['imports.all'].path]: ofBytes(404, 2_000_000) });
    const error = await errorOf<ApiError>(clientOf(server, { advanced: { maxAnswerBytes: 1000 } }).imports.all('ACME'));
    expect(error).toMatchObject({ name: 'NotFoundError', status: 404, body: undefined, errors: [] });
  });
});
