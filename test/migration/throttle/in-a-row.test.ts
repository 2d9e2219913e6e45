/** The halt rule `same` in a run: records that other records overtake while they wait are still between the rejected ones. */
import { describe, expect, test } from 'vitest';
import { DataImportClient } from '../../../src/client.js';
import {
  createMemoryLedger,
  inputFromRecords,
  type MigrationOptions,
  parseHalt,
  runMigration,
} from '../../../src/migration/index.js';
import { createSandbox } from '../../../src/sandbox/index.js';
import { newFolder } from '../../helpers/folder.js';
import { account } from '../rehearsal.js';

const valid = (index: number) => account(`A-${index + 1}`);
const refusedByCheck = (index: number) =>
  account(`A-${index + 1}`, {
    customers: [{ given_name: 'Jane', family_name: 'Doe', email: 'jane@example.com', mobile: 'see file' }],
  });
const refusedByStage = (index: number) =>
  account(`A-${index + 1}`, { business: { business_contract_identifier: 'C-0' } });
const everySecond = (refused: (index: number) => unknown) =>
  Array.from({ length: 200 }, (_, index) => (index % 2 === 0 ? refused(index) : valid(index)));
const everyOne = (refused: (index: number) => unknown) => Array.from({ length: 40 }, (_, index) => refused(index));

/** A run with `same=20` on a service that answers these calls much later than others. */
function run(records: readonly unknown[], slow: 'dry run' | 'validate', more: Partial<MigrationOptions> = {}) {
  const sandbox = createSandbox();
  const fetch = async (url: string, init: RequestInit) => {
    const isSlow = slow === 'validate' ? url.includes('/validate') : String(init.body).includes('"dry_run":true');
    for (let turn = 0; isSlow && turn < 300; turn++) await new Promise((resolve) => setImmediate(resolve));
    return sandbox.fetch(new Request(url, init));
  };
  const client = new DataImportClient({ baseUrl: 'http://localhost:1', token: sandbox.token, fetch, maxRetries: 0 });
  return runMigration({
    ...{ client, ledger: createMemoryLedger(), folder: `${newFolder('in-a-row-')}/run`, team: 'SANDBOX_TEAM' },
    ...{ input: inputFromRecords(records), throttle: { concurrency: 32, halt: parseHalt('same=20') } },
    ...more,
  });
}

describe('a run in which every second record is rejected does not halt', () => {
  const finished = { state: 'finished', summary: { created: 100, rejected: 100 } };

  test('by the check, while the others wait for the dry run of the first account', { tags: 'long' }, async () => {
    expect(await run(everySecond(refusedByCheck), 'dry run')).toMatchObject(finished);
  });

  test('by the check, while the service validates the others', { tags: 'long' }, async () => {
    const options = { validateRemotely: true, dryRun: 'none' } as const;
    expect(await run(everySecond(refusedByCheck), 'validate', options)).toMatchObject(finished);
  });

  test('by staging, while the others are dry-run', { tags: 'long' }, async () => {
    expect(await run(everySecond(refusedByStage), 'dry run', { dryRun: 'all' })).toMatchObject(finished);
  });
});

describe('a run in which one step rejects every record halts after 20 of them', () => {
  test.each([
    ['the check', refusedByCheck, 'invalid_phone_number'],
    ['staging', refusedByStage, 'business_contract_not_found'],
  ])('%s', async (_, refused, code) => {
    const { state, reason } = await run(everyOne(refused), 'dry run');
    expect([state, reason]).toEqual(['halted', `20 records in a row were rejected for ${code} (same=20)`]);
  });

  test('staging, while each second record is rejected by the check', async () => {
    const records = Array.from({ length: 80 }, (_, index) =>
      index % 2 === 0 ? refusedByStage(index) : refusedByCheck(index),
    );
    const { state, reason } = await run(records, 'dry run');
    expect([state, reason]).toEqual([
      'halted',
      '20 records in a row were rejected for business_contract_not_found (same=20)',
    ]);
  });
});
