/** A ledger against a plain map of versions: whatever comes in whatever groups, both hold the same and refuse the same. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Ledger,
  type LedgerRecord,
  type Outcome,
  STEPS,
  StaleRecordError,
} from '../../../src/migration/ledger/ledger.js';
import { seed } from '../../helpers/seed.js';
import { all, record } from './records.js';

const ENDS: readonly (Outcome | null)[] = [null, null, 'created', 'alreadyImported', 'rejected', 'unknown'];

/** One write of a record; `off` is added to the next version of the model. */
const aWrite = fc.record({
  number: fc.constantFrom('A-1', 'A-2', 'A-3', 'A-4', 'A-5'),
  kind: fc.constantFrom('account', 'business'),
  off: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.integer({ min: -2, max: 2 })),
  outcome: fc.constantFrom(...ENDS),
  intent: fc.constantFrom(null, ...STEPS),
  contracts: fc.uniqueArray(fc.constantFrom('C-1', 'C-2', 'C-3')),
  serviceNumber: fc.option(fc.string({ unit: fc.constantFrom('0', '1', '\0', '\u0001', 'é', '雪') })),
});

export function behavesAsTheModel(open: () => Promise<Ledger>, numRuns = 60): void {
  test('any writes in any groups leave what a plain map holds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(aWrite, { maxLength: 12 }), { maxLength: 8 }), async (groups) => {
        const ledger = await open();
        const model = new Map<string, LedgerRecord>();
        const contracts = new Map<string, string>();
        for (const group of groups) {
          const expected: boolean[] = [];
          const results = group.map(({ off, contracts: declared, kind, ...more }) => {
            const key = `${kind} ${more.number}`;
            const version = Math.max(1, (model.get(key)?.version ?? 0) + 1 + off);
            const written = record(more.number, { ...more, kind, version });
            const isNext = version === (model.get(key)?.version ?? 0) + 1;
            const declares = kind === 'business' ? declared : [];
            if (isNext) {
              model.set(key, written);
              for (const contract of declares) contracts.set(contract, key);
            }
            expected.push(isNext);
            return ledger.write(written, declares).then(
              () => true,
              (error) => {
                expect(error).toBeInstanceOf(StaleRecordError);
                return false;
              },
            );
          });
          expect(await Promise.all(results)).toEqual(expected);
        }
        expect(await all(ledger.list())).toEqual([...model.values()]);
        for (const contract of ['C-1', 'C-2', 'C-3']) {
          const found = await ledger.business('SANDBOX_SUPPLIER', contract);
          expect(found).toEqual(model.get(contracts.get(contract) ?? ''));
        }
        expect(await ledger.counts()).toMatchObject({
          total: model.size,
          unfinished: [...model.values()].filter(({ outcome }) => outcome === null).length,
        });
        await ledger.close();
      }),
      { seed, numRuns },
    );
  });
}
