/** A deployment profile that is corrected between two sessions of one run (issue 19, also try). */
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { account, openFolder, openImportService, run } from '../typed.js';

const { at, inputFile } = openFolder();

function profile(...channels: string[]): string[] {
  writeFileSync(at('profile.json'), JSON.stringify({ values: { Account: { sales_channel: channels } } }));
  return ['--profile', at('profile.json')];
}

const balance = (out: string) => out.split('\n').find((text) => text.includes(' created + '));

test('records that the former profile rejected are checked again by the same command, and all others are left', {
  tags: 'long',
}, async () => {
  const service = await openImportService();
  const input = inputFile(
    'channels.jsonl',
    ...['WEB', 'PHONE', 'SHOP'].map((channel) => account(channel, { sales_channel: channel })),
  );
  const folder = ['--run', at('run')];
  const first = await run('run', input, ...profile('WEB'), ...folder);
  expect(first.code).toBe(3);
  expect(balance(first.out)).toBe('1 created + 0 already imported + 2 rejected + 0 skipped + 0 unknown = 3');

  const second = await run('run', input, ...profile('WEB', 'PHONE'), ...folder);
  expect(second.code).toBe(3);
  expect(balance(second.out)).toBe('2 created + 0 already imported + 1 rejected + 0 skipped + 0 unknown = 3');

  const third = await run('run', input, ...folder);
  expect(third.code).toBe(0);
  expect(balance(third.out)).toBe('3 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 3');
  const processed = service.requests.filter((request) => request === 'POST account-import-process/process/');
  // The first account is tried with a dry run before each of the sessions that had to find out whether the team exists.
  expect([...service.accounts.values()].map(({ numbers }) => numbers.length)).toEqual([1, 1, 1]);
  expect(processed.length).toBeLessThanOrEqual(4);
});

test('a record that the service refused is not sent again because the profile changed', async () => {
  const service = await openImportService({
    fault: ({ path, body }) =>
      path === 'account-import-process/create-or-update/' && body['external_account_number'] === 'A-2'
        ? { status: 400, body: { code: 'account_failed_validation', detail: 'No.', errors: [] } }
        : undefined,
  });
  const input = inputFile('refused.jsonl', account('A-1'), account('A-2'));
  const folder = ['--run', at('refused')];
  await run('run', input, ...folder);
  const sent = service.requests.length;
  expect((await run('run', input, ...profile('WEB'), ...folder)).code).toBe(3);
  expect(service.requests.slice(sent).filter((request) => request.startsWith('POST'))).toEqual([]);
});
