/** One member at work, with a gate in place of its pace: what leaves, and what does not, once its lease is lost. */
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { DataImportClient } from '../../../src/client.js';
import { type AtWorkParts, beginWork } from '../../../src/migration/fleet/at-work.js';
import { createLineReader } from '../../../src/migration/fleet/line-reader.js';
import { newRecord } from '../../../src/migration/line-in-pass.js';
import { createPace } from '../../../src/migration/pace/pace.js';
import { createSandbox } from '../../../src/sandbox/index.js';
import { misbehavingServer } from '../../helpers/misbehaving-server.js';
import { account, itemsOf } from '../rehearsal.js';
import { memoryEngine } from './memory-doorbell.js';
import { type MemoryMember, memoryFleet } from './memory-fleet-ledger.js';

const KEY = { supplier: 'SANDBOX_SUPPLIER', kind: 'account', number: 'A-1' } as const;
const BELL = { ...KEY, version: 1 };
const SOON = { timeout: 20_000 };

/** Calls wait until they are let go. */
function gate() {
  const pace = createPace();
  const waiting: (() => void)[] = [];
  return {
    waiting,
    pace: {
      ...pace,
      inTurn: async <T>(step: Parameters<typeof pace.inTurn>[0], call: () => Promise<T>): Promise<T> => {
        await new Promise<void>((resolve) => waiting.push(resolve));
        return pace.inTurn(step, call);
      },
    },
  };
}

async function open() {
  const sandbox = createSandbox();
  const fleet = memoryFleet();
  const engine = memoryEngine();
  const notes: string[] = [];
  const work = (ledger: MemoryMember, more: Partial<AtWorkParts> = {}) => {
    const sent: string[] = [];
    const client = new DataImportClient({
      baseUrl: 'http://localhost:1',
      token: sandbox.token,
      fetch(url, init) {
        sent.push(new URL(url).pathname.split('/').at(-2) ?? '');
        return sandbox.fetch(new Request(url, init));
      },
    });
    const atWork = beginWork({
      client,
      ledger,
      doorbell: engine.open(),
      lines: createLineReader(),
      pace: createPace(),
      settings: {
        team: 'SANDBOX_TEAM',
        profile: undefined,
        transactionsAtOnce: 100,
        statementsAtOnce: 100,
        notesAtOnce: 100,
        setAside: false,
        resendAfter500: false,
        forceAddToCurrentStatement: true,
        checkPreviouslyAdded: true,
        validateRemotely: false,
        dryRun: () => false,
      },
      recordsAtOnce: 4,
      isCoordinator: false,
      now: () => new Date('2026-01-15T09:00:00Z'),
      onEvent: () => {},
      onNote: (note) => notes.push(note),
      ...more,
    });
    return { ...atWork, sent };
  };
  const [first, second] = [fleet.join('first'), fleet.join('second')];
  const [item] = itemsOf([account('A-1')]);
  if (item === undefined) throw new Error('a book of one line');
  const record = newRecord({ item, payload: account('A-1') as never, key: KEY, contentHash: 'c' });
  await first.register(record, [], { text: item.text });
  return { sandbox, doorbell: engine.open(), first, second, work, notes, text: item.text, record };
}

describe('a member at work', () => {
  test('sends nothing of what it claimed under a lease that is lost', async () => {
    const { doorbell, first, second, work, sandbox } = await open();
    const { pace, waiting } = gate();
    const held = work(first, { pace, recordsAtOnce: 1 });
    await doorbell.ring([BELL]);
    // It has announced the staging, and stands at the gate.
    await vi.waitFor(() => expect(waiting).toHaveLength(1), SOON);
    first.loseLease();
    const other = work(second);
    const [bell] = (await second.unclaimed(0, 10)).bells;
    await doorbell.ring(bell === undefined ? [] : [bell]);
    await vi.waitFor(async () => expect((await second.find(KEY))?.end).toBe('created'), SOON);
    for (const leave of waiting) leave();
    await held.end();
    await other.end();
    expect(held.sent).toEqual([]);
    expect(second.lease.work).toMatchObject({ ended: 1, takenOver: 1 });
    expect(sandbox.requests().filter(({ change }) => change === 'staged → imported')).toHaveLength(1);
  });

  test('sends nothing when its lease turns out to be over once a connection stands', async () => {
    const { doorbell, first, work } = await open();
    const server = await misbehavingServer({});
    const client = new DataImportClient({ baseUrl: server.url, token: 'token' });
    const member = work(first, { client, recordsAtOnce: 1 });
    // As a process that is stopped while it connects, and goes on after its lease: its timers have not come yet.
    const { isValid } = first.lease;
    const stop = client.observe({
      onRequest() {
        first.lease.isValid = (generation) => {
          if (first.lease.generation === 0) first.loseLease();
          return isValid(generation);
        };
      },
    });
    await doorbell.ring([BELL]);
    await vi.waitFor(() => expect(first.lease.generation).toBe(1), SOON);
    stop();
    await member.end();
    await client.close();
    expect(server.log).toEqual([]);
    expect(await first.find(KEY)).toMatchObject({ end: null });
  });

  test('sends nothing for a bell that is late: another version, or a record that has ended', async () => {
    const { doorbell, first, work } = await open();
    const member = work(first);
    await doorbell.ring([{ ...BELL, version: 7 }, BELL]);
    await vi.waitFor(async () => expect((await first.find(KEY))?.end).toBe('created'), SOON);
    const sent = [...member.sent];
    const record = await first.find(KEY);
    await doorbell.ring([BELL, { ...BELL, version: record?.version ?? 0 }]);
    for (let turns = 0; turns < 20; turns++) await turn();
    await member.end();
    expect(member.sent).toEqual(sent);
  });

  test('gives a record back whose line is not what it was read as, and says so once', async () => {
    const { doorbell, first, work, notes, record, text } = await open();
    await first.register({ ...record, version: 1 }, [], { text: text.replace('A-1', 'A-2') });
    const member = work(first);
    await doorbell.ring([BELL]);
    await vi.waitFor(() => expect(notes).toHaveLength(1), SOON);
    await member.end();
    expect(notes[0]).toMatch(/^fleet: a record cannot be carried on: /);
    expect(notes[0]).not.toContain('A-2');
    expect(await first.find(KEY)).toMatchObject({ end: null, done: null });
    expect((await first.unclaimed(0, 10)).bells).toEqual([{ ...KEY, version: 2 }]);
    expect(member.sent).toEqual([]);
  });

  test('U30 lets a request of another worker rest for as long as that worker allowed its requests', async () => {
    const { doorbell, first, second, work, record } = await open();
    const now = () => new Date('2026-01-15T09:02:00Z');
    // It began before the other one, which allows its requests five minutes; its own may take one.
    const member = work(second, { now });
    const client = new DataImportClient({ baseUrl: 'http://localhost:1', token: 'token', timeoutMs: 300_000 });
    const other = work(first, { client });
    await vi.waitFor(async () => expect(await first.fact('process_runs_for_ms')).toBe('300000'), SOON);
    await other.end();
    const sent = { intent: 'transactions', intentAt: '2026-01-15T09:00:00Z', intentHash: record.hash } as const;
    await first.write({ ...record, version: 2, done: 'process', ...sent });
    first.loseLease();
    await doorbell.ring([{ ...BELL, version: 2 }]);
    await vi.waitFor(async () => expect(second.lease.work.takenOver).toBe(1), SOON);
    await member.end();
    expect(member.sent).toEqual([]);
    expect(await second.find(KEY)).toMatchObject({ end: null, ...sent });
  });
});
