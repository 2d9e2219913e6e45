/** `recordCalls` writes what a call looked like, and no value of it. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { createSandbox, type RecordedCall, recordCalls } from '../../src/sandbox/index.js';

const BASE = 'https://service.example.com/v1/data-import/';

function recorder() {
  const lines: string[] = [];
  const sandbox = createSandbox();
  let now = Date.parse('2026-01-15T09:00:00Z');
  const send = recordCalls((line) => lines.push(line), {
    fetch: (url, init) => sandbox.fetch(url, init),
    now: () => {
      now += 2.5;
      return now;
    },
  });
  const headers = { authorization: `Token ${sandbox.token}`, 'content-type': 'application/json' };
  const post = (path: string, body: unknown) =>
    send(BASE + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const get = (path: string) => send(BASE + path, { method: 'GET', headers });
  return { post, get, send, lines, sandbox, calls: () => lines.map((line) => JSON.parse(line) as RecordedCall) };
}

const MASKED = /^(text|phone|date|datetime|integer|number|boolean|digits):[\da-f]{12}(:-?\d+)?$/;

test.each([
  [{ fetsh: fetch }, 'recordCalls: no option fetsh; did you mean fetch?'],
  [{ fetch: 'https://api.example.com' }, 'recordCalls: fetch: expected a value of type function, found string.'],
])('%j is refused: otherwise the calls would be sent by the global fetch', (options, message) => {
  expect(() => recordCalls(() => {}, options as object)).toThrow(new TypeError(message));
});

test('a value is its type and a token, a documented word and a flag stay, an undocumented name is masked', async () => {
  const { post, calls } = recorder();
  await post('validate-account/', {
    import_supplier: 'SANDBOX_SUPPLIER',
    external_account_number: 'A-1',
    last_billed_to_date: '2026-01-09',
    unknown_occupier: true,
    customers: [{ family_name: 'Arbois', mobile: '+33612345678', landline: '', date_of_birth: '1961-03-04' }],
    supply_addresses: [{ supply_points: [{ supply_type: 'GAS', billing_frequency: 2 }] }],
    metadata: [{ key: 'Arbois', value: { Arbois: 1.5 } }],
    Arbois: 'A-1',
  });
  const [call] = calls();
  expect(call).toMatchObject({
    at: 0,
    operation: 'accounts.validate',
    scheme: 'Token',
    params: {},
    query: {},
    status: 400,
  });
  const request = call?.request as Record<string, never>;
  expect(request).toMatchObject({
    import_supplier: expect.stringMatching(/^text:/),
    last_billed_to_date: expect.stringMatching(/^date:[\da-f]{12}:3$/),
    unknown_occupier: expect.stringMatching(/^boolean:/),
    customers: [
      {
        family_name: expect.stringMatching(MASKED),
        mobile: expect.stringMatching(/^phone:/),
        landline: '',
        date_of_birth: expect.stringMatching(/^date:[\da-f]{12}$/),
      },
    ],
    supply_addresses: [
      { supply_points: [{ supply_type: 'GAS', billing_frequency: expect.stringMatching(/^integer:/) }] },
    ],
  });
  const [, , , , , , , undocumented = ''] = Object.keys(request);
  expect(undocumented).toMatch(/^field_[\da-f]{12}$/);
  expect(request[undocumented]).toBe(request['external_account_number']);
  expect(call?.answer).toEqual({
    detail: expect.stringMatching(/^text:/),
    code: 'account_failed_validation',
    errors: [{ detail: expect.stringMatching(/^text:/), code: 'unknown_field', attr: '*' }],
  });
});

test('the same value has the same token in a path, a request and an answer, and another one in another recording', async () => {
  const [one, two] = [recorder(), recorder()];
  for (const { post, get } of [one, two]) {
    await post('account-import-process/create-or-update/', {
      import_supplier: 'SANDBOX_SUPPLIER',
      external_account_number: 'A-1',
    });
    await get('account-transfer-status/SANDBOX_SUPPLIER/A-1');
    await get('all-account-import-processes/SANDBOX_SUPPLIER/');
  }
  const [stage, status, list] = one.calls();
  const number = (stage?.request as { external_account_number: string } | undefined)?.external_account_number;
  expect(stage?.answer).toMatchObject({ external_account_number: number });
  expect(status).toMatchObject({ isSlashMissing: true, status: 404, params: { external_account_number: number } });
  expect(list).toMatchObject({
    order: [0],
    answer: [{ external_account_number: number, service_account_number: null }],
  });
  expect(number).toMatch(/^text:/);
  expect(two.lines.join()).not.toContain(number);
});

test('each call has a later start than the call before, also where the clock stands still', async () => {
  const lines: string[] = [];
  let now = 1000.04;
  const send = recordCalls((line) => lines.push(line), {
    fetch: async () => {
      now += 0.06;
      return new Response('[]');
    },
    now: () => now,
  });
  const list = () => send(`${BASE}pending-account-import-processes/NORTH/`, { method: 'GET' });
  await Promise.all([list(), list()]);
  await list();
  expect(lines.map((line) => JSON.parse(line) as RecordedCall).map(({ at, ms }) => [at, ms])).toEqual([
    [0, 0.1],
    [0.1, 0],
    [0.2, 0],
  ]);
});

test('a code that repeats a value of the request is masked, and so is an undocumented status', async () => {
  const lines: string[] = [];
  const body = JSON.stringify({
    code: 'arbois',
    status: 'ARBOIS',
    errors: [{ attr: 'customers.0.arbois', code: 'arbois' }],
  });
  const send = recordCalls((line) => lines.push(line), { fetch: async () => new Response(body, { status: 400 }) });
  await send(`${BASE}validate-account/`, {
    method: 'POST',
    body: JSON.stringify({ customers: [{ family_name: 'arbois' }] }),
  });
  expect(lines.join().toLowerCase()).not.toContain('arbois');
});

test('a call without an answer has the status null and rejects as before; a call for a token is not recorded', async () => {
  const lines: string[] = [];
  const send = recordCalls((line) => lines.push(line), { fetch: () => Promise.reject(new TypeError('fetch failed')) });
  await expect(send(`${BASE}business/`, { method: 'POST', body: '{}' })).rejects.toThrow('fetch failed');
  await expect(send('https://service.example.com/v1/graphql/', { method: 'POST', body: 'secret' })).rejects.toThrow();
  expect(lines.map((line) => (JSON.parse(line) as RecordedCall).status)).toEqual([null]);
});

test('a recording that cannot be written is a warning, and the call continues', async () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const send = recordCalls(
    () => {
      throw new RangeError('the disk is full');
    },
    { fetch: async () => new Response('{"batch_id":"1"}', { status: 201 }) },
  );
  const response = await send(`${BASE}supply-point/populate/`, { method: 'POST', body: '{}' });
  expect(await response.json()).toEqual({ batch_id: '1' });
  expect(warn.mock.calls).toEqual([['recordCalls: the recording was not written (RangeError); the call continued.']]);
});

test.each([
  // 2026-01-09 is 6 days before the 15th and 326 days before the 1st of December.
  ['the header Date', { Date: 'Thu, 15 Jan 2026 09:00:00 GMT' }, 3],
  [
    'Sandbox-Clock of a sandbox, whose server has the Date of the machine',
    { Date: 'Tue, 01 Dec 2026 09:00:00 GMT', 'Sandbox-Clock': '2026-01-15T09:00:00.000Z' },
    3,
  ],
  ['the clock of the machine, if the answer tells no time', {}, 9],
  ['the clock of the machine, if the time of the answer is none', { Date: 'soon' }, 9],
])('the age of a date is that of %s', async (_, headers, age) => {
  const lines: string[] = [];
  const send = recordCalls((line) => lines.push(line), {
    fetch: async () => new Response('{}', { status: 400, headers }),
    now: () => Date.parse('2026-12-01T09:00:00Z'),
  });
  const body = JSON.stringify({ last_billed_to_date: '2026-01-09' });
  await send(`${BASE}validate-account/`, { method: 'POST', body });
  expect(JSON.parse(lines[0] ?? '').request.last_billed_to_date).toMatch(new RegExp(`^date:[\\da-f]{12}:${age}$`));
});
