/** How the console comes to a browser. What it does there is checked in test/full/console.test.ts. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { openAdmin } from '../support/admin-requests.js';

const folder = fileURLToPath(new URL('../../../src/sandbox/admin/console/', import.meta.url));
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
  /\.(?:html|css|js)$/.test(name),
);

describe('console: its files', () => {
  test('the page is at /__sandbox/, with or without the slash, and keeps the selected state', async () => {
    const { send, server } = await openAdmin();
    const { status, headers, body } = await send('GET', '?space=file-1');
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(body).toContain('<title>Sandbox console</title>');
    const response = await fetch(`${server.url}/__sandbox?space=file-1`, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([302, '/__sandbox/?space=file-1']);
  });

  test.each([
    ['styles/base.css', 'text/css; charset=utf-8'],
    ['console.js', 'text/javascript; charset=utf-8'],
    ['tabs/accounts.js', 'text/javascript; charset=utf-8'],
  ])('%s comes as %s', async (name, type) => {
    const { send } = await openAdmin();
    const { status, headers } = await send('GET', `assets/${name}`);
    expect([status, headers['content-type']]).toEqual([200, type]);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
  });

  test.each([
    ...['tsconfig.json', 'none.js', 'tabs/none.js', 'tabs', 'tabs/', 'tabs/../console.js.map', '..%2Fsandbox.ts'],
    ...['tabs%2F..%2F..%2Fadmin-app.ts', '..%2F..%2F..%2Fpackage.json', '%2Fetc%2Fpasswd', 'a%00.js'],
  ])('there is no asset %s', async (name) => {
    const { send } = await openAdmin();
    expect(await send('GET', `assets/${name}`)).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  test('another page may link to the console, and neither embed it nor load its files', async () => {
    const { send } = await openAdmin();
    const from = (mode: string) => ({ 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': mode });
    expect((await send('GET', '', undefined, from('navigate'))).status).toBe(200);
    expect((await send('GET', '', undefined, from('cors'))).status).toBe(403);
    expect((await send('GET', 'assets/console.js', undefined, from('no-cors'))).status).toBe(403);
    expect((await send('GET', 'overview', undefined, from('navigate'))).status).toBe(403);
  });

  test('the page announces every module that it loads', () => {
    const page = readFileSync(`${folder}index.html`, 'utf8');
    for (const name of files.filter((file) => file.endsWith('.js'))) expect(page).toContain(`"assets/${name}"`);
  });

  test.each(files)('%s loads nothing from elsewhere, and turns no data into HTML or code', (name) => {
    const text = readFileSync(folder + name, 'utf8').replaceAll("xmlns='http://www.w3.org/2000/svg'", '');
    expect(text).not.toMatch(/https?:\/\/|@import|url\(/);
    expect(text).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|srcdoc/);
    expect(text).not.toMatch(/ style="| on\w+="/);
  });
});
