/** A request that the service, or a proxy before it, refuses as too large (413): it added nothing, so a batch is halved and sent again. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { account, ended, openFolder, openImportService, run } from '../typed.js';

const { at, inputFile } = openFolder();

const LISTS = {
  statements: 'historical-statements/create/',
  transactions: 'transactions/create/',
  notes: 'notes/create/',
} as const;
type Kind = keyof typeof LISTS;

const ITEMS: Readonly<Record<Kind, (index: number) => object>> = {
  statements: (index) => ({ statement_id: `S-${index}` }),
  transactions: (index) => ({
    ...{ transaction_id: `T-${index}`, transaction_date: '2026-01-01', amount: 1, type: 'CHARGE', reason: 'x' },
  }),
  notes: (index) => ({ body: `Note ${index}` }),
};

/** A service that takes at most a number of items of the kind in one request; the number of items in each request that it got. */
async function open(kind: Kind, most: number, body: unknown = '<html>413 Request Entity Too Large</html>') {
  const sent: number[] = [];
  const service = await openImportService({
    fault({ path, body: { [kind]: items } }) {
      if (!Array.isArray(items) || !path.endsWith(LISTS[kind])) return undefined;
      sent.push(items.length);
      return items.length > most ? { status: 413, body } : undefined;
    },
  });
  return { service, sent };
}

const withItems = (kind: Kind, count: number) => ({
  ...account('A-1'),
  [kind]: Array.from({ length: count }, (_, index) => ITEMS[kind](index)),
});
const added = (kind: Kind, account: { statements: string[]; transactions: string[]; notes: string[] } | undefined) =>
  account?.[kind].length;

test.each<Kind>(['statements', 'transactions', 'notes'])(
  '%s are halved until the service takes them, each once',
  async (kind) => {
    const { service, sent } = await open(kind, 2);
    const path = inputFile(`${kind}.jsonl`, withItems(kind, 7));
    expect(await run('run', path, '--run', at(kind))).toMatchObject(ended(0, `${kind}: 7 sent = 7\n`));
    expect(sent).toEqual([7, 4, 2, 2, 2, 1]);
    expect(added(kind, service.accounts.get('SANDBOX_SUPPLIER/A-1'))).toBe(7);
  },
);

test.each<Kind>(['statements', 'transactions', 'notes'])(
  '%s of which a single one is too large: it is rejected, with its size and what makes it smaller',
  async (kind) => {
    const { sent } = await open(kind, 0, { detail: 'Request body exceeded.' });
    const folder = at(`one ${kind}`);
    const { code, out } = await run('run', inputFile(`one-${kind}.jsonl`, withItems(kind, 2)), '--run', folder);
    expect(code).toBe(3);
    expect(sent.slice(0, 2)).toEqual([2, 1]);
    expect(out).toMatch(new RegExp(`^ +\\d ${' '}${kind} request_too_large at ${kind}\\.\\*?\\d?`, 'm'));
    expect(out).toMatch(/Example \(.*\): The request had \d{2,3} bytes\./);
    const entry = JSON.parse(readFileSync(`${folder}/incomplete.jsonl`, 'utf8').split('\n')[0] ?? '');
    expect(entry.errors[0]).toMatchObject({ step: kind, code: 'request_too_large', attr: `${kind}.0` });
  },
);

test('transactions without the check are in one request, which is not halved: the text names the flag', async () => {
  const { sent } = await open('transactions', 2);
  const path = inputFile('unchecked.jsonl', withItems('transactions', 3));
  const { code, out } = await run('run', path, '--run', at('unchecked'), '--no-check-previously-added');
  expect(code).toBe(3);
  expect(sent).toEqual([3]);
  expect(out).toContain('--transactions-at-once');
});

test('an account that is too large to be staged is rejected, with its size', async () => {
  await openImportService({
    fault: ({ path }) => (path.includes('create-or-update') ? { status: 413, body: '' } : undefined),
  });
  const path = inputFile('account.jsonl', account('A-1'));
  const { code, out } = await run('run', path, '--run', at('account'));
  expect(code).toBe(3);
  expect(out).toMatch(/ 1 {2}stage request_too_large\n.* The request had 70 bytes\.\n/);
});
