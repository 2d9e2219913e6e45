import { describe, expect, test } from 'vitest';
import { failed } from '../support/refusals.js';
import { account, BASE, openSandbox, STAGE } from '../support/requests.js';

const POST_PATHS = [
  'supply-point/populate/',
  'business/',
  'business-payment-instruction/create/',
  'validate-account/',
  'account-import-process/create-or-update/',
  'account-import-process/process/',
  'notes/create/',
  'transactions/create/',
  'historical-statements/create/',
  'payment-instruction/create/',
];
const GET_PATHS = [
  'account-transfer-status/SANDBOX_SUPPLIER/A-1/',
  'all-account-import-processes/SANDBOX_SUPPLIER/',
  'pending-account-import-processes/SANDBOX_SUPPLIER/',
  'imported-account-import-processes/SANDBOX_SUPPLIER/',
];
const ALL = [...POST_PATHS.map((path) => ['POST', path] as const), ...GET_PATHS.map((path) => ['GET', path] as const)];

function send(method: string, path: string, init: RequestInit = {}) {
  const talk = openSandbox();
  return talk.unchanged(async () => {
    const headers = { Authorization: `Token ${talk.sandbox.token}`, ...init.headers };
    const response = await talk.request(path, { method, ...init, headers });
    const body = (await response.json()) as Record<string, unknown>;
    return { status: response.status, headers: response.headers, body };
  });
}

describe('C1 paths and methods', () => {
  test.each(ALL)('C1 %s %s without its trailing slash is 404 (U1)', async (method, path) => {
    const answer = await send(method, path.slice(0, -1));
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual({
      detail: 'There is no such path. Check the trailing slash and the version in the prefix.',
      code: 'not_found',
    });
  });

  test.each(POST_PATHS)('C1 GET on %s is 405 and Allow says POST (U1)', async (path) => {
    const answer = await send('GET', path);
    expect(answer.status).toBe(405);
    expect(answer.headers.get('Allow')).toBe('POST');
    expect(answer.body).toEqual({ detail: 'This path takes POST.', code: 'method_not_allowed' });
  });

  test.each(GET_PATHS)('C1 POST on %s is 405 and Allow says GET (U1)', async (path) => {
    const answer = await send('POST', path, { body: '{}' });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('Allow')).toBe('GET');
  });

  test.each(['', 'no-such-path/', 'account-transfer-status/SANDBOX_SUPPLIER/'])('C1 %j is 404 (U1)', async (path) => {
    expect((await send('GET', path)).status).toBe(404);
  });

  test('C1 the version is part of the path: /v2/ is 404', async () => {
    // In process: to MSW, another version is not the service.
    const { sandbox } = openSandbox();
    const response = await sandbox.fetch(new Request('http://sandbox.example.com/v2/data-import/business/'));
    expect(response.status).toBe(404);
  });

  test.each(['100%', 'A/1', 'é 1', '0001', '%2F', 'a?b#c', '__proto__', 'constructor'])(
    'C1 the account number %j in a path comes back as it was staged',
    async (number) => {
      const { post, get } = openSandbox();
      expect((await post(STAGE, account(number))).status).toBe(201);
      expect(await get(`account-transfer-status/SANDBOX_SUPPLIER/${encodeURIComponent(number)}/`)).toEqual({
        status: 200,
        body: { status: 'UNKNOWN', service_account_number: '' },
      });
    },
  );

  test('C1 a path with a broken percent escape is an ordinary unknown account', async () => {
    expect((await send('GET', 'account-transfer-status/SANDBOX_SUPPLIER/%zz/')).status).toBe(404);
  });
});

describe('C1 bodies', () => {
  const json = { 'Content-Type': 'application/json' };

  test.each(POST_PATHS)('C1 malformed JSON on %s is 400', async (path) => {
    const answer = await send('POST', path, { body: '{"import_supplier": ', headers: json });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({
      detail: 'The body could not be read as JSON in UTF-8.',
      code: 'malformed_json',
      errors: [{ detail: 'The body could not be read as JSON in UTF-8.', code: 'malformed_json', attr: '' }],
    });
  });

  const ACCOUNT = '{"import_supplier":"SANDBOX_SUPPLIER","external_account_number":"A-1"}';
  const notUtf8 = new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);

  test.each<[what: string, body: RequestInit['body'], headers: Record<string, string>, code: string, detail: string]>([
    ['a body that is an array', '[]', json, 'not_an_object', 'Expected a JSON object, found an array.'],
    ['a body that is null', 'null', json, 'not_an_object', 'Expected a JSON object, found null.'],
    ['a body that is a string', '"text"', json, 'not_an_object', 'Expected a JSON object, found a string.'],
    ['a body that is a number', '12', json, 'not_an_object', 'Expected a JSON object, found a number.'],
    ['an empty body', undefined, json, 'malformed_json', 'The body is empty; expected a JSON object.'],
    ['bytes that are not UTF-8', notUtf8, json, 'malformed_json', 'The body could not be read as JSON in UTF-8.'],
    [
      'another content type',
      ACCOUNT,
      { 'Content-Type': 'text/plain' },
      'unsupported_content',
      'Bodies are JSON: expected Content-Type application/json, found text/plain.',
    ],
  ])('C1 %s is answered with 400, which names the cause', async (_, body, headers, code, detail) => {
    const answer = await send('POST', 'validate-account/', { ...(body !== undefined && { body }), headers });
    expect([answer.status, answer.body]).toMatchObject([400, { code, detail }]);
  });

  test('C1 an incomplete body is 400', async () => {
    // In process: a closed connection cannot be answered.
    const { sandbox } = openSandbox();
    const body = new ReadableStream({
      pull: (controller) => controller.error(new Error('the connection is gone')),
    });
    const headers = { ...json, Authorization: `Token ${sandbox.token}` };
    const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
    expect((await sandbox.fetch(new Request(`${BASE}validate-account/`, init))).status).toBe(400);
  });

  test.each(['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/vnd.example+json'])(
    'C1 the content type %s is JSON',
    async (type) => {
      const headers = { 'Content-Type': type };
      expect((await send('POST', 'validate-account/', { body: ACCOUNT, headers })).status).toBe(200);
    },
  );

  test('C1 a request without a content type is read as JSON', async () => {
    const { request, sandbox } = openSandbox();
    const response = await request('validate-account/', {
      method: 'POST',
      headers: { Authorization: `Token ${sandbox.token}` },
      body: new TextEncoder().encode(ACCOUNT),
    });
    expect(response.status).toBe(200);
  });

  test('a body of more than 10 MB is 413', async () => {
    const body = JSON.stringify({ sales_channel: 'x'.repeat(10 * 1024 * 1024) });
    const answer = await send('POST', 'validate-account/', { body, headers: json });
    expect(answer.status).toBe(413);
    expect(answer.body).toEqual({
      detail: 'The body is larger than 10485760 bytes, the limit of the sandbox.',
      code: 'body_too_large',
    });
  });

  test('a body that announces more than 10 MB is 413', async () => {
    // In process: over a connection, fetch refuses to send a length that is not the body's.
    const { sandbox } = openSandbox();
    const headers = { ...json, Authorization: `Token ${sandbox.token}`, 'Content-Length': '10485761' };
    const request = new Request(`${BASE}validate-account/`, { method: 'POST', headers, body: '{}' });
    expect((await sandbox.fetch(request)).status).toBe(413);
  });

  test('a body nested deeper than 100 levels is 400; brackets in strings do not count', async () => {
    const nest = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    const body = (value: string) =>
      `{"import_supplier":"SANDBOX_SUPPLIER","external_account_number":"A-1","metadata":[{"key":"k","value":${value}}]}`;
    expect((await send('POST', 'validate-account/', { body: body(nest(97)), headers: json })).status).toBe(200);
    const brackets = `{"a":"\\"${'['.repeat(200)}"}`;
    expect((await send('POST', 'validate-account/', { body: body(brackets), headers: json })).status).toBe(200);
    const tooDeep = await send('POST', 'validate-account/', { body: body(nest(98)), headers: json });
    expect(tooDeep.status).toBe(400);
    expect(tooDeep.body).toMatchObject({
      code: 'malformed_json',
      detail: 'The body is nested deeper than 100 levels.',
    });
  });
});

describe('C2 authorization', () => {
  const refused = async (method: string, path: string, authorization?: string) => {
    const talk = openSandbox();
    return talk.unchanged(async () => {
      const headers = { ...(authorization !== undefined && { Authorization: authorization }) };
      const response = await talk.request(path, { method, headers });
      expect(response.headers.get('WWW-Authenticate')).toBe('Token');
      return { status: response.status, body: await response.json() };
    });
  };

  test.each(ALL)('C2 %s %s without a token or with an invalid one is 401 (U2)', async (method, path) => {
    expect(await refused(method, path)).toEqual(
      failed(401, 'not_authenticated', 'Send the header "Authorization: Token <ACCESS_TOKEN>".'),
    );
    expect(await refused(method, path, 'Token another-service')).toEqual(
      failed(401, 'authentication_failed', 'The token is invalid.'),
    );
  });

  test.each(['Bearer sandbox-token', 'sandbox-token', 'Token', 'token sandbox-token', 'Token a b'])(
    'C2 the header %j is 401: the word Token, a space, the token (U2)',
    async (header) => {
      expect(await refused('POST', 'business-payment-instruction/create/', header)).toEqual(
        failed(401, 'authentication_failed', 'The Authorization header must have the form "Token <ACCESS_TOKEN>".'),
      );
    },
  );

  test('C2 the token is looked at before the body (U11)', async () => {
    const { request } = openSandbox();
    expect((await request('validate-account/', { method: 'POST', body: '{' })).status).toBe(401);
  });
});
