/** Exports `decodedReader`, which decodes the content coding of a body. A service may send one without being asked (RFC 9110, 12.5.3). */
import type { Transform } from 'node:stream';
import { presentable } from '../../errors/items.js';
import { type BodyReader, TransportFailure } from './wire.js';

/** The body of an answer cannot be read, although the connection is fine. */
export class UnreadableBodyError extends Error {
  /** `flaw`: why not, in words that may be printed; undefined: it is too large. */
  constructor(readonly flaw: string | undefined) {
    super(flaw ?? 'too large');
  }
}

type Zlib = typeof import('node:zlib') & { createZstdDecompress?: () => Transform };

/** Returns the decoder for a body with this first byte; undefined if the body is not coded, although its header says so. */
type CreateDecoder = (zlib: Zlib, firstByte: number) => Transform | undefined;

/** Decodes what has come, also if the end of the coding is missing, as fetch does. JSON shows whether it is complete. */
const lenient = ({ constants }: Zlib) => ({ finishFlush: constants.Z_SYNC_FLUSH });

const createGunzip: CreateDecoder = (zlib, first) =>
  first === GZIP_MARK ? zlib.createGunzip(lenient(zlib)) : undefined;
const GZIP_MARK = 0x1f;

const DECODERS: ReadonlyMap<string, CreateDecoder> = new Map<string, CreateDecoder>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  [
    'deflate',
    // Some services leave out the header of zlib, whose first byte has this form.
    (zlib, first) => ((first & 0x0f) === 8 ? zlib.createInflate(lenient(zlib)) : zlib.createInflateRaw(lenient(zlib))),
  ],
  ['br', (zlib) => zlib.createBrotliDecompress({ finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH })],
  ['zstd', (zlib) => (zlib.createZstdDecompress ?? unsupported('zstd'))()],
]);

/** More codings of one body are not decoded, as in undici and curl. */
const MOST_CODINGS = 5;

/**
 * Returns a reader of the decoded body; the given one if the header names no coding. Its `read` rejects with an `UnreadableBodyError` for an
 * unknown coding, for damaged data, and if any layer has more than `maxBytes`.
 */
export function decodedReader(reader: BodyReader, contentEncoding: string | undefined, maxBytes: number): BodyReader {
  if (contentEncoding === undefined) return reader;
  const codings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length === 0) return reader;
  let chunks = chunksOf(reader);
  // Each coding is decoded in the reverse of the order in which it was applied.
  for (const coding of codings.slice(0, MOST_CODINGS + 1).reverse()) chunks = decode(chunks, coding, maxBytes);
  if (codings.length > MOST_CODINGS) chunks = refuse(`it has ${codings.length} content codings`);
  return {
    read: async () => (await chunks.next()).value ?? undefined,
    keep: (bytes) => reader.keep(bytes),
    cancel() {
      reader.cancel();
      // Not awaited: it resolves only after the current read.
      chunks.return().catch(() => {});
    },
  };
}

type Chunks = AsyncGenerator<Uint8Array, void, undefined>;

async function* chunksOf(reader: BodyReader): Chunks {
  for (let chunk = await reader.read(); chunk !== undefined; chunk = await reader.read()) yield chunk;
}

// biome-ignore lint/correctness/useYield: it takes the place of a body.
async function* refuse(flaw: string): Chunks {
  throw new UnreadableBodyError(flaw);
}

async function* decode(coded: Chunks, coding: string, maxBytes: number): Chunks {
  const create = DECODERS.get(coding) ?? unsupported(coding);
  const first = (await coded.next()).value;
  if (first === undefined) return;
  // Loaded only here: most programs never need it.
  const [{ pipeline, Readable }, zlib] = await Promise.all([import('node:stream'), import('node:zlib')]);
  const decoder = create(zlib as Zlib, first[0] ?? 0);
  const whole = begun(first, coded);
  const decoded =
    decoder === undefined ? whole : pipeline(Readable.from(whole, { objectMode: false }), decoder, () => {});
  let bytes = 0;
  try {
    for await (const chunk of decoded as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new UnreadableBodyError(undefined);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof TransportFailure || error instanceof UnreadableBodyError) throw error;
    throw new UnreadableBodyError(`its content coding ${coding} cannot be decoded`);
  }
}

async function* begun(first: Uint8Array, rest: Chunks): Chunks {
  yield first;
  yield* rest;
}

function unsupported(coding: string): never {
  throw new UnreadableBodyError(`its content coding ${presentable(coding) ?? '*'} is not supported`);
}
