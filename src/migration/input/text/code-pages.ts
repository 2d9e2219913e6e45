/**
 * Exports the encodings of input files: `encodingOf` finds one by its name, `decoded` and `streamDecoder` decode. Those of the Encoding
 * Standard of WHATWG are decoded by Node.js, and others, such as the code pages of DOS, by iconv-lite (decision 75).
 */
import iconv from 'iconv-lite';
import { InputError } from '../input-error.js';

/** Names that iconv-lite has, and that are not encodings of text. */
const NOT_TEXT = /^(?:base64|hex|binary|utf7|utf7imap)$/;

/** Returns the name of an encoding, in the Encoding Standard of WHATWG if it is there: `windows-1252` for `latin1`. Throws an `InputError`. `option`: what has the name, for it. */
export function encodingOf(label: string, option = 'encoding'): string {
  const name = label.trim().toLowerCase();
  const known = ofStandard(name) ?? ofStandard(name.replace(/^(?:mac|mac-?roman)$/, 'macintosh'));
  if (known !== undefined) return known;
  const other = name.replace(/[^a-z0-9]/g, '').replace(/^(?:ibm|oem|dos)(?=\d)/, 'cp');
  // The same code page may have a name of the standard: cp1250 and win1250.
  const page = ofStandard(other.replace(/^(?:cp|win|windows)(?=125\d$)/, 'windows-')) ?? other;
  if (ofStandard(page) !== undefined || (iconv.encodingExists(page) && !NOT_TEXT.test(page))) return page;
  throw new InputError(
    `${option} ${JSON.stringify(label)}: unknown; expected a name such as utf-8, windows-1252, latin1, iso-8859-15, cp850, macintosh or utf-16le.`,
  );
}

function ofStandard(name: string): string | undefined {
  try {
    const { encoding } = new TextDecoder(name);
    return encoding === 'replacement' ? undefined : encoding;
  } catch {
    return undefined;
  }
}

/** C1 controls: what a byte without a character becomes. No export has them. */
const NO_CHARACTER = /[\x80-\x9f\ufffd]/;

const single = new Map<string, boolean>();

/** Returns whether each byte is a character by itself, and the bytes of ASCII are those of ASCII: lines can be split before they are decoded. */
export function isSingleByte(encoding: string): boolean {
  let found = single.get(encoding);
  if (found === undefined) {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const text = streamDecoder(encoding, false)(bytes);
    found = text.length === 256 && bytes.subarray(0, 0x80).toString('latin1') === text.slice(0, 0x80);
    single.set(encoding, found);
  }
  return found;
}

const decoders = new Map<string, (bytes?: Buffer) => string>();

/** Returns the text; undefined if some bytes are no characters of the encoding. */
export function decoded(encoding: string, bytes: Buffer): string | undefined {
  try {
    const decode = decoders.get(encoding) ?? streamDecoder(encoding);
    decoders.delete(encoding);
    const text = decode(bytes) + decode();
    // Not after an error, which would leave a part of a character in it.
    decoders.set(encoding, decode);
    return NO_CHARACTER.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/**
 * Returns a function that decodes the next bytes; called without bytes at the end, it throws if a character is incomplete. `isStrict`:
 * whether it throws for invalid bytes, where Node.js decodes.
 */
export function streamDecoder(encoding: string, isStrict = true): (bytes?: Buffer) => string {
  if (ofStandard(encoding) === undefined) {
    const decoder = iconv.getDecoder(encoding, { stripBOM: false });
    return (bytes) => (bytes === undefined ? (decoder.end() ?? '') : decoder.write(bytes));
  }
  const decoder = new TextDecoder(encoding, { fatal: isStrict });
  // Always as a stream: otherwise Node 20 decodes windows-1252 as ISO 8859-1, which has no euro sign.
  return (bytes) => (bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true }));
}
