/** Records are compared by their content: the bytes of a line may differ (issue 19, point 6). */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ImportServiceOptions } from '../../support/import-service.js';
import { account, ended, openFolder, openImportService, run, valuesIn } from '../typed.js';

const { at } = openFolder();

const withItems = (number: string, channel = 'WEB') => ({
  ...account(number, { sales_channel: channel }),
  notes: [{ body: `Note of ${number}.`, created_at: '2026-01-10T08:00:00Z' }],
  transactions: [
    {
      type: 'CREDIT',
      transaction_id: `${number}-1`,
      transaction_date: '2026-01-05',
      amount: 10,
      reason: 'IMPORTED_CREDIT',
    },
  ],
});

/** With the keys of every object in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, held]) => [key, reversed(held)]),
  );
}

const compact = (record: unknown) => `${JSON.stringify(record)}\n`;
const rewritten = (record: unknown) => `${JSON.stringify(reversed(record)).replaceAll('":', '" :  ')}\n`;

/** A new run folder and input, with a service that counts its calls. */
async function openRun(name: string, options: ImportServiceOptions = {}) {
  const service = await openImportService(options);
  return {
    service,
    input: (text: string) => writeFileSync(at(`${name}.jsonl`), text),
    type: (...more: string[]) => run('run', at(`${name}.jsonl`), '--run', at(name), ...more),
    folder: at(name),
    entries: (file: string) => valuesIn(at(`${name}/${file}`)),
  };
}

const INVALID = { errors: [{ attr: 'sales_channel', code: 'invalid_choice', detail: 'No such channel.' }] };

describe('the same command after an export with other bytes and the same records', () => {
  test('ends with code 0 and sends nothing, and recognises each line by its new bytes from then on', async () => {
    const { service, input, type } = await openRun('created');
    const records = ['A-1', 'A-2', 'A-3'].map((number) => withItems(number));
    input(records.map(compact).join(''));
    expect((await type()).code).toBe(0);
    const sent = service.requests.length;
    input(records.map(rewritten).join(''));
    for (const _ of ['rewritten', 'the same bytes again']) {
      const { code, out } = await type();
      expect([code, service.requests.length - sent]).toEqual([0, 0]);
      expect(out).toContain('3 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 3\n');
      expect(out).not.toContain('differ');
    }
  });

  test('retries no rejected record, and rejected.jsonl has the current line', async () => {
    const { service, input, type, entries } = await openRun('rejected', {
      fault: ({ path }) => (path.endsWith('create-or-update/') ? { status: 400, body: INVALID } : undefined),
    });
    input(compact(withItems('A-1')));
    expect((await type()).code).toBe(3);
    const sent = service.requests.length;
    input(`\n${rewritten(withItems('A-1'))}`);
    expect([(await type()).code, service.requests.length - sent]).toEqual([3, 0]);
    expect(entries('rejected.jsonl')).toMatchObject([
      { number: 'A-1', line: 2, original: rewritten(withItems('A-1')).trim(), errors: [{ code: 'invalid_choice' }] },
    ]);
  });

  test('continues an unfinished record at its step', async () => {
    let failsAt = 'notes/create/';
    const { service, input, type } = await openRun('unfinished', {
      fault: ({ path }) => (path === failsAt ? { status: 500, body: {} } : undefined),
    });
    input(compact(withItems('A-1')));
    expect((await type('--max-retries', '0')).code).toBe(9);
    failsAt = '';
    const sent = service.requests.length;
    input(rewritten(withItems('A-1')));
    expect((await type()).code).toBe(0);
    expect(service.requests.slice(sent).filter((request) => /create|process/.test(request))).toEqual([
      'POST notes/create/',
    ]);
  });

  test('reports a record that differs in a field, and none of its items that are written in another order', async () => {
    const { service, input, type, entries } = await openRun('field');
    input(compact(withItems('A-1')));
    expect((await type()).code).toBe(0);
    const sent = service.requests.length;
    input(rewritten(withItems('A-1', 'SHOP')));
    const { code, out } = await type();
    expect([code, service.requests.length - sent]).toEqual([3, 0]);
    expect(out).toContain(
      '1 line differs from what exists (field.jsonl:1; see changed.jsonl). The differences were not sent',
    );
    expect(entries('incomplete.jsonl')).toEqual([]);
  });

  test('also if the format of the file is different', async () => {
    const { service, input, type, folder } = await openRun('format');
    writeFileSync(at('format.csv'), 'number;channel\nA-1;"WEB"\n');
    writeFileSync(
      at('map.mjs'),
      'export default (row) => ({ account: { external_account_number: row.number, sales_channel: row.channel, import_supplier: "SANDBOX_SUPPLIER" } });\n',
    );
    expect((await run('run', at('format.csv'), '--map', at('map.mjs'), '--run', folder)).code).toBe(0);
    const sent = service.requests.length;
    input(compact(account('A-1', { sales_channel: 'WEB' })));
    expect([(await type()).code, service.requests.length - sent]).toEqual([0, 0]);
  });
});

describe('a record that is in the input twice, once with other bytes', () => {
  const once = compact(withItems('A-1'));
  const again = rewritten(withItems('A-1'));

  test.each([
    ['in the first session', [once + again]],
    ['after the first line has ended', [once, once + again]],
    ['before the line of the first session', [once, again + once]],
    ['three times, the last one first', [once, again + once + again]],
  ])('%s: the further lines are duplicates, and contradict nothing', async (name, inputs) => {
    const { service, input, type, entries } = await openRun(name.replaceAll(/\W/g, '-'));
    for (const text of inputs) {
      input(text);
      await type();
    }
    expect(entries('skipped.jsonl').map(({ errors: [{ code }], taken }) => [code, taken.line])).toEqual(
      (inputs.at(-1) ?? '')
        .trim()
        .split('\n')
        .slice(1)
        .map(() => ['duplicate_record', 1]),
    );
    expect(service.accounts.get('SANDBOX_SUPPLIER/A-1')?.numbers).toHaveLength(1);
  });

  test('a further line with other content contradicts it', async () => {
    const { input, type, entries } = await openRun('contradicting');
    input(once);
    await type();
    input(again + rewritten(withItems('A-1', 'SHOP')) + once);
    expect((await type()).code).toBe(3);
    expect(entries('skipped.jsonl').map(({ line, errors: [{ code }] }) => [line, code])).toEqual([
      [2, 'contradicting_record'],
      [3, 'duplicate_record'],
    ]);
  });
});

describe('lines that changed after their records were created', () => {
  const business = (name: string) => ({
    business: {
      import_supplier_code: 'SANDBOX_SUPPLIER',
      external_business_identifier: 'B-1',
      business: { company_name: name, business_contracts: [{ identifier: 'C-1' }] },
    },
  });
  const FIRST = [business('Bakery'), ...['A-1', 'A-2', 'A-3', 'A-4', 'A-5'].map((number) => withItems(number))];
  const CHANGED = [business('Bakery and Sons'), ...FIRST.slice(1, 5), withItems('A-5', 'SHOP')].map((record, index) =>
    'notes' in record && index <= 4 ? { ...record, notes: [...record.notes, { body: 'Another note.' }] } : record,
  );
  const LISTED = [
    ['business', 'B-1', 1, ['read']],
    ['account', 'A-1', 2, ['notes']],
    ['account', 'A-2', 3, ['notes']],
    ['account', 'A-3', 4, ['notes']],
    ['account', 'A-4', 5, ['notes']],
    ['account', 'A-5', 6, ['read']],
  ];

  test('are all listed in changed.jsonl, those of businesses and those without changed items too', {
    tags: 'long',
  }, async () => {
    const { input, type, entries, folder } = await openRun('changed', {
      fault: ({ path }) =>
        path === 'business/'
          ? { status: 201, body: { service_business_id: 4711, external_business_identifier: 'B-1' } }
          : undefined,
    });
    input(FIRST.map(compact).join(''));
    expect((await type()).code).toBe(0);
    expect(entries('changed.jsonl')).toEqual([]);
    input(CHANGED.map(compact).join(''));
    expect(await type()).toMatchObject(
      ended(
        3,
        '6 lines differ from what exists (changed.jsonl:1, changed.jsonl:2, changed.jsonl:3, …; see changed.jsonl).',
      ),
    );
    const listed = () =>
      entries('changed.jsonl').map(({ kind, number, line, errors }) => [
        kind,
        number,
        line,
        errors.map(({ step }: { step: string }) => step),
      ]);
    expect(listed()).toEqual(LISTED);
    expect(entries('changed.jsonl')[0]).toEqual({
      source: at('changed.jsonl'),
      line: 1,
      supplier: 'SANDBOX_SUPPLIER',
      kind: 'business',
      number: 'B-1',
      errors: [{ step: 'read', code: 'changed_after_import', attr: '' }],
      hash: createHash('sha256').update(compact(CHANGED[0]).trim()).digest('hex'),
      paths: ['business.business.company_name'],
      added: [],
      removed: [],
      original: compact(CHANGED[0]).trim(),
    });
    expect(entries('incomplete.jsonl')).toHaveLength(4);
    expect(readFileSync(`${folder}/report.html`, 'utf8')).toContain(
      '6 lines differ from what exists (changed.jsonl:1, changed.jsonl:2, changed.jsonl:3, …; see changed.jsonl).',
    );
    // A session that reads none of the input keeps the list, and one with the former lines empties it.
    expect((await type('--canary', '0')).code).toBe(3);
    writeFileSync(at('other.jsonl'), compact(withItems('A-9', 'KIOSK')));
    expect((await run('run', at('other.jsonl'), '--run', folder)).code).toBe(3);
    expect(listed()).toEqual(LISTED);
    input(FIRST.map(rewritten).join(''));
    expect((await type()).code).toBe(0);
    expect(listed()).toEqual([]);
  });
});
