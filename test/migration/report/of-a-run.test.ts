/** A run and its report together: what is in the input is in the balance, also when the same command is given again. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createMemoryLedger } from '../../../src/migration/ledger/memory.js';
import { openRunFolder } from '../../../src/migration/report/folder/run-folder.js';
import { newFolder } from '../../helpers/folder.js';
import { account, business, openRehearsal } from '../rehearsal.js';

const INPUT = [
  business('B-1', 'C-1', { siret: 5 }),
  account('A-1', { account_type: 'BUSINESS', business: { business_contract_identifier: 'C-1' } }),
  account('A-2'),
  account('A-2'),
  account('A-2', { sales_channel: 'OTHER' }),
  account('A-3', { customers: [{ landline: 'x' }] }),
  account('A-3'),
  { account: { import_supplier: 'SANDBOX_SUPPLIER' } },
  account('A-4', {}, { notes: [{ body: 'n' }] }),
];

test('the same input again gives the same summary and the same files, and sends nothing', async () => {
  const path = newFolder('run-folder-');
  const ledger = createMemoryLedger();
  const { run, sandbox } = openRehearsal();
  const runs = [];
  for (let time = 1; time <= 2; time++) {
    const { at, lines, writeOutcome } = await openRunFolder(join(path, 'run'));
    await run(INPUT, ledger, { onLine: lines.add });
    const summary = await writeOutcome(ledger, { linesRead: 9 });
    const files = ['ok.csv', 'rejected.jsonl', 'skipped.jsonl', 'unknown.jsonl'];
    const texts = await Promise.all(files.map((name) => readFile(at(name), 'utf8')));
    runs.push({ summary, texts, requests: sandbox.requests().length });
  }
  expect(runs[1]).toEqual(runs[0]);
  expect(runs[0]?.summary).toMatchObject({
    input: 9,
    created: 2,
    rejected: 3,
    skipped: 4,
    unfinished: 0,
    waiting: 1,
    balance: { isBalanced: true },
    changed: { count: 0 },
  });
  const numbersOf = (text = '') =>
    [...text.matchAll(/^\{"source":"input","line":(\d+)/gm)].map(([, line]) => Number(line));
  expect(numbersOf(runs[0]?.texts[1])).toEqual([1, 6, 8]);
  expect(numbersOf(runs[0]?.texts[2])).toEqual([2, 4, 5, 7]);
});
