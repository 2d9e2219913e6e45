/** Random settings of a hidden service, and what `learn` finds of them. */
import { isDeepStrictEqual } from 'node:util';
import { learnWithoutProbes } from '../../src/learn/learn.js';
import { createReplay, type Replay } from '../../src/learn/replay.js';
import { SANDBOX_SETTINGS, type SandboxSettings } from '../../src/sandbox/index.js';
import { record } from './scenario.js';

/** Settings on which an answer of the scenario depends, unless others hide it. */
const OBSERVABLE = [
  ...[
    ...['missingSlash', 'authScope', 'authScheme', 'unauthorizedBody', 'historicalStatementStatus', 'unmatchedList'],
    ...['importedList'],
  ],
  ...['unknownFields', 'unlistedValues', 'errorBodies', 'dryRunMessage', 'missingBusinessContract', 'accountNotFound'],
  ...[
    ...['transactionIdentity', 'failingBatchKeeps', 'transactionDataStatus', 'movedDate', 'notesWithoutBody'],
    ...['stagedNotes'],
  ],
  ...[
    ...['missingDocuments', 'businessAgain', 'businessInstructionNotFound', 'businessInstructionAccounts'],
    ...['businessInstructionStaged'],
  ],
  ...[
    ...['vendorFailureBody', 'populateEmpty', 'batchIdForm', 'accountNumberForm', 'listOrder', 'processRace'],
    ...['statusWhileProcessing'],
  ],
  ...['itemRace', 'businessRace', 'itemEntries', 'dryRunCounts', 'retryAfterSeconds', 'processConcurrency'],
] as const satisfies readonly (keyof SandboxSettings)[];

/** A random generator: `mulberry32`. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function randomSettings(seed: number): Partial<SandboxSettings> {
  const random = randomOf(seed);
  return Object.fromEntries(
    OBSERVABLE.map((name) => {
      const values = valuesOf(name);
      return [name, values[Math.floor(random() * values.length)]];
    }),
  );
}

function valuesOf(name: keyof SandboxSettings): readonly unknown[] {
  const more: Record<string, readonly unknown[]> = { retryAfterSeconds: [null, 3], processConcurrency: [null, 2, 3] };
  return SANDBOX_SETTINGS.find((setting) => setting.name === name)?.values ?? more[name] ?? [];
}

export interface Found {
  found: number;
  observable: number;
  /** Found, and not what the service has. */
  wrong: string[];
  /** Observable, and not found. */
  missed: string[];
}

/** Makes the calls at a service with these settings, and learns from the recording. */
export async function findHidden(settings: Partial<SandboxSettings>): Promise<Found> {
  const { calls } = await record(settings);
  const { settings: verdicts } = await learnWithoutProbes(calls);
  const found = verdicts.filter(({ verdict }) => verdict === 'found');
  const wrong = found.filter(({ name, value }) => name in settings && !isDeepStrictEqual(value, settings[name]));
  const replay = createReplay(calls);
  const [observable, missed]: string[][] = [[], []];
  for (const { name } of verdicts.filter((verdict) => verdict.name in settings)) {
    if (!(await isObservable(name, settings, replay))) continue;
    observable?.push(name);
    if (!found.some((verdict) => verdict.name === name)) missed?.push(name);
  }
  return {
    found: (observable?.length ?? 0) - (missed?.length ?? 0),
    observable: observable?.length ?? 0,
    wrong: wrong.map(({ name }) => name),
    missed: missed ?? [],
  };
}

/** Whether each other value changes an answer: a setting may be hidden by another one, as a Retry-After is without a limit. */
async function isObservable(
  name: keyof SandboxSettings,
  settings: Partial<SandboxSettings>,
  replay: Replay,
): Promise<boolean> {
  // A limit of 4 is never reached by the scenario.
  const values = name === 'processConcurrency' ? [...valuesOf(name), 4] : valuesOf(name);
  const others = values.filter((value) => !isDeepStrictEqual(value, settings[name]));
  for (const value of others) {
    let isSeen = false;
    await replay.run({ ...settings, [name]: value }, (index, answer) => {
      isSeen ||= answer !== replay.recorded[index];
      return isSeen;
    });
    if (!isSeen) return false;
  }
  return true;
}
