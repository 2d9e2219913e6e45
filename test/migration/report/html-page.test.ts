/** The report's page as text: nothing that came from outside is markup, and nothing is fetched or run. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { reportPage } from '../../../src/migration/report/html/page.js';
import type { Report } from '../../../src/migration/report/report.js';
import { EMPTY, FORMULA, richReport, SCRIPT } from './rich-report.js';

const pageOf = (more: Partial<Report> = {}) => reportPage({ ...richReport(), ...more });
const textOf = (page: string) =>
  page
    .replace(/<(style|script)>.*?<\/\1>/gs, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ');

describe('injection', () => {
  const page = pageOf();

  test('markup in codes, attrs, numbers, interventions and settings is text', () => {
    expect(page.split('<script')).toHaveLength(2);
    expect(page).not.toContain('<img');
    // Code, attr, sample, configuration, intervention, difference, worker, place of a transaction twice, next step: ten times.
    expect(page.split('&lt;script&gt;document.title=&quot;hurt&quot;&lt;/script&gt;').length - 1).toBe(10);
    expect(page).toContain('=cmd|&quot;/c calc&quot;!A1');
    expect([SCRIPT, FORMULA].some((text) => page.includes(text))).toBe(false);
  });

  test('external values in attributes have escaped quotes', () => {
    expect(page).not.toMatch(/<[^>]*\son\w+=/);
    expect(page).not.toMatch(/\s(style|src)="/);
  });

  test('characters that change the reading direction are shown as codes', () => {
    const { summary, ...rest } = richReport();
    const first = summary.errors[0];
    const errors = first === undefined ? [] : [{ ...first, attr: 'a\u202Eb\u0000c' }];
    const turned = reportPage({ ...rest, summary: { ...summary, errors } });
    expect(turned).toContain('a\\u{202e}b\\u{0}c');
    expect(turned).not.toContain('\u202E');
  });
});

test('it shows the query parameters of transactions in all sessions', () => {
  const text = textOf(pageOf());
  expect(text).toContain('transactions.create: check_previously_added true, then false (in different sessions)');
  expect(text).toContain('transactions.create: force_add_to_current_statement false');
});

describe('the page carries everything with it', () => {
  const page = pageOf();

  test('its policy allows only its own style and its own script, by their hashes', () => {
    const hashOf = (element: string) => {
      const text = new RegExp(`<${element}>(.*)</${element}>`, 's').exec(page)?.[1] ?? '';
      return createHash('sha256').update(text).digest('base64');
    };
    const policy = `default-src 'none'; style-src 'sha256-${hashOf('style')}'; script-src 'sha256-${hashOf('script')}'; img-src data:; base-uri 'none'; form-action 'none'`;
    expect(page).toContain(`<meta http-equiv="Content-Security-Policy" content="${policy.replaceAll("'", '&#39;')}">`);
  });

  test('no address besides those of the files of the run folder', () => {
    const inTags = [...page.matchAll(/<[a-z][^>]*?\s(?:href|src|action|data|poster|srcset)="([^"]*)"/g)];
    const inStyle = [...page.matchAll(/(?:url\(|@import)([^)]*)/g)];
    expect([...inTags, ...inStyle].map(([, address]) => address)).toEqual([
      ...['data:,', 'unknown.csv', 'unknown.jsonl', 'rejected.csv', 'rejected.jsonl', 'unfinished.jsonl'],
      ...['incomplete.jsonl', 'skipped.jsonl', 'changed.jsonl', 'ok.csv', 'audit.log', 'report.json'],
    ]);
  });
});

describe('what it says', () => {
  test('the state first, what needs a person, then the balance', () => {
    const text = textOf(pageOf());
    expect(text).toContain(
      'Stopped: 852,310 records created, 41 unknown outcomes, 61,204 records to correct, 82,121 unfinished',
    );
    expect(text).toContain('Exit code 7: the run was stopped before its end.');
    expect(text).toContain(
      'Needs you 7 changed after they were sent An import cannot change what exists. Accept the lines: data-import-sdk resolve --run run-2026-01-15 --accept changed Copy Next data-import-sdk run input/ --team MIGRATION_TEAM --out run-2026-01-15 Copy',
    );
    expect(text.indexOf('Needs you')).toBeLessThan(text.indexOf('852,310 created'));
    expect(text).toContain(
      '852,310 created 1,204 already imported 61,204 rejected 3,120 skipped 41 unknown 82,121 unfinished 1,000,000 input',
    );
    expect(text).toContain('3,011 accounts skipped because the business was not created.');
    expect(text).toContain('812 accounts exist without all items: see incomplete.jsonl.');
    expect(text).toContain('31,870 invalid_phone_number account.customers.*.landline Correct the field in the export');
    expect(text).toContain(
      '2 Created by the ledger, unknown to the service Ask the operator whether they were removed.',
    );
    expect(text).toContain('2026-01-15 20:58:30 UTC operator pause');
    expect(text).toContain('window Mon-Fri 20:00-06:00');
  });

  test('the plots in words', () => {
    const page = pageOf({
      sessions: [
        [
          { at: 0, rate: 10, concurrency: 2, throttled: 0, failed: 0 },
          { at: 1000, rate: 30, concurrency: 4, throttled: 3, failed: 0 },
          { at: 2000, rate: 20, concurrency: 3, throttled: 1, failed: 2 },
        ],
      ],
    });
    expect(page).toContain(
      'aria-label="Throughput. Rate: 20 on average, at most 30 records per second. Process concurrency: at most 4 process calls in flight, 3 at the end. Throttled: 4 answers 429, at most 3 between two points"',
    );
    expect(page).toContain(
      'aria-label="Failed calls. Failed: 2 calls without a usable answer (none, or 5xx), at most 2 between two points"',
    );
    // From 0 to 50, at a fifth, three fifths and two fifths.
    expect(page).toContain('<path class="line" d="M0 80L500 40L1000 60"/>');
    expect(page).toContain('<path class="steps" d="M0 60H500V20H1000V40"/>');
    expect(page).toContain('<path class="bars" d="M500 100V40M1000 100V80"/>');
  });

  test('all sessions of a run are in one plot, with a dashed line between them', () => {
    const quiet = { concurrency: 2, throttled: 0, failed: 0 };
    const page = pageOf({
      sessions: [
        [
          { at: 0, rate: 10, ...quiet },
          { at: 1000, rate: 10, ...quiet },
        ],
        // A day later, three times as long.
        [
          { at: 86_400_000, rate: 40, ...quiet },
          { at: 86_403_000, rate: 20, ...quiet },
        ],
      ],
    });
    expect(textOf(page)).toContain(
      '2 sessions, those in which records ended. The time between two sessions is left out; a dashed line marks it.',
    );
    expect(page).toContain('<path class="break" d="M255 0V100"/>');
    expect(page).toContain('<path class="line" d="M0 80L245 80"/>');
    expect(page).toContain('<path class="line" d="M265 20L1000 60"/>');
    // 2 s of 10 and 6 s of 30.
    expect(page).toContain('aria-label="Throughput. Rate: 25 on average, at most 40 records per second. ');
    expect(page).toContain('<span>1970-01-01 00:00:00 UTC</span><span>1970-01-02 00:00:03 UTC</span>');
  });

  test('without a failed call there is no chart of these', () => {
    const samples = [0, 1000].map((at) => ({ at, rate: 10, concurrency: 2, throttled: 0, failed: 0 }));
    const page = pageOf({ sessions: [samples] });
    expect(page.split('<figure class="plot"').length - 1).toBe(1);
    expect(textOf(page)).toContain('Throttled: no answers 429');
    expect(textOf(page)).toContain('Failed calls no calls without a usable answer (none, or 5xx)');
  });

  test('each outcome in the bar has a colour', () => {
    const page = pageOf();
    const classes = new Set([...page.matchAll(/<rect class="(i-\w+)"/g)].map(([, name]) => name));
    expect([...classes].filter((name) => !page.includes(`.${name} {`) && !page.includes(`.${name}, .`))).toEqual([]);
    expect([...classes]).toContain('i-unfinished');
  });

  test('an imbalance is reported', () => {
    const { summary } = richReport();
    const balance = { isBalanced: false, text: '1 created = 1, but the input is 2. This is a bug.' };
    expect(textOf(pageOf({ summary: { ...summary, balance } }))).toContain(
      'Out of balance. 1 created = 1, but the input is 2. This is a bug.',
    );
  });

  test('a finished run has no command to continue, and no empty section', () => {
    const { run } = richReport();
    const page = pageOf({
      run: { ...run, state: 'finished' },
      ending: { exitCode: 0, next: [] },
      summary: { ...EMPTY, input: 1, created: 1 },
      sessions: [],
      audit: [],
      verification: undefined,
      workers: undefined,
    });
    const text = textOf(page);
    expect(text).toContain('Finished: all 1 record created');
    expect(text).not.toContain('data-import-sdk run');
    expect([...page.matchAll(/<h2[^>]*>([^<]*)/g)].map(([, title]) => title)).toEqual([
      'Nothing needs you',
      'Configuration',
    ]);
  });

  test.each([
    [0, 'good', 'Finished: all 1 record created'],
    [3, 'warn', 'Finished, and needs you: 1 record created, 1 line differs from the one that was sent'],
    [4, 'warn', 'Finished, with unknown outcomes: 1 record created'],
    [5, 'bad', 'Amounts do not add up: 1 record created'],
    [6, 'bad', 'Halted: 1 record created'],
    [7, 'warn', 'Stopped: 1 record created'],
    [8, 'bad', 'Not accepted by the service: 1 record created'],
    [9, 'warn', 'Unfinished: 1 record created'],
    [130, 'warn', 'Stopped: 1 record created'],
  ])('exit code %i: the page opens with that state, green for 0 only', (exitCode, tone, title) => {
    const { run } = richReport();
    const changed = { ...EMPTY.changed, count: exitCode === 0 ? 0 : 1 };
    const page = pageOf({
      run: { ...run, state: 'finished' },
      ending: { exitCode, next: [] },
      summary: { ...EMPTY, input: 1, created: 1, changed },
    });
    expect(page).toContain(`<h1>${title}`);
    expect([...page.matchAll(/<p class="state (\w+)">Exit code (\d+): /g)].map(([, is, code]) => [is, code])).toEqual([
      [tone, String(exitCode)],
    ]);
  });

  test('a session that was killed has no exit code', () => {
    const { run } = richReport();
    const page = pageOf({ run: { ...run, state: 'brokenOff' }, ending: { exitCode: null, next: [] } });
    expect(page).toContain('<h1>Aborted: ');
    expect(page).toContain('<p class="state bad">The last session did not come to its end');
  });

  test('the outcomes of items and amounts are bars, with a legend of what they have', () => {
    const page = pageOf();
    const charts = [...page.matchAll(/<figure class="shares"[^>]*>(.*?)<\/figure>/gs)].map(([, chart = '']) =>
      textOf(chart),
    );
    expect(charts).toEqual([
      ' payment instructions 849,561 statements 1,203,400 transactions 5,400,120 notes 2,000,000 sent already imported rejected not sent unknown unfinished ',
      ' CHARGE 204,007,200.50 PAYMENT -150,000,000.00 confirmed already imported rejected not sent unfinished ',
    ]);
    // All payments are confirmed.
    expect(page).toContain(
      '<span>PAYMENT</span><b>-150,000,000.00</b><svg class="steps" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true"><rect class="i-created" x="0" y="0" width="1000" height="10"/></svg>',
    );
  });

  test('shows the work of each machine of a distributed run', () => {
    const text = textOf(pageOf());
    expect(text).toContain('name host from to records ended requests answers 429 taken over');
    expect(text).toContain('coordinator import-0 2026-01-15 20:00:00 UTC active 610,400 2,441,600 1,204 33');
    expect(text).toContain('import-1 2026-01-15 20:01:30 UTC 2026-01-15 21:40:00 UTC 300,000 1,200,000 0 0');
    expect(text).toContain('import-2 import-2 2026-01-15 20:02:00 UTC no heartbeat 1 7 2 0');
  });

  test.each([[undefined], [[]]])('a run on one machine has no list of workers (%j)', (workers) => {
    expect(textOf(pageOf({ workers }))).not.toContain('<h2 id="workers">Workers</h2>');
  });

  test('a run that is running', () => {
    const { run } = richReport();
    const text = textOf(pageOf({ run: { ...run, state: 'running', endedAt: null } }));
    expect(text).toContain('Running: 852,310 records created');
    expect(text).toContain('Since 2026-01-15 20:00:00 UTC');
  });

  test('what the verification found to agree', () => {
    const verification = { at: '2026-01-15T22:05:00.000Z', compared: 12, differences: [] };
    expect(textOf(pageOf({ verification }))).toContain(
      '12 records, 2026-01-15 22:05:00 UTC. The accounts in the ledger match those of the service. The service does not list items, so they are not compared.',
    );
  });
});
