/** Bugs that random requests and rules found (fuzz.test.ts), one test each. */
import { expect, test } from 'vitest';
import { createSandbox } from '../../../src/sandbox/index.js';
import { account, importAccount, openSandbox, PROCESS, posted, processing, STAGE } from '../support/requests.js';

test.each([204, 205, 304])(
  'a fault of status %i with a body is refused when it is added, not when a call meets it',
  (status) => {
    const { faults } = createSandbox();
    const add = () => faults.add({ effect: { status, body: { detail: 'x' } } });
    expect(add).toThrow(new TypeError('fault rule: effect.body: answers of status 204, 205 and 304 have no body.'));
    expect(faults.list()).toEqual([]);
  },
);

test.each<Record<string, string>>([
  { 'a b': 'c' },
  { a: 'b\nc' },
  { 'Content-Length': '5' },
  { 'transfer-encoding': 'chunked' },
])('a fault with the headers %j is refused when it is added', (headers) => {
  const { faults } = createSandbox();
  expect(() => faults.add({ effect: { status: 503, headers } })).toThrow(
    new TypeError(
      'fault rule: effect.headers: expected names and values that are valid in HTTP, without those of the connection, such as Content-Length.',
    ),
  );
  expect(faults.list()).toEqual([]);
});

test('E11 a switch that begins at once is in progress as soon as the account is created (U8)', async () => {
  const switchSchedule = { inProgressAfterSeconds: 0, endAfterSeconds: 60, rejectedShare: 0 };
  const talk = openSandbox({ settings: { switchSchedule } });
  const number = await importAccount(talk, 'A-1');
  expect(await talk.get('account-transfer-status/SANDBOX_SUPPLIER/A-1/')).toEqual({
    status: 200,
    body: { status: 'IN_PROGRESS', service_account_number: number },
  });
});

test('C3 a field of the name __proto__ is refused like any other, and changes no prototype (U12)', async () => {
  const { request, sandbox } = openSandbox({ settings: { errorBodies: 'nested' } });
  const response = await request(
    'validate-account/',
    posted(
      sandbox,
      '{"import_supplier":"SANDBOX_SUPPLIER","external_account_number":"A-1","__proto__":{},"customers":[{"__proto__":1}]}',
    ),
  );
  expect(response.status).toBe(400);
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(await response.text()).toMatch(
    /^\{"customers":\{"0":\{"__proto__":\["[^"]+"\]\}\},"__proto__":\["[^"]+"\]\}$/,
  );
});

test('E6 process: of 25 concurrent calls one gets 201, also if each has another undocumented field (U6)', async () => {
  const { post } = openSandbox({ settings: { unknownFields: 'drop' } });
  await post(STAGE, account('A-1'));
  const bodies = Array.from({ length: 25 }, (_, index) => processing('A-1', { import_supplier: `NORTH-${index}` }));
  const answers = await Promise.all(bodies.map((body) => post(PROCESS, body)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
});
