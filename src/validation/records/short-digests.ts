/** Exports functions for digests of 48 bits, each eight characters of a text. */

/** Characters of a digest. */
export const LENGTH = 8;

const EACH_DIGEST = new RegExp(`.{${LENGTH}}`, 'g');

export function eachIn(digests: string): string[] {
  return digests.match(EACH_DIGEST) ?? [];
}

/** Returns them one after the other: the highest bits of each come first. `writeUIntBE` would take twice the time. */
export function inText(digests: Float64Array): string {
  const bytes = Buffer.allocUnsafe(digests.length * 6);
  let at = 0;
  for (let index = 0; index < digests.length; index++) {
    const digest = digests[index] as number;
    const [high, low] = [(digest / 2 ** 32) | 0, digest | 0];
    bytes[at++] = high >>> 8;
    bytes[at++] = high;
    bytes[at++] = low >>> 24;
    bytes[at++] = low >>> 16;
    bytes[at++] = low >>> 8;
    bytes[at++] = low;
  }
  return bytes.toString('base64');
}

/** The number of a digest in text. */
export function numberIn(digest: string): number {
  return Buffer.from(digest, 'base64').readUIntBE(0, 6);
}

/** Lets each bit depend on all others (the last step of MurmurHash3). Not negative. */
export function finished(sum: number): number {
  let mixed = sum ^ (sum >>> 16);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
