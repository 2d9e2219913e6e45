/** Who rings, for what, how far ahead, and what becomes of it when engine or ledger are away. */
import { expect, onTestFinished, test } from 'vitest';
import type { Bell } from '../../../src/migration/fleet/bell.js';
import { createRinger, type RingerOptions } from '../../../src/migration/fleet/ringer.js';
import { fakeClock } from '../pace/fake-clock.js';
import { memoryEngine } from './memory-doorbell.js';

const bell = (index: number, version = 1): Bell => ({
  supplier: 'SANDBOX_SUPPLIER',
  kind: 'account',
  number: `A-${index}`,
  version,
});

/** A ledger in which record `index` stands at place `index`, counted from 1. */
function ledgerOf(count: number) {
  const open = new Map(Array.from({ length: count }, (_, index) => [index + 1, bell(index + 1)]));
  const asked = { leads: 0, pages: [] as number[] };
  const state = { leads: true, error: undefined as Error | undefined };
  return {
    open,
    asked,
    state,
    async leads() {
      asked.leads++;
      return state.leads;
    },
    async unclaimed(after: number, most: number) {
      if (state.error) throw state.error;
      asked.pages.push(after);
      const places = [...open.keys()].filter((place) => place > after).slice(0, most);
      const bells = [...open.entries()].filter(([place]) => places.includes(place)).map(([, found]) => found);
      return { bells, last: places.at(-1) ?? after };
    },
  };
}

function started(ledger: ReturnType<typeof ledgerOf>, options: Partial<RingerOptions> = {}) {
  const [clock, engine, notes] = [fakeClock(), memoryEngine(), [] as string[]];
  const doorbell = engine.open();
  const ringer = createRinger({
    ledger,
    doorbell,
    clock,
    mayRing: () => true,
    onNote: (note) => notes.push(note),
    ...options,
  });
  ringer.start();
  onTestFinished(() => ringer.stop());
  /** Answers those that wait, as a member would that does not change the ledger; gives their numbers. */
  const answerAll = async () => {
    const numbers: string[] = [];
    const answering = doorbell.answer(async ({ number }) => void numbers.push(number), 10_000);
    await answering.close();
    return numbers;
  };
  return { clock, engine, notes, doorbell, ringer, answerAll };
}

test('rings for all that the ledger has open, page by page, each once', async () => {
  const ledger = ledgerOf(1200);
  const { clock, doorbell, ringer, answerAll } = started(ledger, { keepWaiting: 5000 });
  await clock.advance(10);
  expect(ledger.asked.pages).toEqual([0, 500, 1000]);
  expect(ringer.sweeps()).toBe(1);
  expect(await doorbell.waiting()).toBe(1200);
  expect((await answerAll()).slice(0, 3)).toEqual(['A-1', 'A-2', 'A-3']);
});

test('keeps about as many waiting as it is told, and goes on where it stopped when they were answered', async () => {
  const ledger = ledgerOf(3000);
  const { clock, doorbell, answerAll } = started(ledger, { keepWaiting: 1000 });
  await clock.advance(900);
  expect(ledger.asked.pages).toEqual([0, 500]);
  await answerAll();
  expect(await doorbell.waiting()).toBe(0);
  await clock.advance(900);
  expect(ledger.asked.pages).toEqual([0, 500, 1000, 1500]);
});

test('rings again from the beginning: one second after the end, later and later while nothing changes', async () => {
  const ledger = ledgerOf(3);
  const { clock, ringer } = started(ledger);
  await clock.advance(0);
  expect(ringer.sweeps()).toBe(1);
  await clock.advance(999);
  expect(ringer.sweeps()).toBe(1);
  await clock.advance(1);
  expect(ringer.sweeps()).toBe(2);
  // The same as before: 2 s, 4 s, 5 s, 5 s.
  await clock.advance(2000);
  expect(ringer.sweeps()).toBe(3);
  await clock.advance(3999);
  expect(ringer.sweeps()).toBe(3);
  await clock.advance(1);
  expect(ringer.sweeps()).toBe(4);
  await clock.advance(10_000);
  expect(ringer.sweeps()).toBe(6);
  // A record that was begun and given back has another version: the next end is looked for after a second again.
  ledger.open.set(2, bell(2, 3));
  await clock.advance(5000);
  expect(ringer.sweeps()).toBe(7);
  await clock.advance(1000);
  expect(ringer.sweeps()).toBe(8);
});

test('rings again for bells that were lost', async () => {
  const { clock, engine, doorbell, answerAll } = started(ledgerOf(3));
  await clock.advance(0);
  engine.lose();
  expect(await doorbell.waiting()).toBe(0);
  await clock.advance(1000);
  expect(await answerAll()).toEqual(['A-1', 'A-2', 'A-3']);
});

test('a record that was given back is rung for with the next sweep, not while this one lasts', async () => {
  const ledger = ledgerOf(600);
  const { clock, answerAll } = started(ledger, { keepWaiting: 1 });
  await clock.advance(0);
  ledger.open.set(1, bell(1, 3));
  await answerAll();
  await clock.advance(100);
  expect(await answerAll()).toHaveLength(100);
  await clock.advance(1000);
  expect(await answerAll()).toContain('A-1');
});

test('only the leader rings; who leads is asked each second, and whoever comes to lead begins at the beginning', async () => {
  const ledger = ledgerOf(600);
  ledger.state.leads = false;
  const { clock, doorbell } = started(ledger, { keepWaiting: 1 });
  await clock.advance(3500);
  expect(ledger.asked).toEqual({ leads: 4, pages: [] });
  ledger.state.leads = true;
  await clock.advance(500);
  expect(await doorbell.waiting()).toBe(500);
  ledger.state.leads = false;
  await clock.advance(1000);
  ledger.state.leads = true;
  await clock.advance(1000);
  await doorbell.answer(async () => {}, 1000).close();
  await clock.advance(100);
  expect(ledger.asked.pages).toEqual([0, 0]);
});

test('rings for nothing while members may not begin anything', async () => {
  let mayRing = false;
  const { clock, doorbell } = started(ledgerOf(3), { mayRing: () => mayRing });
  await clock.advance(5000);
  expect(await doorbell.waiting()).toBe(0);
  mayRing = true;
  await clock.advance(1000);
  expect(await doorbell.waiting()).toBe(3);
});

test('the engine away: told once, tried again with growing waits, told once that it goes on', async () => {
  const ledger = ledgerOf(3);
  const { clock, engine, notes, doorbell } = started(ledger);
  engine.setAway(true);
  await clock.advance(60_000);
  expect(notes).toEqual(['ringer: members are told of no new work for now. The engine is away.']);
  expect(ledger.asked.pages).toEqual([]);
  engine.setAway(false);
  await clock.advance(5000);
  expect(notes.slice(1)).toEqual(['ringer: members are told of work again.']);
  expect(await doorbell.waiting()).toBe(3);
});

test('a page that the engine did not take is rung for again, before any other', async () => {
  const inner = memoryEngine().open();
  let refuses = true;
  const doorbell = {
    waiting: () => inner.waiting(),
    async ring(bells: readonly Bell[]) {
      if (refuses) throw new Error('The engine is away.');
      await inner.ring(bells);
    },
  };
  const ledger = ledgerOf(600);
  const { clock } = started(ledger, { keepWaiting: 1, doorbell });
  await clock.advance(1000);
  refuses = false;
  await clock.advance(5000);
  expect(await inner.waiting()).toBe(500);
  expect(new Set(ledger.asked.pages)).toEqual(new Set([0]));
});

test('the ledger away: told once, and the sweep goes on where it stood', async () => {
  const ledger = ledgerOf(1200);
  const { clock, notes, answerAll } = started(ledger, { keepWaiting: 1 });
  await clock.advance(0);
  ledger.state.error = new Error('The ledger is away.');
  await answerAll();
  await clock.advance(30_000);
  ledger.state.error = undefined;
  await clock.advance(5000);
  expect(notes).toEqual([
    'ringer: members are told of no new work for now. The ledger is away.',
    'ringer: members are told of work again.',
  ]);
  expect(ledger.asked.pages).toEqual([0, 500]);
});

test('stopped, it sets no timer and rings no more', async () => {
  const { clock, ringer, doorbell } = started(ledgerOf(3));
  await clock.advance(0);
  await ringer.stop();
  expect(clock.timers()).toBe(0);
  await doorbell.answer(async () => {}, 10).close();
  await clock.advance(60_000);
  expect(await doorbell.waiting()).toBe(0);
});

test('stopped while the ledger is being asked, it waits for the answer and rings for nothing', async () => {
  const ledger = ledgerOf(3);
  let answer = () => {};
  const unclaimed = (after: number, most: number) =>
    new Promise<void>((resolve) => {
      answer = resolve;
    }).then(() => ledger.unclaimed(after, most));
  const { clock, ringer, doorbell } = started({ ...ledger, unclaimed });
  await clock.advance(0);
  const stopped = ringer.stop();
  answer();
  await stopped;
  expect(await doorbell.waiting()).toBe(0);
});
