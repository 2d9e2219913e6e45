/** The preflight checks before the first record, for `run`, `retry`, `worker` and `doctor`. */
import type { DataImportClient } from '../../client.js';
import { CannotJoinError } from '../../migration/distributed/cannot-join.js';
import type { Input } from '../../migration/input/source.js';
import type { Ledger } from '../../migration/ledger/ledger.js';
import { type Check, type CheckName, obstacleIn } from '../../migration/operations/preflight/check.js';
import { checkDisk, type FreeSpace, neededBytes } from '../../migration/operations/preflight/disk-space.js';
import { type InputSample, sampleInput } from '../../migration/operations/preflight/input-sample.js';
import {
  checkAddress,
  checkClock,
  checkToken,
  probeService,
  tokenNotShown,
} from '../../migration/operations/preflight/service-probe.js';
import { checkSuppliers, checkTeam } from '../../migration/operations/preflight/suppliers-and-team.js';
import type { AuditLog } from '../../migration/report/folder/audit-log.js';
import type { Profile } from '../../validation/profile.js';
import type { CommandContext } from '../shared/command-context.js';
import { EXIT, type ExitCode } from '../shared/exit-codes.js';
import { withProxy } from './proxy-failure.js';

export interface PreflightOptions {
  /** undefined for a rehearsal: only the disk is checked. */
  client: DataImportClient | undefined;
  profile: Profile | undefined;
  /** undefined if none was given. */
  input: Input | undefined;
  /** undefined for a worker. */
  folder: string | undefined;
  /** Whether the ledger is in the folder and needs disk space. */
  hasLedger: boolean;
  /** The team to check with one account that is staged; undefined: stage none. */
  stageOneFor?: string | undefined;
  /** The text if the team is not checked. */
  withoutTeam?: string | undefined;
  freeSpace?: FreeSpace | undefined;
  /** Ends the calls of the checks. */
  signal?: AbortSignal | undefined;
}

/** Makes the checks and returns their results in order. A check that depends on a failed one is `notChecked`. */
export async function preflight(options: PreflightOptions): Promise<Check[]> {
  const { client, profile, input, folder, hasLedger, freeSpace, signal, withoutTeam } = options;
  const sample = input === undefined ? undefined : await sampleInput(input, profile);
  const needed = await neededBytes(sample, hasLedger);
  const disk = folder === undefined ? [] : [await checkDisk(folder, needed, freeSpace)];
  if (client === undefined) return disk;
  const probe = await probeService(client, sample?.suppliers.keys().next().value, { signal });
  const address = withProxy(checkAddress(probe), { baseUrl: client.baseUrl, error: probe.error });
  const before = [address, checkToken(probe)];
  const ofInput = await checkInput(client, sample, before, options);
  const checks = [...before, ...ofInput, ...disk, checkClock(probe)];
  // Found by a call with an account: a status query is answered with 404 in any case. A run sees it at its first account.
  const noPath = ofInput.find(({ check }) => check === 'address');
  if (noPath === undefined) return checks;
  const others = checks.flatMap((check): Check[] => {
    if (check.check === 'address') return [];
    // Another server answers any token with 404.
    const isUnproved = check.check === 'token' && check.result === 'ok';
    return [isUnproved ? tokenNotShown(probe.status) : check];
  });
  return [withoutTeam === undefined ? address : noPath, ...others];
}

async function checkInput(
  client: DataImportClient,
  sample: InputSample | undefined,
  before: readonly Check[],
  { stageOneFor, withoutTeam, signal }: PreflightOptions,
): Promise<Check[]> {
  const notChecked = (check: CheckName, detail: string): Check => ({ check, result: 'notChecked', detail, remedy: '' });
  const suppliers =
    sample === undefined
      ? withoutTeam === undefined
        ? []
        : [notChecked('supplier', 'no input was given')]
      : obstacleIn(before) !== undefined
        ? [notChecked('supplier', 'not asked until the checks above succeed')]
        : await checkSuppliers(client, sample, signal);
  if (stageOneFor === undefined || sample === undefined) {
    return withoutTeam === undefined ? suppliers : [...suppliers, notChecked('team', withoutTeam)];
  }
  const team =
    obstacleIn([...before, ...suppliers]) === undefined
      ? await checkTeam(client, sample, stageOneFor)
      : notChecked('team', 'no account is staged until the checks above succeed');
  return [...suppliers, team];
}

/** The exit code for these results. */
export function exitCodeOfChecks(checks: readonly Check[]): ExitCode {
  const obstacle = obstacleIn(checks);
  if (obstacle === undefined) return EXIT.ok;
  return ['token', 'supplier', 'team'].includes(obstacle.check) ? EXIT.notAccepted : EXIT.internal;
}

function inWords({ check, detail, remedy }: Check): string {
  return `${check}: ${detail}.${remedy === '' ? '' : ` ${remedy}`}`;
}

/** The ledger's fact with the target whose checks succeeded; empty if the last session ended at a check. */
const CHECKED = 'checkedTarget';

export interface RunPreflight extends PreflightOptions {
  target: string;
  ledger: Pick<Ledger, 'fact' | 'setFact'>;
  audit: AuditLog;
  now: () => Date;
}

/**
 * Returns whether the run may begin. Makes the checks in the first session, for another target, and if the last session ended
 * at a check. Prints what failed, and sets the exit code.
 */
export async function passesPreflight(
  { target, ledger, audit, now, ...options }: RunPreflight,
  { err, exit }: Pick<CommandContext, 'err' | 'exit'>,
): Promise<boolean> {
  if ((await ledger.fact(CHECKED)) === target) return true;
  const checks = await preflight(options);
  // Calls that were aborted show nothing.
  options.signal?.throwIfAborted();
  for (const check of checks) {
    if (check.result === 'warning' || check.result === 'failed') err(`data-import-sdk: ${inWords(check)}\n`);
  }
  const obstacle = obstacleIn(withoutOneSupplierOfSeveral(checks));
  if (obstacle === undefined) {
    // A supplier that is rejected now may be Ongoing in the next session.
    await ledger.setFact(CHECKED, checks.some(({ result }) => result === 'failed') ? '' : target);
    return true;
  }
  err('This command staged nothing. Repeat it when this is solved; data-import-sdk doctor makes the same checks.\n');
  const what = `did not begin: ${obstacle.check}: ${obstacle.detail}`;
  // A full disk has been reported by its check.
  await audit.append({ at: now().toISOString(), by: 'run', what }).catch(() => {});
  exit(exitCodeOfChecks(checks));
  return false;
}

/** If one supplier of several succeeds, the records of the others are rejected one by one and the run begins. */
function withoutOneSupplierOfSeveral(checks: readonly Check[]): readonly Check[] {
  const isGood = ({ check, result }: Check) => check === 'supplier' && (result === 'ok' || result === 'cannotTell');
  return checks.some(isGood)
    ? checks.filter(({ check, result }) => check !== 'supplier' || result !== 'failed')
    : checks;
}

/** Lets the next session make the checks again. */
export async function forgetPreflight(ledger: Pick<Ledger, 'setFact'>): Promise<void> {
  await ledger.setFact(CHECKED, '');
}

/** The checks of a worker, which has neither input nor folder. Rejects with a `CannotJoinError` if one fails. */
export async function expectWorkerReady(client: DataImportClient, { err }: Pick<CommandContext, 'err'>): Promise<void> {
  const checks = await preflight({ client, profile: undefined, input: undefined, folder: undefined, hasLedger: false });
  for (const check of checks) if (check.result === 'warning') err(`data-import-sdk: ${inWords(check)}\n`);
  const obstacle = obstacleIn(checks);
  if (obstacle === undefined) return;
  throw new CannotJoinError(inWords(obstacle), obstacle.check === 'token' ? 'notAccepted' : 'unreachable');
}
