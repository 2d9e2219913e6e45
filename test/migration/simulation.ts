/**
 * A migration on a bad day, again and again: the sandbox as the service, a disk that forgets what was not synced, and
 * a process that dies at any moment. Everything follows from the seed, and no machine time passes: where the service is
 * slow, timeouts, waits and the service's own work take simulated time.
 */
import { DataImportClient } from '../../src/client.js';
import type { Ledger, LedgerRecord } from '../../src/migration/ledger/ledger.js';
import { createMemoryLedger } from '../../src/migration/ledger/memory.js';
import { type BookRun, type LineFinding, runBook } from '../../src/migration/run.js';
import type { Source, SourceItem } from '../../src/migration/source/source.js';
import type { LogEntry } from '../../src/sandbox/log.js';
import { SANDBOX_TOKEN } from '../../src/sandbox/options.js';
import type { SandboxState } from '../../src/sandbox/state.js';
import { makeBook, randomNumbers, type SimulatedBook } from './simulation-book.js';
import { createSimulatedClock, type SimulatedClock } from './simulation-clock.js';
import { type CrashPoint, createLife, type Fate, onDisk, type Tear } from './simulation-life.js';
import { createService } from './simulation-service.js';

export interface Scenario {
  seed: number;
  /** Seed of the book, where several scenarios share one. Default: the same. */
  bookSeed?: number;
  accounts: number;
  /** Deaths of the process before it may live to the end. */
  deaths: number;
  /** Where it dies; at any moment where nothing is given. */
  diesAt?: CrashPoint;
  /** Of all calls: how many fail before, fail after the commit, are lost before, are lost after, each. */
  faultShare: number;
  /** Share of the accounts whose payload is another one after the first death. */
  changes?: number;
  /** Share of the lines of the book that come twice. */
  repeats?: number;
  /**
   * Whether the service takes seconds for what it does: it looks whether an account exists when a request begins, and
   * creates it when it ends. Requests outlive timeouts, lost connections and killed processes.
   * @default false
   */
  slow?: boolean;
}

/** Mistakes that a runner may make, for tests that show that they would be found. */
export interface Planted {
  /** What the process has in place of the ledger on the disk. */
  ledger?: (ledger: Ledger, disk: Ledger) => Ledger;
  tear?: Tear;
  /** Where a life begins to read; `begun` is how many records the lives before it have begun. */
  from?: (begun: number) => number;
  run?: Partial<BookRun>;
  runBook?: typeof runBook;
}

export interface Outcome {
  /** What the service was asked and answered, in its own words. */
  log: readonly LogEntry[];
  state: SandboxState;
  book: SimulatedBook;
  /** By number, businesses included. */
  ends: Map<string, LedgerRecord>;
  /** Of the last life. */
  lines: readonly [line: number, finding: LineFinding][];
  /** The moment at which each life but the last one ended. */
  deaths: readonly string[];
  /** How many answers the network lost, besides the faults in the log. */
  cuts: number;
  /** What the runner itself failed with. */
  failure: string | undefined;
}

export const RECORDS_AT_ONCE = 8;
const MOST_BEFORE_A_NAMED_DEATH = 20;

const STARTS_AT = Date.parse('2026-01-15T09:00:00Z');

/**
 * A request ends at most so long after it was sent, on its way and at work together: less than the 60 s for which the
 * runner leaves a request alone that was not answered.
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
  const { seed, bookSeed = seed, accounts, faultShare, changes = 0, repeats = 0, slow = false } = scenario;
  const random = randomNumbers(seed ^ 0x5eed);
  const service = createService(
    {
      ...{ seed: String(seed), logLimit: 100_000, showPersonalData: true, faults: faultsOf(faultShare) },
      settings: { notesWithoutBody: 'always-new' },
      wait: clock.sleep,
    },
    random,
    slow ? { ...SLOW, sleep: clock.sleep } : undefined,
  );
  const book = makeBook(bookSeed, accounts, changes, repeats);
  const disk = createMemoryLedger();
  const deaths: string[] = [];
  let begun = 0;
  for (;;) {
    const life = createLife(fateOf(scenario, deaths.length, random));
    const lines: [number, LineFinding][] = [];
    const synced = onDisk(disk, life, random, planted.tear);
    const client = new DataImportClient({
      baseUrl: 'http://localhost:1',
      token: SANDBOX_TOKEN,
      ...(slow ? { maxRetries: 2, timeoutMs: SLOW.timeoutMs } : { maxRetries: 1, retryBaseMs: 0, ...NO_TIME }),
      dispatcher: service.dispatcherFor(life),
    });
    const items = deaths.length === 0 ? book.items : book.mended;
    const run = (planted.runBook ?? runBook)({
      client,
      ledger: planted.ledger?.(synced, disk) ?? synced,
      book: read(items.slice(planted.from?.(begun) ?? 0), () => begun++),
      team: 'SANDBOX_TEAM',
      profile: undefined,
      transactionsAtOnce: 100,
      setAside: false,
      resendAfter500: false,
      retryRejected: false,
      validateRemotely: false,
      dryRun: ({ number }) => number.endsWith('7'),
      recordsAtOnce: RECORDS_AT_ONCE,
      signal: new AbortController().signal,
      now: () => new Date(clock.now()),
      inTurn: (_, call) => call(),
      mayBegin: () => true,
      onEvent: () => {},
      onLine: ({ line }, finding) => void lines.push([line, finding]),
      ...planted.run,
    });
    const failed = run.then(
      () => undefined,
      (error: Error) => error.message,
    );
    const failure = await Promise.race([failed, life.death.then(() => undefined)]);
    // What the dead sent arrives before anybody can mend a book; where the service is slow, nobody waits for it.
    if (!life.isOver || (!slow && deaths.length === 0 && changes > 0)) await service.letAllArrive();
    if (life.endedAt === undefined) {
      const ends = new Map<string, LedgerRecord>();
      for await (const record of disk.list()) ends.set(record.number, record);
      const [log, state, cuts] = [service.requests(), service.state(), service.cuts()];
      return { log, state, book, ends, lines, deaths, cuts, failure };
    }
    deaths.push(life.endedAt);
    clock.forgetTimers();
    if (slow) await clock.sleep(random() * (RESTARTS_AFTER_MS[Math.floor(random() * RESTARTS_AFTER_MS.length)] ?? 0));
  }
}

const NO_TIME = { timeoutMs: Number.POSITIVE_INFINITY, deadlineMs: Number.POSITIVE_INFINITY };

function faultsOf(probability: number) {
  if (probability === 0) return [];
  const effects = [{ status: 500 }, 'drop'] as const;
  const phases = ['before', 'afterCommit'] as const;
  return effects.flatMap((effect) => phases.map((phase) => ({ when: { probability }, effect, phase })));
}

function fateOf({ accounts, deaths, diesAt }: Scenario, died: number, random: () => number): Fate {
  if (died >= deaths) return { moments: Number.POSITIVE_INFINITY };
  if (diesAt !== undefined) return { moments: Math.floor(random() * MOST_BEFORE_A_NAMED_DEATH), at: diesAt };
  // About as many as a life that nothing ends has.
  return { moments: Math.floor(random() * 12 * accounts) };
}

/** As often as it is asked for. */
function read(items: readonly SourceItem[], begin: () => void): Source {
  return {
    async *[Symbol.asyncIterator]() {
      for (const item of items) {
        begin();
        yield item;
      }
    },
  };
}
