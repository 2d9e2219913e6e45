/** The page of a run and that of `certify` in a browser: dark and light, narrow and wide, on paper, without network and without a violation. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { certifyPage } from '../../src/certify/page.js';
import { reportPage } from '../../src/migration/report/html/page.js';
import { passedResult, richResult } from '../certify/rich-result.js';
import { PATIENCE } from '../helpers/patience.js';
import { richReport } from '../migration/report/rich-report.js';
import { CHROMIUM, hasBrowser } from './console-browser.js';

describe.skipIf(!hasBrowser)('report page', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  });
  afterAll(() => browser?.close());

  /** `problems`: requests, messages and violations of the policy, of which there are none. */
  async function open(
    options: BrowserContextOptions = {},
    text = reportPage(richReport()),
  ): Promise<{ page: Page; problems: string[] }> {
    const folder = await mkdtemp(join(tmpdir(), 'report-page-'));
    const path = join(folder, 'report.html');
    await writeFile(path, text);
    const context = await browser.newContext(options);
    onTestFinished(async () => {
      await context.close();
      await rm(folder, { recursive: true, force: true });
    });
    context.setDefaultTimeout(PATIENCE.timeout);
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('console', (message) => problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('dialog', (dialog) => problems.push(dialog.message()));
    page.on('request', (request) => {
      if (!request.url().startsWith('data:') && request.url() !== pathToFileURL(path).href)
        problems.push(request.url());
    });
    await page.goto(pathToFileURL(path).href);
    return { page, problems };
  }

  const violations = (page: Page) =>
    page.evaluate(`${axe.source}; axe.run(document, { resultTypes: ['violations'] }).then(
      ({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map((node) => node.html).join(' ')))`);

  describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
    test.each([1280, 768, 360])('%i wide: no violation, and nothing to scroll sideways', async (width) => {
      const { page, problems } = await open({ colorScheme, viewport: { width, height: 800 } });
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBe(width);
      expect(problems).toEqual([]);
    });
  });

  const certified = (result: typeof richResult) =>
    certifyPage(result, 'python3 migrate.py', (id) => `npx data-import-sdk certify --only ${id} -- python3 migrate.py`);

  test.each([
    ['light', 1280, richResult],
    ['dark', 390, richResult],
    ['light', 390, richResult],
    ['dark', 1280, passedResult],
  ] as const)('the page of certify in %s, %i wide, has none either', async (colorScheme, width, result) => {
    const { page, problems } = await open({ colorScheme, viewport: { width, height: 844 } }, certified(result));
    await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBe(width);
    const wider = await page.evaluate(
      "[...document.querySelectorAll('.wide')].filter((frame) => frame.scrollWidth > frame.clientWidth).length",
    );
    expect([wider, problems]).toEqual([0, []]);
    expect(await page.title()).not.toBe('hurt');
  });

  test.each([390, 768, 1280])(
    '%i wide: each table fits its frame, and each label of an axis is on one line',
    async (width) => {
      const { page } = await open({ viewport: { width, height: 844 } });
      const wider = await page.evaluate(
        "[...document.querySelectorAll('.wide')].filter((frame) => frame.scrollWidth > frame.clientWidth).length",
      );
      expect(wider).toBe(0);
      const heights = await page.evaluate(
        "[...document.querySelectorAll('.plot-times span')].map((label) => label.getBoundingClientRect().height)",
      );
      // A line of 13 px has at most 20 px.
      expect((heights as number[]).filter((height) => height > 20)).toEqual([]);
    },
  );

  test('no script of a code, a number or a setting runs', async () => {
    const { page, problems } = await open();
    expect(await page.title()).toBe(
      'Migration report: platform.example.com: Stopped: 852,310 records created, 41 unknown outcomes, 61,204 records to correct, 82,121 unfinished',
    );
    expect(await page.locator('script').count()).toBe(1);
    expect(await page.locator('img, iframe, object').count()).toBe(0);
    expect(await page.getByText('<script>document.title="hurt"</script>').count()).toBeGreaterThan(0);
    expect(problems).toEqual([]);
  });

  test('a button copies its command; without scripts there are no buttons, and a click selects the command', async () => {
    const { page, problems } = await open({ permissions: ['clipboard-read', 'clipboard-write'] });
    await page.getByRole('button', { name: 'Copy' }).first().click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      'data-import-sdk resolve --run run-2026-01-15 --accept changed',
    );
    expect(problems).toEqual([]);

    const { page: still } = await open({ javaScriptEnabled: false });
    expect(await still.getByRole('button').count()).toBe(0);
    expect(await still.evaluate("getComputedStyle(document.querySelector('.copy code')).userSelect")).toBe('all');
  });

  test('its style is allowed by its own policy', async () => {
    const { page } = await open({ colorScheme: 'light' });
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(246, 247, 247)');
  });

  test('no other style and no script gets past the policy', async () => {
    const { page, problems } = await open();
    const stopped = page.waitForEvent('requestfailed');
    await page.evaluate(`{
      const script = document.createElement('script');
      script.textContent = 'document.title = "hurt"';
      document.body.append(script);
      document.body.append(Object.assign(document.createElement('style'), { textContent: 'body { color: red }' }));
      document.body.append(Object.assign(document.createElement('img'), { src: 'https://tracker.example.com/x.png' }));
    }`);
    expect((await stopped).failure()).toEqual({ errorText: 'csp' });
    expect(await page.title()).not.toBe('hurt');
    expect(await page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(26, 32, 36)');
    expect(problems.filter((problem) => problem.includes('Content Security Policy'))).toHaveLength(3);
  });

  test('the plots are as wide as the page, and their lines are drawn', async () => {
    const { page } = await open({ viewport: { width: 360, height: 800 } });
    const boxes = await page.locator('.plot svg').evaluateAll((plots) =>
      (plots as unknown as { getBoundingClientRect(): { width: number; height: number } }[]).map((plot) => {
        const { width, height } = plot.getBoundingClientRect();
        return [Math.round(width) > 190, Math.round(height)];
      }),
    );
    expect(boxes).toEqual([
      [true, 110],
      [true, 110],
    ]);
  });

  test('printed, it is dark on white, also with a dark screen', async () => {
    const { page } = await open({ colorScheme: 'dark' });
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(
      await page.evaluate('[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]'),
    ).toEqual(['rgb(255, 255, 255)', 'rgb(26, 32, 36)']);
    expect((await page.pdf({ format: 'A4' })).length).toBeGreaterThan(10_000);
  });

  test('every table that scrolls can be reached by keyboard', async () => {
    const { page } = await open({ viewport: { width: 360, height: 800 } });
    const names: unknown[] = [];
    await page.locator('.files a').last().focus();
    for (let stop = 0; stop < 8; stop++) {
      await page.keyboard.press('Tab');
      names.push(
        await page.evaluate(
          "document.activeElement.getAttribute('aria-labelledby') ?? document.activeElement.textContent",
        ),
      );
    }
    expect(names).toEqual([
      ...['items', 'Their places in the input', 'amounts', 'Their places in the input'],
      ...['funnel', 'audit', 'workers', 'configuration'],
    ]);
  });
});
