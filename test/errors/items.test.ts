/** The items of `error.errors` are plain data for the program; what prints the error itself shows their codes and paths only. */
import { inspect } from 'node:util';
import { format } from '@vitest/pretty-format';
import { serializeError } from '@vitest/utils/error';
import { isRefusal } from 'data-import-sdk';
import { describe, expect, it } from 'vitest';
import { account, calls } from '../helpers/calls.js';
import { clientOf, errorOf } from '../helpers/client-of.js';
import { loggedByPino } from '../helpers/logged-by-pino.js';
import { answer, misbehavingServer } from '../helpers/misbehaving-server.js';

const PERSON = 'Jeanne Marqueur';
const items = [
  { detail: `${PERSON} has no such number.`, code: 'invalid_phone_number', attr: 'customers.0.landline' },
  { detail: 'Required.', code: 'required', attr: 'customers.0.email' },
];

async function ofService() {
  const body = { detail: PERSON, code: 'account_failed_validation', errors: items };
  const server = await misbehavingServer({ [calls['accounts.stage'].path]: answer(400, body) });
  return errorOf(clientOf(server).accounts.stage(account));
}

async function ofLocalCheck() {
  const client = clientOf({ url: 'http://127.0.0.1:9' });
  return errorOf(client.accounts.stage({ ...account, customers: [{ landline: 'x', [PERSON]: 1 }] } as never));
}

describe('of an answer', () => {
  it('are plain objects with all that the service said', async () => {
    const error = await ofService();
    if (!isRefusal(error)) throw error;
    expect(error.errors).toStrictEqual(items);
    expect(error.errors.map((item) => Object.getPrototypeOf(item))).toEqual([Object.prototype, Object.prototype]);
    expect(JSON.parse(JSON.stringify(error.errors))).toStrictEqual(items);
    expect(JSON.parse(JSON.stringify(error.errors[0]))).toStrictEqual(items[0]);
    expect(JSON.parse(JSON.stringify({ problems: error.at('customers.0.email') }))).toEqual({ problems: [items[1]] });
    expect(structuredClone(error.errors)).toStrictEqual(items);
  });
});

it('of the local check are plain objects with severity and the similar name', async () => {
  const client = clientOf({ url: 'http://127.0.0.1:9' });
  const error = await errorOf(client.accounts.stage({ ...account, customer: [] } as never));
  expect(JSON.parse(JSON.stringify((error as { errors?: unknown }).errors))).toEqual([
    {
      detail: 'This field is not documented; only documented fields may be sent. Did you mean `customers`?',
      code: 'unknown_field',
      attr: 'customer',
      severity: 'error',
      didYouMean: 'customers',
    },
  ]);
});

describe.each([
  ['an answer', ofService],
  ['the local check', ofLocalCheck],
])('the error of %s, printed by', (_, make) => {
  it.each<[string, (error: Error) => string]>([
    ['pino', loggedByPino],
    ['JSON', (error) => JSON.stringify({ error, list: [error] })],
    [
      'the console, nested and as a cause',
      (error) => inspect([{ error }, new Error('x', { cause: error })], { depth: 9 }),
    ],
    ['Node.js, uncaught', (error) => inspect(error, { customInspect: false, depth: 9 })],
    ['Vitest', (error) => JSON.stringify(serializeError(error)) + format(error) + format({ list: [error] })],
  ])('%s', async (_, print) => {
    const text = print(await make());
    expect(text).toContain('invalid_phone_number');
    expect(text).not.toContain('Marqueur');
    expect(text).not.toContain('Jeanne');
  });
});

it('after pino has printed an error, its items are as before', async () => {
  const error = await ofService();
  loggedByPino(error);
  expect(JSON.parse(JSON.stringify((error as { errors?: unknown }).errors))).toEqual(items);
});
