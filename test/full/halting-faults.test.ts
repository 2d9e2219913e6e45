/**
 * Failures that stop a run before its end, as `data-import-sdk run` reports them: the supplier is Paused, the disk is full, the ledger
 * may not be written. One clear error, an exit code; once that is corrected, the same command finishes.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampleRecords } from '../../src/migration/operations/sample/sample.js';
import { seed } from '../helpers/seed.js';
import { type Bounds, openRun } from './killed-runs.js';
import { outcomeOf, problemsOfRun, type RunOutcome } from './run-outcome.js';

const ACCOUNTS = 500;
/** User id without rights, for systems where tests run as root, to whom permissions do not apply. */
const UNPRIVILEGED = 65_534;

const COMMAND = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

type Run = Awaited<ReturnType<typeof openRun>>;

let folder = '';
let lines: string[] = [];
let calm: RunOutcome;
const runs: Run[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'halting-'));
  lines = [...sampleRecords({ accounts: ACCOUNTS, seed })].map(({ line }) => line);
  writeFileSync(join(folder, 'input.jsonl'), `${lines.join('\n')}\n`);
  const run = await open('calm');
  expect((await run.runSession()).code).toBe(3);
  calm = outcomeOf(join(folder, 'calm'));
});
afterAll(async () => {
  for (const run of runs) await run.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(name: string, onRequest?: (requests: number) => void): Promise<Run> {
  const run = await openRun('input.jsonl', folder, name, onRequest);
  runs.push(run);
  return run;
}

/** By the same command, now that nothing is in its way; and as if nothing had been. */
async function expectToFinish(run: Run, name: string, bounds?: Bounds): Promise<void> {
  const { code, complaint } = await run.runSession(undefined, bounds);
  const outcome = outcomeOf(join(folder, name));
  const problems = problemsOfRun(outcome, calm, run.sandbox, lines);
  const expected = { seed, code: outcome.summary.unknown > 0 ? 4 : 3, complaint: undefined, problems: [] };
  expect({ seed, code, complaint, problems }).toEqual(expected);
}

test('E5 the supplier is Paused half way: exit code 8, nothing is rejected for it, and it finishes once it is Ongoing', async () => {
  const run = await open('paused', (requests) => {
    if (requests === 1000) run.sandbox.setSupplierStatus('SANDBOX_SUPPLIER', 'Paused');
  });
  expect(await run.runSession()).toMatchObject({ code: 8 });
  const halted = outcomeOf(join(folder, 'paused'));
  expect(halted).toMatchObject({ state: 'halted', summary: { balance: { isBalanced: true } } });
  for (const number of halted.rejected) expect(calm.rejected).toContain(number);
  expect(halted.summary.created).toBeGreaterThan(100);
  expect(halted.summary.created).toBeLessThan(400);
  run.sandbox.setSupplierStatus('SANDBOX_SUPPLIER', 'Ongoing');
  await expectToFinish(run, 'paused');
});

test.skipIf(process.platform === 'win32')(
  'the disk is full: one error that says what and where, and it finishes once there is room',
  async () => {
    const run = await open('full');
    // Files may grow to 200 KiB; without the trap the system would end the process.
    const { code, complaint } = await run.runSession(undefined, { shell: "trap '' XFSZ; ulimit -f 200" });
    expect(complaint).toMatch(
      /^data-import-sdk: ledger: cannot write to full\/ledger\.sqlite \(.*\)\. .*, and repeat the command\.\n$/,
    );
    expect(code).toBe(1);
    await expectToFinish(run, 'full');
  },
);

describe.skipIf(process.platform === 'win32' || !hasRights())('without the right to write', () => {
  const bounds = process.getuid?.() === 0 ? { uid: UNPRIVILEGED } : {};

  test('the ledger is read-only: one error before anything is sent, exit code 2, and it finishes once it may be written', async () => {
    const run = await open('read-only');
    const runFolder = join(folder, 'read-only');
    mkdirSync(runFolder);
    if (bounds.uid !== undefined) {
      chownSync(folder, bounds.uid, bounds.uid);
      chownSync(runFolder, bounds.uid, bounds.uid);
    }
    expect(await run.runSession({ requests: 500, laterMs: 0 }, bounds)).toMatchObject({ code: null });
    chmodSync(join(runFolder, 'ledger.sqlite'), 0o400);
    expect(await run.runSession(undefined, bounds)).toMatchObject({
      code: 2,
      requests: 0,
      complaint:
        'data-import-sdk: ledger: cannot open read-only/ledger.sqlite (EACCES). Give this user the right to read and write it.\n',
    });
    chmodSync(join(runFolder, 'ledger.sqlite'), 0o600);
    await expectToFinish(run, 'read-only', bounds);
  });

  test('a run folder on a read-only disk is read; one with writes next to the ledger is refused, because they would be left out', () => {
    const archive = join(folder, 'archive');
    cpSync(join(folder, 'calm'), archive, { recursive: true });
    if (bounds.uid !== undefined) {
      for (const name of ['.', ...readdirSync(archive)]) chownSync(join(archive, name), bounds.uid, bounds.uid);
    }
    const status = () => {
      chmodSync(archive, 0o500);
      const {
        status: code,
        stdout,
        stderr,
      } = spawnSync(process.execPath, [COMMAND, 'status', '--run', archive], {
        ...bounds,
        encoding: 'utf8',
      });
      chmodSync(archive, 0o700);
      return { code, stdout, stderr };
    };
    const { created } = calm.summary;
    expect(status()).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining(` ${created} created `) });
    writeFileSync(join(archive, 'ledger.sqlite-wal'), 'writes');
    if (bounds.uid !== undefined) chownSync(join(archive, 'ledger.sqlite-wal'), bounds.uid, bounds.uid);
    expect(status()).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /cannot open .*ledger\.sqlite .* The disk may be read-only: copy the folder to another one\.\n$/,
      ),
    });
  });
});

/** Where a test runs as root, a user without rights must be able to read the program. */
function hasRights(): boolean {
  if (process.getuid?.() !== 0) return true;
  const script = 'require("node:fs").accessSync(process.argv[1])';
  try {
    execFileSync(process.execPath, ['-e', script, COMMAND], { uid: UNPRIVILEGED, gid: UNPRIVILEGED, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
