/** Who may use the admin interface, and how. */
import { describe, expect, test } from 'vitest';
import { checkAccess } from '../../../src/sandbox/admin/admin-guard.js';
import { openAdmin } from '../support/admin-requests.js';

describe('admin: the remote address', () => {
  const visit = (peer: string | undefined) =>
    checkAccess({ method: 'GET', headers: new Headers({ host: 'localhost' }), peer, isPage: false });

  test.each(['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'])('a caller at %s is let in', (peer) => {
    expect(visit(peer)).toBeUndefined();
  });

  test.each(['192.0.2.7', '::ffff:192.0.2.7', '2001:db8::1', '127.0.0.1.example.com', undefined])(
    'a caller at %s is refused',
    (peer) => {
      expect(visit(peer)).toMatchObject({ status: 403, body: { code: 'not_local' } });
    },
  );

  test('a header that names another caller has no effect', async () => {
    const { send } = await openAdmin();
    expect((await send('GET', 'overview', undefined, { 'X-Forwarded-For': '192.0.2.7' })).status).toBe(200);
    expect(
      checkAccess({
        method: 'GET',
        headers: new Headers({ host: 'localhost', 'x-forwarded-for': '127.0.0.1' }),
        peer: '192.0.2.7',
        isPage: false,
      }),
    ).toMatchObject({ status: 403 });
  });
});

describe('admin: the Host header', () => {
  test.each(['localhost', 'localhost:41234', 'LOCALHOST', '127.0.0.1', '127.0.0.1:80', '[::1]', '[::1]:8080'])(
    'Host %s is let in',
    async (host) => {
      const { send } = await openAdmin();
      expect((await send('GET', 'overview', undefined, { Host: host })).status).toBe(200);
    },
  );

  test.each([
    'sandbox.example.com',
    'localhost.example.com',
    '127.0.0.1.example.com:80',
    '[::2]',
    '0.0.0.0',
    '10.0.0.1',
  ])('Host %s is refused, whatever it points to', async (host) => {
    const { send, unchanged } = await openAdmin();
    const { status, body } = await unchanged(() => send('POST', 'reset', {}, { Host: host }));
    expect([status, body]).toEqual([
      403,
      {
        detail: 'Expected the Host localhost, 127.0.0.1 or [::1]; call the admin interface by one of these.',
        code: 'wrong_host',
      },
    ]);
  });

  test('over IPv6 as well', async () => {
    const { send } = await openAdmin({}, '::1');
    expect((await send('GET', 'overview')).status).toBe(200);
  });
});

describe('admin: no other web page', () => {
  test('requests of the own origin are allowed', async () => {
    const { send, server } = await openAdmin();
    const headers = { Origin: server.url, 'Sec-Fetch-Site': 'same-origin' };
    expect((await send('POST', 'clock', { advance_ms: 1 }, headers)).status).toBe(200);
  });

  test.each(['http://evil.example.com', 'null', 'http://localhost:3000', 'https://127.0.0.1'])(
    'the origin %s is refused, also for reading',
    async (origin) => {
      const { send, unchanged } = await openAdmin();
      for (const method of ['GET', 'POST']) {
        const refused = await unchanged(() => send(method, 'clock', undefined, { Origin: origin }));
        expect(refused).toMatchObject({ status: 403, body: { code: 'wrong_origin' } });
      }
    },
  );

  test.each(['cross-site', 'same-site'])('Sec-Fetch-Site %s is refused', async (site) => {
    const { send, unchanged } = await openAdmin();
    for (const [method, path] of [
      ['GET', 'state'],
      ['POST', 'reset'],
    ] as const) {
      const refused = await unchanged(() => send(method, path, undefined, { 'Sec-Fetch-Site': site }));
      expect(refused).toMatchObject({ status: 403, body: { code: 'cross_site' } });
    }
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', undefined])(
    'what changes something and comes as %s, as a form can send it, is refused',
    async (type) => {
      const { send, unchanged } = await openAdmin();
      for (const [method, path] of [
        ['POST', 'reset'],
        ['PUT', 'snapshot'],
        ['PATCH', 'suppliers/SANDBOX_SUPPLIER'],
        ['DELETE', 'requests'],
      ] as const) {
        const refused = await unchanged(() => send(method, path, '{"status":"Paused"}', { 'Content-Type': type }));
        expect(refused).toMatchObject({ status: 403, body: { code: 'not_json' } });
      }
    },
  );

  test('there is no CORS header, and OPTIONS is 405', async () => {
    const { send } = await openAdmin();
    const { status, headers, body } = await send('OPTIONS', 'reset');
    expect([status, headers['allow']]).toEqual([405, 'POST']);
    expect(body).toEqual({ detail: 'This path takes POST.', code: 'method_not_allowed' });
    for (const path of ['overview', 'reset', 'nowhere']) {
      const names = Object.keys((await send('GET', path)).headers);
      expect(names.filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });

  test.each([
    ['overview', {}],
    ['nowhere', {}],
    ['overview', { Host: 'sandbox.example.com' }],
  ])('every answer forbids caching, framing and guessing: %s %j', async (path, headers) => {
    const { send } = await openAdmin();
    expect((await send('GET', path, undefined, headers)).headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    });
  });
});

describe('admin: only on the server', () => {
  test('in process its paths do not exist, and are logged like any that do not (U1)', async () => {
    const { sandbox } = await openAdmin();
    const before = structuredClone(sandbox.state);
    const response = await sandbox.fetch(
      new Request('http://localhost/__sandbox/reset', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{}',
      }),
    );
    expect(response.status).toBe(404);
    expect(sandbox.state).toEqual(before);
    expect(sandbox.requests()).toMatchObject([{ path: '/__sandbox/reset', status: 404, assumed: ['U1'] }]);
  });

  test('its calls leave no trace in the request log', async () => {
    const { send, sandbox } = await openAdmin();
    await send('GET', 'overview');
    await send('GET', 'nowhere');
    expect(sandbox.requests()).toEqual([]);
  });
});
