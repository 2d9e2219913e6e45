/**
 * A run folder belongs to one target: the sandbox of a rehearsal, or one service. Exports `expectTarget`, which compares the target with
 * that of the ledger, and `claimTarget`, which stores it. No function here sends a request.
 */
import type { Ledger } from '../ledger/ledger.js';
import type { AuditLog } from '../report/folder/audit-log.js';
import { ofAnyCopy } from '../shared/error-of-any-copy.js';

/** The target of every rehearsal. It has no address: the port of the sandbox differs between sessions. */
export const SANDBOX_TARGET = 'sandbox';

/** Name of the ledger fact. An empty text counts as no value. */
const TARGET = 'target';

/**
 * The run folder belongs to another target or is a copy of one that still exists, its ledger has the records of another input, or the mapping
 * gives rows other numbers. Nothing was sent.
 */
export class RunTargetError extends Error {
  /** Discriminates this class. */
  override readonly name = 'RunTargetError';
}
ofAnyCopy(RunTargetError, 'RunTargetError');

export interface TargetOptions {
  /** `sandbox`, or the address of the service. */
  target: string;
  /** The former address of the service, if it has moved. */
  retarget?: string | undefined;
  /** The run folder, for messages. */
  folder: string;
  /** Whether the ledger is in a database on a server, for messages. */
  isOnServer?: boolean;
}

/**
 * Returns `sandbox`, or origin and path of an address without default port and slash at the end. Throws a `RunTargetError` if it is
 * neither.
 */
export function targetOf(address: string): string {
  if (address === SANDBOX_TARGET) return SANDBOX_TARGET;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new RunTargetError(
      'target: expected the word sandbox or the address of a service, such as https://api.example.com.',
    );
  }
  return url.origin + url.pathname.replace(/(?<!\/)\/+$/, '');
}

/** Returns the target as reports and terminal show it: host and path. */
export function targetName(target: string): string {
  return target === SANDBOX_TARGET ? 'Rehearsal (sandbox)' : target.replace(/^\w+:\/\//, '');
}

/** Returns the first line that a command prints about a run. */
export function targetLine(target: string): string {
  return `Target: ${targetName(target)}`;
}

/** Resolves with the target of the ledger; undefined if it has none. */
export async function storedTarget(ledger: Pick<Ledger, 'fact'>): Promise<string | undefined> {
  return (await ledger.fact(TARGET)) || undefined;
}

/**
 * Resolves with the target that is stored, and that of the options. Rejects with a `RunTargetError` if the ledger belongs to another one and
 * `retarget` does not name that.
 */
export async function expectTarget(
  ledger: Pick<Ledger, 'fact'>,
  options: TargetOptions,
): Promise<{ stored: string | undefined; target: string }> {
  const stored = await storedTarget(ledger);
  const target = targetOf(options.target);
  const { retarget, folder } = options;
  const former = retarget === undefined ? undefined : formerTarget(retarget);
  // The command with --retarget may be repeated after it has stored the new address.
  if (stored === undefined || stored === target) return { stored, target };
  const isRehearsal = stored === SANDBOX_TARGET || target === SANDBOX_TARGET;
  const another = `another folder with --run <folder>${options.isOnServer ? ' and another schema with --database-schema <name>' : ''}`;
  const belongs = `target: the run in ${folder} belongs to ${inWords(stored)}, and this command is for ${inWords(target)}.`;
  if (isRehearsal) {
    throw new RunTargetError(
      `${belongs} Give ${another}, or ${stored === SANDBOX_TARGET ? '--sandbox for that rehearsal' : 'leave out --sandbox'}; --retarget <old url> is only for a service that has moved.`,
    );
  }
  if (former === undefined) {
    throw new RunTargetError(`${belongs} Give ${another}, or, if the service has moved, add --retarget ${stored}.`);
  }
  if (former !== stored) {
    throw new RunTargetError(
      `target: --retarget names ${former}, and the run in ${folder} belongs to ${stored}. ` +
        `Give --retarget ${stored}, or ${another}.`,
    );
  }
  return { stored, target };
}

/** As `expectTarget`; then stores the target. Notes a new address in the audit log first. */
export async function claimTarget(
  ledger: Pick<Ledger, 'fact' | 'setFact'>,
  audit: AuditLog,
  options: TargetOptions & { now: () => Date },
): Promise<void> {
  const { stored, target } = await expectTarget(ledger, options);
  if (stored === target) return;
  if (stored !== undefined) {
    const what = `retarget: from ${stored} to ${target}`;
    await audit.append({ at: options.now().toISOString(), by: 'operator', what });
  }
  await ledger.setFact(TARGET, target);
}

/** Lets the next session have another target, if no record of the ledger was sent to this one: its address was wrong. */
export async function releaseTarget(ledger: Pick<Ledger, 'list' | 'setFact'>): Promise<void> {
  for await (const { done, outcome } of ledger.list()) {
    if ((done !== null && done !== 'check') || (outcome !== null && outcome !== 'rejected')) return;
  }
  await ledger.setFact(TARGET, '');
}

function formerTarget(retarget: string): string {
  if (retarget !== SANDBOX_TARGET && URL.canParse(retarget)) return targetOf(retarget);
  throw new RunTargetError(
    'target: --retarget expects the former address of the service, such as https://api.example.com; a rehearsal has none.',
  );
}

function inWords(target: string): string {
  return target === SANDBOX_TARGET ? 'the sandbox (a rehearsal)' : target;
}
