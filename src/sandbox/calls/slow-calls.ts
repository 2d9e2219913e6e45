/**
 * Exports `slowCallOf` and `createSlowCallRunner`: calls that take time between their checks and their commit (U30), and
 * what happens to a second call for the same account or business meanwhile. Calls without a duration do not come here.
 */
import type { ServiceRequest } from '../server/service-request.js';
import type { SandboxConfig } from '../settings/complete-options.js';
import { drawDuration } from '../settings/duration.js';
import type { SandboxSettings } from '../settings/settings.js';
import type { SandboxClock } from '../state/clock.js';
import type { FaultTarget } from '../state/fault-rules.js';
import type { Ids } from '../state/generated-ids.js';
import { creationKey } from '../state/running-calls.js';
import type { Store } from '../state/store.js';
import { commit, type Outcome } from './call.js';
import { refused } from './error-answers.js';
import { createLock } from './lock.js';

type DurationName = 'processDurationMs' | 'itemDurationMs' | 'stageDurationMs' | 'businessDurationMs';
type RaceName = 'processRace' | 'itemRace' | 'businessRace';

interface SlowOperation {
  duration: DurationName;
  /** Missing for staging: of two overlapping calls the last commit counts. */
  race?: RaceName;
}

const ITEM: SlowOperation = { duration: 'itemDurationMs', race: 'itemRace' };

const SLOW_OPERATIONS: Readonly<Partial<Record<FaultTarget, SlowOperation>>> = {
  'accounts.stage': { duration: 'stageDurationMs' },
  'accounts.process': { duration: 'processDurationMs', race: 'processRace' },
  'businesses.create': { duration: 'businessDurationMs', race: 'businessRace' },
  'businesses.createPaymentInstruction': ITEM,
  'notes.create': ITEM,
  'transactions.create': ITEM,
  'historicalStatements.create': ITEM,
  'paymentInstructions.create': ITEM,
};

/** Returns whether any call takes time with these settings. */
export function hasDurations(settings: SandboxSettings): boolean {
  return Object.values(SLOW_OPERATIONS).some(({ duration }) => settings[duration] !== 0);
}

interface CallKeys {
  operation: FaultTarget | null;
  supplier: string | undefined;
  account: string | undefined;
  /** What fault rules add to the duration, in ms. */
  waitDuring: number;
}

/** Returns how the call takes its time; undefined if it takes none. */
export function slowCallOf(
  { operation, supplier, account, waitDuring }: CallKeys,
  payload: unknown,
  settings: SandboxSettings,
  ids: Ids,
) {
  const slow = operation === null ? undefined : SLOW_OPERATIONS[operation];
  if (slow === undefined || (settings[slow.duration] === 0 && waitDuring === 0)) return undefined;
  const { external_business_identifier: business } = payload as { external_business_identifier?: string };
  const key = JSON.stringify([operation, supplier ?? null, account ?? business ?? null]);
  return {
    /** Equal for calls of the same operation for the same account or business. */
    key,
    durationMs: drawDuration(settings[slow.duration], ids, key) + waitDuring,
    race: slow.race,
    /** Key under which the status query finds a running process call; undefined for other operations. */
    creates: operation === 'accounts.process' ? creationKey(supplier ?? '', account ?? '') : undefined,
    /** Field of the request that names the account or business. */
    attr: account === undefined ? 'external_business_identifier' : 'external_account_number',
  };
}

interface SlowCall extends NonNullable<ReturnType<typeof slowCallOf>> {
  /** Watched: records which settings were read. */
  settings: SandboxSettings;
  /** Start of the call. */
  now: Date;
  request: ServiceRequest;
  /** Runs a task while no other call of the supplier runs one. */
  runLocked: <Result>(task: () => Promise<Result>) => Promise<Result>;
}

type Decide = (store: Store) => Promise<Outcome>;

export type RunSlowCall = (call: SlowCall, store: Store, decide: Decide) => Promise<Outcome>;

/** Returns a function that decides a call at its start and commits it at its end; other calls run in between. */
export function createSlowCallRunner(
  { settings: given, wait, waitToTheEnd }: SandboxConfig,
  clock: SandboxClock,
): RunSlowCall {
  const queue = createLock();
  const stopsLostRequests = given.lostRequests === 'stop';

  /** Decides the call. Returns its outcome, and what marks it as finished: nothing if it ended at once. */
  function begin(call: SlowCall, store: Store, decide: Decide) {
    const { key, creates, attr, settings, now } = call;
    return call.runLocked(async (): Promise<{ outcome: Outcome; finish: readonly (() => void)[] }> => {
      const outcome = await decide(store);
      if (outcome.status >= 400 && outcome.isAfterWork === undefined) {
        return { outcome: commit(store, outcome, now), finish: [] };
      }
      if (call.race !== undefined && given[call.race] === 'lock' && store.running.has(key)) {
        void settings[call.race];
        const code = creates === undefined ? 'request_in_progress' : 'account_import_in_progress';
        return { outcome: stillRunning(code, attr), finish: [] };
      }
      const finish = [store.running.begin(key)];
      if (creates !== undefined && outcome.isAfterWork === undefined) finish.push(store.running.begin(creates));
      return { outcome, finish };
    });
  }

  async function run(call: SlowCall, store: Store, decide: Decide): Promise<Outcome> {
    const { outcome, finish } = await begin(call, store, decide);
    if (finish.length === 0) return outcome;
    try {
      const { signal } = call.request;
      await (stopsLostRequests ? wait(call.durationMs, signal) : waitToTheEnd(call.durationMs, signal));
      const commitAtEnd = () => call.runLocked(async () => commit(store, outcome, clock.now()));
      if (!signal.aborted) return await commitAtEnd();
      // No caller gets the answer. The setting decides whether the call still takes effect (U31).
      void call.settings.lostRequests;
      if (stopsLostRequests) return { status: outcome.status, body: undefined, onTheWay: 'drop' };
      return { ...(await commitAtEnd()), onTheWay: 'drop' };
    } finally {
      for (const end of finish) end();
    }
  }

  return (call, store, decide) => {
    const race = call.race === undefined ? 'allow' : given[call.race];
    return race === 'wait' ? queue(call.key, () => run(call, store, decide)) : run(call, store, decide);
  };
}

/** U30: refusal of the second of two overlapping calls if the service locks the account or business. */
function stillRunning(code: string, attr: string): Outcome {
  return refused(code, attr, 'Another request of this kind for it is still running. Send it again after its end.');
}
