/** Each of the mistakes that scripts are known to make is found within a minute, and nothing in scripts that do everything right. */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { DataImportClient } from '../../src/index.js';
import { inputFromRecords, runMigration } from '../../src/migration/index.js';
import {
  type CertifyResult,
  certify,
  type ExecutionResult,
  type RuleName,
  type Script,
} from '../../src/sandbox/index.js';
import { type Mistake, recordByRecord, scriptWith } from '../certify/scripts.js';
import { run as runCommand } from '../cli/typed.js';

const example = (name: string) => fileURLToPath(new URL(`../../examples/certify/${name}`, import.meta.url));
const FOUND_WITHIN_MS = 60_000;

/** Returns the first finding, and does not try the rest. */
async function firstFinding(run: Script): Promise<ExecutionResult | undefined> {
  const found = new AbortController();
  const onExecution = ({ broken }: ExecutionResult) => broken.length > 0 && found.abort();
  const { findings } = await certify({ run, signal: found.signal, timeMs: FOUND_WITHIN_MS, onExecution });
  return findings[0];
}

describe('a script with a mistake', () => {
  test.concurrent.each<[Mistake, RuleName]>([
    ['no intent', 'nothing-twice'],
    ['blind retry of process', 'nothing-twice'],
    ['retry of a business', 'nothing-twice'],
    ['ignores 429', 'limits-kept'],
    ['swallows a 400', 'refusals-reported'],
    ['resumes by line number', 'nothing-silent'],
    ['reuses a dead token', 'nothing-lost'],
    ['counts 500 as done', 'nothing-silent'],
    ['loses the last batch', 'nothing-silent'],
    ['prints the token', 'no-secrets'],
    // Variants of these.
    ['asks for the status too early', 'nothing-twice'],
    ['takes PENDING without a number for finished', 'nothing-lost'],
    ['gives a customer another number', 'nothing-twice'],
    ['stops at the first failure for good', 'nothing-lost'],
    ['takes a lost answer for success', 'nothing-silent'],
    ['prints the customers', 'no-secrets'],
    ['repeats without a pause', 'limits-kept'],
    ['takes every 400 for already imported', 'nothing-silent'],
  ])('%s is found by the rule %s', async (mistake, rule) => {
    const finding = await firstFinding(scriptWith(mistake));
    expect(
      finding?.broken.map((one) => one.rule),
      JSON.stringify(finding),
    ).toContain(rule);
  });
});

/** Our own run, in this process. */
const ownRun: Script = async ({ baseUrl, token, team, folder, input, inFlightGraceMs, timeoutMs, signal }) => {
  const client = new DataImportClient({ baseUrl, token, timeoutMs, advanced: { inFlightGraceMs } });
  try {
    const records = readFileSync(input, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    const { state, summary } = await runMigration({
      client,
      input: inputFromRecords(records),
      folder: join(folder, 'run'),
      team,
      signal,
    });
    const { created, alreadyImported, duplicates, incomplete } = summary;
    const isDone = state === 'finished' && created + alreadyImported + duplicates === summary.input && incomplete === 0;
    return { exitCode: isDone ? 0 : 1, output: summary.balance.text };
  } finally {
    await client.close();
  }
};

describe('a script that does everything right', () => {
  const expectPassed = ({ executions, findings }: CertifyResult) => {
    expect(findings).toEqual([]);
    expect(executions.filter(({ hasHappened }) => hasHappened).length).toBeGreaterThan(25);
  };

  test.concurrent('with fetch and a journal passes', async () =>
    expectPassed(await certify({ run: scriptWith(), concurrency: 12 })));
  test.concurrent('with migrateRecord passes', async () =>
    expectPassed(await certify({ run: recordByRecord(), concurrency: 12 })));
  test.concurrent('our own run passes', async () => expectPassed(await certify({ run: ownRun, concurrency: 8 })));
});

/** Each with the programs that it needs. */
const EXAMPLES: readonly (readonly [string, string[], readonly string[]])[] = [
  ['migrate.py', ['python3'], []],
  ['migrate.sh', ['bash', 'curl', 'jq', 'flock'], ['--input', example('accounts.jsonl')]],
  ['migrate.mjs', ['node'], ['--input', example('accounts.jsonl')]],
];

describe('examples/certify, as processes', () => {
  for (const [name, needed, flags] of EXAMPLES) {
    const missing = needed.filter((program) => spawnSync(program, ['--version']).error !== undefined);
    const title = `${name} passes${missing.length > 0 ? `: skipped, this machine has no ${missing.join(', ')}` : ''}`;
    test.skipIf(missing.length > 0).concurrent(title, async () => {
      const words = ['--time', '40', ...flags, '--', ...needed.slice(0, 1), example(name)];
      const { out } = await runCommand('certify', ...words);
      expect(out).toMatch(/^ok {4}Nothing lost: [\s\S]* executions, 0 with a finding.*: passed\n$/);
    });
  }
});
