/**
 * Exports `createIds`: all generated numbers and ids, as hashes of the seed, the kind and a key. There is no counter, so
 * that the order of the calls does not matter.
 */
import { createHash } from 'node:crypto';
import type { SandboxSettings } from '../settings/settings.js';

type Key = readonly (string | number | undefined)[];

/** Returns the generator of a seed. */
export function createIds(seed: string) {
  const hash = (kind: string, ...key: Key): string =>
    createHash('sha256')
      .update(JSON.stringify([seed, kind, ...key.map((part) => part ?? null)]))
      .digest('hex');
  const occurrence = (before: number): Key => (before === 0 ? [] : [before]);
  // Of 10^16 and 10^15 values: two of a million accounts share one with a chance below 1 in 10,000.
  const digits = (hex: string, count: number, radix = 10): string =>
    (BigInt(`0x${hex}`) % BigInt(radix) ** BigInt(count)).toString(radix).padStart(count, '0');
  return {
    /**
     * Sixteen digits, one in ten with a leading 0, or `A-` and fifteen letters and digits (U25). `before`: number of earlier
     * creations of the account (U30).
     */
    serviceAccountNumber(
      supplier: string,
      number: string,
      form: SandboxSettings['accountNumberForm'],
      before: number,
    ): string {
      const hex = hash('account', supplier, number, ...occurrence(before));
      return form === 'digits' ? digits(hex, 16) : `A-${digits(hex, 15, 36).toUpperCase()}`;
    },
    /** A whole number that JSON represents exactly. `before`: number of earlier creations of the business (U30). */
    serviceBusinessId: (supplier: string, business: Key, before: number): number =>
      Number(digits(hash('business', supplier, ...business, ...occurrence(before)), 15)),
    /** Looks like a UUID, or has eighteen digits (U24). `occurrence` distinguishes batches of the same content. */
    batchId(content: string, occurrence: number, form: SandboxSettings['batchIdForm']): string {
      const hex = hash('batch', content, occurrence);
      if (form === 'digits') return digits(hex, 18);
      return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
    },
    /** Signature that proves that a sandbox of this seed issued a token. */
    signature: (content: string): string => hash('token', content).slice(0, 32),
    /** A pseudo-random number from 0 to below 1. */
    draw: (kind: string, ...key: Key): number => Number.parseInt(hash(kind, ...key).slice(0, 12), 16) / 16 ** 12,
  };
}

export type Ids = ReturnType<typeof createIds>;
