/** Where a command writes. Whoever reads may leave, as `head` does: that ends no command, and least of all a run. */
import type { Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';

interface Output {
  /** false where the reader is slower than the writer, or has left. */
  write(text: string): boolean;
  /** Why some of it could not be written. undefined also where the reader has left. */
  failure(): Promise<NodeJS.ErrnoException | undefined>;
}

export function openOutput(stream: Writable & { isTTY?: boolean }): Output {
  // For good: whoever else writes to it, such as the picture of a run, must not be ended by it either.
  if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore);
  let failure: NodeJS.ErrnoException | undefined;
  return {
    write: (text) =>
      stream.write(text, (error) => {
        if (error != null && !hasLeft(error, stream.isTTY === true)) failure ??= error;
      }),
    async failure() {
      // Files, of which alone a disk can be full, are written at once, and tell it in the same turn.
      await turn();
      return failure;
    },
  };
}

function ignore(): void {}

/** EOF on Windows; EIO of a terminal that was closed. */
function hasLeft({ code = '' }: NodeJS.ErrnoException, isTerminal: boolean): boolean {
  return ['EPIPE', 'EOF', 'ERR_STREAM_DESTROYED'].includes(code) || (isTerminal && code === 'EIO');
}
