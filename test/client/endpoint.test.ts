/** Endpoints that the client has no method for (issue 20, D5). */
import type { OutcomeUnknownError, RequestOptions } from 'data-import-sdk';
import { describe, expect, it } from 'vitest';
import { clientOf, errorOf } from '../helpers/client-of.js';
import { answer, misbehavingServer, resetAfterReading } from '../helpers/misbehaving-server.js';

const PATH = 'meter-readings/create/';

describe('request', () => {
  it('sends method, path, query and body with the token, and returns the answer unchanged', async () => {
    const server = await misbehavingServer({ [PATH]: answer(201, { id: 7, more: null }) });

    const call = clientOf(server).request<{ id: number }>('PATCH', PATH, {
      body: { value: 1 },
      query: { page: 2, dry: true, none: undefined },
      headers: { 'x-batch': '7' },
    });

    expect(await call.withResponse()).toMatchObject({ data: { id: 7, more: null }, status: 201, attempts: 1 });
    expect(server.log).toEqual([`PATCH ${PATH}?page=2&dry=true`]);
    expect(server.requests[0]?.body).toBe('{"value":1}');
    expect(server.requests[0]?.headers).toMatchObject({ authorization: 'Token test-token', 'x-batch': '7' });
  });

  it('gives undefined for an answer without a body', async () => {
    const server = await misbehavingServer({ 'meters/7/': answer(204) });
    expect(await clientOf(server).request('DELETE', 'meters/7/')).toBeUndefined();
  });

  it('a refusal is decoded as that of any method; the error shows no value of the path', async () => {
    const body = { detail: 'x', code: 'validation_error', errors: [{ detail: 'y', code: 'required', attr: 'value' }] };
    const server = await misbehavingServer({ 'meters/A-0007/readings/': answer(400, body) });

    const error = await errorOf(clientOf(server).request('POST', 'meters/A-0007/readings/', { body: {} }));

    expect(error).toMatchObject({ name: 'ValidationError', operation: 'POST meters/*/readings' });
    expect(error.message).toMatch(/^POST meters\/\*\/readings: 400 validation_error, value required\. /);
  });

  it('500 is tried again', async () => {
    const server = await misbehavingServer({ [PATH]: [answer(500, { detail: 'Failed.' }), answer(201, {})] });
    expect(await clientOf(server).request('POST', PATH, { body: {} }).withResponse()).toMatchObject({ attempts: 2 });
  });

  it.each([
    ['POST', undefined, 1],
    ['POST', 'unknown', 1],
    ['POST', 'upsert', 2],
    ['PUT', 'deduplicated', 2],
    ['POST', 'pure', 2],
    ['GET', undefined, 2],
  ] as const)('a lost answer to a %s with replay %s: %i requests', async (method, replay, requests) => {
    const server = await misbehavingServer({ [PATH]: [resetAfterReading, answer(200, {})] });

    const call = clientOf(server).request(method, PATH, { replay });

    if (requests === 1) expect(await errorOf<OutcomeUnknownError>(call)).toMatchObject({ name: 'OutcomeUnknownError' });
    else await call;
    expect(server.log).toHaveLength(requests);
  });

  it.each([
    ['TRACE', PATH, {}, 'request: expected a method of GET, POST, PUT, PATCH, DELETE'],
    ['GET', undefined, {}, 'request: expected a path, found a value of type undefined'],
    ['GET', '/v1/data-import/meters/', {}, 'request: leave out /v1/data-import/ in the path; the client adds it'],
    ['GET', '../admin/', {}, 'request: a path must not contain the parts "." and ".."'],
    ['GET', 'meters/%2E%2e/admin/', {}, 'request: a path must not contain the parts "." and ".."'],
    ['GET', PATH, { body: {} }, 'request: a GET has no body'],
    ['POST', PATH, { replay: 'reconcilable' }, 'replay: expected pure, upsert, deduplicated or unknown'],
    ['GET', PATH, { query: { list: [1] } }, 'query: expected an object of strings, numbers and booleans'],
    ['GET', PATH, { timeout: 7 }, /^timeout: not an option of a call/],
    ...['/meters/', '//evil.example.com/', 'https://evil.example.com/', 'a b/', 'a?b=1', 'a#b', 'a\\b', 'é/', ''].map(
      (path) => ['GET', path, {}, /^request: expected what follows \/v1\/data-import\/, such as meters\/7\/;/] as const,
    ),
  ] as const)('%s %s %j is refused before anything is sent', async (method, path, options, message) => {
    const server = await misbehavingServer({});
    const call = clientOf(server).request(method as 'GET', path as string, options as RequestOptions);
    await expect(call).rejects.toThrow(typeof message === 'string' ? new TypeError(message) : message);
    expect(server.log).toEqual([]);
  });
});
