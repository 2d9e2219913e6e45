/** A base URL whose path is wrong: an address problem, which rejects no record. */
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { type Fault, type ServiceRequest, startImportService } from '../../support/import-service.js';
import { account, openFolder, openImportService, run } from '../typed.js';

const { at, inputFile } = openFolder();
const accounts = (count: number) => Array.from({ length: count }, (_, index) => account(`A-${index + 1}`));
const BUSINESS = {
  business: {
    import_supplier_code: 'SANDBOX_SUPPLIER',
    external_business_identifier: 'B-1',
    business: { business_contracts: [{ identifier: 'C-1' }] },
  },
};

/** A service; `wrong` answers in place of it. */
async function open(wrong?: (request: ServiceRequest) => Fault | undefined) {
  const sent: string[] = [];
  const service = await openImportService({
    fault(request) {
      sent.push(request.path);
      return wrong?.(request);
    },
  });
  return { service, sent };
}

const ANSWERS: [what: string, status: number, body: unknown][] = [
  ['404 in JSON', 404, { detail: 'Not found.' }],
  ['404 in JSON with a code', 404, { detail: 'Not found.', code: 'not_found' }],
  ['404 without a body', 404, ''],
  ['404 with a page', 404, '<html>Not Found</html>'],
  ['405 in JSON', 405, { detail: 'Method "POST" not allowed.' }],
];

test.each(ANSWERS)('doctor fails for %s', async (_, status, body) => {
  await open(() => ({ status, body }));
  const { code, out } = await run('doctor', inputFile('doctor.jsonl', ...accounts(3)), '--run', at('none'));
  expect(code).toBe(1);
  expect(out).toMatch(
    new RegExp(
      `^address   FAILED +127\\.0\\.0\\.1:\\d+ answers validate with ${status}: the address has no such path$`,
      'm',
    ),
  );
  expect(out).toContain('-> Check --base-url and its path.\n');
  // Another server answers any token so.
  expect(out).toMatch(/^token {5}cannot tell +a status query answered with \d+ does not show it$/m);
});

test.each(ANSWERS)(
  'the first staging that is answered with %s stops the run: code 8, one account sent, none rejected',
  { tags: 'long' },
  async (what, status, body) => {
    const { service, sent } = await open(() => ({ status, body }));
    const folder = at(`stage ${what}`);
    const path = inputFile('stage.jsonl', ...accounts(30));
    const { code, out } = await run('run', path, '--run', folder);
    expect(code).toBe(8);
    expect(out).toContain('0 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown + ');
    expect(out).toMatch(
      new RegExp(
        `^Halted: the address has no such path: stage was answered with ${status}\\. Check the path of the base URL \\(--base-url\\)\\.$`,
        'm',
      ),
    );
    expect(out).toMatch(/\nNext: data-import-sdk run \S+stage\.jsonl --run .* --base-url <address of the service>\n$/);
    expect(sent.filter((one) => one.includes('create-or-update'))).toHaveLength(1);
    expect(readFileSync(`${folder}/rejected.jsonl`, 'utf8')).toBe('');

    const right = await startImportService({});
    onTestFinished(() => right.close());
    expect(await run('run', path, '--run', folder, '--base-url', right.url)).toMatchObject({ code: 0 });
    expect([right.accounts.size, service.accounts.size]).toEqual([30, 0]);
  },
);

test('a business that is answered with 404 first stops the run too', async () => {
  await open(({ path }) => (path === 'business/' ? { status: 404, body: { detail: 'Not found.' } } : undefined));
  const folder = at('business');
  const { code, out } = await run('run', inputFile('business.jsonl', BUSINESS), '--run', folder);
  expect([code, out.split('\n')[1]]).toEqual([
    8,
    '0 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown + 1 unfinished = 1',
  ]);
});

test('once the service has accepted an account, 404 for another one concerns that account only', async () => {
  await open(({ path, body }) =>
    path === 'account-import-process/create-or-update/' && body['external_account_number'] === 'A-2'
      ? { status: 404, body: { detail: 'Not found.' } }
      : undefined,
  );
  const folder = at('later');
  const path = inputFile('later.jsonl', ...accounts(5));
  const { code, out } = await run('run', path, '--run', folder);
  expect([code, out.split('\n')[1]]).toEqual([
    3,
    '4 created + 0 already imported + 1 rejected + 0 skipped + 0 unknown = 5',
  ]);
  expect((await run('run', path, '--run', folder, '--retry-rejected')).code).toBe(3);
});
