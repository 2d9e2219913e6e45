/** What every ledger promises, wherever it keeps its records. */
import { describe, expect, test } from 'vitest';
import {
  type Ledger,
  type LedgerRecord,
  StaleRecordError,
  type StoredLine,
} from '../../../src/migration/ledger/ledger.js';
import { all, business, items, record } from './records.js';

export function keepsItsPromises(open: () => Promise<Ledger>): void {
  const key = (number: string) => ({ supplier: 'SANDBOX_SUPPLIER', kind: 'account', number }) as const;

  /** Rejects as stale, and leaves everything as it was. */
  async function isStale(ledger: Ledger, write: LedgerRecord): Promise<void> {
    const before = await all(ledger.list());
    await expect(ledger.write(write)).rejects.toThrow(StaleRecordError);
    expect(await all(ledger.list())).toEqual(before);
  }

  describe('a record', () => {
    test('is not known before it is written', async () => {
      const ledger = await open();
      expect(await ledger.find(key('A-1'))).toBeUndefined();
      expect(await all(ledger.list())).toEqual([]);
    });

    test('shares its number of the service with another record of its kind, or not', async () => {
      const ledger = await open();
      await ledger.write(record('A-1', { serviceNumber: 'S-1' }));
      await ledger.write(record('A-2'));
      const has = (one: LedgerRecord, serviceNumber: string) => ledger.isNumberOfOther({ ...one, serviceNumber });
      expect(await has(record('A-1'), 'S-1')).toBe(false);
      expect(await has(record('A-2'), 'S-1')).toBe(true);
      expect(await has(record('A-1', { supplier: 'OTHER' }), 'S-1')).toBe(true);
      expect(await has(business('A-2'), 'S-1')).toBe(false);
      expect(await has(record('A-2'), 'S-2')).toBe(false);
      await ledger.write(record('A-1', { version: 2, serviceNumber: null }));
      expect(await has(record('A-2'), 'S-1')).toBe(false);
    });

    test('comes back as it was written', async () => {
      const ledger = await open();
      const written: LedgerRecord = {
        supplier: 'SANDBOX_SUPPLIER',
        kind: 'account',
        number: "00'42; é 雪",
        version: 1,
        hash: 'ab'.repeat(32),
        contentHash: '12'.repeat(16),
        correctedFrom: '34'.repeat(16),
        done: 'process',
        intent: 'statements',
        intentAt: '2026-01-15T08:59:58.123Z',
        intentHash: 'ef'.repeat(32),
        intentOnce: true,
        stageUnansweredAt: '2026-01-15T08:59:12.345Z',
        outcome: 'unknown',
        serviceNumber: '00123',
        unknown: ['paymentInstruction', 'statements'],
        errors: [{ step: 'notes', code: 'required', attr: 'notes.0.body' }],
        warnings: [{ code: 'negative_amount', attr: 'transactions.*.amount', count: 2 }],
        difference: {
          is: 'changed',
          contentHash: '~AbCd+/12|',
          paths: ['notes.*.body'],
          source: 'in.jsonl',
          line: 7,
          isAccepted: true,
        },
        decisions: [
          {
            step: 'statements',
            as: 'done',
            at: '2026-01-15T08:59:59.123Z',
            isUsed: true,
            done: 'process',
            intentAt: '2026-01-15T08:59:58.123Z',
            items: items({ statements: ['unknown STATEMENT 3'] }).statements,
          },
        ],
        items: {
          ...items(
            {
              paymentInstruction: ['unknown'],
              statements: ['gone sent STATEMENT 10', 'gone unknown STATEMENT'],
              transactions: [
                'sent CHARGE 0.1',
                'moved sent CHARGE 0.2 = 0.19',
                'existed CREDIT -1',
                'rejected PAYMENT 5',
                'rejected REPAYMENT 5',
                'notSent SUPPLY_CHARGE -12345678901234567890.000001',
                'moved sent SUPPLY_CHARGE = 1',
                'waiting OTHER',
              ],
              notes: ['sending', 'sending', 'waiting', 'sent'],
            },
            true,
          ),
          replaced: { CHARGE: { count: 2, sum: '37.5' }, STATEMENT: { count: 1, sum: '-0.01' } },
        },
        contract: 'C-1',
        source: 'folder/input.jsonl.gz',
        line: 1_000_000,
        updatedAt: '2026-01-15T09:00:00.000Z',
      };
      await ledger.write(written);
      expect(await ledger.find(key("00'42; é 雪"))).toEqual(written);
      expect(await all(ledger.list())).toEqual([written]);
    });

    test('is replaced by its next version', async () => {
      const ledger = await open();
      await ledger.write(record('A-1', { intent: 'stage', errors: [{ step: 'stage', code: 'c', attr: 'a' }] }));
      const next = record('A-1', { version: 2, done: 'stage', serviceNumber: 'P', hash: 'cd'.repeat(32) });
      await ledger.write(next);
      expect(await ledger.find(key('A-1'))).toEqual(next);
    });

    test('is another one under another supplier, of another kind, and in other letters', async () => {
      const ledger = await open();
      const records = [
        record('A-1'),
        record('A-1', { supplier: 'OTHER' }),
        record('A-1', { kind: 'business' }),
        record('a-1'),
        record('A-1 '),
      ];
      for (const one of records) await ledger.write(one);
      expect(await all(ledger.list())).toEqual(records);
    });

    test('is kept apart from others by any character of its number, as damaged lines have them', async () => {
      const ledger = await open();
      const ends = ['', '\0', '\u0001', '\u00010', '\u00011', '\\0', '%', '_', "'", '"', '$1', '\n', '{,}', '🏠'];
      const records = ends.map((end) => record(`A${end}`, { contract: `C${end}` }));
      await Promise.all(records.map((one) => ledger.write(one)));
      expect(await all(ledger.list())).toEqual(records);
      for (const one of records) expect(await ledger.find(one)).toEqual(one);
    });
  });

  describe('a stale write changes nothing', () => {
    test('version 1 of a record that is there', async () => {
      const ledger = await open();
      await ledger.write(record('A-1'));
      await isStale(ledger, record('A-1', { done: 'notes' }));
    });

    test('the version that is there, the one before it, and one too many', async () => {
      const ledger = await open();
      for (const version of [1, 2, 3]) await ledger.write(record('A-1', { version }));
      await isStale(ledger, record('A-1', { version: 3, done: 'notes' }));
      await isStale(ledger, record('A-1', { version: 2, done: 'notes' }));
      await isStale(ledger, record('A-1', { version: 5, done: 'notes' }));
    });

    test('version 2 of a record that is not there', async () => {
      await isStale(await open(), record('A-1', { version: 2 }));
    });

    test('it says which record, and what that means', async () => {
      await expect((await open()).write(record('A-1', { version: 2 }))).rejects.toThrow(
        'ledger: account A-1 is not at version 1 any more; another worker has it.',
      );
    });

    test('nor do the contracts that came with it', async () => {
      const ledger = await open();
      await expect(ledger.write(business('B-1', { version: 2 }), ['C-1'])).rejects.toThrow(StaleRecordError);
      expect(await ledger.business('SANDBOX_SUPPLIER', 'C-1')).toBeUndefined();
    });
  });

  describe('writes that come together', () => {
    test('only a stale one fails', async () => {
      const ledger = await open();
      await ledger.write(record('A-2'));
      const results = await Promise.allSettled(['A-1', 'A-2', 'A-3'].map((number) => ledger.write(record(number))));
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect((await all(ledger.list())).map(({ number }) => number)).toEqual(['A-2', 'A-1', 'A-3']);
    });

    test('of two of one version, the first wins and the second is refused', async () => {
      const ledger = await open();
      const results = await Promise.allSettled([
        ledger.write(record('A-1', { line: 1 })),
        ledger.write(record('A-1', { line: 2 })),
      ]);
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
      expect(await ledger.find(key('A-1'))).toMatchObject({ version: 1, line: 1 });
    });

    test('versions of one record follow each other, between others', async () => {
      const ledger = await open();
      await Promise.all([
        ledger.write(record('A-1')),
        ledger.write(record('A-1', { version: 2 })),
        ledger.write(record('A-2')),
        ledger.write(record('A-1', { version: 3, outcome: 'created' })),
      ]);
      expect(await ledger.find(key('A-1'))).toMatchObject({ version: 3, outcome: 'created' });
      expect((await all(ledger.list())).map(({ number }) => number)).toEqual(['A-1', 'A-2']);
    });

    test('more than fit into one commit are all kept, in their order', async () => {
      const ledger = await open();
      const numbers = Array.from({ length: 1201 }, (_, index) => `A-${index}`);
      await Promise.all(numbers.map((number) => ledger.write(record(number))));
      expect((await all(ledger.list())).map(({ number }) => number)).toEqual(numbers);
    });
  });

  describe('businesses', () => {
    test('are found by each of their contracts, as they are now', async () => {
      const ledger = await open();
      await ledger.write(business('B-1', { intent: 'create' }), ['C-1', 'C-2', 'C-1']);
      const created = business('B-1', { version: 2, done: 'create', outcome: 'created', serviceNumber: '7' });
      await ledger.write(created);
      expect(await ledger.business('SANDBOX_SUPPLIER', 'C-1')).toEqual(created);
      expect(await ledger.business('SANDBOX_SUPPLIER', 'C-2')).toEqual(created);
      expect(await ledger.business('SANDBOX_SUPPLIER', 'C-3')).toBeUndefined();
      expect(await ledger.business('OTHER', 'C-1')).toBeUndefined();
    });

    test('have contracts that a later version adds', async () => {
      const ledger = await open();
      await ledger.write(business('B-1'), ['C-1']);
      await ledger.write(business('B-1', { version: 2 }), ['C-1', 'C-2']);
      expect(await ledger.business('SANDBOX_SUPPLIER', 'C-2')).toMatchObject({ number: 'B-1', version: 2 });
    });

    test('of two that declare one contract, the later has it', async () => {
      const ledger = await open();
      await ledger.write(business('B-1'), ['C-1']);
      await ledger.write(business('B-2'), ['C-1']);
      expect(await ledger.business('SANDBOX_SUPPLIER', 'C-1')).toMatchObject({ number: 'B-2' });
    });
  });

  describe('lists', () => {
    test('are in the order of first writing, whatever is written later', async () => {
      const ledger = await open();
      for (const number of ['C', 'A', 'B']) await ledger.write(record(number));
      await ledger.write(record('A', { version: 2, outcome: 'rejected' }));
      expect((await all(ledger.list())).map(({ number }) => number)).toEqual(['C', 'A', 'B']);
    });

    test('continue while records are written', async () => {
      const ledger = await open();
      const numbers = Array.from({ length: 1100 }, (_, index) => `A-${index}`);
      await Promise.all(numbers.map((number) => ledger.write(record(number))));
      const seen: string[] = [];
      for await (const { number, version } of ledger.list()) {
        seen.push(number);
        if (version === 1) await ledger.write(record(number, { version: 2 }));
      }
      expect(seen).toEqual(numbers);
      expect(await ledger.find(key('A-1099'))).toMatchObject({ version: 2 });
    });

    const errors = [{ step: 'check', code: 'required', attr: 'a' }] as const;
    test.each([
      [{}, ['A-1', 'A-2', 'A-3', 'A-4', 'B-1']],
      [{ kind: 'business' }, ['B-1']],
      [{ supplier: 'OTHER' }, ['A-4']],
      [{ outcome: 'rejected' }, ['A-2']],
      [{ outcome: null }, ['A-1', 'A-4', 'B-1']],
      [{ hasErrors: true }, ['A-2', 'A-3']],
      [{ hasErrors: false }, ['A-1', 'A-4', 'B-1']],
      [{ kind: 'account', outcome: null }, ['A-1', 'A-4']],
      [{ kind: 'account', outcome: 'unknown' }, []],
    ] as const)('with %j give what agrees with all of it', async (filter, expected) => {
      const ledger = await open();
      await ledger.write(record('A-1', { intent: 'process' }));
      await ledger.write(record('A-2', { outcome: 'rejected', errors }));
      await ledger.write(record('A-3', { outcome: 'created', errors }));
      await ledger.write(record('A-4', { supplier: 'OTHER' }));
      await ledger.write(business('B-1', { intent: 'create' }));
      expect((await all(ledger.list(filter))).map(({ number }) => number)).toEqual(expected);
    });
  });

  test('records with a difference are listed by its kind', async () => {
    const ledger = await open();
    await ledger.write(record('A-1'));
    await ledger.write(record('A-2', { outcome: 'created', difference: { is: 'removed' } }));
    expect((await all(ledger.list({ difference: 'removed' }))).map(({ number }) => number)).toEqual(['A-2']);
    expect(await all(ledger.list({ difference: 'changed' }))).toEqual([]);
  });

  test('records are settled if the service has them as the input has them, with nothing refused, unknown or different', async () => {
    const ledger = await open();
    const created = (number: string, more: Partial<LedgerRecord> = {}) =>
      ledger.write(record(number, { outcome: 'created', ...more }));
    await created('settled');
    await created('existed', {
      outcome: 'alreadyImported',
      warnings: [{ code: 'negative_amount', attr: '', count: 1 }],
    });
    await created('with items', { items: items({ notes: ['sent'], transactions: ['moved sent CHARGE 1'] }) });
    await created('refused', { errors: [{ step: 'notes', code: 'required', attr: '' }] });
    await created('unknown', { unknown: ['notes'] });
    await created('changed', { difference: { is: 'removed', isAccepted: true } });
    await created('other amount', { items: items({ transactions: ['sent CHARGE 12.5 = 12.51'] }) });
    await ledger.write(record('open'));
    await ledger.write(record('rejected', { outcome: 'rejected' }));
    const numbers = async (isSettled: boolean) => (await all(ledger.list({ isSettled }))).map(({ number }) => number);
    expect(await numbers(true)).toEqual(['settled', 'existed', 'with items']);
    expect(await numbers(false)).toEqual(['refused', 'unknown', 'changed', 'other amount', 'open', 'rejected']);
  });

  test('counts say how many there are of each end, open, and with an intent', async () => {
    const ledger = await open();
    const nothing = { created: 0, alreadyImported: 0, rejected: 0, unknown: 0 };
    expect(await ledger.counts()).toEqual({ total: 0, unfinished: 0, intents: 0, writes: 0, ended: nothing });
    await ledger.write(record('A-1'));
    await ledger.write(record('A-2', { intent: 'process' }));
    // Where it was lost whether a record was made, the announcement stays.
    await ledger.write(record('A-3', { intent: 'process', outcome: 'unknown' }));
    for (const number of ['A-4', 'A-5']) await ledger.write(record(number, { outcome: 'created' }));
    await ledger.write(business('B-1', { outcome: 'alreadyImported' }));
    expect(await ledger.counts()).toEqual({
      total: 6,
      unfinished: 2,
      intents: 1,
      writes: 6,
      ended: { created: 2, alreadyImported: 1, rejected: 0, unknown: 1 },
    });
    expect(await ledger.counts({ kind: 'business' })).toEqual({
      total: 1,
      unfinished: 0,
      intents: 0,
      writes: 1,
      ended: { ...nothing, alreadyImported: 1 },
    });
  });

  test('a record is removed at its version, with the contracts of a business, and may be written anew', async () => {
    const ledger = await open();
    const declaring = business('B-1');
    await ledger.write(declaring, ['C-1']);
    await ledger.write(record('A-1'));
    await ledger.write({ ...record('A-1'), version: 2 });
    await expect(ledger.remove(record('A-1'))).rejects.toThrow(StaleRecordError);
    await expect(ledger.remove(record('A-9'))).rejects.toThrow(StaleRecordError);
    expect((await ledger.counts()).total).toBe(2);

    await ledger.remove({ ...record('A-1'), version: 2 });
    expect(await ledger.find(record('A-1'))).toBeUndefined();
    await ledger.remove(declaring);
    expect(await ledger.business(declaring.supplier, 'C-1')).toBeUndefined();
    expect((await ledger.counts()).total).toBe(0);
    await ledger.write(record('A-1'));
    expect(await ledger.find(record('A-1'))).toMatchObject({ version: 1 });
  });

  describe('a line of the input', () => {
    const line = (number: string, hash = 'h', more: Partial<StoredLine> = {}): StoredLine => ({
      ...{ ...key(number), hash, contentHash: `~${hash}|`, source: 'in.jsonl', line: 1, label: null },
      ...{ text: `{"account":{"external_account_number":"${number}"}}`, cells: null, corrects: null, ...more },
    });
    const batch = { ...line('P-1'), kind: 'populate', supplier: '', text: '{"populate":{}}' } as const;
    const numbersOf = async (ledger: Ledger, reading: number, kind: LedgerRecord['kind'] = 'account') =>
      (await all(ledger.lines(reading, kind))).map(({ number }) => number);

    test('comes back as it was stored, with its record', async () => {
      const ledger = await open();
      const cells = [
        ['N° client', "00'42; é 雪"],
        ['', 'x\u0000y'],
      ] as const;
      const stored = line("00'42; é 雪", 'ab'.repeat(32), {
        source: 'a\u0000b',
        line: 7,
        label: 'row A-17',
        cells,
        corrects: 'cd',
      });
      await ledger.addLines(1, [stored]);
      const record = { account: { external_account_number: stored.number } };
      expect(await all(ledger.lines(1, 'account'))).toMatchObject([{ ...stored, record }]);
      expect(await ledger.line(stored, stored.hash)).toMatchObject({ ...stored, record });
      expect(await ledger.line(stored, 'other')).toBeUndefined();
      expect(await ledger.line(key('A-9'))).toBeUndefined();
    });

    test('is of the last reading that found it; those of a kind are in their order, over many pages', async () => {
      const ledger = await open();
      const numbers = Array.from({ length: 450 }, (_, index) => `A-${index}`);
      await ledger.addLines(1, [batch, ...numbers.map((number) => line(number))]);
      expect(await numbersOf(ledger, 1)).toEqual(numbers);
      expect([await numbersOf(ledger, 1, 'populate'), await numbersOf(ledger, 1, 'business')]).toEqual([['P-1'], []]);
      await ledger.addLines(2, [line('A-3'), line('A-4', 'other')]);
      expect((await numbersOf(ledger, 2)).sort()).toEqual(['A-3', 'A-4']);
      expect(await numbersOf(ledger, 1)).toEqual(numbers.filter((number) => number !== 'A-3'));
      // The former line of A-4 is there until its record is over.
      expect([(await ledger.line(key('A-4')))?.hash, (await ledger.line(key('A-4'), 'h'))?.hash]).toEqual([
        'other',
        'h',
      ]);
      await ledger.addLines(3, [line('A-4')]);
      expect((await ledger.line(key('A-4')))?.hash).toBe('h');
    });

    test('is erased with the write that ends its record, if that is done, and with its record', async () => {
      const ledger = await open();
      await ledger.addLines(1, [line('A-1'), line('A-1', 'other'), line('A-2'), line('A-3')]);
      await ledger.write(record('A-1'));
      await ledger.write(record('A-2'), [], true);
      expect(await numbersOf(ledger, 1)).toEqual(['A-1', 'A-1', 'A-3']);
      await isStale(ledger, record('A-1', { version: 3 }));
      await expect(ledger.write(record('A-1', { version: 3 }), [], true)).rejects.toThrow(StaleRecordError);
      expect(await numbersOf(ledger, 1)).toEqual(['A-1', 'A-1', 'A-3']);
      await ledger.remove({ ...record('A-1') });
      expect(await numbersOf(ledger, 1)).toEqual(['A-3']);
      await ledger.eraseLines([key('A-3'), key('A-9')]);
      expect(await numbersOf(ledger, 1)).toEqual([]);
    });

    test('of an earlier reading is erased unless it is the line of a record', async () => {
      const ledger = await open();
      await ledger.addLines(1, [line('A-1', 'sent'), line('A-1', 'never sent'), line('A-2')]);
      await ledger.addLines(2, [line('A-3')]);
      await ledger.write(record('A-1', { hash: 'sent' }));
      await ledger.eraseLinesBefore(2);
      expect([await numbersOf(ledger, 1), await numbersOf(ledger, 2)]).toEqual([['A-1'], ['A-3']]);
    });
  });

  test('facts are kept by their names, the last value of each', async () => {
    const ledger = await open();
    expect(await ledger.fact('input')).toBeUndefined();
    await ledger.setFact('input', 'one');
    await ledger.setFact('input', '');
    await ledger.setFact('team', 'SANDBOX_TEAM');
    expect(await ledger.fact('input')).toBe('');
    expect(await ledger.fact('team')).toBe('SANDBOX_TEAM');
  });

  test('of the numbers that a fact is raised to, the greatest is kept, in whatever order they come', async () => {
    const ledger = await open();
    expect(await ledger.raiseFact('longest', 9_000)).toBe(9_000);
    // As numbers: as text, 9000 would come after 120000.
    expect(await ledger.raiseFact('longest', 120_000)).toBe(120_000);
    expect(await ledger.raiseFact('longest', 30_000)).toBe(120_000);
    expect(await ledger.fact('longest')).toBe('120000');
    await Promise.all([5, 700_000, 90_000].map((value) => ledger.raiseFact('longest', value)));
    expect(await ledger.fact('longest')).toBe('700000');
  });

  test('closing waits for what is being written', async () => {
    const ledger = await open();
    const written = ledger.write(record('A-1'));
    await ledger.close();
    await expect(written).resolves.toBeUndefined();
  });
}
