/**
 * `npm run pictures` creates the pictures of the docs from a real run: a sample input into a sandbox, in a terminal. It captures the
 * screen during the run, the report, and the console of a sandbox, light and dark. Needs Chromium and util-linux's `script`.
 * `npm run pictures -- run` or `-- console` creates some of them; `PICTURES_ACCOUNTS` sets a smaller input, for a test.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { pageOfRun } from './terminal.js';

const CHROMIUM = '/usr/bin/chromium';
const MOST_BYTES = 150_000;
const ACCOUNTS = process.env['PICTURES_ACCOUNTS'] ?? '30000';
const here = fileURLToPath(new URL('.', import.meta.url));
const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

for (const path of [CHROMIUM, '/usr/bin/script', cli]) {
  if (!existsSync(path)) throw new Error(`${path} is missing: install chromium and util-linux, and run npm run build.`);
}

const folder = mkdtempSync(join(tmpdir(), 'pictures-'));
const browser = await chromium.launch({
  executablePath: CHROMIUM,
  // Without coloured edges of letters a picture is half as large.
  args: ['--no-sandbox', '--disable-quic', '--disable-background-networking', '--disable-lcd-text'],
});
try {
  const only = process.argv[2];
  if (only !== 'console') await takeRun(browser);
  if (only !== 'run') await takeConsole(browser);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}

async function takeRun(by: Browser): Promise<void> {
  execFileSync(process.execPath, [cli, 'sample', '--accounts', ACCOUNTS], {
    stdio: ['ignore', openSync(join(folder, 'customers.jsonl'), 'w'), 'inherit'],
  });
  const terminal = join(folder, 'terminal.html');
  const page = await pageOfRun({
    shown: 'data-import-sdk run customers.jsonl --sandbox',
    command: `'${process.execPath}' '${cli}' run customers.jsonl --sandbox`,
    cwd: folder,
    columns: 120,
    rows: 24,
    // In the middle of the run, when the remaining time is shown.
    isMoment: (text) => /\([4-8]\d %\)/.test(text) && /^time left +(?:about|\d)/m.test(text),
  });
  writeFileSync(terminal, page);
  await take(by, 'terminal', pathToFileURL(terminal).href, { width: 1100, height: 200, scale: 2, of: 'figure' });
  const report = pathToFileURL(join(folder, 'data-import-rehearsal/report.html')).href;
  await take(by, 'report', report, { width: 1000, height: 600, scale: 1.2 });
}

/** Imports a small sample into a sandbox that continues to run, and takes a picture of its console. */
async function takeConsole(by: Browser): Promise<void> {
  const server = spawn(process.execPath, [cli, 'sandbox', '--port', '0', '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [line] = await once(server.stdout, 'data');
    const { url, token, consoleUrl } = JSON.parse(String(line));
    const sample = [cli, 'sample', '--accounts', '120', '--mistakes', '0.5'];
    writeFileSync(join(folder, 'small.jsonl'), execFileSync(process.execPath, sample));
    const args = [cli, 'run', 'small.jsonl', '--run', 'small', '--team', 'SANDBOX_TEAM', '--base-url', url];
    const env = { ...process.env, DATA_IMPORT_TOKEN: token };
    const run = spawn(process.execPath, args, { cwd: folder, env, stdio: 'ignore' });
    await once(run, 'exit');
    await take(by, 'console', consoleUrl, {
      width: 1340,
      height: 520,
      scale: 1,
      // Shows the rejected requests, and the details of the newest one.
      async prepare(page) {
        await page.locator('#requests select[name=status]').selectOption('400');
        await page.locator('#request-list [role=option]:has-text("400"):has-text("A-0000010")').first().click();
      },
    });
  } finally {
    server.kill();
  }
}

interface Shot {
  width: number;
  height: number;
  /** Pixels of the picture for one pixel of the page. */
  scale: number;
  /** Runs before the picture is taken. */
  prepare?: (page: Page) => Promise<void>;
  /** Selector of the element in the picture; without it, the picture shows the window. */
  of?: string;
}

async function take(
  by: Browser,
  name: string,
  url: string,
  { width, height, scale, prepare, of }: Shot,
): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await by.newContext({ colorScheme, viewport: { width, height }, deviceScaleFactor: scale });
    const page = await context.newPage();
    await page.goto(url);
    await page.waitForLoadState('networkidle');
    await prepare?.(page);
    await page.waitForLoadState('networkidle');
    const path = join(here, `${name}-${colorScheme}.png`);
    await (of === undefined ? page.screenshot({ path }) : page.locator(of).screenshot({ path }));
    await context.close();
    const { size } = statSync(path);
    console.log(`docs/pictures/${name}-${colorScheme}.png ${size} bytes`);
    if (size > MOST_BYTES) throw new Error(`${path} has ${size} bytes; expected at most ${MOST_BYTES}.`);
  }
}
