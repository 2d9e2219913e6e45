/**
 * Calls that take time between their checks and their commit (U30), and what a second call meets while the first one
 * runs. A call without a duration is one step, and none of this concerns it.
 */
import type { OperationName } from '../../schemas/operations.js';
import { drawDuration } from './duration.js';
import type { Ids } from './ids.js';
import type { SandboxSettings } from './settings.js';

/** Calls between their checks and their commit. Each store has its own: a reset forgets them. */
export interface RunningCalls {
  /** Whether a call runs that has the key. */
  has(key: string): boolean;
  /** Notes that a call runs; returns what ends that. */
  begin(key: string): () => void;
}

export function createRunningCalls(): RunningCalls {
  const counts = new Map<string, number>();
  return {
    has: (key) => counts.has(key),
    begin(key) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
      return () => {
        const left = (counts.get(key) ?? 0) - 1;
        if (left > 0) counts.set(key, left);
        else counts.delete(key);
      };
    },
  };
}

/** What a call that takes time does beside its rule. */
export interface Work {
  /** The same for calls of the same operation for the same account or business. */
  key: string;
  durationMs: number;
  race: 'allow' | 'wait' | 'lock';
  /** Error code of the refusal under `lock`. */
  refusal: 'account_import_in_progress' | 'request_in_progress';
}

type DurationName = 'processDurationMs' | 'itemDurationMs' | 'stageDurationMs' | 'businessDurationMs';
type RaceName = 'processRace' | 'itemRace' | 'businessRace';

/** Staging has no race: of two calls that overlap the last commit counts. */
const WORK: Readonly<Partial<Record<OperationName, readonly [duration: DurationName, race?: RaceName]>>> = {
  'accounts.stage': ['stageDurationMs'],
  'accounts.process': ['processDurationMs', 'processRace'],
  'businesses.create': ['businessDurationMs', 'businessRace'],
  'businesses.createPaymentInstruction': ['itemDurationMs', 'itemRace'],
  'notes.create': ['itemDurationMs', 'itemRace'],
  'transactions.create': ['itemDurationMs', 'itemRace'],
  'historicalStatements.create': ['itemDurationMs', 'itemRace'],
  'paymentInstructions.create': ['itemDurationMs', 'itemRace'],
};

/** undefined where the call takes no time. */
export function workOf(
  operation: OperationName,
  { supplier, holder }: { supplier: string | undefined; holder: string | undefined },
  settings: SandboxSettings,
  ids: Ids,
): Work | undefined {
  const [duration, race] = WORK[operation] ?? [];
  if (duration === undefined || settings[duration] === 0) return undefined;
  const key = keyOf(operation, supplier, holder);
  return {
    key,
    durationMs: drawDuration(settings[duration], ids, key),
    race: race === undefined ? 'allow' : settings[race],
    refusal: operation === 'accounts.process' ? 'account_import_in_progress' : 'request_in_progress',
  };
}

/** Key of the process calls that create the account: not of dry runs. */
export function creationKey(supplier: string, account: string): string {
  return `creates ${keyOf('accounts.process', supplier, account)}`;
}

function keyOf(operation: OperationName, supplier: string | undefined, holder: string | undefined): string {
  return JSON.stringify([operation, supplier ?? null, holder ?? null]);
}

export function hasDurations(settings: SandboxSettings): boolean {
  return Object.values(WORK).some(([duration]) => settings[duration] !== 0);
}
