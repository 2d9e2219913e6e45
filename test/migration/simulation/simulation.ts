/**
 * A migration on a bad day, again and again: the sandbox as the service, a disk that forgets what was not synced, and
 * a process that dies at any moment. Everything follows from the seed, and no machine time passes: where the service is
 * slow, timeouts, waits and the service's own work take simulated time.
 */
import { DataImportClient, internalsOf } from '../../../src/client.js';
import type { Input, InputLine } from '../../../src/migration/input/source.js';
import { idOf, type Ledger, type LedgerRecord } from '../../../src/migration/ledger/ledger.js';
import { createMemoryLedger } from '../../../src/migration/ledger/memory.js';
import type { RecordEvent } from '../../../src/migration/record/events/record-event.js';
import { InFlightRecords } from '../../../src/migration/record/preconditions/quiet-time.js';
import { settingsOf } from '../../../src/migration/record/steps/call-settings.js';
import type { AuditLog } from '../../../src/migration/report/folder/audit-log.js';
import { claimTarget, RunTargetError } from '../../../src/migration/run/expect-target.js';
import { runInput } from '../../../src/migration/run/repeat-passes.js';
import type { LineFinding, RunContext } from '../../../src/migration/run/run-context.js';
import type { LogEntry } from '../../../src/sandbox/calls/request-log.js';
import { SANDBOX_TOKEN } from '../../../src/sandbox/settings/sandbox-options.js';
import type { SandboxState } from '../../../src/sandbox/state/sandbox-state.js';
import { createSimulatedClock, type SimulatedClock } from './simulated-clock.js';
import { makeInput, randomNumbers, type SimulatedInput } from './simulated-input.js';
import { createService } from './simulated-service.js';
import { type CrashPlan, type CrashPoint, createSimulatedSession, onDisk, type Tear } from './simulated-session.js';

export interface Scenario {
  seed: number;
  /** Seed of the input, where several scenarios share one. Default: the same. */
  inputSeed?: number;
  accounts: number;
  /** Deaths of the process before it may live to the end. */
  crashes: number;
  /** Where it dies; at any moment where nothing is given. */
  crashAt?: CrashPoint;
  /** Of all calls: how many fail before, fail after the commit, are lost before, are lost after, each. */
  faultShare: number;
  /** Share of the accounts whose payload is another one after the first crash. */
  changes?: number;
  /** Share of the lines of the input that come twice. */
  repeats?: number;
  /**
   * Whether the service takes seconds for what it does: it looks whether an account exists when a request begins, and
   * creates it when it ends. Requests outlive timeouts, lost connections and killed processes.
   * @default false
   */
  slow?: boolean;
  /**
   * Whether the same input is migrated to a second service as well, at the same time, from a second ledger; and now
   * and then a process is started with the ledger of the one and the address of the other.
   * @default false
   */
  secondTarget?: boolean;
}

/** Mistakes that a runner may make, for tests that show that they would be found. */
export interface Planted {
  /** What the process has in place of the ledger on the disk. */
  ledger?: (ledger: Ledger, disk: Ledger) => Ledger;
  tear?: Tear;
  /** Where a session begins to read; `begun` is how many records the sessions before it have begun. */
  from?: (begun: number) => number;
  run?: Partial<RunContext>;
  runInput?: typeof runInput;
  claimTarget?: typeof claimTarget;
  /** Option of the client. */
  inFlightGraceMs?: number;
}

export interface Outcome {
  /** What the service was asked and answered, in its own words. */
  log: readonly LogEntry[];
  state: SandboxState;
  input: SimulatedInput;
  /** By number, businesses included. */
  ends: Map<string, LedgerRecord>;
  /** Of the last session. */
  lines: readonly [line: number, finding: LineFinding][];
  /** The moment at which each session but the last one ended. */
  crashes: readonly string[];
  /** How many answers the network lost, besides the faults in the log. */
  cuts: number;
  /** Requests to the service from runs that belong to the other one. */
  misdirected: number;
  /** The result of the same input at the second service, where there is one. */
  second?: Outcome;
  /** What the runner itself failed with. */
  failure: string | undefined;
}

export const RECORDS_AT_ONCE = 8;
const MOST_BEFORE_A_NAMED_CRASH = 20;

const STARTS_AT = Date.parse('2026-01-15T09:00:00Z');

/**
 * A request ends at most so long after it was sent, on its way and at work together: less than the 60 s for which the
 * runner does not repeat a request that was not answered.
 */
const SLOW = {
  longestDelayMs: 10_000,
  longestMs: {
    stageDurationMs: 45_000,
    processDurationMs: 45_000,
    itemDurationMs: 45_000,
    businessDurationMs: 45_000,
  },
  /** Shorter than the longest work of the service. */
  timeoutMs: 20_000,
  cutShare: 0.02,
} as const;

/** Between the end of one process and the start of the next. */
const RESTARTS_AFTER_MS = [10, 2000, 30_000, 600_000];

export function simulate(scenario: Scenario, planted: Planted = {}): Promise<Outcome> {
  const clock = createSimulatedClock(STARTS_AT, randomNumbers(scenario.seed ^ 0x71773));
  return clock.run(() => simulateDay(scenario, planted, clock));
}

async function simulateDay(scenario: Scenario, planted: Planted, clock: SimulatedClock): Promise<Outcome> {
  const random = randomNumbers(scenario.seed ^ 0x5eed);
  const first = createTarget('https://first.example.com', scenario, clock, random);
  if (!scenario.secondTarget) return migrate({ scenario, planted, clock, random, own: first });
  const otherRandom = randomNumbers(scenario.seed ^ 0x2d5eed);
  const second = createTarget('https://second.example.com', scenario, clock, otherRandom);
  const [outcome, other] = await Promise.all([
    migrate({ scenario, planted, clock, random, own: first, other: second }),
    migrate({ scenario, planted, clock, random: otherRandom, own: second, other: first }),
  ]);
  const misdirected = ({ service }: Target) => service.misdirected();
  return { ...outcome, misdirected: misdirected(first), second: { ...other, misdirected: misdirected(second) } };
}

interface Target {
  address: string;
  service: ReturnType<typeof createService>;
}

function createTarget(
  address: string,
  { seed, faultShare, slow = false }: Scenario,
  { sleep }: SimulatedClock,
  random: () => number,
): Target {
  const options = {
    ...{ seed: String(seed), logLimit: 100_000, showPersonalData: true, faults: faultsOf(faultShare) },
    ...{ settings: { notesWithoutBody: 'always-new' as const }, wait: sleep },
  };
  return { address, service: createService(options, random, slow ? { ...SLOW, sleep } : undefined) };
}

interface Migrated {
  scenario: Scenario;
  planted: Planted;
  clock: SimulatedClock;
  random: () => number;
  /** The service that the run belongs to. */
  own: Target;
  other?: Target;
}

/** Share of the starts that are given the address of the other service. */
const ASTRAY = 0.3;

/** One run, from its first process to the one that nothing ends. */
async function migrate({ scenario, planted, clock, random, own, other }: Migrated): Promise<Outcome> {
  const { seed, inputSeed = seed, accounts, changes = 0, repeats = 0, slow = false } = scenario;
  const { service } = own;
  const input = makeInput(inputSeed, accounts, changes, repeats);
  const disk = createMemoryLedger();
  const crashes: string[] = [];
  let begun = 0;
  let isClaimed = false;
  for (;;) {
    const astray = isClaimed && other !== undefined && random() < ASTRAY ? other : undefined;
    const target = astray ?? own;
    try {
      const claim = planted.claimTarget ?? claimTarget;
      const now = () => new Date(clock.now());
      await claim(disk, NO_AUDIT, { target: target.address, folder: 'run', now });
      isClaimed = true;
    } catch (error) {
      if (!(error instanceof RunTargetError) || astray === undefined) throw error;
      continue;
    }
    const session = createSimulatedSession(crashPlanOf(scenario, crashes.length, random));
    const lines: [number, LineFinding][] = [];
    const failures = new Map<string, number>();
    const maxRetries = slow ? 2 : 1;
    const synced = onDisk(disk, session, random, planted.tear);
    const client = new DataImportClient({
      baseUrl: target.address,
      token: SANDBOX_TOKEN,
      advanced: { inFlightGraceMs: planted.inFlightGraceMs, ...(!slow && { retryBaseMs: 0 }) },
      ...(slow ? { maxRetries, timeoutMs: SLOW.timeoutMs } : { maxRetries, ...NO_TIME }),
      dispatcher: target.service.dispatcherFor(session, astray !== undefined),
    });
    const items = crashes.length === 0 ? input.items : input.corrected;
    const run = (planted.runInput ?? runInput)({
      client,
      ledger: planted.ledger?.(synced, disk) ?? synced,
      input: read(items.slice(planted.from?.(begun) ?? 0), () => begun++),
      ...{ folder: 'run', areChangesAccepted: true, onRenumbered: () => false },
      team: 'SANDBOX_TEAM',
      profile: undefined,
      ...settingsOf({}),
      retryRejected: false,
      dryRun: ({ number }) => number.endsWith('7'),
      recordsAtOnce: RECORDS_AT_ONCE,
      signal: new AbortController().signal,
      now: () => new Date(clock.now()),
      inFlight: new InFlightRecords(internalsOf(client).shared.inFlight, () => new Date(clock.now())),
      sleep: clock.sleep,
      schedule: (_, call) => call(),
      isAccepting: () => true,
      onEvent(record, { type }) {
        if (!FAILURES.has(type)) return;
        failures.set(idOf(record), (failures.get(idOf(record)) ?? 0) + 1);
      },
      onLine: ({ line }, finding) => void lines.push([line, finding]),
      ...planted.run,
    });
    const failed = run.then(
      () => undefined,
      (error: Error) => error.message,
    );
    const failure = await Promise.race([failed, session.crash.then(() => undefined)]);
    // Requests of killed sessions arrive before the input is corrected, except where the service is slow.
    if (!session.isOver || (!slow && crashes.length === 0 && changes > 0)) await service.letAllArrive();
    if (session.endedAt === undefined) {
      // The operator gives the same command again, as the runner asks.
      if (failure === undefined && (await hasUsedUpRetries(disk, failures, maxRetries))) continue;
      const ends = new Map<string, LedgerRecord>();
      for await (const record of disk.list()) ends.set(record.number, record);
      const seen = { log: service.requests(), state: service.state(), cuts: service.cuts() };
      return { ...seen, input, ends, lines, crashes, misdirected: service.misdirected(), failure };
    }
    crashes.push(session.endedAt);
    if (slow) await clock.sleep(random() * (RESTARTS_AFTER_MS[Math.floor(random() * RESTARTS_AFTER_MS.length)] ?? 0));
  }
}

const FAILURES: ReadonlySet<RecordEvent['type']> = new Set(['stepFailed', 'noAnswer', 'reconcileFailed']);

/** Whether records are unfinished, and each has used up its retries in two passes, or is an account that may wait for such a business. */
async function hasUsedUpRetries(
  disk: Ledger,
  failures: ReadonlyMap<string, number>,
  maxRetries: number,
): Promise<boolean> {
  let hasOne = false;
  for await (const record of disk.list({ outcome: null })) {
    const isUsedUp = (failures.get(idOf(record)) ?? 0) >= 2 * (maxRetries + 1);
    if (!isUsedUp && record.contract === null) return false;
    hasOne ||= isUsedUp;
  }
  return hasOne;
}

const NO_AUDIT: AuditLog = { append: async () => {}, entries: async () => [] };

const NO_TIME = { timeoutMs: Number.POSITIVE_INFINITY, deadlineMs: Number.POSITIVE_INFINITY };

function faultsOf(probability: number) {
  if (probability === 0) return [];
  const effects = [{ status: 500, body: { detail: 'Failed.' } }, 'drop'] as const;
  const phases = ['before', 'afterCommit'] as const;
  return effects.flatMap((effect) => phases.map((phase) => ({ when: { probability }, effect, phase })));
}

function crashPlanOf({ accounts, crashes, crashAt }: Scenario, crashed: number, random: () => number): CrashPlan {
  if (crashed >= crashes) return { moments: Number.POSITIVE_INFINITY };
  if (crashAt !== undefined) return { moments: Math.floor(random() * MOST_BEFORE_A_NAMED_CRASH), at: crashAt };
  // About as many as a session that nothing ends has.
  return { moments: Math.floor(random() * 12 * accounts) };
}

/** An input that can be read any number of times. */
function read(items: readonly InputLine[], begin: () => void): Input {
  return {
    async *[Symbol.asyncIterator]() {
      for (const item of items) {
        begin();
        yield item;
      }
    },
  };
}
