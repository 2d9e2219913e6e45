/** The checks before the first record, as `run`, `retry`, `worker` and `doctor` make them. */
import type { DataImportClient } from '../../client.js';
import { CannotJoinError } from '../../migration/distributed/errors.js';
import type { Input } from '../../migration/input/source.js';
import type { Ledger } from '../../migration/ledger/ledger.js';
import {
  type Check,
  type CheckName,
  checkAddress,
  checkClock,
  checkDisk,
  checkSuppliers,
  checkTeam,
  checkToken,
  type FreeSpace,
  type InputSample,
  neededBytes,
  obstacleIn,
  probeService,
  sampleInput,
} from '../../migration/operations/preflight/preflight.js';
import type { AuditLog } from '../../migration/report/folder/audit-log.js';
import type { Profile } from '../../validation/profile.js';
import type { CommandContext } from '../shared/command-context.js';
import { EXIT, type ExitCode } from '../shared/exit-codes.js';

export interface PreflightOptions {
  /** undefined for a rehearsal: nothing of the network is checked. */
  client: DataImportClient | undefined;
  profile: Profile | undefined;
  /** undefined where none was given. */
  input: Input | undefined;
  /** undefined for a worker, which has none. */
  folder: string | undefined;
  /** Whether the ledger is in the folder, and not on a server. */
  hasLedger: boolean;
  /** The team to try with one account that is staged; undefined for not to. */
  stageOneFor?: string | undefined;
  /** What is said where the team is not tried. */
  withoutTeam?: string | undefined;
  freeSpace?: FreeSpace | undefined;
}

/** In their order. What cannot be checked because of another check says so. */
export async function preflight(options: PreflightOptions): Promise<Check[]> {
  const { client, profile, input, folder, hasLedger, freeSpace } = options;
  const sample = input === undefined ? undefined : await sampleInput(input, profile);
  const needed = await neededBytes(sample, hasLedger);
  const disk = folder === undefined ? [] : [await checkDisk(folder, needed, freeSpace)];
  if (client === undefined) return disk;
  const probe = await probeService(client, sample?.suppliers.keys().next().value);
  const before = [checkAddress(probe), checkToken(probe)];
  const ofInput = await checkInput(client, sample, before, options);
  return [...before, ...ofInput, ...disk, checkClock(probe)];
}

async function checkInput(
  client: DataImportClient,
  sample: InputSample | undefined,
  before: readonly Check[],
  { stageOneFor, withoutTeam }: PreflightOptions,
): Promise<Check[]> {
  const notChecked = (check: CheckName, detail: string): Check => ({ check, result: 'notChecked', detail, remedy: '' });
  const suppliers =
    sample === undefined
      ? withoutTeam === undefined
        ? []
        : [notChecked('supplier', 'no input was given')]
      : obstacleIn(before) !== undefined
        ? [notChecked('supplier', 'the service is not asked before the checks above succeed')]
        : await checkSuppliers(client, sample);
  if (stageOneFor === undefined || sample === undefined) {
    return withoutTeam === undefined ? suppliers : [...suppliers, notChecked('team', withoutTeam)];
  }
  const team =
    obstacleIn([...before, ...suppliers]) === undefined
      ? await checkTeam(client, sample, stageOneFor)
      : notChecked('team', 'no account is staged before the checks above succeed');
  return [...suppliers, team];
}

/** What a command ends with because of these checks. */
export function exitCodeOfChecks(checks: readonly Check[]): ExitCode {
  const obstacle = obstacleIn(checks);
  if (obstacle === undefined) return EXIT.ok;
  return ['token', 'supplier', 'team'].includes(obstacle.check) ? EXIT.notAccepted : EXIT.internal;
}

/** What did not succeed, a line each. */
function inWords({ check, detail, remedy }: Check): string {
  return `${check}: ${detail}.${remedy === '' ? '' : ` ${remedy}`}`;
}

/** The fact of a ledger that says of which service the checks succeeded; empty where the last session ended at one of them. */
const CHECKED = 'checkedTarget';

export interface RunPreflight extends PreflightOptions {
  target: string;
  ledger: Pick<Ledger, 'fact' | 'setFact'>;
  audit: AuditLog;
  now: () => Date;
}

/**
 * Whether the run may begin. Makes the checks in the first session, for another service, and where the last session ended
 * at one of them; says what did not succeed, and sets the exit code.
 */
export async function passesPreflight(
  { target, ledger, audit, now, ...options }: RunPreflight,
  { err, exit }: Pick<CommandContext, 'err' | 'exit'>,
): Promise<boolean> {
  if ((await ledger.fact(CHECKED)) === target) return true;
  const checks = await preflight(options);
  for (const check of checks) {
    if (check.result === 'warning' || check.result === 'failed') err(`data-import: ${inWords(check)}\n`);
  }
  const obstacle = obstacleIn(withoutOneSupplierOfSeveral(checks));
  if (obstacle === undefined) {
    // A supplier that is refused may be Ongoing the next time.
    await ledger.setFact(CHECKED, checks.some(({ result }) => result === 'failed') ? '' : target);
    return true;
  }
  err('Nothing was staged. The same command goes on; data-import doctor makes the same checks.\n');
  const what = `did not begin: ${obstacle.check}: ${obstacle.detail}`;
  // Where the disk is full, that has been said.
  await audit.append({ at: now().toISOString(), by: 'run', what }).catch(() => {});
  exit(exitCodeOfChecks(checks));
  return false;
}

/** A supplier that is refused does not keep those of the others back. */
function withoutOneSupplierOfSeveral(checks: readonly Check[]): readonly Check[] {
  const isGood = ({ check, result }: Check) => check === 'supplier' && (result === 'ok' || result === 'cannotTell');
  return checks.some(isGood)
    ? checks.filter(({ check, result }) => check !== 'supplier' || result !== 'failed')
    : checks;
}

/** The next session makes the checks again. */
export async function forgetPreflight(ledger: Pick<Ledger, 'setFact'>): Promise<void> {
  await ledger.setFact(CHECKED, '');
}

/** Of a worker, which has neither input nor folder. Rejects with a `CannotJoinError` where a check fails. */
export async function expectWorkerReady(client: DataImportClient, { err }: Pick<CommandContext, 'err'>): Promise<void> {
  const checks = await preflight({ client, profile: undefined, input: undefined, folder: undefined, hasLedger: false });
  for (const check of checks) if (check.result === 'warning') err(`data-import: ${inWords(check)}\n`);
  const obstacle = obstacleIn(checks);
  if (obstacle === undefined) return;
  throw new CannotJoinError(inWords(obstacle), obstacle.check === 'token' ? 'notAccepted' : 'unreachable');
}
