/** Compares the CPU time of the local check of a full sample account with `JSON.parse` of its text. */
import { validateAccount } from 'data-import-sdk';
import { sampleRecords } from 'data-import-sdk/migration';
import { accountSchema } from 'data-import-sdk/schemas';
import type { Contestant } from '../frame/contest.js';
import { cpuUs } from '../frame/figures.js';
import type { Sheet } from '../frame/sheet.js';

const ROUNDS = 15;

export async function measure(sheet: Sheet<'check'>): Promise<void> {
  const texts = [...sampleRecords({ accounts: sheet.size(1000, 20), mistakes: 0, supplier: 'BENCH', seed: sheet.seed })]
    .map(({ line }): { account?: object } => JSON.parse(line))
    .flatMap(({ account }) => (account === undefined ? [] : [JSON.stringify(account)]));
  const accounts = texts.map((text): unknown => JSON.parse(text));
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / texts.length;
  const each = (task: (index: number) => unknown) => () => passes(task, accounts.length, sheet.size(20, 2));
  const held = await sheet.contest(
    `accounts of ${bytes.toFixed(0)} bytes`,
    {
      parse: each((index) => JSON.parse(texts[index] ?? '')),
      'check, warnings off': each((index) => validateAccount(accounts[index], { warnings: false }).ok),
      'check, warnings on': each((index) => validateAccount(accounts[index]).ok),
      zod: each((index) => accountSchema.safeParse(accounts[index]).success),
    },
    ROUNDS,
  );
  sheet.fill('plain', () => held.ratio('cpu', 'check, warnings off', 'parse'));
  sheet.fill('warnings', () => held.ratio('cpu', 'check, warnings on', 'parse'));
  sheet.fill('zod', () => held.ratio('cpu', 'zod', 'parse'));
}

/** `cpu` in microseconds per account. */
function passes(task: (index: number) => unknown, count: number, times: number): Contestant {
  return {
    turn() {
      const before = cpuUs();
      for (let pass = 0; pass < times; pass++) {
        for (let index = 0; index < count; index++) if (!task(index)) throw new Error(`account ${index} was refused`);
      }
      return { cpu: (cpuUs() - before) / (times * count) };
    },
  };
}
