/** The progress of a run: on a screen (a terminal emulator), and as plain lines. */
import { Writable } from 'node:stream';
import { Terminal as Screen } from '@xterm/headless';
import { describe, expect, test, vi } from 'vitest';
import type { RunStatus } from '../../../src/cli/terminal/progress.js';
import { createTerminal } from '../../../src/cli/terminal/terminal.js';
import { remainingMs } from '../../../src/cli/terminal/time-left.js';

const STATUS: RunStatus = {
  elapsedMs: 100_000,
  waitedMs: 0,
  total: 200_000,
  endedBefore: 0,
  ended: { created: 9600, alreadyImported: 12, rejected: 310, skipped: 78, unknown: 0 },
  passed: { create: 40, check: 10_100, stage: 9990, process: 9700, notes: 9600 },
  rate: 125,
  concurrency: { now: 24, why: '429 at 26, growing', least: 1, most: 32 },
  limits: { concurrency: 64, rps: 20 },
  standstill: undefined,
  inFlight: { count: 0, longestMs: 0 },
  failed: { count: 0, last: '' },
  rejectedByCode: new Map([
    ['required', 30],
    ['invalid_phone_number', 200],
    ['unknown_field', 80],
  ]),
};

const ESCAPE = '\u001b';

/** Takes what is written; `text` is all of it. */
function open({ isTTY, columns = 80, rows = 24, color }: Screenlike) {
  const screen = new Screen({ cols: columns, rows, allowProposedApi: true, convertEol: true });
  const writes: string[] = [];
  const stream = Object.assign(
    new Writable({
      write(chunk, _, done) {
        writes.push(String(chunk));
        screen.write(String(chunk));
        done();
      },
    }),
    { isTTY, columns, rows },
  );
  return {
    terminal: createTerminal({ stream, isTTY, color }),
    writes,
    resize(to: number) {
      screen.resize(to, rows);
      Object.assign(stream, { columns: to });
      stream.emit('resize');
    },
    /** What can be read, also further up. */
    async lines(): Promise<string[]> {
      await new Promise<void>((resolve) => screen.write('', resolve));
      const buffer = screen.buffer.active;
      const all = Array.from({ length: buffer.length }, (_, y) => buffer.getLine(y)?.translateToString(true) ?? '');
      return all.slice(0, all.findLastIndex((text) => text !== '') + 1);
    },
  };
}

interface Screenlike {
  isTTY: boolean;
  columns?: number;
  rows?: number;
  color?: boolean;
}

const ROWS = [
  '',
  'records   █░░░░░░░░░░░░░░░░░░░ 10,000 of 200,000 done (5 %)',
  'steps     check 10,100 > business 40 > stage 9,990 > process 9,700 > notes 9,600',
  'outcome   9,600 created, 12 already imported, 310 rejected, 78 skipped',
  'rejected  200 invalid_phone_number, 80 unknown_field, 30 required',
  'speed     125 records per second',
  'limits    process 24 of 1-32 (429 at 26, growing) · 64 at once · 20/s',
  'time left 23 min to 35 min',
];

describe('on a screen', () => {
  test('the rows are redrawn in place, however often they are shown', { tags: 'long' }, async () => {
    const { terminal, lines } = open({ isTTY: true, columns: 120 });
    for (let second = 0; second <= 100; second++) {
      terminal.show({ ...STATUS, elapsedMs: second * 1000, rate: second });
    }
    terminal.show({ ...STATUS, elapsedMs: 101_000, rate: 125, waitedMs: 1000 });
    // The rates of the last 40 s: from 62 to 100, then 125.
    const speed = `speed     ▄${'▅'.repeat(18)}${'▆'.repeat(18)}▇▇█ 125 records per second`;
    expect(await lines()).toEqual(ROWS.map((row) => (row.startsWith('speed') ? speed : row)));
  });

  test('permanent lines stay above the rows in their order, also those that scrolled off the screen', async () => {
    const { terminal, lines } = open({ isTTY: true, columns: 120, rows: 12 });
    for (let index = 1; index <= 40; index++) {
      terminal.show({ ...STATUS, elapsedMs: 100_000 + index * 1000, waitedMs: index * 1000 });
      terminal.line(`halt ${index}`);
    }
    terminal.end();
    const speed = `speed     ${'█'.repeat(40)} 125 records per second`;
    expect(await lines()).toEqual([
      ...Array.from({ length: 40 }, (_, index) => `halt ${index + 1}`),
      ...ROWS.map((row) => (row.startsWith('speed') ? speed : row)),
    ]);
  });

  test('a permanent text with more lines than the screen is not cut', async () => {
    const { terminal, lines } = open({ isTTY: true, rows: 12 });
    terminal.show(STATUS);
    const text = Array.from({ length: 30 }, (_, index) => `line ${index}`);
    terminal.line(text.join('\n'));
    expect((await lines()).slice(0, 30)).toEqual(text);
  });

  test('the last status is on the screen at the end, also if it came too soon to be drawn', async () => {
    const { terminal, lines } = open({ isTTY: true });
    terminal.show(STATUS);
    terminal.show({ ...STATUS, elapsedMs: 100_001, rate: 7 });
    expect((await lines())[5]).toMatch(/^speed {5}125 /);
    terminal.end();
    expect((await lines())[5]).toMatch(/^speed {5}7 /);
  });

  test('the rows are written in one piece without clearing the screen, so that nothing flickers', () => {
    const { terminal, writes } = open({ isTTY: true });
    terminal.show(STATUS);
    terminal.show({ ...STATUS, elapsedMs: 101_000, rate: 9 });
    expect(writes).toHaveLength(2);
    for (const write of writes) {
      expect(write.startsWith(`${ESCAPE}[?2026h`) && write.endsWith(`${ESCAPE}[?2026l`)).toBe(true);
      expect(write).not.toMatch(/\[[23]?J/);
    }
    // What did not change is not written again.
    expect(writes[1]).not.toContain('already imported');
  });

  test('of millions of records, 80 columns show how many were processed', async () => {
    const { terminal, lines } = open({ isTTY: true });
    const passed = {
      check: 1_000_000,
      create: 4_000,
      stage: 999_000,
      dryRun: 1,
      process: 970_000,
      statements: 960_000,
    };
    terminal.show({ ...STATUS, passed });
    expect((await lines())[2]).toBe('steps     check 1,000,000 > business 4,000 > stage 999,000 > process 970,000 >…');
  });

  test('a narrow screen cuts the rows and keeps their number', async () => {
    const { terminal, lines } = open({ isTTY: true, columns: 30 });
    terminal.show(STATUS);
    expect(await lines()).toEqual([
      ...['', 'records   █░░░░░░░░░░░░░░░░░…', 'steps     check 10,100 > bus…', 'outcome   9,600 created, 12 …'],
      ...['rejected  200 invalid_phone_…', 'speed     125 records per se…', 'limits    process 24 of 1-32…'],
      ...['time left 23 min to 35 min'],
    ]);
  });

  test('a row that appears between others moves those below it, and moves them back when it goes', async () => {
    const { terminal, lines } = open({ isTTY: true, columns: 120 });
    const before = { ...STATUS, rejectedByCode: new Map<string, number>() };
    terminal.show(before);
    const first = await lines();
    terminal.show({ ...STATUS, elapsedMs: 100_500 });
    expect(await lines()).toEqual(ROWS);
    terminal.show({ ...before, elapsedMs: 100_900 });
    expect(await lines()).toEqual(first);
    expect(first).toEqual(ROWS.filter((row) => !row.startsWith('rejected')));
  });

  test('at 80 and at 120 columns no row wraps, and rows that come and go are the last ones', async () => {
    for (const columns of [80, 120]) {
      const { terminal, lines } = open({ isTTY: true, columns });
      terminal.show(STATUS);
      const before = await lines();
      terminal.show({ ...STATUS, elapsedMs: 101_000, standstill: 'paused: by the operator', waitedMs: 1000 });
      const paused = await lines();
      const steady = (rows: string[]) => rows.slice(0, 7).filter((row) => !row.startsWith('speed'));
      expect(steady(paused)).toEqual(steady(before));
      expect(paused.slice(7)).toEqual(['time left unknown while no call starts', 'waiting   paused: by the operator']);
      terminal.show({ ...STATUS, elapsedMs: 102_000, waitedMs: 2000 });
      expect((await lines()).map((row) => row.length > columns)).not.toContain(true);
      expect(await lines()).toHaveLength(before.length);
    }
  });

  test.each([
    [120, 80],
    [80, 120],
    [80, 30],
  ])('a screen that is resized from %i to %i columns has the rows once', async (from, to) => {
    const { terminal, lines, resize } = open({ isTTY: true, columns: from });
    for (let second = 0; second < 5; second++) terminal.show({ ...STATUS, elapsedMs: 100_000 + second * 1000 });
    await lines();
    resize(to);
    terminal.line('halted');
    for (let second = 5; second < 10; second++) terminal.show({ ...STATUS, elapsedMs: 100_000 + second * 1000 });
    const rows = await lines();
    expect(rows[0]).toBe('halted');
    expect(rows.filter((row) => row.startsWith('records'))).toHaveLength(1);
    expect(rows.filter((row) => row.startsWith('time left'))).toHaveLength(1);
  });

  test('records that wait for a request count in the time left, with what they wait for', async () => {
    const { terminal, lines } = open({ isTTY: true, columns: 120 });
    const ended = { created: 199_999, alreadyImported: 0, rejected: 0, skipped: 0, unknown: 0 };
    terminal.show({ ...STATUS, ended, inFlight: { count: 1, longestMs: 54_000 } });
    expect((await lines()).slice(-2)).toEqual([
      'time left about 54 s',
      'waiting   1 record waits for a request that may still be running (54 s)',
    ]);
  });

  test('colours are on by default, and off with NO_COLOR or with color: false', () => {
    const colored = (options: Partial<Screenlike> = {}) => {
      const { terminal, writes } = open({ isTTY: true, ...options });
      terminal.show(STATUS);
      return writes.join('').includes(`${ESCAPE}[31m`);
    };
    vi.stubEnv('NO_COLOR', '');
    expect(colored()).toBe(true);
    expect(colored({ color: false })).toBe(false);
    vi.stubEnv('NO_COLOR', '1');
    expect(colored()).toBe(false);
    vi.unstubAllEnvs();
  });

  test('an escape sequence in a code of the service is not written', () => {
    const { terminal, writes } = open({ isTTY: true, color: false });
    terminal.show({ ...STATUS, rejectedByCode: new Map([[`x${ESCAPE}[2Jy\nz`, 1]]) });
    expect(writes.join('')).toContain('1 x\\u001b[2Jy\\u000az');
    terminal.line(`a${ESCAPE}[2Jb`);
    expect(writes.join('')).toContain('a\\u001b[2Jb\n');
  });
});

describe('without a screen', () => {
  const SENTENCE =
    '10,000 of 200,000 done (5 %) · 9,600 created, 12 already imported, 310 rejected, 78 skipped · 200 invalid_phone_number, 80 unknown_field, 30 required · 125/s · process concurrency 24 (429 at 26, growing) · time left: 23 min to 35 min';

  test('lines have no escape sequences', () => {
    const { terminal, writes } = open({ isTTY: false });
    terminal.show(STATUS);
    terminal.line('halted');
    expect(writes).toEqual([`${SENTENCE}\n`, 'halted\n']);
  });

  test.each([
    [0.25, '0.3/s'],
    [9.96, '10/s'],
    [12.6, '13/s'],
  ])('a rate of %d is %s: a tenth counts below ten', (rate, text) => {
    const { terminal, writes } = open({ isTTY: false });
    terminal.show({ ...STATUS, rate });
    expect(writes.join('')).toContain(` · ${text} · `);
  });

  test('a line is written a minute, however many records end', () => {
    const { terminal, writes } = open({ isTTY: false });
    const ended = (created: number) => ({ created, alreadyImported: 0, rejected: 0, skipped: 0, unknown: 0 });
    const written = (elapsedMs: number, created: number) => {
      const before = writes.length;
      terminal.show({ ...STATUS, elapsedMs, ended: ended(created) });
      return writes.length - before;
    };
    expect([written(0, 0), written(59_999, 90_000), written(60_000, 90_001)]).toEqual([0, 0, 1]);
    expect([written(60_001, 190_000), written(119_999, 190_001), written(120_000, 190_002)]).toEqual([0, 0, 1]);
  });

  test('a run that ends at once writes one line', () => {
    const { terminal, writes } = open({ isTTY: false });
    const ended = { created: 6, alreadyImported: 0, rejected: 0, skipped: 0, unknown: 0 };
    terminal.show({ ...STATUS, total: undefined, elapsedMs: 200, ended });
    terminal.show({ ...STATUS, total: undefined, elapsedMs: 220, ended });
    terminal.show({ ...STATUS, total: undefined, elapsedMs: 230, ended });
    terminal.end();
    expect(writes).toHaveLength(1);
    expect(writes[0]).toMatch(/^6 done · 6 created · /);
  });

  test('an unchanged line is not repeated', () => {
    const { terminal, writes } = open({ isTTY: false });
    const standstill = 'paused by the operator';
    for (let minute = 0; minute < 60; minute++) {
      terminal.show({ ...STATUS, elapsedMs: minute * 60_000, standstill });
    }
    terminal.end();
    expect(writes).toHaveLength(1);
  });

  test('a pause is written at once, with its reason', () => {
    const { terminal, writes } = open({ isTTY: false });
    terminal.show(STATUS);
    terminal.show({ ...STATUS, elapsedMs: 100_001, standstill: 'paused by the operator' });
    expect(writes[1]).toContain(' · paused by the operator · time left: unknown while no call starts\n');
  });

  test('the line has no total and no time left until the input is counted', () => {
    const { terminal, writes } = open({ isTTY: false });
    terminal.show({ ...STATUS, total: undefined });
    expect(writes[0]).toMatch(/^10,000 done · .* growing\)\n$/);
  });

  test('the last status is written once at the end', () => {
    const { terminal, writes } = open({ isTTY: false });
    terminal.show(STATUS);
    terminal.show({ ...STATUS, elapsedMs: 100_001, total: 10_000 });
    terminal.end();
    terminal.end();
    expect(writes).toHaveLength(2);
    expect(writes[1]).toMatch(/^10,000 of 10,000 done \(100 %\).* · time left: none\n$/);
  });
});

describe('the time left', () => {
  const created = (count: number) => ({ created: count, alreadyImported: 0, rejected: 0, skipped: 0, unknown: 0 });
  const at = (more: Partial<RunStatus>): RunStatus => ({ ...STATUS, total: 1000, ...more });

  test.each<[string, Partial<RunStatus>]>([
    ['in the first 30 s', { elapsedMs: 29_999, ended: created(500) }],
    ['of which 1 s was a pause', { elapsedMs: 30_999, waitedMs: 1000, ended: created(500) }],
    ['before 1 % of the work', { elapsedMs: 60_000, ended: created(9) }],
    ['before 1 % of the work that an earlier run left', { elapsedMs: 60_000, endedBefore: 500, ended: created(504) }],
    ['until the input is counted', { elapsedMs: 60_000, total: undefined, ended: created(500) }],
    ['while no call starts', { elapsedMs: 60_000, ended: created(500), standstill: 'paused' }],
    ['while no record is done', { elapsedMs: 60_000, ended: created(500), rate: 0 }],
  ])('is undefined %s', (_, more) => {
    expect(remainingMs(at(more))).toBeUndefined();
  });

  test('is a range between the mean rate and the recent rate, a tenth wider on both sides', () => {
    // 500 of 1,000 in 50 s: 10 a second; of late 20.
    const range = remainingMs(at({ elapsedMs: 60_000, waitedMs: 10_000, ended: created(500), rate: 20 }));
    expect(range?.from).toBeCloseTo(25_000 / 1.1, 6);
    expect(range?.to).toBeCloseTo(55_000, 6);
  });

  test('does not count the records of earlier sessions', () => {
    // This session did 100 in 50 s: 2 a second, recently too; 400 remain.
    const range = remainingMs(at({ elapsedMs: 50_000, endedBefore: 500, ended: created(600), rate: 2 }));
    expect(range?.from).toBeCloseTo(200_000 / 1.1, 6);
    expect(range?.to).toBeCloseTo(220_000, 6);
  });
});
