/** The console in a browser: the request log and the accounts, as a person uses them. */
import { describe, expect, test } from 'vitest';
import { DOMESTIC } from '../sandbox/support/payloads.js';
import { account, PROCESS, processing, STAGE } from '../sandbox/support/requests.js';
import { eventually, hasBrowser, rowsOf, shown, withBrowser } from './console-browser.js';

/** Gives each request of the log one time. */
const FIXED_ENTRY = `
  const { json } = Response.prototype;
  Response.prototype.json = async function () {
    const body = await json.call(this);
    for (const entry of body.entries ?? []) Object.assign(entry, { received_at: '2026-11-27T16:30:15.250Z', took_ms: 1200 });
    return body;
  };`;

describe.skipIf(!hasBrowser)('console', () => {
  const open = withBrowser();

  describe('requests', () => {
    test('a request appears by itself, and a choice shows its rule, bodies, change and curl line', async () => {
      const { page, call, server, problems } = await open();
      await call('POST', STAGE, account('A-1'));
      await eventually(() => rowsOf(page, '#request-list')).toEqual([
        expect.stringMatching(/^1 [\d:.]{12} 201 \d+ accounts\.stage A-1 staged$/),
      ]);
      await page.locator('#request-list [role=option]').click();
      const detail = page.locator('#request-detail');
      await eventually(() => detail.locator('h2').textContent()).toBe('#1 accounts.stage 201');
      const facts = await shown(detail.locator('.facts'));
      for (const words of [
        'POST /v1/data-import/account-import-process/create-or-update/',
        'E5',
        'staged',
        'nothing: the answer is documented',
      ]) {
        expect(facts).toContain(words);
      }
      await detail.getByRole('button', { name: 'Copy: curl line' }).click();
      await eventually(() => page.evaluate('navigator.clipboard.readText()')).toBe(
        `curl -X POST '${server.url}/v1/data-import/account-import-process/create-or-update/' ` +
          `-H "Authorization: Token $TOKEN" -H 'Content-Type: application/json' ` +
          `--data-raw '{"import_supplier":"SANDBOX_SUPPLIER","external_account_number":"A-1"}'`,
      );
      expect(await shown(detail.getByRole('region', { name: 'Request body' }))).toContain(
        '"external_account_number": "A-1"',
      );
      expect(problems).toEqual([]);
    });

    test('the time of a request is that of the machine in the time zone of the reader, at 390 pixels too; the sandbox has its own clock', async () => {
      const { page, call } = await open({
        browser: { timezoneId: 'Asia/Tokyo' },
        init: FIXED_ENTRY,
      });
      await call('POST', STAGE, account('A-1'));
      const row = page.locator('#request-list [role=option]');
      await eventually(() => rowsOf(page, '#request-list')).toEqual([
        '1 01:30:15.250 201 1,200 accounts.stage A-1 staged',
      ]);
      await page.setViewportSize({ width: 390, height: 844 });
      expect((await shown(row)).replace(/\s+/g, ' ')).toBe('01:30:15.250 201 accounts.stage A-1');
      await row.click();
      const facts = await shown(page.locator('#request-detail .facts'));
      expect(facts).toMatch(/Received\s+2026-11-28 01:30:15\.250, answered after 1,200 ms/);
      expect(facts).toMatch(/Sandbox clock\s+2026-01-15 09:00:00 UTC/);
    });

    test('U14 the assumptions of an answer are shown with setting and value; a fault with its id', async () => {
      const { page, call, sandbox } = await open({ sandbox: { settings: { accountNotFound: 404 } } });
      sandbox.faults.add({ id: 'late', match: { operation: 'accounts.stage' }, effect: { status: 503, body: {} } });
      await call('POST', STAGE, account('A-1'));
      await call('POST', 'payment-instruction/create/', {
        import_supplier: 'SANDBOX_SUPPLIER',
        external_account_number: 'A-1',
        vendor: 'V',
        reference: 'R',
        type: 'CARD',
      });
      await page.locator('#request-list [role=option]', { hasText: 'paymentInstructions.create' }).click();
      await eventually(() => shown(page.locator('#request-detail .facts'))).toMatch(/U14\s+accountNotFound = 404/);
      await page.locator('#request-list [role=option]', { hasText: 'accounts.stage' }).click();
      await eventually(() => shown(page.locator('#request-detail .facts'))).toMatch(/Faults\s+late/);
    });

    test('filters by text, operation, status and account; from an account to its requests and back', async () => {
      const { page, call } = await open();
      await call('POST', STAGE, account('A-1'));
      await call('POST', STAGE, { import_supplier: 'SANDBOX_SUPPLIER' });
      await call('POST', PROCESS, processing('A-1'));
      await call('GET', 'nowhere/');
      const ids = async () => (await rowsOf(page, '#request-list')).map((row) => Number(row.split(' ')[0]));
      await eventually(ids).toEqual([4, 3, 2, 1]);
      await page.locator('#request-filters [name=q]').fill('u1');
      await eventually(ids).toEqual([4]);
      await page.locator('#request-filters [name=q]').fill('');
      await page.locator('#request-filters [name=status]').selectOption('4xx');
      await eventually(ids).toEqual([4, 2]);
      await page.locator('#request-filters [name=operation]').selectOption('accounts.stage');
      await eventually(ids).toEqual([2]);
      await page.locator('#request-filters [name=status]').selectOption('');
      await page.locator('#request-filters [name=operation]').selectOption('');
      await page.locator('#request-filters [name=account]').fill('A-1');
      await eventually(ids).toEqual([3, 1]);
      await page.locator('#request-list [role=option]').first().click();
      await page.locator('#request-detail').getByRole('button', { name: 'A-1', exact: true }).click();
      await eventually(() => page.locator('#account-detail h2').textContent()).toBe('A-1');
      await page.getByRole('button', { name: 'Its requests' }).click();
      await eventually(ids).toEqual([3, 1]);
      await page.locator('#request-filters [name=q]').fill('nothing like it');
      await eventually(() => page.locator('#request-empty').isVisible()).toBe(true);
    });

    test('new requests while Live is off appear after a click on a button', async () => {
      const { page, call } = await open();
      await page.getByLabel('Live').uncheck();
      await call('POST', STAGE, account('A-1'));
      await call('POST', STAGE, account('A-2'));
      await eventually(() => page.locator('#request-new').textContent()).toBe('2 new');
      expect(await rowsOf(page, '#request-list')).toEqual([]);
      await page.locator('#request-new').click();
      await eventually(async () => (await rowsOf(page, '#request-list')).length).toBe(2);
      expect(await page.locator('#request-new').isVisible()).toBe(false);
    });

    test('the selected row stays selected while new ones arrive', async () => {
      const { page, call } = await open();
      await call('POST', STAGE, account('A-1'));
      await page.locator('#request-list [role=option]').click();
      await call('POST', STAGE, account('A-2'));
      await eventually(async () => (await rowsOf(page, '#request-list')).length).toBe(2);
      expect(await page.locator('#request-list [aria-selected=true] .number').first().textContent()).toBe('1');
    });

    test('the log is cleared', async () => {
      const { page, call, sandbox } = await open();
      await call('POST', STAGE, account('A-1'));
      await eventually(async () => (await rowsOf(page, '#request-list')).length).toBe(1);
      await page.getByRole('button', { name: 'Clear log' }).click();
      await eventually(async () => (await rowsOf(page, '#request-list')).length).toBe(0);
      expect(sandbox.requests()).toEqual([]);
      await call('POST', STAGE, account('A-2'));
      await eventually(() => rowsOf(page, '#request-list')).toEqual([
        expect.stringMatching(/^1 [\d:.]{12} 201 \d+ accounts\.stage A-2 staged$/),
      ]);
    });
  });

  describe('accounts', () => {
    test('by stage, with payload, notes, transactions, documents and open period', async () => {
      const { page, call, problems } = await open();
      await call('POST', STAGE, { ...DOMESTIC, notes: [{ body: 'x', document_paths: [{ document_path: '/n.pdf' }] }] });
      await call('POST', PROCESS, processing('0001'));
      await call('POST', STAGE, account('A-2'));
      await call('POST', 'transactions/create/', {
        import_supplier: 'SANDBOX_SUPPLIER',
        external_account_number: '0001',
        transactions: [{ transaction_id: 'T-1', transaction_date: '2026-01-10', amount: 12.5, type: 'CHARGE' }],
      });
      await page.getByRole('tab', { name: /Accounts/ }).click();
      await eventually(() => rowsOf(page, '#account-list')).toEqual([
        expect.stringMatching(/^0001 SANDBOX_SUPPLIER imported PENDING \d{16}$/),
        'A-2 SANDBOX_SUPPLIER staged',
      ]);
      await page.locator('#account-filters [name=stage]').selectOption('imported');
      await eventually(() => page.locator('#account-total').textContent()).toBe('1 account');
      await page.locator('#account-list [role=option]').click();
      const detail = page.locator('#account-detail');
      await eventually(() => shown(detail.locator('.facts'))).toMatch(/Open period\s+2026-01-01 to 2026-01-15/);
      expect(await shown(detail.locator('.facts'))).toContain('sandbox-bucket//n.pdf');
      expect(await shown(detail.getByRole('region', { name: 'Transactions (1)' }))).toContain('"amount": "12.50"');
      expect(await shown(detail.getByRole('region', { name: 'Notes (1)' }))).toContain('"is_pinned": false');
      expect(await shown(detail.getByRole('region', { name: 'Payload' }))).toContain('"last_billed_to_date"');
      expect(problems).toEqual([]);
    });

    test('U8, U23 the switch is moved along, and a skip mark set and taken away', async () => {
      const { page, call, sandbox } = await open();
      await call('POST', STAGE, account('A-1'));
      await call('POST', PROCESS, processing('A-1'));
      await page.getByRole('tab', { name: /Accounts/ }).click();
      await page.locator('#account-list [role=option]').click();
      await page.getByRole('button', { name: 'Switch to IN_PROGRESS' }).click();
      await page.getByRole('button', { name: 'Switch to REJECTED' }).click();
      await eventually(() => rowsOf(page, '#account-list')).toEqual([expect.stringContaining('imported REJECTED')]);
      expect(await page.getByRole('button', { name: /^Switch to/ }).count()).toBe(0);
      expect(sandbox.state.suppliers[0]?.accounts[0]?.imported?.status).toBe('REJECTED');
      await page.getByRole('button', { name: 'Mark to skip' }).click();
      await page.getByRole('button', { name: 'Remove the skip mark' }).waitFor();
      expect(sandbox.state.suppliers[0]?.skipped).toEqual(['A-1']);
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Remove the skip mark');
      await page.getByRole('button', { name: 'Remove the skip mark' }).click();
      await page.getByRole('button', { name: 'Mark to skip' }).waitFor();
      expect(sandbox.state.suppliers[0]?.skipped).toEqual([]);
    });
  });
});
