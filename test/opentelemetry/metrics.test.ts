import { inputFromRecords, runMigration } from 'data-import-sdk/migration';
import { instrumentDataImport } from 'data-import-sdk/opentelemetry';
import { createSandbox, SANDBOX_SUPPLIER, SANDBOX_TEAM } from 'data-import-sdk/sandbox';
import { expect, onTestFinished, test } from 'vitest';
import { account, calls } from '../helpers/calls.js';
import { clientOf } from '../helpers/client-of.js';
import { newFolder } from '../helpers/folder.js';
import { answer, misbehavingServer } from '../helpers/misbehaving-server.js';
import { recorded } from './recorded.js';

const STAGE = calls['accounts.stage'].path;
const staged = { import_supplier: 'ACME', external_account_number: 'A-1' };

test('each request counts its duration, those in flight, retries and answers 429', async () => {
  const { of } = recorded();
  const server = await misbehavingServer({
    [STAGE]: [answer(429, {}, { 'retry-after': '0' }), answer(503, {}), answer(201, staged)],
  });
  await clientOf(server).accounts.stage(account);

  const common = {
    'data_import.operation': 'accounts.stage',
    'http.request.method': 'POST',
    'server.address': '127.0.0.1',
    'server.port': Number(new URL(server.url).port),
  };
  const duration = (status: number, error?: string) => ({
    metric: 'http.client.request.duration',
    value: expect.any(Number),
    attributes: { ...common, 'http.response.status_code': status, ...(error !== undefined && { 'error.type': error }) },
  });
  expect(of('http.client.request.duration')).toEqual([duration(429, '429'), duration(503, '503'), duration(201)]);
  for (const { value } of of('http.client.request.duration')) expect(value).toBeLessThan(30);
  expect(of('http.client.active_requests').map(({ value }) => value)).toEqual([1, -1, 1, -1, 1, -1]);
  const once = (metric: string) => ({ metric, value: 1, attributes: common });
  expect(of('data_import.client.retries')).toEqual([
    once('data_import.client.retries'),
    once('data_import.client.retries'),
  ]);
  expect(of('data_import.client.throttled')).toEqual([once('data_import.client.throttled')]);
});

test('each record of a migration counts by its outcome', { tags: 'long' }, async () => {
  const { of } = recorded();
  const sandbox = createSandbox();
  const server = await sandbox.listen();
  onTestFinished(() => server.close());
  const client = clientOf(server, { token: sandbox.token });
  const folder = newFolder('otel-');
  const accountOf = (number: string, more: object = {}) => ({
    account: { import_supplier: SANDBOX_SUPPLIER, external_account_number: number, ...more },
  });
  await client.accounts.stage(accountOf('A-3').account);
  await client.accounts.process({
    ...{ import_supplier_code: SANDBOX_SUPPLIER, external_account_number: 'A-3', operations_team_name: SANDBOX_TEAM },
  });
  const input = inputFromRecords([
    accountOf('A-1'),
    accountOf('A-2', { customers: [{ landline: 'x' }] }),
    accountOf('A-3'),
    {
      business: {
        import_supplier_code: SANDBOX_SUPPLIER,
        external_business_identifier: 'B-1',
        business: { company_name: 'Arbois' },
      },
    },
  ] as never);
  await runMigration({ client, input, folder, team: SANDBOX_TEAM });
  const counted = of('data_import.records').map(({ value, attributes }) => [
    value,
    attributes['data_import.record.kind'],
    attributes['data_import.outcome'],
  ]);
  expect(counted.sort()).toEqual([
    [1, 'account', 'alreadyImported'],
    [1, 'account', 'created'],
    [1, 'account', 'rejected'],
    [1, 'business', 'created'],
  ]);
});

test('a misspelt option is refused: the global provider would be used in place of the given one', () => {
  const options = { meterProvidr: {} } as object;
  expect(() => instrumentDataImport(options)).toThrow(
    new TypeError('instrumentDataImport: no option meterProvidr; did you mean meterProvider?'),
  );
});
