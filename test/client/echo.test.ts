/** `accounts.validate` tells what the service dropped without a word (issue 3, Echo check). */
import type { Account, DataImportClientOptions, Logger } from 'data-import-sdk';
import { describe, expect, it } from 'vitest';
import { domesticAccount } from '../examples/account.js';
import { account, calls } from '../helpers/calls.js';
import { clientOf } from '../helpers/client-of.js';
import { answer, misbehavingServer } from '../helpers/misbehaving-server.js';

const VALIDATE = calls['accounts.validate'].path;
const STAGE = calls['accounts.stage'].path;

async function clientEchoing(echo: unknown, options: Partial<DataImportClientOptions> = {}) {
  const server = await misbehavingServer({ [VALIDATE]: answer(200, echo), [STAGE]: answer(201, account) });
  return { server, client: clientOf(server, options) };
}

const payload: Account = {
  ...account,
  billing_postcode: '69003',
  customers: [{ given_name: 'Camille', title: 'Mme' }],
};
const echo = { ...account, customers: [{ given_name: 'Camille' }] };

it('droppedPaths lists the paths that were sent and are not in the answer', async () => {
  const { client } = await clientEchoing(echo);
  expect((await client.accounts.validate(payload)).droppedPaths).toEqual(['billing_postcode', 'customers.0.title']);
});

it('droppedPaths lists the values that come back empty', async () => {
  const { client } = await clientEchoing({ ...payload, billing_postcode: null, customers: [] });
  expect((await client.accounts.validate(payload)).droppedPaths).toEqual(['billing_postcode', 'customers']);
});

it.each([
  ['the whole echo', domesticAccount, domesticAccount],
  ['no echo', domesticAccount, {}],
])('droppedPaths is empty after %s', async (_, sent, answered) => {
  const { client } = await clientEchoing(answered);
  expect((await client.accounts.validate(sent)).droppedPaths).toEqual([]);
});

it('droppedPaths is no field of the answer: it is neither listed, nor written as JSON, nor sent with the data', async () => {
  const { client, server } = await clientEchoing(echo);
  const result = await client.accounts.validate(payload);
  expect(Object.keys(result)).toEqual(['import_supplier', 'external_account_number', 'customers']);
  expect(JSON.parse(JSON.stringify(result))).toEqual(echo);
  await client.accounts.stage(result as Account);
  expect(JSON.parse(server.requests[1]?.body ?? '')).toEqual(echo);
});

it('a field `dropped` of the service is another thing, and stays', async () => {
  const { client } = await clientEchoing({ ...echo, dropped: 'nothing' });
  const result = await client.accounts.validate(payload);
  expect(result.droppedPaths).toEqual(['billing_postcode', 'customers.0.title']);
  expect(result).toEqual({ ...echo, dropped: 'nothing' });
});

it('withResponse has it too', async () => {
  const { client } = await clientEchoing(echo);
  const { data, status } = await client.accounts.validate(payload).withResponse();
  expect(status).toBe(200);
  expect(data.droppedPaths).toEqual(['billing_postcode', 'customers.0.title']);
});

it('the sent values count, even if the object changes afterwards', async () => {
  const { client } = await clientEchoing(echo);
  const reused: Account = structuredClone(payload);
  const call = client.accounts.validate(reused);
  delete reused.billing_postcode;
  reused.sales_channel = 'of the next account';
  expect((await call).droppedPaths).toEqual(['billing_postcode', 'customers.0.title']);
});

it('a payload behind a proxy, as frameworks make them, is compared like any other', async () => {
  const { client } = await clientEchoing(echo);
  const result = await client.accounts.validate(new Proxy(payload, {}));
  expect(result.droppedPaths).toEqual(['billing_postcode', 'customers.0.title']);
});

describe('a logger gets a warning about fields that the echo lacks', () => {
  const watch = () => {
    const lines: unknown[][] = [];
    const logger: Logger = { debug: () => {}, warn: (...line) => void lines.push(line) };
    return { lines, logger };
  };
  const line = (attr: string) => [
    { callId: expect.any(Number), operation: 'accounts.validate', code: 'dropped_by_service', attr },
    'data-import warning',
  ];

  it('path by path', async () => {
    const { lines, logger } = watch();
    const { client } = await clientEchoing(echo, { logger });
    await client.accounts.validate(payload);
    expect(lines).toEqual([line('billing_postcode'), line('customers.0.title')]);
  });

  it('also with warnings: reject, because the request was already sent', async () => {
    const { lines, logger } = watch();
    const { client } = await clientEchoing(echo, { logger, advanced: { warnings: 'reject' } });
    await client.accounts.validate(payload);
    expect(lines).toHaveLength(2);
  });

  it('not with warnings: ignore', async () => {
    const { lines, logger } = watch();
    const { client } = await clientEchoing(echo, { logger, advanced: { warnings: 'ignore' } });
    expect((await client.accounts.validate(payload)).droppedPaths).toHaveLength(2);
    expect(lines).toEqual([]);
  });
});
