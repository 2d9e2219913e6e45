/** `certify` finds what a script does wrong when it is disturbed, and nothing where it does everything right. */
import { expect, test } from 'vitest';
import { certify } from '../../src/sandbox/index.js';
import { type Mistake, scriptWith } from './scripts.js';

/** Two accounts, one with all kinds of items, and a business. */
const input = [
  { business: { import_supplier_code: 'ACME', external_business_identifier: 'B-1' } },
  {
    account: {
      import_supplier: 'ACME',
      external_account_number: 'A-1',
      customers: [{ given_name: 'Ada', family_name: 'Arbois', email: 'ada.arbois@example.com', landline: '' }],
    },
    notes: [{ body: 'Moved from the former supplier.' }],
    statements: [{ statement_id: 'S-1' }],
    payment_instruction: { vendor: 'VENDOR-1', reference: 'CARD-1', type: 'CARD' },
  },
  { account: { import_supplier: 'ACME', external_account_number: 'A-2' } },
];

const tried = (mistake: Mistake | undefined, ...only: string[]) =>
  certify({ run: scriptWith(mistake), input, only, concurrency: 8 });

/** What a disturbance shows of a mistake, and the rules that are broken. */
const SHOWN: readonly [Mistake, disturbance: string, rules: string[]][] = [
  ['no intent', 'answer-lost:historicalStatements.create:1', ['nothing-twice']],
  ['blind retry of process', 'still-running:accounts.process:1', ['nothing-twice']],
  ['retry of a business', 'still-running:businesses.create:1', ['nothing-twice']],
  ['ignores 429', 'limit-reached:accounts.process:2', ['limits-kept']],
  ['swallows a 400', 'refused:accounts.stage:1', ['refusals-reported']],
  ['resumes by line number', 'killed-before:accounts.process:1', ['nothing-lost', 'nothing-silent']],
  ['counts 500 as done', 'status-500:notes.create:1', ['nothing-lost', 'nothing-silent']],
  ['takes a lost answer for success', 'killed-before:accounts.process:2', []],
];

test.each(SHOWN)('a script that %s is found by %s', async (mistake, disturbance, rules) => {
  const { findings, isPassed } = await tried(mistake, disturbance);
  expect(findings.flatMap(({ broken }) => broken.map(({ rule }) => rule))).toEqual(rules);
  expect(isPassed).toBe(rules.length === 0);
});
