/** The check of a payload with millions of mistakes: some findings and the total, in the memory and the time of reading it. */
import { validateAccount } from 'data-import-sdk';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { firstFinding, schemaFindings } from '../../../src/validation/findings.js';
import { payloads } from '../../../src/validation/payload-schemas.js';
import { domesticAccount } from '../../examples/account.js';
import { seed } from '../../helpers/seed.js';

describe('a payload with more mistakes than are listed', () => {
  it('has the first 10,000 and how many there are', { tags: 'long' }, () => {
    const { ok, findings, total } = validateAccount({ ...domesticAccount, customers: Array(300_000).fill(1) });
    expect({ ok, total, listed: findings.length }).toEqual({ ok: false, total: 300_000, listed: 10_000 });
    expect(findings[0]).toEqual({
      attr: 'customers.0',
      code: 'invalid_type',
      detail: 'Expected an object, found a number.',
      severity: 'error',
    });
    expect(findings.at(-1)?.attr).toBe('customers.9999');
  });

  it('counts fields that are not documented too', () => {
    const names = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`x${index}`, 1]));
    const { findings, total } = validateAccount({ ...domesticAccount, ...names });
    expect({ total, listed: findings.length }).toEqual({ total: 20_000, listed: 10_000 });
  });
});

describe('findings of a schema', () => {
  /** Anything in place of any part of an account, or of an object that has some of its fields. */
  const account = fc
    .tuple(fc.constantFrom(...Object.keys(domesticAccount)), fc.anything(), fc.dictionary(fc.string(), fc.anything()))
    .map(([field, value, others]) => ({ ...domesticAccount, [field]: value, ...others }));

  it.each(Object.entries(payloads))('of %s are in the places where zod has issues', (_, schema) => {
    fc.assert(
      fc.property(fc.oneof(account, fc.anything()), (payload) => {
        const { findings, total } = schemaFindings(schema, payload);
        expect(findings.map(({ attr }) => attr).sort()).toEqual(placesOf(schema, payload).sort());
        expect(total).toBe(findings.length);
        expect(firstFinding(schema, payload)).toEqual(findings[0]);
      }),
      { seed, numRuns: 200 },
    );
  });
});

/** JSON leaves out a field that is undefined, so an unknown one is no finding. */
function placesOf(schema: z.ZodType, payload: unknown): string[] {
  const { error } = schema.safeParse(payload);
  const isSent = (path: readonly PropertyKey[], key: string) => {
    let holder = payload;
    for (const part of path) holder = (holder as Record<PropertyKey, unknown>)[part];
    return (holder as Record<string, unknown>)[key] !== undefined;
  };
  return (error?.issues ?? []).flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.filter((key) => isSent(issue.path, key)).map((key) => [...issue.path, key].join('.'))
      : [issue.path.join('.')],
  );
}
