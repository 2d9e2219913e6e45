/** A headless browser on the console of a fresh sandbox, and everything that goes wrong in it. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { createSandbox, type Sandbox, type SandboxOptions, type SandboxServer } from '../../src/sandbox/index.js';
import { PATIENCE } from '../helpers/patience.js';
import { BASE } from '../sandbox/support/requests.js';

export const CHROMIUM = '/usr/bin/chromium';

/** Whether there is a browser, or one could be installed; otherwise prints one line with the skipped tests. */
export const hasBrowser = existsSync(CHROMIUM) || install();

function install(): boolean {
  try {
    execFileSync('apt-get', ['install', '-y', 'chromium'], { stdio: 'ignore' });
  } catch {
    // No such system, or not allowed to.
  }
  const isThere = existsSync(CHROMIUM);
  if (!isThere) process.stdout.write(`SKIPPED: the console in a browser, since there is no ${CHROMIUM}.\n`);
  return isThere;
}

export interface Console {
  page: Page;
  sandbox: Sandbox;
  server: SandboxServer;
  /** Errors and warnings of the page, refused contents, and requests to anywhere else. Each test expects what it expects. */
  problems: string[];
  /** A call of the service in process, as of a caller that the console watches. */
  call(method: string, path: string, body?: unknown): Promise<unknown>;
}

export interface ConsoleOptions {
  sandbox?: Sandbox | SandboxOptions;
  browser?: BrowserContextOptions;
  /** Behind `/__sandbox/`. */
  at?: string;
  /** Runs in the page before its own scripts. */
  init?: string;
}

/** Opens one console a test; the browser lasts for the file. */
export function withBrowser(): (options?: ConsoleOptions) => Promise<Console> {
  let browser: Browser;
  beforeAll(async () => {
    const args = ['--no-sandbox', '--disable-quic', '--disable-background-networking'];
    browser = await chromium.launch({ executablePath: CHROMIUM, args });
  });
  afterAll(() => browser?.close());
  return async ({ sandbox: given = {}, browser: contextOptions = {}, at = '', init } = {}) => {
    const sandbox = 'fetch' in given ? given : createSandbox(given);
    const server = await sandbox.listen();
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...contextOptions });
    onTestFinished(async () => {
      await context.close();
      await server.close().catch(() => {});
    });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    context.setDefaultTimeout(PATIENCE.timeout);
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('request', (request) => {
      if (!request.url().startsWith(server.url) && !request.url().startsWith('data:')) problems.push(request.url());
    });
    await page.addInitScript(
      "document.addEventListener('securitypolicyviolation', (event) => console.error('CSP ' + event.violatedDirective));",
    );
    if (init !== undefined) await page.addInitScript(init);
    await page.goto(`${server.url}/__sandbox/${at}`);
    await page.locator('#clock[datetime]').waitFor();
    return { page, sandbox, server, problems, call: callerOf(sandbox) };
  };
}

export function callerOf(sandbox: Sandbox): Console['call'] {
  const headers = { Authorization: `Token ${sandbox.token}`, 'Content-Type': 'application/json' };
  return async (method, path, body) => {
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    return (await sandbox.fetch(new Request(BASE + path, init))).json();
  };
}

interface Cell {
  textContent: string | null;
  children: Iterable<Cell>;
}

/** Rows of a list that are in the page, from top to bottom: their cells, with a space between them. */
export function rowsOf(page: Page, list: '#request-list' | '#account-list'): Promise<string[]> {
  return page.locator(`${list} [role=option]`).evaluateAll((rows) =>
    (rows as unknown as Cell[]).map((row) =>
      Array.from(row.children, ({ textContent }) => textContent?.trim() ?? '')
        .filter((text) => text !== '')
        .join(' '),
    ),
  );
}

/** Text as it is rendered: what is hidden is not in it. */
export async function shown(locator: Locator): Promise<string> {
  return (await locator.allInnerTexts()).join('\n');
}

/** Waits until the page shows it: the browser renders asynchronously. */
export const eventually = <Value>(read: () => Value) => expect.poll(read, { ...PATIENCE, interval: 25 });
