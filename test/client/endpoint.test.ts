/** Endpoints that the client has no method for (issue 20, D5). */
import type { OutcomeUnknownError, RequestOptions } from 'data-import-sdk';
import { describe, expect, it } from 'vitest';
import { clientOf, errorOf } from '../helpers/client-of.js';
import { answer, misbehavingServer, type Reaction, resetAfterReading } from '../helpers/misbehaving-server.js';

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

  it.each([
    ['POST', undefined, 1],
    ['PUT', undefined, 1],
    ['POST', 'never', 1],
    ['GET', 'never', 1],
    ['POST', 'always', 2],
    ['GET', 'always', 2],
    ['GET', undefined, 2],
  ] as const)(
    'a %s with retry %s: %i requests after a lost answer, and after a 500',
    async (method, retry, requests) => {
      await expectRequests(resetAfterReading, method, retry, requests);
      await expectRequests(answer(500, { detail: 'Failed.' }), method, retry, requests);
    },
  );

  it('a request that the service did not take is sent again, also with never', async () => {
    const server = await misbehavingServer({ [PATH]: [answer(429, {}, { 'retry-after': '0' }), answer(200, {})] });
    await clientOf(server).request('POST', PATH, { retry: 'never' });
    expect(server.log).toHaveLength(2);
  });

  async function expectRequests(
    failure: Reaction,
    method: 'GET' | 'POST' | 'PUT',
    retry: RequestOptions['retry'],
    requests: number,
  ) {
    const server = await misbehavingServer({ [PATH]: [failure, answer(200, {})] });

    const call = clientOf(server).request(method, PATH, { retry });

    if (requests === 1) expect(await errorOf<OutcomeUnknownError>(call)).toMatchObject({ name: 'OutcomeUnknownError' });
    else await call;
    expect(server.log).toHaveLength(requests);
  }

  it.each([
    ['/meters/', 'meters/'],
    ['meters/7', 'meters/7'],
    ['meters/?a=1', 'meters/?a=1'],
    ['/meters/7/?list=1&list=2&text=a%20b', 'meters/7/?list=1&list=2&text=a%20b'],
  ])('takes the path %s as it is', async (path, sent) => {
    const server = await misbehavingServer({
      'meters/': answer(200, {}),
      'meters/7': answer(200, {}),
      'meters/7/': answer(200, {}),
    });
    await clientOf(server).request('GET', path);
    expect(server.log).toEqual([`GET ${sent}`]);
  });

  it('an error shows no value of the query', async () => {
    const server = await misbehavingServer({ 'meters/': answer(404, {}) });
    const error = await errorOf(clientOf(server).request('GET', '/meters/?account=A-1'));
    expect(error.operation).toBe('GET meters');
    expect(error.message).not.toContain('A-1');
  });

  it.each([
    ['TRACE', PATH, {}, 'request: expected a method of GET, POST, PUT, PATCH, DELETE'],
    ['GET', undefined, {}, 'request: expected a path, found undefined'],
    ['GET', '/v1/data-import/meters/', {}, 'request: leave out /v1/data-import/ in the path; the client adds it'],
    ['GET', '../admin/', {}, 'request: a path must not contain the parts "." and ".."'],
    ['GET', 'meters/%2E%2e/admin/', {}, 'request: a path must not contain the parts "." and ".."'],
    ['GET', PATH, { body: {} }, 'request: a GET has no body'],
    ['POST', PATH, { retry: 'sometimes' }, 'retry: expected always or never, found string.'],
    ['POST', PATH, { retryUnknownOutcome: true }, 'request: in place of retryUnknownOutcome, give retry'],
    ['GET', 'meters/?a=1', { query: { b: 2 } }, 'request: give the query in the path or as query, not both'],
    ['GET', 'meters/..?a=1', {}, 'request: a path must not contain the parts "." and ".."'],
    [
      'GET',
      PATH,
      { query: { list: [1] } },
      'query: expected an object of strings, numbers and booleans, found another value in it.',
    ],
    ['GET', PATH, { query: 'a=1' }, 'query: expected an object of strings, numbers and booleans, found string.'],
    ['GET', PATH, { timeout: 7 }, /^a call of request: no option timeout/],
    ...[
      '//evil.example.com/',
      '/',
      '?a=1',
      'https://evil.example.com/',
      'a b/',
      'a?b=1#c',
      'a?b=ä',
      'a#b',
      'a\\b',
      'é/',
      '',
    ].map(
      (path) =>
        [
          'GET',
          path,
          {},
          /^request: expected what follows \/v1\/data-import\/, such as meters\/7\/ or meters\/\?page=2;/,
        ] as const,
    ),
  ] as const)('%s %s %j is refused before anything is sent', async (method, path, options, message) => {
    const server = await misbehavingServer({});
    const call = clientOf(server).request(method as 'GET', path as string, options as RequestOptions);
    await expect(call).rejects.toThrow(typeof message === 'string' ? new TypeError(message) : message);
    expect(server.log).toEqual([]);
  });
});
