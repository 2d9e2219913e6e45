/** Exports `readText`, which reads a body up to a limit, and `BodyQueue` and `JoinedBytes`, which keep chunks of any size in little memory. */
import type { BodyShare } from '../limits/body-budget.js';
import { parseLargeBody } from './answer.js';
import { UnreadableBodyError } from './content-coding.js';
import { LARGE } from './large-json.js';
import type { BodyReader, TransportFailure, WireAnswer } from './wire.js';

/** Bytes of a block. */
const BLOCK = 64 * 1024;

/** Bytes in the order of their arrival. Copies small chunks into blocks: an object for each byte would take a hundred times its memory. */
export class JoinedBytes {
  length = 0;
  #blocks: Buffer[] = [];
  /** The last block: a chunk of the connection, or a larger block with room for more. */
  #last: Buffer | undefined;
  #used = 0;

  add(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    this.length += chunk.length;
    const last = this.#last;
    const used = this.#used + chunk.length;
    if (last === undefined || used > BLOCK) {
      this.#endBlock();
      this.#last = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      this.#used = chunk.length;
      return;
    }
    if (used > last.length) {
      this.#last = Buffer.allocUnsafeSlow(Math.min(BLOCK, 2 * used));
      last.copy(this.#last, 0, 0, this.#used);
    }
    this.#last?.set(chunk, this.#used);
    this.#used = used;
  }

  /** Removes the first block; the last one only if `isAll`. */
  shift(isAll = true): Buffer | undefined {
    if (this.#blocks.length === 0 && isAll) this.#endBlock();
    const block = this.#blocks.shift();
    this.length -= block?.length ?? 0;
    return block;
  }

  /** Removes and returns all of it. */
  take(): Buffer {
    this.#endBlock();
    const [first] = this.#blocks;
    const all = first !== undefined && this.#blocks.length === 1 ? first : Buffer.concat(this.#blocks);
    [this.#blocks, this.length] = [[], 0];
    return all;
  }

  #endBlock(): void {
    if (this.#last !== undefined) this.#blocks.push(this.#last.subarray(0, this.#used));
    [this.#last, this.#used] = [undefined, 0];
  }
}

/** The connection is paused while there are more unread bytes. */
const MOST_UNREAD_BYTES = 256 * 1024;

/** What pauses and ends the connection of a body. */
interface Connection {
  readonly paused: boolean;
  pause(): void;
  resume(): void;
  abort(reason: Error): void;
}

/** A body that arrives in chunks, and is read at the speed of its reader. */
export class BodyQueue implements BodyReader {
  readonly #bytes = new JoinedBytes();
  #end: { failure: TransportFailure | undefined } | undefined;
  #wake: (() => void) | undefined;
  readonly #connection: Connection;
  readonly #shareOf: () => BodyShare;
  #share: BodyShare | undefined;

  constructor(connection: Connection, shareOf: () => BodyShare) {
    this.#connection = connection;
    this.#shareOf = shareOf;
  }

  get unread(): number {
    return this.#bytes.length;
  }

  add(chunk: Uint8Array): void {
    this.#bytes.add(chunk);
    if (this.unread > MOST_UNREAD_BYTES) this.#connection.pause();
    this.#wake?.();
  }

  end(failure?: TransportFailure): void {
    this.#end ??= { failure };
    this.#wake?.();
  }

  async read(): Promise<Uint8Array | undefined> {
    if (this.unread === 0 && this.#end === undefined) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const block = this.#bytes.shift();
    if (block === undefined && this.#end?.failure !== undefined) throw this.#end.failure;
    if (this.unread <= MOST_UNREAD_BYTES && this.#connection.paused) this.#connection.resume();
    return block;
  }

  /** Returns all that has arrived, and has not been read. */
  take(): Buffer {
    return this.#bytes.take();
  }

  keep(bytes: number): Promise<void> | undefined {
    this.#share ??= this.#shareOf();
    return this.#share.keep(bytes);
  }

  cancel(): void {
    this.#share?.release();
    if (this.#end === undefined) this.#connection.abort(new Error('not read to its end'));
  }
}

/** Why a body with invalid bytes cannot be read: an account number in it would be another one. */
export const NOT_UTF8 = 'it is not valid UTF-8';

/**
 * Reads a body to its end. The text is undefined if the body is larger than `maxBytes` or its coding is unknown or damaged; `flaw` says
 * why it cannot be read. Rejects with a `TransportFailure` if the connection breaks. The caller cancels the reader.
 */
export async function readText(reader: BodyReader, maxBytes: number): Promise<Pick<WireAnswer, 'text' | 'flaw'>> {
  let decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let flaw: string | undefined;
  const decode = (block: Uint8Array, stream: boolean) => {
    try {
      return decoder.decode(block, { stream });
    } catch {
      flaw = NOT_UTF8;
      decoder = new TextDecoder();
      return decoder.decode(block, { stream });
    }
  };
  const unread = new JoinedBytes();
  let bytes = 0;
  let text = '';
  try {
    for (let chunk = await reader.read(); chunk !== undefined; chunk = await reader.read()) {
      bytes += chunk.length;
      if (bytes > maxBytes) return { text: undefined };
      unread.add(chunk);
      // Decoded block by block: decoding a long body at once would block the event loop.
      for (let block = unread.shift(false); block !== undefined; block = unread.shift(false))
        text += decode(block, true);
      await reader.keep(bytes);
    }
  } catch (error) {
    if (!(error instanceof UnreadableBodyError)) throw error;
    return { text: undefined, ...(error.flaw !== undefined && { flaw: error.flaw }) };
  }
  text += decode(unread.take(), false);
  return { text, ...(flaw !== undefined && { flaw }) };
}

/** Parses a large body while its share of the memory is taken. Then gives that back, and ends an exchange that was not read to its end. */
export async function parsed(answer: WireAnswer, reader: BodyReader): Promise<WireAnswer> {
  if ((answer.text?.length ?? 0) > LARGE && answer.flaw === undefined) await parseLargeBody(answer);
  reader.cancel();
  return answer;
}
