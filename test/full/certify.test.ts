/** Each of the mistakes that scripts are known to make is found, and nothing in scripts that do everything right. */

import { spawnSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { certify, type ExecutionResult, type RuleName, type Script } from '../../src/sandbox/index.js';
import { type Mistake, recordByRecord, scriptWith } from '../certify/scripts.js';
import { run as runCommand } from '../cli/typed.js';

const example = (name: string) => fileURLToPath(new URL(`../../examples/certify/${name}`, import.meta.url));
const builtCommand = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const PASSED = /^ok {5}Nothing lost: [\s\S]* executions, 0 with a finding.*: passed\n$/;

// Scripts wait most of their time, and longer on a busy machine.
vi.setConfig({ maxConcurrency: 6, testTimeout: 900_000 });

/** Returns the first finding, and does not try the rest. */
async function firstFinding(run: Script, kind: string): Promise<ExecutionResult | undefined> {
  const found = new AbortController();
  const onExecution = ({ broken }: ExecutionResult) => broken.length > 0 && found.abort();
  const { findings } = await certify({ run, only: [kind], signal: found.signal, onExecution });
  return findings[0];
}

describe('a script with a mistake', () => {
  test.concurrent.each<[Mistake, kind: string, RuleName]>([
    // Takes longest.
    ['reuses a dead token', 'token-ended', 'nothing-lost'],
    ['no intent', 'answer-lost', 'nothing-twice'],
    ['blind retry of process', 'still-running', 'nothing-twice'],
    ['retry of a business', 'still-running', 'nothing-twice'],
    ['ignores 429', 'limit-reached', 'limits-kept'],
    ['swallows a 400', 'refused', 'refusals-reported'],
    ['resumes by line number', 'killed-before', 'nothing-silent'],
    ['counts 500 as done', 'status-500', 'nothing-silent'],
    ['loses the last batch', 'undisturbed', 'nothing-silent'],
    ['prints the token', 'undisturbed', 'no-secrets'],
    // Variants of these.
    ['asks for the status too early', 'killed-during', 'nothing-twice'],
    ['takes PENDING without a number for no account', 'running-pending', 'nothing-twice'],
    ['gives a customer another number', 'killed-before', 'nothing-twice'],
    ['stops at the first failure for good', 'status-500', 'nothing-lost'],
    ['takes a lost answer for success', 'request-lost', 'nothing-silent'],
    ['prints the customers', 'undisturbed', 'no-secrets'],
    ['repeats without a pause', 'outage', 'limits-kept'],
    ['takes every 400 for already imported', 'refused', 'refusals-reported'],
    ['stages only the keys again', 'request-lost', 'nothing-lost'],
    ['dates a note when it is sent', 'answer-lost', 'nothing-twice'],
  ])('%s is found by %s: %s', async (mistake, kind, rule) => {
    const finding = await firstFinding(scriptWith(mistake), kind === 'undisturbed' ? 'limit-reached' : kind);
    expect(finding?.id.split(':')[0]).toBe(kind);
    expect(
      finding?.broken.map((one) => one.rule),
      JSON.stringify(finding),
    ).toContain(rule);
  });
});

test.concurrent('a mistake is found although the script is so slow that it comes back after the request has ended', async () => {
  const script = scriptWith('takes PENDING without a number for no account');
  let first: string | undefined;
  const run: Script = async (context) => {
    first ??= context.folder;
    const end = await script(context);
    // The machine became slower after the first import.
    if (context.folder !== first) await pause(1600);
    return end ?? undefined;
  };
  const { findings } = await certify({ run, only: ['running-pending'] });
  expect(findings.map(({ broken }) => broken[0]?.rule)).toEqual(['nothing-twice']);
});

describe('a script that does everything right passes', () => {
  test.concurrent.each([
    ['with fetch and a journal', scriptWith()],
    ['with migrateRecord', recordByRecord()],
  ])('%s', async (_, run) => {
    // By their number, not their time: how many end in a time depends on the machine.
    const executed = new AbortController();
    let happened = 0;
    const onExecution = ({ hasHappened }: ExecutionResult) => {
      if (hasHappened && ++happened === 25) executed.abort();
    };
    expect((await certify({ run, signal: executed.signal, onExecution })).findings).toEqual([]);
    expect(happened).toBeGreaterThanOrEqual(25);
  });

  test.concurrent('our own run, as a process', async () => {
    const { out } = await runCommand(
      'certify',
      '--time',
      '40',
      '--',
      'sh',
      '-c',
      `exec node ${builtCommand} run "$DATA_IMPORT_INPUT"`,
    );
    expect(out).toMatch(PASSED);
  });
});

/** Each with the programs that it needs. The one with a generated client: test/package/openapi-client.test.ts. */
const EXAMPLES: readonly (readonly [string, string[], readonly string[]])[] = [
  ['migrate.py', ['python3'], []],
  ['migrate.sh', ['bash', 'curl', 'jq', 'flock'], ['--input', example('accounts.jsonl')]],
];

describe('examples/certify, as processes', () => {
  for (const [name, needed, flags] of EXAMPLES) {
    const missing = needed.filter((program) => spawnSync(program, ['--version']).error !== undefined);
    const title = `${name} passes${missing.length > 0 ? `: skipped, this machine has no ${missing.join(', ')}` : ''}`;
    test.skipIf(missing.length > 0).concurrent(title, async () => {
      const words = ['--time', '40', ...flags, '--', ...needed.slice(0, 1), example(name)];
      expect((await runCommand('certify', ...words)).out).toMatch(PASSED);
    });
  }
});
