/** The console in a browser: suppliers, faults, clock, processing, snapshots, reset, settings, spaces; and what it keeps to itself. */
import { describe, expect, test } from 'vitest';
import { DOMESTIC } from '../sandbox/support/payloads.js';
import { account, PROCESS, processing, STAGE } from '../sandbox/support/requests.js';
import { eventually, hasBrowser, rowsOf, shown, withBrowser } from './console-browser.js';

describe.skipIf(!hasBrowser)('console', () => {
  const open = withBrowser();

  describe('suppliers', () => {
    test('status, a further supplier, teams and documents', async () => {
      const { page, sandbox, problems } = await open();
      await page.getByRole('tab', { name: /Suppliers/ }).click();
      await page.getByLabel('Status of SANDBOX_SUPPLIER').selectOption('Paused');
      await eventually(() => sandbox.state.suppliers[0]?.status).toBe('Paused');
      const form = page.getByRole('form', { name: 'Add an import supplier' });
      await form.getByLabel('Code').fill('OTHER');
      await form.getByLabel('Root').fill('other');
      await form.getByRole('button').click();
      await page.getByLabel('Status of OTHER').waitFor();
      await page.getByRole('form', { name: 'Add an operations team' }).getByLabel('Name').fill('Night');
      await page.getByRole('button', { name: 'Add team' }).click();
      await page.getByRole('button', { name: 'Remove team SANDBOX_TEAM' }).click();
      await eventually(() => sandbox.state.teams).toEqual(['Night']);
      const documents = page.getByRole('form', { name: 'Register documents' });
      await documents.getByLabel('Supplier').selectOption('OTHER');
      await documents.getByLabel('Path').fill('/a.pdf');
      await documents.getByRole('button').click();
      await eventually(() => sandbox.state.documents).toEqual(['sandbox-bucket/other/a.pdf']);
      await eventually(() => page.locator('#document-count').textContent()).toContain('1 registered');
      expect(problems).toEqual([]);
    });

    test('a refusal of the server is shown at the top, and the form keeps its values', async () => {
      const { page } = await open();
      await page.getByRole('tab', { name: /Suppliers/ }).click();
      await page.getByRole('form', { name: 'Add an operations team' }).getByLabel('Name').fill('SANDBOX_TEAM');
      await page.getByRole('button', { name: 'Add team' }).click();
      await eventually(() => page.getByRole('alert').textContent()).toContain(
        'An operations team with the name SANDBOX_TEAM exists.',
      );
      expect(await page.locator('#team-form [name=name]').inputValue()).toBe('SANDBOX_TEAM');
      await page.getByRole('alert').getByRole('button', { name: 'Close' }).click();
      expect(await page.getByRole('alert').textContent()).toBe('');
    });
  });

  describe('faults', () => {
    test('a preset fills the form, the rule is added, counted and removed', async () => {
      const { page, sandbox, call, problems } = await open();
      await page.getByRole('tab', { name: /Faults/ }).click();
      await page.getByLabel('Preset').selectOption('429 with Retry-After 2');
      await page.locator('#fault-form [name=operation]').selectOption('accounts.stage');
      await page.getByRole('button', { name: 'Add rule' }).click();
      await eventually(() => sandbox.faults.list()).toMatchObject([
        {
          id: 'fault-1',
          match: { operation: 'accounts.stage' },
          when: 'every',
          effect: {
            status: 429,
            headers: { 'Retry-After': '2' },
            body: { detail: 'Too many requests.', code: 'throttled' },
          },
          phase: 'before',
          times: 5,
        },
      ]);
      await call('POST', STAGE, account('A-1'));
      await eventually(() => shown(page.locator('#fault-rows'))).toMatch(
        /fault-1\s+accounts\.stage\s+every time, at most 5 times\s+answer 429\s+before\s+1\s+1/,
      );
      await page.getByRole('button', { name: 'Remove fault fault-1' }).click();
      await eventually(() => sandbox.faults.list()).toEqual([]);
      expect(problems).toEqual([]);
    });

    test.each([
      ['intermittent 500, one in ten', { when: { probability: 0.1 }, effect: { status: 500 } }],
      ['503 for the next 5 calls', { when: 'every', effect: { status: 503 }, times: 5 }],
      ['502 with HTML from a gateway', { effect: { status: 502, body: '<html><body>Bad gateway</body></html>' } }],
      ['token refused once', { when: 'first', effect: { status: 401 } }],
      ['slow: 2 s before each call', { effect: { latencyMs: 2000 } }],
      ['connection closed, nothing done', { when: 'first', effect: 'drop', phase: 'before' }],
      [
        'done, but the answer is lost',
        { match: { operation: 'accounts.process' }, effect: 'drop', phase: 'afterCommit' },
      ],
      ['answer cut half way', { effect: 'malformed', phase: 'afterCommit' }],
    ])('the preset "%s" gives %j', async (preset, rule) => {
      const { page, sandbox } = await open({ at: '#/faults' });
      await page.getByLabel('Preset').selectOption(preset);
      await page.getByRole('button', { name: 'Add rule' }).click();
      await eventually(() => sandbox.faults.list()).toMatchObject([rule]);
      await page.getByRole('button', { name: 'Remove all' }).click();
      await eventually(() => sandbox.faults.list()).toEqual([]);
    });

    test('a custom rule, and an invalid one', async () => {
      const { page, sandbox } = await open({ at: '#/faults' });
      const field = (name: string) => page.locator(`#fault-form [name=${name}]`);
      expect(await field('when_value').isVisible()).toBe(false);
      await page.getByRole('button', { name: 'Add rule' }).click();
      await eventually(() => page.getByRole('alert').textContent()).toContain('fault rule: effect');
      await field('id').fill('mine');
      await field('supplier').fill('S');
      await field('account').fill('A-1');
      await field('when').selectOption('every-nth');
      await field('when_value').fill('3');
      await field('status').fill('500');
      await field('times').fill('2');
      await page.getByRole('button', { name: 'Add rule' }).click();
      await eventually(() => sandbox.faults.list()).toEqual([
        {
          id: 'mine',
          match: { supplier: 'S', account: 'A-1' },
          when: { every: 3 },
          effect: { status: 500 },
          phase: 'before',
          times: 2,
          met: 0,
          fired: 0,
          tries: {},
        },
      ]);
    });
  });

  describe('clock, processing, snapshots, reset', () => {
    test('the clock advances by an hour, a day, thirty days, and to a date', async () => {
      const { page, sandbox } = await open();
      for (const [name, now] of [
        ['+1 h', '2026-01-15 10:00:00 UTC'],
        ['+1 day', '2026-01-16 10:00:00 UTC'],
        ['+30 days', '2026-02-15 10:00:00 UTC'],
      ] as const) {
        await page.getByRole('button', { name }).click();
        await eventually(() => page.locator('#clock').textContent()).toBe(now);
      }
      await page.getByRole('button', { name: 'Set…', exact: true }).click();
      await page.getByLabel('Date and time, UTC').fill('2026-12-24T18:30:00');
      await page.getByRole('button', { name: 'Set clock' }).click();
      await eventually(() => sandbox.clock.now().toISOString()).toBe('2026-12-24T18:30:00.000Z');
      await page.getByRole('button', { name: 'Set…', exact: true }).click();
      await page.keyboard.press('Escape');
      expect(sandbox.clock.now().toISOString()).toBe('2026-12-24T18:30:00.000Z');
    });

    test('E6 process calls are delayed, counted and released', async () => {
      const { page, call } = await open();
      await call('POST', STAGE, account('A-1'));
      await page.getByRole('button', { name: 'Hold processing' }).click();
      await page.getByRole('button', { name: 'Processing held' }).waitFor();
      const answer = call('POST', PROCESS, processing('A-1'));
      const held = page.getByRole('button', { name: 'Processing held (1 waiting)' });
      await held.waitFor();
      expect(await held.getAttribute('aria-pressed')).toBe('true');
      await held.click();
      expect(await answer).toEqual({ service_account_number: expect.stringMatching(/^\d{16}$/) });
      await page.getByRole('button', { name: 'Hold processing' }).waitFor();
    });

    test('a snapshot is taken, restored and deleted', async () => {
      const { page, call, sandbox, problems } = await open();
      await call('POST', STAGE, account('A-1'));
      await page.getByRole('tab', { name: 'Snapshots' }).click();
      await page.getByRole('form', { name: 'Take a snapshot' }).getByLabel('Name').fill('before');
      await page.getByRole('button', { name: 'Take snapshot' }).click();
      await eventually(() => shown(page.locator('#snapshot-rows'))).toMatch(/before\s+2026-01-15 09:00:00\s+1/);
      await call('POST', PROCESS, processing('A-1'));
      await page.getByRole('button', { name: 'Restore snapshot before' }).click();
      await eventually(() => sandbox.state.suppliers[0]?.accounts[0]?.imported).toBeNull();
      await page.getByRole('button', { name: 'Delete snapshot before' }).click();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('button', { name: 'Delete snapshot before' }).click();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await eventually(() => shown(page.locator('#snapshot-rows'))).toContain('None yet');
      expect(problems).toEqual([]);
    });

    test('reset asks for confirmation, with the data that will be deleted', async () => {
      const { page, call, sandbox } = await open();
      await call('POST', STAGE, account('A-1'));
      sandbox.clock.advance(1000);
      await eventually(() => page.locator('[data-count=accounts]').textContent()).toBe('1');
      await page.getByRole('button', { name: 'Reset…' }).click();
      expect(await shown(page.locator('#confirm'))).toContain('1 account and 1 logged request will be deleted');
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Cancel');
      await page.keyboard.press('Enter');
      expect(sandbox.state.suppliers[0]?.accounts).toHaveLength(1);
      await page.getByRole('button', { name: 'Reset…' }).click();
      await page.getByRole('button', { name: 'Reset', exact: true }).click();
      await eventually(() => sandbox.state.suppliers[0]?.accounts).toEqual([]);
      await eventually(() => rowsOf(page, '#request-list')).toEqual([]);
      await eventually(() => page.locator('#clock').textContent()).toBe('2026-01-15 09:00:00 UTC');
    });
  });

  test('settings are listed with their entry of the register, value and default', async () => {
    const { page } = await open({ sandbox: { settings: { accountNotFound: 404 } }, at: '#/settings' });
    const row = page.locator('#setting-rows tr', { hasText: 'accountNotFound' });
    expect((await shown(row)).split(/\s+/)).toEqual(['U14', 'accountNotFound', '404', 'changed', '400']);
    expect(await page.locator('#setting-rows tr', { hasText: 'changed' }).count()).toBe(1);
  });

  test('a space is chosen by its name, and a name that cannot be is refused', async () => {
    const { page, sandbox } = await open();
    const other = sandbox.isolated('file-1');
    await other.fetch(
      new Request('http://sandbox.example.com/v1/data-import/nowhere/', {
        headers: { Authorization: `Token ${other.token}` },
      }),
    );
    await page.getByLabel('Space').fill('file-1');
    await page.getByRole('button', { name: 'Go' }).click();
    await eventually(() => rowsOf(page, '#request-list')).toEqual([expect.stringContaining('404')]);
    expect(page.url()).toContain('?space=file-1');
    await page.getByRole('button', { name: '+1 h' }).click();
    await eventually(() => other.clock.now().toISOString()).toBe('2026-01-15T10:00:00.000Z');
    expect(sandbox.clock.now().toISOString()).toBe('2026-01-15T09:00:00.000Z');
    await page.getByLabel('Space').fill('a b');
    await page.getByRole('button', { name: 'Go' }).click();
    await eventually(() => page.getByRole('alert').textContent()).toContain('Expected 1 to 64 letters');
  });

  test('data that look like HTML are shown as text everywhere', async () => {
    const evil = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>';
    const { page, call, sandbox, problems } = await open({
      sandbox: { suppliers: [{ code: evil, root: evil }], teams: [evil], showPersonalData: true },
    });
    sandbox.faults.add({ id: evil, match: { account: 'unknown' }, effect: 'drop' });
    const key = { import_supplier: evil, external_account_number: evil };
    await call('POST', STAGE, { ...key, notes: [{ body: evil }] });
    await call('POST', PROCESS, {
      import_supplier_code: evil,
      external_account_number: evil,
      operations_team_name: evil,
    });
    await page.locator('#request-list [role=option]').first().click();
    await eventually(() => shown(page.locator('#request-detail'))).toContain(evil);
    await page.getByRole('tab', { name: /Accounts/ }).click();
    await page.locator('#account-list [role=option]').click();
    await eventually(() => page.locator('#account-detail h2').textContent()).toBe(evil);
    for (const [part, place] of [
      ['Suppliers', '#supplier-rows'],
      ['Suppliers', '#team-list'],
      ['Faults', '#fault-rows'],
    ] as const) {
      await page.getByRole('tab', { name: new RegExp(part) }).click();
      await eventually(() => shown(page.locator(place))).toContain(evil);
    }
    await page.getByRole('tab', { name: 'Snapshots' }).click();
    await page.locator('#snapshot-form [name=name]').fill(evil.slice(0, 64));
    await page.getByRole('button', { name: 'Take snapshot' }).click();
    await eventually(() => shown(page.locator('#snapshot-rows'))).toContain(evil.slice(0, 64));
    expect(await page.evaluate('[window.hit, document.images.length, document.scripts.length]')).toEqual([
      undefined,
      0,
      1,
    ]);
    expect(problems).toEqual([]);
  });

  test.each([
    [false, 'Personal data masked', '•••'],
    [true, 'Personal data shown', 'Ines'],
  ])('showPersonalData: %s is said, and kept to', async (showPersonalData, words, name) => {
    const { page, call } = await open({ sandbox: { showPersonalData } });
    await call('POST', STAGE, DOMESTIC);
    await eventually(() => page.locator('#masking').textContent()).toBe(words);
    await page.locator('#request-list [role=option]').click();
    await eventually(() => shown(page.getByRole('region', { name: 'Request body' }))).toContain(
      `"given_name": "${name}"`,
    );
    await page.getByRole('tab', { name: /Accounts/ }).click();
    await page.locator('#account-list [role=option]').click();
    await eventually(() => shown(page.getByRole('region', { name: 'Payload' }))).toContain(`"given_name": "${name}"`);
    expect((await shown(page.locator('body'))).includes('Ines')).toBe(showPersonalData);
  });

  test('a lost server is reported, and reconnected', async () => {
    const { page, server, sandbox } = await open();
    await server.close();
    await eventually(() => page.locator('#offline').isVisible()).toBe(true);
    const again = await sandbox.listen({ port: server.port });
    await eventually(() => page.locator('#offline').isVisible()).toBe(false);
    await page.close();
    await again.close();
  });
});
