/**
 * A run folder belongs to one target: the sandbox of a rehearsal, or one service. Exports `expectTarget`, which compares the target,
 * `claimTarget`, which stores it, and the same for the import suppliers of the input. No function here sends a request.
 */

import type { Input } from '../input/source.js';
import type { Ledger } from '../ledger/ledger.js';
import { jsonFact } from '../ledger/stored-fact.js';
import { keyOf } from '../record/record-key.js';
import type { AuditLog } from '../report/folder/audit-log.js';

/** The target of every rehearsal. It has no address: the port of the sandbox differs between sessions. */
export const SANDBOX_TARGET = 'sandbox';

/** Names of the ledger facts. An empty text counts as no value. */
const TARGET = 'target';
const SUPPLIERS = 'suppliers';

/** Maximum number of stored suppliers. An input with more probably has a wrong mapping, so its suppliers are not compared. */
const MOST_SUPPLIERS = 1000;
const MOST_NAMED = 5;

/**
 * The run folder belongs to another target, its ledger has the records of another input, or the mapping gives rows other numbers.
 * Nothing was sent.
 */
export class RunTargetError extends Error {
  /** Discriminates this class. */
  override readonly name = 'RunTargetError';
}

export interface TargetOptions {
  /** `sandbox`, or the address of the service. */
  target: string;
  /** The former address of the service, if it has moved. */
  retarget?: string | undefined;
  /** The run folder, for messages. */
  folder: string;
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

/** Resolves with the target of the ledger; undefined if an earlier version did not store one. */
export async function storedTarget(ledger: Pick<Ledger, 'fact'>): Promise<string | undefined> {
  return (await ledger.fact(TARGET)) || undefined;
}

/** Rejects with a `RunTargetError` if the ledger belongs to another target and `retarget` does not name that one. */
export async function expectTarget(ledger: Pick<Ledger, 'fact'>, options: TargetOptions): Promise<void> {
  const stored = await storedTarget(ledger);
  const target = targetOf(options.target);
  const { retarget, folder } = options;
  const former = retarget === undefined ? undefined : formerTarget(retarget);
  // The command with --retarget may be repeated after it has stored the new address.
  if (stored === undefined || stored === target) return;
  const isRehearsal = stored === SANDBOX_TARGET || target === SANDBOX_TARGET;
  const belongs = `target: the run in ${folder} belongs to ${inWords(stored)}, and this command is for ${inWords(target)}.`;
  if (isRehearsal) {
    throw new RunTargetError(
      `${belongs} Give another folder with --run <folder>, or ${stored === SANDBOX_TARGET ? '--sandbox for that rehearsal' : 'leave out --sandbox'}; --retarget <old url> is only for a service that has moved.`,
    );
  }
  if (former === undefined) {
    throw new RunTargetError(
      `${belongs} Give another folder with --run <folder>, or, if the service has moved, add --retarget ${stored}.`,
    );
  }
  if (former !== stored) {
    throw new RunTargetError(
      `target: --retarget names ${former}, and the run in ${folder} belongs to ${stored}. ` +
        `Give --retarget ${stored}, or another folder with --run <folder>.`,
    );
  }
}

/** As `expectTarget`; then stores the target. Notes a new address in the audit log first. */
export async function claimTarget(
  ledger: Pick<Ledger, 'fact' | 'setFact'>,
  audit: AuditLog,
  options: TargetOptions & { now: () => Date },
): Promise<void> {
  await expectTarget(ledger, options);
  const stored = await storedTarget(ledger);
  const target = targetOf(options.target);
  if (stored === target) return;
  if (stored !== undefined) {
    const what = `retarget: from ${stored} to ${target}`;
    await audit.append({ at: options.now().toISOString(), by: 'operator', what });
  }
  await ledger.setFact(TARGET, target);
}

/** The import suppliers of all inputs of the run. */
export interface KnownSuppliers {
  /** Returns undefined for a known supplier, otherwise a promise that resolves when it is stored. Rejects if the ledger fails. */
  add(supplier: string): Promise<void> | undefined;
}

export async function knownSuppliers(ledger: Ledger): Promise<KnownSuppliers> {
  const known = await suppliersIn(ledger);
  let writing: Promise<void> = Promise.resolve();
  return {
    add(supplier) {
      if (known.has(supplier) || known.size >= MOST_SUPPLIERS) return undefined;
      known.add(supplier);
      writing = writing.then(() => ledger.setFact(SUPPLIERS, JSON.stringify([...known].sort())));
      return writing;
    },
  };
}

/**
 * Rejects with a `RunTargetError` if the ledger has records and the input has none of their suppliers: it is the input of another
 * run. Reads the input up to the first record of a known supplier, usually the first record.
 */
export async function expectSharedSupplier(ledger: Ledger, input: Input, folder: string): Promise<void> {
  // The run could not read it again.
  if (input.isReadOnce === true) return;
  const known = await suppliersIn(ledger);
  if (known.size === 0 || known.size >= MOST_SUPPLIERS) return;
  const found = new Set<string>();
  for await (const item of input) {
    const read = item.read();
    const supplier = 'record' in read ? keyOf(read.record)?.supplier : undefined;
    // Supply points have no import supplier.
    if (supplier === undefined || supplier === '') continue;
    if (known.has(supplier)) return;
    if (found.size <= MOST_NAMED) found.add(supplier);
  }
  if (found.size === 0) return;
  throw new RunTargetError(
    `target: the run in ${folder} has records of import supplier ${listed(known)}, and this input has only ${listed(found)}. ` +
      'Give another folder with --run <folder>, or the input of that run; it may have further suppliers.',
  );
}

/** Returns the suppliers of the records, for a ledger of an older version without the fact. */
async function suppliersIn(ledger: Ledger): Promise<Set<string>> {
  const isListOfTexts = (value: unknown): value is string[] =>
    Array.isArray(value) && value.every((entry) => typeof entry === 'string');
  const stored = await jsonFact(ledger, SUPPLIERS, isListOfTexts);
  if (stored !== undefined) return new Set(stored);
  const known = new Set<string>();
  for await (const { supplier } of ledger.list()) if (supplier !== '') known.add(supplier);
  return known;
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

function listed(suppliers: ReadonlySet<string>): string {
  const named = [...suppliers].slice(0, MOST_NAMED).join(', ');
  return suppliers.size > MOST_NAMED ? `${named}, …` : named;
}
