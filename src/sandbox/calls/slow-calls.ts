/**
 * Calls that take time between their checks and their commit (U30), and what a second call meets while the first one
 * runs. A call without a duration is one step, and none of this concerns it.
 */

import type { ServiceRequest } from '../server/service-request.js';
import { drawDuration } from '../settings/duration.js';
import type { SandboxConfig } from '../settings/sandbox-options.js';
import type { SandboxSettings } from '../settings/settings.js';
import type { SandboxClock } from '../state/clock.js';
import type { FaultTarget } from '../state/fault-rules.js';
import type { Ids } from '../state/generated-ids.js';
import type { Store } from '../state/store.js';
import { commit, type Outcome } from './call.js';
import { refused } from './error-answers.js';
import { createLock } from './lock.js';

type DurationName = 'processDurationMs' | 'itemDurationMs' | 'stageDurationMs' | 'businessDurationMs';
type RaceName = 'processRace' | 'itemRace' | 'businessRace';

/** Staging has no race: of two calls that overlap the last commit counts. */
const DURATIONS: Readonly<Partial<Record<FaultTarget, readonly [duration: DurationName, race?: RaceName]>>> = {
  'accounts.stage': ['stageDurationMs'],
  'accounts.process': ['processDurationMs', 'processRace'],
  'businesses.create': ['businessDurationMs', 'businessRace'],
  'businesses.createPaymentInstruction': ['itemDurationMs', 'itemRace'],
  'notes.create': ['itemDurationMs', 'itemRace'],
  'transactions.create': ['itemDurationMs', 'itemRace'],
  'historicalStatements.create': ['itemDurationMs', 'itemRace'],
  'paymentInstructions.create': ['itemDurationMs', 'itemRace'],
};

export function hasDurations(settings: SandboxSettings): boolean {
  return Object.values(DURATIONS).some(([duration]) => settings[duration] !== 0);
}

/** What a call that takes time does beside its rule. */
interface Work {
  /** The same for calls of the same operation for the same account or business. */
  key: string;
  durationMs: number;
  race: RaceName | undefined;
  /** Of a process call: what the status query asks for while it runs. */
  creates: string | undefined;
  /** Where the account or business is named in the request. */
  attr: string;
}

/** undefined where the call takes no time. */
export function workOf(
  { operation, supplier, account }: Pick<WorkCourse, 'operation' | 'supplier' | 'account'>,
  payload: unknown,
  settings: SandboxSettings,
  ids: Ids,
): Work | undefined {
  const [duration, race] = (operation === null ? undefined : DURATIONS[operation]) ?? [];
  if (duration === undefined || settings[duration] === 0) return undefined;
  const { external_business_identifier: business } = payload as { external_business_identifier?: string };
  const key = JSON.stringify([operation, supplier ?? null, account ?? business ?? null]);
  return {
    key,
    durationMs: drawDuration(settings[duration], ids, key),
    race,
    creates: operation === 'accounts.process' ? creationKey(supplier ?? '', account ?? '') : undefined,
    attr: account === undefined ? 'external_business_identifier' : 'external_account_number',
  };
}

interface WorkCourse {
  operation: FaultTarget | null;
  supplier: string | undefined;
  account: string | undefined;
  /** Remembers which settings were read. */
  settings: SandboxSettings;
  /** When the call began. */
  now: Date;
  request: ServiceRequest;
  /** Runs a task alone among the calls of the supplier. */
  alone: <Result>(task: () => Promise<Result>) => Promise<Result>;
}

type AtWork = (
  work: Work & Pick<WorkCourse, 'settings' | 'now' | 'request' | 'alone'>,
  store: Store,
  decide: (store: Store) => Promise<Outcome>,
) => Promise<Outcome>;

/** Runs a call that takes time: decided at its start, committed at its end, and open to others in between. */
export function createAtWork({ settings: given, wait, waitToTheEnd }: SandboxConfig, clock: SandboxClock): AtWork {
  const turns = createLock();
  const isStopped = given.lostRequests === 'stop';

  return (work, store, decide) => {
    const { key, durationMs, creates, attr, settings, now, request, alone } = work;
    const race = work.race === undefined ? 'allow' : given[work.race];
    const { running } = store;

    const fromStartToEnd = async (): Promise<Outcome> => {
      const endings: (() => void)[] = [];
      const decided = await alone(async () => {
        const outcome = await decide(store);
        if (outcome.status >= 400 && outcome.isAfterWork === undefined) return commit(store, outcome, now);
        if (race === 'lock' && running.has(key)) {
          if (work.race !== undefined) void settings[work.race];
          return stillRunning(creates === undefined ? 'request_in_progress' : 'account_import_in_progress', attr);
        }
        endings.push(running.begin(key));
        if (creates !== undefined && outcome.isAfterWork === undefined) endings.push(running.begin(creates));
        return outcome;
      });
      if (endings.length === 0) return decided;
      try {
        const { signal } = request;
        await (isStopped ? wait(durationMs, signal) : waitToTheEnd(durationMs, signal));
        const finish = () => alone(async () => commit(store, decided, clock.now()));
        if (!signal.aborted) return await finish();
        // No caller gets the answer. Whether the call is completed all the same is a choice (U31).
        void settings.lostRequests;
        if (isStopped) return { status: decided.status, body: undefined, onTheWay: 'drop' };
        return { ...(await finish()), onTheWay: 'drop' };
      } finally {
        for (const end of endings) end();
      }
    };
    return race === 'wait' ? turns(key, fromStartToEnd) : fromStartToEnd();
  };
}

/** U30: the second call of two that overlap, where the service holds a lock. */
function stillRunning(code: string, attr: string): Outcome {
  return refused(code, attr, 'Another request of this kind for it is still running. Send it again after its end.');
}

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

/** Key of the process calls that create the account: not of dry runs. */
export function creationKey(supplier: string, account: string): string {
  return JSON.stringify(['creation', supplier, account]);
}
