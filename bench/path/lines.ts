/** Reads lines of a file for several concurrent readers with the fewest promises a hand-written loop needs. */
import { createReadStream } from 'node:fs';

const LINE_FEED = 0x0a;
const CHUNK_BYTES = 256 * 1024;

export interface Lines {
  /** Returns undefined after the last line. */
  next(): string | undefined | Promise<string | undefined>;
}

export function linesOf(path: string): Lines {
  const chunks = createReadStream(path, { highWaterMark: CHUNK_BYTES })[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  let ready: string[] = [];
  let taken = 0;
  let filling: Promise<boolean> | undefined;

  /** Reads the next chunk. Returns false if no line is left. */
  async function fill(): Promise<boolean> {
    const { value, done } = await chunks.next();
    filling = undefined;
    if (done) {
      if (rest.length > 0) ready.push(rest.toString());
      const hasRest = rest.length > 0;
      rest = Buffer.alloc(0);
      return hasRest;
    }
    const bytes: Buffer = rest.length === 0 ? value : Buffer.concat([rest, value]);
    let from = 0;
    for (let to = bytes.indexOf(LINE_FEED); to >= 0; to = bytes.indexOf(LINE_FEED, from)) {
      ready.push(bytes.toString('utf8', from, to));
      from = to + 1;
    }
    rest = bytes.subarray(from);
    return true;
  }

  async function afterFilling(): Promise<string | undefined> {
    while (taken === ready.length) {
      ready = [];
      taken = 0;
      filling ??= fill();
      if (!(await filling)) return undefined;
    }
    return ready[taken++];
  }

  return { next: () => (taken < ready.length ? ready[taken++] : afterFilling()) };
}
