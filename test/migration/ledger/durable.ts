/** Tests for every ledger that outlives its process: one run at a time may open it, and acknowledged writes are kept. */
import { hostname } from 'node:os';
import { describe, expect, test } from 'vitest';
import type { Ledger, LedgerRecord } from '../../../src/migration/ledger/ledger.js';
import { LedgerLockedError } from '../../../src/migration/ledger/locked-error.js';
import { all, business, record } from './records.js';

/** The place of one ledger, where nothing is yet. */
export interface Store {
  /** As errors name it. */
  where: string;
  /** End of the message for a second run that opens it, after the process that has it. */
  refusal?: string;
  /** Closed after the test. Its clock says 2026-01-15T09:00:00Z. */
  open(options?: { readOnly?: boolean }): Promise<Ledger>;
  /** As if a later version of the program had written it: its tables are of version 7. */
  makeLater(): Promise<void>;
}

const ONE_RUN =
  'and only one run at a time can use it. Wait until that run has ended, or end it. Then repeat the command.';

export function outlivesItsProcess(newStore: () => Store): void {
  const key = (number: string) => ({ supplier: 'SANDBOX_SUPPLIER', kind: 'account', number }) as const;
  const numbersOf = async (ledger: Ledger) => (await all(ledger.list())).map(({ number }) => number);

  describe('one run at a time', () => {
    test('a second run gets the holder of the ledger, its start, and a remedy', async () => {
      const store = newStore();
      const ledger = await store.open();
      await ledger.write(record('A-1'));
      const refused = await store.open().catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(LedgerLockedError);
      expect((refused as Error).message).toBe(
        `ledger: ${store.where} is in use by process ${process.pid} on ${hostname()} since ` +
          `2026-01-15T09:00:00.000Z, ${store.refusal ?? ONE_RUN}`,
      );
      await ledger.write(record('A-2'));
      expect(await numbersOf(ledger)).toEqual(['A-1', 'A-2']);
    });

    test('a refused run leaves the lock with who has it', async () => {
      const store = newStore();
      await store.open();
      for (let tries = 0; tries < 2; tries++) await expect(store.open()).rejects.toThrow(LedgerLockedError);
    });

    test('of runs that start at the same moment one gets the ledger', async () => {
      const store = newStore();
      const results = await Promise.allSettled([1, 2, 3].map(() => store.open()));
      expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
    });

    test('what was closed can be opened again, and closing twice does no harm', async () => {
      const store = newStore();
      const ledger = await store.open();
      await ledger.write(record('A-1'));
      await Promise.all([ledger.close(), ledger.close()]);
      const again = await store.open();
      expect(await all(again.list())).toEqual([record('A-1')]);
    });
  });

  describe('acknowledged writes', () => {
    test('a write is acknowledged when all other readers can see it, and not before', async () => {
      const store = newStore();
      const ledger = await store.open();
      const looker = await store.open({ readOnly: true });
      const seen: (number | undefined)[] = [];
      const writes = Array.from({ length: 20 }, async (_, index) => {
        await ledger.write(record(`A-${index}`));
        seen.push((await looker.find(key(`A-${index}`)))?.version);
      });
      await Promise.all(writes);
      expect(seen).toEqual(Array.from({ length: 20 }, () => 1));
    });

    test('the next run finds intents, unknown outcomes, and accounts that wait for a business', async () => {
      const store = newStore();
      const withIntent = record('A-1', { done: 'stage', intent: 'process' });
      const unknown = record('A-2', {
        done: 'process',
        outcome: 'unknown',
        unknown: ['statements'],
        serviceNumber: '7',
      });
      const waiting = record('A-3', { contract: 'C-1', hash: '33'.repeat(32) });
      const created = business('B-1', { outcome: 'created', done: 'create', hash: '11'.repeat(32) });
      const first = await store.open();
      for (const one of [withIntent, unknown, waiting]) await first.write(one);
      await first.write(created, ['C-1']);
      await first.setFact('input', 'b');
      await first.close();

      const next = await store.open();
      expect(await all(next.list({ outcome: null }))).toEqual([withIntent, waiting]);
      expect(await all(next.list({ outcome: 'unknown' }))).toEqual([unknown]);
      expect(await next.business('SANDBOX_SUPPLIER', 'C-1')).toEqual(created);
      expect(await next.fact('input')).toBe('b');
      expect(await next.counts()).toEqual({
        total: 4,
        unfinished: 2,
        intents: 1,
        writes: 4,
        ended: { created: 1, alreadyImported: 0, rejected: 0, unknown: 1 },
      });
    });

    test('the next run continues from the stored version, and only from that', async () => {
      const store = newStore();
      const first = await store.open();
      await first.write(record('A-1'));
      const changed: LedgerRecord = record('A-1', { version: 2, hash: 'ef'.repeat(32), line: 9 });
      await first.write(changed);
      await first.close();

      const next = await store.open();
      await expect(next.write(record('A-1'))).rejects.toThrow('is not at version 0 any more');
      await expect(next.write(record('A-1', { version: 2 }))).rejects.toThrow('is not at version 1 any more');
      expect(await next.find(key('A-1'))).toEqual(changed);
      await next.write(record('A-1', { version: 3, outcome: 'created' }));
      expect(await next.find(key('A-1'))).toMatchObject({ version: 3, outcome: 'created' });
      // A record that comes later is listed later, whichever run wrote it.
      await next.write(record('A-0'));
      expect(await numbersOf(next)).toEqual(['A-1', 'A-0']);
    });
  });

  describe('read-only', () => {
    test('beside a writer: sees what is kept, and what comes later', async () => {
      const store = newStore();
      const ledger = await store.open();
      await ledger.write(record('A-1'));
      const looker = await store.open({ readOnly: true });
      expect(await all(looker.list())).toEqual([record('A-1')]);
      await ledger.write(record('A-2'));
      expect(await looker.counts()).toMatchObject({ total: 2 });
      await looker.close();
      await ledger.write(record('A-3'));
      expect(await ledger.counts()).toMatchObject({ total: 3 });
    });

    test('after the run has ended, and beside another that looks', async () => {
      const store = newStore();
      const ledger = await store.open();
      await ledger.write(record('A-1'));
      await ledger.setFact('input', 'b');
      await ledger.close();
      for (const looker of [await store.open({ readOnly: true }), await store.open({ readOnly: true })]) {
        expect(await all(looker.list())).toEqual([record('A-1')]);
        expect(await looker.fact('input')).toBe('b');
      }
    });

    test('a write is refused and changes nothing', async () => {
      const store = newStore();
      const ledger = await store.open();
      await ledger.write(record('A-1'));
      const looker = await store.open({ readOnly: true });
      const refusal = `ledger: ${store.where} was opened read-only. To write, open it without readOnly.`;
      await expect(looker.write(record('A-2'))).rejects.toThrow(refusal);
      await expect(looker.setFact('input', 'b')).rejects.toThrow(refusal);
      expect(await all(ledger.list())).toEqual([record('A-1')]);
      expect(await ledger.fact('input')).toBeUndefined();
    });
  });

  test('what another version of the program wrote is refused, and left as it was', async () => {
    const store = newStore();
    const ledger = await store.open();
    await ledger.write(record('A-1'));
    await ledger.close();
    await store.makeLater();
    const message =
      `ledger: ${store.where} was written by another version of this program. ` +
      'Continue with that version, or begin a new run in another folder or schema.';
    await expect(store.open()).rejects.toThrow(message);
    await expect(store.open({ readOnly: true })).rejects.toThrow(message);
  });
}
