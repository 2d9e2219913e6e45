/** The console without a mouse, with a screen reader, in both colours and in every width. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { DOMESTIC } from '../sandbox/support/payloads.js';
import { account, PROCESS, processing, STAGE } from '../sandbox/support/requests.js';
import { type Console, eventually, hasBrowser, rowsOf, withBrowser } from './console-browser.js';

const PARTS = ['requests', 'accounts', 'suppliers', 'faults', 'snapshots', 'settings'];
const focused = (page: Page) => page.evaluate('document.activeElement.id || document.activeElement.textContent.trim()');
const shownPart = (page: Page) => page.locator('[role=tabpanel]:visible').getAttribute('id');

/** Something in every part. */
async function furnish({ call, sandbox, page }: Console): Promise<void> {
  await call('POST', STAGE, DOMESTIC);
  await call('POST', PROCESS, processing('0001'));
  await call('POST', STAGE, { import_supplier: 'SANDBOX_SUPPLIER' });
  sandbox.skip('SANDBOX_SUPPLIER', 'Z-9');
  sandbox.faults.add({ match: { operation: 'notes.create' }, effect: 'drop' });
  await call('POST', 'notes/create/', { import_supplier: 'SANDBOX_SUPPLIER' }).catch(() => {});
  await eventually(async () => (await rowsOf(page, '#request-list')).length).toBe(4);
}

describe.skipIf(!hasBrowser)('console: access', () => {
  const open = withBrowser();

  test('the first stop skips the bar', async () => {
    const { page } = await open();
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Skip to the list');
    await page.keyboard.press('Enter');
    expect(await focused(page)).toBe('main');
    expect(await shownPart(page)).toBe('requests');
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('tab-requests');
  });

  test('tabs: one stop, arrows between them, first and last by Home and End', async () => {
    const { page } = await open();
    await page.locator('#tab-requests').focus();
    for (const [key, part] of [
      ['ArrowRight', 'accounts'],
      ['End', 'settings'],
      ['ArrowRight', 'requests'],
      ['ArrowLeft', 'settings'],
      ['Home', 'requests'],
    ] as const) {
      await page.keyboard.press(key);
      expect([await focused(page), await shownPart(page)]).toEqual([`tab-${part}`, part]);
      expect(await page.locator('[role=tab][tabindex="0"]').count()).toBe(1);
    }
  });

  test('a list by arrows, Enter to its detail, Escape back', async () => {
    const { page, call } = await open();
    for (const number of ['A-1', 'A-2', 'A-3']) await call('POST', STAGE, account(number));
    await eventually(async () => (await rowsOf(page, '#request-list')).length).toBe(3);
    await page.locator('#request-list').focus();
    const heading = () => page.locator('#request-detail h2').textContent();
    for (const [key, title] of [
      ['ArrowDown', '#3 accounts.stage 201'],
      ['ArrowDown', '#2 accounts.stage 201'],
      ['End', '#1 accounts.stage 201'],
      ['ArrowDown', '#1 accounts.stage 201'],
      ['Home', '#3 accounts.stage 201'],
      ['ArrowUp', '#3 accounts.stage 201'],
      ['PageDown', '#1 accounts.stage 201'],
    ] as const) {
      await page.keyboard.press(key);
      await eventually(heading).toBe(title);
    }
    const pointed = await page.locator('#request-list').getAttribute('aria-activedescendant');
    expect(await page.locator(`#${pointed}`).getAttribute('aria-selected')).toBe('true');
    expect(await page.locator(`#${pointed}`).getAttribute('aria-posinset')).toBe('3');
    expect(await page.locator(`#${pointed}`).getAttribute('aria-setsize')).toBe('3');
    await page.keyboard.press('Enter');
    expect(await focused(page)).toBe('request-detail');
    await page.keyboard.press('Escape');
    expect(await focused(page)).toBe('request-list');
    // Without an open request there is no empty half.
    const width = () => page.evaluate("document.querySelector('#request-list').getBoundingClientRect().width");
    expect(await width()).toBe(1280);
    await page.keyboard.press('Enter');
    expect(await focused(page)).toBe('request-detail');
    expect(await width()).toBeLessThan(800);
  });

  test('shortcuts: numbers, find, live, and the list of them', async () => {
    const { page } = await open();
    for (const [index, part] of PARTS.entries()) {
      await page.keyboard.press(String(index + 1));
      expect(await shownPart(page)).toBe(part);
    }
    await page.keyboard.press('/');
    expect(await shownPart(page)).toBe('requests');
    await page.keyboard.type('2l?');
    expect(await page.locator('#request-filters [name=q]').inputValue()).toBe('2l?');
    expect(await shownPart(page)).toBe('requests');
    await page.locator('#request-list').focus();
    await page.keyboard.press('l');
    expect(await page.getByLabel('Live').isChecked()).toBe(false);
    await page.keyboard.press('?');
    expect(await page.locator('#help-dialog').isVisible()).toBe(true);
  });

  test('single keys can be turned off, and stay off', async () => {
    const { page } = await open();
    await page.keyboard.press('?');
    await page.getByLabel('Single keys are shortcuts').uncheck();
    await page.keyboard.press('Escape');
    await page.keyboard.press('3');
    expect(await shownPart(page)).toBe('requests');
    await page.reload();
    await page.locator('#clock[datetime]').waitFor();
    await page.keyboard.press('3');
    expect(await shownPart(page)).toBe('requests');
    await page.getByRole('button', { name: 'Shortcuts' }).click();
    expect(await page.locator('#help-dialog').isVisible()).toBe(true);
  });

  test.each([
    ['help', 'help-dialog'],
    ['reset', 'confirm'],
    ['clock-set', 'clock-dialog'],
  ])('the dialog behind #%s keeps the focus inside, and gives it back', async (opener, dialog) => {
    const { page } = await open();
    await page.locator(`#${opener}`).focus();
    await page.keyboard.press('Enter');
    expect(await page.locator(`#${dialog}`).isVisible()).toBe(true);
    for (let stop = 0; stop < 12; stop++) {
      await page.keyboard.press('Tab');
      // The body stands for the browser's own bar.
      expect(
        await page.evaluate(
          `document.activeElement === document.body || document.activeElement.closest('dialog') !== null`,
        ),
      ).toBe(true);
    }
    await page.keyboard.press('Escape');
    expect(await focused(page)).toBe(opener);
  });

  test('a whole rehearsal with only the keyboard', async () => {
    const { page, sandbox, call } = await open();
    await call('POST', STAGE, account('A-1'));
    await call('POST', PROCESS, processing('A-1'));
    await page.keyboard.press('2');
    await eventually(async () => (await rowsOf(page, '#account-list')).length).toBe(1);
    await page.keyboard.press('/');
    await page.keyboard.type('A-1');
    await page.keyboard.press('Enter');
    await page.locator('#account-list').focus();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('button', { name: 'Switch to IN_PROGRESS' }).waitFor();
    await page.keyboard.press('Enter');
    // The first is the button that closes the detail.
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Switch to IN_PROGRESS');
    await page.keyboard.press('Enter');
    await eventually(() => sandbox.state.suppliers[0]?.accounts[0]?.imported?.status).toBe('IN_PROGRESS');
    await page.getByRole('button', { name: 'Switch to COMPLETED' }).waitFor();
    expect(await focused(page)).not.toBe('body');
    await page.keyboard.press('Escape');
    await page.keyboard.press('5');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.type('by keyboard');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Restore snapshot by keyboard' }).waitFor();
  });

  test('a screen reader announces new requests once, for any number of them', async () => {
    const init = `document.addEventListener('DOMContentLoaded', () => {
      window.announcements = [];
      const status = document.querySelector('#status');
      new MutationObserver(() => window.announcements.push(status.textContent)).observe(status, { childList: true });
    });`;
    const { page, call } = await open({ init });
    for (let round = 1; round <= 3; round++) {
      for (let number = 0; number < 10; number++) await call('POST', STAGE, account(`A-${round}-${number}`));
      await eventually(async () => (await rowsOf(page, '#request-list'))[0]).toMatch(new RegExp(`^${round}0 `));
    }
    expect(await page.evaluate('window.announcements')).toEqual([expect.stringMatching(/^\d+ new requests?$/)]);
  });

  describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
    test.each([1280, 360])('%i wide: no violation in any part, and nothing to scroll sideways', async (width) => {
      const console = await open({ browser: { colorScheme, viewport: { width, height: 740 } } });
      const { page, problems } = console;
      await furnish(console);
      // By the debugging interface: the page's own policy lets no such code in.
      const check = async (place: string) => {
        const violations = await page.evaluate(`${axe.source}; axe.run(document, { resultTypes: ['violations'] }).then(
          ({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map((node) => node.html).join(' ')))`);
        expect({ place, violations }).toEqual({ place, violations: [] });
        expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBeLessThanOrEqual(width);
      };
      for (const part of PARTS) {
        await page.locator(`#tab-${part}`).click();
        await check(part);
        if (part !== 'requests' && part !== 'accounts') continue;
        await page
          .locator(`#${part.slice(0, -1)}-list [role=option]`)
          .first()
          .click();
        await page.locator(`#${part.slice(0, -1)}-detail .facts`).waitFor();
        await check(`${part}, one of them`);
        if (width < 500) await page.locator(`#${part} .back`).click();
      }
      for (const opener of ['help', 'reset', 'clock-set']) {
        await page.locator(`#${opener}`).click();
        await check(opener);
        await page.keyboard.press('Escape');
      }
      expect(problems).toEqual([]);
    });
  });

  test('on a telephone every tab is visible', async () => {
    const { page } = await open({ browser: { viewport: { width: 390, height: 844 } } });
    const ends = await page.evaluate(
      "[...document.querySelectorAll('[role=tab]')].map((tab) => tab.getBoundingClientRect().right)",
    );
    expect(ends).toHaveLength(6);
    expect((ends as number[]).filter((end) => end > 390)).toEqual([]);
  });

  test('on a narrow screen the detail replaces the list, and can be closed', async () => {
    const console = await open({ browser: { viewport: { width: 360, height: 740 } } });
    const { page } = console;
    await furnish(console);
    await page.locator('#request-list [role=option]').first().click();
    expect(await page.locator('#request-list').isVisible()).toBe(false);
    await page.getByRole('button', { name: '← Back to the list' }).click();
    expect(await page.locator('#request-list').isVisible()).toBe(true);
    expect(await focused(page)).toBe('request-list');
  });
});
