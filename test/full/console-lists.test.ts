/** The console with 50,000 accounts and 100,000 logged requests: as fast as with ten, and never more than 100 rows in the page. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSandbox, type Sandbox, type SandboxSnapshot } from '../../src/sandbox/index.js';
import { callerOf, eventually, hasBrowser, rowsOf, withBrowser } from './console-browser.js';

const ACCOUNTS = 50_000;
const REQUESTS = 100_000;
const MOST_ROWS = 100;
const LOADS = 6;
/** A page that were given every request would take a hundred times as long as one that is given ten. */
const MOST_TIMES = 4;

const numberOf = (index: number) => `A-${String(index).padStart(5, '0')}`;

/** Every third account is imported. */
function manyAccounts(snapshot: SandboxSnapshot): SandboxSnapshot {
  const [supplier] = snapshot.state.suppliers;
  supplier?.accounts.push(
    ...Array.from({ length: ACCOUNTS }, (_, index) => ({
      external_account_number: numberOf(index),
      staged_at: '2026-01-14T09:00:00Z',
      data: { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: numberOf(index) },
      documents: [],
      imported:
        index % 3 === 0
          ? {
              service_account_number: String(7_000_000_000_000_000 + index),
              account_created_at: '2026-01-14T10:00:00Z',
              operations_team_name: 'SANDBOX_TEAM',
              status: 'PENDING' as const,
              notes: [],
              transactions: [],
              statements: [],
              payment_instructions: [],
            }
          : null,
    })),
  );
  return snapshot;
}

/** Milliseconds of two things that are measured side by side. */
type Times = [one: number, other: number];

const best = (times: readonly Times[]): Times => [
  Math.min(...times.map(([one]) => one)),
  Math.min(...times.map(([, other]) => other)),
];

/** Whether to measure once more: on a busy machine the best of a few is not yet what the code needs. */
const isUndecided = (times: readonly Times[], least: number, isShown: (times: Times) => boolean) =>
  times.length < least || (!isShown(best(times)) && times.length < 10 * least);

describe.skipIf(!hasBrowser)('console: long lists', () => {
  const open = withBrowser();
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = createSandbox({ logLimit: REQUESTS });
    sandbox.restore(manyAccounts(sandbox.snapshot()));
    const call = callerOf(sandbox);
    for (let index = 0; index < REQUESTS; index++) {
      await call('GET', `account-transfer-status/SANDBOX_SUPPLIER/${numberOf(index % (ACCOUNTS + 10))}/`);
    }
  });
  afterAll(() => sandbox?.reset());

  const rowCount = "document.querySelectorAll('[role=option]').length";

  test('the first rows are there as soon as those of ten requests, or nearly', async () => {
    const watch = `{
      const look = () => document.querySelector('#request-list [role=option] .chip') === null
        ? setTimeout(look, 1)
        : requestAnimationFrame(() => { window.firstRows = performance.now(); });
      look();
    }`;
    const few = createSandbox();
    const call = callerOf(few);
    for (let index = 0; index < 10; index++) await call('GET', 'account-transfer-status/SANDBOX_SUPPLIER/A-1/');
    const firstRows = async (shown: Sandbox) => {
      const { page } = await open({ sandbox: shown, init: watch });
      await page.waitForFunction('window.firstRows !== undefined');
      const time = Number(await page.evaluate('window.firstRows'));
      await page.close();
      return time;
    };
    const times: Times[] = [];
    // Side by side, and the best of each counts: the first warms up, and the machine has other work.
    const isShown = ([many, ten]: Times) => many / ten < MOST_TIMES;
    while (isUndecided(times, LOADS, isShown)) times.push([await firstRows(sandbox), await firstRows(few)]);
    const [many, ten] = best(times);
    process.stdout.write(`first rows after ${many.toFixed(0)} ms, those of ten after ${ten.toFixed(0)} ms\n`);
    expect(many / ten).toBeLessThan(MOST_TIMES);
  });

  test.each(['q=4999', 'q=nothing', 'offset=49900&limit=100', 'stage=imported&status=PENDING'])(
    'a window of the accounts, %s, is answered sooner than all of them could be written down',
    async (query) => {
      const { url, close } = await sandbox.listen();
      const { accounts } = sandbox.snapshot().state.suppliers[0] ?? {};
      expect(accounts).toHaveLength(ACCOUNTS);
      const times: Times[] = [];
      while (isUndecided(times, 10, ([window, all]) => window < all)) {
        const start = performance.now();
        expect((await fetch(`${url}/__sandbox/accounts?${query}`)).status).toBe(200);
        const answered = performance.now();
        JSON.stringify(accounts);
        times.push([answered - start, performance.now() - answered]);
      }
      await close();
      const [window, all] = best(times);
      process.stdout.write(`accounts?${query}: ${window.toFixed(1)} ms at best, all of them ${all.toFixed(1)} ms\n`);
      expect(window).toBeLessThan(all);
    },
  );

  test('the log is scrolled and jumped through from the newest to the oldest', async () => {
    const { page, problems } = await open({ sandbox });
    await eventually(async () => (await rowsOf(page, '#request-list'))[0]).toMatch(/^100000 .* imports\.status/);
    expect(await page.evaluate("document.querySelector('#request-list').scrollHeight")).toBe(3_000_000);
    await page.locator('#request-list').focus();
    await page.keyboard.press('End');
    await eventually(() => page.locator('#request-detail h2').textContent()).toBe('#1 imports.status 200');
    expect((await rowsOf(page, '#request-list')).at(-1)).toMatch(/^1 /);
    for (const share of [0.1, 0.9, 0.5]) {
      await page.evaluate(`document.querySelector('#request-list').scrollTop = ${3_000_000 * share}`);
      const expected = `${REQUESTS - REQUESTS * share} `;
      await eventually(async () => (await rowsOf(page, '#request-list')).some((row) => row.startsWith(expected))).toBe(
        true,
      );
      expect(await page.evaluate(rowCount)).toBeLessThanOrEqual(MOST_ROWS);
    }
    expect(problems).toEqual([]);
  });

  test('a filter over all requests finds the few', async () => {
    const { page } = await open({ sandbox });
    await page.locator('#request-filters [name=status]').selectOption('404');
    await eventually(async () => (await rowsOf(page, '#request-list')).length).toBe(10);
    expect((await rowsOf(page, '#request-list'))[0]).toMatch(/^50010 [\d:.]{12} 404 \d+ imports\.status A-50009 U12$/);
  });

  test('accounts: to the end, and back by a search that is typed without a pause', async () => {
    const init = `window.added = 0;
      addEventListener('DOMContentLoaded', () => {
        new MutationObserver((changes) => {
          for (const { addedNodes } of changes) window.added += addedNodes.length;
        }).observe(document.querySelector('#account-list'), { childList: true, subtree: true });
      });`;
    const { page, problems } = await open({ sandbox, at: '#/accounts', init });
    await eventually(() => page.locator('#account-total').textContent()).toBe('50,000 accounts');
    await page.locator('#account-list').focus();
    await page.keyboard.press('End');
    await eventually(() => page.locator('#account-detail h2').textContent()).toBe('A-49999');
    expect(await page.evaluate(rowCount)).toBeLessThanOrEqual(MOST_ROWS);
    await page.keyboard.press('/');
    await page.evaluate('window.added = 0');
    const [number, serviceNumber] = ['A-4997', '7000000000049998'];
    await page.keyboard.type(number);
    await eventually(() => page.locator('#account-total').textContent()).toBe('10 accounts');
    await eventually(async () => (await rowsOf(page, '#account-list'))[0]).toMatch(/^A-49970 /);
    await page.keyboard.press('Control+A');
    await page.keyboard.type(serviceNumber);
    await eventually(() => rowsOf(page, '#account-list')).toEqual([
      'A-49998 SANDBOX_SUPPLIER imported PENDING 7000000000049998',
    ]);
    // However long the list, a key costs no more than the rows that are seen.
    const added = (await page.evaluate('window.added')) as number;
    const keys = number.length + 1 + serviceNumber.length;
    process.stdout.write(`nodes added by ${keys} keys: ${added}\n`);
    expect(added).toBeGreaterThan(0);
    expect(added).toBeLessThanOrEqual(keys * MOST_ROWS);
    expect(problems).toEqual([]);
  });

  test('holding an arrow key down shows the row where it stops', async () => {
    const { page } = await open({ sandbox, at: '#/accounts' });
    await eventually(() => page.locator('#account-total').textContent()).toBe('50,000 accounts');
    await page.locator('#account-list').focus();
    for (let press = 0; press < 150; press++) await page.keyboard.press('ArrowDown');
    await eventually(() => page.locator('#account-detail h2').textContent()).toBe('A-00149');
    expect(await page.evaluate(rowCount)).toBeLessThanOrEqual(MOST_ROWS);
    expect(await page.locator('#account-list [aria-selected=true]').textContent()).toContain('A-00149');
  });
});
