/**
 * A migration on a bad day, again and again: the sandbox as the service, a disk that forgets what was not synced, and
 * a process that dies at any moment. Everything follows from the seed; no machine time passes.
 */
import { DataImportClient } from '../../src/client.js';
import type { Ledger, LedgerRecord } from '../../src/migration/ledger/ledger.js';
import { createMemoryLedger } from '../../src/migration/ledger/memory.js';
import { type BookRun, type LineFinding, runBook } from '../../src/migration/run.js';
import type { SourceItem } from '../../src/migration/source/source.js';
import { createSandbox, type Sandbox } from '../../src/sandbox/index.js';
import { itemsOf } from './rehearsal.js';

export interface Scenario {
  seed: number;
  accounts: number;
  /** Deaths of the process before it may live to the end. */
  deaths: number;
  /** Of all calls: how many fail before, fail after the commit, are lost before, are lost after, each. */
  faultShare: number;
}

/** Mistakes that a runner may make, for tests that show that they would be found. */
export interface Planted {
  /** What the process has in place of the ledger on the disk. */
  ledger?: (ledger: Ledger, disk: Ledger) => Ledger;
  /** Where a life begins to read; `begun` is how many records the lives before it have begun. */
  from?: (begun: number) => number;
  run?: Partial<BookRun>;
  runBook?: typeof runBook;
}

export interface Outcome {
  sandbox: Sandbox;
  /** By number, businesses included. */
  ends: Map<string, LedgerRecord>;
  lines: [number, LineFinding][];
  input: number;
  /** Lives of the process that it took. */
  lives: number;
}

/** mulberry32 */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Small payloads of every kind, and of every kind of mistake. */
function makeBook({ seed, accounts }: Scenario): Record<string, unknown>[] {
  const random = randomNumbers(seed);
  const chance = (share: number) => random() < share;
  const book: Record<string, unknown>[] = [1, 2, 3, 4].map((number) => ({
    business: {
      import_supplier_code: 'SANDBOX_SUPPLIER',
      external_business_identifier: `B-${number}`,
      // The last one is refused, and its accounts wait.
      business: { siret: number === 4 ? 5 : `${number}`, business_contracts: [{ identifier: `C-${number}` }] },
    },
  }));
  for (let number = 1; number <= accounts; number++) {
    const key = { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: `A-${number}` };
    const kind = random();
    const account = {
      ...key,
      ...(kind < 0.05 && { customers: [{ landline: 'x' }] }),
      ...(kind > 0.9 && {
        account_type: 'BUSINESS',
        business: { business_contract_identifier: `C-${Math.ceil(random() * 4)}` },
      }),
      ...(kind > 0.87 && kind <= 0.9 && { business: { business_contract_identifier: 'C-unknown' } }),
    };
    book.push({
      account,
      ...(chance(0.3) && {
        payment_instruction: { vendor: 'V', reference: chance(0.1) ? 'sbx-vendor-persistent' : `R-${number}` },
      }),
      ...(chance(0.3) && { statements: [{ statement_id: `S-${number}` }] }),
      ...(chance(0.3) && { transactions: [{ transaction_id: `T-${number}`, type: 'CREDIT', amount: 1 }] }),
      ...(chance(0.3) && { notes: [{ body: `note of ${number}` }] }),
    });
  }
  return book;
}

/** A death ends everything that the process would still do: what it waits for never comes. */
class Life {
  dead = false;
  readonly death: Promise<void>;
  #die = () => {};
  #left: number;

  constructor(moments: number) {
    this.#left = moments;
    this.death = new Promise((resolve) => {
      this.#die = () => {
        this.dead = true;
        resolve();
      };
    });
  }

  /** Lets one more moment pass; the process may not survive it. */
  async moment(): Promise<void> {
    if (!this.dead && this.#left-- <= 0) this.#die();
    if (this.dead) await new Promise<never>(() => {});
  }
}

/** Acknowledges a group of writes once it is synced. At a death the group under way is on disk, or it is not. */
function onDisk(disk: Ledger, life: Life, random: () => number): Ledger {
  let group: { write: () => Promise<void>; settle: (result: Promise<void>) => void }[] = [];
  const sync = async () => {
    const written = group;
    group = [];
    const survives = random() < 0.5;
    await life.moment().catch(() => {});
    if (life.dead && !survives) return;
    for (const { write, settle } of written) settle(write());
  };
  return {
    ...disk,
    async write(record, contracts) {
      await life.moment();
      const written = new Promise<void>((resolve, reject) => {
        group.push({
          write: () => disk.write(record, contracts),
          settle: (result) => result.then(resolve, reject),
        });
      });
      if (group.length === 1) {
        queueMicrotask(() => {
          const pending = group;
          // The death between write and sync: half of the time what was written is there all the same.
          if (life.dead) {
            group = [];
            if (random() < 0.5) for (const { write } of pending) void write().catch(() => {});
          } else void sync();
        });
      }
      await written;
      await life.moment();
    },
  };
}

/** As often as it is asked for. */
function read(items: readonly SourceItem[], begin: () => void): AsyncIterable<SourceItem> {
  return {
    async *[Symbol.asyncIterator]() {
      for (const item of items) {
        begin();
        yield item;
      }
    },
  };
}

export async function simulate(scenario: Scenario, planted: Planted = {}): Promise<Outcome> {
  const { seed, deaths, faultShare } = scenario;
  const random = randomNumbers(seed ^ 0x5eed);
  const faulty = (effect: 'drop' | { status: number }, phase: 'before' | 'afterCommit') => ({
    when: { probability: faultShare },
    effect,
    phase,
  });
  const sandbox = createSandbox({
    seed: String(seed),
    logLimit: 100_000,
    showPersonalData: true,
    faults:
      faultShare === 0
        ? []
        : [
            faulty({ status: 500 }, 'before'),
            faulty({ status: 500 }, 'afterCommit'),
            faulty('drop', 'before'),
            faulty('drop', 'afterCommit'),
          ],
  });
  const book = makeBook(scenario);
  const items = itemsOf(book);
  const disk = createMemoryLedger();
  const lines: [number, LineFinding][] = [];

  let lives = 0;
  let begun = 0;
  for (;;) {
    lives++;
    const life = new Life(lives <= deaths ? Math.floor(random() * 12 * scenario.accounts) : Number.POSITIVE_INFINITY);
    const client = new DataImportClient({
      baseUrl: 'http://localhost:1',
      token: sandbox.token,
      maxRetries: 1,
      retryBaseMs: 0,
      fetch: async (url, init) => {
        await life.moment();
        const response = await sandbox.fetch(new Request(url, init));
        await life.moment();
        return response;
      },
    });
    lines.length = 0;
    const synced = onDisk(disk, life, random);
    const ledger = planted.ledger?.(synced, disk) ?? synced;
    const first = planted.from?.(begun) ?? 0;
    const run = (planted.runBook ?? runBook)({
      client,
      ledger,
      book: read(items.slice(first), () => begun++),
      team: 'SANDBOX_TEAM',
      profile: undefined,
      transactionsAtOnce: 100,
      setAside: false,
      resendAfter500: false,
      retryRejected: false,
      validateRemotely: false,
      dryRun: ({ number }) => number.endsWith('7'),
      recordsAtOnce: 8,
      signal: new AbortController().signal,
      now: () => new Date('2026-01-15T09:00:00Z'),
      inTurn: (_, call) => call(),
      mayBegin: () => true,
      onEvent: () => {},
      onLine: ({ line }, finding) => void lines.push([line, finding]),
      ...planted.run,
    });
    await Promise.race([run, life.death]);
    if (!life.dead) break;
  }

  const ends = new Map<string, LedgerRecord>();
  for await (const record of disk.list()) ends.set(record.number, record);
  return { sandbox, ends, lines, input: book.length, lives };
}
