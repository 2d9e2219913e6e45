/** Exports `createSecrets`, which masks the tokens and keys of a client in texts that the service echoes. */
import { isObjectOrArray } from '../../../schemas/objects.js';
import { SECRET } from '../../errors/items.js';

/** Number of secrets that are kept: renewed tokens add more. */
const MOST_SECRETS = 16;
/** Shorter secrets are not masked: words would contain them by chance. */
const SHORTEST = 8;

export function createSecrets() {
  const secrets = new Set<string>();
  let pattern: RegExp | undefined;
  return {
    /** Masks this secret from now on: plain, percent-encoded and in base64, also inside other text. */
    add(secret: string): void {
      if (secret.length < SHORTEST || [...secrets].at(-1) === secret) return;
      const isNew = !secrets.delete(secret);
      secrets.add(secret);
      for (const oldest of secrets) if (secrets.size > MOST_SECRETS) secrets.delete(oldest);
      // The longest first: one secret may be part of another one.
      const forms = [...new Set([...secrets].flatMap(formsOf))].sort((a, b) => b.length - a.length);
      if (isNew) pattern = new RegExp(forms.map(quoted).join('|'), 'gi');
    },
    /** Returns the text with `[secret]` in place of each secret. */
    mask: (text: string): string => (pattern === undefined ? text : text.replace(pattern, SECRET)),
  };
}

export type Secrets = ReturnType<typeof createSecrets>;

function formsOf(secret: string): string[] {
  const percent = encodeURIComponent(secret);
  // Base64 encodes three bytes as four characters, so the encoding of a text depends on the length of the text before it.
  const base64 = [0, 1, 2].flatMap((before) => {
    // Without padding.
    const encoded = Buffer.from(' '.repeat(before) + secret).toString('base64url');
    const isWhole = (before + secret.length) % 3 === 0;
    const core = encoded.slice(Math.ceil((before * 8) / 6), isWhole ? undefined : -1);
    return core.length < SHORTEST ? [] : [core, core.replaceAll('-', '+').replaceAll('_', '/')];
  });
  return [secret, percent, ...base64, ...numberForms(secret)];
}

/** A service that reads digits as a number drops leading zeros, and all digits after about the 17th. */
function numberForms(secret: string): string[] {
  if (!/^\d+$/.test(secret)) return [];
  const digits = secret.replace(/^0+/, '');
  const [rounded = ''] = String(Number(secret)).split('e');
  const kept = rounded === digits ? digits : withoutLastZeros(rounded.replace('.', ''));
  return [digits, rounded, kept].filter((form) => form.length >= SHORTEST);
}

function withoutLastZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}

function quoted(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

/** Returns the strings in a value whose length may be that of a token or a refresh token. */
export function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return value.length >= LONG && value.length <= LONGEST ? [value] : [];
  if (!isObjectOrArray(value) || depth > MAX_DEPTH) return [];
  return Object.values(value).flatMap((part) => textsIn(part, depth + 1));
}

const LONG = 12;
const LONGEST = 16_384;
const MAX_DEPTH = 8;
