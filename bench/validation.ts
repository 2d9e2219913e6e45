/**
 * What the local check of an account costs beside `JSON.parse` of its text, and beside zod alone: CPU time, rounds
 * interleaved, medians. The accounts are those of a sample book.
 *
 *     npm run build && npx tsx --tsconfig bench/tsconfig.json bench/validation.ts
 */
import { validateAccount } from 'data-import-sdk';
import { sampleBook } from 'data-import-sdk/migration';
import { accountSchema } from 'data-import-sdk/schemas';

const ROUNDS = 15;
const PASSES = 40;

const texts = [...sampleBook({ accounts: 1000, mistakes: 0, supplier: 'SUPPLIER' })]
  .map(({ line }): { account?: object } => JSON.parse(line))
  .flatMap(({ account }) => (account === undefined ? [] : [JSON.stringify(account)]));
const accounts = texts.map((text): unknown => JSON.parse(text));

const CASES: Readonly<Record<string, (index: number) => unknown>> = {
  'JSON.parse': (index) => JSON.parse(texts[index] ?? ''),
  'zod alone': (index) => accountSchema.safeParse(accounts[index]).success,
  'check, without advice': (index) => validateAccount(accounts[index], { advice: false }).ok,
  'check, with advice': (index) => validateAccount(accounts[index]).ok,
};

const costs = new Map<string, number[]>();
for (let round = -2; round < ROUNDS; round++) {
  for (const [name, task] of Object.entries(CASES)) {
    const cost = measure(task);
    // The first two rounds warm up.
    if (round >= 0) costs.set(name, [...(costs.get(name) ?? []), cost]);
  }
}
const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / texts.length;
console.log(`Node ${process.version}; accounts of ${bytes.toFixed(0)} bytes, ${ROUNDS} rounds, medians of CPU time`);
const base = median(costs.get('JSON.parse') ?? []);
for (const [name, values] of costs) {
  console.log(`${name.padEnd(22)} ${median(values).toFixed(1).padStart(6)} us  ${(median(values) / base).toFixed(2)}`);
}

/** Microseconds an account. */
function measure(task: (index: number) => unknown): number {
  const before = process.cpuUsage();
  for (let pass = 0; pass < PASSES; pass++) {
    for (let index = 0; index < accounts.length; index++) if (!task(index)) throw new Error('not accepted');
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / (PASSES * accounts.length);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
