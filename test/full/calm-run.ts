/** A sample input, and its outcome in a run without faults: tests compare every run with faults with it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { sampleRecords } from '../../src/migration/operations/sample/sample.js';
import { seed } from '../helpers/seed.js';
import { openRun } from './killed-runs.js';
import { outcomeOf, type RunOutcome } from './run-outcome.js';

export interface CalmRun {
  /** Holds `input.jsonl`, and has room for run folders. */
  folder: string;
  /** Of the input. */
  lines: readonly string[];
  outcome: RunOutcome;
  /** That it made of the service. */
  requests: number;
  /** Removes the folder. */
  remove(): void;
}

/** A run in one process on a ledger in a file. The input has mistakes. */
export async function runInCalm(accounts: number): Promise<CalmRun> {
  const folder = mkdtempSync(join(tmpdir(), 'calm-'));
  const lines = [...sampleRecords({ accounts, seed })].map(({ line }) => line);
  writeFileSync(join(folder, 'input.jsonl'), `${lines.join('\n')}\n`);
  // So that no answer is lost on a busy machine.
  const run = await openRun('input.jsonl', folder, 'calm', undefined, 60);
  const session = await run.runSession();
  expect(session).toMatchObject({ code: 3, complaint: undefined });
  await run.close();
  return {
    folder,
    lines,
    outcome: outcomeOf(join(folder, 'calm')),
    requests: session.requests,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
