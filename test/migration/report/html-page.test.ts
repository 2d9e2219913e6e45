/** The report's page as text: nothing that came from outside is markup, and nothing is fetched or run. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { reportPage } from '../../../src/migration/report/html/page.js';
import type { Report } from '../../../src/migration/report/report.js';
import { noItemTotals } from '../../../src/migration/report/summary/item-totals.js';
import { FORMULA, richReport, SCRIPT } from './rich-report.js';

const EMPTY: Report['summary'] = {
  input: 0,
  created: 0,
  alreadyImported: 0,
  rejected: 0,
  skipped: 0,
  unknown: 0,
  unfinished: 0,
  notInInput: 0,
  unfinishedWithoutLine: 0,
  resolvableWithoutLine: 0,
  openOfRetry: 0,
  waiting: 0,
  duplicates: 0,
  incomplete: 0,
  balance: { isBalanced: true, text: '' },
  items: noItemTotals(),
  itemBalance: { isBalanced: true, text: '' },
  uncounted: 0,
  moved: { count: 0, places: [] },
  amounts: { types: [], suppliers: [], isExplained: true },
  otherAmounts: { count: 0, places: [] },
  funnel: [],
  errors: [],
  warnings: [],
  unknowns: [],
  changed: { count: 0, samples: [], unsent: 0, fields: [] },
  removed: { count: 0, samples: [] },
  accepted: { changed: 0, removed: 0 },
  corrected: { count: 0, samples: [] },
};

const pageOf = (more: Partial<Report> = {}) => reportPage({ ...richReport(), ...more });
const textOf = (page: string) =>
  page
    .replace(/<style>.*<\/style>/s, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ');

describe('injection', () => {
  const page = pageOf();

  test('markup in codes, attrs, numbers, interventions and settings is text', () => {
    expect(page).not.toContain('<script');
    expect(page).not.toContain('<img');
    // Code, attr, sample, configuration, intervention, difference, worker, place of a transaction: eight times.
    expect(page.split('&lt;script&gt;document.title=&quot;hurt&quot;&lt;/script&gt;').length - 1).toBe(8);
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

  test('its policy allows only its own style, by its hash', () => {
    const style = /<style>(.*)<\/style>/s.exec(page)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    const policy = `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'`;
    expect(page).toContain(`<meta http-equiv="Content-Security-Policy" content="${policy.replaceAll("'", '&#39;')}">`);
  });

  test('no address of anything', () => {
    const inTags = [...page.matchAll(/<[a-z][^>]*?\s(?:href|src|action|data|poster|srcset)="([^"]*)"/g)];
    const inStyle = [...page.matchAll(/(?:url\(|@import)([^)]*)/g)];
    const addresses = [...inTags, ...inStyle].map(([, address]) => address);
    expect(addresses).toEqual(['data:,']);
  });
});

describe('what it says', () => {
  test('the balance first, then what to do', () => {
    const text = textOf(pageOf());
    expect(text).toContain('Stopped: 852,310 records created, 61,204 records to correct, 41 unknown outcomes');
    expect(text).toContain(
      '852,310 created 1,204 already imported 61,204 rejected 3,120 skipped 41 unknown 82,121 unfinished 1,000,000 input',
    );
    expect(text).toContain(
      'This command continues the run. It sends nothing twice. data-import-sdk run input/ --team MIGRATION_TEAM',
    );
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
          { at: 0, rate: 10, concurrency: 2, throttled: 0 },
          { at: 1000, rate: 30, concurrency: 4, throttled: 3 },
          { at: 2000, rate: 20, concurrency: 3, throttled: 1 },
        ],
      ],
    });
    expect(page).toContain('aria-label="Rate: 20 on average, at most 30 records per second"');
    expect(page).toContain('aria-label="Process concurrency: at most 4 process calls in flight, 3 at the end"');
    expect(page).toContain('aria-label="Throttled: 4 answers 429, at most 3 between two points"');
    // From 0 to 50, at a fifth, three fifths and two fifths.
    expect(page).toContain('<path class="line" d="M0 80L500 40L1000 60"/>');
    expect(page).toContain('<path class="line" d="M0 60H500V20H1000V40"/>');
    expect(page).toContain('<path class="bars" d="M500 100V40M1000 100V80"/>');
  });

  test('all sessions of a run are in one plot, with a dashed line between them', () => {
    const quiet = { concurrency: 2, throttled: 0 };
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
    expect(page).toContain('aria-label="Rate: 25 on average, at most 40 records per second"');
    expect(page).toContain('<span>1970-01-01 00:00:00 UTC</span><span>1970-01-02 00:00:03 UTC</span>');
  });

  test('without an answer 429 there is no plot of these', () => {
    const samples = [0, 1000].map((at) => ({ at, rate: 10, concurrency: 2, throttled: 0 }));
    const page = pageOf({ sessions: [samples] });
    expect(page.split('<figure').length - 1).toBe(2);
    expect(textOf(page)).toContain('Throttled no answers 429');
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
      summary: { ...EMPTY, input: 1, created: 1 },
      sessions: [],
      audit: [],
      verification: undefined,
      workers: undefined,
    });
    const text = textOf(page);
    expect(text).toContain('Finished: all 1 record created');
    expect(text).not.toContain('data-import-sdk run');
    expect([...page.matchAll(/<h2[^>]*>([^<]*)/g)].map(([, title]) => title)).toEqual(['Configuration']);
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
