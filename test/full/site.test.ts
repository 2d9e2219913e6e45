/** The site in a browser, as `npm run site` has built it: each page of the menu, wide and narrow, light and dark, and the search. */
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { root } from '../documents/documents.js';
import { PATIENCE } from '../helpers/patience.js';
import { CHROMIUM, eventually, hasBrowser } from './console-browser.js';

const DIST = join(root, 'site/.vitepress/dist');
const isBuilt = existsSync(join(DIST, 'index.html'));
if (!isBuilt) process.stdout.write('SKIPPED: the site in a browser, since it is not built: npm run site builds it.\n');

const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

/** The pages that the menu names, without the decisions and the generated reference. */
const menu = isBuilt ? pagesOfMenu(readFileSync(join(DIST, 'index.html'), 'utf8')) : [];

/** Pages with each kind of content: text, tables, code, diagrams, pictures. axe takes seconds for one. */
const OF_EACH_KIND = ['/', '/client.html', '/run.html', '/exit-codes.html', '/cookbook.html'];

describe.skipIf(!hasBrowser || !isBuilt)('the site', () => {
  let browser: Browser;
  let server: Server;
  let origin: string;
  beforeAll(async () => {
    server = createServer(({ url = '/' }, answer) => {
      const { pathname } = new URL(url, 'http://site');
      const file = join(DIST, decodeURIComponent(pathname.endsWith('/') ? `${pathname}index.html` : pathname));
      if (!existsSync(file)) return void answer.writeHead(404).end();
      answer.writeHead(200, { 'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream' });
      answer.end(readFileSync(file));
    }).listen(0, '127.0.0.1');
    await new Promise((listening) => server.once('listening', listening));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  /** `problems`: messages of the console, failed requests, and requests to anywhere else, of which there are none. */
  async function open(options: BrowserContextOptions): Promise<{ page: Page; problems: string[] }> {
    const context = await browser.newContext(options);
    onTestFinished(() => context.close());
    context.setDefaultTimeout(PATIENCE.timeout);
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('response', (response) => {
      if (!response.ok()) problems.push(`${response.status()} ${response.url()}`);
    });
    page.on('request', (request) => {
      if (!/^data:/.test(request.url()) && !request.url().startsWith(origin)) problems.push(request.url());
    });
    return { page, problems };
  }

  const violations = (page: Page) =>
    page.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then(
      ({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map((node) => node.html).join(' ')))`);

  test('the menu names the pages that people need', () => {
    expect(menu.length).toBeGreaterThan(30);
    expect(menu).toEqual(
      expect.arrayContaining(['/client.html', '/run.html', '/exit-codes.html', '/threat-model.html']),
    );
  });

  test.each([
    { width: 1280, colorScheme: 'light', pages: menu },
    { width: 390, colorScheme: 'light', pages: menu },
    { width: 1280, colorScheme: 'dark', pages: OF_EACH_KIND },
  ] as const)(
    '$width px wide and $colorScheme, the pages of the menu open without a problem',
    async ({ pages, ...kind }) => {
      const { page, problems } = await open({ ...kind, viewport: { width: kind.width, height: 900 } });
      await page.addInitScript(axe.source);
      const found: unknown[] = [];
      for (const path of pages) {
        await page.goto(origin + path, { waitUntil: 'load' });
        await page.locator('.vp-doc h1').waitFor();
        const width = await page.evaluate('document.scrollingElement.scrollWidth');
        if (width !== kind.width) found.push([path, `${width} px wide`]);
        const isChecked = OF_EACH_KIND.includes(path) && kind.width === 1280;
        const all = [...(isChecked ? ((await violations(page)) as string[]) : []), ...problems.splice(0)];
        found.push(...all.map((problem) => [path, problem]));
      }
      expect(found).toEqual([]);
    },
  );

  test.each([1280, 390])('%i px wide, each link of the top bar opens its page', async (width) => {
    const { page, problems } = await open({ viewport: { width, height: 900 } });
    for (const [name, title] of [
      ['Guides', 'Rehearse a migration'],
      ['Reference', 'Commands and options'],
      ['Inside', 'Architecture'],
      ['Start', 'data-import-sdk'],
    ] as const) {
      await page.goto(`${origin}/verify.html`);
      if (width < 768) await page.getByRole('button', { name: 'mobile navigation' }).click();
      await page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
      await eventually(() => page.locator('.vp-doc h1').textContent()).toContain(title);
    }
    expect(problems).toEqual([]);
  });

  test.each([
    ['exit code', 'Exit codes of a run'],
    ['negative amount', 'Your data, field by field'],
    ['createSandbox', 'The sandbox'],
  ])('the search for %s first finds %s', async (words, title) => {
    const { page, problems } = await open({ viewport: { width: 1280, height: 900 } });
    await page.goto(origin);
    await page.getByRole('button', { name: 'Search' }).click();
    await page.locator('.search-input').fill(words);
    await eventually(() => page.locator('.results .result').first().textContent()).toContain(title);
    await page.locator('.results .result').first().click();
    await page.locator('.vp-doc h1').waitFor();
    expect(problems).toEqual([]);
  });

  test('the diagrams and pictures of a page follow the switch between light and dark', async () => {
    const { page } = await open({ viewport: { width: 1280, height: 900 }, colorScheme: 'light' });
    await page.goto(`${origin}/run.html`);
    const shown = () =>
      page
        .locator('.vp-doc img:visible')
        .evaluateAll((all) => all.map((one) => (one as unknown as { className: string }).className));
    expect(await shown()).toEqual(['in-light', 'in-light']);
    await page.getByRole('switch').first().click();
    expect(await shown()).toEqual(['in-dark', 'in-dark']);
    await page.goto(origin);
    expect(await page.locator('.diagram svg').count()).toBe(2);
  });
});

function pagesOfMenu(html: string): string[] {
  const [, sidebar = ''] = /<aside class="VPSidebar"([\s\S]*?)<\/aside>/.exec(html) ?? [];
  const links = [...sidebar.matchAll(/href="([^"]+)"/g)].map(([, path = '']) => path);
  return [...new Set(links)].filter((path) => !/^\/(decisions|reference\/(api|cli)\/.)/.test(path));
}
