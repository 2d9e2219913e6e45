/** A decision of `resolve` that was wrong: a second one replaces it as long as nothing was sent because of the first. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Fault, ServiceRequest } from '../../support/import-service.js';
import { account, openFolder, openImportService, refused, resolveWhenQuiet, run } from '../typed.js';

const { at, inputFile } = openFolder();

const B_1 = {
  business: {
    import_supplier_code: 'SANDBOX_SUPPLIER',
    external_business_identifier: 'B-1',
    business: { business_contracts: [{ identifier: 'C-1' }] },
  },
};
const OF_B_1 = account('A-2', { account_type: 'BUSINESS', business: { business_contract_identifier: 'C-1' } });
const A_1 = {
  ...account('A-1'),
  statements: [{ statement_id: 'S-1' }, { statement_id: 'S-2' }],
  notes: [{ body: 'n' }],
};

let runs = 0;

/** A run of records whose requests to `lost`, and the questions about them, fail on the service. */
async function lostRun(lost: string, ...records: unknown[]) {
  return failedRun({ status: 500, body: {} }, lost, records);
}

async function failedRun(fault: Fault, lost: string, records: unknown[]) {
  let instead: Fault | undefined = fault;
  let isLost = false;
  const failing = ({ path, body }: ServiceRequest) => {
    const isThis = path.endsWith(lost) && body['dry_run'] !== true;
    isLost ||= isThis;
    return isThis || (isLost && path.includes('status')) ? instead : undefined;
  };
  const quick = { TIMEOUT: '1', IN_FLIGHT_GRACE: '0', MAX_RETRIES: '0' };
  const service = await openImportService({ fault: failing }, quick);
  const folder = at(`run-${++runs}`);
  const input = inputFile(`${runs}.jsonl`, ...records);
  const again = () => run('run', input, '--run', folder);
  const decide = (...words: string[]) => resolveWhenQuiet(...words, '--run', folder);
  await again();
  instead = undefined;
  return { service, folder, input, again, decide };
}

const STATEMENTS = ['--account', 'A-1', '--step', 'statements'];
const BUSINESS = ['--business', 'B-1', '--step', 'create'];
const statementsOf = ({ accounts }: Awaited<ReturnType<typeof openImportService>>) =>
  accounts.get('SANDBOX_SUPPLIER/A-1')?.statements;

test('items that were done, now not done: the next run sends them, also after a run in between', {
  tags: 'long',
}, async () => {
  const { service, again, decide } = await lostRun('historical-statements/create/', A_1);
  await decide(...STATEMENTS, '--as', 'done');
  expect(await again()).toMatchObject({ code: 0 });
  const { code, out } = await decide(...STATEMENTS, '--as', 'not-done');
  expect(code).toBe(0);
  expect(out).toMatch(
    /^Resolved by the operator: account A-1 statements was done since [^,]+, now not done: the next run sends it\n/,
  );
  expect(out).toMatch(/^Next: .*data-import-sdk run /m);
  expect(await again()).toMatchObject({ code: 0 });
  expect(statementsOf(service)).toEqual(['S-1', 'S-2']);
});

test('an answer about one item leaves the time since when another one of the account is unknown', async () => {
  const { decide } = await lostRun('historical-statements/create/', A_1);
  const sinceOf = async (...words: string[]) => {
    const { unknown } = JSON.parse((await decide(...words, '--json')).out) as { unknown: { since: string }[] };
    return unknown.map(({ since }) => since);
  };
  const before = await sinceOf();
  expect(before).toEqual([expect.stringMatching(/^\d{4}-/)]);
  expect(await sinceOf(...STATEMENTS, '--items', 'statements.0', '--as', 'done')).toEqual(before);
});

test('items that were not done, now done: they are not sent', { tags: 'long' }, async () => {
  const { service, again, decide, folder } = await lostRun('historical-statements/create/', A_1);
  await decide(...STATEMENTS, '--as', 'not-done');
  const { code, out } = await decide(...STATEMENTS, '--as', 'done');
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(/account A-1 statements was not done since [^,]+, now done\n/),
  ]);
  expect(await again()).toMatchObject({ code: 0 });
  expect(statementsOf(service)).toEqual([]);
  expect(readFileSync(`${folder}/audit.log`, 'utf8')).toMatch(
    /resolve: statements done in place of not done, by the operator/,
  );
});

test('items that were not done and have been sent since: the reason, and nothing changes', {
  tags: 'long',
}, async () => {
  const { service, again, decide } = await lostRun('historical-statements/create/', A_1);
  await decide(...STATEMENTS, '--as', 'not-done');
  await again();
  const { code, err } = await decide(...STATEMENTS, '--as', 'done');
  expect(code).toBe(2);
  expect(err).toMatch(
    /^data-import-sdk: account A-1 statements was resolved as not done on [^,]+, and a run has sent it since: that decision cannot be replaced\.\n$/,
  );
  expect(await again()).toMatchObject({ code: 0 });
  expect(statementsOf(service)).toEqual(['S-1', 'S-2']);
});

test('the same decision again changes nothing', async () => {
  const { decide } = await lostRun('historical-statements/create/', A_1);
  await decide(...STATEMENTS, '--as', 'done');
  const { code, err } = await decide(...STATEMENTS, '--as', 'done');
  expect([code, err]).toEqual([2, expect.stringMatching(/account A-1 statements is done already, since /)]);
});

test('a business that was done, now not done: the next run creates it before its accounts', {
  tags: 'long',
}, async () => {
  const { service, again, decide } = await lostRun('business/', B_1);
  await decide(...BUSINESS, '--as', 'done', '--service-id', '4711');
  expect(await again()).toMatchObject({ code: 0 });
  const { out } = await decide(...BUSINESS, '--as', 'not-done');
  expect(out).toMatch(/business B-1 create was done since [^,]+, now not done: the next run sends it\n/);
  expect(await again()).toMatchObject({ code: 0 });
  expect(service.businesses.get('SANDBOX_SUPPLIER/B-1')).toHaveLength(1);
});

test('a business that was not done, now done, with its id', { tags: 'long' }, async () => {
  const { service, again, decide, folder } = await lostRun('business/', B_1, OF_B_1);
  await decide(...BUSINESS, '--as', 'not-done');
  await decide(...BUSINESS, '--as', 'done', '--service-id', '4711');
  expect(await again()).toMatchObject({ code: 0 });
  expect(service.businesses.size).toBe(0);
  expect(service.accounts.get('SANDBOX_SUPPLIER/A-2')?.numbers).toHaveLength(1);
  expect(readFileSync(`${folder}/ok.csv`, 'utf8')).toContain('4711');
});

test('a business whose account was created since: the reason, and nothing is sent', async () => {
  const { service, again, decide } = await lostRun('business/', B_1, OF_B_1);
  await decide(...BUSINESS, '--as', 'done');
  await again();
  const { code, err } = await decide(...BUSINESS, '--as', 'not-done');
  expect(code).toBe(2);
  expect(err).toMatch(
    /^data-import-sdk: business B-1 create was resolved as done on [^,]+, and a run has created account A-2 of it since: that decision cannot be replaced\.\n$/,
  );
  await again();
  expect(service.businesses.size).toBe(0);
});

test('an account that was done, now not done: it is processed; sent since, that cannot be replaced', {
  tags: 'long',
}, async () => {
  const { service, again, decide } = await lostRun('process/process/', account('A-1'));
  const process = ['--account', 'A-1', '--step', 'process'];
  await decide(...process, '--as', 'done', '--service-id', 'S-9');
  await decide(...process, '--as', 'not-done');
  expect(await again()).toMatchObject({ code: 0 });
  expect(service.accounts.get('SANDBOX_SUPPLIER/A-1')?.numbers).toHaveLength(1);
  expect(await decide(...process, '--as', 'done')).toMatchObject(refused('and a run has sent it since'));
});

test('an account that was done and has got its items since: that cannot be replaced', { tags: 'long' }, async () => {
  const { service, again, decide } = await lostRun('process/process/', A_1);
  const process = ['--account', 'A-1', '--step', 'process'];
  await decide(...process, '--as', 'done', '--service-id', 'S-9');
  await again();
  expect(await decide(...process, '--as', 'not-done')).toMatchObject(refused('and a run has sent it since'));
  await again();
  expect(service.accounts.size).toBe(0);
});

test('the same decision with another number of the service replaces the number', { tags: 'long' }, async () => {
  const { again, decide, folder } = await lostRun('process/process/', account('A-1'));
  const done = ['--account', 'A-1', '--step', 'process', '--as', 'done', '--service-id'];
  await decide(...done, 'S-8');
  expect(await decide(...done, 'S-9')).toMatchObject({ code: 0 });
  await again();
  const table = readFileSync(`${folder}/ok.csv`, 'utf8');
  expect([table.includes('S-8'), table.includes('S-9')]).toEqual([false, true]);
});

test('done while the request may still be running, now not done: the reason, and nothing changes', async () => {
  const { again, folder } = await failedRun('reset', 'historical-statements/create/', [A_1]);
  const decide = (as: string) =>
    run('resolve', ...STATEMENTS, '--as', as, '--run', folder, '--in-flight-grace', '3600');
  expect(await decide('done')).toMatchObject({ code: 0 });
  expect(await decide('not-done')).toMatchObject(refused('the request may still be running'));
  expect(await again()).toMatchObject({ code: 0 });
});

test('items that were not done and have left the line, now done: they are not sent when they are back', {
  tags: 'long',
}, async () => {
  const { service, input, again, decide } = await lostRun('historical-statements/create/', A_1);
  const whole = readFileSync(input, 'utf8');
  await decide(...STATEMENTS, '--as', 'not-done');
  writeFileSync(input, `${JSON.stringify({ ...A_1, statements: undefined })}\n`);
  await again();
  expect(await decide(...STATEMENTS, '--as', 'done')).toMatchObject({ code: 0 });
  writeFileSync(input, whole);
  expect(await again()).toMatchObject({ code: 0 });
  expect(statementsOf(service)).toEqual([]);
});

test('a sheet replaces the decisions that it has otherwise, and leaves out the others', { tags: 'long' }, async () => {
  const { service, again, decide, folder } = await lostRun('historical-statements/create/', A_1, {
    ...A_1,
    ...account('A-2'),
  });
  const sheet = at('answers.csv');
  const template = readFileSync(`${folder}/unknown.csv`, 'utf8').trimEnd().split('\r\n');
  const answered = (...answers: string[]) => {
    // Two items of each record.
    const answerOf = (place: number) => answers[Math.floor((place - 1) / 2)] ?? '';
    const rows = template.map((row, place) => row.replace(/;;;(?=x\w+$)/, `;${answerOf(place)};;`));
    writeFileSync(sheet, rows.join('\r\n'));
  };
  answered('done', 'done');
  await decide('--from', sheet);
  expect(readFileSync(`${folder}/audit.log`, 'utf8')).toMatch(
    /resolve: statements done, by the operator: account …1 \(\S+jsonl:1, statements\.0; statements\.1\), account …2 \(\S+jsonl:2, statements\.0; statements\.1\)$/m,
  );
  answered('done', 'not-done');
  const { code, out, err } = await decide('--from', sheet);
  expect(code).toBe(0);
  expect(out).toMatch(
    /^Resolved by the operator: account A-2 statements\.0; statements\.1 was done since [^,]+, now not done/,
  );
  expect(err).toContain('2 rows have an outcome that is known already, and left out.');
  await again();
  expect(statementsOf(service)).toEqual([]);
  expect(service.accounts.get('SANDBOX_SUPPLIER/A-2')?.statements).toEqual(['S-1', 'S-2']);
});

test('items that were done, now not done, without a run in between: the next run sends them', async () => {
  const { service, again, decide } = await lostRun('historical-statements/create/', A_1);
  await decide(...STATEMENTS, '--as', 'done');
  await decide(...STATEMENTS, '--as', 'not-done');
  expect(await again()).toMatchObject({ code: 0 });
  expect(statementsOf(service)).toEqual(['S-1', 'S-2']);
});

test('the decision that ends a record erases its text from the ledger', async () => {
  const named = { ...A_1, ...account('A-1', { customers: [{ given_name: 'Marker-One' }] }) };
  const { decide, folder } = await lostRun('historical-statements/create/', named);
  const stored = () =>
    readdirSync(folder)
      .filter((name) => /^ledger\.sqlite(-wal)?$/.test(name))
      .some((name) => readFileSync(`${folder}/${name}`, 'latin1').includes('Marker-One'));
  expect(stored()).toBe(true);
  expect(await decide(...STATEMENTS, '--as', 'done')).toMatchObject({ code: 0 });
  expect(stored()).toBe(false);
});
