/**
 * `data-import run`, killed by SIGKILL at random moments, some of them while it recovers; seen from the service's log.
 * `RUN_KILLS` says how many; 300 and 3,000 on demand.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sampleBook } from '../../src/migration/sample.js';
import { createSandbox } from '../../src/sandbox/index.js';
import { seed } from '../helpers/seed.js';
import { randomNumbers } from '../migration/simulation-book.js';

const KILLS = Number(process.env['RUN_KILLS'] ?? 30);
const ACCOUNTS = 2000;
const LONGEST_LIFE_MS = 3500;
const command = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kills-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const random = randomNumbers(seed);

/** Runs it until it ends or its time is up; gives its exit code, null where it was killed. */
async function live(args: readonly string[], env: NodeJS.ProcessEnv, ms: number | undefined): Promise<number | null> {
  const child = spawn(process.execPath, [command, ...args], { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] });
  child.stderr.resume();
  const exit = once(child, 'exit') as Promise<[number | null]>;
  const patience = new AbortController();
  const killing =
    ms === undefined
      ? undefined
      : after(ms, undefined, { signal: patience.signal }).then(
          () => child.kill('SIGKILL'),
          () => {},
        );
  const [code] = await exit;
  patience.abort();
  await killing;
  return code;
}

test(`killed ${KILLS} times: nothing is lost, nothing is done twice, and the balance holds`, async () => {
  let kills = 0;
  for (let round = 1; kills < KILLS; round++) {
    const sandbox = createSandbox({ logLimit: 1_000_000 });
    const server = await sandbox.listen();
    const lines = [...sampleBook({ accounts: ACCOUNTS, seed: seed + round })].map(({ line }) => line);
    writeFileSync(join(folder, 'book.jsonl'), `${lines.join('\n')}\n`);
    const args = [
      'run',
      'book.jsonl',
      '--run',
      `run-${round}`,
      '--team',
      'SANDBOX_TEAM',
      '--process-concurrency',
      '16',
    ];
    const env = { ...process.env, DATA_IMPORT_TOKEN: sandbox.token, DATA_IMPORT_BASE_URL: server.url };
    let code: number | null = null;
    while (code === null) {
      // Half of them hardly come to recover.
      const life = kills < KILLS ? random() ** 2 * LONGEST_LIFE_MS : undefined;
      code = await live(args, env, life);
      if (code === null) kills++;
    }
    await server.close();

    const report = JSON.parse(readFileSync(join(folder, `run-${round}`, 'report.json'), 'utf8'));
    const { summary, run } = report;
    // 4 where a death left something of which nobody can tell, else 3: the book has mistakes.
    expect({ seed, round, code, state: run.state }).toEqual({
      seed,
      round,
      code: summary.unknown > 0 ? 4 : 3,
      state: 'finished',
    });
    expect(summary.balance.isBalanced).toBe(true);
    expect(summary.input).toBe(lines.length);
    expect(summary.open).toBe(0);
    expect(doneTwice(sandbox)).toEqual([]);
    const created = sandbox.state.suppliers[0]?.accounts.filter(({ imported }) => imported !== null).length;
    const businesses = sandbox.state.suppliers[0]?.businesses.length ?? 0;
    // Of what is unknown the platform may have an account that we count as ours all the same.
    expect(summary.created + summary.unknown).toBeGreaterThanOrEqual(Number(created) + businesses);
    expect(summary.created).toBeLessThanOrEqual(Number(created) + businesses);
  }
});

function doneTwice(sandbox: ReturnType<typeof createSandbox>): string[] {
  const problems: string[] = [];
  const creations = new Map<string, number>();
  for (const { change, account } of sandbox.requests()) {
    if (change === 'staged → imported') creations.set(String(account), (creations.get(String(account)) ?? 0) + 1);
  }
  for (const [account, count] of creations) if (count > 1) problems.push(`${account} created ${count} times`);
  for (const { external_account_number: number, imported } of sandbox.state.suppliers[0]?.accounts ?? []) {
    const lists = [
      imported?.statements.map(({ statement_id }) => statement_id) ?? [],
      imported?.transactions.map(({ sent }) => sent.transaction_id) ?? [],
      imported?.payment_instructions.map(({ reference }) => reference) ?? [],
    ];
    for (const ids of lists) if (new Set(ids).size !== ids.length) problems.push(`${number} has ${ids.join(', ')}`);
  }
  return problems;
}
