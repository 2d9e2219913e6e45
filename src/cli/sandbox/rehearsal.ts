/**
 * The sandbox of a rehearsal (`--sandbox`): its settings (`--sandbox-settings`), the suppliers and the team that it knows, and
 * its state in the run folder, with which the next command continues.
 */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../../schemas/objects.js';
import type { Input, InputLine } from '../../migration/input/source.js';
import { keyOf } from '../../migration/record/record-key.js';
import { createSandbox, SANDBOX_SETTINGS, type Sandbox, type SandboxOptions } from '../../sandbox/index.js';
import { takeSnapshot } from '../../sandbox/state/snapshot.js';
import { readStateFile, StateFileError } from '../../sandbox/state/state-file.js';
import { refuseUnknownOptions } from '../../validation/known-names.js';
import type { Profile } from '../../validation/profile.js';
import { attempt, clockTime, readJsonFile } from '../options/values.js';
import { UsageError } from '../shared/errors.js';

const FLAG = '--sandbox-settings';
const FILE = 'sandbox.jsonl';

/** A sandbox inside this command. Its options apply whatever state it continues with. */
export interface Rehearsal {
  sandbox: Sandbox;
  options: SandboxOptions;
  startedAt: Date;
}

/**
 * Opens a sandbox with the settings of a file. Its clock is the machine's and its profile that of the client, unless the settings have
 * another. Rejects with a `UsageError` for an invalid file.
 */
export async function openRehearsal(
  { sandboxSettings: path }: { sandboxSettings?: string },
  profile: Profile | undefined,
): Promise<Rehearsal> {
  const { settings, ...given } = path === undefined ? {} : await readSettings(path);
  const options: SandboxOptions = {
    clock: 'machine',
    ...given,
    settings: { ...(profile && { profile }), ...settings },
  };
  const sandbox = attempt(() => createSandbox(options), wrongSettings(path));
  return { sandbox, options, startedAt: new Date() };
}

/** Options of `createSandbox` that a settings file may have, in addition to the settings of the sandbox. */
const OPTIONS = ['suppliers', 'teams', 'documents', 'clock', 'seed', 'preset', 'faults'] as const;

async function readSettings(path: string): Promise<SandboxOptions> {
  const found = await readJsonFile(path, FLAG, 'settings of the sandbox as a JSON object');
  if (!isObject(found)) {
    throw new UsageError(`${FLAG}: ${path} contains no JSON object; expected settings of the sandbox.`);
  }
  const { $schema: _, ...given } = found;
  const names = [...OPTIONS, ...SANDBOX_SETTINGS.map(({ name }) => name)];
  attempt(() => refuseUnknownOptions('createSandbox', given, names, { kind: 'setting' }), wrongSettings(path));
  const { clock, profile, ...others } = given;
  const entries = Object.entries(others);
  const isOption = ([name]: [string, unknown]) => OPTIONS.some((option) => option === name);
  return {
    ...Object.fromEntries(entries.filter(isOption)),
    ...(clock !== undefined && { clock: clockOf(clock, path) }),
    settings: {
      ...Object.fromEntries(entries.filter((entry) => !isOption(entry))),
      ...(profile !== undefined && { profile: await profileOf(profile, path) }),
    },
  } as SandboxOptions;
}

function clockOf(value: unknown, path: string): Date | 'machine' {
  const time = clockTime(value);
  if (time !== undefined) return time;
  throw new UsageError(`${FLAG}: ${path}: clock must be "machine" or a datetime such as "2026-01-15T09:00:00Z".`);
}

/** The profile itself, or the path of its file, relative to the settings file. */
async function profileOf(value: unknown, path: string): Promise<unknown> {
  if (typeof value !== 'string') return value;
  return readJsonFile(resolve(dirname(path), value), `${FLAG}: profile`, 'a profile as JSON');
}

function wrongSettings(path: string | undefined): (error: unknown) => never {
  return (error) => {
    const message = (error as Error).message.replace(/^createSandbox: /, '');
    throw new UsageError(`${FLAG}: ${path}: ${message}`, { cause: error });
  };
}

/** Returns the input; each import supplier is added to the sandbox when the first record of it is read. */
export function withSuppliers<Given extends Input>(input: Given, { state, addSupplier }: Sandbox): Given {
  const known = new Set(state.suppliers.map(({ code }) => code));
  // Replaces `read` in place: most items have getters, and a copy would evaluate all of them.
  const meet = (item: InputLine): InputLine => {
    const read = item.read.bind(item);
    item.read = () => {
      const found = read();
      const supplier = ('record' in found && keyOf(found.record)?.supplier) || undefined;
      if (supplier === undefined || known.has(supplier)) return found;
      known.add(supplier);
      addSupplier({ code: supplier });
      return found;
    };
    return item;
  };
  return {
    ...input,
    async *[Symbol.asyncIterator]() {
      for await (const item of input) yield meet(item);
    },
  };
}

/** The given team, else the first team of the sandbox; undefined if the settings list none. */
export function teamOf({ sandbox, options }: Rehearsal, given: string | undefined): string | undefined {
  const { teams } = sandbox.state;
  // If the settings list teams, these are all: a rehearsal can then show what an unknown team does.
  if (given !== undefined && options.teams === undefined && !teams.includes(given)) sandbox.addTeam(given);
  return given ?? teams[0];
}

/** Loads the state for a command that only reads it, also while a run writes the file. Throws a `UsageError` without a state. */
export function loadState(rehearsal: Rehearsal, folder: string): void {
  const state = attempt(() => readStateFile(join(folder, FILE)), asUsage);
  if (state === undefined) throw stateIsGone(folder);
  rehearsal.sandbox.restore(takeSnapshot(state));
  applyOptions(rehearsal);
}

/**
 * Loads the state, and keeps changes in the file until the returned object is closed. Requires the lock of the run folder.
 *
 * `hasRecords`: the ledger has some. Rejects with a `UsageError` if the state of a rehearsal that has begun is missing, damaged
 * or cannot be written.
 */
export async function openState(
  rehearsal: Rehearsal,
  { folder, hasRecords }: { folder: string; hasRecords: boolean },
): Promise<{ close(): void }> {
  if (hasRecords && !existsSync(join(folder, FILE))) throw stateIsGone(folder);
  const kept = await rehearsal.sandbox.keepIn(join(folder, FILE)).catch(asUsage);
  try {
    applyOptions(rehearsal);
  } catch (error) {
    kept.close();
    throw error;
  }
  return kept;
}

/**
 * Applies the settings to a state from a session with other settings: faults, which keep their counters if they are the same,
 * statuses of suppliers, and teams.
 */
function applyOptions({ sandbox, options: { faults = [], suppliers = [], teams } }: Rehearsal): void {
  const { state } = sandbox;
  const isSame =
    faults.length === state.faults.length &&
    faults.every((rule, index) => {
      const found = state.faults[index];
      if (found === undefined) return false;
      const { met: _, fired: __, tries: ___, ...kept } = found;
      return isDeepStrictEqual({ id: kept.id, ...rule }, kept);
    });
  if (!isSame) {
    sandbox.faults.clear();
    for (const rule of faults) sandbox.faults.add(rule);
  }
  for (const supplier of suppliers) {
    if (!state.suppliers.some(({ code }) => code === supplier.code)) sandbox.addSupplier(supplier);
  }
  for (const { code, status } of state.suppliers) {
    const meantStatus = suppliers.find((supplier) => supplier.code === code)?.status ?? 'Ongoing';
    if (status !== meantStatus) sandbox.setSupplierStatus(code, meantStatus);
  }
  for (const name of teams ?? []) if (!state.teams.includes(name)) sandbox.addTeam(name);
  for (const name of [...state.teams]) if (teams?.includes(name) === false) sandbox.removeTeam(name);
}

function stateIsGone(folder: string): UsageError {
  return new UsageError(
    `${folder} has a ledger but no ${FILE}, the state of the sandbox of that rehearsal. Start another rehearsal with another --run.`,
  );
}

function asUsage(error: unknown): never {
  if (!(error instanceof StateFileError)) throw error;
  const remedy = error.isDamaged ? ' Restore a copy of it, or start another rehearsal with another --run.' : '';
  throw new UsageError(error.message.replace(/^sandbox: /, '') + remedy, { cause: error });
}
